// SPDX-License-Identifier: Apache-2.0
#include "compare/gather.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/u64map.h"
#include "base/hash.h"

#include <stdlib.h>

/** The page of each fault, as a number, in @numbers; how often each occurs in @times. */
static uint32_t number_pages(const struct model *model, uint32_t *numbers, uint32_t *times)
{
	uint64_t page_size = model_page_size(model);
	CLEANUP(u64map_deinit) struct u64map known = { 0 };
	uint32_t count = 0;

	u64map_reserve(&known, model->fault_count);
	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		bool is_of_file, is_new;
		uint64_t page = model_page(fault, page_size, &is_of_file);
		uint64_t owner = is_of_file ? fault->at.object : model_thread(model, fault)->pid;
		uint32_t *number =
			u64map_put(&known, hash_number(owner << 1 | is_of_file, page), &is_new);

		if (is_new)
			*number = count++;
		numbers[i] = *number;
		times[*number]++;
	}
	return count;
}

void sharedpages_find(struct sharedpages *pages, const struct model *model)
{
	CLEANUP(freep) uint32_t *numbers = xcalloc(model->fault_count + 1, sizeof(*numbers));
	CLEANUP(freep) uint32_t *times = xcalloc(model->fault_count + 1, sizeof(*times));

	pages->page_count = number_pages(model, numbers, times);
	CLEANUP(freep) size_t *starts = xcalloc((size_t)pages->page_count + 1, sizeof(*starts));
	for (uint32_t page = 0; page < pages->page_count; page++) {
		starts[page] = pages->fault_count;
		pages->fault_count += times[page] > 1 ? times[page] : 0;
	}
	pages->is_shared = xcalloc(model->fault_count + 1, sizeof(*pages->is_shared));
	pages->faults = xcalloc(pages->fault_count + 1, sizeof(*pages->faults));
	for (uint32_t i = 0; i < model->fault_count; i++) {
		pages->is_shared[i] = times[numbers[i]] > 1;
		if (pages->is_shared[i])
			pages->faults[starts[numbers[i]]++] =
				(struct sharedpages_fault){ numbers[i], i };
	}
}

void sharedpages_deinit(struct sharedpages *pages)
{
	free(pages->is_shared);
	free(pages->faults);
	*pages = (struct sharedpages){ 0 };
}
