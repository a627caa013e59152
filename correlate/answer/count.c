// SPDX-License-Identifier: Apache-2.0
#include "correlate/answer/count.h"

#include "base/cleanup.h"
#include "base/key.h"

#include <string.h>

struct counting {
	struct rows *rows;
	struct row_counts *counts;
	uint64_t page_size;
	struct u64map pages; // (section, process or 0, page)
};

static void counting_deinit(struct counting *counting)
{
	u64map_deinit(&counting->pages);
}

static void touchers_deinit(struct touchers *touchers)
{
	vec_deinit(&touchers->rows);
	vec_deinit(&touchers->objects);
	u64map_deinit(&touchers->index);
}

void row_counts_deinit(struct row_counts *counts)
{
	touchers_deinit(&counts->by_ip);
	touchers_deinit(&counts->blamed);
}

/** Count @fault for @function as one that touched @object, MODEL_NONE: any. */
static void count_toucher(struct touchers *touchers, uint32_t object, uint32_t function,
			  const struct model_fault *fault)
{
	uint32_t index =
		u64map_row(&touchers->index, (uint64_t)object << 32 | function, &touchers->rows,
			   (struct model_toucher){ .function = function });

	if (index == touchers->objects.count)
		vec_push(&touchers->objects, object);
	model_count_fault(&touchers->rows.items[index].count, fault);
}

static void count_page(struct counting *counting, const struct model_fault *fault)
{
	struct model_section *section = &counting->rows->sections.items[fault->at.section];
	bool is_of_file;
	uint64_t page = model_page(fault, counting->page_size, &is_of_file);
	uint32_t pid = is_of_file ? 0 : counting->rows->threads.items[fault->thread].pid;

	section->pages += u64map_add(&counting->pages,
				     key_of(fault->at.section, pid, page, fault->at.has_vaddr));
}

static void count_fault(struct counting *counting, const struct model_fault *fault)
{
	struct rows *rows = counting->rows;
	struct row_counts *counts = counting->counts;

	model_count_fault(&rows->model->total, fault);
	if (fault->at.object != MODEL_NONE) {
		struct model_object *object = &rows->object_rows.items[fault->at.object];

		model_count_fault(&object->count, fault);
		object->by_initiator[fault->initiator]++;
		object->by_mechanism[fault->mechanism]++;
		object->by_access[fault->access]++;
	}
	if (fault->at.section != MODEL_NONE) {
		model_count_fault(&rows->sections.items[fault->at.section].count, fault);
		count_page(counting, fault);
	}
	if (fault->at.name != MODEL_NONE)
		model_count_fault(&rows->symbols.items[fault->at.name].count, fault);
	if (fault->by->name != MODEL_NONE) {
		model_count_fault(&rows->functions.items[fault->by->name].count, fault);
		if (fault->at.object != MODEL_NONE)
			count_toucher(&counts->by_ip, fault->at.object, fault->by->name, fault);
	}
	if (fault->blame != MODEL_NONE) {
		count_toucher(&counts->blamed, MODEL_NONE, fault->blame, fault);
		if (fault->at.object != MODEL_NONE)
			count_toucher(&counts->blamed, fault->at.object, fault->blame, fault);
	}
}

/** Forget what was counted of more faults. */
static void count_from_zero(struct rows *rows)
{
	rows->model->total = (struct model_count){ 0 };
	vec_foreach (object, &rows->object_rows) {
		object->count = (struct model_count){ 0 };
		memset(object->by_initiator, 0, sizeof(object->by_initiator));
		memset(object->by_mechanism, 0, sizeof(object->by_mechanism));
		memset(object->by_access, 0, sizeof(object->by_access));
	}
	vec_foreach (section, &rows->sections) {
		section->count = (struct model_count){ 0 };
		section->pages = 0;
	}
	vec_foreach (symbol, &rows->symbols)
		symbol->count = (struct model_count){ 0 };
	vec_foreach (function, &rows->functions)
		function->count = (struct model_count){ 0 };
}

void rows_count(struct rows *rows, const struct shown_faults *faults, uint64_t page_size,
		struct row_counts *ret_counts)
{
	CLEANUP(counting_deinit)
	struct counting counting = { rows, ret_counts, page_size, { 0 } };

	*ret_counts = (struct row_counts){ 0 };
	count_from_zero(rows);
	for (size_t i = 0; i < faults->count; i++)
		count_fault(&counting, &faults->items[i]);
}
