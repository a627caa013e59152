// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/written.h"

#include "base/order.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ENTRIES_MOST = 20000, NAMED = 3 };

struct entry {
	const char *name;
	struct timespec time;
	off_t size;
};

struct written {
	struct entry *entries; // by name
	size_t count;
};

typedef VEC(struct entry) entry_list;

ORDER_OF(by_name, entry, strcmp(x->name, y->name))

/** Add an entry of @folder; of another folder its name alone, since what is in it is not seen. */
static void add(struct arena *arena, DIR *folder, const char *name, entry_list *entries)
{
	struct entry entry = { 0 };
	struct stat status;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	    fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	entry.name = arena_strdup(arena, name);
	if (!S_ISDIR(status.st_mode)) {
		entry.time = status.st_mtim;
		entry.size = status.st_size;
	}
	vec_push(entries, entry);
}

struct written *written_look(struct arena *arena)
{
	struct written *written = arena_array(arena, 1, sizeof(*written));
	entry_list entries = { 0 };
	DIR *folder = opendir(".");

	if (!folder)
		return NULL;
	for (struct dirent *entry; entries.count <= ENTRIES_MOST && (entry = readdir(folder));)
		add(arena, folder, entry->d_name, &entries);
	closedir(folder);
	vec_sort(&entries, by_name);
	written->entries = vec_keep_counted(&entries, arena, &written->count);
	return written->count > ENTRIES_MOST ? NULL : written;
}

static bool is_in(const struct written *written, const struct entry *entry)
{
	const struct entry *found =
		bsearch(entry, written->entries, written->count, sizeof(*entry), by_name);

	return found && found->size == entry->size && found->time.tv_sec == entry->time.tv_sec &&
	       found->time.tv_nsec == entry->time.tv_nsec;
}

const char *written_since(const struct written *before, struct arena *arena)
{
	const struct written *now = before ? written_look(arena) : NULL;
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };
	size_t count = 0;

	for (size_t i = 0; now && i < now->count; i++) {
		const struct entry *entry = &now->entries[i];

		if (!is_in(before, entry) && count++ < NAMED)
			strbuf_printf(&names, "%s%s", names.length ? ", " : "", entry->name);
	}
	if (count > NAMED)
		strbuf_printf(&names, ", %zu more", count - NAMED);
	return count ? arena_strdup(arena, strbuf_text(&names)) : NULL;
}
