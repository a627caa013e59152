// SPDX-License-Identifier: Apache-2.0
// An even word is the vaddr of a slot; an odd one is a bitmap of the 63 (31) words that follow the
// last slot or bitmap. Source: gABI ch. 5 "Relative Relocation Table"; linkers go on with bitmaps
// as long as the next slot is in the next one, and otherwise start anew with a vaddr.
#include "correlate/linking/relr.h"

struct relr relr_start(unsigned word_size)
{
	return (struct relr){ .word_size = word_size };
}

void relr_add(struct relr *relr, uint64_t vaddr)
{
	uint64_t window = (8ULL * relr->word_size - 1) * relr->word_size;

	if (relr->has_next && vaddr == relr->last)
		return;
	relr->last = vaddr;
	if (relr->has_next && vaddr >= relr->next && (vaddr - relr->next) % relr->word_size == 0) {
		uint64_t distance = vaddr - relr->next;

		if (distance >= window && relr->has_bitmap) {
			relr->next += window;
			relr->has_bitmap = false;
			distance -= window;
		}
		if (distance < window) {
			relr->words += !relr->has_bitmap;
			relr->has_bitmap = true;
			return;
		}
	}
	relr->words++;
	relr->next = vaddr + relr->word_size;
	relr->has_next = true;
	relr->has_bitmap = false;
}
