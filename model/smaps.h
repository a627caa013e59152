// SPDX-License-Identifier: Apache-2.0
// The answer of `elfault smaps`: memory of processes by file and section. Plain data that renderers
// read; it owns all its strings.
#pragma once

#include "base/arena.h"
#include "base/notes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The kernel's figures of memory, and at the end those that follow from them. Order of columns. */
enum smaps_key {
	SMAPS_SIZE,
	SMAPS_RSS,
	SMAPS_PSS,
	SMAPS_PRIVATE_CLEAN,
	SMAPS_PRIVATE_DIRTY,
	SMAPS_SHARED_CLEAN,
	SMAPS_SHARED_DIRTY,
	SMAPS_ANONYMOUS,
	SMAPS_SWAP,
	SMAPS_SWAP_PSS,
	SMAPS_HUGE,    // pages of the page tables' upper levels, also hugetlbfs
	SMAPS_PRIVATE, // the last four are sums of two: see smaps_amounts_derive()
	SMAPS_SHARED,
	SMAPS_CLEAN,
	SMAPS_DIRTY,
	SMAPS_KEYS,
};

/** The word of a key: "pss", "private_dirty"; as smaps has it, in small letters. */
const char *smaps_key_word(enum smaps_key key);

/** The key of @word, in letters of any size; also "uss" for private. False if there is none. */
bool smaps_key_parse(const char *word, enum smaps_key *ret_key);

/** Bytes by key. */
struct smaps_amounts {
	uint64_t bytes[SMAPS_KEYS];
	uint32_t unknown; // bit 1 << key: bytes[key] is less than all
};

/** Bytes of @key; false where they are not known. */
bool smaps_amount(const struct smaps_amounts *amounts, enum smaps_key key, uint64_t *ret_bytes);

/** Compute private, shared, clean and dirty. */
void smaps_amounts_derive(struct smaps_amounts *amounts);

/** Add @from to @to. Returns false on overflow. */
bool smaps_amounts_add(struct smaps_amounts *to, const struct smaps_amounts *from);

/** How it is known which part of a mapping a section has. */
enum smaps_grain {
	SMAPS_GRAIN_PAGE,    // by the page table: /proc/PID/pagemap
	SMAPS_GRAIN_MAPPING, // mappings hold nothing else
	SMAPS_GRAIN_SEGMENT, // not at all: the row is what mappings hold together
};

const char *smaps_grain_word(enum smaps_grain grain);

/** A section of a file, or several that cannot be told apart. */
struct smaps_section {
	const char *name; // ".text"; of several ".init to .fini"; "[padding]", "[file]", "[heap]"
	enum smaps_grain grain;
	struct smaps_amounts amounts;
};

/** A file, or "[heap]", "[stack]", "[anon]" ... */
struct smaps_object {
	const char *path;
	size_t mapping_count;
	struct smaps_amounts amounts;
	struct smaps_section *sections; // by the key, then by name
	size_t section_count;
};

struct smaps_process {
	uint32_t pid;	  // 0: unknown
	const char *name; // of its program
	size_t mapping_count;
	struct smaps_amounts amounts;
};

struct smaps_model {
	struct arena arena;
	const char *source; // what was asked for: a PID, a name, a file
	struct smaps_process *processes;
	size_t process_count;
	struct smaps_object *objects; // by the key, then by path
	size_t object_count;
	size_t mapping_count;
	struct smaps_amounts amounts; // of all
	bool has_pages;		      // page tables were read
	struct notes notes;
};

/** Sort processes, objects and sections by @key, the largest first. */
void smaps_model_sort(struct smaps_model *model, enum smaps_key key);

/** Release @model, which may be NULL. */
void smaps_model_destroy(struct smaps_model *model);

/** One row of two models: NULL where only the other has it. */
struct smaps_pair {
	const char *object;
	const char *section; // NULL: the whole object
	const struct smaps_amounts *before, *after;
};

/** Two models compared; borrows from both. */
struct smaps_comparison {
	const struct smaps_model *before, *after;
	struct smaps_pair *objects; // what changed most by the key first, then by name
	size_t object_count;
	struct smaps_pair *sections; // likewise
	size_t section_count;
};

/** Pair objects by path, and their sections by name. To be released with smaps_compare_deinit(). */
void smaps_compare(const struct smaps_model *before, const struct smaps_model *after,
		   enum smaps_key key, struct smaps_comparison *ret_comparison);
void smaps_compare_deinit(struct smaps_comparison *comparison);

/** How much more @pair has afterwards; false where that is not known. */
bool smaps_pair_change(const struct smaps_pair *pair, enum smaps_key key, int64_t *ret_change);
