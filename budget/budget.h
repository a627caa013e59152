// SPDX-License-Identifier: Apache-2.0
// Budgets: limits on what a program's start may cost, to check traces against. The only public
// header of budget/: plain data for renderers, which owns everything that it points to.
//
//   faults{object=libfoo.so, initiator=static-init} <= 40 ± 5 %     # one limit per line
//
// docs/budget.md describes the language.
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/filter.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Metrics that a limit measures. Metrics of files are counted in the files, those of amounts in the
 * account of time or in what storage delivered; the others in faults.
 */
enum budget_metric {
	BUDGET_FAULTS,
	BUDGET_MAJOR,
	BUDGET_MINOR,
	BUDGET_PAGES,	 // distinct pages that faulted
	BUDGET_DURATION, // spent in faults, ns
	BUDGET_READ,	 // bytes that faults brought into the page cache
	BUDGET_RELOCATIONS,
	BUDGET_INITIALIZERS,
	BUDGET_SIZE,	   // of files, or of their sections, bytes
	BUDGET_WALL,	   // of the command's first thread, ns
	BUDGET_SPENT,	   // time of all threads, by state and initiator, ns
	BUDGET_READ_BYTES, // that storage delivered for the command, whatever asked for them
	BUDGET_UNTIL,	   // from the command's exec to a mark, ns
	BUDGET_METRICS,
};

/** The unit of a metric. */
enum budget_unit { BUDGET_COUNT, BUDGET_TIME, BUDGET_BYTES };

/** "faults", "major" … as budgets write them. */
const char *budget_metric_name(enum budget_metric metric);
enum budget_unit budget_metric_unit(enum budget_metric metric);
bool budget_metric_is_of_files(enum budget_metric metric);
bool budget_metric_is_of_amounts(enum budget_metric metric);

enum budget_comparator {
	BUDGET_AT_MOST,
	BUDGET_LESS,
	BUDGET_AT_LEAST,
	BUDGET_MORE,
	BUDGET_EQUAL,
	BUDGET_OPERATORS,
};

/** An absolute number, or a share of another. */
struct budget_amount {
	double number; // ns and bytes where the metric has them; of a share, percent
	bool is_percent;
};

struct budget_limit {
	unsigned line; // where it stands
	enum budget_metric metric;
	struct filter *filter; // NULL: no conditions; owned by the budget
	const char *mark;      // of BUDGET_UNTIL; NULL: the one that ends the recording
	unsigned states;       // of BUDGET_SPENT: a bit for each enum model_state that counts
	const char *subject;   // "faults{object=libfoo.so,initiator=static-init}"
	const char *bound;     // "<= 40 ± 5 %", as written
	enum budget_comparator comparator;
	bool is_of_baseline;
	unsigned baseline_column;	// where the word stands
	double value;			// where it is not of the baseline
	struct budget_amount offset;	// added to it
	struct budget_amount tolerance; // by which it may be missed
};

struct budget {
	struct arena arena;
	const char *path;
	VEC(struct budget_limit) limits; // in the order of the file
	bool needs_baseline;
};

/**
 * Read the budget at @path.
 *
 * @err: ERR_OS, or ERR_INPUT with file:line:column and what was probably meant.
 * Returns: true and *@ret_budget, to be released with budget_close().
 */
bool budget_read(const char *path, struct budget **ret_budget, struct err *err);

/** The same from @length bytes at @text; @path is for messages. */
bool budget_parse(const char *path, const char *text, size_t length, struct budget **ret_budget,
		  struct err *err);

/** Release @budget, which may be NULL. */
void budget_close(struct budget *budget);

CLEANUP_POINTER(budget_close, struct budget)

// ---- What was measured ----------------------------------------------------------------------

enum { BUDGET_WORDS_MAX = 3 };

/** A part of what a limit counts. */
struct budget_row {
	const char *values[BUDGET_WORDS_MAX]; // of the table's words; NULL: none
	double value;			      // median of the runs
};

/** A limit's value broken down. */
struct budget_table {
	const char *words[BUDGET_WORDS_MAX]; // "initiator", "object" …
	size_t word_count;
	const struct budget_row *rows; // largest first, then by the values
	size_t row_count;
	double least; // of rows left out, the largest value; 0: all rows are there
};

enum { BUDGET_TABLES = 2 }; // by cause, by who did it

/** One subject's value. */
struct budget_measure {
	const char *subject;
	enum budget_metric metric;
	const char *failure;  // NULL: it was measured; else why it could not be
	const uint64_t *runs; // of a baseline: none
	size_t run_count;
	double value;  // their median
	double spread; // their interquartile range
	double lost;   // events that may belong to it and are not in the trace, at most
	struct budget_table tables[BUDGET_TABLES]; // those without rows have no words
};

struct budget_section {
	const char *name;
	uint64_t size;
};

/** The layout of a file of the process. */
struct budget_object {
	const char *name;     // soname, else file name
	const char *build_id; // NULL
	uint64_t size;
	uint64_t relocations;
	uint64_t table_bytes; // of its relocations
	uint64_t initializers;
	const struct budget_section *sections; // by name, each name once
	size_t section_count;
};

/** Values measured in traces, or stored in a baseline. */
struct budget_measures {
	struct arena arena;
	const char *command; // as far as it is shown, without home directories
	const char *program; // that limits on wall are of; NULL: there is none, or it has no name
	bool is_of_child;    // it is not the command's first program
	uint64_t arguments_hash; // as of model_trace; 0: of a baseline
	const char *backend, *kernel, *machine;
	uint64_t page_size;
	size_t run_count;
	bool complete;			   // every trace, and no fault is missing
	bool truncated;			   // a trace ends early
	const struct budget_measure *list; // in the order of the limits, each subject once
	size_t count;
	const struct budget_object *objects; // by name
	size_t object_count;
	struct notes notes;
	VEC(struct budget_warning {
		unsigned line; // of the budget
		const char *text;
	})
	warnings;
};

void budget_measures_close(struct budget_measures *measures);

CLEANUP_POINTER(budget_measures_close, struct budget_measures)

/** The measure of that subject, or NULL. */
const struct budget_measure *budget_measure_of(const struct budget_measures *measures,
					       const char *subject);

/** Models being measured, one at a time, so that only one is in memory. */
struct budget_meter;

/**
 * @budget is borrowed until budget_meter_finish().
 * @other_builds: the rows are for comparing with other builds: names that are addresses are one row
 */
struct budget_meter *budget_meter_create(const struct budget *budget, bool other_builds);
/** Time O(limits × faults + rows × log rows). @model is not kept. */
void budget_meter_add(struct budget_meter *meter, const struct model *model);
/** Once, and @meter is empty. */
struct budget_measures *budget_meter_finish(struct budget_meter *meter);
void budget_meter_destroy(struct budget_meter *meter);

CLEANUP_POINTER(budget_meter_destroy, struct budget_meter)

/**
 * Read what `elfault check --update` stored (docs/schema/baseline.schema.json).
 *
 * @err: ERR_OS (os_errno is ENOENT where there is no such file), or ERR_INPUT with the place.
 */
bool budget_baseline_read(const char *path, struct budget_measures **ret_baseline, struct err *err);
/** The same from @length bytes at @text; @path is for messages. */
bool budget_baseline_parse(const char *path, const char *text, size_t length,
			   struct budget_measures **ret_baseline, struct err *err);

// ---- The verdict ----------------------------------------------------------------------------

enum budget_state {
	BUDGET_KEPT,
	BUDGET_BROKEN,
	BUDGET_UNSURE,	   // kept only if nothing of what was lost belongs to it
	BUDGET_UNMEASURED, // the traces cannot tell, or the baseline does not have it
	BUDGET_STATES,
};

/** "kept", "broken", "unsure", "unmeasured". */
const char *budget_state_name(enum budget_state state);

/** A row and its value in the baseline. */
struct budget_change {
	const char *const *words; // of its table
	size_t word_count;
	const char *const *values;
	double value;
	bool has_before; // the baseline has this table
	double before;	 // 0: the row is new
	double at_most;	 // it is new, or had up to so many: the baseline leaves out small rows
};

struct budget_verdict {
	const struct budget_limit *limit;
	const struct budget_measure *measure;
	enum budget_state state;
	const char *reason; // of BUDGET_UNSURE and BUDGET_UNMEASURED
	bool has_baseline;
	double baseline;
	bool has_low, has_high;
	double low, high; // what the value may be, tolerance included
	double beyond;	  // of BUDGET_BROKEN: how far it is outside
	// Of BUDGET_BROKEN: by table, what contributes most; with a baseline, what grew most (for a
	// value that is too low, what shrank).
	const struct budget_change *offenders[BUDGET_TABLES];
	size_t offender_count[BUDGET_TABLES];
	const char *const *changes; // of BUDGET_BROKEN: sentences, what changed in its files
	size_t change_count;
};

struct budget_answer {
	struct arena arena;
	const struct budget *budget;
	const struct budget_measures *measures;
	const struct budget_measures *baseline; // NULL
	const struct budget_verdict *verdicts;	// by limit
	size_t count;
	size_t counts[BUDGET_STATES];
	const struct budget_warning *warnings; // by line; 0: of no line
	size_t warning_count;
};

/**
 * Hold @measures against @budget; all three are borrowed by the answer. @baseline: NULL, none.
 * To be released with budget_answer_close().
 */
struct budget_answer *budget_judge(const struct budget *budget,
				   const struct budget_measures *measures,
				   const struct budget_measures *baseline);

void budget_answer_close(struct budget_answer *answer);

CLEANUP_POINTER(budget_answer_close, struct budget_answer)
