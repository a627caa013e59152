// SPDX-License-Identifier: Apache-2.0
// Another one. What it looks up may be in what was opened before: nobody can tell whether that was
// for all.
int only_here(void) __attribute__((weak));
int plain(void);

int (*second(void))(void)
{
	return only_here ? only_here : plain;
}
