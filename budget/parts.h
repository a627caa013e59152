// SPDX-License-Identifier: Apache-2.0
// The parts of meter.c and judge.c: rows of a metric gathered over runs, metrics of amounts and
// of files, names that no trace has, top contributors.
#pragma once

#include "base/arena.h"
#include "base/vec.h"
#include "budget/budget.h"
#include "model/account.h"
#include "model/filter.h"

/** One run's part of one row; a row may have several. */
struct part {
	const char *values[BUDGET_WORDS_MAX];
	uint32_t run;
	uint64_t value;
};

/** Zero-initialise; whoever adds the first part sets the fields. */
struct parts {
	const char *words[BUDGET_WORDS_MAX];
	size_t word_count;
	VEC(struct part) list;
};

/** Two rows' values in the order that rows of the same number have; NULL last. */
int parts_compare_values(const char *const *a, const char *const *b);

/** The rows: medians over @run_count runs, at most @limit of them. Empties @parts. */
struct budget_table parts_table(struct parts *parts, size_t run_count, size_t limit,
				struct arena *arena);

void parts_deinit(struct parts *parts);

/**
 * Measure @limit, whose metric is an amount, in @model; its rows are added to @parts, as of run
 * number @run. Names are owned by the model, or live in @arena.
 *
 * *@ret_lost is set to the number of records that are missing and may belong to it, *@ret_failure
 * to the reason where the trace cannot tell the value at all.
 */
uint64_t amounts_measure(const struct model *model, const struct budget_limit *limit,
			 struct filter_strangers *strangers, struct parts *parts, uint32_t run,
			 struct arena *arena, uint64_t *ret_lost, const char **ret_failure);

/**
 * Return the wall time of the account's subject, or of the command, without what recording added;
 * what it has in @states is added to @parts, as of run number @run.
 */
uint64_t amounts_wall(const struct model_account *account, bool is_of_subject, unsigned states,
		      struct parts *parts, uint32_t run);

/** A file's name that is the same in every build and place: its soname, else its file name. */
const char *files_name(const struct model_object *object);

/**
 * Add up @metric over the files of @model that @filter, which may be NULL, chooses; add what run
 * number @run has of it to @parts. Names are owned by the model.
 *
 * *@ret_failure is set to the path of a file that is chosen and could not be read.
 */
uint64_t files_measure(const struct model *model, enum budget_metric metric,
		       const struct filter *filter, struct filter_strangers *strangers,
		       struct parts *parts, uint32_t run, const char **ret_failure);

/** The files of @model as a baseline stores them, in @arena, sorted by name. */
const struct budget_object *files_list(const struct model *model, struct arena *arena,
				       size_t *ret_count);

struct stranger {
	struct filter_stranger name;
	const char *near; // what may be meant, NULL: nothing is near
};

/** Zero-initialise; those of one filter over several runs. */
struct strangers {
	VEC(struct stranger) list;
	bool is_started; // a run was added
};

/** Keep only strangers of earlier runs that are strangers in this run too. Empties @found. */
void strangers_add(struct strangers *strangers, struct filter_strangers *found,
		   const struct model *model, struct arena *arena);

/** Fill in the top contributors and changes of @verdict, whose value is out of bounds. */
void offenders_find(struct budget_answer *answer, struct budget_verdict *verdict, bool is_too_high);
