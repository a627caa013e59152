// SPDX-License-Identifier: Apache-2.0
// A library with a weak function that main has as well, as inline functions of C++ are: either will
// do.
__attribute__((weak)) int vague(void)
{
	return 1;
}

int (*inlined(void))(void)
{
	return vague;
}
