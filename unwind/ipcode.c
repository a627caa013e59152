// SPDX-License-Identifier: Apache-2.0
#include "unwind/ipcode.h"

#include <string.h>

enum { BEFORE = MACHINE_CODE_BEFORE, AFTER = MACHINE_CODE_AFTER };

/** Return the distance of @vaddr from the function at @start, if there is one. */
static uint64_t distance(uint64_t vaddr, uint64_t start)
{
	return start == 0 ? UINT64_MAX : vaddr - start;
}

void ipcode_read(struct ipcode *code, const struct module *module, uint64_t ip)
{
	struct image *image = module->image;

	code->module = module;
	code->vaddr = ip - module->bias;
	code->code = (struct machine_code){
		.at = code->bytes + BEFORE,
		.into_init = distance(code->vaddr, image->init_vaddr),
		.into_fini = distance(code->vaddr, image->fini_vaddr),
	};
	memset(code->bytes, 0, sizeof(code->bytes));
	if (image_read_code(image, code->vaddr - BEFORE, code->bytes, sizeof(code->bytes)))
		return;
	// Either end of the segment is near.
	for (uint64_t i = 0; i < AFTER; i++)
		if (!image_read_code(image, code->vaddr + i, code->bytes + BEFORE + i, 1))
			break;
	for (uint64_t i = 1; i <= BEFORE; i++)
		if (!image_read_code(image, code->vaddr - i, code->bytes + BEFORE - i, 1))
			break;
}
