// SPDX-License-Identifier: Apache-2.0
// Origin of an instruction: its line and the functions inlined there, by libdw.
#include "elfmap/dwarf/codeunits.h"

#include "base/u64map.h"

#include <dwarf.h>
#include <limits.h>

struct elfmap_code_index {
	struct codeunits units;
	bool has_units;	     // there is DWARF
	uint64_t lines_left; // to be kept: a line takes a byte at least
	struct u64map known; // vaddr -> index in .codes, plus one; 0: nothing is known of it
	VEC(const struct elfmap_code *) codes;
};

static void release(struct elfmap *map)
{
	CLEANUP(freep) struct elfmap_code_index *index = map->code_index;

	codeunits_deinit(&index->units);
	u64map_deinit(&index->known);
	vec_deinit(&index->codes);
}

static struct elfmap_code_index *index_of(struct elfmap *map)
{
	if (map->code_index)
		return map->code_index;
	struct elfmap_code_index *index = map->code_index = xcalloc(1, sizeof(*index));
	map->release_code_index = release;
	const struct elfmap_dwarf *dwarf = elfmap_dwarf(map);

	index->has_units = dwarf->dwarf;
	index->lines_left = dwarf->bytes;
	if (index->has_units)
		codeunits_init(&index->units, map, dwarf);
	return index;
}

/** A string attribute of @die itself, or NULL. */
static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

/** "file:line" in @map's arena; a relative @file gets the folder that the unit was compiled in. */
static const char *source_text(struct elfmap *map, struct codeunits_unit *unit, const char *file,
			       uint64_t line)
{
	const char *folder = file[0] == '/' ? NULL : text_of(&unit->die, DW_AT_comp_dir);
	const char *slash = folder && folder[0] ? "/" : "";

	folder = folder ? folder : "";
	if (strnlen(file, PATH_MAX) == PATH_MAX || strnlen(folder, PATH_MAX) == PATH_MAX)
		return NULL; // no file has such a name
	if (line == 0)
		return arena_printf(&map->arena, "%s%s%s:?", folder, slash, file);
	return arena_printf(&map->arena, "%s%s%s:%llu", folder, slash, file,
			    (unsigned long long)line);
}

static const char *source_at(struct elfmap *map, struct elfmap_code_index *index,
			     struct codeunits_unit *unit, uint64_t vaddr)
{
	Dwarf_Lines *lines;
	size_t count;
	int number;

	// The table of a unit is decoded whole at its first use, and kept by libdw.
	if (index->lines_left == 0 || dwarf_getsrclines(&unit->die, &lines, &count) != 0)
		return NULL;
	if (!unit->has_lines) {
		unit->has_lines = true;
		index->lines_left -= count < index->lines_left ? count : index->lines_left;
	}
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, vaddr);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(line, &number) != 0 || number < 0)
		return NULL;
	return source_text(map, unit, file, (uint64_t)number);
}

/** A number that an attribute of @die holds; 0 if there is none. */
static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0)
		return 0;
	return value;
}

/** Return the line from which the inlined body @die was called. */
static const char *call_source(struct elfmap *map, struct codeunits_unit *unit, Dwarf_Die *die)
{
	Dwarf_Files *files;
	size_t count;

	if (!dwarf_hasattr(die, DW_AT_call_file) ||
	    dwarf_getsrcfiles(&unit->die, &files, &count) != 0)
		return NULL;
	const char *file = dwarf_filesrc(files, number_of(die, DW_AT_call_file), NULL, NULL);
	return file ? source_text(map, unit, file, number_of(die, DW_AT_call_line)) : NULL;
}

/** The linkage name, else the plain one; both may stand at what @die was made from. */
static const char *name_of(Dwarf_Die *die)
{
	static const unsigned names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name =
			dwarf_formstring(dwarf_attr_integrate(die, names[i], &attribute));

		if (name)
			return name;
	}
	return NULL;
}

static void fill_inlined(struct elfmap *map, struct codeunits *units, struct codeunits_unit *unit,
			 uint32_t at, struct elfmap_code *code)
{
	size_t count = units->scopes.items[at].ancestors;
	struct elfmap_inlined *inlined = arena_array(&map->arena, count, sizeof(*inlined));

	for (size_t i = 0; i < count; i++) {
		struct codeunits_scope *scope = &units->scopes.items[at];

		inlined[i] = (struct elfmap_inlined){
			.function = name_of(&scope->die),
			.source = call_source(map, unit, &scope->die),
		};
		at = scope->outer;
	}
	code->inlined = inlined;
	code->inlined_count = count;
}

/** Find the code at @vaddr in DWARF; NULL if it is not described. */
static const struct elfmap_code *find_code(struct elfmap *map, struct elfmap_code_index *index,
					   uint64_t vaddr)
{
	struct codeunits_unit *unit =
		index->has_units ? codeunits_unit_at(&index->units, vaddr) : NULL;

	if (!unit)
		return NULL;
	struct elfmap_code *code = arena_alloc(&map->arena, sizeof(*code));
	uint32_t scope = codeunits_scope_at(&index->units, unit, vaddr);

	code->source = source_at(map, index, unit, vaddr);
	if (scope != CODEUNITS_NONE)
		fill_inlined(map, &index->units, unit, scope, code);
	return code->source || code->inlined_count ? code : NULL;
}

const struct elfmap_code *elfmap_code_at(struct elfmap *map, uint64_t vaddr)
{
	struct elfmap_code_index *index = index_of(map);
	bool is_new;
	uint32_t *known = u64map_put(&index->known, vaddr, &is_new);

	if (is_new) {
		const struct elfmap_code *code = find_code(map, index, vaddr);

		if (code) {
			vec_push(&index->codes, code);
			*known = (uint32_t)index->codes.count; // one an address asked for
		}
	}
	return *known ? index->codes.items[*known - 1] : NULL;
}
