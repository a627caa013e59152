// SPDX-License-Identifier: Apache-2.0
// A file on both sides: "objects" of a comparison. Context is the comparison.
#include "render/columns/objects.h"

#include "base/cleanup.h"
#include "compare/compare.h"
#include "render/columns/node.h"

/** One side's file. */
struct side_layout {
	const char *path;
	struct compare_layout layout;
};

static struct json_object *layout_new(const struct compare_object *object, enum compare_side side)
{
	const struct side_layout of = { object->path[side], object->layout[side] };

	return of.path ? columns_new("diff_layout", &of, NULL) : NULL;
}

VALUE_OF(layout_before, compare_object, layout_new(row, COMPARE_BEFORE))
VALUE_OF(layout_after, compare_object, layout_new(row, COMPARE_AFTER))

/** Without sections that both sides have in one size: they say nothing. */
static struct json_object *sections_new(const void *row, const void *context)
{
	const struct compare_object *object = row;
	struct json_object *list = node_array();

	array_foreach (section, object->sections, object->section_count)
		if (!section->is_there[COMPARE_BEFORE] || !section->is_there[COMPARE_AFTER] ||
		    section->size[COMPARE_BEFORE] != section->size[COMPARE_AFTER])
			node_append(list, columns_new("diff_section_size", section, context));
	return list;
}

/** One side of a move. */
struct place {
	const char *section;
	uint64_t vaddr, size, page, place;
	double first_use, faults;
};

static struct json_object *place_new(const struct compare_move *move, enum compare_side side)
{
	return columns_new("diff_place",
			   &(struct place){ move->section[side], move->vaddr[side],
					    move->size[side], move->page[side], move->place[side],
					    move->first_use[side], move->faults[side] },
			   NULL);
}

VALUE_IN(place_before, place_new(row, COMPARE_BEFORE))
VALUE_IN(place_after, place_new(row, COMPARE_AFTER))
VALUE_OF(code_curve, compare_curves, curve_new("functions", row->code, row->code_count))
VALUE_OF(file_curve, compare_curves, curve_new("faults", row->file, row->file_count))

/** A locality, with what stands for one side alone together. */
struct object_locality {
	struct compare_locality both;
	bool is_there[COMPARE_SIDES];
	struct locality_side {
		bool has_packing, has_pages_per_function;
		double packing, pages_per_function;
		uint64_t only_here, unclear;
		struct locality_area common;
		struct compare_curves curves;
	} side[COMPARE_SIDES];
};

static struct json_object *locality_new(const void *row, const void *comparison)
{
	const struct compare_object *object = row;
	const struct compare_locality *locality = object->locality;

	if (!locality)
		return NULL;
	struct object_locality of = { .both = *locality };
	for (int i = 0; i < COMPARE_SIDES; i++) {
		enum compare_side at = (enum compare_side)i;
		struct locality_side *side = &of.side[at];

		of.is_there[at] = object->path[at];
		side->has_packing = compare_packing(locality, at, &side->packing);
		side->has_pages_per_function =
			compare_pages_per_function(locality, at, &side->pages_per_function);
		side->only_here = locality->only[at];
		side->unclear = locality->unclear[at];
		side->common = locality->common[at];
		side->curves = locality->curves[at];
	}
	return columns_new("diff_locality", &of, comparison);
}

// clang-format off
const struct row_column diffobject_columns[] = {
	ROW("diff_layout", "null where this side does not have the file"),
	{ "path", "text", NULL, AT(side_layout, path) },
	{ "build_id", "text?", NULL, AT(side_layout, layout.build_id) },
	{ "size", "number", NULL, AT(side_layout, layout.size) },
	{ "initializers", "number", NULL, AT(side_layout, layout.initializers) },
	{ "functions", "number?", "places where a function begins; null: the file was not read",
	  AT_IF(side_layout, layout.functions, layout.is_known) },
	{ "function_names", "number?",
	  "of them; more than functions where some are aliases or were folded",
	  AT_IF(side_layout, layout.function_names, layout.is_known) },
	{ "relocations", "diff_relocations?", NULL,
	  ROW_IF(side_layout, layout, layout.has_relocation) },

	ROW("diff_section_size", NULL),
	{ "section", "text", NULL, AT(compare_section, name) },
	{ "before", "number?", NULL,
	  AT_IF(compare_section, size[COMPARE_BEFORE], is_there[COMPARE_BEFORE]) },
	{ "after", "number?", NULL,
	  AT_IF(compare_section, size[COMPARE_AFTER], is_there[COMPARE_AFTER]) },

	ROW("diff_locality_side", "null where this side does not have the file"),
	{ "packing", "share?",
	  "least_area / area, of medians: 1 is the best order; null: no functions",
	  AT_IF(locality_side, packing, has_packing) },
	{ "pages_per_function", "amount?", "code_pages / functions, of medians",
	  AT_IF(locality_side, pages_per_function, has_pages_per_function) },
	{ "only_here", "number", "functions that only this side was seen to run",
	  AT(locality_side, only_here) },
	{ "unclear", "number",
	  "functions whose name others have, too, or is an address of another build",
	  AT(locality_side, unclear) },
	{ "common", "locality_area",
	  "the same of the functions matched alone: a side whose faults show fewer functions "
	  "has less area whatever its order", ROW_AT(locality_side, common) },
	{ "run", "number", "index of the run that the curves are of: that of the median area",
	  AT(locality_side, curves.run) },
	{ "code_curve", "code_curve",
	  "code pages after so many functions by first use; of more than 256 the first, the "
	  "last and others evenly between", BY_AT(locality_side, curves, code_curve) },
	{ "file_curve", "file_curve",
	  "pages of the file after so many of its faults; of more than 256 the first, the last "
	  "and others evenly between", BY_AT(locality_side, curves, file_curve) },

	ROW("diff_place", NULL),
	{ "section", "text?", NULL, AT(place, section) },
	{ "vaddr", "address", NULL, AT(place, vaddr) },
	{ "size", "number", NULL, AT(place, size) },
	{ "page", "number", "of vaddr", AT(place, page) },
	{ "place", "number>0", "by address, among the functions matched, from 1",
	  AT(place, place) },
	{ "first_use", "amount>=1",
	  "which by first use, from 1; a median over the runs that saw it", AT(place, first_use) },
	{ "faults", "amount", "that mapped its code to run it; a median", AT(place, faults) },

	ROW("diff_move", NULL),
	{ "function", "text", NULL, AT(compare_move, name) },
	{ "before", "diff_place", NULL, BY(place_before) },
	{ "after", "diff_place", NULL, BY(place_after) },

	ROW("diff_locality",
	    "order and closeness of what the runs touch; null for what is not a file"),
	{ "functions", "diff_figure",
	  "seen to run: at a faulting instruction or on the stack of a fault",
	  ROW_AT(object_locality, both.figures[COMPARE_FUNCTIONS]) },
	{ "code_pages", "diff_figure", "distinct pages that these functions span",
	  ROW_AT(object_locality, both.figures[COMPARE_CODE_PAGES]) },
	{ "code_bytes", "diff_figure", "of these functions",
	  ROW_AT(object_locality, both.figures[COMPARE_CODE_BYTES]) },
	{ "area", "diff_figure",
	  "under the curve of code pages over functions by first use: its values added up",
	  ROW_AT(object_locality, both.figures[COMPARE_AREA]) },
	{ "least_area", "diff_figure",
	  "the area if the functions lay side by side by first use, from the start of a page",
	  ROW_AT(object_locality, both.figures[COMPARE_LEAST_AREA]) },
	{ "same", "diff_figure",
	  "faults on the page of the one before of the same process in the file",
	  ROW_AT(object_locality, both.figures[COMPARE_STEP_SAME]) },
	{ "next", "diff_figure", "up to 16 pages ahead of it",
	  ROW_AT(object_locality, both.figures[COMPARE_STEP_NEXT]) },
	{ "forward", "diff_figure", "further ahead",
	  ROW_AT(object_locality, both.figures[COMPARE_STEP_FORWARD]) },
	{ "backward", "diff_figure", "before it",
	  ROW_AT(object_locality, both.figures[COMPARE_STEP_BACKWARD]) },
	{ "random", "diff_figure", "forward and backward",
	  ROW_AT(object_locality, both.figures[COMPARE_STEP_RANDOM]) },
	{ "before", "diff_locality_side?", NULL,
	  ROW_IF(object_locality, side[COMPARE_BEFORE], is_there[COMPARE_BEFORE]) },
	{ "after", "diff_locality_side?", NULL,
	  ROW_IF(object_locality, side[COMPARE_AFTER], is_there[COMPARE_AFTER]) },
	{ "matched", "number", "functions that both sides were seen to run, one for one",
	  AT(object_locality, both.move_count) },
	{ "moved", "[diff_move]",
	  "of the functions matched, those that lie elsewhere among the others, or in another "
	  "section: the largest difference in faults first, then in place, then by name",
	  LIST_AT(object_locality, both.moves, both.moved_count) },

	ROW("diff_object", NULL),
	{ "label", "text", NULL, AT(compare_object, label) },
	{ "paired_by", "path|soname|name|pair|program|guess?", NULL,
	  WORD_AT(compare_object, pairing, compare_pairing_name) },
	{ "before", "diff_layout?", NULL, BY(layout_before) },
	{ "after", "diff_layout?", NULL, BY(layout_after) },
	{ "sections", "[diff_section_size]", "whose size is not the same on both sides",
	  BY(sections_new) },
	{ "locality", "diff_locality?", NULL, BY(locality_new) },

	ROW("diff_relocations", NULL),
	{ "relative", "number", NULL, AT(compare_layout, relocations[MODEL_RELOCATION_RELATIVE]) },
	{ "symbolic", "number", NULL, AT(compare_layout, relocations[MODEL_RELOCATION_SYMBOLIC]) },
	{ "irelative", "number", NULL,
	  AT(compare_layout, relocations[MODEL_RELOCATION_IRELATIVE]) },
	{ "tls", "number", NULL, AT(compare_layout, relocations[MODEL_RELOCATION_TLS]) },
	{ "copy", "number", NULL, AT(compare_layout, relocations[MODEL_RELOCATION_COPY]) },
	{ "jump_slot", "number", NULL,
	  AT(compare_layout, relocations[MODEL_RELOCATION_JUMP_SLOT]) },
	{ "encoding", "rela|rel|relr|mixed?", NULL, AT(compare_layout, encoding) },
	{ "table_bytes", "number", NULL, AT(compare_layout, table_bytes) },
	{ "pages_holding", "number", NULL, AT(compare_layout, pages_holding) },
	{ "lookups_at_load", "number", NULL, AT(compare_layout, lookups_at_load) },
	{ "bind_now", "bool", NULL, AT(compare_layout, bind_now) },

	ROW("locality_area",
	    "the same of the functions matched alone: a side whose faults show fewer functions "
	    "has less area whatever its order"),
	{ "code_pages", "number", NULL, AT(locality_area, code_pages) },
	{ "code_bytes", "number", NULL, AT(locality_area, code_bytes) },
	{ "area", "number", NULL, AT(locality_area, area) },
	{ "least_area", "number", NULL, AT(locality_area, least_area) },
	{ 0 },
};
// clang-format on
