// SPDX-License-Identifier: Apache-2.0
// Objects that the OBJECT arguments mean: a view on what is attributed.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"
#include "correlate/correlate.h"
#include "correlate/replay/objects.h"
#include "correlate/replay/rows.h"

/** Zero-initialise. */
struct narrowing {
	VEC(uint32_t) files; // objects given by path
	bool *is_shown;	     // by object; NULL: everything is
	size_t count;	     // of is_shown
};

/**
 * Open the files that the OBJECT arguments have the paths of, before they are needed. Each stands
 * for the recorded object with its build-id, then for the one with its path or file name, which
 * must not have another build-id unless options->force.
 * @err: ERR_MISMATCH, ERR_INPUT, or why the file could not be opened.
 */
bool narrow_open(struct narrowing *narrowing, const struct correlate_options *options,
		 const struct trace *trace, struct objects *objects, struct err *err);

/**
 * Mark what is shown: these files, and what the other arguments name (model/naming.h).
 * @err: ERR_INPUT
 */
bool narrow_choose(struct narrowing *narrowing, const struct correlate_options *options,
		   struct objects *objects, struct err *err);

/** Drop the faults of other objects. */
void narrow_faults(const struct narrowing *narrowing, struct shown_faults *faults);

/** Append the OBJECT arguments as a condition of --where, nothing if there are none. */
void narrow_describe(const struct correlate_options *options, struct strbuf *ret_text);

void narrowing_deinit(struct narrowing *narrowing);
