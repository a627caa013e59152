// SPDX-License-Identifier: Apache-2.0
// The model's tables while a trace is replayed: rows are found or added by what they stand for.
#pragma once

#include "correlate/replay/rows.h"

struct builder {
	struct rows rows;
	struct all_faults faults;

	// Hashes of what a row stands for -> its index.
	struct u64map section_index, symbol_index, function_index, comm_index, thread_index;
	struct u64map frame_index, stack_index, ip_index, extent_index;
	VEC(const struct model_extent *) extents;
};

void builder_init(struct builder *builder, struct model *model, struct objects *objects,
		  bool demangle);
void builder_deinit(struct builder *builder);

/** The row of a section; @section may be NULL where @name is a pseudo section, @name NULL unknown.
 */
uint32_t builder_section(struct builder *builder, uint32_t object, const char *name,
			 const struct elfmap_section *section);

/** The row of the symbol or entry of @place, MODEL_NONE if it has neither. */
uint32_t builder_symbol(struct builder *builder, uint32_t object, uint32_t section,
			const struct elfmap_place *place);

/** The row of the function at @place; NULL: code of an object that could not be read. */
uint32_t builder_function(struct builder *builder, uint32_t object,
			  const struct elfmap_place *place);

uint32_t builder_comm(struct builder *builder, const char *comm);

/** The row of a thread; its comm is builder_comm()'s. */
uint32_t builder_thread(struct builder *builder, const struct model_thread *thread);

/** The model's frame that is like @frame. */
const struct model_frame *builder_frame(struct builder *builder, const struct model_frame *frame);

/** The row of a stack; its frames are builder_frame()'s, their list is copied. */
uint32_t builder_stack(struct builder *builder, const struct model_stack *stack);

/** The model's instruction that is like @ip. */
const struct model_ip *builder_ip(struct builder *builder, const struct model_ip *ip);

/** The model's extent that is like @extent. */
const struct model_extent *builder_extent(struct builder *builder,
					  const struct model_extent *extent);

/** Keep @fault. */
void builder_fault(struct builder *builder, const struct model_fault *fault);

/**
 * End the replay: list the initializers of every object that could be read, give every row its
 * name, and hand everything over. Those of object o are rows.object_rows.items[o].initializer_count
 * from ….initializers on. @builder is empty afterwards.
 *
 * @has_sources: see NEED_SOURCES
 */
void builder_close(struct builder *builder, bool has_sources, struct rows *ret_rows,
		   struct all_faults *ret_faults);

/**
 * "globals of foo.cc" where the source is known; else, of GCC's _GLOBAL__sub_I_NAME, "globals
 * beside NAME", which is the first global of the file; of Go its package. NULL: @from is none of
 * these, or the first two are not wanted (@demangle).
 */
const char *initlabel(struct arena *arena, bool demangle, struct elfmap *map,
		      const struct elfmap_initializer *from);
