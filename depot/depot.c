// SPDX-License-Identifier: Apache-2.0
#include "depot/depot.h"

#include "base/arena.h"
#include "base/vec.h"
#include "depot/sources.h"
#include "depot/pack.h"
#include "depot/settle.h"

#include <errno.h>

struct depot {
	struct arena arena; // of names for messages
	struct pack *pack;  // NULL: none
	VEC(struct sysroot) sysroots;
	struct debuginfod *debuginfod; // NULL: no servers
	FILE *progress;		       // NULL: it is not shown
	bool is_started;
};

struct depot *depot_create(void)
{
	return xcalloc(1, sizeof(struct depot));
}

void depot_destroy(struct depot *depot)
{
	if (!depot)
		return;
	vec_foreach (sysroot, &depot->sysroots)
		sysroot_close(sysroot);
	vec_deinit(&depot->sysroots);
	pack_close(depot->pack);
	debuginfod_client_destroy(depot->debuginfod);
	arena_deinit(&depot->arena);
	free(depot);
}

void depot_add_sysroot(struct depot *depot, const char *path)
{
	vec_push(&depot->sysroots, (struct sysroot){ .path = path, .fd = -1 });
}

bool depot_start(struct depot *depot, struct err *err)
{
	if (!depot || depot->is_started)
		return true;
	vec_foreach (sysroot, &depot->sysroots)
		if (!sysroot_open(sysroot, err))
			return false;
	depot->debuginfod = debuginfod_client_create();
	depot->is_started = true;
	return true;
}

void depot_set_pack(struct depot *depot, struct pack *pack)
{
	pack_close(depot->pack);
	depot->pack = pack;
}

bool depot_open_packed(struct depot *depot, uint32_t entry, struct depot_file *ret_found)
{
	return depot && depot->pack && entry > 0 && pack_get(depot->pack, entry - 1, ret_found);
}

void depot_show_progress(struct depot *depot, FILE *out)
{
	depot->progress = out;
}

bool depot_fetch(struct depot *depot, const struct depot_wish *wish, struct depot_file *ret_found,
		 struct err *err)
{
	char *path;

	err->message[0] = '\0';
	if (!depot || depot->pack || wish->build_id_size == 0)
		return false;
	struct depot_file found = {
		.fd = debuginfod_client_get(depot->debuginfod, wish, depot->progress, &path, err),
	};
	if (found.fd < 0)
		return false;
	found.place = arena_strdup(&depot->arena, path ? path : "debuginfod");
	free(path);
	int os_errno = fstat(found.fd, &found.status) == 0 ? 0 : errno;

	depot_settle(&found, os_errno);
	*ret_found = found;
	return true;
}

bool depot_has_others(const struct depot *depot)
{
	return depot && (depot->sysroots.count > 0 || depot->pack);
}

bool depot_next(struct depot *depot, const char *path, size_t *place, struct depot_file *ret_found)
{
	size_t count = depot ? depot->sysroots.count : 0;

	if (!depot)
		return (*place)++ == 0 && depot_open_here(path, ret_found);
	if (*place == 0 && ++*place && depot->pack && pack_find(depot->pack, path, ret_found))
		return true;
	for (; *place <= count; ++*place) {
		const struct sysroot *sysroot = &depot->sysroots.items[*place - 1];
		struct depot_file found = { .fd = -1 };
		int os_errno = sysroot_find(sysroot, path, &found.fd, &found.status);

		if (!depot_settle(&found, os_errno))
			continue;
		found.place = arena_printf(&depot->arena, "%s%s%s", sysroot->path,
					   path[0] == '/' ? "" : "/", path);
		*ret_found = found;
		++*place;
		return true;
	}
	return (*place)++ == count + 1 && !depot->pack && depot_open_here(path, ret_found);
}
