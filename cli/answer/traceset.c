// SPDX-License-Identifier: Apache-2.0
#include "cli/answer/traceset.h"

#include "base/err.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "cli/caller.h"
#include "cli/message.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char ending[] = ".trace";

bool traceset_is(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static int is_trace(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length >= sizeof(ending) &&
	       strcmp(entry->d_name + length - (sizeof(ending) - 1), ending) == 0;
}

/** The traces in @folder, added to @set; their number, or -1 with errno. */
static int add_folder(struct traceset *set, const char *folder)
{
	bool has_slash = folder[strlen(folder) - 1] == '/';
	struct dirent **entries;
	int count = scandir(folder, &entries, is_trace, versionsort);

	if (count < 0)
		return -1;
	for (int i = 0; i < count; i++) {
		struct strbuf path = { 0 };

		strbuf_printf(&path, "%s%s%s", folder, has_slash ? "" : "/", entries[i]->d_name);
		vec_push(&set->paths, path.text);
		free(entries[i]);
	}
	free(entries);
	return count;
}

bool traceset_add(struct traceset *set, const char *word)
{
	struct caller caller = caller_find();

	if (!caller_take_rights(&caller))
		return false;
	if (!traceset_is(word)) {
		vec_push(&set->paths, xstrdup(word));
		return true;
	}
	int count = add_folder(set, word);

	if (count > 0)
		return true;
	if (count < 0)
		message_print("%s: %s", word, err_text(errno));
	else
		message_print("%s: is a directory without traces (*.trace)", word);
	return false;
}

bool traceset_add_all(struct traceset *set, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!traceset_add(set, words[i]))
			return false;
	return true;
}

void traceset_deinit(struct traceset *set)
{
	vec_foreach (path, &set->paths)
		free((char *)*path);
	vec_deinit(&set->paths);
}

bool traceset_refuse(const char *command, const char *word)
{
	CLEANUP(traceset_deinit) struct traceset set = { 0 };
	int count = traceset_is(word) ? add_folder(&set, word) : 0;

	if (count > 0)
		message_print("%s: is a directory with %d trace%s, but %s reads only one: elfault "
			      "%s %s; `elfault diff BEFORE %s` compares sets",
			      word, count, figure_plural(count), command, command,
			      set.paths.items[0], word);
	return count > 0;
}

bool traceset_read(const char *command, const char *path, struct trace **ret_trace)
{
	struct err err;

	if (trace_read(path, ret_trace, &err))
		return true;
	if (!traceset_refuse(command, path))
		message_print("%s", err.message);
	return false;
}
