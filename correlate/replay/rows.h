// SPDX-License-Identifier: Apache-2.0
// The model's tables when the replay has ended: no phase behind it can add a row to those that
// faults name, only fill what is in them. correlate() has the phases; what each may still change is
// in its signature: all faults before some are left out, or those that are shown.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "correlate/replay/objects.h"
#include "elfmap/elfmap.h"
#include "model/field.h"
#include "model/model.h"

/** The origin of a row of model.symbols or model.functions. */
struct row_source {
	const struct elfmap_symbol *symbol; // or NULL: entry
	struct elfmap_entry entry;
};

struct rows {
	struct model *model;
	struct objects *objects;
	bool demangle;
	bool faults_only;	// without NEED_TABLES
	bool has_functions;	// NEED_FUNCTIONS
	bool has_owners;	// NEED_OWNERS
	bool has_owner_sources; // NEED_SOURCES as well

	VEC(struct model_object) object_rows; // by object id
	VEC(struct model_section) sections;
	VEC(struct model_symbol) symbols;
	VEC(struct row_source) symbol_sources; // beside symbols
	VEC(struct model_function) functions;
	VEC(struct row_source) function_sources; // beside functions
	VEC(const char *) comms;
	VEC(struct model_thread) threads;
	VEC(struct model_initializer) initializers; // by object, in the order they run
	VEC(struct model_stack) stacks;

	// Faults, stacks and the model point to these, for phases that fill them.
	VEC(struct model_frame *) frames; // by id
	VEC(struct model_ip *) ips;	  // by id
	struct model_account *account;	  // NULL: unknown
	struct model_spot *spots;	  // of account; NULL: not asked for
	struct model_moment *moments;	  // of model.moments; NULL: not asked for
	struct model_io *ios;		  // of model.ios; NULL: not asked for
};

/** Every fault of the trace: why it happened may show in others, of objects that are not shown. */
struct all_faults {
	VEC(struct model_fault) list;
	VEC(uint16_t) program_ns; // trace_fault.program_ns of each, or as much as there is room for
};

/** Faults of a window, or all: what is counted, in order of time. */
struct counted_faults {
	const struct model_fault *items;
	size_t count;
};

/** The origin of a moment: the trace's pause or sample @index. */
struct moment_source {
	size_t index;
	bool is_pause;
	size_t fault_count; // of the faults, those before it
};

/** Moments of threads beside their faults, in order of time: as faults that touched nothing. */
struct all_moments {
	VEC(struct model_fault) list;
	VEC(struct moment_source) sources; // beside list
};

/** The faults that were asked for: what is counted and handed to the model. */
struct shown_faults {
	struct model_fault *items;
	size_t count;
};

/** An initializer that runs on a stack: its frames end at @frame, the outermost. */
struct init_run {
	uint32_t stack; // into rows.stacks
	uint32_t frame;
	uint32_t initializer; // into rows.initializers; MODEL_NONE: not known which
};

/** By stack, then frame; one initializer may run another. */
struct init_runs {
	VEC(struct init_run) list;
	bool *is_of_fault; // by stack: others are of moments; NULL: all are
};

void rows_deinit(struct rows *rows);
void all_faults_deinit(struct all_faults *faults);
void all_moments_deinit(struct all_moments *moments);
void shown_faults_deinit(struct shown_faults *faults);
void init_runs_deinit(struct init_runs *runs);

/** Return the name of @source, of this object, in the model; NULL: it has none. */
const char *rows_name(const struct rows *rows, uint32_t object, const struct row_source *source);

/** The model as far as it is, for the words of a fault: it borrows the rows. */
struct model rows_fields(const struct rows *rows);

/**
 * Count @faults in every row that they name, describe the objects, sort everything and let the
 * model borrow it, until rows_finish(). Can be called again when faults were left out. @page_size:
 * a power of two.
 */
void rows_tabulate(struct rows *rows, const struct shown_faults *faults, uint64_t page_size);

/** Hand all to the model; both are empty afterwards. */
void rows_finish(struct rows *rows, struct shown_faults *faults);

/** Fill step of every fault, which are of @threads. @page_size: a power of two. O(faults). */
void steps_decide(const struct model_thread *threads, struct all_faults *faults,
		  uint64_t page_size);
