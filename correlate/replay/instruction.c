// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/instruction.h"

#include "base/arena.h"
#include "base/vec.h"

#include <stdlib.h>

enum { INSTRUCTION_MAX = 15 }; // bytes

/** A disassembler, once a file of its machine was asked about. */
struct opened {
	const struct machine *machine;
	struct disassembler *by; // NULL: it has none
};

struct instructions {
	VEC(struct opened) opened; // few
};

struct instructions *instructions_create(void)
{
	return xcalloc(1, sizeof(struct instructions));
}

void instructions_destroy(struct instructions *instructions)
{
	if (!instructions)
		return;
	vec_foreach (opened, &instructions->opened)
		disassembler_destroy(opened->by);
	vec_deinit(&instructions->opened);
	free(instructions);
}

static struct disassembler *disassembler_of(struct instructions *instructions,
					    const struct machine *machine)
{
	vec_foreach (opened, &instructions->opened)
		if (opened->machine == machine)
			return opened->by;
	struct disassembler *by = disassembler_create(machine, true);

	vec_push(&instructions->opened, ((struct opened){ machine, by }));
	return by;
}

struct disassembler *instructions_read(struct instructions *instructions, struct elfmap *map,
				       uint64_t vaddr)
{
	struct disassembler *by =
		disassembler_of(instructions, machine_of(elfmap_info(map)->machine));
	uint8_t bytes[INSTRUCTION_MAX];
	const uint8_t *code = bytes;
	size_t size = by ? elfmap_read(map, vaddr, bytes, sizeof(bytes)) : 0;

	return by && disassembler_next(by, &code, &size, &vaddr) ? by : NULL;
}

const char *instructions_text(struct instructions *instructions, struct elfmap *map, uint64_t vaddr,
			      struct arena *arena)
{
	struct disassembler *by = instructions_read(instructions, map, vaddr);

	return by ? disassembler_text(by, arena) : NULL;
}
