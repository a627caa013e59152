// SPDX-License-Identifier: Apache-2.0
#include "cli/recording/recorded.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/median.h"
#include "base/shownwords.h"
#include "base/strbuf.h"
#include "cli/message.h"

#include <unistd.h>

/** The words before the next command, which this build may lack. */
#ifdef ELFAULT_RECORDER
#define NEXT "next, where all of elfault is installed:"
#else
#define NEXT "next:"
#endif

bool recorded_has_losses(const struct record_result *result)
{
	return result->lost || result->lost_other || result->stacks_lost ||
	       result->without_callers || result->storage_lost || result->hidden ||
	       result->unseen_programs || result->eventless || result->unexplained;
}

static void add_subject(struct strbuf *line, const struct record_options *options)
{
	if (options->unit) {
		strbuf_printf(line, "unit %s", options->unit);
		return;
	}
	if (options->cgroup) {
		strbuf_printf(line, "cgroup %s", options->cgroup);
		return;
	}
	if (!options->command) {
		strbuf_printf(line, "process %d", (int)options->pid);
		return;
	}
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *const *words = (const char *const *)options->command;
	size_t count = 0;

	while (words[count])
		count++;
	// Logs are kept, and read by others.
	if (!isatty(STDERR_FILENO))
		words = shownwords_of(&arena, words, count, &count);
	for (size_t i = 0; i < count; i++) {
		if (i == 4) {
			strbuf_puts(line, " ...");
			break;
		}
		strbuf_printf(line, "%s%s", i > 0 ? " " : "", words[i]);
	}
}

/** "4,007 faults (0 lost)", "4,007 faults (0 lost; 12 stacks lost; 3 without callers)". */
static void add_counts(struct strbuf *line, const struct record_result *result)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	strbuf_printf(line, "%s fault%s (%s lost", figure_number(&arena, result->recorded),
		      figure_plural(result->recorded), figure_number(&arena, result->lost));
	if (result->lost_other > 0)
		strbuf_printf(line, ", and %s other records",
			      figure_number(&arena, result->lost_other));
	if (result->stacks_lost > 0)
		strbuf_printf(line, "; %s stack%s lost", figure_number(&arena, result->stacks_lost),
			      figure_plural(result->stacks_lost));
	if (result->without_callers > 0)
		strbuf_printf(line, "; %s without callers",
			      figure_number(&arena, result->without_callers));
	if (result->storage_lost > 0)
		strbuf_printf(line, "; %s of storage lost",
			      figure_number(&arena, result->storage_lost));
	if (result->hidden > 0)
		strbuf_printf(line, "; %s not to be traced", figure_number(&arena, result->hidden));
	if (result->unseen_programs > 0)
		strbuf_printf(line, "; %s program%s not seen",
			      figure_number(&arena, result->unseen_programs),
			      figure_plural(result->unseen_programs));
	if (result->eventless > 0)
		strbuf_printf(line, "; %s without an event",
			      figure_number(&arena, result->eventless));
	if (result->unexplained > 0)
		strbuf_printf(line, "; %s more in the kernel's count",
			      figure_number(&arena, result->unexplained));
	strbuf_putc(line, ')');
}

const char *const *recorded_note_lines(const struct notes *notes, struct arena *arena,
				       size_t *ret_count)
{
	size_t kind_count, count = 0;
	const struct note_kind *kinds = notes_kinds(notes, arena, &kind_count);
	const char **lines = arena_array(arena, kind_count, sizeof(*lines));

	for (size_t i = 0; i < kind_count && kinds[i].effect < NOTE_DETAIL; i++)
		lines[count++] = kinds[i].notes == 1 ? kinds[i].text
						     : arena_printf(arena, "%s (analyze --full)",
								    kinds[i].text);
	*ret_count = count;
	return lines;
}

void recorded_print_note(const char *text)
{
	message_print("note: %s", text);
}

/** Say how a recording with conditions ended. */
static void print_ending(const struct record_options *options, const struct record_result *result)
{
	const struct record_ending *ending = &result->ending;

	if (ending->is_missed)
		message_print("no condition of --until held before %s ended%s; the recording is "
			      "kept, whole",
			      options->command ? "the command" : "the recording",
			      result->exit_status ? ", not by success" : "");
	if (ending->held)
		message_print("%s held after %.1f ms, where the recording ends; the %s %s",
			      ending->name, (double)ending->since_ns / 1e6,
			      options->command	? "command"
			      : options->unit	? "unit"
			      : options->cgroup ? "cgroup"
						: "process",
			      ending->ended > 0	   ? "was ended"
			      : ending->is_running ? "goes on"
						   : "has ended by itself");
}

void recorded_print(const struct record_options *options, const struct record_result *result)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };
	size_t count;
	const char *const *notes = recorded_note_lines(&result->notes, &arena, &count);

	for (size_t i = 0; i < count; i++)
		recorded_print_note(notes[i]);

	print_ending(options, result);
	add_counts(&line, result);
	strbuf_puts(&line, " of ");
	add_subject(&line, options);
	message_print("%s: %s, %s; " NEXT " elfault analyze %s", options->output,
		      strbuf_text(&line), result->backend, options->output);
}

void recorded_print_run(size_t run, size_t count, const struct record_result *result)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };

	add_counts(&line, result);
	if (result->exit_status != 0)
		strbuf_printf(&line, ", exit status %d", result->exit_status);
	message_print("run %zu of %zu: %s", run, count, strbuf_text(&line));
}

enum usage_kind { WALL, PROCESSOR };

static uint64_t usage_ns(const struct record_usage *usage, enum usage_kind kind)
{
	return kind == WALL ? usage->wall_ns : usage->user_ns + usage->system_ns;
}

/** "wall time 22.1 ms plain, 30.4 ms recorded (x 1.38)", of medians. */
static void add_times(struct strbuf *line, const struct recorded_times *times, size_t count,
		      enum usage_kind kind)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	uint64_t *plain = arena_array(&arena, count, sizeof(*plain));
	uint64_t *recorded = arena_array(&arena, count, sizeof(*recorded));

	for (size_t i = 0; i < count; i++) {
		plain[i] = usage_ns(&times[i].plain, kind);
		recorded[i] = usage_ns(&times[i].recorded, kind);
	}
	double before = median_of(plain, count), after = median_of(recorded, count);

	strbuf_printf(line, "%s %.1f ms plain, %.1f ms recorded",
		      kind == WALL ? "wall time" : "processor time", before / 1e6, after / 1e6);
	if (before > 0)
		strbuf_printf(line, " (x %.2f)", after / before);
}

/** Print the medians of the plain runs beside those of the recorded ones. */
static void print_times(const char *folder, const struct recorded_times *times, size_t count)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };

	if (times[0].plain.wall_ns == 0)
		return;
	add_times(&line, times, count, WALL);
	strbuf_puts(&line, "; ");
	add_times(&line, times, count, PROCESSOR);
	message_print("%s: %s%s", folder, count > 1 ? "medians: " : "", strbuf_text(&line));
}

void recorded_print_set(const struct record_options *options, const char *folder,
			const struct recorded_times *times, size_t run_count,
			const struct record_result *sum)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };

	print_times(folder, times, run_count);
	add_counts(&line, sum);
	strbuf_puts(&line, " of ");
	add_subject(&line, options);
	message_print("%s: %zu run%s, %s, %s; " NEXT " elfault analyze %s", folder, run_count,
		      figure_plural(run_count), strbuf_text(&line), sum->backend, folder);
}
