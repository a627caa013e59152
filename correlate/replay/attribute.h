// SPDX-License-Identifier: Apache-2.0
// One fault, or one code address: what it touched and who ran.
#pragma once

#include "correlate/replay/builder.h"
#include "correlate/replay/filepages.h"
#include "correlate/replay/instruction.h"
#include "correlate/replay/pagehistory.h"
#include "correlate/replay/process.h"
#include "elfmap/elfmap.h"
#include "model/model.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/** Results by instruction. */
struct access_decoder;

/** @instructions: borrowed until access_decoder_destroy(). */
struct access_decoder *access_decoder_create(struct instructions *instructions);
void access_decoder_destroy(struct access_decoder *decoder);

/**
 * Return what the instruction at @vaddr of @map does to memory: read, write, or unknown if it
 * touches more than one place in different ways, cannot be decoded, or the machine is not x86-64,
 * i386 or aarch64. Results are kept by (@object, @vaddr). A read-modify-write is a write, as it
 * faults so.
 */
enum model_access access_decode(struct access_decoder *decoder, struct elfmap *map, uint32_t object,
				uint64_t vaddr);

/** The mapping at the place of a fault. */
struct mechanism_page {
	bool is_file;
	bool is_shared;	       // MAP_SHARED
	bool is_shared_memory; // shared, but not a file that anyone named
	uint64_t number;       // addr / page size
	enum page_eviction eviction;
};

/**
 * Decide, and note the fault in @history. Without an error code (perf) whether the page was mapped
 * follows from @history alone: *@ret_is_inferred tells.
 */
enum model_mechanism mechanism_decide(const struct trace_fault *fault, enum model_access access,
				      const struct mechanism_page *page,
				      struct pagehistory *history, bool *ret_is_inferred);

/** The working state of attribution; all borrowed. */
struct attribution {
	struct builder *builder;
	struct objects *objects;
	struct access_decoder *decoder;
	struct filepages *pages;
	uint64_t page_size;
	uint64_t start_ns;
	uint64_t inferred_mechanisms; // counted
};

/** Find the function at a code address of @process as it is now; MODEL_NONE where unknown. */
struct model_ip attribute_code(struct attribution *attribution, struct process *process,
			       uint64_t addr);

/**
 * Fill *@ret_fault from @fault (all but comm and stack) and the counts of the model that concern
 * every fault.
 */
void attribute_fault(struct attribution *attribution, struct process *process,
		     const struct trace_fault *fault, struct model_fault *ret_fault);

/** The same of a moment at which a thread was seen: it touches nothing, and nothing counts it. */
void attribute_moment(struct attribution *attribution, struct process *process,
		      const struct trace_fault *from, struct model_fault *ret_moment);
