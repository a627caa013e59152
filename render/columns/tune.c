// SPDX-License-Identifier: Apache-2.0
// The document of `tune`.
#include "render/columns/columns.h"

#include "compare/tunedstart.h"
#include "render/columns/node.h"

VALUE_OF(words_new, tunedstart, node_texts(row->words, row->word_count))
VALUE_OF(standins_new, tunedstart, node_texts(row->standins, row->standin_count))

static const char *verdict_word(unsigned value)
{
	return bench_verdict_name((enum bench_verdict)value);
}

// clang-format off
const struct row_column tune_columns[] = {
	ROW("tuned_verdict", "of a time of the tuned start against the plain one's"),
	{ "verdict", "faster|slower|no-difference|too-few", NULL,
	  WORD_AT(bench_difference, verdict, verdict_word) },
	{ "change", "real", "-0.6: the tuned start takes 60 % less", AT(bench_difference, change) },
	{ "low", "real?", "of change, with 95 % confidence", AT_IF(bench_difference, low, has_limits) },
	{ "high", "real?", NULL, AT_IF(bench_difference, high, has_limits) },
	{ "pairs", "number", "of starts", AT(bench_difference, pairs) },

	ROW("tuned_measure", "medians of plain and tuned starts in turn, the launcher included"),
	{ "plain_own_ns", "real", NULL, AT(tunedstart_measure, own_ns[0]) },
	{ "tuned_own_ns", "real", NULL, AT(tunedstart_measure, own_ns[1]) },
	{ "plain_processor_ns", "real", NULL, AT(tunedstart_measure, processor_ns[0]) },
	{ "tuned_processor_ns", "real", NULL, AT(tunedstart_measure, processor_ns[1]) },
	{ "plain_faults", "real", "minor and major", AT(tunedstart_measure, faults[0]) },
	{ "tuned_faults", "real", NULL, AT(tunedstart_measure, faults[1]) },
	{ "own", "tuned_verdict", NULL, ROW_AT(tunedstart_measure, own) },
	{ "processor", "tuned_verdict", NULL, ROW_AT(tunedstart_measure, processor) },

	ROW("tuned_refusal", NULL),
	{ "library", "text", NULL, AT(tunedstart_refusal, library) },
	{ "why", "text", NULL, AT(tunedstart_refusal, why) },
	{ "faults", "number", "of a plain start, on it", AT(tunedstart_refusal, faults) },

	ROW("tuned_link", NULL),
	{ "how", "text", NULL, AT(tunedstart_link, how) },
	{ "faults", "number", "that it saves", AT(tunedstart_link, faults) },
	{ "is", "prediction|at-most|at-least", "how that is known", AT(tunedstart_link, is) },

	ROW("tuned_start", NULL),
	{ "name", "text", "as --undo takes it", AT(tunedstart, name) },
	{ "folder", "text", NULL, AT(tunedstart, folder) },
	{ "program", "text", NULL, AT(tunedstart, program) },
	{ "directory", "text", "in which it was tuned", AT(tunedstart, directory) },
	{ "command", "[text]",
	  "its program and the names of its options, … for other words, ~ for home directories",
	  BY(words_new) },
	{ "until", "text?", "the condition at which a start is over; null: its end",
	  AT(tunedstart, until) },
	{ "refreshes", "bool", "by itself, after an upgrade", AT(tunedstart, refreshes) },
	{ "is_script", "bool", "no stand-ins are for that", AT(tunedstart, is_script) },
	{ "subject", "text?", "of a script, the program that most of the time is of, where it is another",
	  AT(tunedstart, subject) },
	{ "dearest", "text?", "the same as subject, under its former name", AT(tunedstart, subject) },
	{ "time_s", "integer", "when it was tuned, since 1970", AT(tunedstart, time_s) },
	{ "standins", "[text]", "libraries that have one", BY(standins_new) },
	{ "files", "number", "that a plain start loads", AT(tunedstart, file_count) },
	{ "files_away", "number", "of these, left out", AT(tunedstart, away_count) },
	{ "predicted_faults", "number", "that stand-ins save, less their own and the launcher's", AT(tunedstart, predicted_faults) },
	{ "differs", "text?", "what a start with stand-ins does otherwise", AT(tunedstart, differs) },
	{ "with_standins", "tuned_measure?", "warm, without a list",
	  ROW_AT(tunedstart, with_standins), .has_known = true,
	  .other = offsetof(struct tunedstart, with_standins.is_known) },
	{ "keeps_standins", "bool", NULL, AT(tunedstart, keeps_standins) },
	{ "list_bytes", "number?", "null: no list", AT_NONZERO(tunedstart, list_bytes) },
	{ "cold", "tuned_measure?", "with the list and the stand-ins that are kept",
	  ROW_AT(tunedstart, cold), .has_known = true,
	  .other = offsetof(struct tunedstart, cold.is_known) },
	{ "warm", "tuned_measure?", "the same", ROW_AT(tunedstart, warm), .has_known = true,
	  .other = offsetof(struct tunedstart, warm.is_known) },
	{ "keeps_list", "bool", NULL, AT(tunedstart, keeps_list) },
	{ "refusals", "[tuned_refusal]", "libraries that stay, most faults first",
	  LIST_AT(tunedstart, refusals, refusal_count) },
	{ "links", "[tuned_link]", "for who builds the program", LIST_AT(tunedstart, links, link_count) },
	{ "unidentified", "text?", "a file without a build-id: size and time tell whether it changed",
	  AT(tunedstart, unidentified) },
	{ "plainly", "text?", "why the program starts plainly now; null: it does not",
	  AT(tunedstart, plainly) },

	DOCUMENT("tune", "elfault tune --format json",
		 "Tuned starts. Times are nanoseconds. Keys may be added."),
	{ "schema", "elfault.tune/1" },
	{ "starts", "[tuned_start]", NULL, LIST_AT(tunedstarts, items, count) },
	{ 0 },
};
// clang-format on
