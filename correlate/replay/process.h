// SPDX-License-Identifier: Apache-2.0
// The processes of a trace as they are at one moment of the replay.
#pragma once

#include "correlate/replay/aspace.h"
#include "correlate/replay/pagehistory.h"
#include "model/model.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/** One process; borrowed from struct processes, valid until its next change. */
struct process {
	uint32_t pid;
	uint32_t program; // index into processes_programs()
	struct aspace *aspace;
	struct pagehistory *history;
};

/** Facts about a program beside its row in the model. */
struct process_program {
	struct model_program row;
	uint32_t parent;      // the program that it was forked from, UINT32_MAX: none
	uint32_t fork_tid;    // by that thread of it
	uint64_t fork_ns;     // when, since the start of the recording
	bool is_attached;     // it, or what it was forked from, ran when the recording began
	uint32_t executable;  // object of the file that was executed, UINT32_MAX: unknown
	uint32_t interpreter; // object of the second file its exec mapped, UINT32_MAX: none yet
};

/** Code of a file was mapped. */
struct process_code {
	uint64_t time_ns;
	uint32_t program; // index into processes_programs()
};

/** The first mapping of a file in a program. */
struct process_load {
	uint32_t program; // index into processes_programs()
	uint32_t object;
	bool is_code; // some part of it was mapped to be executed
};

struct processes;

/** @start_ns: when the recording began, as events have it. */
struct processes *processes_create(struct arena *arena, struct objects *objects, uint64_t page,
				   uint64_t start_ns);
void processes_destroy(struct processes *processes);

/** The last event is replayed: give back what only the next would need, mappings and pages. */
void processes_end(struct processes *processes);

/** Apply one event of the trace; events must come in time order. Strings are borrowed. */
void processes_task(struct processes *processes, const struct trace_task *task);
void processes_map(struct processes *processes, const struct trace_mapping *mapping);
void processes_remap(struct processes *processes, const struct trace_remap *remap);

/** The process with this id; one that no event announced starts empty. */
struct process *processes_get(struct processes *processes, uint32_t pid);

/** The thread's name, "" where no event told it. */
const char *processes_comm(const struct processes *processes, uint32_t pid, uint32_t tid);

/** Changes whenever any thread's name does. */
uint64_t processes_comm_generation(const struct processes *processes);

/** All programs so far, in the order of their beginning. The array moves when one is added. */
const struct process_program *processes_programs(const struct processes *processes,
						 size_t *ret_count);

/** The files that each program maps, in the order of their first mappings. */
const struct process_load *processes_loads(const struct processes *processes, size_t *ret_count);

/** Mappings of code, in order of time. */
const struct process_code *processes_code(const struct processes *processes, size_t *ret_count);

/** How many processes, threads and programs (execs) there were. */
void processes_count(const struct processes *processes, uint64_t *ret_processes,
		     uint64_t *ret_threads, uint64_t *ret_programs);
