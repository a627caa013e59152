// SPDX-License-Identifier: Apache-2.0
// A library with a function that main has as a weak one, and replaces.
int firm(void)
{
	return 1;
}

int (*firmly(void))(void)
{
	return firm;
}
