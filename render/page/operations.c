// SPDX-License-Identifier: Apache-2.0
// Operations of storage that calls waited for, as columns of a report page.
#include "render/page/making.h"

#include "base/hash.h"
#include "model/io.h"

/** Operations while they are added. */
struct adding {
	struct making *making;
	struct model view;	  // whose rows they are of
	struct u64map by_section; // hash of a name -> page->io_sections
};

/** Index + 1 of the name, behind all sections of the model; 0: none. */
static uint32_t section_of(struct adding *adding, uint32_t section)
{
	const char *name = section == MODEL_NONE ? NULL : adding->view.sections[section].name;

	return !name ? 0
		     : (uint32_t)adding->making->model->section_count + 1 +
			       u64map_row(&adding->by_section, hash_text(0, name),
					  &adding->making->page->io_sections, name);
}

static void add_operation(struct adding *adding, const struct model_io *io)
{
	struct making *making = adding->making;
	const struct model_fault *what = &io->what;
	const struct model_place *at = &what->at;
	const uint64_t start = making_units(making, what->time_ns);

	// A fault that asked has the wait itself.
	if (io->wait_ns == 0 || io->has_fault || io->is_left_out ||
	    what->thread >= adding->view.thread_count)
		return;
	const struct making_combination combination = {
		MAKING_NO_FAULT,
		.object = at->object < MAKING_NO_OBJECT ? at->object : MAKING_NO_OBJECT,
		.section = section_of(adding, at->section),
		.initiator = what->initiator,
		.thread = making_thread(making, &adding->view.threads[what->thread], what->time_ns),
		.initializer = what->initializer + 1, // MODEL_NONE: 0
		.blame = what->blame + 1,
	};

	push(making, PAGE_OPERATION_TIME, start);
	push(making, PAGE_OPERATION_LENGTH, making_units(making, model_fault_end(what)) - start);
	push(making, PAGE_OPERATION_WAIT, making_rounded(making, io->wait_ns));
	push(making, PAGE_OPERATION_COMBINATION, making_combine(making, &combination));
	push(making, PAGE_OPERATION_BYTES, io->bytes < UINT32_MAX ? io->bytes : UINT32_MAX);
	push(making, PAGE_OPERATION_STACK,
	     making_stack(making, what->stack, what->has_ip ? what->by : NULL));
	push(making, PAGE_OPERATION_CALL, io->call < UINT8_MAX ? (uint64_t)io->call + 1 : 0);
}

void making_add_operations(struct making *making)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct adding adding = { .making = making };

	if (!making->model->ios)
		return;
	adding.view = model_io_view(making->model, &arena);
	array_foreach (io, making->model->ios->items, making->model->ios->count)
		add_operation(&adding, io);
	u64map_deinit(&adding.by_section);
}
