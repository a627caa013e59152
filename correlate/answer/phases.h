// SPDX-License-Identifier: Apache-2.0
// Phases of an answer behind the replay. correlate.c has their order.
#pragma once

#include "correlate/correlate.h"
#include "correlate/replay/instruction.h"
#include "correlate/replay/objects.h"
#include "correlate/replay/process.h"
#include "correlate/replay/rows.h"
#include "depot/pack.h"
#include "model/model.h"

/**
 * Fill model.codes, model.inlined and .by_code of every fault; with @frames .code of the
 * frames of their stacks and of those of model.moments, too, without instructions. Each distinct
 * instruction is looked at once, and no DWARF is opened of files whose code is not among them.
 */
void codes_fill(const struct rows *rows, struct shown_faults *faults,
		struct instructions *instructions, bool frames);

/**
 * Fill model.listings with the functions that took @faults and those of model.moments that are not
 * left out, dearest first, at most @most. @is_whole: all lines and instructions, else those that
 * cost something and a few beside them. Only these are looked up in DWARF. Source files are read
 * if their names are those of source files.
 */
void listings_fill(const struct rows *rows, const struct shown_faults *faults,
		   struct instructions *instructions, size_t most, bool is_whole);

/** Fill model.marks. */
void marks_fill(struct model *model, const struct trace *trace);

struct gaps {
	bool is_hidden;
	__typeof__(((struct rows *)NULL)->stacks) stacks;
	uint32_t *of_faults, *of_moments; // their stacks
};

/** Take all stacks from @rows, @faults and @moments, as if there were none. */
void gaps_hide(struct gaps *gaps, struct rows *rows, struct all_faults *faults,
	       struct all_moments *moments);

/** Give them back, if they were taken. */
void gaps_show(struct gaps *gaps, struct rows *rows, struct all_faults *faults,
	       struct all_moments *moments);

/** Fill in what @trace says of the run and of faults that are missing; of a window only what is
 * known of it. The account of @model is known, if there is one. */
void counts_describe(struct model *model, const struct trace *trace,
		     const struct processes *processes);

/** Count @faults, with their initiators. @page_size: a power of two. */
void counts_fill(const struct rows *rows, const struct counted_faults *faults, uint64_t page_size);

/**
 * Fill the counts of every initializer of @rows, and of those that cannot be told, from @faults and
 * @runs as initiators_decide() leaves them. What code ran is learned from all, whatever the window.
 *
 * A page of code counts as seen to run when an ip or a frame of a stack lies on it; others may have
 * run as well, where nothing faulted. A page is one of an object, whatever process or address it
 * is mapped in; memory outside files is each process's own.
 * @page_size: a power of two. O(faults + frames of distinct stacks).
 */
void initcounts_fill(struct rows *rows, const struct all_faults *faults,
		     const struct init_runs *runs, uint64_t page_size);

/** Learn from @options of which part of @trace the answer is. @model: its marks are known. */
bool window_choose(const struct correlate_options *options, const struct trace *trace,
		   struct model *model, struct err *err);

/** Return those of @all in @window, which are borrowed. */
struct counted_faults window_faults(const struct model_window *window,
				    const struct all_faults *all);

/**
 * Add to @list what was read of the recorded files, once every question was asked, and what their
 * names need. Of files that are no ELF files their kind and beginning, and of the
 * archives that @model names that they are there. Files that are not here,
 * and those that changed, are counted.
 */
void packlist_fill(struct objects *objects, const struct model *model, struct pack_list *list);
