// SPDX-License-Identifier: Apache-2.0
// Makes prefetch lists of models: which ranges a start needs, in the order of first use.
#pragma once

#include "base/arena.h"
#include "base/notes.h"
#include "model/model.h"
#include "prefetch/list.h"

#include <stdint.h>
#include <stdio.h>

enum { PREFETCH_RANGE_MAX = 128 << 10 };

/** A list in the making. */
struct prefetch_maker;

/** @keeps_all: keep files as they were recorded, though they are not here, or not the same. */
struct prefetch_maker *prefetch_maker_create(bool keeps_all);
void prefetch_maker_destroy(struct prefetch_maker *maker);
CLEANUP_POINTER(prefetch_maker_destroy, struct prefetch_maker)

/**
 * Add what the run of @model used: its model_file_uses have to be there. Starts are laid over each
 * other: what is used halfway through one comes before what is used at the end of another. Of a
 * page that several use the first use counts. The model is not kept.
 *
 * Unless keeps_all, files are looked at: those that have changed since, that a run itself writes or
 * that live in memory are left out.
 */
void prefetch_maker_add(struct prefetch_maker *maker, const struct model *model);

/** Of the models that are added next only the files of @paths count; NULL: all. Borrowed. */
void prefetch_maker_limit(struct prefetch_maker *maker, const char *const *paths, size_t count);

/**
 * Add files that a run opened to read, of which nothing else is known: their beginnings, behind all
 * else. Those of which a model has told more stay as they are.
 */
void prefetch_maker_add_opened(struct prefetch_maker *maker, const char *const *paths,
			       size_t count);

/** Return the path of the largest file so far if the gap is not known yet; NULL: there is none. */
const char *prefetch_maker_largest(const struct prefetch_maker *maker);

/**
 * The list, in @arena, and what is noteworthy of it. @gap: so many bytes between two ranges of a
 * file are read with them
 */
struct prefetch_list prefetch_maker_finish(struct prefetch_maker *maker, uint64_t gap,
					   struct arena *arena, struct notes *notes);

/** The bytes of all its ranges. */
uint64_t prefetch_bytes(const struct prefetch_list *list);

/**
 * Write @list as text, behind comments with each of @comments, lines without their end. Paths below
 * @home, which may be NULL, begin with "~" in its place: prefetch_list_expand() puts the reader's
 * there. Returns false (errno set) if @out failed.
 */
bool prefetch_write(const struct prefetch_list *list, const char *const *comments,
		    size_t comment_count, const char *home, FILE *out);
