// SPDX-License-Identifier: Apache-2.0
// One ELF file whose functions `elfault order` puts in order.
#pragma once

#include "base/err.h"
#include "cure/order.h"
#include "elfmap/elfmap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order_object {
	char *path; // to show
	struct elfmap *map;
	const struct elfmap_function *functions; // sorted by vaddr
	size_t count;
	// Functions sorted by their offset in the file, each offset once.
	uint64_t *offsets;
	uint32_t *by_offset; // index into functions
	size_t offset_count;
	bool is_go;
	size_t entered, nameless; // functions
};

/**
 * Read the functions of the file at @open_path, of which messages speak as @path.
 * @debug_dir: see elfmap_options.
 */
bool orderobject_open(struct order_object *object, const char *path, const char *open_path,
		      const char *debug_dir, struct err *err);

/** The same of @found, whose descriptor it takes. */
bool orderobject_open_found(struct order_object *object, const char *path, struct depot_file *found,
			    const struct elfmap_options *how, struct err *err);

/** Whether @name means it (model/naming.h). */
bool orderobject_is_called(const struct order_object *object, const char *name);

/** Add the names of @function, which was entered. */
void orderobject_add(struct order_object *object, const struct elfmap_function *function,
		     struct order *order);

/** Files of which less than a hundredth of the functions are: one line for all of them. */
struct order_rest {
	size_t functions, files;
};

/** Whether @entered of @all functions are so few; if so, they are counted in @rest. */
bool orderobject_is_rest(size_t entered, size_t all, struct order_rest *rest);

void orderobject_print_rest(const struct order_rest *rest);

/** One line for each object that was entered; the reason where names are missing. */
void orderobject_print(const struct order_object *object);

/** Say how many names cannot stand in an order file; nothing where all can. */
void orderobject_print_refused(const struct order *order);

/** How to link with the order file at @path. */
void orderobject_print_next(const char *path, enum order_format format);

void orderobject_close(struct order_object *object);
