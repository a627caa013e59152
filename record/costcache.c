// SPDX-License-Identifier: Apache-2.0
// Keeps what recording costs: a line for each kernel, processor, build of elfault and way of
// recording, in a file of the user's cache.
#include "record/recordingcost.h"

#include "base/cleanup.h"
#include "base/hex.h"
#include "base/privilege.h"
#include "base/strbuf.h"
#include "elfmap/headers/elfheaders.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

// Lines of the file, the newest first.
enum { LINES_MOST = 64 };

/** "model name" of /proc/cpuinfo; "": unknown. */
static void find_processor(char *ret_name, size_t size)
{
	CLEANUP(file_closep) FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	ret_name[0] = '\0';
	while (file && fgets(line, sizeof(line), file)) {
		const char *name = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;

		if (!name)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(ret_name, size, "%s", name + 1 + strspn(name + 1, " "));
		return;
	}
}

/** Builds of one version, such as two of a working tree, differ in what they cost. */
static void put_build_id(struct strbuf *key)
{
	CLEANUP(fd_close) int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint8_t id[TRACE_BUILD_ID_MAX];
	char digits[2 * sizeof(id) + 1];

	hex_text(id, self >= 0 ? elfheaders_build_id(self, id, sizeof(id)) : 0, digits);
	strbuf_puts(key, digits);
}

/** Name all that the costs depend on, without a tab; to be released. */
static struct strbuf key_of(const struct record_options *options)
{
	struct utsname system = { 0 };
	struct strbuf key = { 0 };
	char processor[256];

	uname(&system);
	find_processor(processor, sizeof(processor));
	strbuf_printf(&key, "%s ", options->producer);
	put_build_id(&key);
	strbuf_printf(&key, "; %s; %s; %s; %s %" PRIu32 "%s", system.release, system.version,
		      processor, options->stacks ? "stacks" : "no stacks", options->stack_bytes,
		      options->no_storage ? "; no storage" : "");
	for (size_t i = 0; i < key.length; i++)
		if (key.text[i] == '\t' || key.text[i] == '\n')
			key.text[i] = ' ';
	return key;
}

/**
 * The folder of the cache, to be released; its text is NULL where there is none. A folder of
 * another user is no place for root to write to.
 */
static struct strbuf folder_of(void)
{
	const struct caller caller = caller_find();
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct strbuf folder = { 0 };

	if (!caller.under_sudo && cache && cache[0] == '/')
		strbuf_printf(&folder, "%s/elfault", cache);
	else if (geteuid() == 0)
		strbuf_puts(&folder, "/var/cache/elfault");
	else if (geteuid() == getuid() && home && home[0] == '/')
		strbuf_printf(&folder, "%s/.cache/elfault", home);
	return folder;
}

/** Read @text, as write_line() wrote it. */
static bool parse(const char *text, uint32_t costs_ns[TRACE_COSTS])
{
	for (size_t i = 0; i < TRACE_COSTS; i++) {
		char *end;

		errno = 0;
		unsigned long value = strtoul(text, &end, 10);

		if (end == text || errno || value > UINT32_MAX ||
		    *end != (i + 1 < TRACE_COSTS ? ' ' : '\n'))
			return false;
		costs_ns[i] = (uint32_t)value;
		text = end + 1;
	}
	return true;
}

/** Whether @line is of @key; *@ret_values is behind it. */
static bool is_of(const char *line, const char *key, const char **ret_values)
{
	const size_t length = strlen(key);

	if (strncmp(line, key, length) != 0 || line[length] != '\t')
		return false;
	*ret_values = line + length + 1;
	return true;
}

bool costcache_look_up(const char *folder, const char *key, uint32_t ret_costs_ns[TRACE_COSTS])
{
	struct strbuf path = { 0 };
	char line[1024];
	const char *values;
	bool is_found = false;

	strbuf_printf(&path, "%s/recording-cost", folder);

	CLEANUP(file_closep) FILE *file = fopen(path.text, "re");

	strbuf_deinit(&path);
	while (file && !is_found && fgets(line, sizeof(line), file))
		is_found = is_of(line, key, &values) && parse(values, ret_costs_ns);
	return is_found;
}

/** Write this line, then those of the old file that are not too many. */
static bool write_lines(FILE *out, const char *old_path, const char *key,
			const uint32_t costs_ns[TRACE_COSTS])
{
	CLEANUP(file_closep) FILE *old = fopen(old_path, "re");
	char line[1024];
	const char *values;

	fprintf(out, "%s\t", key);
	for (size_t i = 0; i < TRACE_COSTS; i++)
		fprintf(out, "%" PRIu32 "%c", costs_ns[i], i + 1 < TRACE_COSTS ? ' ' : '\n');
	for (size_t lines = 1; lines < LINES_MOST && old && fgets(line, sizeof(line), old);)
		if (!is_of(line, key, &values)) {
			fputs(line, out);
			lines++;
		}
	return fflush(out) == 0;
}

void costcache_keep(const char *folder, const char *key, const uint32_t costs_ns[TRACE_COSTS])
{
	struct strbuf path = { 0 }, temporary = { 0 };

	// The user's cache folder may be new as well.
	strbuf_puts(&path, folder);
	*strrchr(path.text, '/') = '\0';
	mkdir(path.text, 0700);
	mkdir(folder, 0755);
	strbuf_deinit(&path);
	strbuf_printf(&path, "%s/recording-cost", folder);
	strbuf_printf(&temporary, "%s.%d", path.text, (int)getpid());

	int fd = open(temporary.text, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (out) {
		bool done = write_lines(out, path.text, key, costs_ns);

		if (fclose(out) != 0 || !done || rename(temporary.text, path.text) != 0)
			unlink(temporary.text);
	} else if (fd >= 0) {
		close(fd);
	}
	strbuf_deinit(&path);
	strbuf_deinit(&temporary);
}

bool recordingcost_find(const struct record_options *options, uint32_t ret_costs_ns[TRACE_COSTS],
			struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf key = key_of(options), folder = folder_of();
	bool is_known = !options->recalibrate && folder.text &&
			costcache_look_up(folder.text, key.text, ret_costs_ns);

	if (!is_known) {
		is_known = recordingcost_measure(options, ret_costs_ns, err);
		if (is_known && folder.text)
			costcache_keep(folder.text, key.text, ret_costs_ns);
	}
	return is_known;
}
