// SPDX-License-Identifier: Apache-2.0
// Access of an instruction to the byte that faulted, for traces without error codes.
#include "correlate/replay/attribute.h"

#include "base/arena.h"
#include "base/u64map.h"

#include <stdlib.h>

struct access_decoder {
	struct instructions *instructions;
	struct u64map known; // (object, vaddr) -> enum model_access
};

struct access_decoder *access_decoder_create(struct instructions *instructions)
{
	struct access_decoder *decoder = xcalloc(1, sizeof(*decoder));

	decoder->instructions = instructions;
	return decoder;
}

void access_decoder_destroy(struct access_decoder *decoder)
{
	if (!decoder)
		return;
	u64map_deinit(&decoder->known);
	free(decoder);
}

static enum model_access decode(struct access_decoder *decoder, struct elfmap *map, uint64_t vaddr)
{
	struct disassembler *by = instructions_read(decoder->instructions, map, vaddr);
	struct machine_touches touches;

	if (!by)
		return MODEL_ACCESS_UNKNOWN;
	touches = disassembler_touches(by);
	if (touches.reads == touches.writes)
		return MODEL_ACCESS_UNKNOWN;
	return touches.writes ? MODEL_ACCESS_WRITE : MODEL_ACCESS_READ;
}

enum model_access access_decode(struct access_decoder *decoder, struct elfmap *map, uint32_t object,
				uint64_t vaddr)
{
	bool is_new;
	// A vaddr of a file is far below 2^48, so the object's number fits above it.
	uint32_t *known = u64map_put(&decoder->known, (uint64_t)object << 48 ^ vaddr, &is_new);

	if (is_new)
		*known = decode(decoder, map, vaddr);
	return *known;
}
