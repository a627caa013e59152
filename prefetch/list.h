// SPDX-License-Identifier: Apache-2.0
// A prefetch list: which ranges of which files a start needs, in the order of first use. Its text
// is described in docs/prefetch.md. This folder needs nothing but libc: elfault-prefetch is made of
// it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PREFETCH_LIST_VERSION = 1,
	PREFETCH_BUILD_ID_MAX = 20,
	PREFETCH_PATH_MAX = 4 << 10,  // with its NUL
	PREFETCH_TEXT_MAX = 64 << 20, // bytes of a list
};

/** The words of prefetch_why, each once: identifier, word. */
#define PREFETCH_WHYS(row)                                             \
	row(FAULT, "fault")	      /* pages that faults were on */  \
		row(WINDOW, "window") /* and those mapped with them */ \
		row(READ, "read")     /* by read() and the like */     \
		row(EXEC, "exec")     /* by execve() */

#define PREFETCH_WHY_IDENTIFIER(name, word) PREFETCH_##name,
enum prefetch_why { PREFETCH_WHYS(PREFETCH_WHY_IDENTIFIER) PREFETCH_WHY_COUNT };

/** "fault", "window" ... */
const char *prefetch_why_name(enum prefetch_why why);

struct prefetch_file {
	const char *path; // absolute
	uint64_t size;
	int64_t mtime_s;
	uint32_t mtime_ns;	// below 1,000,000,000
	uint32_t build_id_size; // 0: it has none
	uint8_t build_id[PREFETCH_BUILD_ID_MAX];
};

struct prefetch_range {
	uint64_t offset, length; // within the file; length is not 0
	uint32_t file;		 // into files
	enum prefetch_why why;
};

struct prefetch_list {
	struct prefetch_file *files; // in the order of their first ranges
	size_t file_count;
	struct prefetch_range *ranges; // in the order of first use
	size_t range_count;
};

/** Why a list was refused. */
struct prefetch_error {
	size_t line;	     // from 1; 0: of no line
	const char *message; // static
};

/**
 * Read a list from its text, which may come from anyone. Every path, number and count is checked;
 * nothing is taken that the length of the text does not justify.
 *
 * @text: is changed, and the paths point into it: it has to outlive the list. @text[size] is there
 * and may be written. Returns: false and *@ret_error, or the list, to be released with
 * prefetch_list_deinit().
 */
bool prefetch_list_parse(char *text, size_t size, struct prefetch_list *ret_list,
			 struct prefetch_error *ret_error);

/**
 * The text with @home, in which no byte is NUL, in place of each "~" that a path begins with: a
 * list names files below its user's home without that home's name. Takes @text, which was allocated
 * and has *@size bytes; returns it, or another one as prefetch_list_parse() takes it. NULL: no
 * memory.
 */
char *prefetch_list_expand(char *text, size_t *size, const char *home);

/** Whether a text starts as every list does, of whatever version. */
bool prefetch_list_is(const char *text, size_t size);

/** Release what prefetch_list_parse() took; not the text. */
void prefetch_list_deinit(struct prefetch_list *list);

/**
 * Write @path so that it is one word of a line: control characters, backslashes and what is not
 * ASCII as \ooo. Cut at @size, which is at least 1; always ends with NUL.
 */
void prefetch_path_escape(const char *path, char *ret_text, size_t size);
