// SPDX-License-Identifier: Apache-2.0
// A recording gives up privilege for good and traps signals: each is made in a process of its own,
// and its trace, which nobody reads, goes at once.
#include "cli/bench/watched.h"

#include "base/cleanup.h"
#include "base/readfull.h"
#include "cli/bench/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct outcome {
	bool ok;
	struct record_usage usage;
	int status;
	struct err err;
};

static struct outcome watch(const struct record_options *options)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct outcome outcome = { 0 };
	const char *folder = folder_make(&arena);

	if (!folder) {
		err_set(&outcome.err, ERR_OS, "%s: its start has no folder to be recorded in",
			options->command[0]);
		return outcome;
	}
	const char *path = arena_printf(&arena, "%s/start.trace", folder);
	const struct record_options how = {
		.command = options->command,
		.output = path,
		.backend = RECORD_BACKEND_AUTO,
		.stack_memory = UINT64_C(1) << 30,
		.no_storage = true,
		.no_embed = true,
		.as_root = options->as_root,
		.is_silent = options->is_silent,
		.until = options->until,
		.producer = "elfault",
	};
	struct record_result result = { 0 };

	outcome.ok = record_run(&how, &result, &outcome.err);
	outcome.usage = result.usage;
	outcome.usage.wall_ns = result.ending.since_ns;
	outcome.usage.minor = result.recorded;
	outcome.usage.major = 0;
	// The first is what is waited for; others limit how long.
	outcome.status = result.ending.held && strcmp(result.ending.name,
						      options->until->items.items[0].name) == 0
				 ? 0
				 : READY_NEVER;
	notes_deinit(&result.notes);
	unlink(path);
	rmdir(folder);
	return outcome;
}

bool ready_run(const struct record_options *options, struct record_usage *ret_usage,
	       int *ret_status, struct err *err)
{
	struct outcome outcome = { 0 };
	int ends[2];

	*ret_status = 125;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_os(err, "pipe");
	const pid_t child = fork();

	if (child == 0) {
		outcome = watch(options);
		_exit(write(ends[1], &outcome, sizeof(outcome)) != sizeof(outcome));
	}
	close(ends[1]);
	CLEANUP(fd_close) int from = ends[0];
	const bool is_whole =
		child > 0 && read_full(from, &outcome, sizeof(outcome)) == sizeof(outcome);

	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (!is_whole)
		return err_set(err, ERR_OS, "%s: cannot be watched", options->command[0]);
	*ret_usage = outcome.usage;
	*ret_status = outcome.status << 8; // as wait4() gives it
	if (!outcome.ok)
		*err = outcome.err;
	return outcome.ok;
}
