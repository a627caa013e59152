// SPDX-License-Identifier: Apache-2.0
#include "cli/recording/coldrun.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "cli/message.h"
#include "cli/recording/recorded.h"
#include "cli/recording/repeat.h"

#include <string.h>

static bool find(const struct record_options *options, const char *const *traces, bool is_named,
		 struct record_files **ret_files, bool *ret_is_found)
{
	const struct record_files_request request = {
		.command = options->command,
		.traces = traces,
		.is_named = is_named,
	};
	struct err err = { 0 };

	if (record_files_find(&request, ret_files, ret_is_found, &err))
		return true;
	return message_fail(&err);
}

/** Record the command once, warm, into @folder. Returns the exit status. */
static int run_warm(const struct record_options *options, const char *folder)
{
	// This one makes way for the recorded one, whatever becomes of that.
	struct until until = { 0 };
	if (options->until)
		until = *options->until;
	until.then = UNTIL_THEN_END;

	const struct repeat repeat = {
		.options = {
			.command = options->command,
			.backend = options->backend,
			.as_root = options->as_root,
			.is_silent = options->is_silent,
			.until = options->until ? &until : NULL,
			.producer = options->producer,
		},
		.folder = folder,
		.count = 1,
		.quiet = true,
	};

	return repeat_run(&repeat);
}

int coldrun_find_files(const struct record_options *options, const char *trace, bool is_set,
		       bool is_quiet, struct record_files **ret_files)
{
	CLEANUP(strbuf_deinit) struct strbuf former = { 0 }, folder = { 0 }, warm = { 0 };
	const char *output = options->output;
	size_t length = strlen(output);
	bool is_found;

	while (length > 1 && output[length - 1] == '/')
		length--;
	strbuf_printf(&former, "%.*s%s", (int)length, output, is_set ? "/1.trace" : "");
	strbuf_printf(&folder, "%.*s.warm", (int)length, output);
	strbuf_printf(&warm, "%s/1.trace", folder.text);

	const char *const traces[] = { trace ? trace : former.text, trace ? NULL : warm.text,
				       NULL };

	if (!find(options, traces, trace != NULL, ret_files, &is_found))
		return RECORDED_FAILED;
	// To drop everything no list is needed; what is in it gets checked.
	if (is_found || (options->cold == RECORD_COLD_ALL && !options->is_exact))
		return 0;
	record_files_destroy(*ret_files);
	*ret_files = NULL;
	if (!is_quiet)
		message_print("%s is not a trace of this command; recording it once into %s to "
			      "find the files it maps",
			      former.text, folder.text);

	int status = run_warm(options, folder.text);

	if (!find(options, &traces[1], false, ret_files, &is_found))
		return RECORDED_FAILED;
	if (is_found)
		return 0;
	record_files_destroy(*ret_files);
	*ret_files = NULL;
	return status ? status : RECORDED_FAILED;
}
