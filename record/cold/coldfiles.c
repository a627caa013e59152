// SPDX-License-Identifier: Apache-2.0
// A cold start: the files of a command leave the page cache, which is checked.
#include "record/cold/cold.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "record/cold/private.h"
#include "record/files/kernelinode.h"
#include "record/files/rights.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
	STAYED_NAMED = 20, // files that stay, each with a note
	TRIES = 2,	   // a page that somebody was just looking at may go the next time
	LOOK_PAGES = 1 << 14,
	OTHERS_NAMED = 5,
};

/** State of a file that is to be dropped. */
struct cold_file {
	const char *path;
	uint64_t size;
	uint64_t before, after; // bytes in the page cache
	uint64_t device, inode; // as the kernel reports them of mappings
	bool is_memory;		// its file system has no other storage
};

/** All of them. */
struct dropping {
	const struct coldfiles *asked;
	size_t page_size;
	VEC(struct cold_file) cold; // that could be checked
	VEC(const char *) unread;   // that the caller may not open
	size_t unchecked;	    // where only the owner may ask what is in memory
	size_t gone;
};

// ---- Each file --------------------------------------------------------------------------------

/** Open a regular file, and never anything else: opening a device may do something. */
static int open_regular(const char *path)
{
	CLEANUP(fd_close) int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat status;
	char link[64];

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		errno = ENOENT;
		return -1;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/** The same with the caller's rights. */
static int open_as_caller(const struct dropping *dropping, const char *path)
{
	struct rights rights = { 0 };
	int fd = -1;

	if (dropping->asked->has_rights ||
	    rights_become_caller(dropping->asked->caller, &rights, NULL))
		fd = open_regular(path);
	rights_become_root(&rights);
	return fd;
}

/**
 * Whether mincore() tells the truth of @fd to this process: of the files of others it says that
 * every page is there (Linux 5.2, "mm/mincore.c: make mincore() more conservative").
 */
static bool may_ask(int fd, const struct stat *status)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return status->st_uid == geteuid() || capng_have_capability(CAPNG_EFFECTIVE, CAP_FOWNER) ||
	       faccessat(AT_FDCWD, link, W_OK, AT_EACCESS) == 0;
}

bool record_file_cached(int fd, uint64_t size, size_t page_size, uint64_t *ret_bytes)
{
	unsigned char there[LOOK_PAGES];
	uint64_t pages = 0;

	*ret_bytes = 0;
	if (size == 0)
		return true;
	char *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (bytes == MAP_FAILED)
		return false;
	for (uint64_t at = 0; at < size; at += LOOK_PAGES * page_size) {
		uint64_t rest = size - at;
		size_t length =
			rest < LOOK_PAGES * page_size ? (size_t)rest : LOOK_PAGES * page_size;

		if (mincore(bytes + at, length, there) != 0) {
			munmap(bytes, size);
			return false;
		}
		for (size_t page = 0; page * page_size < length; page++)
			pages += there[page] & 1;
	}
	munmap(bytes, size);
	*ret_bytes = pages * page_size < size ? pages * page_size : size;
	return true;
}

static bool lives_in_memory(int fd)
{
	struct statfs system;

	return fstatfs(fd, &system) == 0 &&
	       (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC ||
		system.f_type == HUGETLBFS_MAGIC);
}

static void drop_file(struct dropping *dropping, const char *path)
{
	CLEANUP(fd_close) int fd = open_as_caller(dropping, path);
	struct cold_file file = { .path = path };
	struct stat status;

	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		vec_push(&dropping->unread, path);
		return;
	}
	if (fd < 0 || fstat(fd, &status) != 0) {
		dropping->gone++;
		return;
	}
	file.size = (uint64_t)status.st_size;
	file.is_memory = lives_in_memory(fd);

	bool is_known = may_ask(fd, &status) &&
			record_file_cached(fd, file.size, dropping->page_size, &file.before) &&
			kernelinode_of(fd, &file.device, &file.inode);

	fdatasync(fd); // a page that is dirty stays
	for (int i = 0; i < TRIES; i++)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (is_known)
		vec_push(&dropping->cold, file);
	else
		dropping->unchecked += file.size > 0;
}

/** After all have been dropped: this process itself may have read from one meanwhile. */
static void check_file(struct dropping *dropping, struct cold_file *file)
{
	CLEANUP(fd_close) int fd = open_as_caller(dropping, file->path);

	if (fd < 0 || !record_file_cached(fd, file->size, dropping->page_size, &file->after))
		file->after = 0; // removed, or cut, meanwhile
}

static bool drop_all(struct err *err)
{
	static const char path[] = "/proc/sys/vm/drop_caches";

	sync();

	CLEANUP(fd_close) int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "3\n", 2) == 2)
		return true;
	if (fd >= 0 || errno != EACCES)
		return err_os(err, "%s", path);
	return err_set(err, ERR_DENIED,
		       "--cold=all drops the caches of all programs, which only root may:\n"
		       "  sudo elfault record --cold=all ...");
}

// ---- What is said of it -----------------------------------------------------------------------

ORDER_OF(compare_stayed, cold_file, ORDER(y->after, x->after) ?: strcmp(x->path, y->path))

static const struct held_file *held_of(const struct held_file *held, size_t count,
				       const struct cold_file *file)
{
	for (size_t i = 0; i < count; i++)
		if (held[i].device == file->device && held[i].inode == file->inode)
			return &held[i];
	return NULL;
}

/** Say why @file stayed: ", mapped by systemd (1), bash (812), elfault itself and 12 more". */
static void add_reason(const struct cold_file *file, const struct held_file *held, size_t denied,
		       struct strbuf *text)
{
	if (file->is_memory) {
		strbuf_puts(text, ", as its file system keeps files in memory");
		return;
	}
	if (!held)
		return;
	size_t named = held->holder_count < HOLDERS_NAMED ? held->holder_count : HOLDERS_NAMED;

	for (size_t i = 0; i < named; i++)
		strbuf_printf(text, "%s%s (%d)", i == 0 ? ", mapped by " : ", ",
			      held->holders[i].comm, (int)held->holders[i].pid);
	if (held->is_own)
		strbuf_printf(text, "%selfault itself", named == 0 ? ", mapped by " : ", ");
	if (held->holder_count > named)
		strbuf_printf(text, " and %zu more", held->holder_count - named);
	if (named == 0 && !held->is_own)
		strbuf_puts(text, denied > 0 ? ", which no process that may be looked into maps"
					     : ", which no process maps");
}

static void note_stayed(const struct cold_file *file, const struct held_file *held, size_t denied,
			struct notes *notes)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	strbuf_printf(&text, "%s stayed in memory: %s of %s", file->path,
		      figure_size(&arena, file->after), figure_size(&arena, file->size));
	add_reason(file, held, denied, &text);
	notes_add_text(notes, text.text, 1);
}

/**
 * Say in one line how much stayed, of which files and for whom: notes on each file follow. From a
 * tenth of the files' bytes on the start was not a cold one.
 */
static void note_sum(const struct dropping *dropping, size_t stayed, const struct held_file *held,
		     size_t denied, struct notes *notes)
{
	enum { NAMED = 3, NOT_COLD_PERCENT = 10 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	uint64_t after = 0, size = 0;

	vec_foreach (file, &dropping->cold) {
		after += file->after;
		size += file->size;
	}
	const char *separator = "";
	const bool is_alert = after * 100 >= size * NOT_COLD_PERCENT;

	strbuf_printf(&text, "%s%s of %s stayed in memory: ", is_alert ? NOTES_NOT_COLD : "",
		      figure_size(&arena, after), figure_size(&arena, size));
	for (size_t i = 0; i < NAMED && i < stayed; i++) {
		strbuf_printf(&text, "%s%s", separator,
			      path_file_name(dropping->cold.items[i].path));
		separator = ", ";
		if (i == 0 && is_alert) {
			add_reason(&dropping->cold.items[i], held, denied, &text);
			separator = "; ";
		}
	}
	if (stayed > NAMED)
		strbuf_printf(&text, ", %zu more", stayed - NAMED);
	notes_add_text(notes, strbuf_text(&text), 1);
}

/** Say how much stayed, then name the files, most of it first, and who maps them. */
static void note_all_stayed(struct dropping *dropping, size_t stayed, pid_t command,
			    struct notes *notes)
{
	struct cold_file *files = dropping->cold.items;
	size_t named = stayed < STAYED_NAMED ? stayed : STAYED_NAMED;
	struct held_file held[STAYED_NAMED] = { 0 };
	struct rights rights = { 0 };
	uint64_t rest = 0;
	size_t denied = 0;

	if (stayed == 0)
		return;

	for (size_t i = 0; i < named; i++)
		held[i] = (struct held_file){ .device = files[i].device, .inode = files[i].inode };
	if (dropping->asked->has_rights ||
	    rights_become_caller(dropping->asked->caller, &rights, NULL))
		denied = holders_find(held, named, command);
	rights_become_root(&rights);
	note_sum(dropping, stayed, held_of(held, named, &files[0]), denied, notes);
	for (size_t i = 0; i < named; i++)
		note_stayed(&files[i], held_of(held, named, &files[i]), denied, notes);
	for (size_t i = named; i < stayed; i++)
		rest += files[i].after;
	if (rest > 0) {
		CLEANUP(arena_deinit) struct arena arena = { 0 };

		notes_add(notes, "%zu more file%s stayed in memory: %s", stayed - named,
			  figure_plural(stayed - named), figure_size(&arena, rest));
	}
}

static void note_rest(const struct dropping *dropping, struct notes *notes)
{
	notes_add_counted(notes, dropping->unchecked,
			  "whether a file left the page cache could not be checked: only its owner"
			  " and root may ask");
	vec_foreach (path, &dropping->unread)
		notes_add(notes, "%s may not be read by user %d: it was left in the page cache",
			  *path, (int)dropping->asked->caller->uid);
	notes_add_counted(
		notes, dropping->gone,
		"a file of the former trace is gone: what took its place was not dropped");
	notes_add_counted(notes, dropping->asked->files->elsewhere,
			  "a file of the former trace was deleted or of another root: it was not"
			  " dropped");
}

static void note_what_happened(struct dropping *dropping, bool is_all, pid_t command,
			       struct notes *notes)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	uint64_t before = 0, after = 0;
	size_t stayed = 0, count = dropping->cold.count;

	if (count > 0)
		qsort(dropping->cold.items, count, sizeof(*dropping->cold.items), compare_stayed);
	vec_foreach (file, &dropping->cold) {
		before += file->before;
		after += file->after;
		stayed += file->after > 0;
	}
	count = dropping->asked->files->count - dropping->gone;
	const char *what = is_all ? "all caches were dropped; " : "";
	const char *were = count == 1 ? "was" : "were";

	if (dropping->cold.count == 0 && dropping->unchecked > 0)
		notes_add(notes,
			  "cold: %s%zu file%s of the command %s asked to leave the page cache; "
			  "only root and a file's owner may know whether it did",
			  what, count, figure_plural(count), were);
	else
		notes_add(notes,
			  "cold: %s%zu file%s of the command %s dropped from the page cache: %s in "
			  "it before, %s after",
			  what, count, figure_plural(count), were, figure_size(&arena, before),
			  figure_size(&arena, after));
	note_all_stayed(dropping, stayed, command, notes);
	note_rest(dropping, notes);
}

bool coldfiles_drop(const struct coldfiles *cold, bool is_all, pid_t command, struct notes *notes,
		    struct err *err)
{
	struct dropping dropping = { .asked = cold, .page_size = (size_t)sysconf(_SC_PAGESIZE) };

	capng_get_caps_process();
	for (size_t i = 0; i < cold->files->count; i++)
		drop_file(&dropping, cold->files->paths[i]);
	bool done = !is_all || drop_all(err);

	vec_foreach (file, &dropping.cold)
		check_file(&dropping, file);
	if (done)
		note_what_happened(&dropping, is_all, command, notes);
	vec_deinit(&dropping.cold);
	vec_deinit(&dropping.unread);
	return done;
}

void record_files_drop(const struct record_files *files, bool as_root, struct notes *notes)
{
	struct caller caller = caller_find();
	const struct coldfiles cold = { files, &caller, !caller.under_sudo || as_root };

	coldfiles_drop(&cold, false, 0, notes, NULL);
}

void coldfiles_note_others(const struct record_files *files, const struct mappedfiles *mapped,
			   struct notes *notes)
{
	size_t others = 0;
	const char *path;

	for (size_t i = 0; (path = mappedfiles_path(mapped, i)); i++)
		if (commandfiles_is_path(path) && !commandfiles_has(files, path) &&
		    others++ < OTHERS_NAMED)
			notes_add(notes,
				  "%s was mapped, but not in the former trace: it was not dropped"
				  " from the page cache before the run",
				  path);
	if (others > OTHERS_NAMED)
		notes_add(notes, "%zu more file%s mapped, but not in the former trace",
			  others - OTHERS_NAMED, others - OTHERS_NAMED == 1 ? " was" : "s were");
}
