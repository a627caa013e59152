// SPDX-License-Identifier: Apache-2.0
// Owns how code is known that leaves for a landing pad: by the registers that it keeps. The format:
// DWARF 5 section 6.4.2 "Call Frame Instructions".
#include "elfmap/symbols/framesearch.h"

#include <dwarf.h>

/** Call frame instructions that are left; @failed sticks. */
struct instructions {
	const uint8_t *at, *end;
	bool failed;
};

static void skip(struct instructions *left, size_t size)
{
	if ((size_t)(left->end - left->at) < size) {
		left->failed = true;
		return;
	}
	left->at += size;
}

/** One with a sign as well, which is only stepped over. */
static uint64_t read_leb128(struct instructions *left)
{
	uint64_t value = 0;

	if (!elfmap_leb128(&left->at, left->end, false, &value))
		left->failed = true;
	return value;
}

/** Step over one instruction; returns the register that it says is kept in the frame, else -1. */
static int next_kept(struct instructions *left)
{
	uint8_t byte = *left->at++, low = byte & 0x3f;
	uint64_t number;

	switch (byte & 0xc0) {
	case DW_CFA_advance_loc:
	case DW_CFA_restore:
		return -1;
	case DW_CFA_offset:
		read_leb128(left);
		return low;
	}
	switch (byte) {
	case DW_CFA_nop:
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		break;
	case DW_CFA_advance_loc1:
		skip(left, 1);
		break;
	case DW_CFA_advance_loc2:
		skip(left, 2);
		break;
	case DW_CFA_advance_loc4:
		skip(left, 4);
		break;
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_restore_extended:
	case DW_CFA_same_value:
	case DW_CFA_undefined:
	case DW_CFA_GNU_args_size:
		read_leb128(left);
		break;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_register:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		read_leb128(left);
		read_leb128(left);
		break;
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
		number = read_leb128(left);
		read_leb128(left);
		return number < 64 ? (int)number : -1;
	case DW_CFA_def_cfa_expression:
		skip(left, read_leb128(left));
		break;
	case DW_CFA_expression: // of a signal's frame: all registers are
	case DW_CFA_val_expression:
		read_leb128(left);
		skip(left, read_leb128(left));
		break;
	default: // what is behind it cannot be found
		left->failed = true;
	}
	return -1;
}

bool elfmap_leaves_by_eh_return(struct elfmap *map, uint64_t vaddr)
{
	const uint64_t all = machine_of(map->info.machine)->eh_return_registers;
	struct frame_search search;
	struct elfmap_frame frame;
	uint64_t next, kept = 0;

	if (!all)
		return false;
	frame_search_init(&search, map);
	if (!frame_search_last(&search, vaddr, &frame, &next) || !frame.instructions ||
	    !range_contains(frame.code, vaddr))
		return false;

	const uint64_t size = frame.vaddr + frame.size - frame.instructions;
	const uint8_t *bytes = elfmap_bytes(map, frame.instructions, size);
	struct instructions left = { bytes, bytes ? bytes + size : NULL, !bytes };

	while (!left.failed && left.at < left.end) {
		int number = next_kept(&left);

		if (number >= 0 && !left.failed)
			kept |= UINT64_C(1) << number;
	}
	return (kept & all) == all;
}
