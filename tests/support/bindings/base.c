// SPDX-License-Identifier: Apache-2.0
// Data that a program copies, a function of two versions, and one whose address is its PLT entry.
int data = 1, other = 2;

int old(void)
{
	return 1;
}

int now(void)
{
	return 2;
}

int plain(void)
{
	return 3;
}

__asm__(".symver old, f@ONE");
__asm__(".symver now, f@@TWO");
