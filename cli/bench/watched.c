// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/watched.h"

#include "base/cleanup.h"
#include "cli/version.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/** In the process that records. */
static void watch(const struct record_options *start, const struct until *until, const char *trace,
		  struct watched *watched)
{
	const struct record_options options = {
		.command = start->command,
		.as_root = start->as_root,
		.is_silent = start->is_silent,
		.output = trace,
		.backend = RECORD_BACKEND_AUTO,
		.no_storage = true,
		.no_embed = true,
		.until = until,
		.producer = version_line,
	};
	struct record_result result;

	watched->is_recorded = record_run(&options, &result, &watched->err);
	watched->exit_status = result.exit_status;
	watched->signal = result.signal;
	watched->is_missed = result.ending.is_missed;
	watched->is_first =
		result.ending.held && strcmp(result.ending.name, until->items.items[0].name) == 0;
	watched->usage = result.usage;
	watched->since_ns = result.ending.since_ns;
	watched->faults = result.recorded;
	notes_deinit(&result.notes);
}

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int number)
{
	is_interrupted = true;
}

bool watched_run(const struct record_options *start, const struct until *until, const char *folder,
		 watched_look *look, const struct option_values *shared,
		 struct watched *ret_watched)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *trace = arena_printf(&arena, "%s/start.trace", folder);
	struct watched *told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*ret_watched = (struct watched){ 0 };
	if (told == MAP_FAILED)
		return err_os(&ret_watched->err, "mmap");
	err_set(&told->err, ERR_OS, "%s: cannot be watched", start->command[0]);

	// Ctrl-C reaches the recorder as well, and the command. What they make of it is waited for.
	void (*interrupt)(int) = signal(SIGINT, note_interrupt);
	const pid_t pid = fork();

	if (pid == 0) {
		signal(SIGINT, interrupt);
		watch(start, until, trace, told);
		told->is_read = told->is_recorded && look && look(trace, shared, told);
		unlink(trace);
		_exit(0);
	}
	if (pid < 0)
		err_os(&ret_watched->err, "cannot start a process");
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, interrupt);
	if (pid > 0)
		*ret_watched = *told;
	ret_watched->is_interrupted = is_interrupted;
	munmap(told, sizeof(*told));
	return pid > 0;
}
