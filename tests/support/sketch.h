// SPDX-License-Identifier: Apache-2.0
// A model drawn by hand, for the tests of findings: objects, sections and faults are added one by
// one, the sums follow.
#pragma once

#include "base/vec.h"
#include "model/model.h"
#include "advice/findings.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define SKETCH_USED __attribute__((unused))

enum { SKETCH_PAGE = 4096, SKETCH_PID = 7 };

struct sketch {
	struct model *model;
	VEC(struct model_object) objects;
	VEC(struct model_section) sections;
	VEC(struct model_symbol) symbols;
	VEC(struct model_function) functions;
	VEC(struct model_initializer) initializers;
	VEC(struct model_stack) stacks;
	VEC(struct model_program) programs;
	VEC(struct model_thread) threads;
	VEC(struct model_fault) faults;
};

/** Process @pid executes a program of the name @comm. */
SKETCH_USED static uint32_t sketch_exec(struct sketch *sketch, uint32_t pid, uint32_t comm)
{
	vec_push(&sketch->programs,
		 (struct model_program){ pid, .has_exec = true, .parent = MODEL_NONE });
	uint32_t program = (uint32_t)sketch->programs.count - 1;

	vec_push(&sketch->threads, (struct model_thread){ program, pid, pid, comm });
	return (uint32_t)sketch->threads.count - 1;
}

/** The first thread of @pid under the name @comm, in the program that it executed last. */
SKETCH_USED static uint32_t sketch_thread(struct sketch *sketch, uint32_t pid, uint32_t comm)
{
	uint32_t program = MODEL_NONE;

	for (size_t i = sketch->threads.count; i-- > 0;) {
		const struct model_thread *thread = &sketch->threads.items[i];

		if (thread->pid == pid && program == MODEL_NONE)
			program = thread->program;
		if (thread->program == program && thread->comm == comm)
			return (uint32_t)i;
	}
	if (program == MODEL_NONE)
		return sketch_exec(sketch, pid, comm);
	vec_push(&sketch->threads, (struct model_thread){ program, pid, pid, comm });
	return (uint32_t)sketch->threads.count - 1;
}

SKETCH_USED static struct sketch sketch_start(void)
{
	struct sketch sketch = { .model = xcalloc(1, sizeof(struct model)) };

	sketch.model->trace.page_size = SKETCH_PAGE;
	sketch.model->trace.has_stacks = true;
	sketch_exec(&sketch, SKETCH_PID, MODEL_NONE);
	return sketch;
}

/** An ELF file that could be read; its soname is its file name. */
SKETCH_USED static uint32_t sketch_object(struct sketch *sketch, const char *path)
{
	const char *slash = strrchr(path, '/');

	vec_push(&sketch->objects, (struct model_object){
					   .path = path,
					   .is_file = true,
					   .is_elf = true,
					   .was_read = true,
					   .soname = slash ? slash + 1 : path,
					   .symbols = "symtab",
				   });
	return (uint32_t)sketch->objects.count - 1;
}

SKETCH_USED static uint32_t sketch_section(struct sketch *sketch, uint32_t object, const char *name,
					   uint64_t size)
{
	vec_push(&sketch->sections,
		 (struct model_section){ .object = object, .name = name, .size = size });
	return (uint32_t)sketch->sections.count - 1;
}

SKETCH_USED static uint32_t sketch_symbol(struct sketch *sketch, uint32_t section, const char *name,
					  uint64_t size)
{
	vec_push(&sketch->symbols, (struct model_symbol){
					   .object = sketch->sections.items[section].object,
					   .section = section,
					   .kind = MODEL_SYMBOL,
					   .name = name,
					   .size = size,
				   });
	return (uint32_t)sketch->symbols.count - 1;
}

SKETCH_USED static uint32_t sketch_function(struct sketch *sketch, uint32_t object,
					    const char *name, uint64_t size)
{
	vec_push(&sketch->functions,
		 (struct model_function){ .object = object, .name = name, .size = size });
	return (uint32_t)sketch->functions.count - 1;
}

/** The next initializer of @object; those of one object are added one after the other. */
SKETCH_USED static uint32_t sketch_initializer(struct sketch *sketch, uint32_t object,
					       const char *function)
{
	struct model_object *row = &sketch->objects.items[object];

	if (row->initializer_count == 0)
		row->first_initializer = (uint32_t)sketch->initializers.count;
	vec_push(&sketch->initializers,
		 (struct model_initializer){ .object = object,
					     .index = (uint32_t)row->initializer_count++,
					     .array = ".init_array",
					     .function = function });
	return (uint32_t)sketch->initializers.count - 1;
}

/** A stack of @function, at byte @vaddr of its object, called by @outer, which may be MODEL_NONE.
 */
SKETCH_USED static uint32_t sketch_stack(struct sketch *sketch, uint32_t function, uint64_t vaddr,
					 uint32_t outer)
{
	const uint32_t functions[] = { function, outer };
	uint32_t count = outer == MODEL_NONE ? 1 : 2;
	struct model_frame *rows = arena_array(&sketch->model->arena, count, sizeof(*rows));
	const struct model_frame **frames =
		arena_array(&sketch->model->arena, count, sizeof(*frames));

	for (uint32_t i = 0; i < count; i++) {
		rows[i] = (struct model_frame){
			.object = sketch->functions.items[functions[i]].object,
			.function = functions[i],
			.has_vaddr = true,
			.vaddr = i == 0 ? vaddr : SKETCH_PAGE,
		};
		frames[i] = &rows[i];
	}
	vec_push(&sketch->stacks, (struct model_stack){ .frames = frames,
							.frame_count = count,
							.is_complete = true });
	return (uint32_t)sketch->stacks.count - 1;
}

/** Code and place of a sketched fault, which are its own. */
#define SKETCH_IP(fault)     ((struct model_ip *)(fault)->by)
#define SKETCH_EXTENT(fault) ((struct model_extent *)(fault)->extent)

/**
 * A fault that read @section, each on the page after that of the fault before. What it returns may
 * be changed until the next one is added.
 */
SKETCH_USED static struct model_fault *sketch_fault(struct sketch *sketch, uint32_t section,
						    enum model_initiator initiator)
{
	uint64_t at = (sketch->faults.count + 16) * SKETCH_PAGE;
	struct model_ip *ip = arena_alloc(&sketch->model->arena, sizeof(*ip));

	*ip = (struct model_ip){ .object = MODEL_NONE, .name = MODEL_NONE };

	vec_push(&sketch->faults,
		 (struct model_fault){
			 .time_ns = sketch->faults.count,
			 .addr = at,
			 .stack = MODEL_NONE,
			 .initiator = (uint8_t)initiator,
			 .mechanism = MODEL_FILE_MAP,
			 .at.object = section == MODEL_NONE
					      ? MODEL_NONE
					      : sketch->sections.items[section].object,
			 .at.section = section,
			 .at.name = MODEL_NONE,
			 .at.has_vaddr = section != MODEL_NONE,
			 .at.has_offset = section != MODEL_NONE,
			 .at.vaddr = at,
			 .at.offset = at,
			 .by = ip,
			 .extent = arena_alloc(&sketch->model->arena, sizeof(struct model_extent)),
			 .initializer = MODEL_NONE,
			 .init_object = MODEL_NONE,
			 .blame = MODEL_NONE,
		 });
	return &sketch->faults.items[sketch->faults.count - 1];
}

SKETCH_USED static void sketch_faults(struct sketch *sketch, uint32_t section,
				      enum model_initiator initiator, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sketch_fault(sketch, section, initiator);
}

/** Faults that no rule is about, up to @total faults in all. */
SKETCH_USED static void sketch_fill(struct sketch *sketch, size_t total)
{
	while (sketch->faults.count < total)
		sketch_fault(sketch, MODEL_NONE, MODEL_PROGRAM);
}

/** Sum up, look for findings and give the model away: model_close(). */
SKETCH_USED static struct model *sketch_end(struct sketch *sketch)
{
	struct model *model = sketch->model;
	uint32_t *shown = arena_array(&model->arena, sketch->objects.count + 1, sizeof(*shown));

	vec_foreach (fault, &sketch->faults) {
		model_count_fault(&model->total, fault);
		if (fault->at.object != MODEL_NONE) {
			struct model_object *object = &sketch->objects.items[fault->at.object];

			model_count_fault(&object->count, fault);
			object->by_initiator[fault->initiator]++;
		}
		if (fault->at.section != MODEL_NONE) {
			model_count_fault(&sketch->sections.items[fault->at.section].count, fault);
			sketch->sections.items[fault->at.section].pages++;
		}
		if (fault->initializer != MODEL_NONE)
			model_count_fault(&sketch->initializers.items[fault->initializer].count,
					  fault);
	}
	for (uint32_t i = 0; i < sketch->objects.count; i++) {
		struct model_object *object = &sketch->objects.items[i];
		uint32_t *sections =
			arena_array(&model->arena, sketch->sections.count + 1, sizeof(*sections));

		for (uint32_t s = 0; s < sketch->sections.count; s++)
			if (sketch->sections.items[s].object == i)
				sections[object->section_count++] = s;
		object->sections = sections;
		if (object->count.faults > 0)
			shown[model->shown_count++] = i;
	}
	model->shown = shown;
	model->object_count = sketch->objects.count;
	model->section_count = sketch->sections.count;
	model->symbol_count = sketch->symbols.count;
	model->function_count = sketch->functions.count;
	model->initializer_count = sketch->initializers.count;
	model->stack_count = sketch->stacks.count;
	model->program_count = sketch->programs.count;
	model->thread_count = sketch->threads.count;
	model->objects = vec_keep(&sketch->objects, &model->arena);
	model->sections = vec_keep(&sketch->sections, &model->arena);
	model->symbols = vec_keep(&sketch->symbols, &model->arena);
	model->functions = vec_keep(&sketch->functions, &model->arena);
	model->initializers = vec_keep(&sketch->initializers, &model->arena);
	model->stacks = vec_keep(&sketch->stacks, &model->arena);
	model->programs = vec_keep(&sketch->programs, &model->arena);
	model->threads = vec_keep(&sketch->threads, &model->arena);
	// The model frees its faults by themselves.
	model->faults = sketch->faults.items;
	model->fault_count = sketch->faults.count;
	findings_find(model);
	return model;
}

/** The finding with this id, NULL if there is none. */
SKETCH_USED static const struct model_finding *sketch_finding(const struct model *model,
							      const char *id)
{
	for (size_t i = 0; i < model->finding_count; i++)
		if (strcmp(model->findings[i].id, id) == 0)
			return &model->findings[i];
	return NULL;
}

/** The same; the test fails if there is none. */
SKETCH_USED static const struct model_finding *sketch_found(const struct model *model,
							    const char *id)
{
	const struct model_finding *finding = sketch_finding(model, id);

	if (!finding)
		fail_msg("no finding %s", id);
	return finding;
}
