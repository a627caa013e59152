// SPDX-License-Identifier: Apache-2.0
#include "correlate/answer/sourcefiles.h"

#include "base/readfull.h"
#include "base/strbuf.h"
#include "base/u64map.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
	FILE_BYTES = 8 << 20, // of a file that is read
	ALL_BYTES = 64 << 20, // of all
	LINE_BYTES = 400,     // of a line; more is cut
	TAB = 8,
};

struct sourcefile {
	const char *problem; // NULL: it was read
	time_t changed;
	char *text;
	VEC(uint32_t) lines; // where each begins, and the end of the last
};

struct sourcefiles {
	struct depot *depot;
	struct u64map index; // hash of a path -> list
	VEC(struct sourcefile *) list;
	size_t bytes;
};

struct sourcefiles *sourcefiles_create(struct depot *depot)
{
	struct sourcefiles *files = xcalloc(1, sizeof(*files));

	files->depot = depot;
	return files;
}

void sourcefiles_destroy(struct sourcefiles *files)
{
	if (!files)
		return;
	vec_foreach (file, &files->list) {
		free((*file)->text);
		vec_deinit(&(*file)->lines);
		free(*file);
	}
	vec_deinit(&files->list);
	u64map_deinit(&files->index);
	free(files);
}

/** Is @path called like source code? Headers of C++ have no ending, but a folder of their own. */
static bool is_source_name(const char *path)
{
	static const char *const endings[] = {
		".c",	".h",	".cc",	  ".hh",  ".cpp", ".hpp", ".cxx", ".hxx", ".c++", ".h++",
		".C",	".H",	".inc",	  ".inl", ".ipp", ".tcc", ".tpp", ".def", ".S",	  ".s",
		".asm", ".m",	".mm",	  ".rs",  ".go",  ".d",	  ".f",	  ".f90", ".f03", ".F90",
		".zig", ".nim", ".swift", ".ml",  ".hs",  ".pas", ".adb", ".ads", ".y",	  ".l",
	};
	char real[PATH_MAX];
	const char *name = strrchr(path, '/');
	const char *dot = strrchr(name ? name : path, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcmp(dot, endings[i]) == 0)
			return true;
	return !dot && strstr(path, "/include/c++/") && !strstr(path, "/../") &&
	       (!realpath(path, real) || strstr(real, "/include/c++/"));
}

static void split(struct sourcefile *file, size_t size)
{
	vec_push(&file->lines, 0);
	for (size_t i = 0; i < size; i++)
		if (file->text[i] == '\n')
			vec_push(&file->lines, (uint32_t)i + 1);
	if (file->lines.items[file->lines.count - 1] < size)
		vec_push(&file->lines, (uint32_t)size + 1);
}

/** Fill @file with what @found has; returns why it cannot be. */
static const char *take(struct sourcefiles *files, struct sourcefile *file,
			const struct depot_file *found)
{
	const uint64_t size = found->fd < 0 ? 0 : (uint64_t)found->status.st_size;

	if (found->fd < 0)
		return "it cannot be read";
	if (size > FILE_BYTES || files->bytes + size > ALL_BYTES)
		return "it is too large";
	file->text = xcalloc(size + 1, 1);
	if (pread_full(found->fd, file->text, size, 0) != size || memchr(file->text, 0, size))
		return "it is no text, or cannot be read";
	files->bytes += size;
	file->changed = found->status.st_mtime;
	split(file, size);
	return NULL;
}

static const char *load(struct sourcefiles *files, struct sourcefile *file, const char *path)
{
	CLEANUP(depot_file_deinit) struct depot_file found = { .fd = -1 };
	size_t place = 0;

	if (path[0] != '/')
		return "not looked for: DWARF has only a relative path";
	if (!is_source_name(path))
		return "not read: its name is not that of a source file";
	if (!depot_next(files->depot, path, &place, &found))
		return "not here";
	return take(files, file, &found);
}

const struct sourcefile *sourcefiles_get(struct sourcefiles *files, const char *path)
{
	const size_t known = files->list.count;
	const uint32_t row =
		u64map_row(&files->index, XXH3_64bits(path, strlen(path)), &files->list, NULL);

	if (row == known) {
		files->list.items[row] = xcalloc(1, sizeof(struct sourcefile));
		files->list.items[row]->problem = load(files, files->list.items[row], path);
	}
	return files->list.items[row];
}

const char *sourcefile_problem(const struct sourcefile *file, time_t built)
{
	if (!file->problem && file->changed > built)
		return "changed after the program was built: lines may have moved";
	return file->problem;
}

const char *sourcefile_line(const struct sourcefile *file, uint32_t number, struct arena *arena)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };

	if (file->problem || number == 0 || number >= file->lines.count)
		return NULL;
	const char *end = file->text + file->lines.items[number] - 1;

	for (const char *c = file->text + file->lines.items[number - 1];
	     c < end && *c != '\r' && line.length < LINE_BYTES; c++) {
		const size_t blanks = *c == '\t' ? TAB - line.length % TAB : 0;

		for (size_t i = 0; i < blanks; i++)
			strbuf_putc(&line, ' ');
		if (!blanks)
			strbuf_putc(&line, *c);
	}
	return arena_strdup(arena, strbuf_text(&line));
}
