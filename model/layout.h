// SPDX-License-Identifier: Apache-2.0
// How a file is laid out and linked: what the pictures draw faults upon, and what tells two builds
// apart. Part of the model: plain data.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A section; in a file without section headers, a PT_LOAD: "[r-x segment]". */
struct model_layout_section {
	const char *name;
	bool has_bytes;	 // false: .bss and the like, offset and file_size are 0
	uint64_t offset; // of its first byte in the file
	uint64_t file_size;
	bool is_loaded; // in a PT_LOAD: vaddr and memory_size
	uint64_t vaddr;
	uint64_t memory_size;
	bool is_writable, is_code;
};

/**
 * Sections that have bytes by offset, then the others by vaddr; without .tbss, which has no place
 * of its own. All lie within the file.
 */
struct model_layout {
	const struct model_layout_section *sections;
	size_t section_count;
	bool is_library;	   // not a program: any process may load it
	bool is_fixed;		   // a program at a fixed address
	bool is_symbolic;	   // DF_SYMBOLIC or DT_SYMBOLIC
	const char *const *needed; // names of DT_NEEDED, as they are written
	size_t needed_count;
	// Only with NEED_FUNCTIONS: places where a function begins, those of them that symbols
	// name, and these symbols.
	uint64_t functions, named_functions, function_names;
	const char *toolchain; // what compiled and linked it, by .comment; NULL: unknown
};
