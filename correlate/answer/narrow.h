// SPDX-License-Identifier: Apache-2.0
// Objects that the OBJECT arguments mean.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"
#include "correlate/correlate.h"
#include "correlate/replay/objects.h"

/**
 * Mark in @is_shown (one bool for each object there is) those that the options name.
 *
 * A name with a slash is a file: it stands for the recorded object with its build-id, then for the
 * one with its path or file name, which must not have another build-id unless options->force. Any
 * other name is a file name or soname.
 * @err: ERR_MISMATCH, ERR_INPUT, or why the file could not be opened.
 */
bool narrow(const struct correlate_options *options, struct objects *objects, bool *is_shown,
	    struct err *err);

/** Append the OBJECT arguments as a condition of --where, nothing if there are none. */
void narrow_describe(const struct correlate_options *options, struct strbuf *ret_text);
