// SPDX-License-Identifier: Apache-2.0
// How differences are written for people. The texts live in @arena and are not yet made safe for
// where they are shown: they quote names of files and symbols.
#pragma once

#include "compare/compare.h"
#include "render/terminal.h"

/** "+1,234", "-12.5", "0". */
const char *diffwords_change(struct arena *arena, double change);

/** "-47.3%", "x 145"; "new", "gone" where one side has nothing; "-" for no change. */
const char *diffwords_percent(struct arena *arena, const struct compare_figure *figure);

/** "-1.2 ms". */
const char *diffwords_time(struct arena *arena, const struct terminal *terminal, double time_ns);

/** "-3.1 MiB". */
const char *diffwords_bytes(struct arena *arena, double bytes);

/** Did faults read anything from storage, by the medians, and is that known of every run? */
bool diffwords_has_reads(const struct comparison *comparison);

/** Return the name of the row in its table, with its object: ".data in libfoo.so". */
const char *diffwords_row(struct arena *arena, const struct comparison *comparison,
			  enum compare_table table, const struct compare_row *row);

/** "4 -> 9"; without a verdict nothing points from one side to the other: "4, then 9". */
const char *diffwords_both(struct arena *arena, const struct compare_figure *figure,
			   const char *before, const char *after);

/** The same of a figure that counts. */
const char *diffwords_counts(struct arena *arena, const struct compare_figure *figure);

/** "7.4 MiB -> 1.0 MiB", of the row's section or file; "" where neither is known to have changed.
 */
const char *diffwords_size(struct arena *arena, const struct comparison *comparison,
			   enum compare_table table, const struct compare_row *row);

/** "4,007 -> 2,113 faults (-1,894, -47.3%); major …": the totals. */
const char *diffwords_total(struct arena *arena, const struct terminal *terminal,
			    const struct comparison *comparison);

/** "libxul.so: LTO merged 103 initializers into 4 and saved 61 faults inside them". */
const char *diffwords_finding(struct arena *arena, const struct comparison *comparison,
			      const struct compare_finding *finding);

/** How many of its findings are shown where tables have @top rows; SIZE_MAX: all. */
size_t diffwords_findings(const struct comparison *comparison, size_t top);

/** Return the heading of the findings. */
const char *diffwords_findings_heading(const struct comparison *comparison);

/** Describe what can be known about noise, in a sentence. */
const char *diffwords_noise(struct arena *arena, const struct comparison *comparison);

/**
 * The number that matters in a row: major faults where the faults themselves do not differ, bytes
 * read where these do not either.
 */
const struct compare_figure *diffwords_figure(const struct compare_row *row);

/** Do faults, major faults or bytes read differ, be it by noise? */
bool diffwords_differs(const struct compare_row *row);

/** Does a table list the row? It differs, and is real; or all that differ are wanted. */
bool diffwords_is_listed(const struct compare_row *row, bool full);

/** "62 rows are within noise; --full lists them"; NULL: @count is 0. */
const char *diffwords_unlisted(struct arena *arena, const struct comparison *comparison,
			       size_t count);

/** Return the sentence for a comparison in which no cause matters. */
const char *diffwords_no_cause(const struct comparison *comparison);

/** Does the row belong among the differences? Not where noise alone made it. */
bool diffwords_matters(const struct compare_row *row);
