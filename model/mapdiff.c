// SPDX-License-Identifier: Apache-2.0
#include "model/mapdiff.h"

#include "base/order.h"
#include "base/symbolname.h"
#include "base/vec.h"

#include <inttypes.h>
#include <string.h>

/** Rows being gathered: one for each thing of a side, until those of one name are merged. */
struct gathering {
	VEC(struct mapdiff_row) rows;
	struct arena *arena;
	enum mapdiff_side side;
};

const char *mapdiff_by_word(enum mapdiff_by by)
{
	static const char *const words[] = { "section", "unit", "symbol", "relocation",
					     "initializer" };

	return words[by];
}

/** Add a thing of the side that is gathered; the caller fills what else it has. */
static struct mapdiff_row *add(struct gathering *gathering, const char *name, uint64_t size)
{
	struct mapdiff_row row = { .name = name };

	row.count[gathering->side] = 1;
	row.size[gathering->side] = size;
	vec_push(&gathering->rows, row);
	return &gathering->rows.items[gathering->rows.count - 1];
}

static void add_sections(struct gathering *gathering, const struct map_model *model)
{
	array_foreach (part, model->parts, model->part_count)
		add(gathering, part->name, part->file_bytes)->memory[gathering->side] =
			part->memory_bytes;
}

static void add_units(struct gathering *gathering, const struct map_model *model)
{
	array_foreach (unit, model->units, model->unit_count)
		add(gathering, unit->name ? unit->name : "[no compile unit]", unit->code_bytes);
}

/** The name that other builds may have, too; ranges of .eh_frame are one row. */
static const char *symbol_name(struct arena *arena, const struct map_symbol *symbol)
{
	size_t length = symbolname_length(symbol->name);

	if (symbolname_is_address(symbol->name))
		return "[functions without a name]";
	return symbol->name[length] ? arena_strndup(arena, symbol->name, length) : symbol->name;
}

/** True if a symbol of another name begins where @at of the symbols, by address, does. */
static bool is_shared(const struct map_model *model, size_t at)
{
	const struct map_symbol *symbols = model->symbols;

	for (size_t i = at; i > 0 && symbols[i - 1].vaddr == symbols[at].vaddr; i--)
		if (strcmp(symbols[i - 1].name, symbols[at].name) != 0)
			return true;
	for (size_t i = at + 1; i < model->symbol_count && symbols[i].vaddr == symbols[at].vaddr;
	     i++)
		if (strcmp(symbols[i].name, symbols[at].name) != 0)
			return true;
	return false;
}

static void add_symbols(struct gathering *gathering, const struct map_model *model)
{
	for (size_t i = 0; i < model->symbol_count; i++) {
		const struct map_symbol *symbol = &model->symbols[i];
		struct mapdiff_row *row = add(gathering, symbol_name(gathering->arena, symbol),
					      symbol->is_sized ? symbol->size : 0);

		row->section = symbol->section;
		row->shared[gathering->side] = is_shared(model, i);
	}
}

static void add_relocations(struct gathering *gathering, const struct map_model *model)
{
	const struct map_relocations *from = &model->relocations;
	const struct {
		const char *name;
		uint64_t count;
	} classes[] = {
		{ "relative", from->relative },	  { "symbolic", from->symbolic },
		{ "irelative", from->irelative }, { "tls", from->tls },
		{ "copy", from->copy },		  { "jump_slot", from->jump_slot },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		add(gathering, classes[i].name, 0)->count[gathering->side] = classes[i].count;
}

static void add_initializers(struct gathering *gathering, const struct map_model *model)
{
	array_foreach (initializer, model->initializers, model->initializer_count) {
		const char *name = initializer->function ? initializer->function
				   : initializer->source ? initializer->source
							 : "[without a name]";

		add(gathering, name, initializer->size);
	}
}

ORDER_OF(compare_names, mapdiff_row, strcmp(x->name, y->name))

static uint64_t distance(const uint64_t *sides)
{
	return sides[MAPDIFF_BEFORE] > sides[MAPDIFF_AFTER]
		       ? sides[MAPDIFF_BEFORE] - sides[MAPDIFF_AFTER]
		       : sides[MAPDIFF_AFTER] - sides[MAPDIFF_BEFORE];
}

ORDER_OF(compare_changes, mapdiff_row,
	 ORDER(distance(y->size), distance(x->size))
		 ?: ORDER(distance(y->memory), distance(x->memory))
		 ?: ORDER(distance(y->count), distance(x->count)) ?: strcmp(x->name, y->name))

static void add_row(struct mapdiff_row *to, const struct mapdiff_row *from)
{
	for (int side = 0; side < MAPDIFF_SIDES; side++) {
		to->count[side] += from->count[side];
		to->size[side] += from->size[side];
		to->memory[side] += from->memory[side];
		to->shared[side] += from->shared[side];
	}
	to->section = from->section ? from->section : to->section;
}

static bool differs(const struct mapdiff_row *row)
{
	return distance(row->size) || distance(row->memory) || distance(row->count) ||
	       distance(row->shared);
}

/** Make one row of those with one name, and keep what differs. */
static void finish(struct gathering *gathering, struct mapdiff_table *table)
{
	struct mapdiff_row *rows = gathering->rows.items;
	size_t kept = 0;

	vec_sort(&gathering->rows, compare_names);
	for (size_t i = 0; i < gathering->rows.count;) {
		struct mapdiff_row row = { .name = rows[i].name };

		for (; i < gathering->rows.count && strcmp(rows[i].name, row.name) == 0; i++)
			add_row(&row, &rows[i]);
		add_row(&table->total, &row);
		if (differs(&row))
			rows[kept++] = row;
	}
	table->total.section = NULL;
	gathering->rows.count = kept;
	vec_sort(&gathering->rows, compare_changes);
	table->row_count = kept;
	table->rows = vec_keep(&gathering->rows, gathering->arena);
	table->is_known = true;
}

void mapdiff_init(struct mapdiff *diff, const struct map_model *before,
		  const struct map_model *after)
{
	static void (*const gather[])(struct gathering *, const struct map_model *) = {
		add_sections, add_units, add_symbols, add_relocations, add_initializers,
	};

	*diff = (struct mapdiff){ .files = { before, after } };
	for (int by = 0; by < MAPDIFF_TABLES; by++) {
		struct gathering gathering = { .arena = &diff->arena };

		if (by == MAPDIFF_BY_UNIT && (!before->has_units || !after->has_units))
			continue;
		for (int side = 0; side < MAPDIFF_SIDES; side++) {
			gathering.side = (enum mapdiff_side)side;
			gather[by](&gathering, diff->files[side]);
		}
		finish(&gathering, &diff->tables[by]);
	}
}

void mapdiff_deinit(struct mapdiff *diff)
{
	arena_deinit(&diff->arena);
}
