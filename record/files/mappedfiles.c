// SPDX-License-Identifier: Apache-2.0
#include "record/files/mappedfiles.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/lines.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "elfmap/headers/elfheaders.h"
#include "record/files/private.h"
#include "record/files/rights.h"
#include "record/files/kernelinode.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <xxhash.h>

enum {
	HELD_MAX = 512,
	SEEN_MAX = 16,
	TRIES_MAX = 4,
	READING = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, // whatever stands there
};

/** A file: its path, and what the kernel's records say of it: a build-id, or device and inode. */
struct entry {
	const char *path;
	uint8_t build_id[TRACE_BUILD_ID_MAX];
	uint32_t build_id_size;
	uint64_t device, inode;
	uint32_t seen_root; // of the process that maps it; 0: the recorder's, or not known
	uint32_t root;	    // 0: it is the file at its path here, or not known
	struct trace_identity identity;
	int fd; // O_PATH, then for reading; -1: not kept
	uint8_t tries;
	bool is_code;		 // has been mapped as such
	bool is_copy;		 // .fd is one, made as it was mapped
	uint32_t next_same_hash; // id of the next entry with the same hash, 0: none
};

static const uint64_t memory_held_ns = 200000000; // longer than until its mapping is told

/** A file without a path, seen before its mappings, which may be looked at too late. */
struct seen_file {
	uint32_t pid;
	int fd; // -1: none any more
	uint64_t time_ns;
	uint64_t inode; // of its mappings; 0: unknown
	char link[256];
};

/** The latest. */
struct seen_files {
	struct seen_file items[SEEN_MAX];
	size_t count; // so far
};

struct mappedfiles {
	const struct caller *caller;
	struct targetroots *roots;
	struct arena arena;		    // paths
	VEC(struct entry) entries;	    // ids, less 1
	struct u64map by_key;		    // hash -> id of the first entry with it
	struct seen_files programs, memory; // as they began, as they were made
	VEC(uint64_t) mounts;		    // that were there at the start
	size_t held, held_max;
	uint64_t copied;     // bytes
	bool opens_mappings; // else each try would read all of a process's maps in vain
	VEC(struct trace_identity) identities; // of entries, once settled
	VEC(int) fds;			       // likewise
};

/** Close those that were seen before @time_ns. */
static void seen_files_let_go(struct seen_files *seen, uint64_t time_ns)
{
	for (size_t i = 0; i < SEEN_MAX && i < seen->count; i++)
		if (seen->items[i].time_ns < time_ns)
			fd_close(&seen->items[i].fd);
}

/** The mounts of this namespace, by the numbers that statx() gives. */
static void list_mounts(struct mappedfiles *files)
{
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;

	if (!lines_open(&lines, "/proc/self/mountinfo", &lines_of_kernel, NULL))
		return;
	while (lines_next(&lines, &line))
		vec_push(&files->mounts, strtoull(line.text, NULL, 10));
}

struct mappedfiles *mappedfiles_create(const struct caller *caller)
{
	struct mappedfiles *files = xcalloc(1, sizeof(*files));
	struct rlimit limit = { 0 };

	files->caller = caller;
	files->roots = targetroots_create(caller);
	list_mounts(files);
	files->opens_mappings = exactfile_is_allowed();
	files->held_max = HELD_MAX;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < HELD_MAX)
		files->held_max = (size_t)limit.rlim_cur / 4;
	return files;
}

void mappedfiles_destroy(struct mappedfiles *files)
{
	if (!files)
		return;
	vec_foreach (entry, &files->entries)
		fd_close(&entry->fd);
	seen_files_let_go(&files->programs, UINT64_MAX);
	seen_files_let_go(&files->memory, UINT64_MAX);
	targetroots_destroy(files->roots);
	vec_deinit(&files->entries);
	vec_deinit(&files->mounts);
	vec_deinit(&files->identities);
	vec_deinit(&files->fds);
	u64map_deinit(&files->by_key);
	arena_deinit(&files->arena);
	free(files);
}

/** Keep @file, unless nothing was found. */
static void seen_files_add(struct seen_files *seen, const struct seen_file *file)
{
	if (file->fd < 0)
		return;

	struct seen_file *place = &seen->items[seen->count % SEEN_MAX];

	if (seen->count++ >= SEEN_MAX)
		fd_close(&place->fd);
	*place = *file;
}

void mappedfiles_task(struct mappedfiles *files, const struct trace_task *task)
{
	struct seen_file program = { .pid = task->pid };

	if (task->kind == TRACE_TASK_FORK && task->pid != task->parent_pid)
		targetroots_fork(files->roots, task->pid, task->parent_pid);
	if (task->kind != TRACE_TASK_EXEC)
		return;
	targetroots_look(files->roots, task->pid);
	program.fd =
		exactfile_of_program(files->caller, task->pid, program.link, sizeof(program.link));
	seen_files_add(&files->programs, &program);
}

void mappedfiles_memory(struct mappedfiles *files, uint32_t pid, uint32_t fd)
{
	struct seen_file file = { .pid = pid, .time_ns = clock_now_ns() };
	struct stat status;

	file.fd = exactfile_of_descriptor(files->caller, pid, fd, file.link, sizeof(file.link));
	// Memory is of one file system: its mappings have this inode.
	if (file.fd >= 0 && fstat(file.fd, &status) == 0)
		file.inode = status.st_ino;
	seen_files_add(&files->memory, &file);
}

void mappedfiles_let_go(struct mappedfiles *files)
{
	if (files->memory.count)
		seen_files_let_go(&files->memory, clock_now_ns() - memory_held_ns);
}

/** Whether @fd is the file, and unchanged. */
static bool is_unchanged(const struct trace_identity *identity, int fd)
{
	struct trace_identity now = { 0 };
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		return false;
	trace_identity_stat(&now, &status);
	return now.device == identity->device && now.inode == identity->inode &&
	       trace_identity_equal(&now, identity);
}

// ---- Finding a file while its process lives ---------------------------------------------------

/** Whether the file at @path may be the mapped one; with device and inode of the kernel, is. */
static bool fits(const struct entry *entry, const char *path, const struct stat *status)
{
	return S_ISREG(status->st_mode) &&
	       (!entry->inode || kernelinode_is(path, status, entry->device, entry->inode));
}

/** Keep @fd, which is taken over, if it may be the mapped file. */
static bool keep(struct mappedfiles *files, struct entry *entry, int fd)
{
	char path[32];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || files->held >= files->held_max || fstat(fd, &status) != 0 ||
	    !fits(entry, path, &status)) {
		fd_close(&fd);
		return false;
	}
	entry->identity.flags &= ~(uint32_t)TRACE_FILE_DENIED;
	trace_identity_stat(&entry->identity, &status);
	entry->fd = fd;
	files->held++;
	return true;
}

/** The latest goes first: a process may call several the same. */
static bool keep_seen(struct mappedfiles *files, struct entry *entry, uint32_t pid,
		      const struct seen_files *seen)
{
	for (size_t i = seen->count; i-- > 0 && seen->count - i <= SEEN_MAX;) {
		const struct seen_file *file = &seen->items[i % SEEN_MAX];

		// Which inode a mapping has is else found out by mapping the file and reading maps.
		if (file->fd >= 0 && file->pid == pid && strcmp(file->link, entry->path) == 0 &&
		    (!file->inode || !entry->inode || file->inode == entry->inode) &&
		    keep(files, entry, fcntl(file->fd, F_DUPFD_CLOEXEC, 0)))
			return true;
	}
	return false;
}

/** Reach a file that is not at its path here. */
static void identify_elsewhere(struct mappedfiles *files, struct entry *entry,
			       const struct trace_mapping *mapping, uint32_t root)
{
	bool is_denied = false;

	entry->tries++;
	entry->identity.flags |= TRACE_FILE_ELSEWHERE;
	if (keep_seen(files, entry, mapping->pid, &files->programs) ||
	    keep_seen(files, entry, mapping->pid, &files->memory))
		return;
	if (root >= TARGETROOT_OTHER) {
		errno = 0;
		if (keep(files, entry, targetroots_open(files->roots, root, entry->path)))
			return;
		is_denied = errno == EACCES;
	}
	errno = files->opens_mappings ? 0 : EPERM;
	if (files->opens_mappings &&
	    keep(files, entry, exactfile_of_mapping(files->caller, mapping)))
		return;
	if (is_denied || errno == EACCES || errno == EPERM)
		entry->identity.flags |= TRACE_FILE_DENIED;
	// A process that ended too soon may have had the root of another.
	for (root = TARGETROOT_OTHER; root < targetroots_count(files->roots); root++)
		if (keep(files, entry, targetroots_open(files->roots, root, entry->path)))
			return;
}

/** The file is @root's own, unless it is the one at its path here. */
static void set_root(struct entry *entry, uint32_t root)
{
	struct stat here;

	if (root < TARGETROOT_OTHER || !(entry->identity.flags & TRACE_FILE_KNOWN))
		return;
	if (stat(entry->path, &here) != 0 || here.st_ino != entry->identity.inode ||
	    here.st_dev != entry->identity.device)
		entry->root = root;
}

/**
 * Find the file at its path here, or else where its process has it. Device and inode of the
 * kernel's record prove which; of a file with a build-id they are not known, and its process's root
 * decides.
 */
static void identify(struct mappedfiles *files, struct entry *entry,
		     const struct trace_mapping *mapping)
{
	uint32_t root = targetroots_look(files->roots, mapping->pid);
	struct stat status;
	bool is_here = (root < TARGETROOT_OTHER || entry->inode) && stat(entry->path, &status) == 0;

	if (is_here && fits(entry, entry->path, &status))
		trace_identity_stat(&entry->identity, &status);
	else if (is_here && !S_ISREG(status.st_mode))
		entry->tries = TRIES_MAX; // a device
	else
		identify_elsewhere(files, entry, mapping, root);
	set_root(entry, root);
}

static bool is_on_old_mount(const struct mappedfiles *files, int fd)
{
	struct statx status;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) != 0 ||
	    !(status.stx_mask & STATX_MNT_ID))
		return false;
	vec_foreach (mount, &files->mounts)
		if (*mount == status.stx_mnt_id)
			return true;
	return false;
}

static void keep_copy(struct mappedfiles *files, struct entry *entry)
{
	CLEANUP(fd_close) int fd = rights_open(files->caller, entry->path, READING);

	if (!is_unchanged(&entry->identity, fd) || files->held >= files->held_max)
		return;
	entry->fd = filecopy_make(fd, entry->identity.size, &files->copied);
	entry->is_copy = entry->fd >= 0;
	files->held += entry->is_copy;
}

/**
 * Keep hold of code that stands at its path, in case it is deleted. On mounts that were made
 * meanwhile a copy of it: the program could not unmount them.
 */
static void hold_code(struct mappedfiles *files, struct entry *entry)
{
	int fd = open(entry->path, O_PATH | O_CLOEXEC);
	bool is_there = is_unchanged(&entry->identity, fd);

	if (is_there && is_on_old_mount(files, fd)) {
		keep(files, entry, fd);
		return;
	}
	fd_close(&fd);
	if (is_there)
		keep_copy(files, entry);
}

static uint64_t hash_of(const struct trace_mapping *mapping)
{
	uint64_t seed = mapping->device ^ mapping->inode * 31;

	if (mapping->build_id_size)
		seed = XXH3_64bits(mapping->build_id, mapping->build_id_size);
	return XXH3_64bits_withSeed(mapping->path, strlen(mapping->path), seed);
}

static bool is_of(const struct entry *entry, const struct trace_mapping *mapping,
		  uint32_t seen_root)
{
	return entry->seen_root == seen_root && entry->device == mapping->device &&
	       entry->inode == mapping->inode && entry->build_id_size == mapping->build_id_size &&
	       memcmp(entry->build_id, mapping->build_id, entry->build_id_size) == 0 &&
	       strcmp(entry->path, mapping->path) == 0;
}

/** The entry of @mapping's file, a new one where it is the first. */
static struct entry *find_or_add(struct mappedfiles *files, const struct trace_mapping *mapping)
{
	uint32_t *head = u64map_put(&files->by_key, hash_of(mapping), NULL);
	// Of files with a build-id the kernel tells no inode: those of two roots may be alike.
	uint32_t seen_root = targetroots_known(files->roots, mapping->pid);

	seen_root = seen_root < TARGETROOT_OTHER ? 0 : seen_root;
	for (uint32_t id = *head; id; id = files->entries.items[id - 1].next_same_hash)
		if (is_of(&files->entries.items[id - 1], mapping, seen_root))
			return &files->entries.items[id - 1];

	struct entry entry = {
		.path = arena_strdup(&files->arena, mapping->path),
		.build_id_size = mapping->build_id_size,
		.device = mapping->device,
		.inode = mapping->inode,
		.seen_root = seen_root,
		.identity.id = (uint32_t)files->entries.count + 1, // fewer than mappings
		.fd = -1,
		.next_same_hash = *head,
	};
	memcpy(entry.build_id, mapping->build_id, entry.build_id_size);
	*head = entry.identity.id;
	identify(files, &entry, mapping);
	vec_push(&files->entries, entry);
	return &files->entries.items[files->entries.count - 1];
}

uint32_t mappedfiles_see(struct mappedfiles *files, const struct trace_mapping *mapping)
{
	if (mapping->path[0] != '/' || mapping->path[1] == '/')
		return 0; // "//anon"

	struct entry *entry = find_or_add(files, mapping);

	if (!(entry->identity.flags & TRACE_FILE_KNOWN) && entry->tries < TRIES_MAX) {
		const uint32_t root = targetroots_look(files->roots, mapping->pid);

		identify_elsewhere(files, entry, mapping, root);
		set_root(entry, root);
	}
	if ((mapping->protection & TRACE_PROTECTION_EXEC) && !entry->is_code) {
		entry->is_code = true;
		if (entry->identity.flags & TRACE_FILE_KNOWN && entry->fd < 0)
			hold_code(files, entry);
	}
	return entry->identity.id;
}

// ---- In the end, without privilege -------------------------------------------------------------

static int open_to_read(const char *path)
{
	return open(path, READING);
}

/** Whether the file at @fd has the build-id that the kernel found, if it found one. */
static bool has_build_id(const struct entry *entry, int fd)
{
	uint8_t bytes[TRACE_BUILD_ID_MAX];

	return !entry->build_id_size ||
	       (elfheaders_build_id(fd, bytes, sizeof(bytes)) == entry->build_id_size &&
		memcmp(bytes, entry->build_id, entry->build_id_size) == 0);
}

/** Take what stands at the path after all, if its build-id says so. */
static bool settle_by_build_id(struct entry *entry)
{
	CLEANUP(fd_close) int fd = entry->build_id_size ? open_to_read(entry->path) : -1;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0 || !has_build_id(entry, fd))
		return false;
	entry->identity.flags = 0;
	trace_identity_stat(&entry->identity, &status);
	return true;
}

/** Whether the caller may reach the folder, and so could read a file in it. */
static bool may_reach(const char *path)
{
	CLEANUP(strbuf_deinit) struct strbuf folder = { 0 };

	strbuf_printf(&folder, "%.*s", (int)(path_file_name(path) - path), path);
	return access(strbuf_text(&folder), X_OK) == 0;
}

/** Open for reading what is kept, which checks the file's own permissions. */
static void reopen(struct entry *entry)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", entry->fd);
	int fd = open_to_read(path);

	if (fd < 0 && (errno == EACCES || errno == EPERM))
		entry->identity.flags |= TRACE_FILE_DENIED;
	close(entry->fd);
	entry->fd = fd;
}

/** Settle a file that was kept. */
static void settle_kept(struct entry *entry, bool embed, struct embed_budget *budget,
			struct trace_writer *writer)
{
	struct trace_identity *identity = &entry->identity;

	if (entry->is_copy || is_unchanged(identity, entry->fd)) {
		if (!elfheaders_is_elf_file(entry->fd))
			return; // data, of which nobody asks for names
		trace_identity_hash(identity, entry->fd);
	} else {
		embed = false;
	}
	if (!embed || !embed_file(entry->fd, identity->size, identity->id, budget, writer))
		identity->flags |= TRACE_FILE_LEFT_OUT;
}

static void drop(struct entry *entry)
{
	fd_close(&entry->fd);
	entry->fd = -1;
}

/** Settle a file that was found at its path. False if it is not there any more, but is kept. */
static bool settle_at_path(struct entry *entry)
{
	CLEANUP(fd_close) int fd = open_to_read(entry->path);

	if (!is_unchanged(&entry->identity, fd) && entry->fd >= 0 &&
	    (entry->is_copy || may_reach(entry->path)))
		return false;
	drop(entry);
	if (!is_unchanged(&entry->identity, fd))
		return true; // what it was is known, and that it is that no more
	if (!has_build_id(entry, fd))
		entry->identity.flags = TRACE_FILE_ELSEWHERE;
	else if (!entry->build_id_size && elfheaders_is_elf_file(fd))
		trace_identity_hash(&entry->identity, fd);
	return true;
}

static void settle(struct entry *entry, bool embed, struct embed_budget *budget,
		   struct trace_writer *writer)
{
	uint32_t *flags = &entry->identity.flags;

	if (*flags == TRACE_FILE_KNOWN && settle_at_path(entry))
		return;
	// Of one build-id is one file: nothing of a container's copy needs to be kept.
	if (settle_by_build_id(entry)) {
		drop(entry);
		return;
	}
	*flags |= TRACE_FILE_ELSEWHERE; // by now
	if (entry->fd >= 0)
		reopen(entry);
	// What stands at the path in some root may be another file.
	if (entry->fd >= 0 && !has_build_id(entry, entry->fd)) {
		drop(entry);
		*flags = TRACE_FILE_ELSEWHERE;
	}
	if (entry->fd < 0) {
		if (*flags & TRACE_FILE_KNOWN)
			*flags |= TRACE_FILE_LEFT_OUT;
		return;
	}
	settle_kept(entry, embed, budget, writer);
}

/** Let who compares @fd, a copy, with what was recorded find it unchanged. */
static void take_identity_of_copy(struct trace_identity *identity, int fd)
{
	struct stat status;

	if (fstat(fd, &status) == 0)
		trace_identity_stat(identity, &status);
}

struct mappedfiles_result mappedfiles_settle(struct mappedfiles *files, bool embed,
					     struct trace_writer *writer)
{
	struct embed_budget budget = { 0 };

	vec_foreach (entry, &files->entries) {
		settle(entry, embed, &budget, writer);
		const struct trace_root root = { entry->identity.id,
						 targetroots_name(files->roots, entry->root) };

		trace_writer_file(writer, &entry->identity);
		if (root.name)
			trace_writer_root(writer, &root);
		vec_push(&files->identities, entry->identity);
		if (entry->is_copy && entry->fd >= 0)
			take_identity_of_copy(&files->identities.items[files->identities.count - 1],
					      entry->fd);
		vec_push(&files->fds, entry->fd);
	}
	return (struct mappedfiles_result){
		.identities = files->identities.items,
		.fds = files->fds.items,
		.count = files->entries.count,
	};
}

const char *mappedfiles_path(const struct mappedfiles *files, size_t index)
{
	const struct entry *entry = &files->entries.items[index];

	if (index >= files->entries.count)
		return NULL;
	return entry->identity.flags & TRACE_FILE_ELSEWHERE ? "" : entry->path;
}
