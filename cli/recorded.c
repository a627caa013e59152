// SPDX-License-Identifier: Apache-2.0
#include "cli/recorded.h"

#include "base/cleanup.h"
#include "base/figure.h"

#include <stdio.h>

bool recorded_has_losses(const struct record_result *result)
{
	return result->lost || result->lost_other || result->stacks_lost || result->without_callers;
}

/** @text without what a terminal might obey. */
static void print_clean(const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, stderr);
}

static void print_subject(const struct record_options *options)
{
	if (!options->command) {
		fprintf(stderr, "process %d", (int)options->pid);
		return;
	}
	for (char **word = options->command; *word; word++) {
		if (word - options->command == 4) {
			fputs(" ...", stderr);
			break;
		}
		if (word > options->command)
			fputc(' ', stderr);
		print_clean(*word);
	}
}

/** "4,007 faults (0 lost)", "4,007 faults (0 lost; 12 stacks lost; 3 without callers)". */
static void print_counts(const struct record_result *result)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	fprintf(stderr, "%s fault%s (%s lost", figure_number(&arena, result->recorded),
		result->recorded == 1 ? "" : "s", figure_number(&arena, result->lost));
	if (result->lost_other > 0)
		fprintf(stderr, ", and %s other records",
			figure_number(&arena, result->lost_other));
	if (result->stacks_lost > 0)
		fprintf(stderr, "; %s stack%s lost", figure_number(&arena, result->stacks_lost),
			result->stacks_lost == 1 ? "" : "s");
	if (result->without_callers > 0)
		fprintf(stderr, "; %s without callers",
			figure_number(&arena, result->without_callers));
	fputc(')', stderr);
}

void recorded_print_note(const char *text)
{
	fputs("elfault: note: ", stderr);
	print_clean(text);
	fputc('\n', stderr);
}

void recorded_print(const struct record_options *options, const struct record_result *result)
{
	vec_foreach (note, &result->notes.list) {
		CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

		note_print(note, &text);
		recorded_print_note(strbuf_text(&text));
	}
	fputs("elfault: ", stderr);
	print_clean(options->output);
	fputs(": ", stderr);
	print_counts(result);
	fputs(" of ", stderr);
	print_subject(options);
	fprintf(stderr, ", %s; next: elfault analyze ", result->backend);
	print_clean(options->output);
	fputc('\n', stderr);
}

void recorded_print_run(size_t run, size_t count, const struct record_result *result)
{
	fprintf(stderr, "elfault: run %zu of %zu: ", run, count);
	print_counts(result);
	if (result->exit_status != 0)
		fprintf(stderr, ", exit status %d", result->exit_status);
	fputc('\n', stderr);
}

void recorded_print_set(const struct record_options *options, const char *folder, size_t run_count,
			const struct record_result *sum)
{
	fputs("elfault: ", stderr);
	print_clean(folder);
	fprintf(stderr, ": %zu run%s, ", run_count, run_count == 1 ? "" : "s");
	print_counts(sum);
	fputs(" of ", stderr);
	print_subject(options);
	fprintf(stderr, ", %s; next: elfault diff BEFORE ", sum->backend);
	print_clean(folder);
	fputc('\n', stderr);
}
