// SPDX-License-Identifier: Apache-2.0
// Models with a laid out file, for the tests of what pictures are made of.
#pragma once

#include "model/layout.h"
#include "model/model.h"

#include <string.h>

enum { PICTURES_PAGE = 4096 };

/** Of 16 pages: headers, .text, padding, .rodata, .data, two pages that are not loaded; .bss. */
static const struct model_layout_section pictures_sections[] = {
	{ ".text", true, 0x1000, 0x4000, true, 0x1000, 0x4000, false, true },
	{ ".rodata", true, 0x5800, 0x2800, true, 0x5800, 0x2800, false, false },
	{ ".data", true, 0x8000, 0x6000, true, 0x9000, 0x6000, true, false },
	{ ".symtab", true, 0xe000, 0x1000, false, 0, 0, false, false },
	{ ".bss", false, 0, 0, true, 0xf000, 0x4000, true, false },
};
static const struct model_layout pictures_layout = { pictures_sections, 5 };

/** Process @pid executes a program: its first thread. */
static inline uint32_t pictures_exec(struct model *model, uint32_t pid)
{
	struct model_program *programs =
		arena_array(&model->arena, model->program_count + 1, sizeof(*programs));
	struct model_thread *threads =
		arena_array(&model->arena, model->thread_count + 1, sizeof(*threads));

	for (size_t i = 0; i < model->program_count; i++)
		programs[i] = model->programs[i];
	for (size_t i = 0; i < model->thread_count; i++)
		threads[i] = model->threads[i];
	programs[model->program_count] = (struct model_program){ pid, true };
	threads[model->thread_count] =
		(struct model_thread){ (uint32_t)model->program_count++, pid, pid, MODEL_NONE };
	model->programs = programs;
	model->threads = threads;
	return (uint32_t)model->thread_count++;
}

/** A model of /usr/lib/libpicture.so and [heap], with room for @count faults; model_close() it. */
static inline struct model *pictures_model(size_t count)
{
	static const uint32_t shown[] = { 0, 1 };
	static const char *const command[] = { "/home/somebody/program", "--flag" };
	static const struct model_section sections[] = { { .object = 0, .name = ".data" } };
	struct model *model = xcalloc(1, sizeof(*model));
	struct model_object *objects = arena_array(&model->arena, 2, sizeof(*objects));

	objects[0] = (struct model_object){
		.path = "/usr/lib/libpicture.so",
		.soname = "libpicture.so.1",
		.is_file = true,
		.is_elf = true,
		.was_read = true,
		.size = 16 * PICTURES_PAGE,
		.layout = &pictures_layout,
	};
	objects[1] = (struct model_object){ .path = "[heap]" };
	model->objects = objects;
	model->object_count = 2;
	model->shown = shown;
	model->shown_count = 2;
	model->sections = sections;
	model->section_count = 1;
	model->trace = (struct model_trace){
		.command = command,
		.command_count = 2,
		.page_size = PICTURES_PAGE,
		.complete = true,
	};
	model->faults = xcalloc(count, sizeof(*model->faults));
	pictures_exec(model, 0);
	return model;
}

/** @fault with these pages around it; add it before the next one is made. */
static inline struct model_fault pictures_around(struct model_fault fault, uint64_t offset,
						 uint32_t pages)
{
	static struct model_extent extent;

	extent = (struct model_extent){ .around = offset - model_extent_base(&fault),
					.around_pages = pages };
	fault.extent = &extent;
	return fault;
}

/** Add @fault, which is counted for its object. */
static inline void pictures_add(struct model *model, struct model_fault fault)
{
	static const struct model_ip no_ip = { .object = MODEL_NONE,
					       .name = MODEL_NONE,
					       .code = MODEL_NONE };
	struct model_extent *extent = arena_alloc(&model->arena, sizeof(*extent));

	fault.by = &no_ip;
	if (fault.extent)
		*extent = *fault.extent;
	fault.extent = extent;
	fault.at.name = MODEL_NONE;
	fault.at.section = MODEL_NONE;
	((struct model_fault *)model->faults)[model->fault_count++] = fault;
	model->total.faults++;
	model->counts.recorded++;
	if (fault.at.object != MODEL_NONE)
		((struct model_object *)model->objects)[fault.at.object].count.faults++;
}

/** A fault of the file at @offset. */
static inline struct model_fault pictures_at(uint64_t time_ns, uint64_t offset,
					     enum model_initiator initiator)
{
	return (struct model_fault){ .time_ns = time_ns,
				     .at.offset = offset,
				     .at.has_offset = true,
				     .initiator = (uint8_t)initiator };
}
