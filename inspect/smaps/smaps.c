// SPDX-License-Identifier: Apache-2.0
#include "inspect/smaps/smaps.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "inspect/smaps/attribute.h"
#include "inspect/smaps/pages.h"
#include "inspect/smaps/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** One thing to read. */
struct input {
	const char *path; // of a file; NULL: a process
	pid_t pid;
	int fd; // of the process's smaps
	struct smaps_pagefiles pages;
};

struct smaps {
	char *source;
	VEC(struct input) inputs;
};

struct smaps *smaps_create(const char *source)
{
	struct smaps *smaps = xcalloc(1, sizeof(*smaps));

	smaps->source = xstrdup(source);
	return smaps;
}

void smaps_destroy(struct smaps *smaps)
{
	if (!smaps)
		return;
	vec_foreach (input, &smaps->inputs) {
		fd_close(&input->fd);
		smaps_pagefiles_close(&input->pages);
	}
	vec_deinit(&smaps->inputs);
	free(smaps->source);
	free(smaps);
}

bool smaps_is_copy(const struct smaps *smaps)
{
	return smaps->inputs.count > 0 && smaps->inputs.items[0].path;
}

void smaps_add_file(struct smaps *smaps, const char *path)
{
	vec_push(&smaps->inputs, (struct input){ .path = path, .fd = -1, .pages = { -1, -1, -1 } });
}

bool smaps_add_process(struct smaps *smaps, pid_t pid, struct err *err)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);

	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return err_set(err, ERR_INPUT, "process %d: no such process", (int)pid);
	if (fd < 0)
		return err_os(err,
			      errno == EACCES || errno == EPERM
				      ? "process %d: you may not look into it"
				      : "process %d",
			      (int)pid);
	vec_push(&smaps->inputs,
		 (struct input){ .pid = pid, .fd = fd, .pages = smaps_pagefiles_open(pid) });
	return true;
}

// ---- Processes by name ------------------------------------------------------------------------

/** Whether the first line, or word, of /proc/PID/FILE is @name, without folders. */
static bool says(pid_t pid, const char *file, const char *name, bool *has_files)
{
	char path[40], text[4 << 10];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);

	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	*has_files = *has_files && (fd >= 0 || errno != EMFILE);

	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (length <= 0)
		return false;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return strcmp(path_file_name(text), name) == 0;
}

static bool runs(pid_t pid, const char *name)
{
	char path[40], link[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	ssize_t length = readlink(path, link, sizeof(link) - 1);

	if (length <= 0)
		return false;
	link[length] = '\0';
	return strcmp(path_file_name(link), name) == 0;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

	return (left > right) - (left < right);
}

pid_t *smaps_find_processes(const char *name, size_t *ret_count)
{
	VEC(pid_t) pids = { 0 };
	DIR *folder = opendir("/proc");
	bool has_files = folder || errno != EMFILE;
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);

		if (pid <= 0 || pid > INT32_MAX || *end != '\0' || pid == getpid())
			continue;
		if (says((pid_t)pid, "comm", name, &has_files) ||
		    says((pid_t)pid, "cmdline", name, &has_files) || runs((pid_t)pid, name))
			vec_push(&pids, (pid_t)pid);
	}
	if (folder)
		closedir(folder);
	vec_sort(&pids, compare_pids);
	*ret_count = pids.count;
	errno = has_files ? 0 : EMFILE;
	return pids.items;
}

// ---- Reading ----------------------------------------------------------------------------------

/** Open a copy; a FIFO or a device is none. */
static int open_copy(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		err_os(err, "%s", path);
	else if (!S_ISREG(status.st_mode))
		err_set(err, ERR_INPUT, "%s: not a regular file", path);
	else
		return fd;
	fd_close(&fd);
	return -1;
}

static bool read_input(struct input *input, bool has_pages, struct smaps_text *text,
		       struct err *err)
{
	CLEANUP(lines_deinit) struct lines lines = { 0 };
	char name[40];

	snprintf(name, sizeof(name), "/proc/%d/smaps", (int)input->pid);
	if (input->path) {
		input->fd = open_copy(input->path, err);
		if (input->fd < 0)
			return false;
	}
	lines_init(&lines, input->path ? input->path : name, input->fd, &smaps_lines);
	if (!smaps_text_add(text, &lines, (uint32_t)input->pid, err))
		return false;
	if (has_pages)
		smaps_pages_read(&input->pages, text, (uint64_t)sysconf(_SC_PAGESIZE));
	return true;
}

bool smaps_finish(struct smaps *smaps, const struct smaps_options *options,
		  struct smaps_model **ret_model, struct err *err)
{
	struct smaps_attribution *attribution =
		smaps_attribution_create(smaps->source, options->is_forced);
	struct notes *notes = smaps_attribution_notes(attribution);
	size_t ended = 0;
	bool done = true;

	vec_foreach (input, &smaps->inputs) {
		struct smaps_text text = { 0 };
		struct err reason = { 0 };

		if (read_input(input, !options->no_pages, &text, &reason)) {
			done = smaps_attribution_add(attribution, &text, err);
		} else if (smaps->inputs.count > 1 && !input->path) {
			notes_add(notes, "%s", reason.message); // it ended meanwhile
			ended++;
		} else {
			done = false;
			if (err)
				*err = reason;
		}
		smaps_text_deinit(&text);
		if (!done)
			break;
	}
	if (done && ended == smaps->inputs.count)
		done = err_set(err, ERR_INPUT, "%s: all of its processes have ended",
			       smaps->source);
	if (done)
		*ret_model = smaps_attribution_finish(attribution);
	smaps_attribution_destroy(attribution);
	return done;
}
