// SPDX-License-Identifier: Apache-2.0
// A file as the dynamic linker sees it: its names with their versions, and what it needs.
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A name of .dynsym. */
struct standin_symbol {
	const char *name;
	const char *version;	// NULL: it has none
	uint16_t version_index; // of what is defined, with VERSYM_HIDDEN
	uint8_t type, binding;	// STT_FUNC ..., STB_WEAK ...
	bool is_defined;
	bool is_absolute; // a number: in no section
	bool is_copied;	  // by a relocation: its place in a program stands for that of a library
};

/** A version that the file defines (gABI extension of Solaris and GNU: Elf64_Verdef). */
struct standin_version {
	const char *name;
	const char *parent; // NULL: none
	uint16_t index, flags;
};

struct standin_library {
	struct arena arena;
	const char *path;	 // as it was opened
	const char *soname;	 // without DT_SONAME the file name
	const char *interpreter; // NULL: none
	char build_id[41];	 // "": it has none
	uint16_t machine;
	bool is_privileged;	   // it runs with rights that its starter has not
	const char *const *needed; // DT_NEEDED
	size_t needed_count;
	const struct standin_symbol *symbols;
	size_t symbol_count;
	const struct standin_version *versions;
	size_t version_count;
};

/**
 * Read the names of the file at @path, which needs section headers.
 *
 * Returns: true and *@ret_library, to be released with standinlibrary_destroy().
 */
bool standinlibrary_read(const char *path, struct standin_library **ret_library, struct err *err);
/** A file that starts and of which nothing is loaded: a script. */
struct standin_library *standinlibrary_of_script(const char *path);
/** Accepts NULL. */
void standinlibrary_destroy(struct standin_library *library);

/** True if what the file at @path has of constants contains @text, with its NUL. */
bool standinlibrary_mentions(const char *path, const char *text);

CLEANUP_POINTER(standinlibrary_destroy, struct standin_library)
