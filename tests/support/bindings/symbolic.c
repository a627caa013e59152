// SPDX-License-Identifier: Apache-2.0
// A library that finds a name in itself first.
int replaced(void)
{
	return 5;
}

int (*symbolic(void))(void)
{
	return replaced;
}
