// SPDX-License-Identifier: Apache-2.0
// The files of commands that start cold.
#include "cli/bench/folder.h"
#include "cli/bench/starts.h"
#include "cli/recording/coldrun.h"
#include "cli/recording/recorded.h"
#include "cli/version.h"

#include "base/cleanup.h"

enum { FAILED = 125 };

int starts_find_files(struct starts_plan *plan)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	// As coldrun_find_files() names them.
	static const char *const folders[] = { "A.warm", "B.warm", NULL };
	const char *folder = folder_make(&arena);
	int status = folder ? 0 : FAILED;

	for (size_t i = 0; status == 0 && i < plan->command_count; i++) {
		const struct record_options options = {
			RECORDED_DEFAULTS,
			.command = plan->commands[i].command,
			.as_root = plan->commands[i].as_root,
			.is_silent = plan->commands[i].is_silent,
			.cold = RECORD_COLD_FILES,
			.output = arena_printf(&arena, "%s/%c", folder, (char)('A' + i)),
			.until = plan->until,
			.producer = version_line,
		};
		struct record_files *files = NULL;

		status = starts_prepare(plan, i);
		if (status == 0)
			status = coldrun_find_files(&options, NULL, false, true, &files);
		plan->commands[i].cold = RECORD_COLD_FILES;
		plan->commands[i].files = files;
	}
	folder_remove(folder, folders, 1);
	return status;
}

void starts_forget_files(struct starts_plan *plan)
{
	for (size_t i = 0; i < plan->command_count; i++)
		record_files_destroy((struct record_files *)(uintptr_t)plan->commands[i].files);
}
