// SPDX-License-Identifier: Apache-2.0
// A trace may come from anyone, so a child without privilege reads it. It sends what it has found
// through a pipe: a word that says how it went, then the paths, each with its NUL.
#include "record/cold/private.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/path.h"
#include "base/privilege.h"
#include "base/searchpath.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATHS_BYTES_MAX = 64 << 20 };

/** The head of a message, before the paths. */
struct word {
	bool is_found;	// a trace of the command is there
	bool is_failed; // message says why
	size_t elsewhere;
	char message[1024];
};

// ---- In the child -----------------------------------------------------------------------------

static bool is_of(const struct trace *trace, char *const *command)
{
	size_t count = 0;

	for (; command[count]; count++)
		if (count == trace->meta.command_count ||
		    strcmp(command[count], trace->meta.command[count]) != 0)
			return false;
	return !trace->meta.attached && count == trace->meta.command_count;
}

bool commandfiles_is_path(const char *path)
{
	if (path[0] != '/' || strncmp(path, "//anon", 6) == 0 || strncmp(path, "/memfd:", 7) == 0 ||
	    strncmp(path, "/dev/zero", 9) == 0 || strncmp(path, "/SYSV", 5) == 0)
		return false;
	return !path_is_deleted(path);
}

char *commandfiles_program(const char *name)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *path = searchpath_find(&arena, name);

	return path ? realpath(path, NULL) : NULL;
}

/** Collect the paths in order, each once. */
static void collect(const struct trace *trace, char *program, struct word *word,
		    struct strbuf *ret_paths)
{
	CLEANUP(vec_release) VEC(const char *) paths = { 0 };

	if (program)
		vec_push(&paths, program);
	if (trace)
		vec_foreach (mapping, &trace->mappings) {
			const struct trace_identity *file = trace_file_by_id(trace, mapping->file);

			if (commandfiles_is_path(mapping->path) &&
			    !(file && file->flags & TRACE_FILE_ELSEWHERE))
				vec_push(&paths, mapping->path);
		}
	if (trace)
		vec_foreach (file, &trace->files)
			word->elsewhere += (file->flags & TRACE_FILE_ELSEWHERE) != 0;
	vec_sort(&paths, order_texts);
	for (size_t i = 0; i < paths.count; i++)
		if (i == 0 || strcmp(paths.items[i], paths.items[i - 1]) != 0)
			strbuf_add(ret_paths, paths.items[i], strlen(paths.items[i]) + 1);
}

/** The first of the traces that is there and of the command; NULL: none, or @word tells why. */
static struct trace *find_trace(const struct record_files_request *request, struct word *word)
{
	for (const char *const *path = request->traces; *path; path++) {
		struct trace *trace = NULL;
		struct err err = { 0 };

		if (access(*path, F_OK) != 0 && !request->is_named)
			continue;
		if (!trace_read(*path, &trace, &err)) {
			if (!request->is_named)
				continue; // no trace, then: another file of that name
			word->is_failed = true;
			snprintf(word->message, sizeof(word->message), "%.1023s", err.message);
			return NULL;
		}
		if (request->is_named || is_of(trace, request->command))
			return trace;
		trace_close(trace);
	}
	return NULL;
}

static bool write_all(int fd, const void *bytes, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes = (const char *)bytes + written;
		size -= (size_t)written;
	}
	return true;
}

static bool answer(const struct record_files_request *request, const struct caller *caller, int fd)
{
	CLEANUP(strbuf_deinit) struct strbuf paths = { 0 };
	struct word word = { 0 };
	struct err err = { 0 };
	struct trace *trace = NULL;

	memory_limit(memory_free() / 2, "half of the memory that is free");
	if (caller->under_sudo && !privilege_drop(caller, &err)) {
		word.is_failed = true;
		snprintf(word.message, sizeof(word.message), "%.1023s", err.message);
	} else {
		trace = find_trace(request, &word);
		word.is_found = trace != NULL;
		collect(trace, request->is_named ? NULL : commandfiles_program(request->command[0]),
			&word, &paths);
	}
	return write_all(fd, &word, sizeof(word)) &&
	       write_all(fd, strbuf_text(&paths), paths.length);
}

// ---- In the recorder --------------------------------------------------------------------------

static struct record_files *split(const struct word *word, const char *bytes, size_t size)
{
	struct record_files *files = xcalloc(1, sizeof(*files));
	VEC(const char *) paths = { 0 };

	files->block = xcalloc(size + 1, 1);
	memcpy(files->block, bytes, size);
	for (size_t at = 0; at < size; at += strlen(files->block + at) + 1)
		vec_push(&paths, files->block + at);
	files->paths = paths.items;
	files->count = paths.count;
	files->elsewhere = word->elsewhere;
	return files;
}

struct record_files *record_files_of(const char *const *paths, size_t count)
{
	CLEANUP(strbuf_deinit) struct strbuf bytes = { 0 };
	CLEANUP(vec_release) VEC(const char *) sorted = { 0 };
	const struct word word = { 0 };

	for (size_t i = 0; i < count; i++)
		vec_push(&sorted, paths[i]);
	vec_sort(&sorted, order_texts);
	for (size_t i = 0; i < sorted.count; i++)
		if (i == 0 || strcmp(sorted.items[i], sorted.items[i - 1]) != 0)
			strbuf_add(&bytes, sorted.items[i], strlen(sorted.items[i]) + 1);
	return split(&word, strbuf_text(&bytes), bytes.length);
}

bool record_files_find(const struct record_files_request *request, struct record_files **ret_files,
		       bool *ret_is_found, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf bytes = { 0 };
	struct caller caller = caller_find();
	struct word word;
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_os(err, "pipe");
	pid_t child = fork();

	if (child == 0) {
		close(ends[0]);
		_exit(answer(request, &caller, ends[1]) ? 0 : 1);
	}
	close(ends[1]);
	bool is_read = child > 0 && strbuf_read(&bytes, ends[0], PATHS_BYTES_MAX);

	close(ends[0]);
	if (child < 0)
		return err_os(err, "cannot start a process");
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return err_os(err, "waiting for a process");
	if (!is_read || status != 0 || bytes.length < sizeof(word))
		return err_set(err, ERR_OS, "the process that reads %s ended early",
			       request->traces[0]);
	memcpy(&word, bytes.text, sizeof(word));
	word.message[sizeof(word.message) - 1] = '\0';
	if (word.is_failed)
		return err_set(err, ERR_INPUT, "%s", word.message);
	*ret_is_found = word.is_found;
	*ret_files = split(&word, bytes.text + sizeof(word), bytes.length - sizeof(word));
	return true;
}

void record_files_destroy(struct record_files *files)
{
	if (!files)
		return;
	free(files->block);
	free(files->paths);
	free(files);
}

bool commandfiles_has(const struct record_files *files, const char *path)
{
	return files->count > 0 && bsearch(&path, files->paths, files->count, sizeof(*files->paths),
					   order_texts) != NULL;
}
