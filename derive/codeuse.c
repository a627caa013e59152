// SPDX-License-Identifier: Apache-2.0
#include "derive/codeuse.h"

#include "base/arena.h"
#include "derive/pageset.h"
#include "model/account.h"

#include <stdlib.h>

/** Facts about a stack. */
enum { SEEN = 1, SEEN_ENTERED = 2 };

/** Pages that fault-around maps at most, unless it was set otherwise: 64 KiB of 4 KiB pages. */
enum { WINDOW_PAGES = 16 };

/** No function is larger; a file that says otherwise is not believed. */
enum { FUNCTION_BYTES_MAX = 1 << 26 };

struct search {
	const struct model *model;
	struct codeuse *uses;  // by object
	bool *functions;       // seen, by index of model.functions
	unsigned char *stacks; // SEEN bits, by index of model.stacks
	struct pageset pages, named_pages, spaces;
	uint64_t page_size;
};

static void see(struct search *search, uint32_t object, uint32_t function, bool has_vaddr,
		uint64_t vaddr)
{
	struct codeuse *use = &search->uses[object];

	if (has_vaddr && pageset_add_pair(&search->pages, object, vaddr / search->page_size))
		use->pages++;
	if (function == MODEL_NONE)
		return;
	if (has_vaddr && search->model->functions[function].name &&
	    pageset_add_pair(&search->named_pages, object, vaddr / search->page_size))
		use->named_pages++;
	if (search->functions[function])
		return;
	uint64_t size = search->model->functions[function].size;

	search->functions[function] = true;
	use->functions++;
	use->bytes += size < FUNCTION_BYTES_MAX ? size : FUNCTION_BYTES_MAX;
}

/** Does code of @object run in @fault for another reason than that the object was loaded? */
static bool is_entered(const struct search *search, const struct model_fault *fault,
		       uint32_t object)
{
	if (fault->initiator == MODEL_STATIC_FINI || fault->initiator == MODEL_IFUNC)
		return false;
	if (fault->initializer == MODEL_NONE)
		return fault->initiator != MODEL_STATIC_INIT;
	// An IFUNC, a lookup or an exception inside an initializer is still part of it.
	return search->model->initializers[fault->initializer].object != object;
}

static void see_stack(struct search *search, const struct model_fault *fault)
{
	const struct model_stack *stack = &search->model->stacks[fault->stack];
	bool is_loading = fault->initializer != MODEL_NONE ||
			  fault->initiator == MODEL_STATIC_FINI ||
			  fault->initiator == MODEL_IFUNC || fault->initiator == MODEL_STATIC_INIT;
	unsigned char bit = is_loading ? SEEN : SEEN_ENTERED;

	if (search->stacks[fault->stack] & bit)
		return;
	search->stacks[fault->stack] |= bit;
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		const struct model_frame *frame = stack->frames[i];

		if (frame->object == MODEL_NONE)
			continue;
		see(search, frame->object, frame->function, frame->has_vaddr, frame->vaddr);
		search->uses[frame->object].is_entered |= is_entered(search, fault, frame->object);
		if (i + 1 == stack->frame_count && stack->is_complete)
			search->uses[frame->object].starts_threads = true;
	}
}

static void see_ip(struct search *search, const struct model_fault *fault)
{
	const struct model_ip *by = fault->by;

	see(search, by->object, by->name, by->has_vaddr, by->vaddr);
	search->uses[by->object].is_entered |= is_entered(search, fault, by->object);
}

/** Samples and pauses show that code ran, but not whose initializer it was that called it. */
static void see_spots(struct search *search)
{
	const struct model *model = search->model;
	const struct model_account *account = model->account;

	for (size_t i = 0; account && i < account->spot_count; i++) {
		const struct model_spot *spot = &account->spots[i];

		if (spot->initiator != MODEL_PROGRAM && spot->initiator != MODEL_STARTUP)
			continue;
		if (spot->function != MODEL_NONE)
			search->uses[model->functions[spot->function].object].is_entered = true;
		if (spot->blame != MODEL_NONE)
			search->uses[model->functions[spot->blame].object].is_entered = true;
	}
}

static void count_fetch(struct search *search, const struct model_fault *fault)
{
	struct codeuse *use;

	if (fault->access != MODEL_ACCESS_EXEC || fault->mechanism != MODEL_FILE_MAP ||
	    fault->at.object == MODEL_NONE)
		return;
	use = &search->uses[fault->at.object];
	model_count_fault(&use->fetches, fault);
	use->spaces += pageset_add_pair(
		&search->spaces, model_thread(search->model, fault)->program, fault->at.object);
	// What is mapped beyond the kernel's window depends on how the file came into memory.
	uint32_t around = model_around_pages(fault);

	around = around < WINDOW_PAGES ? around : WINDOW_PAGES;
	if (around > use->around)
		use->around = around;
}

struct codeuse *codeuse_find(const struct model *model)
{
	struct search search = {
		.model = model,
		.uses = xcalloc(model->object_count + 1, sizeof(*search.uses)),
		.functions = xcalloc(model->function_count + 1, sizeof(*search.functions)),
		.stacks = xcalloc(model->stack_count + 1, 1),
		.page_size = model_page_size(model),
	};

	for (size_t i = 0; i < model->object_count; i++)
		search.uses[i].around = 1;
	array_foreach (fault, model->faults, model->fault_count) {
		count_fetch(&search, fault);
		if (fault->stack != MODEL_NONE)
			see_stack(&search, fault);
		else if (fault->has_ip && fault->by->object != MODEL_NONE)
			see_ip(&search, fault);
	}
	see_spots(&search);
	free(search.functions);
	free(search.stacks);
	pageset_deinit(&search.pages);
	pageset_deinit(&search.named_pages);
	pageset_deinit(&search.spaces);
	return search.uses;
}
