// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include "base/arena.h"
#include "cli/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** What @path leads to, if it leads to something: a link stays one. */
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

bool output_start(struct output *output, const char *path)
{
	*output = (struct output){ .path = path, .target = target_of(path) };
	if (is_special(path)) {
		output->file = fopen(path, "we");
	} else {
		strbuf_printf(&output->beside, "%s.%ld.part", output->target, (long)getpid());
		output->file = fopen(strbuf_text(&output->beside), "wxe");
	}
	if (output->file)
		return true;
	message_print("%s: %s", path, strerror(errno));
	strbuf_deinit(&output->beside);
	free(output->target);
	return false;
}

bool output_finish(struct output *output, bool ok, struct err *err)
{
	const char *beside = output->beside.length > 0 ? strbuf_text(&output->beside) : NULL;

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
