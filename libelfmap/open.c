// SPDX-License-Identifier: Apache-2.0
// Opening and closing; what went wrong, in words.
#include "libelfmap/guard.h"
#include "libelfmap/question.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *elfmap_file_version(void)
{
	return LIBELFMAP_VERSION;
}

const char *elfmap_file_status_text(enum elfmap_status status)
{
	switch (status) {
	case ELFMAP_OK:
		return "done";
	case ELFMAP_NONE:
		return "nothing there";
	case ELFMAP_ERROR_OS:
		return "a system call failed";
	case ELFMAP_ERROR_FORMAT:
		return "not an ELF file that can be read";
	case ELFMAP_ERROR_UNSUPPORTED:
		return "an ELF file that is never loaded";
	case ELFMAP_ERROR_MEMORY:
		return "out of memory";
	}
	return "unknown status";
}

/** One file to open. */
struct opening {
	const char *path;
	int fd; // -1: by path
	const struct elfmap_options *options;
	struct elfmap *map;
	struct err err;
	bool is_open;
};

static void open_map(void *argument)
{
	struct opening *opening = argument;
	struct elfmap *map;

	opening->is_open =
		opening->fd < 0 ? elfmap_open(opening->path, opening->options, &map, &opening->err)
				: elfmap_open_fd(opening->fd, opening->path, opening->options, &map,
						 &opening->err);
	if (opening->is_open)
		opening->map = map;
}

static enum elfmap_status status_of(const struct err *err)
{
	switch (err->code) {
	case ERR_OS:
		return err->os_errno == ENOMEM ? ELFMAP_ERROR_MEMORY : ELFMAP_ERROR_OS;
	case ERR_UNSUPPORTED:
		return ELFMAP_ERROR_UNSUPPORTED;
	default:
		return ELFMAP_ERROR_FORMAT;
	}
}

/** Fill @error, which may be NULL. */
static enum elfmap_status fail(struct elfmap_error *error, enum elfmap_status status, int os_errno,
			       const char *path, const char *message)
{
	if (!error)
		return status;
	error->status = status;
	error->os_errno = status == ELFMAP_ERROR_OS ? os_errno : 0;
	if (message)
		snprintf(error->message, sizeof(error->message), "%s", message);
	else
		snprintf(error->message, sizeof(error->message), "%s: %s", path,
			 elfmap_file_status_text(status));
	return status;
}

static enum elfmap_status open_file(const char *path, int fd,
				    const struct elfmap_file_options *options,
				    struct elfmap_file **ret_file, struct elfmap_error *ret_error)
{
	static const struct elfmap_file_options usual = { 0 };

	if (!options)
		options = &usual;
	const struct elfmap_options inner = { .no_debug_files = options->no_debug_files,
					      .debug_dir = options->debug_directory };
	struct opening opening = { .path = path, .fd = fd, .options = &inner };
	struct elfmap_file *file = calloc(1, sizeof(*file));

	if (!file || !guard_run(open_map, &opening)) {
		elfmap_close(opening.map);
		free(file);
		return fail(ret_error, ELFMAP_ERROR_MEMORY, 0, path, NULL);
	}
	if (!opening.is_open) {
		free(file);
		return fail(ret_error, status_of(&opening.err), opening.err.os_errno, path,
			    opening.err.message);
	}
	file->map = opening.map;
	file->keeps_mangled = options->no_demangle;
	*ret_file = file;
	return ELFMAP_OK;
}

enum elfmap_status elfmap_file_open(const char *path, const struct elfmap_file_options *options,
				    struct elfmap_file **ret_file, struct elfmap_error *ret_error)
{
	return open_file(path, -1, options, ret_file, ret_error);
}

enum elfmap_status elfmap_file_open_fd(int fd, const char *path,
				       const struct elfmap_file_options *options,
				       struct elfmap_file **ret_file,
				       struct elfmap_error *ret_error)
{
	char link[64], target[PATH_MAX];

	if (fd < 0)
		return fail(ret_error, ELFMAP_ERROR_OS, EBADF, path ? path : "file",
			    "not an open file descriptor");
	if (!path) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		ssize_t length = readlink(link, target, sizeof(target) - 1);

		target[length > 0 ? length : 0] = '\0';
		path = length > 0 ? target : link;
	}
	return open_file(path, fd, options, ret_file, ret_error);
}

void elfmap_file_close(struct elfmap_file *file)
{
	if (!file)
		return;
	elfmap_close(file->map);
	free(file);
}
