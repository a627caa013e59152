// SPDX-License-Identifier: Apache-2.0
// Code of stand-ins: small libraries that are loaded in place of large ones, and open these when
// one of their functions is called first (standin/).
//
// A stand-in's code is a piece that is the same in all of them, which begins with a head of
// distances from itself, and an entry for each function. An entry jumps to its slot's distance from
// the head: at first to its own second part, which finds the real function, then to that one. No
// slot needs a relocation.
#pragma once

#include <stddef.h>
#include <stdint.h>

/** Fields of the head, 8 bytes each: distances of what the writer of the file places. */
enum machine_standin_field {
	STANDIN_GOT,	   // 3 words for the dynamic linker, then a slot for each import
	STANDIN_SLOTS,	   // 8 bytes for each function: the distance of what its entry jumps to
	STANDIN_HANDLE,	   // 8 bytes, 0
	STANDIN_FUNCTIONS, // two u32 for each function: its name and its version in the strings; 0:
			   // it has no version
	STANDIN_STRINGS,
	STANDIN_PATH,	// of the real library
	STANDIN_FOLDER, // "LD_LIBRARY_PATH=FOLDER", which is taken from the environment; 0: none
	STANDIN_COUNT,	// of functions; no distance
	STANDIN_FIELDS,
};

/** Offsets within the code. */
struct machine_standin_places {
	uint32_t size;
	uint32_t lazy; // the first of STANDIN_LAZY_BYTES each: what an import's slot leads to
	uint32_t bind, enter, resolve, resolve_end, start; // start: DT_INIT
	uint32_t leave_environment, finish;		   // finish: DT_FINI
};

enum {
	STANDIN_ENTRY_BYTES = 32,
	STANDIN_ENTRY_FIND = 17, // within an entry: what its slot leads to at first
	STANDIN_LAZY_BYTES = 16,
	STANDIN_FRAMES_MAX = 512,
};

/** A function that stand-ins need of libc, in the order of the GOT. */
struct machine_standin_import {
	const char *name, *version;
};

struct machine_standin {
	uint16_t elf; // e_machine
	const uint8_t *code;
	const struct machine_standin_places *places;
	const struct machine_standin_import *imports;
	size_t import_count;
	uint32_t jump_slot; // type of the relocation of an import's slot

	/**
	 * Write the entry of function @number, STANDIN_ENTRY_BYTES of them. @head, @slot: their
	 * distances from the entry.
	 */
	void (*write_entry)(uint8_t *ret_bytes, uint32_t number, int64_t head, int64_t slot);

	/**
	 * Write .eh_frame: at most STANDIN_FRAMES_MAX bytes. @code, @entries: distances of the code
	 * and of the entries, which are as many as @count, from .eh_frame. Returns: bytes;
	 * *@ret_starts, of *@ret_count, the distances of each record's code and of the record, as
	 * .eh_frame_hdr sorts them.
	 */
	size_t (*write_frames)(uint8_t *ret_bytes, int64_t code, int64_t entries, size_t count,
			       int32_t (*ret_starts)[2], size_t *ret_count);
};

enum { STANDIN_FRAME_RECORDS = 8 };

/** NULL: the processor that elfault is built for has none. */
const struct machine_standin *machine_standin(void);
