// SPDX-License-Identifier: Apache-2.0
// Measures held against limits.
#include "budget/budget.h"

#include "base/order.h"
#include "base/shownwords.h"
#include "base/strbuf.h"
#include "budget/parts.h"

#include <math.h>
#include <string.h>

static double amount_of(const struct budget_amount *amount, double whole)
{
	return amount->is_percent ? fabs(whole) * amount->number / 100 : amount->number;
}

/** Set the bounds of the value. */
static void set_bounds(struct budget_verdict *verdict)
{
	const struct budget_limit *limit = verdict->limit;
	double base = limit->is_of_baseline ? verdict->baseline : limit->value;
	double target = base + amount_of(&limit->offset, base);
	double tolerance = amount_of(&limit->tolerance, target);

	verdict->has_high =
		limit->comparator != BUDGET_AT_LEAST && limit->comparator != BUDGET_MORE;
	verdict->has_low = limit->comparator != BUDGET_AT_MOST && limit->comparator != BUDGET_LESS;
	verdict->high = verdict->has_high ? target + tolerance : 0;
	verdict->low = verdict->has_low ? target - tolerance : 0;
}

/** How far @value is outside: above 0 too high, below 0 too low; 0: it is within. */
static double outside(const struct budget_verdict *verdict, double value)
{
	enum budget_comparator comparator = verdict->limit->comparator;
	// 40 + 5 % is 42 and a little, as doubles have it.
	double slack = 1e-9 * fmax(1, fmax(fabs(verdict->high), fabs(verdict->low)));
	double above = value - verdict->high, below = verdict->low - value;

	if (verdict->has_high && (comparator == BUDGET_LESS ? above >= -slack : above > slack))
		return fmax(above, slack);
	if (verdict->has_low && (comparator == BUDGET_MORE ? below >= -slack : below > slack))
		return -fmax(below, slack);
	return 0;
}

/** Nothing can be said of the limit: why not. */
static const char *unmeasured(const struct budget_answer *answer, struct budget_verdict *verdict)
{
	const struct budget_limit *limit = verdict->limit;
	const struct budget_measure *before =
		answer->baseline ? budget_measure_of(answer->baseline, limit->subject) : NULL;

	verdict->has_baseline = before && !before->failure;
	if (verdict->has_baseline)
		verdict->baseline = before->value;
	if (verdict->measure->failure)
		return verdict->measure->failure;
	if (limit->is_of_baseline && !verdict->has_baseline)
		return "the baseline has no value for it; elfault check --update adds one";
	return NULL;
}

/** Explain why a verdict is not sure: lost faults may turn it; NULL: it is sure. */
static const char *unsure(struct budget_answer *answer, const struct budget_verdict *verdict)
{
	const struct budget_measure *measure = verdict->measure;
	bool is_of_files = budget_metric_is_of_files(measure->metric);
	bool is_time = budget_metric_unit(measure->metric) == BUDGET_TIME;
	double lost = is_of_files ? 0 : measure->lost, is = outside(verdict, measure->value);

	// More can only be seen of what is lost: what is too much already stays so.
	if (is > 0)
		return NULL;
	bool may_rise = is < 0 || verdict->has_high;
	if (answer->measures->truncated && may_rise)
		return "a trace is incomplete, so the value may be higher";
	if (lost == 0 || !may_rise)
		return NULL;
	if (!is_time && (is == 0) == (outside(verdict, measure->value + lost) == 0))
		return NULL;
	return arena_printf(
		&answer->arena,
		"%.0f events are missing from the recording, so the value may be higher", lost);
}

static void judge_limit(struct budget_answer *answer, struct budget_verdict *verdict)
{
	verdict->reason = unmeasured(answer, verdict);
	if (verdict->reason) {
		verdict->state = BUDGET_UNMEASURED;
		return;
	}
	set_bounds(verdict);
	double beyond = outside(verdict, verdict->measure->value);
	verdict->reason = unsure(answer, verdict);
	verdict->state = verdict->reason ? BUDGET_UNSURE
			 : beyond != 0	 ? BUDGET_BROKEN
					 : BUDGET_KEPT;
	if (verdict->state != BUDGET_BROKEN)
		return;
	verdict->beyond = fabs(beyond) < 1e-6 ? 0 : fabs(beyond); // on a bound that is not of it
	offenders_find(answer, verdict, beyond > 0);
}

ORDER_OF(compare_warnings, budget_warning, ORDER(x->line, y->line) ?: strcmp(x->text, y->text))

/** Whether two command lines are equal, as far as both show their words. */
static bool are_alike(struct arena *arena, const char *a, const char *b)
{
	if (strcmp(a, b) == 0)
		return true;
	return (strstr(a, SHOWNWORDS_HIDDEN) || strstr(b, SHOWNWORDS_HIDDEN)) &&
	       strcmp(shownwords_of_line(arena, a), shownwords_of_line(arena, b)) == 0;
}

static void warn(struct budget_answer *answer)
{
	const struct budget_measures *is = answer->measures, *was = answer->baseline;
	struct arena *arena = &answer->arena;
	VEC(struct budget_warning) list = { 0 };

	for (size_t i = 0; i < is->warnings.count; i++)
		vec_push(&list, is->warnings.items[i]);
	if (was && strcmp(is->backend, was->backend) != 0)
		vec_push(&list, (struct budget_warning){
					0, arena_printf(arena,
							"the traces were recorded by the %s "
							"backend, the baseline by %s: they do not "
							"record the same faults",
							is->backend, was->backend) });
	if (was && !are_alike(arena, is->command, was->command))
		vec_push(&list, (struct budget_warning){
					0, arena_printf(arena,
							"the traces are of `%s`, the baseline is "
							"of `%s`",
							is->command, was->command) });
	if (was && (strcmp(is->machine, was->machine) != 0 || is->page_size != was->page_size))
		vec_push(&list,
			 (struct budget_warning){
				 0,
				 arena_printf(arena,
					      "the traces are of %s with pages of %llu "
					      "bytes, the baseline of %s with %llu",
					      is->machine, (unsigned long long)is->page_size,
					      was->machine, (unsigned long long)was->page_size) });
	vec_sort(&list, compare_warnings);
	answer->warnings = vec_keep_counted(&list, arena, &answer->warning_count);
}

struct budget_answer *budget_judge(const struct budget *budget,
				   const struct budget_measures *measures,
				   const struct budget_measures *baseline)
{
	struct budget_answer *answer = xcalloc(1, sizeof(*answer));
	struct budget_verdict *verdicts =
		arena_array(&answer->arena, budget->limits.count + 1, sizeof(*verdicts));

	answer->budget = budget;
	answer->measures = measures;
	answer->baseline = baseline;
	for (size_t i = 0; i < budget->limits.count; i++) {
		const struct budget_limit *limit = &budget->limits.items[i];

		verdicts[i].limit = limit;
		verdicts[i].measure = budget_measure_of(measures, limit->subject);
		judge_limit(answer, &verdicts[i]);
		answer->counts[verdicts[i].state]++;
	}
	answer->verdicts = verdicts;
	answer->count = budget->limits.count;
	warn(answer);
	return answer;
}

void budget_answer_close(struct budget_answer *answer)
{
	if (!answer)
		return;
	arena_deinit(&answer->arena);
	free(answer);
}
