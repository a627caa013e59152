// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/trace.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/path.h"
#include "base/vec.h"
#include "cli/answer/answer.h"
#include "cli/bench/folder.h"
#include "cli/lists/make.h"
#include "cli/tune/folder.h"
#include "cli/tune/guard.h"
#include "cure/prefetch.h"
#include "machine/page.h"
#include "derive/executables.h"
#include "model/model.h"
#include "prefetch/tuned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/** In the child: record as a user would. */
static void __attribute__((noreturn))
record(const char *path, const struct record_options *start, const struct tunetrace *former)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	VEC(const char *) words = { 0 };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	vec_push(&words, "elfault");
	vec_push(&words, "record");
	vec_push(&words, "--quiet");
	vec_push(&words, "--output");
	vec_push(&words, path);
	if (former) {
		vec_push(&words, arena_printf(&arena, "--cold=%s", former->path));
		vec_push(&words, "--exact");
	}
	if (start->until) {
		vec_push(&words, "--then");
		vec_push(&words, "end");
		vec_foreach (item, &start->until->items) {
			vec_push(&words, "--until");
			vec_push(&words, item->condition.text);
		}
	}
	vec_push(&words, "--");
	for (char **word = start->command; *word; word++)
		vec_push(&words, *word);
	vec_push(&words, NULL);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	dup2(nothing, STDERR_FILENO);
	execv("/proc/self/exe", (char *const *)words.items);
	_exit(125);
}

bool tunetrace_record(struct tunetrace *trace, const struct record_options *start,
		      const struct tunetrace *former, const struct option_values *shared,
		      struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	int status = 0;

	tunetrace_deinit(trace);
	trace->shared = shared;
	const char *folder = folder_make(&arena);

	if (!folder)
		return err_set(err, ERR_OS, "%s: its start has no folder to be recorded in",
			       start->command[0]);
	trace->folder = xstrdup(folder);
	trace->path = xstrdup(arena_printf(&arena, "%s/start.trace", folder));
	guard_trace(trace->path);
	pid_t child = fork();

	if (child == 0)
		record(trace->path, start, former);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			child = -1;
	const char *const names[] = { trace->path };

	if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 125)
		return err_set(err, ERR_DENIED,
			       "%s: its start cannot be recorded; `elfault doctor` "
			       "says what this machine lacks",
			       start->command[0]);
	return answer_find("tune", names, 1, shared, NEED_TABLES, &trace->model) ||
	       err_set(err, ERR_INPUT, "%s: its start cannot be analyzed", start->command[0]);
}

void tunetrace_deinit(struct tunetrace *trace)
{
	if (trace->path) {
		unlink(trace->path);
		rmdir(trace->folder);
	}
	free(trace->path);
	free(trace->folder);
	model_close(trace->model);
	*trace = (struct tunetrace){ 0 };
}

static uint64_t faults_on(const struct model *model, const char *path)
{
	char real[PATH_MAX];
	uint64_t faults = 0;

	for (size_t i = 0; realpath(path, real) && i < model->object_count; i++)
		if (model->objects[i].is_file && strcmp(model->objects[i].path, real) == 0)
			faults += model->objects[i].count.faults;
	return faults;
}

const char *tunetrace_subject(const struct tunetrace *trace, struct arena *arena)
{
	const struct model *model = trace->model;
	const uint32_t subject = executables_subject(model);
	const uint32_t own = executables_first(model); // the interpreter
	const char *found = subject == MODEL_NONE ? NULL : model->programs[subject].executable;

	if (!found || is_same_text(found, model->programs[own].executable))
		return NULL;
	return arena_strdup(arena, found);
}

const uint64_t *tunetrace_weigh(const struct tunetrace *trace, const struct standin_loaded *loaded,
				struct arena *arena)
{
	uint64_t *weights = arena_array(arena, loaded->count, sizeof(*weights));

	for (size_t i = 0; i < loaded->count; i++)
		weights[i] = faults_on(trace->model, loaded->items[i]->path);
	return weights;
}

bool tunetrace_write_list(const struct tunetrace *const *traces, const struct tunemore *more,
			  const char *folder, uint64_t *ret_bytes)
{
	CLEANUP(prefetchlist_deinit) struct prefetchlist list = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct prefetch_request request = {
		.measures = DEVICEGAP_NEVER,
		.opened = more->opened,
		.opened_count = more->opened_count,
		.warm = more->warm ? more->warm->path : NULL,
		.held = more->held,
		.held_count = more->held_count,
	};
	VEC(const char *) names = { 0 };
	const char *path = arena_printf(&arena, "%s/%s", folder, TUNED_LIST);

	vec_push(&names, traces[0]->path);
	for (size_t i = 1; traces[i]; i++)
		vec_push(&names, traces[i]->path);
	const bool is_made =
		prefetchlist_make(names.items, names.count, &request, traces[0]->shared, &list);

	vec_deinit(&names);
	if (!is_made)
		return false;
	const char *new = arena_printf(&arena, "%s.new", path);
	FILE *file = fopen(new, "we");

	*ret_bytes = prefetch_bytes(&list.list);
	if (!file)
		return false;
	const bool ok =
		prefetch_write(&list.list, list.comments.items, list.comments.count, NULL, file);

	return fclose(file) == 0 && ok && rename(new, path) == 0;
}

typedef VEC(const char *) path_list;

/** True if any page of the file at @path is in memory. */
static bool is_held(const char *path)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;
	uint64_t bytes;

	return fd >= 0 && fstat(fd, &status) == 0 &&
	       record_file_cached(fd, (uint64_t)status.st_size, MACHINE_PAGE, &bytes) && bytes > 0;
}

const char *const *tunetrace_find_held(const struct tunetrace *trace, struct arena *arena,
				       size_t *ret_count)
{
	const struct model *model = trace->model;
	path_list held = { 0 };

	for (size_t i = 0; i < model->object_count; i++)
		if (model->objects[i].is_file && is_held(model->objects[i].path))
			vec_push(&held, arena_strdup(arena, model->objects[i].path));
	return vec_keep_counted(&held, arena, ret_count);
}

/** Add all files of the folder at @path. */
static void add_folder(struct arena *arena, const char *path, path_list *paths)
{
	DIR *folder = opendir(path);

	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (entry->d_type == DT_REG)
			vec_push(paths, arena_printf(arena, "%s/%s", path, entry->d_name));
	if (folder)
		closedir(folder);
}

struct record_files *tunetrace_files(const struct tunetrace *trace, const struct tunemore *more,
				     const struct tunefolder *folder)
{
	const struct model *model = trace->model;
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(vec_release) path_list paths = { 0 };

	for (size_t i = 0; i < model->object_count; i++)
		if (model->objects[i].is_file)
			vec_push(&paths, model->objects[i].path);
	for (size_t i = 0; i < more->opened_count; i++)
		vec_push(&paths, more->opened[i]);
	add_folder(&arena, folder->path, &paths);
	if (folder->has_libraries)
		add_folder(&arena, arena_printf(&arena, "%s/%s", folder->path, folder->libraries),
			   &paths);
	return record_files_of(paths.items, paths.count);
}
