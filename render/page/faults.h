// SPDX-License-Identifier: Apache-2.0
// Faults and their stacks as the columns of a report page: docs/inside/page-format.md.
#pragma once

#include "base/strbuf.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum column_encoding { COLUMN_PLAIN, COLUMN_DELTA, COLUMN_ZIGZAG, COLUMN_RECENT };

/** Values are kept as they were given, 32 bits each, and encoded when they are written. */
struct column {
	const char *name;
	unsigned width; // bytes of a stored number: 1, 2 or 4
	enum column_encoding encoding;
	VEC(uint32_t) values;
};

/** The words of the format: "plain" ..., "u8" .... */
const char *column_encoding_name(enum column_encoding encoding);
const char *column_type_name(const struct column *column);

static inline void column_push(struct column *column, uint32_t value)
{
	vec_push(&column->values, value);
}

/** Append the bytes. Numbers wider than the column are a mistake of the caller's; they are cut. */
void column_write(const struct column *column, struct strbuf *out);

/**
 * @ns in 16 bits, rounded to about 11 bits of precision: docs/inside/page-format.md, column
 * `duration`. Never UINT16_MAX, which stands for what is not known.
 */
uint32_t short_duration(uint64_t ns);

enum { DURATION_COARSE = 10 };			 // bits that longer ones lose
static const uint32_t DURATION_EXACT = 1u << 31; // ns; also the bit that says so

/**
 * @ns in 32 bits: exact below DURATION_EXACT, otherwise in units of 1,024 ns up to 36 minutes:
 * column `own`. Never UINT32_MAX, which stands for what is not known.
 */
uint32_t exact_duration(uint64_t ns);
uint64_t exact_duration_ns(uint32_t code);

void column_deinit(struct column *column);

/** Add @bytes as base64 (RFC 4648), without line breaks. */
void base64_add(struct strbuf *out, const uint8_t *bytes, size_t size);

enum {
	PAGEFAULTS_LINKS = 9, // columns that a comparison adds
	PAGEFAULTS_COLUMNS = 96,
	// More entries than this are no gain: a screen has fewer points, and a browser less
	// patience.
	PAGEFAULTS_MERGE_ABOVE = 2000000,
};

/** A thread under one name, within one program. */
struct pagefaults_thread {
	uint32_t pid, tid;
	uint32_t comm;	  // into model.comms, or MODEL_NONE
	uint32_t process; // into pagefaults.processes; MODEL_NONE: not known
};

/** The findings that speak of one fault: those of @parent, and @finding. */
struct pagefaults_set {
	uint32_t parent; // index + 1 of the set, 0: the empty one
	uint32_t finding;
};

/** All columns, with room for those of a comparison, and what the header says of them. */
struct pagefaults {
	struct column columns[PAGEFAULTS_COLUMNS];
	size_t column_count;
	uint64_t time_unit_ns;
	uint64_t total; // faults that the entries stand for
	size_t count;	// entries
	bool merged;
	bool is_side; // of a comparison
	// Names in the order of first use, as indexes into the model's.
	VEC(uint32_t) symbols;
	VEC(struct pagefaults_thread) threads;
	VEC(uint32_t) processes;       // into account.processes; busiest first
	VEC(const char *) io_sections; // of operations, in the order of first use; the model's
	VEC(struct pagefaults_set) finding_sets;
};

/**
 * Make the columns of @model. @merge_above: merge neighbours where there are more faults than that;
 * PAGEFAULTS_MERGE_ABOVE is the usual. @wheres: by finding the condition that leaves the faults it
 * speaks of, NULL: all. Release with pagefaults_deinit().
 */
void pagefaults_init(struct pagefaults *page, const struct model *model, size_t merge_above,
		     const char *const *wheres, size_t where_count);
void pagefaults_deinit(struct pagefaults *page);
