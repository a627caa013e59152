// SPDX-License-Identifier: Apache-2.0
// Two builds of one program for the page of a comparison; -DAFTER makes the second one. What
// differs is known: .data.rel.ro grows from 16 pages of pointers to 24, of which the first 16 stand
// where they stood; .bss, of 8 pages of which each is written, stays; .extra is in the second
// alone, 2 pages, of which one is written.
enum { PAGE = 4096, BSS_PAGES = 8 };
#ifdef AFTER
enum { POINTER_PAGES = 24 };
#else
enum { POINTER_PAGES = 16 };
#endif

static int target;

#define EIGHT(x)   x, x, x, x, x, x, x, x
#define PAGE_OF(x) EIGHT(EIGHT(EIGHT(x)))

__attribute__((section(".data.rel.ro"), aligned(PAGE),
	       used)) int *const pointers[POINTER_PAGES * PAGE / sizeof(int *)] = {
	EIGHT(PAGE_OF(&target)),
	EIGHT(PAGE_OF(&target)),
#ifdef AFTER
	EIGHT(PAGE_OF(&target)),
#endif
};

static volatile char written[BSS_PAGES * PAGE] __attribute__((aligned(PAGE)));

#ifdef AFTER
__attribute__((section(".extra"), aligned(PAGE), used)) volatile char extra[2 * PAGE] = { 1 };
#endif

int main(void)
{
	for (int i = 0; i < BSS_PAGES; i++)
		written[i * PAGE] = 1;
#ifdef AFTER
	extra[0] = 0;
#endif
	return 0;
}
