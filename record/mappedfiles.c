// SPDX-License-Identifier: Apache-2.0
#include "record/mappedfiles.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "record/kernelinode.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <xxhash.h>

/** A file: its path, and what the kernel's records say of it: a build-id, or device and inode. */
struct entry {
	const char *path;
	uint8_t build_id[TRACE_BUILD_ID_MAX];
	uint32_t build_id_size;
	uint64_t device, inode;
	struct trace_identity identity;
	uint32_t next_same_hash; // id of the next entry with the same hash, 0: none
};

struct mappedfiles {
	struct arena arena;		       // paths
	VEC(struct entry) entries;	       // ids, less 1
	VEC(struct trace_identity) identities; // of entries, once settled
	struct u64map by_key;		       // hash -> id of the first entry with it
};

struct mappedfiles *mappedfiles_create(void)
{
	return xcalloc(1, sizeof(struct mappedfiles));
}

void mappedfiles_destroy(struct mappedfiles *files)
{
	if (!files)
		return;
	vec_deinit(&files->entries);
	vec_deinit(&files->identities);
	u64map_deinit(&files->by_key);
	arena_deinit(&files->arena);
	free(files);
}

/** What stat() tells of the file, where the one at its path is the one that was mapped. */
static void identify(struct entry *entry)
{
	struct stat status;

	if (stat(entry->path, &status) != 0 || !S_ISREG(status.st_mode) ||
	    (entry->inode && !kernelinode_is(entry->path, &status, entry->device, entry->inode))) {
		entry->identity.flags |= TRACE_FILE_ELSEWHERE;
		return;
	}
	trace_identity_stat(&entry->identity, &status);
}

static uint64_t hash_of(const struct trace_mapping *mapping)
{
	uint64_t seed = mapping->device ^ mapping->inode * 31;

	if (mapping->build_id_size)
		seed = XXH3_64bits(mapping->build_id, mapping->build_id_size);
	return XXH3_64bits_withSeed(mapping->path, strlen(mapping->path), seed);
}

static bool is_of(const struct entry *entry, const struct trace_mapping *mapping)
{
	return entry->device == mapping->device && entry->inode == mapping->inode &&
	       entry->build_id_size == mapping->build_id_size &&
	       memcmp(entry->build_id, mapping->build_id, entry->build_id_size) == 0 &&
	       strcmp(entry->path, mapping->path) == 0;
}

uint32_t mappedfiles_see(struct mappedfiles *files, const struct trace_mapping *mapping)
{
	if (mapping->path[0] != '/' || mapping->path[1] == '/')
		return 0; // "//anon"

	uint32_t *head = u64map_put(&files->by_key, hash_of(mapping), NULL);
	for (uint32_t id = *head; id; id = files->entries.items[id - 1].next_same_hash)
		if (is_of(&files->entries.items[id - 1], mapping))
			return id;

	struct entry entry = {
		.path = arena_strdup(&files->arena, mapping->path),
		.build_id_size = mapping->build_id_size,
		.device = mapping->device,
		.inode = mapping->inode,
		.identity.id = (uint32_t)files->entries.count + 1, // fewer than mappings
		.next_same_hash = *head,
	};
	memcpy(entry.build_id, mapping->build_id, entry.build_id_size);
	identify(&entry);
	vec_push(&files->entries, entry);
	*head = entry.identity.id;
	return entry.identity.id;
}

/** Hash an ELF file, if it is still what it was. */
static void hash(struct trace_identity *identity, int fd)
{
	struct trace_identity now = { 0 };
	struct stat status;
	char magic[SELFMAG];

	if (fstat(fd, &status) != 0)
		return;
	trace_identity_stat(&now, &status);
	if (now.device == identity->device && now.inode == identity->inode &&
	    trace_identity_equal(&now, identity) && pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	    memcmp(magic, ELFMAG, SELFMAG) == 0)
		trace_identity_hash(identity, fd);
}

const struct trace_identity *mappedfiles_settle(struct mappedfiles *files,
						struct trace_writer *writer, size_t *ret_count)
{
	vec_foreach (entry, &files->entries) {
		if (!entry->build_id_size && (entry->identity.flags & TRACE_FILE_KNOWN)) {
			CLEANUP(fd_close)
			int fd = open(entry->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

			if (fd >= 0)
				hash(&entry->identity, fd);
		}
		trace_writer_file(writer, &entry->identity);
		vec_push(&files->identities, entry->identity);
	}
	*ret_count = files->identities.count;
	return files->identities.items;
}
