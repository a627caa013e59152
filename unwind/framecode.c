// SPDX-License-Identifier: Apache-2.0
#include "unwind/framecode.h"

enum {
	WRAPPED_MAX = 256, // bytes that a function may have before it makes a frame
	AHEAD_MAX = 16384, // instructions looked at from it on
	BLOCKS_MAX = 1024, // straight runs of them
	BITS_OF_STATE = 2,
};

/** Code from @vaddr on; advances. */
struct reader {
	const struct image *image;
	const uint8_t *code;
	uint64_t size;
	uint64_t vaddr; // of what comes next
	struct machine_instruction instruction;
	bool has_left;	 // see leaves_to()
	uint8_t pointer; // likewise
};

static bool reader_seek(struct reader *reader, uint64_t vaddr)
{
	uint64_t before;

	reader->vaddr = vaddr;
	reader->code = image_code(reader->image, vaddr, &before, &reader->size);
	return reader->code;
}

static inline bool reader_next(struct reader *reader)
{
	struct machine_instruction *instruction = &reader->instruction;

	if (!reader->image->unwinding->read(reader->code, reader->size, instruction))
		return false;
	reader->code += instruction->size;
	reader->size -= instruction->size;
	reader->vaddr += instruction->size;
	return true;
}

/** Return the target of the jump that was read last. */
static uint64_t reader_target(const struct reader *reader)
{
	return reader->vaddr - reader->instruction.size + (uint64_t)reader->instruction.target;
}

/**
 * True if whole instructions lead from @start, where the frame pointer is pushed, to @vaddr, and no
 * other push of it is among them.
 */
static bool leads_to(const struct image *image, uint64_t start, uint64_t vaddr)
{
	struct reader reader = { .image = image };
	bool is_restored = false;

	if (!reader_seek(&reader, start))
		return false;
	while (reader.vaddr < vaddr && reader_next(&reader)) {
		if (reader.instruction.pushes_frame &&
		    reader.vaddr - reader.instruction.size > start)
			return false;
		is_restored = reader.instruction.restores_frame;
	}
	return reader.vaddr == vaddr && !is_restored;
}

/** Places to read on at, each once. */
struct agenda {
	uint64_t items[BLOCKS_MAX];
	uint32_t count, done;
};

static void agenda_add(struct agenda *agenda, uint64_t vaddr)
{
	for (uint32_t i = 0; i < agenda->count; i++)
		if (agenda->items[i] == vaddr)
			return;
	if (agenda->count < BLOCKS_MAX)
		agenda->items[agenda->count++] = vaddr;
}

/** The meaning of an instruction for a search. */
enum verdict { GO_ON, FOUND, NOT_THIS_WAY };

/** Follow the jumps from @vaddr on until @judge has FOUND it. */
static bool follow(const struct image *image, uint64_t vaddr, uint64_t sought,
		   enum verdict (*judge)(struct reader *reader, uint64_t sought))
{
	struct agenda agenda = { .items = { vaddr }, .count = 1 };
	struct reader reader = { .image = image };
	uint32_t left = AHEAD_MAX;

	while (agenda.done < agenda.count) {
		bool has_switch = false;

		if (!reader_seek(&reader, agenda.items[agenda.done++]))
			continue;
		while (left > 0 && reader_next(&reader)) {
			const struct machine_instruction *instruction = &reader.instruction;

			enum verdict verdict = judge(&reader, sought);

			left--;
			if (verdict == FOUND)
				return true;
			if (verdict == NOT_THIS_WAY)
				break;
			if (instruction->flow == MACHINE_MAY_JUMP ||
			    instruction->flow == MACHINE_JUMPS)
				agenda_add(&agenda, reader_target(&reader));
			// The cases of a switch stand behind its jump, up to the next function.
			if (instruction->flow == MACHINE_JUMPS_ANYWHERE)
				has_switch = true;
			if (has_switch ? instruction->pushes_frame
				       : instruction->flow == MACHINE_JUMPS ||
						 instruction->flow == MACHINE_ENDS)
				break;
		}
	}
	return false;
}

static enum verdict uses_frame(struct reader *reader, uint64_t sought)
{
	if (reader->instruction.restores_frame || reader->instruction.addresses_frame)
		return FOUND;
	// Behind a call that does not return, another function may begin.
	return reader->instruction.pushes_frame ? NOT_THIS_WAY : GO_ON;
}

bool framecode_runs_into(const struct image *image, uint64_t target, uint64_t start)
{
	struct reader reader = { .image = image };

	if (target > start || start - target > WRAPPED_MAX || !reader_seek(&reader, target))
		return false;
	while (reader.vaddr < start && reader_next(&reader))
		if (reader.instruction.flow != MACHINE_GOES_ON &&
		    reader.instruction.flow != MACHINE_MAY_JUMP)
			return false;
	return reader.vaddr == start;
}

/** A jump to where a pointer leads that was just loaded, and not from a switch's table. */
static bool jumps_by_pointer(const struct machine_instruction *instruction, uint8_t loaded)
{
	return instruction->jumps_by_pointer ||
	       (instruction->jumps_to && instruction->jumps_to == loaded);
}

/**
 * A jump to the function of @sought, or to anywhere by a function that has left its frame, or that
 * need not have made one.
 */
static enum verdict leaves_to(struct reader *reader, uint64_t sought)
{
	bool has_left = reader->has_left || jumps_by_pointer(&reader->instruction, reader->pointer);

	reader->has_left = reader->instruction.restores_frame;
	reader->pointer = reader->instruction.loads_pointer;
	switch (reader->instruction.flow) {
	case MACHINE_MAY_JUMP:
	case MACHINE_JUMPS:
		return framecode_runs_into(reader->image, reader_target(reader), sought) ? FOUND
											 : GO_ON;
	case MACHINE_JUMPS_ANYWHERE:
		return has_left ? FOUND : GO_ON;
	default:
		return GO_ON;
	}
}

/** True if a function begins at @vaddr, as padding before it shows. */
static bool is_behind_padding(const struct image *image, uint64_t vaddr)
{
	uint64_t before, after;
	const uint8_t *code = image_code(image, vaddr, &before, &after);

	return code && vaddr % image->unwinding->alignment == 0 && before > 0 &&
	       code[-1] == image->unwinding->padding;
}

static enum framecode_state look(const struct image *image, uint64_t vaddr, uint64_t *ret_start)
{
	struct machine_prologue prologue;
	uint64_t before, after;
	const uint8_t *code = image_code(image, vaddr, &before, &after);

	if (code && image->unwinding->find_prologue(code, before, after, &prologue) &&
	    leads_to(image, vaddr + (uint64_t)prologue.push, vaddr)) {
		*ret_start = vaddr + (uint64_t)prologue.push;
		if (prologue.push == 0)
			return FRAMECODE_ENTERED;
		if (prologue.move >= 0)
			return FRAMECODE_PUSHED;
		if (follow(image, vaddr, 0, uses_frame))
			return FRAMECODE_KEPT;
	}
	*ret_start = vaddr;
	return is_behind_padding(image, vaddr) ? FRAMECODE_ENTERED : FRAMECODE_UNKNOWN;
}

enum framecode_state framecode_at(struct image *image, uint64_t vaddr, uint64_t *ret_start)
{
	bool is_new;
	// The state, and above it the distance of the start, of few bytes.
	uint32_t *known = u64map_put(&image->frame_states, vaddr, &is_new);

	if (is_new) {
		uint64_t start = vaddr;
		enum framecode_state state = look(image, vaddr, &start);

		*known = (uint32_t)(vaddr - start) << BITS_OF_STATE | state;
	}
	*ret_start = vaddr - (*known >> BITS_OF_STATE);
	return (enum framecode_state)(*known & ((1U << BITS_OF_STATE) - 1));
}

bool framecode_is_called(struct image *image, uint64_t target, uint64_t start)
{
	if (framecode_runs_into(image, target, start))
		return true;

	bool is_new = true;
	uint32_t *known = NULL;

	if (target <= UINT32_MAX && start <= UINT32_MAX)
		known = u64map_put(&image->frame_callees, target << 32 | start, &is_new);
	if (!is_new)
		return *known;

	// It may have left by a jump.
	bool is_called = follow(image, target, start, leaves_to);

	if (known)
		*known = is_called;
	return is_called;
}
