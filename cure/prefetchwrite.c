// SPDX-License-Identifier: Apache-2.0
#include "cure/prefetch.h"

#include <inttypes.h>
#include <string.h>

/** How much of @path is @home; 0: it is not below it. */
static size_t home_length(const char *path, const char *home)
{
	size_t length = home ? strlen(home) : 0;

	while (length > 0 && home[length - 1] == '/')
		length--;
	return length > 0 && strncmp(path, home, length) == 0 && path[length] == '/' ? length : 0;
}

static void write_file(const struct prefetch_file *file, size_t number, const char *home, FILE *out)
{
	size_t below = home_length(file->path, home);
	char path[PREFETCH_PATH_MAX * 4];

	prefetch_path_escape(file->path + below, path, sizeof(path));
	fprintf(out, "file %zu %" PRIu64 " %" PRId64 ".%09" PRIu32 " ", number, file->size,
		file->mtime_s, file->mtime_ns);
	for (size_t i = 0; i < file->build_id_size; i++)
		fprintf(out, "%02x", file->build_id[i]);
	fprintf(out, "%s %s%s\n", file->build_id_size == 0 ? "-" : "", below ? "~" : "", path);
}

bool prefetch_write(const struct prefetch_list *list, const char *const *comments,
		    size_t comment_count, const char *home, FILE *out)
{
	size_t files = 0;

	fprintf(out, "elfault-prefetch %d\n", PREFETCH_LIST_VERSION);
	for (size_t i = 0; i < comment_count; i++) {
		char text[PREFETCH_PATH_MAX * 4];

		prefetch_path_escape(comments[i], text, sizeof(text));
		fprintf(out, "# %s\n", text);
	}
	fprintf(out, "# file NUMBER SIZE MODIFIED BUILD-ID PATH\n"
		     "# NUMBER OFFSET LENGTH WHY, in the order of first use\n");
	array_foreach (range, list->ranges, list->range_count) {
		for (; files <= range->file; files++)
			write_file(&list->files[files], files + 1, home, out);
		fprintf(out, "%" PRIu32 " %" PRIu64 " %" PRIu64 " %s\n", range->file + 1,
			range->offset, range->length, prefetch_why_name(range->why));
	}
	fprintf(out, "end %zu %zu\n", files, list->range_count);
	return fflush(out) == 0 && !ferror(out);
}

uint64_t prefetch_bytes(const struct prefetch_list *list)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < list->range_count; i++)
		bytes += list->ranges[i].length;
	return bytes;
}
