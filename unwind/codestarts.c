// SPDX-License-Identifier: Apache-2.0
#include "unwind/codestarts.h"

enum { UNIT = 16, REACH = 16 << 10 };

/** Marks of the first byte of a unit. */
enum mark {
	MARK_CALLED = 1 << 0,
	MARK_JUMPED_TO = 1 << 1,
};

static void mark(struct image *image, uint64_t vaddr, enum mark mark)
{
	uint64_t unit = (vaddr - image->low_vaddr) / UNIT;

	if (vaddr % UNIT == 0 && vaddr >= image->low_vaddr && unit < image->marks.count)
		image->marks.items[unit] |= (uint8_t)mark;
}

/** Read the code of @segment from its first byte on, past what is no instruction. */
static void read_code(struct image *image, const struct image_segment *segment)
{
	const struct machine_unwinding *unwinding = image->unwinding;
	uint64_t vaddr = segment->vaddr, before, size;
	const uint8_t *code = image_code(image, vaddr, &before, &size);

	for (uint64_t at = 0; code && at < size;) {
		struct machine_instruction instruction;
		uint64_t target = 0, behind;

		if (!unwinding->read(code + at, size - at, &instruction)) {
			at++;
			continue;
		}
		at += instruction.size;
		behind = vaddr + at;
		if (instruction.flow == MACHINE_MAY_JUMP || instruction.flow == MACHINE_JUMPS)
			mark(image, behind - instruction.size + (uint64_t)instruction.target,
			     MARK_JUMPED_TO);
		else if (unwinding->is_behind_call(code + at, instruction.size, behind, &target) &&
			 target)
			mark(image, target, MARK_CALLED);
	}
}

static void read_marks(struct image *image)
{
	vec_reserve(&image->marks, (image->high_vaddr - image->low_vaddr) / UNIT + 1);
	for (uint64_t at = image->low_vaddr; at <= image->high_vaddr; at += UNIT)
		vec_push(&image->marks, 0);
	vec_foreach (segment, &image->segments)
		if (segment->is_executable)
			read_code(image, segment);
}

bool codestarts_before(struct image *image, uint64_t vaddr, uint64_t *at, bool *ret_is_called)
{
	if (image->marks.count == 0)
		read_marks(image);
	for (uint64_t start = (*at - 1) / UNIT * UNIT;
	     start >= image->low_vaddr && start < *at && vaddr - start <= REACH; start -= UNIT) {
		uint64_t unit = (start - image->low_vaddr) / UNIT, before, after;
		const uint8_t *code = image_code(image, start, &before, &after);

		if (!code || unit >= image->marks.count)
			return false;
		*ret_is_called = image->marks.items[unit] & MARK_CALLED;
		if (!*ret_is_called && ((image->marks.items[unit] & MARK_JUMPED_TO) ||
					!image->unwinding->is_behind_end(code, before)))
			continue;
		*at = start;
		return true;
	}
	return false;
}
