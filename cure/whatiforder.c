// SPDX-License-Identifier: Apache-2.0
// The functions of a list put one after the other: the code that runs lies on as few pages as it
// can.
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/figure.h"
#include "base/range.h"
#include "base/u64map.h"
#include "cure/whatifkit.h"
#include "model/packing.h"

/** The file that most of the names are of, among those asked for. */
static uint32_t find_file(const struct whatif_kit *kit)
{
	const struct model *model = kit->model;
	uint32_t best = MODEL_NONE;

	for (uint32_t i = 0; i < model->object_count; i++) {
		const struct model_packing *packing = model->objects[i].packing;

		if (packing && packing->functions > 0 && whatif_is_asked(kit, i) &&
		    (best == MODEL_NONE ||
		     packing->functions > model->objects[best].packing->functions))
			best = i;
	}
	return best;
}

void whatif_order(struct whatif_kit *kit)
{
	const struct model *model = kit->model;
	uint32_t object = find_file(kit);
	CLEANUP(u64map_deinit) struct u64map programs = { 0 };
	struct whatif_change change = { 0 };
	struct whatif row = {
		.group = WHATIF_LINK,
		.cure = "order",
		.title = "order",
		.how = "-ffunction-sections -fuse-ld=lld -Wl,--symbol-ordering-file=FILE",
		.has_time = true,
		.error_percent = 5,
		.file_count = 1,
	};

	if (object == MODEL_NONE) {
		whatif_refuse(kit, row, "no file of this run has a function of the list");
		return;
	}
	const struct model_packing *packing = model->objects[object].packing;

	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->at.object != object || !whatif_maps_around(fault) ||
		    !model_is_in_section(model, fault, ".text"))
			continue;
		u64map_add(&programs, model_thread(model, fault)->program);
		whatif_drop(&change, kit, fault);
	}
	// Where the first page lies within its window is chance.
	const double page = (double)kit->page_size;
	const double window = (double)kit->answer->around / page;
	const uint64_t page_count = align_up(packing->bytes, kit->page_size) / kit->page_size;
	const double pages = (double)page_count;
	const double windows = pages > 0 ? (pages - 1) / window + 1 : 0;
	const uint64_t read = page_count * kit->page_size;

	change.faults -= windows * (double)programs.count;
	change.read_bytes = checked_rest(change.read_bytes, read);
	change.fault_ns = change.faults > 0 ? change.fault_ns : 0;
	row.object = model->objects[object].path;
	row.reason = arena_printf(kit->arena,
				  "%s of the %s names are functions of %s, %s; holds "
				  "for a list of all that was entered",
				  figure_number(kit->arena, packing->functions),
				  figure_number(kit->arena, packing->names),
				  model_object_name(&model->objects[object]),
				  figure_size(kit->arena, packing->bytes));
	whatif_add(kit, row, &change);
}
