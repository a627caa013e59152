// SPDX-License-Identifier: Apache-2.0
// The document of `bench`.
#include "render/columns/columns.h"

#include "compare/bench.h"
#include "model/account.h"
#include "render/columns/head.h"
#include "render/columns/node.h"

VALUE_OF(words_new, bench_command, node_texts(row->words, row->word_count))

static const void *command_item(const void *row, size_t index, const void *context)
{
	const struct bench *bench = row;

	return index < bench->command_count ? &bench->commands[index] : NULL;
}

KNOWN_OF(has_two, bench, row->command_count == BENCH_COMMANDS)
VALUE_OF(notes_new, bench, headjson_notes(&row->notes))
KNOWN_OF(has_reason, bench, row->reason.is_found)
KNOWN_OF(has_parts, bench, row->parts)
KNOWN_OF(has_time, bench_reason, row->has_time)

static struct json_object *initiator_new(const void *initiator, const void *context)
{
	uint32_t value = *(const uint32_t *)initiator;

	return value == MODEL_NONE ? NULL
				   : node_text(model_initiator_name((enum model_initiator)value));
}

VALUE_OF(reason_initiator, bench_reason,
	 row->has_time ? initiator_new(&row->initiator, context) : NULL)

VALUE_OF(reason_state, bench_reason,
	 row->has_time ? node_text(model_state_name((enum model_state)row->state)) : NULL)

static const char *verdict_word(unsigned value)
{
	return bench_verdict_name((enum bench_verdict)value);
}

// clang-format off
const struct row_column bench_columns[] = {
	ROW("bench_summary", "of all starts of a command"),
	{ "median", "amount", NULL, AT(bench_summary, median) },
	{ "low_quartile", "amount", "a quarter of the starts is below, interpolated",
	  AT(bench_summary, low_quartile) },
	{ "high_quartile", "amount", NULL, AT(bench_summary, high_quartile) },
	{ "least", "number", NULL, AT(bench_summary, least) },
	{ "greatest", "number", NULL, AT(bench_summary, greatest) },

	ROW("bench_start", NULL),
	{ "seq", "number", "its place among the starts of all commands, from 0",
	  AT(bench_start, seq) },
	{ "wall_ns", "number", "from the moment before its exec to its end; with until: from its exec",
	  AT(bench_start, values[BENCH_WALL]) },
	{ "own_ns", "number", "wall_ns without late_ns", AT(bench_start, values[BENCH_OWN]) },
	{ "processor_ns", "number", "of all threads: user_ns + system_ns, or until the condition",
	  AT(bench_start, values[BENCH_PROCESSOR]) },
	{ "user_ns", "number?", "as wait4() counts it, as the rest; null: see until",
	  AT_IF(bench_start, values[BENCH_USER], is_whole) },
	{ "system_ns", "number?", NULL, AT_IF(bench_start, values[BENCH_SYSTEM], is_whole) },
	{ "late_ns", "number", "of wall_ns: its first thread waited for a processor, with until those whom the condition waited "
	  "for; 0: or unknown",
	  AT(bench_start, values[BENCH_LATE]) },
	{ "minor", "number", NULL, AT(bench_start, values[BENCH_MINOR]) },
	{ "major", "number", NULL, AT(bench_start, values[BENCH_MAJOR]) },
	{ "exit_status", "number", "128 + n of signal n", AT(bench_start, status) },

	ROW("bench_command", NULL),
	{ "command", "[text]",
	  "its program and the names of its options, … for other words, ~ for home directories",
	  BY(words_new) },
	{ "starts", "number", NULL, AT(bench_command, count) },
	{ "failed", "number", "starts that ended with another status than 0",
	  AT(bench_command, failures) },
	{ "wall_ns", "bench_summary", NULL, ROW_AT(bench_command, summaries[BENCH_WALL]) },
	{ "own_ns", "bench_summary", NULL, ROW_AT(bench_command, summaries[BENCH_OWN]) },
	{ "processor_ns", "bench_summary", NULL,
	  ROW_AT(bench_command, summaries[BENCH_PROCESSOR]) },
	{ "user_ns", "bench_summary?", NULL,
	  ROW_IF(bench_command, summaries[BENCH_USER], is_whole) },
	{ "system_ns", "bench_summary?", NULL,
	  ROW_IF(bench_command, summaries[BENCH_SYSTEM], is_whole) },
	{ "late_ns", "bench_summary", NULL, ROW_AT(bench_command, summaries[BENCH_LATE]) },
	{ "minor", "bench_summary", NULL, ROW_AT(bench_command, summaries[BENCH_MINOR]) },
	{ "major", "bench_summary", NULL, ROW_AT(bench_command, summaries[BENCH_MAJOR]) },
	{ "runs", "[bench_start]", "in their order",
	  LIST_AT(bench_command, starts, count) },

	ROW("bench_difference", "a time of the second command against the first's"),
	{ "pairs", "number", "of a start of each, one right after the other",
	  AT(bench_difference, pairs) },
	{ "verdict", "faster|slower|no-difference|too-few",
	  "of the second command; no-difference: none is shown, which there may be",
	  WORD_AT(bench_difference, verdict, verdict_word) },
	{ "change", "real", "-0.03: the second takes 3 % less", AT(bench_difference, change) },
	{ "low", "real?", "of change, with 95 % confidence; null: too few starts",
	  AT_IF(bench_difference, low, has_limits) },
	{ "high", "real?", NULL, AT_IF(bench_difference, high, has_limits) },

	ROW("bench_reason", "what recordings of both commands show of the difference"),
	{ "state", "state?", "of the part of the time that differs most; null: none does for sure",
	  BY(reason_state) },
	{ "initiator", "initiator?", "null: nobody's, a wait for anything but storage",
	  BY(reason_initiator) },
	{ "first_thread", "bool", "the times are of it; else of all threads",
	  AT(bench_reason, is_main) },
	{ "before_ns", "real?", "median of the first command",
	  AT_WHERE(bench_reason, before_ns, has_time) },
	{ "after_ns", "real?", "of the second", AT_WHERE(bench_reason, after_ns, has_time) },
	{ "finding", "text?", "the change that goes with it, an id of docs/diff.md",
	  AT(bench_reason, finding) },
	{ "title", "text?", "of the finding", AT(bench_reason, title) },

	ROW("bench_part", NULL),
	{ "initiator", "initiator?", "null: waiting for anything but storage",
	  BY_AT(bench_part, initiator, initiator_new) },
	{ "ns", "number", NULL, AT(bench_part, ns) },

	DOCUMENT("bench", "elfault bench --format json",
		 "Starts of commands in turn, while nothing recorded. Times are nanoseconds. Keys "
		 "may be added."),
	{ "schema", "elfault.bench/1" },
	{ "cold", "bool", "the files of each command had left the page cache before its starts",
	  AT(bench, is_cold) },
	{ "until", "text?", "the condition by which starts ended, which were recorded for it, without "
	  "stacks, samples and storage; null: they ended by themselves, and nothing recorded",
	  AT(bench, until) },
	{ "warmups", "number", "starts of each command that were not measured",
	  AT(bench, warmups) },
	{ "commands", "[bench_command 1..2]", NULL, ITEMS(command_item) },
	{ "difference", "bench_difference?", "of wall_ns - late_ns; null: there is one command",
	  ROW_AT(bench, difference), .is_known = has_two },
	{ "processor_difference", "bench_difference?",
	  "of processor_ns, whose verdict is of what the commands compute; null: there is "
	  "one command",
	  ROW_AT(bench, processor_difference), .is_known = has_two },
	{ "recorded", "number", "starts of each command that were recorded afterwards",
	  AT(bench, recorded) },
	{ "reason", "bench_reason?", "null: none was found",
	  ROW_AT(bench, reason), .is_known = has_reason },
	{ "parts", "[bench_part]?",
	  "of one command: what the first thread of a recorded start spent its time on, most first; "
	  "null: not known",
	  LIST_AT(bench, parts, part_count), .is_known = has_parts },
	{ "no_reason", "text?", "why neither was looked for; null: it was", AT(bench, no_reason) },
	{ "notes", "[text]", NULL, BY(notes_new) },
	{ 0 },
};
// clang-format on
