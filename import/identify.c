// SPDX-License-Identifier: Apache-2.0
// Files at the paths of a log when it is imported. Most logs do not tell what was mapped:
// without this a file that is replaced later would be taken for it in silence. Nothing shows that
// it was the same one before, but for its inode, where the log has it, and the time of its last
// change: both may show that it was not.
#include "import/imported.h"

#include "base/cleanup.h"
#include "base/key.h"
#include "elfmap/headers/elfheaders.h"

#include <fcntl.h>

/** A file under one name, as the log has it. */
struct named_file {
	uint32_t id; // of its identity; 0: none
	uint32_t build_id_size;
	uint8_t build_id[TRACE_BUILD_ID_MAX];
};

struct identifying {
	struct imported *to;
	const struct stat *log;
	struct u64map by_name; // hash of path and inode -> index in files
	VEC(struct named_file) files;
	uint64_t taken, refused;
	const char *first_refused;
};

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/** Whether something shows that the file is not the one that was mapped. */
static bool is_other(const struct identifying *identifying, const struct trace_mapping *mapping,
		     const struct stat *status)
{
	return (mapping->inode && mapping->inode != status->st_ino) ||
	       (identifying->log && is_later(&status->st_ctim, &identifying->log->st_mtim));
}

/** Opening anything but a regular file may do something, so that is asked first. */
static int open_regular(const char *path, struct stat *ret_status)
{
	if (stat(path, ret_status) != 0 || !S_ISREG(ret_status->st_mode))
		return -1;
	return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static struct named_file look(struct identifying *identifying, const struct trace_mapping *mapping)
{
	struct imported *to = identifying->to;
	struct trace_identity identity = { .id = (uint32_t)to->files.count + 1 };
	struct named_file file = { 0 };
	struct stat status;
	CLEANUP(fd_close) int fd = open_regular(mapping->path, &status);

	if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return file;
	if (is_other(identifying, mapping, &status)) {
		identity.flags = TRACE_FILE_ELSEWHERE;
		if (identifying->refused++ == 0)
			identifying->first_refused = mapping->path;
	} else {
		trace_identity_stat(&identity, &status);
		file.build_id_size = elfheaders_build_id(fd, file.build_id, sizeof(file.build_id));
		// Only ELF files have either.
		if (file.build_id_size == 0 && elfheaders_is_elf_file(fd))
			trace_identity_hash(&identity, fd);
		identifying->taken++;
	}
	file.id = identity.id;
	vec_push(&to->files, identity);
	return file;
}

static void identify(struct identifying *identifying, struct trace_mapping *mapping)
{
	uint32_t count = (uint32_t)identifying->files.count;

	if (mapping->build_id_size > 0 || mapping->path[0] != '/' || mapping->path[1] == '/')
		return;
	uint32_t at =
		u64map_row(&identifying->by_name, key_of((uintptr_t)mapping->path, mapping->inode),
			   &identifying->files, (struct named_file){ 0 });
	if (at == count)
		identifying->files.items[at] = look(identifying, mapping);
	const struct named_file *file = &identifying->files.items[at];
	mapping->file = file->id;
	mapping->build_id_size = (uint8_t)file->build_id_size;
	memcpy(mapping->build_id, file->build_id, file->build_id_size);
}

static void note(const struct identifying *identifying)
{
	struct imported *to = identifying->to;

	notes_add_counted(
		&to->notes, identifying->taken,
		"%s: does not tell which file was mapped: the one that was at its path when "
		"it was imported, and whose build-id is shown, is taken for it",
		to->source);
	notes_add_counted(
		&to->notes, identifying->refused,
		"%s: a file is not used, since it changed after the log was written, or has "
		"another inode; the first is %s",
		to->source, identifying->first_refused);
}

void import_identify(struct imported *imported, const struct stat *log)
{
	struct identifying identifying = { .to = imported, .log = log };

	vec_foreach (mapping, &imported->mappings)
		identify(&identifying, mapping);
	note(&identifying);
	u64map_deinit(&identifying.by_name);
	vec_deinit(&identifying.files);
}
