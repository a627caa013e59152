// SPDX-License-Identifier: Apache-2.0
// Addresses of perf script's frames. Newer ones print those of files as offsets in the file, older
// ones as addresses; the file's name is behind them.
#include "import/perfscript.h"

#include "base/key.h"

enum {
	// A crafted log must not make each frame a search among all mappings.
	PARENTS_MAX = 64,   // spaces that a space was copied of, one of the other
	MAPPINGS_MAX = 256, // of a file, the newest in each
};

void perfspaces_deinit(struct perfspaces *spaces)
{
	u64map_deinit(&spaces->by_pid);
	u64map_deinit(&spaces->by_path);
	vec_deinit(&spaces->list);
	vec_deinit(&spaces->mappings);
}

static void begin(struct perfspaces *spaces, uint32_t pid, uint32_t parent)
{
	vec_push(&spaces->list, (struct perfspace){
					.parent = parent,
					.known = (uint32_t)spaces->mappings.count,
				});
	*u64map_put(&spaces->by_pid, pid, NULL) = (uint32_t)spaces->list.count;
}

void perfspaces_exec(struct perfspaces *spaces, uint32_t pid)
{
	begin(spaces, pid, 0);
}

void perfspaces_fork(struct perfspaces *spaces, uint32_t parent, uint32_t pid)
{
	const uint32_t *of = u64map_get(&spaces->by_pid, parent);

	begin(spaces, pid, of ? *of : 0);
}

void perfspaces_map(struct perfspaces *spaces, const struct trace_mapping *mapping)
{
	if (!u64map_get(&spaces->by_pid, mapping->pid))
		begin(spaces, mapping->pid, 0);

	uint32_t space = *u64map_get(&spaces->by_pid, mapping->pid);
	uint32_t *newest =
		u64map_put(&spaces->by_path, key_of(space, (uintptr_t)mapping->path), NULL);
	vec_push(&spaces->mappings, (struct perfspace_mapping){
					    .addr = mapping->addr,
					    .size = mapping->size,
					    .offset = mapping->offset,
					    .path = mapping->path,
					    .space = space,
					    .next = *newest,
					    .is_code = mapping->protection & TRACE_PROTECTION_EXEC,
				    });
	*newest = (uint32_t)spaces->mappings.count;
}

/** The two ways of reading a frame. */
struct readings {
	bool is_address;
	bool is_offset, is_of_code;
	uint64_t addr; // where is_offset
};

/** Newer mappings first; of those with the offset one of code counts. */
static void read_mapping(const struct perfspace_mapping *mapping, uint64_t value,
			 struct readings *readings)
{
	if (value >= mapping->addr && value - mapping->addr < mapping->size)
		readings->is_address = true;
	if (value < mapping->offset || value - mapping->offset >= mapping->size ||
	    (readings->is_offset && (readings->is_of_code || !mapping->is_code)))
		return;
	readings->is_offset = true;
	readings->is_of_code = mapping->is_code;
	readings->addr = mapping->addr + (value - mapping->offset);
}

static struct readings read_frame(const struct perfspaces *spaces, uint32_t space, const char *path,
				  uint64_t value)
{
	struct readings readings = { 0 };
	uint32_t known = UINT32_MAX;

	for (unsigned parents = 0; space && parents < PARENTS_MAX; parents++) {
		const uint32_t *newest =
			u64map_get(&spaces->by_path, key_of(space, (uintptr_t)path));
		unsigned looked = 0;

		for (uint32_t at = newest ? *newest : 0; at && looked++ < MAPPINGS_MAX;
		     at = spaces->mappings.items[at - 1].next) {
			const struct perfspace_mapping *mapping = &spaces->mappings.items[at - 1];

			// Keys are hashes.
			if (at <= known && mapping->space == space && mapping->path == path)
				read_mapping(mapping, value, &readings);
		}
		if (spaces->list.items[space - 1].known < known)
			known = spaces->list.items[space - 1].known;
		space = spaces->list.items[space - 1].parent;
	}
	return readings;
}

bool perfspaces_find(struct perfspaces *spaces, uint32_t pid, const char *path, uint64_t value,
		     uint64_t *ret_addr)
{
	const uint32_t *space = u64map_get(&spaces->by_pid, pid);
	if (!space)
		return false;
	struct readings readings = read_frame(spaces, *space, path, value);

	if (readings.is_address && readings.is_offset) {
		// A program at a low address. What the other frames are decides.
		if (spaces->has_offsets == spaces->has_addresses) {
			spaces->ambiguous++;
			return false;
		}
		readings.is_address = spaces->has_addresses;
		readings.is_offset = spaces->has_offsets;
	} else {
		spaces->has_addresses |= readings.is_address;
		spaces->has_offsets |= readings.is_offset;
	}
	if (!readings.is_address && !readings.is_offset)
		return false;
	*ret_addr = readings.is_address ? value : readings.addr;
	return true;
}
