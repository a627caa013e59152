// SPDX-License-Identifier: Apache-2.0
// One program being loaded: its files, the lists in which they search names, and the sums.
#pragma once

#include "base/path.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "correlate/replay/process.h"
#include "correlate/replay/rows.h"
#include "elfmap/binding.h"
#include "model/binding.h"

enum { LOADING_NO_FILE = UINT32_MAX };

/** A file of a program. */
struct loading_file {
	uint32_t object;
	struct elfmap *map;
	struct elfmap_names names;
	uint32_t group; // 0: loaded with the program; else the dlopen() that brought it, from 1
	struct model_bound_file row;
};

/** Files that a name is searched in, one after the other. */
struct loading_scope {
	VEC(uint32_t) files; // indexes into loading.files
};

/** One program being loaded. */
struct loading {
	struct rows *rows;
	const struct process_program *program;
	VEC(struct loading_file) files;	  // in the order of their mappings
	VEC(struct loading_scope) scopes; // by group
	struct u64map uniques;		  // hash of an STB_GNU_UNIQUE name -> file
	struct u64map pair_rows;
	VEC(struct model_bound_pair) pairs; // of files
	VEC(struct model_binding) list;
	bool wants_list;
	struct model_loading row;
};

/** The name of @object's file. */
static inline const char *loading_label(const struct loading *loading, uint32_t object)
{
	return path_file_name(loading->rows->object_rows.items[object].path);
}

static inline bool loading_scope_has(const struct loading_scope *scope, uint32_t file)
{
	vec_foreach (item, &scope->files)
		if (*item == file)
			return true;
	return false;
}

/**
 * Make the lists, the first of which all files search, and tell for each file which dlopen()
 * brought it. False: the order of one is not known; loading.row says why.
 */
bool loading_find_scopes(struct loading *loading);

/** Bind the names of file @from in the order of its tables, and count the searches. */
void loading_bind_file(struct loading *loading, uint32_t from);
