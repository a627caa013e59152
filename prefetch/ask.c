// SPDX-License-Identifier: Apache-2.0
#include "prefetch/ask.h"

#include "elfmap/headers/elfheaders.h"
#include "prefetch/pressure.h"
#include "prefetch/private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/** A file of the list while it is asked for. */
struct source {
	int fd;	       // -1: not open
	bool is_known; // looked at
	bool is_refused;
	bool is_hidden; // what of it is in memory is not for this user to know
	bool is_failing;
	struct prefetch_device device; // its piece: 0: not asked about yet
};

struct prefetch_asking {
	const struct prefetch_list *list;
	const struct prefetch_how *how;
	struct prefetch_result result;
	struct source *sources;
	size_t next; // range to ask for
	struct prefetch_devices devices;
	size_t oldest; // where closing goes on when no more files may be open
	uint64_t limit;
	uint64_t looked; // bytes that were asked for when memory was last looked at
	uint64_t waited; // likewise, when it was last waited for what was asked before
	const struct prefetch_range *before; // that was asked for then
};

/** Write the caller's home as "~" in @text, which is kept: logs are read by others. */
static void leave_out_home(char *text)
{
	const char *home = getenv("HOME");
	size_t length = home && home[0] == '/' ? strlen(home) : 0;

	while (length > 0 && home[length - 1] == '/')
		length--;
	for (char before = ' '; length > 0 && *text; before = *text++) {
		if (before != ' ' || strncmp(text, home, length) != 0 || text[length] != '/')
			continue;
		*text = '~';
		memmove(text + 1, text + length, strlen(text + length) + 1);
	}
}

void prefetch_say(const struct prefetch_how *how, const char *format, ...)
{
	char text[PREFETCH_PATH_MAX * 4 + 512];
	size_t room = sizeof(text) - 1;
	va_list args;

	if (how->messages_fd < 0)
		return;
	int length = snprintf(text, room, "%s: ", how->program);

	va_start(args, format);
	length += vsnprintf(text + length, room - (size_t)length, format, args);
	va_end(args);
	if ((size_t)length > room)
		length = (int)room;
	text[length] = '\0';
	if (!isatty(how->messages_fd))
		leave_out_home(text);
	length = (int)strlen(text);
	text[length] = '\n';
	(void)!write(how->messages_fd, text, (size_t)length + 1);
}

/** Leave @file out, and say why. */
static bool refuse(struct prefetch_asking *asking, const struct prefetch_file *file,
		   struct source *source, const char *why)
{
	char path[PREFETCH_PATH_MAX * 4];

	prefetch_path_escape(file->path, path, sizeof(path));
	prefetch_say(asking->how, "%s: %s; not prefetched", path, why);
	source->is_refused = true;
	asking->result.stale++;
	return false;
}

// ---- Files ------------------------------------------------------------------------------------

/** Describe why a line of the list no longer fits its file; NULL: it does. */
static const char *difference_of(const struct prefetch_file *file, const struct stat *status)
{
	static char text[128];

	if (S_ISLNK(status->st_mode))
		return "is a symbolic link";
	if (!S_ISREG(status->st_mode))
		return "is no regular file";
	if ((uint64_t)status->st_size != file->size) {
		snprintf(text, sizeof(text), "its size is %llu, not %llu as in the list",
			 (unsigned long long)status->st_size, (unsigned long long)file->size);
		return text;
	}
	return NULL;
}

static bool has_time(const struct prefetch_file *file, const struct stat *status)
{
	return status->st_mtim.tv_sec == file->mtime_s &&
	       status->st_mtim.tv_nsec == (long)file->mtime_ns;
}

/** The build-id of the file behind @fd is that of the list. Reads from it. */
static bool has_build_id(const struct prefetch_file *file, int fd)
{
	uint8_t build_id[PREFETCH_BUILD_ID_MAX];

	return file->build_id_size > 0 &&
	       elfheaders_build_id(fd, build_id, sizeof(build_id)) == file->build_id_size &&
	       memcmp(build_id, file->build_id, file->build_id_size) == 0;
}

/** Open without waiting, following no link and becoming nobody's terminal. */
static int open_path(const char *path)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC };
	const struct open_how how = { .flags = FLAGS, .resolve = RESOLVE_NO_SYMLINKS };
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 &&
	    (errno == ENOSYS || errno == EPERM)) // before Linux 5.6, and in some sandboxes
		fd = open(path, FLAGS);
	return fd;
}

/** Close the files that were opened first, when no more may be open. */
static bool close_some(struct prefetch_asking *asking)
{
	bool is_closed = false;

	for (size_t i = 0; i < asking->list->file_count && !is_closed; i++) {
		struct source *source = &asking->sources[asking->oldest];

		asking->oldest = (asking->oldest + 1) % asking->list->file_count;
		if (source->fd < 0)
			continue;
		close(source->fd);
		source->fd = -1;
		is_closed = true;
	}
	return is_closed;
}

/** Open and check a file. */
static bool open_source(struct prefetch_asking *asking, const struct prefetch_file *file,
			struct source *source)
{
	struct stat status;
	const char *difference;

	// Opening anything but a regular file may do something, so that is asked first.
	if (lstat(file->path, &status) != 0)
		return refuse(asking, file, source, strerror(errno));
	difference = difference_of(file, &status);
	if (difference)
		return refuse(asking, file, source, difference);
	do
		source->fd = open_path(file->path);
	while (source->fd < 0 && (errno == EMFILE || errno == ENFILE) && close_some(asking));
	if (source->fd < 0)
		return refuse(asking, file, source,
			      errno == ELOOP ? "a symbolic link is in its path" : strerror(errno));
	if (fstat(source->fd, &status) != 0)
		return refuse(asking, file, source, strerror(errno));
	difference = difference_of(file, &status);
	if (!difference && !has_time(file, &status) && !has_build_id(file, source->fd))
		difference =
			file->build_id_size > 0
				? "has changed: its time and build-id are not those of the list"
				: "has changed: its time is not that of the list";
	if (difference) {
		close(source->fd);
		source->fd = -1;
		return refuse(asking, file, source, difference);
	}
	source->device.number = status.st_dev;
	source->is_known = true;
	return true;
}

/** The same size and time say nothing where both are set: only now is reading cheap. */
static void check_build_ids(struct prefetch_asking *asking)
{
	const struct prefetch_list *list = asking->list;

	for (size_t i = 0; i < list->file_count && !asking->result.is_stopped; i++) {
		const struct prefetch_file *file = &list->files[i];
		struct source *source = &asking->sources[i];
		char path[PREFETCH_PATH_MAX * 4];

		if (!source->is_known || source->is_refused || file->build_id_size == 0 ||
		    (source->fd < 0 && !open_source(asking, file, source)) ||
		    has_build_id(file, source->fd))
			continue;
		prefetch_path_escape(file->path, path, sizeof(path));
		prefetch_say(asking->how, "%s: its build-id is not that of the list", path);
		asking->result.stale++;
	}
}

// ---- Ranges -----------------------------------------------------------------------------------

static bool command_has_ended(const struct prefetch_asking *asking)
{
	struct pollfd poll_for = { .fd = asking->how->command_fd, .events = POLLIN };

	return poll_for.fd >= 0 && poll(&poll_for, 1, 0) == 1;
}

static bool is_present(struct prefetch_asking *asking, struct source *source,
		       const struct prefetch_range *range)
{
	switch (source->is_hidden ? PREFETCH_HIDDEN
				  : prefetch_present(source->fd, range->offset, range->length)) {
	case PREFETCH_PRESENT:
		return true;
	case PREFETCH_HIDDEN:
		asking->result.unseen += !source->is_hidden;
		source->is_hidden = true;
		return false;
	case PREFETCH_ABSENT:
		break;
	}
	return false;
}

/** Ask in pieces: the kernel cuts what is more. */
static void ask_pieces(struct prefetch_asking *asking, struct source *source,
		       struct prefetch_range range)
{
	struct prefetch_result *result = &asking->result;

	while (range.length > 0) {
		uint64_t size =
			range.length < source->device.piece ? range.length : source->device.piece;

		if (command_has_ended(asking)) {
			result->is_stopped = true;
			return;
		}
		if (readahead(source->fd, (off64_t)range.offset, (size_t)size) != 0 &&
		    posix_fadvise(source->fd, (off_t)range.offset, (off_t)size,
				  POSIX_FADV_WILLNEED) != 0) {
			result->failed += !source->is_failing;
			source->is_failing = true;
			return;
		}
		result->calls++;
		result->asked += size;
		range.offset += size;
		range.length -= size;
	}
}

/** Add what follows in the list and in the file to @range; returns how many ranges that are. */
static size_t join(const struct prefetch_list *list, size_t at, uint64_t piece,
		   struct prefetch_range *ret_range)
{
	size_t count = 1;

	*ret_range = list->ranges[at];
	for (; at + count < list->range_count; count++) {
		const struct prefetch_range *next = &list->ranges[at + count];

		if (next->file != ret_range->file ||
		    next->offset != ret_range->offset + ret_range->length ||
		    ret_range->length + next->length > piece)
			break;
		ret_range->length += next->length;
	}
	return count;
}

/** After every so many bytes: go on where memory is not short. */
static bool may_go_on(struct prefetch_asking *asking)
{
	enum { LOOK_BYTES = 8 << 20 };

	if (asking->result.asked - asking->looked < LOOK_BYTES)
		return true;
	asking->looked = asking->result.asked;
	if (!pressure_is_high(PRESSURE_MEMORY))
		return true;
	prefetch_say(asking->how, "memory is short; what follows is not prefetched");
	asking->result.is_limited = true;
	return false;
}

/** Ask for what is next; false when nothing more is to be asked for. */
static bool ask_next(struct prefetch_asking *asking)
{
	const struct prefetch_list *list = asking->list;
	struct prefetch_result *result = &asking->result;

	if (asking->next >= list->range_count || result->is_stopped || result->is_limited ||
	    !may_go_on(asking))
		return false;
	struct prefetch_range range = list->ranges[asking->next];
	struct source *source = &asking->sources[range.file];

	if (source->is_refused ||
	    (source->fd < 0 && !open_source(asking, &list->files[range.file], source))) {
		result->wanted += range.length;
		asking->next++;
		return true;
	}
	if (source->device.piece == 0)
		source->device = prefetch_device_of(&asking->devices, source->device.number);
	asking->next += join(list, asking->next, source->device.piece, &range);
	result->wanted += range.length;
	if (is_present(asking, source, &range)) {
		result->present += range.length;
	} else if (result->asked + range.length > asking->limit) {
		result->is_limited = true;
		prefetch_say(asking->how, "the list wants more than half of the memory; what "
					  "follows is not prefetched");
	} else {
		ask_pieces(asking, source, range);
	}
	return true;
}

/** Half of the memory: more would push out what it has just brought in. */
static uint64_t limit_of(void)
{
	struct sysinfo info;

	if (sysinfo(&info) != 0)
		return UINT64_MAX;
	return (uint64_t)info.totalram * info.mem_unit / 2;
}

/** As many as there may be: the soft limit is often 1,024. */
static void allow_open_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static struct prefetch_asking *create(const struct prefetch_list *list,
				      const struct prefetch_how *how)
{
	struct prefetch_asking *asking = calloc(1, sizeof(*asking));
	struct source *sources = calloc(list->file_count + 1, sizeof(*sources));

	if (!asking || !sources) {
		prefetch_say(how, "out of memory; nothing is prefetched");
		free(asking);
		free(sources);
		return NULL;
	}
	*asking = (struct prefetch_asking){
		.list = list, .how = how, .sources = sources, .limit = limit_of()
	};
	for (size_t i = 0; i < list->file_count; i++)
		sources[i].fd = -1;
	return asking;
}

/** Wait until the end of @range is there: what was asked for before it mostly is by then. */
static void wait_for(const struct prefetch_asking *asking, const struct prefetch_range *range)
{
	char byte;

	if (asking->sources[range->file].fd >= 0)
		(void)!pread(asking->sources[range->file].fd, &byte, 1,
			     (off_t)(range->offset + range->length - 1));
}

/**
 * Wait for what was asked for before: the disk has others to serve than this list, and the command
 * itself above all.
 */
static void limit_depth(struct prefetch_asking *asking, const struct prefetch_range *range)
{
	enum { DEPTH_BYTES = 16 << 20 };

	if (asking->result.asked - asking->waited < DEPTH_BYTES)
		return;
	if (asking->before)
		wait_for(asking, asking->before);
	asking->waited = asking->result.asked;
	asking->before = range;
}

static void release(struct prefetch_asking *asking)
{
	for (size_t i = 0; i < asking->list->file_count; i++)
		if (asking->sources[i].fd >= 0)
			close(asking->sources[i].fd);
	free(asking->sources);
	free(asking);
}

/** Ask for all that is left, and release @asking. */
static void finish(struct prefetch_asking *asking, struct prefetch_result *ret_result)
{
	if (asking->list->file_count > 512)
		allow_open_files();
	while (asking->next < asking->list->range_count) {
		const struct prefetch_range *range = &asking->list->ranges[asking->next];

		if (!ask_next(asking))
			break;
		limit_depth(asking, range);
	}
	check_build_ids(asking);
	if (ret_result)
		*ret_result = asking->result;
	release(asking);
}

void prefetch_ask(const struct prefetch_list *list, const struct prefetch_how *how,
		  struct prefetch_result *ret_result)
{
	struct prefetch_asking *asking = create(list, how);

	*ret_result = (struct prefetch_result){ 0 };
	if (asking)
		finish(asking, ret_result);
}

/** True if the end of @range is in memory, or its file not as listed. */
static bool is_there(struct prefetch_asking *asking, const struct prefetch_range *range)
{
	const struct prefetch_file *file = &asking->list->files[range->file];
	struct source *source = &asking->sources[range->file];

	return source->is_refused || (source->fd < 0 && !open_source(asking, file, source)) ||
	       prefetch_reads_at_once(source->fd, range->offset + range->length - 1);
}

/** True if a sample of the list is in memory: its first ranges, and some of all the others. */
static bool is_warm(struct prefetch_asking *asking)
{
	enum { FIRST = 4, OTHERS = 8 };
	const struct prefetch_list *list = asking->list;

	for (size_t i = 0; i < FIRST && i < list->range_count; i++)
		if (!is_there(asking, &list->ranges[i]))
			return false;
	for (size_t i = 1; i <= OTHERS && list->range_count > FIRST; i++)
		if (!is_there(asking, &list->ranges[(list->range_count - 1) * i / OTHERS]))
			return false;
	return true;
}

struct prefetch_asking *prefetch_ask_first(const struct prefetch_list *list,
					   const struct prefetch_how *how)
{
	enum { MOST_CALLS = 256, MOST_PRESENT = 8, WAITED_CALLS = 24 };
	struct prefetch_asking *asking = create(list, how);
	const struct prefetch_range *waited = NULL;

	// Who is told of files that changed is told of all, which takes a look at each.
	if (asking && how->messages_fd < 0 && is_warm(asking)) {
		release(asking);
		return NULL;
	}
	while (asking && asking->result.calls < MOST_CALLS &&
	       (asking->result.calls > 0 || asking->next < MOST_PRESENT)) {
		const struct prefetch_range *range = &list->ranges[asking->next];
		uint64_t calls = asking->result.calls;

		if (!ask_next(asking))
			break;
		if (calls < WAITED_CALLS && asking->result.calls > calls)
			waited = range;
	}
	if (waited)
		wait_for(asking, waited);
	return asking;
}

void prefetch_ask_rest(struct prefetch_asking *asking, const struct prefetch_how *how)
{
	asking->how = how;
	for (size_t i = 0; i < asking->list->file_count; i++)
		asking->sources[i].fd = -1;
	finish(asking, NULL);
}
