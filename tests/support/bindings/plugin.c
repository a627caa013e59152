// SPDX-License-Identifier: Apache-2.0
// A library that dlopen() brings.
int middle(void), plain(void);

int only_here(void)
{
	return plain();
}

int plugin(void)
{
	return middle() + only_here();
}
