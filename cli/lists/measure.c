// SPDX-License-Identifier: Apache-2.0
#include "cli/lists/measure.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/notes.h"
#include "base/privilege.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/waitstatus.h"
#include "cure/launcher.h"
#include "cli/message.h"
#include "compare/judge.h"
#include "cure/prefetch.h"
#include "machine/page.h"
#include "prefetch/ask.h"
#include "record/record.h"
#include "render/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	FAILED = 125,
	BLOCK_BYTES = 512,    // of ru_inblock
	SETTLE_NS = 50000000, // for what is being read, which cannot be dropped
	STRAGGLE_MS = 2000,
};

enum metric { METRIC_WALL, METRIC_MAJOR, METRIC_READ, METRICS };

/** The numbers of all runs: those without prefetching, then those with it. */
struct times {
	const struct prefetch_measure *measure;
	struct launcher launcher; // what a user gets
	int list_fd;		  // a file of the list, cold as well
	struct record_files *files;
	struct notes stayed; // of the last run
	struct arena arena;
	uint64_t *values[METRICS];
	size_t failures;
	int status; // of one that failed
};

// ---- A run ------------------------------------------------------------------------------------

/** In a child: become whoever the command is to run as. */
static void take_rights(const struct prefetch_measure *measure)
{
	struct caller caller = caller_find();
	struct err err;

	if (!caller.under_sudo || measure->as_root || privilege_run_as(&caller, &err))
		return;
	message_print("cannot drop root privileges: %s", err.message);
	_exit(FAILED);
}

/** Ask once before anything is timed, so that files which are refused are said once. */
static void say_refused(const struct prefetch_measure *measure)
{
	const struct prefetch_how how = { "elfault", STDERR_FILENO, -1 };
	struct prefetch_result result;
	pid_t child = fork();

	if (child == 0) {
		take_rights(measure);
		prefetch_ask(measure->list, &how, &result);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
}

/** In the child. */
static void __attribute__((noreturn)) run_command(const struct times *times, bool is_prefetched)
{
	const struct prefetch_measure *measure = times->measure;
	int null = open("/dev/null", O_RDWR);
	char list[64];

	take_rights(measure);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close(null);
	if (is_prefetched) {
		snprintf(list, sizeof(list), "/proc/self/fd/%d", times->list_fd);
		fcntl(times->list_fd, F_SETFD, 0);
		launcher_execute(&times->launcher, list, measure->command);
		_exit(FAILED);
	}
	execvp(measure->command[0], measure->command);
	_exit(errno == ENOENT ? 127 : 126);
}

/** The process that asks ends with the command, and is this one's child then: wait for it. */
static uint64_t reap_asker(void)
{
	uint64_t blocks = 0;

	for (int waited = 0; waited < STRAGGLE_MS; waited++) {
		struct rusage usage;
		pid_t pid = wait4(-1, NULL, WNOHANG | __WALL, &usage);

		if (pid < 0)
			break; // none is left
		if (pid > 0)
			blocks += (uint64_t)usage.ru_inblock;
		else
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	return blocks;
}

static bool run_cold(struct times *times, bool is_prefetched, size_t at)
{
	struct rusage usage;
	int status;

	nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL);
	notes_deinit(&times->stayed);
	record_files_drop(times->files, times->measure->as_root, &times->stayed);
	posix_fadvise(times->list_fd, 0, 0, POSIX_FADV_DONTNEED);

	uint64_t start_ns = clock_now_ns();
	pid_t child = fork();

	if (child == 0)
		run_command(times, is_prefetched);
	while (child > 0 && wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			child = -1;
	if (child < 0) {
		message_print("cannot start a process: %s", strerror(errno));
		return false;
	}
	times->values[METRIC_WALL][at] = clock_now_ns() - start_ns;
	times->values[METRIC_MAJOR][at] = (uint64_t)usage.ru_majflt;
	times->values[METRIC_READ][at] = ((uint64_t)usage.ru_inblock + reap_asker()) * BLOCK_BYTES;
	if (status != 0) {
		times->failures++;
		times->status = waitstatus_shell(status);
	}
	if (times->status != 126 && times->status != 127)
		return true;
	message_print("%s: %s", times->measure->command[0],
		      times->status == 127 ? "command not found" : "cannot be run");
	return false;
}

static bool run_all(struct times *times)
{
	size_t count = times->measure->count;

	for (size_t i = 0; i < count; i++)
		if (!run_cold(times, false, i) || !run_cold(times, true, count + i))
			return false;
	return true;
}

// ---- What is said of it -----------------------------------------------------------------------

static const char *text_of(struct arena *arena, enum metric metric, double value)
{
	switch (metric) {
	case METRIC_WALL:
		return arena_printf(arena, "%.1f ms", value / 1e6);
	case METRIC_READ:
		return figure_size(arena, figure_whole(value));
	default:
		return figure_median(arena, value);
	}
}

static const char *change_of(struct arena *arena, const struct compare_figure *figure)
{
	double before = figure->median[COMPARE_BEFORE];

	return before > 0 ? arena_printf(arena, "%+.1f%%", 100 * figure->difference / before) : "";
}

static void print_command(const struct prefetch_measure *measure)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 }, safe = { 0 };

	for (size_t i = 0; i < measure->shown_count; i++)
		strbuf_printf(&line, "%s%s", i == 0 ? "" : " ", measure->shown[i]);
	escape_terminal(&safe, strbuf_text(&line));
	printf("%s: %zu cold start%s without and with prefetching, in turn; medians\n\n",
	       strbuf_text(&safe), measure->count, figure_plural(measure->count));
}

/** Whether each of @count first numbers is above each of the others. */
static bool is_above(const uint64_t *values, size_t count, const uint64_t *others)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++)
			if (values[i] <= others[k])
				return false;
	return true;
}

/** The sentence, by the verdict that stands beside the figures. */
static void print_answer(struct times *times, const struct compare_figure *wall)
{
	size_t count = times->measure->count;
	const uint64_t *values = times->values[METRIC_WALL];
	const char *before = text_of(&times->arena, METRIC_WALL, wall->median[COMPARE_BEFORE]);
	const char *after = text_of(&times->arena, METRIC_WALL, wall->median[COMPARE_AFTER]);
	const char *change = change_of(&times->arena, wall);
	bool helps = wall->difference < 0;

	switch (wall->verdict) {
	case COMPARE_REAL:
		printf("\nPrefetching %s: %s instead of %s (%s)%s.\n", helps ? "helps" : "harms",
		       after, before, change,
		       is_above(values, count, values + count) ||
				       is_above(values + count, count, values)
			       ? helps ? "; each start with it was faster than each without"
				       : "; each start with it was slower than each without"
			       : "");
		return;
	case COMPARE_UNKNOWN:
		printf("\n%s instead of %s (%s), which may be noise: --measure 4 or more tells.\n",
		       after, before, change);
		return;
	case COMPARE_NOISE:
	case COMPARE_SAME:
		printf("\nPrefetching makes no difference beyond noise: %s instead of %s (%s).\n",
		       after, before, change);
		return;
	}
}

static void print_text(struct times *times, const struct compare_figure *figures)
{
	static const char *const names[METRICS] = { "wall time", "major faults", "read" };

	print_command(times->measure);
	printf("%-14s %12s %12s\n", "", "without", "with");
	for (int metric = 0; metric < METRICS; metric++) {
		const double *median = figures[metric].median;

		printf("%-14s %12s %12s %8s  %s\n", names[metric],
		       text_of(&times->arena, (enum metric)metric, median[COMPARE_BEFORE]),
		       text_of(&times->arena, (enum metric)metric, median[COMPARE_AFTER]),
		       change_of(&times->arena, &figures[metric]),
		       compare_verdict_name(figures[metric].verdict));
	}
	print_answer(times, &figures[METRIC_WALL]);
}

static void print_json_text(const char *separator, const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf safe = { 0 };

	escape_json(&safe, text);
	printf("%s%s", separator, strbuf_text(&safe));
}

static void print_json_values(const char *name, const uint64_t *values, size_t count)
{
	printf("\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		printf("%s%" PRIu64, i == 0 ? "" : ",", values[i]);
	printf("],");
}

static void print_json(const struct times *times, const struct compare_figure *figures)
{
	static const char *const names[METRICS] = { "wall_ns", "major", "read_bytes" };
	size_t count = times->measure->count;

	printf("{\"schema\":\"elfault.prefetch/1\",\"command\":[");
	for (size_t i = 0; i < times->measure->shown_count; i++)
		print_json_text(i == 0 ? "" : ",", times->measure->shown[i]);
	printf("],\"runs\":%zu,\"failed\":%zu", count, times->failures);
	for (int metric = 0; metric < METRICS; metric++) {
		const struct compare_figure *figure = &figures[metric];

		printf(",\"%s\":{", names[metric]);
		print_json_values("without", times->values[metric], count);
		print_json_values("with", times->values[metric] + count, count);
		printf("\"median_without\":%.1f,\"median_with\":%.1f,\"p\":%.6f,\"verdict\":\"%"
		       "s\"}",
		       figure->median[COMPARE_BEFORE], figure->median[COMPARE_AFTER], figure->p,
		       compare_verdict_name(figure->verdict));
	}
	printf(",\"notes\":[");
	vec_foreach (note, &times->stayed.list)
		print_json_text(note == times->stayed.list.items ? "" : ",", note->text);
	printf("]}\n");
}

static void print_times(struct times *times)
{
	static const double steps[METRICS] = { 50000, 1, MACHINE_PAGE }; // as diff has them
	const size_t run_count[COMPARE_SIDES] = { times->measure->count, times->measure->count };
	struct compare_figure figures[METRICS] = { 0 };

	for (int metric = 0; metric < METRICS; metric++) {
		const struct judged judged = { .figure = &figures[metric],
					       .values = times->values[metric],
					       .stride = 1,
					       .unit = steps[metric],
					       .scales = metric == 0 };

		judge_alone(&judged, run_count);
	}
	if (times->measure->is_json) {
		print_json(times, figures);
		fflush(stdout);
		return;
	}
	print_text(times, figures);
	fflush(stdout);
	if (times->failures > 0)
		message_print("the command failed in %zu of %zu runs: exit status %d",
			      times->failures, 2 * times->measure->count, times->status);
	vec_foreach (note, &times->stayed.list) {
		CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

		note_print(note, &text);
		message_print("note: %s", strbuf_text(&text));
	}
}

/** The files of the list, and the program that asks for them. */
static struct record_files *files_of(const struct prefetch_list *list,
				     const struct launcher *launcher)
{
	const char **paths = xcalloc(list->file_count + 1, sizeof(*paths));
	size_t count = 0;

	for (size_t i = 0; i < list->file_count; i++)
		paths[count++] = list->files[i].path;
	if (!launcher->is_elfault)
		paths[count++] = launcher->path;
	struct record_files *files = record_files_of(paths, count);

	free(paths);
	return files;
}

/** A file of the list, without a name, that whoever runs the command may read; -1: said why. */
static int write_list(const struct prefetch_measure *measure)
{
	char path[] = "/var/tmp/elfault-XXXXXX"; // on a disk, from which it is to be read
	struct caller caller = caller_find();
	int fd = mkostemp(path, O_CLOEXEC);
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	bool is_written =
		out && prefetch_write(measure->list, NULL, 0, NULL, out) &&
		(!caller.under_sudo || measure->as_root || fchown(fd, caller.uid, caller.gid) == 0);

	if (fd >= 0)
		unlink(path);
	if (out && fclose(out) == 0 && is_written && fdatasync(fd) == 0)
		return fd;
	message_print("%s: cannot write the list: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int prefetchmeasure_run(const struct prefetch_measure *measure)
{
	struct times times = { .measure = measure, .list_fd = write_list(measure) };

	if (times.list_fd < 0)
		return FAILED;
	times.launcher = launcher_find(&times.arena);
	times.files = files_of(measure->list, &times.launcher);
	for (int metric = 0; metric < METRICS; metric++)
		times.values[metric] =
			arena_array(&times.arena, 2 * measure->count, sizeof(uint64_t));
	if (times.launcher.is_elfault)
		message_print(
			"elfault-prefetch: not found beside elfault or in PATH; elfault asks by "
			"itself, whose files are in memory: a cold start takes longer than "
			"measured");
	say_refused(measure);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	bool is_done = run_all(&times);

	if (is_done)
		print_times(&times);
	record_files_destroy(times.files);
	notes_deinit(&times.stayed);
	arena_deinit(&times.arena);
	close(times.list_fd);
	return is_done ? 0 : FAILED;
}
