// SPDX-License-Identifier: Apache-2.0
// The pages of files that a run has had in memory, over all its processes: only they tell a page
// that was evicted and read again from one that is read for the first time.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "correlate/replay/aspace.h"
#include "model/model.h"
#include "trace/trace.h"

#include <stddef.h>
#include <stdint.h>

/** How it is known that a page had been evicted. */
enum page_eviction {
	EVICTION_NONE,
	EVICTION_SUPPOSED, // the fault is major, on a page that an earlier fault had mapped
	EVICTION_SEEN,	   // storage delivered the page again
};

/** Zero-initialise but for the trace; release with filepages_deinit(). */
struct filepages {
	const struct trace *trace; // borrowed; its requests in order of time
	size_t request;		   // that comes next
	struct u64map files;	   // hash of a file's device and inode, or path -> number
	struct u64map pages;	   // number of the file and of its page -> state, see filepages.c
	VEC(uint64_t) ends;	   // by number of the file: behind its last page that is known
	struct u64map threads;	   // tid -> number of its last fault
	uint32_t fault_count;
	const struct model_window *window;
	uint64_t read_again; // pages that storage delivered again, asked for in the window
};

/** Learn which files the mappings of the trace are of. @window: of what is counted. */
void filepages_init(struct filepages *pages, const struct trace *trace,
		    const struct model_window *window);

void filepages_deinit(struct filepages *pages);

/**
 * Note that @fault touched the page of a file at @at, and tell how it is known that the page had
 * been evicted. Faults come in order of time.
 */
enum page_eviction filepages_fault(struct filepages *pages, const struct trace_fault *fault,
				   const struct aspace_place *at);

/**
 * Note that a process with @aspace gave pages back by the call @flush, if it did: reading them
 * again is its own wish.
 */
void filepages_flush(struct filepages *pages, const struct trace_flush *flush,
		     struct aspace *aspace);

/** Note the requests behind the last fault. */
void filepages_end(struct filepages *pages);
