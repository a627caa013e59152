// SPDX-License-Identifier: Apache-2.0
// The document of `map BEFORE AFTER`.
#include "render/columns/columns.h"

#include "base/vec.h"
#include "model/mapdiff.h"
#include "render/columns/node.h"

/** How much more the side after has, of @sides. */
static struct json_object *change_new(const void *sides, const void *context)
{
	const uint64_t *side = sides;

	return json_object_new_int64((int64_t)(side[MAPDIFF_AFTER] - side[MAPDIFF_BEFORE]));
}

static struct json_object *notes_new(const void *row, const void *context)
{
	const struct mapdiff *diff = row;
	struct json_object *list = node_array();

	for (int side = 0; side < MAPDIFF_SIDES; side++) {
		const struct notes *notes = &diff->files[side]->notes;

		for (size_t i = 0; i < notes->list.count; i++)
			node_append(list, node_text(notes->list.items[i].text));
	}
	return list;
}

#define SIDES(name, member, meaning)                                                    \
	{ "before" name, "number", meaning, AT(mapdiff_row, member[MAPDIFF_BEFORE]) },  \
	{                                                                               \
		"after" name, "number", meaning, AT(mapdiff_row, member[MAPDIFF_AFTER]) \
	}

#define TABLE(by, row, meaning)                                                                  \
	{ "by_" row, "[mapdiff_" row "]", meaning,                                               \
	  LIST_AT(mapdiff, tables[by].rows, tables[by].row_count) },                             \
	{                                                                                        \
		row "_total", "mapdiff_total?", "of all rows, also of those that do not differ", \
			ROW_IF(mapdiff, tables[by].total, tables[by].is_known)                   \
	}

// clang-format off
const struct row_column mapdiff_columns[] = {
	CLOSED_ROW("mapdiff_file", NULL),
	{ "path", "text", NULL, AT(map_model, path) },
	{ "size", "number", NULL, AT(map_model, size) },
	{ "type", "text", NULL, AT(map_model, type) },
	{ "machine", "text", NULL, AT(map_model, machine) },
	{ "soname", "text?", NULL, AT(map_model, soname) },
	{ "build_id", "build-id?", NULL, AT(map_model, build_id) },
	{ "symbols", "symtab|debug-file|gopclntab|dynsym|eh-frame|none", NULL,
	  AT(map_model, symbols_from) },
	{ "relocations", "map_relocations", NULL, ROW_AT(map_model, relocations) },
	{ "pages_written_by_relocation", "number", NULL,
	  AT(map_model, pages_written_by_relocation) },
	{ "relro_bytes", "number", NULL, AT(map_model, relro_bytes) },
	{ "bind_now", "bool", NULL, AT(map_model, bind_now) },

	CLOSED_ROW("mapdiff_total", NULL),
	SIDES("", size, "bytes"),
	{ "difference", "integer", NULL, BY_AT(mapdiff_row, size, change_new) },
	SIDES("_count", count, "things"),

	CLOSED_ROW("mapdiff_section", NULL),
	{ "name", "text", NULL, AT(mapdiff_row, name) },
	SIDES("", size, "bytes in the file"),
	{ "difference", "integer", NULL, BY_AT(mapdiff_row, size, change_new) },
	SIDES("_memory", memory, "bytes in memory"),
	SIDES("_count", count, "sections of that name; 0: it is not there"),

	CLOSED_ROW("mapdiff_unit", NULL),
	{ "name", "text", "as DWARF has it", AT(mapdiff_row, name) },
	SIDES("", size, "bytes of code"),
	{ "difference", "integer", NULL, BY_AT(mapdiff_row, size, change_new) },
	SIDES("_count", count, "units of that name; 0: it is not there"),

	CLOSED_ROW("mapdiff_symbol", NULL),
	{ "name", "text", "without suffixes of compilers", AT(mapdiff_row, name) },
	{ "section", "text?", NULL, AT(mapdiff_row, section) },
	SIDES("", size, "bytes"),
	{ "difference", "integer", NULL, BY_AT(mapdiff_row, size, change_new) },
	SIDES("_count", count, "symbols of that name; 0: it is not there"),
	SIDES("_shared", shared,
	      "of these: that another name has the address of: an alias, or folded into it"),

	CLOSED_ROW("mapdiff_relocation", NULL),
	{ "class", "relative|symbolic|irelative|tls|copy|jump_slot", NULL, AT(mapdiff_row, name) },
	SIDES("_count", count, NULL),

	CLOSED_ROW("mapdiff_initializer", NULL),
	{ "name", "text", "of the function, else its source", AT(mapdiff_row, name) },
	SIDES("", size, "bytes of the function"),
	{ "difference", "integer", NULL, BY_AT(mapdiff_row, size, change_new) },
	SIDES("_count", count, "entries of that name; 0: it is not there"),

	CLOSED_DOCUMENT("map-diff", "elfault map --format json BEFORE AFTER",
		 "Two ELF files compared: what differs, the largest difference first. Sizes are "
		 "bytes. Sections add up to the size of the file: headers, and what is in no "
		 "section, are rows."),
	{ "schema", "elfault.map-diff/1" },
	{ "before", "mapdiff_file", NULL, POINTER_AT(mapdiff, files[MAPDIFF_BEFORE]) },
	{ "after", "mapdiff_file", NULL, POINTER_AT(mapdiff, files[MAPDIFF_AFTER]) },
	TABLE(MAPDIFF_BY_SECTION, "section", NULL),
	TABLE(MAPDIFF_BY_UNIT, "unit", "none where a side has no DWARF"),
	TABLE(MAPDIFF_BY_SYMBOL, "symbol", NULL),
	TABLE(MAPDIFF_BY_RELOCATION, "relocation", NULL),
	TABLE(MAPDIFF_BY_INITIALIZER, "initializer", NULL),
	{ "notes", "[text]", "of both files", BY(notes_new) },
	{ 0 },
};
// clang-format on
