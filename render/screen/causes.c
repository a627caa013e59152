// SPDX-License-Identifier: Apache-2.0
// The causes of the time on the screen: how much of each was computed, spent in faults, waited for.
#include "render/screen/screen.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "derive/hot.h"
#include "model/account.h"

#include <stdlib.h>
#include <string.h>

// A smaller part does not explain much.
enum { LEAST_PERCENT = 5 };

/** Time of the subject for one initiator; what is not shown by itself is added up. */
struct cause {
	const char *name;
	uint64_t computing, in_faults, disk, waiting; // ns
	uint64_t error_ns;			      // of computing
	const char *hint;
	size_t joined; // causes; 0: it is one
};

static uint64_t whole_of(const struct cause *cause)
{
	return cause->computing + cause->in_faults + cause->disk + cause->waiting;
}

ORDER_OF(compare, cause, ORDER(whole_of(y), whole_of(x)) ?: strcmp(x->name, y->name))

/** Time of the subject that is nobody's. */
struct nobodys {
	uint64_t unsampled_ns; // the kernel ran, which is not sampled
	uint64_t untouched_ns; // no sample fell into it
	uint64_t exit_ns;      // the kernel ended it
};

static struct nobodys nobodys_of(const struct model_account *account)
{
	struct nobodys nobodys = { 0 };

	array_foreach (spot, account->spots, account->spot_count) {
		if (spot->is_subject && spot->state == MODEL_STATE_CPU && spot->moments == 0 &&
		    spot->initiator == MODEL_INITIATOR_UNKNOWN)
			*(spot->is_exit	    ? &nobodys.exit_ns
			  : spot->is_kernel ? &nobodys.unsampled_ns
					    : &nobodys.untouched_ns) += spot->ns;
	}
	return nobodys;
}

/** The reason why most of @unknown_ns is nobody's; NULL: its code has no known caller. */
static const char *hint_of(struct text *text, const struct nobodys *nobodys, uint64_t unknown_ns)
{
	const struct {
		uint64_t ns;
		const char *text;
	} reasons[] = {
		{ nobodys->unsampled_ns, "in the kernel, which is not sampled" },
		{ nobodys->exit_ns, "at its exit" },
		{ nobodys->untouched_ns, "without a sample" },
	};
	size_t most = 0;

	for (size_t i = 1; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].ns > reasons[most].ns)
			most = i;
	if (reasons[most].ns < unknown_ns - unknown_ns / 2 || unknown_ns == 0)
		return NULL;
	return arena_printf(&text->arena, "%s %s",
			    table_time(&text->arena, text->terminal, reasons[most].ns),
			    reasons[most].text);
}

static struct cause cause_of(struct text *text, const struct model_account *account,
			     const struct nobodys *nobodys, enum model_initiator initiator)
{
	const uint64_t *ns = account->subject.by_initiator[initiator].ns;

	return (struct cause){
		.name = model_initiator_name(initiator),
		.computing = ns[MODEL_STATE_CPU],
		.in_faults = ns[MODEL_STATE_FAULT],
		.disk = ns[MODEL_STATE_FAULT_IO] + ns[MODEL_STATE_FILE_IO],
		.waiting = ns[MODEL_STATE_WAIT],
		.error_ns = account->subject.cpu_error_ns[initiator],
		.hint = initiator == MODEL_INITIATOR_UNKNOWN
				? hint_of(text, nobodys, ns[MODEL_STATE_CPU])
				: NULL,
	};
}

static void join(struct cause *others, const struct cause *cause)
{
	others->computing += cause->computing;
	others->in_faults += cause->in_faults;
	others->disk += cause->disk;
	others->waiting += cause->waiting;
	others->name = cause->name; // where it stays the only one
	others->joined++;
}

/** "9.4": milliseconds, with two decimals where @whole_ns is less than ten; "-": none. */
static const char *ms_text(struct text *text, uint64_t ns, uint64_t whole_ns)
{
	return ns > 0 ? arena_printf(&text->arena, "%.*f", whole_ns < 10000000 ? 2 : 1,
				     (double)ns / 1e6)
		      : "-";
}

/** "9.4 ± 1.7": with the error where samples divided the time. */
static const char *computing_text(struct text *text, const struct cause *cause, uint64_t whole_ns)
{
	const char *computing = ms_text(text, cause->computing, whole_ns);

	if (cause->computing == 0 || cause->error_ns == 0)
		return computing;
	return arena_printf(&text->arena, "%s %s %s", computing,
			    terminal_plus_minus(text->terminal),
			    ms_text(text, cause->error_ns, whole_ns));
}

static void print_cause(struct text *text, struct table *table, const struct cause *cause,
			const struct cause *any)
{
	const uint64_t whole_ns = whole_of(any);
	const char *name = cause->name;

	if (cause->joined > 1)
		name = arena_printf(&text->arena, "%zu others", cause->joined);
	else if (cause->hint)
		name = arena_printf(&text->arena, "%s: %s", name, cause->hint);
	table_begin_row(table);
	table_cell(table, "ms", TABLE_RIGHT, ms_text(text, whole_of(cause), whole_ns));
	table_cell(table, "computing", TABLE_RIGHT, computing_text(text, cause, whole_ns));
	if (any->in_faults > 0)
		table_cell(table, "in faults", TABLE_RIGHT,
			   ms_text(text, cause->in_faults, whole_ns));
	if (any->disk > 0)
		table_cell(table, "disk", TABLE_RIGHT, ms_text(text, cause->disk, whole_ns));
	if (any->waiting > 0)
		table_cell(table, "waiting", TABLE_RIGHT, ms_text(text, cause->waiting, whole_ns));
	table_cell(table, "cause", TABLE_LEFT, name);
	if (cause->joined > 0)
		table_dim(table);
}

void screen_causes(struct text *text)
{
	const struct model_account *account = text->model->account;
	const struct nobodys nobodys = nobodys_of(account);
	struct cause causes[MODEL_INITIATORS], sum = { 0 }, others = { 0 };
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		causes[i] = cause_of(text, account, &nobodys, i);
		join(&sum, &causes[i]);
	}
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		const bool is_told = causes[i].hint || causes[i].computing < whole_of(&causes[i]) ||
				     causes[i].error_ns <= causes[i].computing;

		if (whole_of(&causes[i]) == 0 ||
		    (is_told && whole_of(&causes[i]) * 100 >= whole_of(&sum) * LEAST_PERCENT))
			continue;
		join(&others, &causes[i]);
		causes[i] = (struct cause){ .name = causes[i].name };
	}
	qsort(causes, MODEL_INITIATORS, sizeof(*causes), compare);
	for (size_t i = 0; i < MODEL_INITIATORS && whole_of(&causes[i]) > 0; i++)
		print_cause(text, table, &causes[i], &sum);
	if (others.joined > 0)
		print_cause(text, table, &others, &sum);
	table_print(table, text->out);
}
