// SPDX-License-Identifier: Apache-2.0
// A weak name that nothing has, a name that is protected, and one that the program replaces.
extern int data, other;
extern int f(void), plain(void);
void nowhere(void) __attribute__((weak));

__attribute__((visibility("protected"))) int kept(void)
{
	return data;
}

int replaced(void)
{
	return 4;
}

int *where(void)
{
	return nowhere ? 0 : &other;
}

int middle(void)
{
	return f() + plain() + kept() + replaced();
}

int (*address(void))(void)
{
	return plain;
}

int (*kept_address(void))(void)
{
	return kept;
}
