// SPDX-License-Identifier: Apache-2.0
// Writing very many rows: names escaped once, numbers without printf, output in large pieces.
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** Escaped text; its length is known, for it is copied a million times. */
struct emit_piece {
	const char *text;
	size_t length;
};

/** The names of a model, each as its format writes it; indexed as the model's own arrays. */
struct emit_names {
	struct arena arena;
	struct emit_piece none; // stands for a name that is not there
	const struct emit_piece *objects;
	const struct emit_piece *build_ids; // of objects
	const struct emit_piece *sections;
	const struct emit_piece *symbols;
	const struct emit_piece *functions;
	const struct emit_piece *function_sections;
	const struct emit_piece *comms;
	const struct emit_piece *sources; // of codes
	const struct emit_piece *instructions;
	const struct emit_piece *inlined_functions;
	const struct emit_piece *inlined_sources;
	const struct emit_piece *initializers; // their functions
	const struct emit_piece *initializer_arrays;
	const struct emit_piece *calls; // of operations
};

/**
 * Escape every name of @model with @escape; @none is written where a name is NULL or an index
 * MODEL_NONE. Release with emit_names_deinit().
 */
void emit_names_init(struct emit_names *names, const struct model *model,
		     void (*escape)(struct strbuf *buf, const char *text), const char *none);
void emit_names_deinit(struct emit_names *names);

/** The piece at @index of @pieces, or the one for "none". */
static inline const struct emit_piece *emit_name(const struct emit_names *names,
						 const struct emit_piece *pieces, uint32_t index)
{
	return index == MODEL_NONE ? &names->none : &pieces[index];
}

/** Append @length bytes, without a call where there is room. */
static inline void emit_bytes(struct strbuf *buf, const char *bytes, size_t length)
{
	if (length >= buf->capacity - buf->length) {
		strbuf_add(buf, bytes, length);
		return;
	}
	memcpy(buf->text + buf->length, bytes, length);
	buf->length += length;
	buf->text[buf->length] = '\0';
}

/** Append a string literal. */
#define emit_literal(buf, literal) emit_bytes((buf), "" literal, sizeof(literal) - 1)

static inline void emit_piece(struct strbuf *buf, const struct emit_piece *piece)
{
	emit_bytes(buf, piece->text, piece->length);
}

/** Append @number in decimal. */
void emit_number(struct strbuf *buf, uint64_t number);

/** Append @addr as 0x and hexadecimal digits, without leading zeros. */
void emit_addr(struct strbuf *buf, uint64_t addr);

/** Append how an answer in JSON begins that has few facts of its trace: up to and with the filter.
 */
void emit_answer_head(struct strbuf *buf, const struct model *model, const char *schema);

/** Write out and empty @buf when it holds at least @limit bytes. False (errno set) if @out failed.
 */
bool emit_drain(struct strbuf *buf, size_t limit, FILE *out);
