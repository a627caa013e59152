// SPDX-License-Identifier: Apache-2.0
// The sections of a stand-in, and the file that they make: one segment that is read and executed,
// with all tables, and one that is written: the dynamic section, the GOT, the handle and the slots,
// none of which is written before a function is called.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

/** The sections, in the order of the file. */
enum standin_part_id {
	PART_NONE,
	BUILD_ID,
	ABOUT,
	GNU_HASH,
	DYNSYM,
	DYNSTR,
	VERSYM,
	VERDEF,
	VERNEED,
	RELA_PLT,
	FRAMES_HEADER,
	FRAMES,
	TEXT,
	RODATA,
	DYNAMIC, // here the written segment begins
	GOT_PLT,
	DATA,
	SHSTRTAB,
	PARTS,
};

struct standin_part {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, align, entry_size;
	struct strbuf bytes;
	uint64_t offset, vaddr, size;
};

/** Begin PARTS of them, with no bytes but those of BUILD_ID; release with part_deinit(). */
void part_init(struct standin_part *parts);
void part_deinit(struct standin_part *parts);

void part_add(struct standin_part *parts, enum standin_part_id part, const void *bytes,
	      size_t size);
void part_add_zeros(struct standin_part *parts, enum standin_part_id part, size_t size);

/** Append a value of any type. */
#define PART_ADD(parts, part, ...)                                    \
	do {                                                          \
		const __typeof__(__VA_ARGS__) value_ = (__VA_ARGS__); \
		part_add(parts, part, &value_, sizeof(value_));       \
	} while (0)

/** Append @text to a table of strings. Returns: its place there. */
uint32_t part_add_string(struct standin_part *parts, enum standin_part_id part, const char *text);

/** Append an ELF note. */
void part_add_note(struct standin_part *parts, enum standin_part_id part, const char *owner,
		   uint32_t type, const char *bytes, size_t size);

/** The bytes so far. */
size_t part_size(const struct standin_part *parts, enum standin_part_id part);

/** Give each part its place: in the file the parts follow one another. */
void part_place(struct standin_part *parts);

/** Write the parts to @fd as a library for @machine (EM_...), with a build-id of all bytes. */
bool part_write(struct standin_part *parts, uint16_t machine, int fd, struct err *err);
