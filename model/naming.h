// SPDX-License-Identifier: Apache-2.0
// Names that people give to files and initializers: one rule for each, wherever a name is taken.
//
//   file          its path, its file name or its soname
//   initializer   its function, demangled or as the symbol table has it, its label ("globals of
//                 foo.cc"), or its place: the array, or the array and the index, .init_array[3]
//
// These are the names that answers print, so each of them can be passed back. One of the two may
// have homes as "~": people copy names from an answer, and a model may have them so
// (model/shown.h). A name means everything that has it.
#pragma once

#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

/** All names of one thing. They are borrowed; place has the text of one of them. */
struct naming {
	const char *names[5];
	size_t count;
	char place[64];
};

/** @soname: NULL: none, or not known. Memory outside files only has its path, "[heap]". */
void naming_of_file(struct naming *ret_naming, const char *path, const char *soname);

void naming_of_initializer(struct naming *ret_naming, const struct model_initializer *initializer);

/** True if one of the names is @name. */
bool naming_has(const struct naming *naming, const char *name);

/** True if one of the names matches @pattern (base/glob.h). */
bool naming_matches(const struct naming *naming, const char *pattern);

/** The same for a text that has no other names. */
bool naming_text_matches(const char *text, const char *pattern);

/**
 * True if @name means the file with this path and soname, which may be NULL. A name with a slash
 * may also be a path on this machine: links and dots in it are resolved.
 */
bool naming_is_file(const char *path, const char *soname, const char *name);

/**
 * A message where one file is wanted and @name means @count, of which the one at @path is taken; in
 * @arena. NULL: it means one.
 */
const char *naming_several(struct arena *arena, const char *name, size_t count, const char *path);

/** The same as naming_is_file() for @object. */
bool naming_is_object(const struct model_object *object, const char *name);
