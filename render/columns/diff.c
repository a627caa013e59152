// SPDX-License-Identifier: Apache-2.0
// The document of `diff`; what it has of a file is in diffobject.c. Context is the comparison.
#include "render/columns/columns.h"

#include "base/cleanup.h"
#include "compare/compare.h"
#include "model/account.h"
#include "render/columns/node.h"

static struct json_object *runs_new(const struct compare_figure *figure,
				    const struct comparison *comparison, enum compare_side side)
{
	struct json_object *list = node_array();
	size_t first = side == COMPARE_BEFORE ? 0 : comparison->run_count[COMPARE_BEFORE];

	for (size_t i = first; i < first + comparison->run_count[side]; i++)
		node_append(list, json_object_new_uint64(figure->runs[i * figure->stride]));
	return list;
}

VALUE_IN(before_runs, runs_new(row, context, COMPARE_BEFORE))
VALUE_IN(after_runs, runs_new(row, context, COMPARE_AFTER))

static bool has_reads(const void *row, const void *comparison)
{
	return ((const struct comparison *)comparison)->has_reads;
}

/** The part of the account that has the first thread or all, and one initiator each or all. */
static struct json_object *times_list(const char *row, const struct comparison *comparison,
				      bool is_main, bool is_of_one)
{
	struct json_object *list = node_array();

	array_foreach (time, comparison->times, comparison->time_count)
		if (time->is_main == is_main && is_of_one == (time->initiator != MODEL_NONE) &&
		    time->state < MODEL_STATES)
			node_append(list, columns_new(row, time, comparison));
	return list;
}

VALUE_IN(main_states, times_list("diff_times", context, true, false))
VALUE_IN(main_parts, times_list("diff_times_by_initiator", context, true, true))
VALUE_IN(all_states, times_list("diff_times", context, false, false))
VALUE_IN(all_parts, times_list("diff_times_by_initiator", context, false, true))

/** The whole time, which is @state MODEL_NONE, or the own time. */
static const struct compare_figure *time_of(const struct comparison *comparison, bool is_main,
					    uint32_t state)
{
	array_foreach (time, comparison->times, comparison->time_count)
		if (time->is_main == is_main && time->state == state)
			return &time->figure;
	return NULL;
}

static const void *main_whole(const void *comparison, size_t index, const void *context)
{
	return time_of(comparison, true, MODEL_NONE);
}

static const void *main_own(const void *comparison, size_t index, const void *context)
{
	return time_of(comparison, true, COMPARE_TIME_OWN);
}

static const void *all_whole(const void *comparison, size_t index, const void *context)
{
	return time_of(comparison, false, MODEL_NONE);
}

static const void *all_bytes(const void *comparison, size_t index, const void *context)
{
	return &((const struct comparison *)comparison)->bytes->figure;
}

static const void *mark_figure(const void *row, size_t index, const void *context)
{
	const struct compare_mark *mark = row;

	return mark->is_compared ? &mark->figure : NULL;
}

static struct json_object *bytes_list(const char *row, const struct comparison *comparison,
				      enum compare_bytes_by by)
{
	struct json_object *list = node_array();

	array_foreach (bytes, comparison->bytes, comparison->bytes_count)
		if (bytes->by == by)
			node_append(list, columns_new(row, bytes, comparison));
	return list;
}

VALUE_IN(bytes_by_cause, bytes_list("diff_bytes_by_cause", context, COMPARE_BYTES_BY_CAUSE))
VALUE_IN(bytes_by_initiator,
	 bytes_list("diff_bytes_by_initiator", context, COMPARE_BYTES_BY_INITIATOR))
VALUE_IN(bytes_by_file, bytes_list("diff_bytes_by_file", context, COMPARE_BYTES_BY_FILE))
VALUE_IN(bytes_by_section, bytes_list("diff_bytes_by_section", context, COMPARE_BYTES_BY_SECTION))

/** The path of an object: after, where it is there. */
static struct json_object *path_new(const void *index, const void *context)
{
	const struct comparison *comparison = context;
	uint32_t object = *(const uint32_t *)index;

	if (object == MODEL_NONE)
		return NULL;
	const char *const *path = comparison->objects[object].path;
	return node_text(path[COMPARE_AFTER] ? path[COMPARE_AFTER] : path[COMPARE_BEFORE]);
}

VALUE_OF(bytes_object, compare_bytes,
	 row->object == MODEL_NONE ? node_text(row->path) : path_new(&row->object, context))

KNOWN_OF(has_object, compare_row, row->object != MODEL_NONE)

static struct json_object *explanation_new(const void *row, const void *comparison)
{
	const struct compare_row *cause = row;
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (cause->figures[COMPARE_FAULTS].difference == 0)
		return NULL;
	return node_text(compare_explain(comparison, cause, &arena));
}

// clang-format off
const struct row_column diff_columns[] = {
	ROW("diff_run", NULL),
	{ "path", "text", NULL, AT(compare_run, path) },
	{ "command", "text", NULL, AT(compare_run, command) },
	{ "subject", "text?", "whose time is compared; null: the command's own", AT(compare_run, judged) },
	{ "complete", "bool", NULL, AT(compare_run, complete) },
	{ "duration_ns", "number", NULL, AT(compare_run, duration_ns) },
	{ "has_reads", "bool", "what its faults read is known", AT(compare_run, has_reads) },
	{ "lost", "number", "faults whose events were lost in recording", AT(compare_run, lost) },
	{ "missing", "number", "faults that are not in the trace, for whatever reason",
	  AT(compare_run, missing) },
	{ "has_account", "bool", "where its time went is known", AT(compare_run, has_account) },
	{ "has_storage", "bool", "what storage delivered is known", AT(compare_run, has_storage) },

	ROW("diff_figure", "one number: medians over the runs of a side"),
	{ "before", "amount", NULL, AT(compare_figure, median[COMPARE_BEFORE]) },
	{ "after", "amount", NULL, AT(compare_figure, median[COMPARE_AFTER]) },
	{ "difference", "real", "after - before", AT(compare_figure, difference) },
	{ "verdict", "same|unknown|noise|real",
	  "same: every run of both sides gave the same; unknown: too few runs to tell; noise; "
	  "real", WORD_AT(compare_figure, verdict, compare_verdict_name) },
	{ "p", "probability", "Mann-Whitney's test, two-sided; 1 where nothing was tested",
	  AT(compare_figure, p) },
	{ "before_spread", "amount", "interquartile range",
	  AT(compare_figure, spread[COMPARE_BEFORE]) },
	{ "after_spread", "amount", NULL, AT(compare_figure, spread[COMPARE_AFTER]) },
	{ "before_runs", "[number 1..]", NULL, BY(before_runs) },
	{ "after_runs", "[number 1..]", NULL, BY(after_runs) },

	CLOSED_ROW("diff_times", NULL),
	{ "state", "state", NULL, WORD_AT(compare_time, state, model_state_name) },
	{ "time_ns", "diff_figure", NULL, ROW_AT(compare_time, figure) },

	CLOSED_ROW("diff_times_by_initiator", NULL),
	{ "initiator", "initiator", NULL, WORD_AT(compare_time, initiator, model_initiator_name) },
	{ "state", "state", NULL, WORD_AT(compare_time, state, model_state_name) },
	{ "time_ns", "diff_figure", NULL, ROW_AT(compare_time, figure) },
	{ "before_error", "amount", NULL, AT(compare_time, error_ns[COMPARE_BEFORE]) },
	{ "after_error", "amount", NULL, AT(compare_time, error_ns[COMPARE_AFTER]) },

	CLOSED_ROW("diff_account",
	    "where the time went, in nanoseconds, as in elfault analyze; null where a run does "
	    "not tell. Lists are without what took no time in any run"),
	{ "wall_ns", "diff_figure?", "of the first thread of each run's `subject`, or of the command; null: it was not seen",
	  ITEM(main_whole) },
	{ "own_ns", "diff_figure?",
	  "of it in cpu, fault, fault-io and file-io: what decides; null: none",
	  ITEM(main_own) },
	{ "main", "[diff_times]", "its states", BY(main_states) },
	{ "main_by_initiator", "[diff_times_by_initiator]", NULL, BY(main_parts) },
	{ "all_ns", "diff_figure?", "of all threads", ITEM(all_whole) },
	{ "all", "[diff_times]", NULL, BY(all_states) },
	{ "by_initiator", "[diff_times_by_initiator]", NULL, BY(all_parts) },

	CLOSED_ROW("diff_bytes_by_cause", NULL),
	{ "cause", "fault|readahead|read|exec|metadata", NULL, AT(compare_bytes, name) },
	{ "bytes", "diff_figure", NULL, ROW_AT(compare_bytes, figure) },

	CLOSED_ROW("diff_bytes_by_initiator", NULL),
	{ "initiator", "initiator", NULL, AT(compare_bytes, name) },
	{ "bytes", "diff_figure", NULL, ROW_AT(compare_bytes, figure) },

	CLOSED_ROW("diff_bytes_by_file", NULL),
	{ "object", "text?", "null: of no file, or of one whose path is unknown",
	  BY(bytes_object) },
	{ "bytes", "diff_figure", NULL, ROW_AT(compare_bytes, figure) },

	CLOSED_ROW("diff_bytes_by_section", NULL),
	{ "object", "text?", "null: of no file, or of one whose path is unknown",
	  BY(bytes_object) },
	{ "section", "text?", "null: the file has none", AT(compare_bytes, name) },
	{ "bytes", "diff_figure", NULL, ROW_AT(compare_bytes, figure) },

	CLOSED_ROW("diff_storage",
	    "bytes that storage delivered for the command, not for other processes; null where "
	    "a run does not tell. In each run the rows of a table add up to bytes"),
	{ "bytes", "diff_figure", NULL, ITEM(all_bytes) },
	{ "by_cause", "[diff_bytes_by_cause]", NULL, BY(bytes_by_cause) },
	{ "by_initiator", "[diff_bytes_by_initiator]", NULL, BY(bytes_by_initiator) },
	{ "by_file", "[diff_bytes_by_file]", NULL, BY(bytes_by_file) },
	{ "by_section", "[diff_bytes_by_section]", NULL, BY(bytes_by_section) },

	ROW("diff_mark", "a condition that recordings were asked to watch (docs/until.md)"),
	{ "name", "text", NULL, AT(compare_mark, name) },
	{ "since_ns", "diff_figure?",
	  "since the command's program began, or was attached to; null: it did not hold in every run",
	  ITEM(mark_figure) },
	{ "before_watched", "number", "runs that were asked to watch it",
	  AT(compare_mark, watched[COMPARE_BEFORE]) },
	{ "before_held", "number", "runs in which it held", AT(compare_mark, held[COMPARE_BEFORE]) },
	{ "after_watched", "number", NULL, AT(compare_mark, watched[COMPARE_AFTER]) },
	{ "after_held", "number", NULL, AT(compare_mark, held[COMPARE_AFTER]) },

	ROW("diff_finding", NULL),
	{ "id", "text", NULL, AT(compare_finding, id) },
	{ "title", "text", NULL, AT(compare_finding, title) },
	{ "object", "text?", "path of the file that it concerns; null: all",
	  BY_AT(compare_finding, object, path_new) },
	{ "where", "text?",
	  "a condition, as elfault analyze --where has it, that leaves these faults in either "
	  "trace; null: none tells them from others", AT(compare_finding, where) },
	{ "metric", "faults|major|pages|duration_ns|own_ns|read_bytes", NULL,
	  WORD_AT(compare_finding, figure.metric, compare_metric_name) },
	{ "before", "real", NULL, AT(compare_finding, figure.median[COMPARE_BEFORE]) },
	{ "after", "real", NULL, AT(compare_finding, figure.median[COMPARE_AFTER]) },
	{ "difference", "real", NULL, AT(compare_finding, figure.difference) },
	{ "verdict", "unknown|real", NULL,
	  WORD_AT(compare_finding, figure.verdict, compare_verdict_name) },
	{ "p", "real", NULL, AT(compare_finding, figure.p) },
	{ "is_cause", "bool",
	  "the layouts show that it makes the difference; false: it goes with it",
	  AT(compare_finding, is_cause) },
	{ "evidence", "text", NULL, AT(compare_finding, evidence) },
	{ "advice", "text?", "what to change; null: nothing became worse",
	  AT(compare_finding, advice) },

	ROW("diff_by_initiator", NULL),
	{ "initiator", "initiator", NULL, AT(compare_row, name) },
	{ "", "diff_figures" },

	ROW("diff_by_mechanism", NULL),
	{ "mechanism", "mechanism", NULL, AT(compare_row, name) },
	{ "", "diff_figures" },

	ROW("diff_by_object", NULL),
	{ "object", "text?", NULL, BY_AT(compare_row, object, path_new) },
	{ "object_id", "number?", "index into objects", AT_WHERE(compare_row, object, has_object) },
	{ "", "diff_figures" },

	ROW("diff_by_section", NULL),
	{ "object", "text?", NULL, BY_AT(compare_row, object, path_new) },
	{ "object_id", "number?", "index into objects", AT_WHERE(compare_row, object, has_object) },
	{ "section", "text?", NULL, AT(compare_row, name) },
	{ "", "diff_figures" },

	ROW("diff_by_function", NULL),
	{ "object", "text?", NULL, BY_AT(compare_row, object, path_new) },
	{ "object_id", "number?", "index into objects", AT_WHERE(compare_row, object, has_object) },
	{ "function", "text?", NULL, AT(compare_row, name) },
	{ "", "diff_figures" },

	ROW("diff_by_symbol", NULL),
	{ "object", "text?", NULL, BY_AT(compare_row, object, path_new) },
	{ "object_id", "number?", "index into objects", AT_WHERE(compare_row, object, has_object) },
	{ "symbol", "text?", NULL, AT(compare_row, name) },
	{ "", "diff_figures" },

	ROW("diff_by_initializer", NULL),
	{ "object", "text?", NULL, BY_AT(compare_row, object, path_new) },
	{ "object_id", "number?", "index into objects", AT_WHERE(compare_row, object, has_object) },
	{ "initializer", "text?", NULL, AT(compare_row, name) },
	{ "source", "text?", NULL, AT(compare_row, source) },
	{ "", "diff_figures" },

	ROW("diff_by_cause", NULL),
	{ "object", "text?", NULL, BY_AT(compare_row, object, path_new) },
	{ "object_id", "number?", "index into objects", AT_WHERE(compare_row, object, has_object) },
	{ "section", "text?", NULL, AT(compare_row, name) },
	{ "initiator", "initiator", NULL, WORD_AT(compare_row, initiator, model_initiator_name) },
	{ "explanation", "text?", "what changed in the layout that bears on it",
	  BY(explanation_new) },
	{ "", "diff_figures" },

	ROW("diff_run_note", NULL),
	{ "text", "text", NULL, AT(runnote, text) },
	{ "runs", "number>0", "how many of the side say it", AT(runnote, runs) },
	{ "least", "number>0", "how often one of them does", AT(runnote, least) },
	{ "most", "number>0", NULL, AT(runnote, most) },

	ROW("diff_run_notes", "what elfault analyze notes on the runs of each side"),
	{ "before", "[diff_run_note]", NULL,
	  LIST_AT(comparison, run_notes[COMPARE_BEFORE].list.items,
		  run_notes[COMPARE_BEFORE].list.count) },
	{ "after", "[diff_run_note]", NULL,
	  LIST_AT(comparison, run_notes[COMPARE_AFTER].list.items,
		  run_notes[COMPARE_AFTER].list.count) },

	DOCUMENT("diff", "elfault diff --format json",
		 "Two sides compared, each one trace or several. Every by_ list counts each "
		 "fault once, so that in each run its faults add up to the total's. Rows are "
		 "ordered by what is real, then by the size of the difference in faults, of "
		 "which a major one counts as 100, then name. Keys may be added."),
	{ "schema", "elfault.diff/1" },
	{ "before", "[diff_run 1..]", "the traces of this side" },
	{ "after", "[diff_run 1..]" },
	{ "can_tell", "bool", "there are runs enough to tell a difference from noise" },
	{ "total", "diff_figures" },
	{ "account", "diff_account?",
	  "where the time went, in nanoseconds, as in elfault analyze; null where a run does "
	  "not tell. Lists are without what took no time in any run" },
	{ "marks", "[diff_mark]", "those of the first run as they held, then others" },
	{ "storage", "diff_storage?",
	  "bytes that storage delivered for the command, not for other processes; null where a "
	  "run does not tell. In each run the rows of a table add up to bytes" },
	{ "findings", "[diff_finding]",
	  "what goes with the differences, the largest first: docs/diff.md" },
	{ "by_initiator", "[diff_by_initiator]" },
	{ "by_mechanism", "[diff_by_mechanism]" },
	{ "by_object", "[diff_by_object]" },
	{ "by_section", "[diff_by_section]" },
	{ "by_function", "[diff_by_function]" },
	{ "by_symbol", "[diff_by_symbol]" },
	{ "by_initializer", "[diff_by_initializer]" },
	{ "by_cause", "[diff_by_cause]" },
	{ "objects", "[diff_object]" },
	{ "notes", "[text]", "of the comparison, then of its runs: one for all runs of a side" },
	{ "run_notes", "diff_run_notes", "what elfault analyze notes on the runs of each side" },

	ROW("diff_figures", NULL),
	{ "faults", "diff_figure", NULL, ROW_AT(compare_row, figures[COMPARE_FAULTS]) },
	{ "major", "diff_figure", NULL, ROW_AT(compare_row, figures[COMPARE_MAJOR]) },
	{ "pages", "diff_figure", NULL, ROW_AT(compare_row, figures[COMPARE_PAGES]) },
	{ "duration_ns", "diff_figure", NULL, ROW_AT(compare_row, figures[COMPARE_DURATION]) },
	{ "own_ns", "diff_figure", "of duration_ns: running, or waiting for storage",
	  ROW_AT(compare_row, figures[COMPARE_OWN]) },
	{ "read_bytes", "diff_figure?", NULL,
	  ROW_AT(compare_row, figures[COMPARE_READ]), .is_known = has_reads },
	{ 0 },
};
// clang-format on
