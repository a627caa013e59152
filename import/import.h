// SPDX-License-Identifier: Apache-2.0
// Logs of other tools -> traces. docs/import.md has the formats, and what each of them lacks. A
// reader is a file in import/, and its row in import/import.c.
#pragma once

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum import_format {
	IMPORT_PERF_SCRIPT, // text that `perf script` prints of page faults
	IMPORT_BPFTRACE, // lines mmap(...) and page_fault_user(...) of the bpftrace script of 2022
	IMPORT_OFFSETS,	 // "FILE OFFSET" per line
	IMPORT_FORMATS,	 // whichever the first lines are of
};

/** The word for --from; NULL past the last. */
const char *import_format_name(enum import_format format);

/** A log: what is behind @fd, or @bytes where fd is -1. Borrowed. */
struct import_source {
	const char *name; // for messages
	int fd;
	const char *bytes;
	size_t size;
	const char *folder; // that relative names of a list are relative to; absolute
};

/** The imported log; opaque but for these figures. */
struct imported;
struct import_figures {
	enum import_format format;
	uint64_t lines, faults, mappings;
	uint64_t lost;	    // faults that the log says were lost, or whose lines are damaged
	uint64_t odd_lines; // neither understood nor of a kind that is not needed
};

/**
 * Read a log to its end. Names in it are data: no file that it names is opened.
 *
 * @format: IMPORT_FORMATS finds out which it is
 * @err: ERR_OS; ERR_INPUT: no line is of the format, or one shows that a field is missing without
 *       which the log is of no use. The message names the line, and the field.
 */
bool import_read(const struct import_source *source, enum import_format format,
		 struct imported **ret_imported, struct err *err);

/**
 * Note the identity of the files that are at the paths of the log now, where nothing shows that
 * they are others: then a later change is noticed. Opens them.
 *
 * @log: of the log itself; NULL: unknown. A file that changed after the log did is not the one.
 */
void import_identify(struct imported *imported, const struct stat *log);

/** Write all as a trace to @fd, which is empty. @err: ERR_OS. */
bool import_write(struct imported *imported, const char *producer, int fd, struct err *err);

struct import_figures import_figures(const struct imported *imported);

/** Release @imported, which may be NULL. */
void import_close(struct imported *imported);

CLEANUP_POINTER(import_close, struct imported)
