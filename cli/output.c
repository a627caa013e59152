// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Return the target of @path, if it leads to something: a link stays one. */
static char *target_of(const char *path)
{
	char *target = realpath(path, NULL);

	return target ? target : xstrdup(path);
}

/** Whether @path is a device, pipe or the like: a file must not take its place. */
static bool is_special(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/**
 * Create a file without a name in the directory of @path, so that nothing is left of it whatever
 * ends this process. NULL where the file system has none, or what gives it a name is missing.
 */
static FILE *create_unnamed(const char *path)
{
	CLEANUP(strbuf_deinit) struct strbuf folder = { 0 };
	FILE *file = NULL;

	strbuf_printf(&folder, "%.*s.", (int)(path_file_name(path) - path), path);
	if (access("/proc/self/fd", X_OK) != 0)
		return NULL;

	int fd = open(strbuf_text(&folder), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);

	if (fd >= 0 && !(file = fdopen(fd, "w")))
		close(fd);
	return file;
}

/** Give a file of create_unnamed() its first name. */
static bool name_file(FILE *file, const char *name)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fileno(file));
	return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

bool output_start(struct output *output, const char *path)
{
	*output = (struct output){ .path = path, .target = target_of(path) };
	if (is_special(path)) {
		output->file = fopen(path, "we");
	} else {
		strbuf_printf(&output->beside, "%s.%ld.part", output->target, (long)getpid());
		output->file = create_unnamed(output->target);
		output->is_unnamed = output->file;
		if (!output->file)
			output->file = fopen(strbuf_text(&output->beside), "wxe");
	}
	if (output->file)
		return true;
	message_print("%s: %s", path, err_text(errno));
	strbuf_deinit(&output->beside);
	free(output->target);
	return false;
}

bool output_finish(struct output *output, bool ok, struct err *err)
{
	const char *beside = output->beside.length > 0 ? strbuf_text(&output->beside) : NULL;

	ok = ok && (fflush(output->file) == 0 || err_os(err, "writing"));
	if (output->is_unnamed && !(ok && beside && name_file(output->file, beside))) {
		ok = ok && err_os(err, "naming");
		beside = NULL;
	}
	ok = (fclose(output->file) == 0 || !ok || err_os(err, "writing")) && ok;
	ok = ok && (!beside || rename(beside, output->target) == 0 || err_os(err, "renaming"));
	if (!ok) {
		if (err->message[0])
			message_print("%s: %s", output->path, err->message);
		if (beside)
			unlink(beside);
	}
	strbuf_deinit(&output->beside);
	free(output->target);
	return ok;
}
