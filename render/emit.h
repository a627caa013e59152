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

/** The segment of what was touched, -1: none. */
static inline int32_t emit_segment(const struct model *model, const struct model_place *at)
{
	return at->section == MODEL_NONE ? -1 : model->sections[at->section].segment;
}

/** The kind of symbol that was touched, NULL: none. */
static inline const char *emit_symbol_kind(const struct model *model, const struct model_place *at)
{
	return at->name == MODEL_NONE ? NULL
				      : model_symbol_kind_name(model->symbols[at->name].kind);
}

/** Whether @function, which may be MODEL_NONE, is code with a name. */
static inline bool emit_has_name(const struct model *model, uint32_t function)
{
	return function != MODEL_NONE && model->functions[function].name;
}

/** Append a string literal. */
#define emit_literal(buf, literal) strbuf_add((buf), "" literal, sizeof(literal) - 1)

static inline void emit_piece(struct strbuf *buf, const struct emit_piece *piece)
{
	strbuf_add(buf, piece->text, piece->length);
}

/** Append @number in decimal. */
void emit_number(struct strbuf *buf, uint64_t number);

/** Append @addr as 0x and hexadecimal digits, without leading zeros. */
void emit_addr(struct strbuf *buf, uint64_t addr);

/** Write out and empty @buf when it holds at least @limit bytes. False (errno set) if @out failed.
 */
bool emit_drain(struct strbuf *buf, size_t limit, FILE *out);
