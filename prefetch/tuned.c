// SPDX-License-Identifier: Apache-2.0
#include "prefetch/tuned.h"

#include "base/cleanup.h"
#include "base/readfull.h"
#include "elfmap/headers/elfheaders.h"
#include "prefetch/refresh.h"
#include "prefetch/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char program[] = "elfault";

/** The settings, as they are read. */
struct tuned {
	const char *folder;
	char *text;
	const char *program;   // NULL: no line of it yet
	const char *name;      // its first argument
	const char *libraries; // folder of stand-ins in @folder; NULL: none
	bool has_list;
	const char *elfault; // that tunes it again where something changed; NULL: nobody
	const char *changed; // the first file that is not what it was; NULL: none
	bool has_build_id;   // that file had one
};

static bool path_in(char *ret_path, const char *folder, const char *name)
{
	const int length = snprintf(ret_path, PATH_MAX, "%s/%s", folder, name);

	return length > 0 && length < PATH_MAX;
}

/** Read all of the file at @path, with a NUL; NULL with errno. */
static char *read_file(const char *path, struct stat *ret_status)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char *text = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, ret_status) == 0 && S_ISREG(ret_status->st_mode) &&
	    ret_status->st_size <= TUNED_SETTINGS_MAX &&
	    (text = calloc(1, (size_t)ret_status->st_size + 1)))
		read_full(fd, text, (size_t)ret_status->st_size);
	return text;
}

/** Take a number and the @end behind it. False: neither is there. */
static bool take_number(char **text, char end, int64_t *ret_number)
{
	char *behind;

	*ret_number = strtoll(*text, &behind, 10);
	if (behind == *text || *behind != end)
		return false;
	*text = behind + 1;
	return true;
}

static bool take_time(char **text, int64_t *ret_s, uint32_t *ret_ns)
{
	int64_t ns;

	if (!take_number(text, '.', ret_s) || !take_number(text, ' ', &ns))
		return false;
	*ret_ns = (uint32_t)ns;
	return true;
}

static bool take_build_id(char **text, struct tuned_stamp *stamp)
{
	char *blank = strchr(*text, ' ');

	if (!blank || blank == *text)
		return false;
	stamp->build_id = **text == '-' ? NULL : *text;
	*text = blank + 1;
	return true;
}

char *tuned_read_stamp(char *text, struct tuned_stamp *ret_stamp)
{
	int64_t size;

	*ret_stamp = (struct tuned_stamp){ 0 };
	if (!take_number(&text, ' ', &size) ||
	    !take_time(&text, &ret_stamp->mtime_s, &ret_stamp->mtime_ns) ||
	    !take_time(&text, &ret_stamp->ctime_s, &ret_stamp->ctime_ns) ||
	    !take_build_id(&text, ret_stamp))
		return NULL;
	ret_stamp->size = (uint64_t)size;
	return text;
}

static bool is_time(const struct timespec *time, int64_t s, uint32_t ns)
{
	return time->tv_sec == s && time->tv_nsec == (long)ns;
}

static bool has_build_id(const char *path, const char *digits)
{
	uint8_t bytes[PREFETCH_BUILD_ID_MAX];
	char text[2 * sizeof(bytes) + sizeof(" ")];
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const uint32_t count = fd < 0 ? 0 : elfheaders_build_id(fd, bytes, sizeof(bytes));

	if (fd >= 0)
		close(fd);
	for (uint32_t i = 0; i < count; i++) {
		text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	text[2 * count] = ' ';
	return count > 0 && strncmp(digits, text, 2 * (size_t)count + 1) == 0;
}

bool tuned_is_same(const char *path, const struct tuned_stamp *stamp)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return false;
	const bool has_contents = (uint64_t)status.st_size == stamp->size &&
				  is_time(&status.st_mtim, stamp->mtime_s, stamp->mtime_ns);

	if (!stamp->build_id)
		return has_contents;
	return (has_contents && is_time(&status.st_ctim, stamp->ctime_s, stamp->ctime_ns)) ||
	       has_build_id(path, stamp->build_id);
}

static void check_file(struct tuned *tuned, char *text)
{
	struct tuned_stamp stamp;
	const char *path = tuned_read_stamp(text, &stamp);

	if (tuned->changed || (path && tuned_is_same(path, &stamp)))
		return;
	tuned->changed = path ?: TUNED_SETTINGS;
	tuned->has_build_id = path && stamp.build_id;
}

/** The rest of @line if it begins with @word and a blank; NULL: it does not. */
static char *behind(char *line, const char *word)
{
	const size_t length = strlen(word);

	return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static void take_line(struct tuned *tuned, char *line)
{
	char *value;

	if ((value = behind(line, "program")))
		tuned->program = value;
	else if ((value = behind(line, "name")))
		tuned->name = value;
	else if ((value = behind(line, TUNED_REFRESH)))
		tuned->elfault = value;
	else if ((value = behind(line, "file")))
		check_file(tuned, value);
	else if (strcmp(line, TUNED_LIBRARIES) == 0 || strcmp(line, TUNED_LIBRARIES "2") == 0)
		tuned->libraries = line;
	else if (strcmp(line, TUNED_LIST) == 0)
		tuned->has_list = true;
}

/** True if nobody but root and this user may write what @status is of. */
static bool is_own(const struct stat *status)
{
	return (status->st_uid == geteuid() || status->st_uid == 0) &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_own_folder(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat status;

	return path_in(path, folder, name) && lstat(path, &status) == 0 &&
	       S_ISDIR(status.st_mode) && is_own(&status);
}

/** Put the stand-ins before what the environment has. */
static bool set_library_path(const char *folder, const char *libraries)
{
	const char *before = getenv("LD_LIBRARY_PATH");
	const size_t size =
		strlen(folder) + strlen(libraries) + (before ? strlen(before) : 0) + sizeof("/:");
	CLEANUP(freep) char *value = malloc(size);

	if (!value)
		return false;
	snprintf(value, size, "%s/%s%s%s", folder, libraries, before && *before ? ":" : "",
		 before ?: "");
	return setenv("LD_LIBRARY_PATH", value, 1) == 0;
}

/** Say why the program is started plainly, and tune it again if that is allowed. */
static void say_plain(const struct tuned *tuned, const char *why)
{
	const struct prefetch_how how = { program, STDERR_FILENO, -1 };
	const bool is_begun =
		tuned->elfault && tuned->changed && refresh_begin(tuned->folder, tuned->elfault);
	char name[PATH_MAX];

	prefetch_path_escape(tuned->folder, name, sizeof(name));
	prefetch_say(&how, "%s: %s; the program starts as if it had not been tuned%s", name, why,
		     is_begun ? ", and is tuned again in the background"
			      : ": `elfault tune --refresh`, or `elfault tune --undo`");
}

/** Why what was prepared is not used; NULL: it is. */
static const char *refusal(const struct tuned *tuned, char *ret_text, size_t size)
{
	if (getenv("LD_AUDIT"))
		return "LD_AUDIT is set";
	if (!is_own_folder(tuned->folder, ".") ||
	    (tuned->libraries && !is_own_folder(tuned->folder, tuned->libraries)))
		return "someone else owns the folder, or may write to it";
	if (!tuned->changed)
		return NULL;
	char name[PATH_MAX];

	prefetch_path_escape(tuned->changed, name, sizeof(name));
	snprintf(ret_text, size, "%s %s%s", name,
		 access(tuned->changed, F_OK) == 0 ? "has changed" : "is not there any more",
		 tuned->has_build_id ? "" : " (it had no build-id: told by size and time)");
	return ret_text;
}

bool tuned_find_folder(char *ret_folder)
{
	const ssize_t length = readlink("/proc/self/exe", ret_folder, PATH_MAX - 1);

	if (length <= 0)
		return false;
	ret_folder[length] = '\0';
	// Another launcher took its place just now.
	char *deleted = strstr(ret_folder, "/" TUNED_START " (deleted)");

	if (deleted)
		deleted[strlen("/" TUNED_START)] = '\0';
	char *slash = strrchr(ret_folder, '/');

	if (!slash || strcmp(slash + 1, TUNED_START) != 0)
		return false;
	*slash = '\0';
	return true;
}

/** Let the kernel read the list while the settings are waited for. */
static void begin_list(const char *folder)
{
	enum { MOST = 1 << 20 };
	char path[PATH_MAX];
	int fd = path_in(path, folder, TUNED_LIST) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	readahead(fd, 0, MOST);
	close(fd);
}

/** Read the settings; false with errno. */
static bool read_settings(struct tuned *tuned)
{
	char path[PATH_MAX];
	struct stat status;
	char *rest, *line;

	if (!path_in(path, tuned->folder, TUNED_SETTINGS) ||
	    !(tuned->text = read_file(path, &status)))
		return false;
	errno = EINVAL;
	rest = tuned->text;
	line = strsep(&rest, "\n");
	if (strcmp(line, TUNED_FIRST) != 0 || !is_own(&status))
		return false;
	while (rest && (line = strsep(&rest, "\n")))
		take_line(tuned, line);
	return tuned->program != NULL;
}

int tuned_start(const char *folder, char *const *arguments)
{
	struct tuned tuned = { .folder = folder };
	// Those that were judged are as they were; what else changes, as /etc/ld.so.cache does with
	// each package, is not worth a message at every start.
	struct prefetch_asker asker = { .program = program, .ignores_changes = true };
	char list[PATH_MAX], text[2 * PATH_MAX];
	size_t count = 0;

	begin_list(folder);
	if (!read_settings(&tuned)) {
		const struct prefetch_how how = { program, STDERR_FILENO, -1 };

		prefetch_say(&how, "%s/%s: %s", folder, TUNED_SETTINGS,
			     errno == EINVAL ? "not what `elfault tune` writes" : strerror(errno));
		free(tuned.text);
		return 126;
	}
	while (arguments[count])
		count++;
	char **command = calloc(count + 2, sizeof(*command));

	if (!command)
		return 126;
	asker.file = tuned.program;
	command[0] = (char *)(tuned.name ?: tuned.program);
	memcpy(command + 1, arguments, count * sizeof(*command));
	const char *why = refusal(&tuned, text, sizeof(text));

	if (why) {
		say_plain(&tuned, why);
	} else {
		if (tuned.libraries)
			set_library_path(folder, tuned.libraries);
		if (tuned.has_list && path_in(list, folder, TUNED_LIST))
			asker.path = list;
	}
	return prefetch_start(&asker, command);
}

const char *tuned_find_reason(const char *folder, char *text, size_t size)
{
	struct tuned tuned = { .folder = folder };
	const char *why = read_settings(&tuned) ? refusal(&tuned, text, size)
						: "its settings are not what `elfault tune` writes";

	// A reason that is a file's stands in @text, which does not go with the settings.
	free(tuned.text);
	return why;
}
