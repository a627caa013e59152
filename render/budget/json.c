// SPDX-License-Identifier: Apache-2.0
// A budget's verdict as one JSON document.
#include "render/budget/budget.h"

#include "base/cleanup.h"
#include "render/columns/head.h"
#include "render/columns/node.h"

#include <math.h>

/** A number that may be a half, or any share. */
static struct json_object *real(double number)
{
	if (number == floor(number) && fabs(number) < 1e15)
		return json_object_new_int64((int64_t)number);
	char text[32];

	snprintf(text, sizeof(text), "%.15g", number); // 40 + 5 % is 42, not a little more
	return json_object_new_double_s(number, text);
}

static void add_known(struct json_object *object, const char *key, bool is_known, double number)
{
	node_add(object, key, is_known ? real(number) : NULL);
}

static struct json_object *change_node(const struct budget_change *change)
{
	struct json_object *node = node_object(), *by = node_array();

	for (size_t i = 0; i < change->word_count; i++) {
		struct json_object *pair = node_object();

		node_add_text(pair, "word", change->words[i]);
		node_add_text(pair, "value", change->values[i]);
		node_append(by, pair);
	}
	node_add(node, "by", by);
	node_add(node, "value", real(change->value));
	// Unknown where the baseline leaves out rows as small as this one may have been.
	add_known(node, "before", change->has_before && change->at_most == 0, change->before);
	add_known(node, "before_at_most", change->has_before,
		  fmax(change->before, change->at_most));
	return node;
}

static struct json_object *verdict_node(const struct budget_verdict *verdict)
{
	const struct budget_measure *measure = verdict->measure;
	const struct budget_limit *limit = verdict->limit;
	struct json_object *node = node_object(), *runs = node_array(), *tables = node_array();
	bool is_known = !measure->failure;

	node_add_number(node, "line", limit->line);
	node_add_text(node, "limit", limit->subject);
	node_add_text(node, "metric", budget_metric_name(limit->metric));
	node_add_text(node, "bound", limit->bound);
	node_add_text(node, "state", budget_state_name(verdict->state));
	node_add_text(node, "reason", verdict->reason);
	add_known(node, "value", is_known, measure->value);
	add_known(node, "spread", is_known, measure->spread);
	for (size_t i = 0; i < measure->run_count; i++)
		node_append(runs, json_object_new_int64((int64_t)measure->runs[i]));
	node_add(node, "runs", runs);
	add_known(node, "baseline", verdict->has_baseline, verdict->baseline);
	add_known(node, "at_least", verdict->has_low, verdict->low);
	add_known(node, "at_most", verdict->has_high, verdict->high);
	add_known(node, "beyond", verdict->state == BUDGET_BROKEN, verdict->beyond);
	for (size_t table = 0; table < BUDGET_TABLES; table++) {
		struct json_object *rows = node_array();

		for (size_t i = 0; i < verdict->offender_count[table]; i++)
			node_append(rows, change_node(&verdict->offenders[table][i]));
		node_append(tables, rows);
	}
	node_add(node, "offenders", tables);
	node_add(node, "changes", node_texts(verdict->changes, verdict->change_count));
	return node;
}

static struct json_object *recorded_node(const struct budget_measures *measures)
{
	struct json_object *node = node_object();

	node_add_text(node, "command", measures->command);
	node_add_text(node, "program", measures->program);
	node_add_text(node, "backend", measures->backend);
	node_add_text(node, "kernel", measures->kernel);
	node_add_text(node, "machine", measures->machine);
	node_add_number(node, "page_size", measures->page_size);
	node_add_number(node, "runs", measures->run_count);
	node_add_bool(node, "complete", measures->complete);
	return node;
}

static struct json_object *warnings_node(const struct budget_answer *answer)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < answer->warning_count; i++) {
		struct json_object *node = node_object();

		node_add_known(node, "line", answer->warnings[i].line > 0,
			       answer->warnings[i].line);
		node_add_text(node, "text", answer->warnings[i].text);
		node_append(list, node);
	}
	return list;
}

bool render_budget_json(const struct budget_answer *answer,
			const struct render_budget_options *options, FILE *out)
{
	CLEANUP(node_putp) struct json_object *root = node_object();
	struct json_object *limits = node_array(), *counts = node_object();

	node_add_text(root, "schema", "elfault.check/1");
	node_add_text(root, "budget", answer->budget->path);
	node_add_text(root, "baseline", options->baseline);
	node_add(root, "recorded", recorded_node(answer->measures));
	for (int state = 0; state < BUDGET_STATES; state++)
		node_add_number(counts, budget_state_name((enum budget_state)state),
				answer->counts[state]);
	node_add(root, "counts", counts);
	for (size_t i = 0; i < answer->count; i++)
		node_append(limits, verdict_node(&answer->verdicts[i]));
	node_add(root, "limits", limits);
	node_add(root, "warnings", warnings_node(answer));
	node_add(root, "notes", headjson_notes(&answer->measures->notes));
	fputs(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN), out);
	fputc('\n', out);
	return fflush(out) == 0 && !ferror(out);
}
