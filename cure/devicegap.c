// SPDX-License-Identifier: Apache-2.0
// Measured gaps, kept in $XDG_CACHE_HOME/elfault/gaps: one line per device with its number, its
// size in sectors, so that another device with that number is not taken for it, and the gap.
#include "cure/devicegap.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "cure/requestcost.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { LINES_MOST = 256 };

/** "254:0 536870912"; false where no block device has the number. */
static bool name_device(const char *path, char *ret_name, size_t size)
{
	unsigned long long sectors;
	struct stat status;
	char file[64];

	if (stat(path, &status) != 0)
		return false;
	snprintf(file, sizeof(file), "/sys/dev/block/%u:%u/size", major(status.st_dev),
		 minor(status.st_dev));

	CLEANUP(file_closep) FILE *in = fopen(file, "re");

	if (!in || fscanf(in, "%llu", &sectors) != 1)
		return false;
	snprintf(ret_name, size, "%u:%u %llu", major(status.st_dev), minor(status.st_dev), sectors);
	return true;
}

/** The user's own folder; false where none is known. */
static bool name_folder(struct strbuf *ret_path)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && cache[0] == '/')
		strbuf_printf(ret_path, "%s/elfault", cache);
	else if (home && home[0] == '/')
		strbuf_printf(ret_path, "%s/.cache/elfault", home);
	return ret_path->length > 0;
}

/** The gap in a line of the device @name. */
static bool parse_line(const char *line, const char *name, uint64_t *ret_gap)
{
	size_t length = strlen(name);
	char end;

	return strncmp(line, name, length) == 0 && line[length] == ' ' &&
	       sscanf(line + length, " %" SCNu64 "%c", ret_gap, &end) == 2 && end == '\n' &&
	       *ret_gap <= REQUESTCOST_GAP_MOST;
}

/** Find @name among what is kept; the lines of other devices go to *@ret_others. */
static bool find_kept(const char *path, const char *name, uint64_t *ret_gap,
		      struct strbuf *ret_others)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	CLEANUP(file_closep) FILE *in = NULL;
	bool is_found = false;
	char line[128];

	if (fd < 0 || !(in = fdopen(fd, "r")))
		return false;
	fd = -1; // the stream's
	for (int i = 0; i < LINES_MOST && fgets(line, sizeof(line), in); i++) {
		if (parse_line(line, name, ret_gap))
			is_found = true;
		else if (strncmp(line, name, strlen(name)) != 0)
			strbuf_puts(ret_others, line);
	}
	return is_found;
}

/** Keep it for the next time; where that fails it is measured again. */
static void keep(const char *folder, const char *path, const char *name, uint64_t gap,
		 const struct strbuf *others)
{
	CLEANUP(strbuf_deinit) struct strbuf beside = { 0 };

	CLEANUP(freep) char *parent = xstrdup(folder);

	*strrchr(parent, '/') = '\0';
	mkdir(parent, 0700);
	mkdir(folder, 0700);
	strbuf_printf(&beside, "%s.%ld", path, (long)getpid());

	FILE *out = fopen(beside.text, "wxe");

	if (!out)
		return;
	fprintf(out, "%s%s %" PRIu64 "\n", strbuf_text(others), name, gap);
	if (fclose(out) != 0 || rename(beside.text, path) != 0)
		unlink(beside.text);
}

/** Measure, and write what came of it. */
static bool measure(const char *path, uint64_t *ret_gap, struct strbuf *ret_said)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct requestcost cost;
	struct err err;

	if (!requestcost_measure(path, &cost, &err)) {
		strbuf_printf(ret_said, "cannot measure the device (%s); using a gap of %s",
			      err.message, figure_size(&arena, DEVICEGAP_DEFAULT));
		return false;
	}
	*ret_gap = cost.gap;
	strbuf_printf(
		ret_said,
		"measured: a request takes the device %.1f us, and it reads %s a second: gaps "
		"of up to %s are worth reading",
		cost.request_ns / 1e3, figure_size(&arena, figure_whole(cost.bytes_per_second)),
		figure_size(&arena, cost.gap));
	return true;
}

uint64_t devicegap_of(const char *path, enum devicegap_measures measures, const char **ret_source,
		      struct strbuf *ret_said)
{
	CLEANUP(strbuf_deinit) struct strbuf folder = { 0 }, kept = { 0 }, others = { 0 };
	char name[64];
	bool is_named = name_device(path, name, sizeof(name)) && name_folder(&folder);
	uint64_t gap;

	strbuf_printf(&kept, "%s/gaps", strbuf_text(&folder));
	bool is_kept = is_named && find_kept(kept.text, name, &gap, &others);

	*ret_source = "as measured on the device before";
	if (is_kept && measures != DEVICEGAP_AGAIN)
		return gap;
	*ret_source = "as measured on the device";
	if (measures != DEVICEGAP_NEVER && measure(path, &gap, ret_said)) {
		if (is_named)
			keep(folder.text, kept.text, name, gap, &others);
		return gap;
	}
	*ret_source = "by default";
	return DEVICEGAP_DEFAULT;
}
