// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include "cli/message.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool output_start(struct output *output, const char *path)
{
	*output = (struct output){ .path = path };
	strbuf_printf(&output->beside, "%s.%ld.part", path, (long)getpid());
	output->file = fopen(strbuf_text(&output->beside), "wxe");
	if (output->file)
		return true;
	message_print("%s: %s", path, strerror(errno));
	strbuf_deinit(&output->beside);
	return false;
}

bool output_finish(struct output *output, bool ok, struct err *err)
{
	const char *beside = strbuf_text(&output->beside);

	ok = (fclose(output->file) == 0 || !ok || err_os(err, "writing")) && ok;
	ok = ok && (rename(beside, output->path) == 0 || err_os(err, "renaming"));
	if (!ok) {
		if (err->message[0])
			message_print("%s: %s", output->path, err->message);
		unlink(beside);
	}
	strbuf_deinit(&output->beside);
	return ok;
}
