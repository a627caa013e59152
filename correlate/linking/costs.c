// SPDX-License-Identifier: Apache-2.0
#include "correlate/linking/costs.h"

#include "correlate/linking/relocation.h"

void costs_fill(struct rows *rows, const struct all_faults *all, uint64_t page_size)
{
	size_t count;
	struct objectfaults *faults = objectfaults_create(rows, all, &count);
	struct targets *targets = targets_create(rows);

	for (size_t i = 0; i < count && i < rows->object_rows.count; i++) {
		struct model_object *row = &rows->object_rows.items[i];

		if (faults[i].indexes.count == 0)
			continue;
		row->relocation = relocation_new(rows, (uint32_t)i, &faults[i], targets, page_size);
		row->data = datapages_new(rows, (uint32_t)i, &faults[i], page_size);
	}
	targets_destroy(targets);
	objectfaults_destroy(faults, count);
}
