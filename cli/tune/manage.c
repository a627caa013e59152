// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/manage.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "base/vec.h"
#include "cli/message.h"
#include "cli/tune/folder.h"
#include "cli/tune/result.h"
#include "cli/tune/tuning.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Find the folder that a name or a path means; NULL: said why. */
static const char *find_folder(struct arena *arena, const char *name)
{
	const char *path = strchr(name, '/') ? NULL : tunefolder_path(arena, name);
	char real[PATH_MAX];

	if (path && tunefolder_exists(path))
		return path;
	path = realpath(name, real) ? arena_strdup(arena, real) : path ?: name;
	if (tunefolder_exists(path))
		return path;
	message_print("%s: nothing of `elfault tune` is there; see `elfault tune --list`",
		      homepath_shortened(arena, path));
	return NULL;
}

bool manage_find(const struct option_words *names, struct arena *arena,
		 struct tunedstarts *ret_starts)
{
	size_t count = names->count;
	const char *const *paths = count ? NULL : tunefolder_list(arena, &count);
	struct tunedstart *starts = arena_array(arena, count, sizeof(*starts));
	bool ok = true;

	*ret_starts = (struct tunedstarts){ starts, 0 };
	for (size_t i = 0; i < count; i++) {
		const char *path = paths ? paths[i] : find_folder(arena, names->items[i]);

		if (path)
			tuneresult_read(path, arena, &starts[ret_starts->count++]);
		else
			ok = false;
	}
	return ok;
}

/** Tune it again where it was tuned. */
static bool refresh(const struct tunedstart *old, size_t runs, const struct option_values *shared,
		    struct arena *arena, struct tunedstart *ret_start)
{
	const struct tuning_request request = {
		.command = (char *const *)old->words,
		.path = old->folder,
		.until = old->until,
		.refreshes = old->refreshes,
		.runs = runs,
		.shared = shared,
	};

	if (old->word_count == 0) {
		message_print("%s: its command is not known any more: `elfault tune --undo`, and "
			      "tune it again",
			      homepath_shortened(arena, old->folder));
		return false;
	}
	// It names the command that is started.
	if (!tunefolder_is_own(old->folder)) {
		message_print("%s: someone else owns what was measured, or may write to it: it is "
			      "not tuned again",
			      homepath_shortened(arena, old->folder));
		return false;
	}
	if (chdir(old->directory ?: "/") != 0) {
		message_print("%s: the folder in which it was tuned is not there any more",
			      homepath_shortened(arena, old->directory));
		return false;
	}
	return tuning_run(&request, arena, ret_start);
}

bool manage_refresh(const struct option_words *names, size_t runs,
		    const struct option_values *shared, struct arena *arena,
		    struct tunedstarts *ret_starts)
{
	struct tunedstarts old;
	bool ok = manage_find(names, arena, &old);
	struct tunedstart *starts = arena_array(arena, old.count, sizeof(*starts));

	*ret_starts = (struct tunedstarts){ starts, 0 };
	array_foreach (start, old.items, old.count) {
		if (names->count == 0 && !start->plainly)
			continue;
		if (refresh(start, runs, shared, arena, &starts[ret_starts->count]))
			ret_starts->count++;
		else
			ok = false;
	}
	return ok;
}

bool manage_undo(const char *name)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *path = find_folder(&arena, name);
	struct err err;

	if (!path)
		return false;
	const bool ok = tunefolder_remove(path, &err);

	message_print("%s%s", ok ? homepath_shortened(&arena, path) : err.message,
		      ok ? ": removed" : "");
	return ok;
}
