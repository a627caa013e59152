// SPDX-License-Identifier: Apache-2.0
// The model while it grows: rows are found or added by what they stand for, and counted.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "model/field.h"
#include "model/model.h"
#include "correlate/objects.h"
#include "elfmap/elfmap.h"

/** What a row of model.symbols stands for, until its name is made. */
struct builder_symbol {
	const struct elfmap_symbol *symbol; // or NULL: entry
	struct elfmap_entry entry;
};

/** How often functions touched objects; rows are found by both. */
struct builder_touchers {
	VEC(struct model_toucher) rows;
	VEC(uint32_t) objects; // beside rows; MODEL_NONE: all
	struct u64map index;
};

/** An initializer that runs on a stack: its frames end at @frame, the outermost. */
struct builder_run {
	uint32_t stack; // into builder.stacks
	uint32_t frame;
	uint32_t initializer; // into builder.initializers; MODEL_NONE: not known which
};

struct builder {
	struct model *model;
	struct objects *objects;
	bool demangle;
	bool faults_only, no_sources; // see correlate_options

	VEC(struct model_object) object_rows; // by object id
	VEC(struct model_section) sections;
	VEC(struct model_symbol) symbols;
	VEC(struct builder_symbol) symbol_sources; // beside symbols
	VEC(struct model_function) functions;
	VEC(struct builder_symbol) function_sources; // beside functions
	struct builder_touchers touchers; // by faulting ip
	struct builder_touchers blamed;	  // by blame, also of all objects
	VEC(const char *) comms;
	VEC(struct model_initializer) initializers; // by object, in the order they run
	VEC(struct model_fault) faults;
	VEC(uint32_t) images; // beside faults, before some are left out: into processes_images()
	VEC(struct model_stack) stacks;
	VEC(struct builder_run) runs; // by stack, then frame; one initializer may run another

	// Hashes of what a row stands for -> its index.
	struct u64map section_index, symbol_index, function_index, comm_index;
	struct u64map pages; // (section, process or 0, page)
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

/** Keep @fault. @image: index into processes_images(). */
void builder_fault(struct builder *builder, const struct model_fault *fault, uint32_t image);

/**
 * List the initializers of every object that could be read. Those of @object are
 * builder->object_rows.items[@object].initializer_count from ….initializers on.
 */
void builder_list_initializers(struct builder *builder);

/** Give every row its name. Rows must not be added afterwards. */
void builder_name(struct builder *builder);

/** The rows as they are now, for the words of a fault. */
struct field_rows builder_rows(const struct builder *builder);

/** Count every fault kept in every row that it names. @page_size: a power of two. */
void builder_count(struct builder *builder, uint64_t page_size);

/** Sort everything and hand it to the model. */
void builder_finish(struct builder *builder);
