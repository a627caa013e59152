// SPDX-License-Identifier: Apache-2.0
#include "bpf/mountpoints.h"

#include "base/cleanup.h"
#include "base/lines.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

/** Blanks and the like are written as \040. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		bool is_octal = at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' &&
				at[2] <= '7' && at[3] >= '0' && at[3] <= '7';

		*to++ = is_octal ? (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + at[3] - '0')
				 : *at;
		at += is_octal ? 3 : 0;
	}
	*to = '\0';
}

void mountpoints_add(struct mountpoints *mountpoints, char *line)
{
	char *rest = line, *fields[5];
	unsigned major_number, minor_number;

	// ID PARENT MAJOR:MINOR ROOT PLACE ...
	for (size_t i = 0; i < 5; i++)
		if (!(fields[i] = strsep(&rest, " \n")))
			return;
	if (sscanf(fields[2], "%u:%u", &major_number, &minor_number) != 2)
		return;
	unescape(fields[3]);
	unescape(fields[4]);
	vec_push(&mountpoints->list, (struct mountpoint){
					     .device = makedev(major_number, minor_number),
					     .root = arena_strdup(&mountpoints->arena, fields[3]),
					     .place = arena_strdup(&mountpoints->arena, fields[4]),
				     });
}

void mountpoints_read(struct mountpoints *mountpoints)
{
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;

	mountpoints_deinit(mountpoints);
	if (!lines_open(&lines, "/proc/self/mountinfo", &lines_of_kernel, NULL))
		return;
	while (lines_next(&lines, &line))
		mountpoints_add(mountpoints, line.text);
}

/** Return the part of @inner below @root; NULL: it is not below it. */
static const char *below(const char *root, const char *inner)
{
	size_t length = strlen(root);

	if (strcmp(root, "/") == 0)
		return inner;
	return strncmp(root, inner, length) == 0 && (inner[length] == '/' || !inner[length])
		       ? inner + length
		       : NULL;
}

bool mountpoints_path(const struct mountpoints *mountpoints, uint64_t device, const char *inner,
		      struct strbuf *path)
{
	const struct mountpoint *best = NULL;

	// Of several the one with most of the file system: others are bound to a part of it.
	vec_foreach (mount, &mountpoints->list)
		if (mount->device == device && below(mount->root, inner) &&
		    (!best || strlen(mount->root) < strlen(best->root)))
			best = mount;
	if (!best)
		return false;
	if (strcmp(best->place, "/") != 0)
		strbuf_puts(path, best->place);
	strbuf_puts(path, below(best->root, inner));
	return true;
}

void mountpoints_deinit(struct mountpoints *mountpoints)
{
	vec_deinit(&mountpoints->list);
	arena_deinit(&mountpoints->arena);
}
