// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/unused.h"

#include "base/privilege.h"
#include "base/readfull.h"
#include "cli/order/object.h"
#include "follow/entries.h"
#include "standin/initcode.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/** A file of the run that is one of the loaded. */
struct watched {
	struct order_object object;
	struct standin_initcode code;
	size_t loaded; // index
	bool is_open;
};

/** The files of a run, by their number in entries_file. */
struct watching {
	const struct standin_loaded *loaded;
	struct entries *entries;
	VEC(struct watched) files;
};

static void watching_deinit(struct watching *watching)
{
	vec_foreach (file, &watching->files) {
		if (!file->is_open)
			continue;
		standin_initcode_deinit(&file->code);
		orderobject_close(&file->object);
	}
	vec_deinit(&watching->files);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat first, second;

	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

static void watch(struct watching *watching, const struct entries_file *file)
{
	struct watched watched = { 0 };

	while (watching->files.count < file->file)
		vec_push(&watching->files, (struct watched){ 0 });
	for (; watched.loaded < watching->loaded->count; watched.loaded++)
		if (is_same_file(watching->loaded->items[watched.loaded]->path, file->open_path))
			break;
	if (watched.loaded < watching->loaded->count &&
	    orderobject_open(&watched.object, file->path, file->open_path, NULL, NULL)) {
		watched.is_open = true;
		standin_initcode_init(&watched.code, watched.object.map, true);
		entries_arm(watching->entries, file->file, watched.object.offsets,
			    watched.object.offset_count);
	}
	vec_push(&watching->files, watched);
}

static bool is_use(const struct watched *file, uint32_t entry)
{
	const struct elfmap_function *function =
		&file->object.functions[file->object.by_offset[entry]];
	const uint64_t vaddr = function->vaddr;

	return !u64map_get(&file->code.functions, vaddr) &&
	       !(elfmap_role_at(file->object.map, vaddr).bits & ELFMAP_ROLE_RESOLVER);
}

static bool follow(char *const *command, struct watching *watching, bool *is_used, struct err *err)
{
	struct caller caller = caller_find();
	struct entries_file file;
	enum entries_step step;
	size_t count;

	if (!entries_open(command, &caller, &watching->entries, err))
		return false;
	while ((step = entries_next(watching->entries, &file, err)) == ENTRIES_FILE)
		watch(watching, &file);
	if (step != ENTRIES_END)
		return false;
	const struct entries_hit *hits = entries_hits(watching->entries, &count);

	array_foreach (hit, hits, count) {
		const struct watched *from = &watching->files.items[hit->file];

		if (from->is_open && is_use(from, hit->entry))
			is_used[from->loaded] = true;
	}
	return true;
}

/** In the child: its streams are the command's. */
static void __attribute__((noreturn))
answer(char *const *command, const struct standin_loaded *loaded, int to)
{
	CLEANUP(freep) bool *is_used = xcalloc(loaded->count, sizeof(*is_used));
	struct watching watching = { .loaded = loaded };
	struct err err = { 0 };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(nothing, fd);
	// Under sudo rights were given up to read the recording: neither such a process nor its
	// children may be traced by the user it works for now, until they say that they may.
	prctl(PR_SET_DUMPABLE, 1);
	bool ok = follow(command, &watching, is_used, &err);

	entries_close(watching.entries);
	watching_deinit(&watching);
	const void *bytes = ok ? (const void *)is_used : (const void *)&err;
	const size_t size = ok ? loaded->count * sizeof(*is_used) : sizeof(err);

	_exit(write(to, bytes, size) == (ssize_t)size && ok ? 0 : 1);
}

/**
 * Let @child, which writes to @from when it ends, follow a command that does not end by itself for
 * so long that it was ready; it passes signals on to the command. What is entered behind that
 * moment is taken for used as well.
 */
static void end_later(pid_t child, int from)
{
	enum { READY_MS = 8000, PATIENCE_MS = 10000 };
	struct pollfd poll_for = { .fd = from, .events = POLLIN };

	if (poll(&poll_for, 1, READY_MS) != 0)
		return;
	kill(child, SIGTERM);
	if (poll(&poll_for, 1, PATIENCE_MS) == 0)
		kill(child, SIGKILL);
}

bool unused_find(const struct record_options *start, const struct standin_loaded *loaded,
		 bool *ret_is_used, struct err *err)
{
	const size_t size = loaded->count * sizeof(*ret_is_used);
	struct err failure = { 0 };
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_os(err, "pipe");
	pid_t child = fork();

	if (child == 0)
		answer(start->command, loaded, ends[1]);
	close(ends[1]);
	CLEANUP(fd_close) int from = ends[0];

	if (child > 0 && start->until)
		end_later(child, from);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return err_os(err, "fork");
	if (status == 0)
		return read_full(from, ret_is_used, size) == size || err_os(err, "pipe");
	if (read_full(from, &failure, sizeof(failure)) == sizeof(failure) && failure.message[0]) {
		*err = failure;
		return false;
	}
	return err_set(err, ERR_OS, "%s: its functions cannot be watched", start->command[0]);
}
