// SPDX-License-Identifier: Apache-2.0
// A program without a libc, for machines other than this one.
#define APART __attribute__((noinline))

static volatile char zoo_pages[16 * 4096];
const char *const zoo_table[] = { (const char *)zoo_pages, (const char *)zoo_pages + 4096 };

static inline __attribute__((always_inline)) void touch_inline(unsigned page)
{
	zoo_pages[page * 4096] = 1;
}

APART void zoo_walk(unsigned first)
{
	for (unsigned i = first; i < 16; i++)
		touch_inline(i);
}

static APART int zoo_hidden(int value)
{
	return value * 17 + zoo_pages[4];
}

APART int zoo_second(int value)
{
	zoo_walk((unsigned)value & 7);
	return zoo_hidden(value) + *zoo_table[1];
}

int zoo_start(void) __asm__("_start");
int zoo_start(void)
{
	return zoo_second(3);
}
