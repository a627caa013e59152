// SPDX-License-Identifier: Apache-2.0
// Whether an instruction read or wrote the byte that faulted, for traces without error codes.
#pragma once

#include "correlate/replay/instruction.h"
#include "model/model.h"
#include "elfmap/elfmap.h"

#include <stdbool.h>
#include <stdint.h>

/** What was found for each instruction. */
struct access_decoder;

/** @instructions: borrowed until access_decoder_destroy(). */
struct access_decoder *access_decoder_create(struct instructions *instructions);
void access_decoder_destroy(struct access_decoder *decoder);

/**
 * What the instruction at @vaddr of @map does to memory: read, write, or unknown where it touches
 * more than one place in different ways, cannot be decoded, or the machine is not x86-64, i386 or
 * aarch64. Results are kept by (@object, @vaddr). A read-modify-write is a write, as it faults so.
 */
enum model_access access_decode(struct access_decoder *decoder, struct elfmap *map, uint32_t object,
				uint64_t vaddr);
