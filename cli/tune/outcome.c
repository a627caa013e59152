// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/outcome.h"

#include "base/cleanup.h"
#include "base/waitstatus.h"
#include "cli/bench/ready.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_MAX = 64 << 20 };

static void __attribute__((noreturn))
execute(const struct record_options *start, char *variable, int output, int errors)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct record_options how = *start;
	struct record_usage usage;
	struct err err;
	int status;

	dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	if (variable)
		putenv(variable);
	if (!start->until) {
		execvp(start->command[0], start->command);
		_exit(errno == ENOENT ? 127 : 126);
	}
	how.is_silent = false;
	if (ready_run(&how, &usage, &status, &err))
		_exit(waitstatus_shell(status));
	dprintf(STDERR_FILENO, "%s", err.message);
	_exit(125);
}

/** Read what a file without a name holds. */
static bool take(int fd, struct strbuf *ret_text)
{
	return lseek(fd, 0, SEEK_SET) == 0 && strbuf_read(ret_text, fd, OUTPUT_MAX);
}

bool outcome_find(const struct record_options *start, char *variable, struct outcome *ret_outcome,
		  struct err *err)
{
	CLEANUP(fd_close) int output = memfd_create("output", MFD_CLOEXEC);
	CLEANUP(fd_close) int errors = memfd_create("errors", MFD_CLOEXEC);
	int status = 0;

	*ret_outcome = (struct outcome){ 0 };
	if (output < 0 || errors < 0)
		return err_os(err, "memfd_create");
	pid_t child = fork();

	if (child == 0)
		execute(start, variable, output, errors);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			child = -1;
	if (child < 0)
		return err_os(err, "%s", start->command[0]);
	ret_outcome->status = waitstatus_shell(status);
	if (!take(output, &ret_outcome->output) || !take(errors, &ret_outcome->errors))
		return err_set(err, ERR_UNSUPPORTED, "%s: prints more than 64 MiB",
			       start->command[0]);
	if (start->until && ret_outcome->status == READY_FAILED)
		return err_set(err, ERR_OS, "%s", strbuf_text(&ret_outcome->errors));
	if (start->until && ret_outcome->status == READY_NEVER)
		return err_set(err, ERR_MISMATCH,
			       "%s: %s did not hold before its end, or within 60 seconds",
			       start->command[0], start->until->items.items[0].condition.text);
	return true;
}

void outcome_deinit(struct outcome *outcome)
{
	strbuf_deinit(&outcome->output);
	strbuf_deinit(&outcome->errors);
}

static size_t first_difference(const struct strbuf *a, const struct strbuf *b)
{
	size_t at = 0;

	while (at < a->length && at < b->length && a->text[at] == b->text[at])
		at++;
	return at;
}

static bool is_equal(const struct strbuf *a, const struct strbuf *b)
{
	return a->length == b->length && first_difference(a, b) == a->length;
}

/** The first thing that differs; NULL: nothing. */
static const char *difference_of(const struct outcome *a, const struct outcome *b,
				 struct arena *arena)
{
	if (a->status != b->status)
		return arena_printf(arena, "exit status %d, then %d", a->status, b->status);
	if (a->has_no_text)
		return NULL;
	if (!is_equal(&a->output, &b->output))
		return arena_printf(arena, "the output differs from byte %zu on",
				    first_difference(&a->output, &b->output));
	if (!is_equal(&a->errors, &b->errors))
		return arena_printf(arena,
				    "what is written to standard error differs from byte %zu on",
				    first_difference(&a->errors, &b->errors));
	return NULL;
}

bool outcome_repeat(const struct outcome *before, const struct record_options *start,
		    char *variable, struct arena *arena, const char **ret_difference,
		    struct err *err)
{
	CLEANUP(outcome_deinit) struct outcome again = { 0 };

	if (!outcome_find(start, variable, &again, err))
		return false;
	*ret_difference = difference_of(before, &again, arena);
	return true;
}
