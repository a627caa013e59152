// SPDX-License-Identifier: Apache-2.0
// The reason for a difference that plain starts have shown, from recordings of both commands.
#include "compare/bench.h"

#include "base/order.h"
#include "compare/compare.h"
#include "model/account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Below this share of the difference nothing is called its reason. */
static const double least_share = 0.2;

/** A difference to explain. */
struct question {
	const struct comparison *comparison;
	double sign;	 // of a difference that goes the same way
	double least_ns; // that is worth telling
};

/** Do the recordings show the difference, and does it go the same way? */
static bool agrees(const struct question *question, const struct compare_figure *figure)
{
	return figure->verdict == COMPARE_REAL && figure->difference * question->sign > 0;
}

static bool is_large(const struct question *question, const struct compare_figure *figure)
{
	return agrees(question, figure) && fabs(figure->difference) >= question->least_ns;
}

/** Work of threads: of an initiator, in a state. */
static bool is_work(const struct compare_time *row)
{
	return row->initiator != MODEL_NONE && row->state < MODEL_STATES &&
	       model_state_is_used((enum model_state)row->state) && row->state != MODEL_STATE_WAIT;
}

/** Waits for anything but storage, which belong to nobody's code. */
static bool is_wait(const struct compare_time *row)
{
	return row->initiator == MODEL_NONE && row->state == MODEL_STATE_WAIT;
}

/** The part of the time of the first thread, or of all, that differs most. */
static const struct compare_time *find_part(const struct question *question, bool is_main,
					    bool (*is_part)(const struct compare_time *))
{
	const struct comparison *comparison = question->comparison;
	const struct compare_time *found = NULL;

	array_foreach (row, comparison->times, comparison->time_count)
		if (row->is_main == is_main && is_part(row) && is_large(question, &row->figure) &&
		    (!found || fabs(row->figure.difference) > fabs(found->figure.difference)))
			found = row;
	return found;
}

/** Work of the command; or of others, which it waits for; or only that it waits. */
static const struct compare_time *find_time(const struct question *question)
{
	return find_part(question, true, is_work) ?: find_part(question, false, is_work)
						  ?: find_part(question, true, is_wait);
}

/** Are the faults of @finding by the initiator of @time? */
static bool is_about(const struct compare_finding *finding, const struct compare_time *time)
{
	static const char key[] = "initiator=";
	const char *word = finding->where ? strstr(finding->where, key) : NULL;

	if (!word || time->initiator == MODEL_NONE)
		return false;
	const char *name = model_initiator_name((enum model_initiator)time->initiator);

	// "initiator=symbol-lookup|lazy-binding,section=.got"
	for (word += sizeof(key) - 1; *word && *word != ','; word += *word == '|') {
		size_t length = strcspn(word, "|,");

		if (length == strlen(name) && strncmp(word, name, length) == 0)
			return true;
		word += length;
	}
	return false;
}

/**
 * The largest change of the builds or runs that goes with @time; with none, the largest that the
 * layouts show to be a cause, where the time of all faults differs by enough.
 */
static const struct compare_finding *find_finding(const struct question *question,
						  const struct compare_time *time)
{
	const struct comparison *comparison = question->comparison;
	bool has_faults = is_large(question, &comparison->total.figures[COMPARE_OWN]);

	array_foreach (finding, comparison->findings, comparison->finding_count)
		if (agrees(question, &finding->figure) &&
		    (time ? is_about(finding, time) : finding->is_cause && has_faults))
			return finding;
	return NULL;
}

static const char *label_of(const struct comparison *comparison, uint32_t object)
{
	return object == MODEL_NONE ? NULL : comparison->objects[object].label;
}

void bench_explain(struct bench *bench, const struct comparison *comparison)
{
	double plain_ns = bench_difference_ns(bench);
	const struct question question = {
		.comparison = comparison,
		.sign = plain_ns < 0 ? -1 : 1,
		.least_ns = least_share * fabs(plain_ns),
	};
	struct bench_reason *reason = &bench->reason;
	const struct compare_time *time = find_time(&question);
	const struct compare_finding *finding = find_finding(&question, time);

	if (time) {
		reason->has_time = true;
		reason->is_main = time->is_main;
		reason->state = time->state;
		reason->initiator = time->initiator;
		reason->before_ns = time->figure.median[COMPARE_BEFORE];
		reason->after_ns = time->figure.median[COMPARE_AFTER];
	}
	if (finding) {
		const char *object = label_of(comparison, finding->object);

		reason->finding = arena_strdup(&bench->arena, finding->id);
		reason->title =
			object ? arena_printf(&bench->arena, "%s: %s", object, finding->title)
			       : arena_strdup(&bench->arena, finding->title);
	}
	reason->is_found = time || finding;
}

ORDER_OF(compare_parts, bench_part, ORDER(y->ns, x->ns) ?: ORDER(x->initiator, y->initiator))

void bench_divide(struct bench *bench, const struct model_account *account)
{
	const struct model_times *by_initiator = model_account_judged(account);
	struct bench_part *parts = arena_array(&bench->arena, MODEL_INITIATORS + 1, sizeof(*parts));
	uint64_t wait_ns = 0;
	size_t count = 0;

	for (uint32_t i = 0; i < MODEL_INITIATORS; i++) {
		uint64_t own_ns =
			model_times_used(&by_initiator[i]) - by_initiator[i].ns[MODEL_STATE_WAIT];

		wait_ns += by_initiator[i].ns[MODEL_STATE_WAIT];
		if (own_ns > 0)
			parts[count++] = (struct bench_part){ i, own_ns };
	}
	if (wait_ns > 0)
		parts[count++] = (struct bench_part){ MODEL_NONE, wait_ns };
	qsort(parts, count, sizeof(*parts), compare_parts);
	bench->parts = parts;
	bench->part_count = count;
}
