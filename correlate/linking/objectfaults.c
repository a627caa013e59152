// SPDX-License-Identifier: Apache-2.0
// The faults of each ELF file that was read, for what is counted file by file.
#include "correlate/linking/relocation.h"

struct objectfaults *objectfaults_create(const struct rows *rows, const struct all_faults *all,
					 size_t *ret_count)
{
	size_t count;

	objects_all(rows->objects, &count);
	struct objectfaults *faults = xcalloc(count, sizeof(*faults));
	bool *is_read = xcalloc(count, sizeof(*is_read));

	for (size_t i = 0; i < count; i++) {
		is_read[i] = objects_opened(rows->objects, (uint32_t)i) != NULL;
		faults[i].all = all->list.items;
		faults[i].window = &rows->model->window;
	}
	for (size_t i = 0; i < all->list.count; i++) {
		const struct model_fault *fault = &all->list.items[i];

		// Indexes of faults are 32-bit in the model: see model_fault.
		if (fault->at.object < count && is_read[fault->at.object] && fault->at.has_vaddr)
			vec_push(&faults[fault->at.object].indexes, (uint32_t)i);
	}
	free(is_read);
	*ret_count = count;
	return faults;
}

void objectfaults_destroy(struct objectfaults *faults, size_t count)
{
	for (size_t i = 0; faults && i < count; i++)
		vec_deinit(&faults[i].indexes);
	free(faults);
}
