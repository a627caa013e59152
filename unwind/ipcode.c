// SPDX-License-Identifier: Apache-2.0
#include "unwind/ipcode.h"

void ipcode_read(struct ipcode *code, const struct module *module, uint64_t ip)
{
	struct image *image = module->image;

	code->module = module;
	code->vaddr = ip - module->bias;
	code->at = code->bytes + IPCODE_BEFORE;
	memset(code->bytes, 0, sizeof(code->bytes));
	if (image_read_code(image, code->vaddr - IPCODE_BEFORE, code->bytes, sizeof(code->bytes)))
		return;
	// Either end of the segment is near.
	for (uint64_t i = 0; i < IPCODE_AFTER; i++)
		if (!image_read_code(image, code->vaddr + i, code->bytes + IPCODE_BEFORE + i, 1))
			break;
	for (uint64_t i = 1; i <= IPCODE_BEFORE; i++)
		if (!image_read_code(image, code->vaddr - i, code->bytes + IPCODE_BEFORE - i, 1))
			break;
}

/**
 * In DT_INIT and DT_FINI, which crti.o and crtn.o have without unwinding data: the words between sp
 * and the return address, or -1.
 */
static int words_in_init(const struct ipcode *code, bool is_call)
{
	const struct image *image = code->module->image;
	const uint64_t starts[] = { image->init_vaddr, image->fini_vaddr };

	for (size_t i = 0; i < 2; i++) {
		uint64_t into = code->vaddr - starts[i];

		if (starts[i] == 0 || into >= IPCODE_BEFORE)
			continue;

		const uint8_t *start = code->at - into;
		uint64_t sub_at = memcmp(start, "\xf3\x0f\x1e\xfa", 4) ? 0 : 4;

		if (into <= sub_at && !is_call)
			return 0;
		if (memcmp(start + sub_at, "\x48\x83\xec\x08", 4) || into < sub_at + 4)
			continue;
		// Its end must still come: behind it stands what is no part of it.
		for (int ahead = 0; ahead <= IPCODE_AFTER - 5; ahead++)
			if (IPCODE_IS(code, ahead, 0x48, 0x83, 0xc4, 0x08, 0xc3))
				return 1;
	}
	return -1;
}

int ipcode_words(const struct ipcode *code, bool is_call, bool is_32bit)
{
	if (!is_call && (IPCODE_IS(code, 0, 0xc3) || IPCODE_IS(code, 0, 0xf3, 0xc3))) // ret
		return 0;
	if (!is_32bit) {
		int words = words_in_init(code, is_call);

		if (words >= 0)
			return words;
	}
	if (is_call)
		return -1;

	if (IPCODE_IS(code, 0, 0xf3, 0x0f, 0x1e, 0xfa) ||
	    IPCODE_IS(code, 0, 0xf3, 0x0f, 0x1e, 0xfb))
		return 0; // endbr: a function's first instruction

	// PLT entries jump through their GOT slot, or push a number and jump to the first entry,
	// which pushes another word. mold passes the number in r11 and pushes that.
	bool is_jump = IPCODE_IS(code, 0, 0xff, 0x25) || IPCODE_IS(code, 0, 0xf2, 0xff, 0x25) ||
		       IPCODE_IS(code, 0, 0xff, 0xa3);

	if (is_jump && (IPCODE_IS(code, -6, 0xff, 0x35) || IPCODE_IS(code, -6, 0xff, 0xb3)))
		return 2;
	if (is_jump)
		return 0;
	if (IPCODE_IS(code, 0, 0xff, 0x35) || IPCODE_IS(code, 0, 0xff, 0xb3))
		return 1;
	if (IPCODE_IS(code, 0, 0x68) &&
	    (IPCODE_IS(code, 5, 0xe9) || IPCODE_IS(code, 5, 0xf2, 0xe9)))
		return 0;
	if (IPCODE_IS(code, -5, 0x68) &&
	    (IPCODE_IS(code, 0, 0xe9) || IPCODE_IS(code, 0, 0xf2, 0xe9)))
		return 1;
	if (IPCODE_IS(code, 0, 0x41, 0xbb) && IPCODE_IS(code, 6, 0xff, 0x25))
		return 0;
	if (IPCODE_IS(code, 0, 0x41, 0x53, 0xff, 0x35))
		return 0;

	// crtbegin.o's __do_global_dtors_aux: cmpb $0,completed; jne; push %rbp; cmpq $0,...
	if (IPCODE_IS(code, 0, 0x80, 0x3d) && IPCODE_IS(code, 6, 0x00, 0x75) &&
	    IPCODE_IS(code, 9, 0x55))
		return 0;
	if (IPCODE_IS(code, 0, 0x48, 0x83, 0x3d) && IPCODE_IS(code, -10, 0x80, 0x3d) &&
	    IPCODE_IS(code, -1, 0x55))
		return 1;
	return -1;
}
