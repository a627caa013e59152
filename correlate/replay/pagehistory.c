// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/pagehistory.h"

#include "base/arena.h"

#include <stdlib.h>

// A value packs two write times, each 0 (never) or 1 + the number of forks before it: the first in
// the low half, for children forked since; the last in the high half, for the process itself.
enum { WRITE_MAX = 0xffff };

static uint32_t write_time(uint32_t forks)
{
	return forks < WRITE_MAX ? forks + 1 : WRITE_MAX;
}

static uint32_t first_write(uint32_t value)
{
	return value & WRITE_MAX;
}

static uint32_t last_write(uint32_t value)
{
	return value >> 16;
}

struct pagehistory *pagehistory_create(void)
{
	return xcalloc(1, sizeof(struct pagehistory));
}

struct pagehistory *pagehistory_fork(struct pagehistory *parent)
{
	struct pagehistory *child = pagehistory_create();

	child->parent = parent;
	child->parent_forks = parent->forks++;
	return child;
}

bool pagehistory_has_forked(const struct pagehistory *history)
{
	return history->parent || history->forks;
}

/** True if @history had written @page before its fork number @forks. */
static bool written_before(const struct pagehistory *history, uint64_t page, uint32_t forks)
{
	for (; history; forks = history->parent_forks, history = history->parent) {
		const uint32_t *value = u64map_get(&history->pages, page);

		if (value && first_write(*value) && first_write(*value) <= write_time(forks))
			return true;
	}
	return false;
}

enum page_history pagehistory_state(const struct pagehistory *history, uint64_t page)
{
	const uint32_t *value = u64map_get(&history->pages, page);

	if (value && last_write(*value))
		return last_write(*value) == write_time(history->forks) ? HISTORY_WRITTEN
									: HISTORY_WRITTEN_SHARED;
	if (value)
		return HISTORY_READ;
	if (history->parent && written_before(history->parent, page, history->parent_forks))
		return HISTORY_WRITTEN_SHARED;
	return HISTORY_UNSEEN;
}

void pagehistory_note(struct pagehistory *history, uint64_t page, bool is_write, bool is_fresh)
{
	bool is_new;
	uint32_t *value = u64map_put(&history->pages, page, &is_new);

	if (is_fresh)
		*value = 0;
	if (is_write) {
		uint32_t now = write_time(history->forks);
		uint32_t first = first_write(*value) ? first_write(*value) : now;

		*value = now << 16 | first;
	}
}

void pagehistory_destroy(struct pagehistory *history)
{
	if (!history)
		return;
	u64map_deinit(&history->pages);
	free(history);
}
