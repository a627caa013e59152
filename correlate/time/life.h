// SPDX-License-Identifier: Apache-2.0
// The life of one thread within one program, cut into states by its faults and its pauses.
#pragma once

#include "model/account.h"
#include "trace/trace.h"

/** Some of the time of a thread, in one state. */
struct life_part {
	uint64_t ns;
	enum model_state state;
	enum model_initiator initiator;
};

/** The life of one thread within one program: an exec ends it, and begins another. */
struct life {
	uint32_t pid, tid;
	uint32_t process; // into account.processes
	uint32_t task;	  // into account.tasks
	uint64_t start_ns, end_ns;
	uint64_t until_ns; // what was before is in a state
	// The fault that it was in last.
	uint64_t fault_end_ns;
	enum model_initiator fault_initiator;
	uint32_t before; // of the same process: a life, plus one; 0: none
	bool is_open;
	bool is_born;	// by a fork, and not by an exec
	bool is_ending; // exit was told of; where its last pause is missing that was its end
	struct model_times times;
	struct model_times by_initiator[MODEL_INITIATORS];
	// Samples of it outside faults: how many, and the time that they stand for.
	uint64_t samples[MODEL_INITIATORS], sampled_ns[MODEL_INITIATORS];
	// Likewise in faults whose duration is unknown.
	uint64_t fault_samples[MODEL_INITIATORS], fault_sampled_ns[MODEL_INITIATORS];
	bool is_user_only;		       // it was not sampled while the kernel ran for it
	uint64_t divided_ns;		       // of cpu: what the samples outside faults stand for
	double cpu_variance[MODEL_INITIATORS]; // in ns^2
};

/** A fault from @start_ns to @end_ns; what earlier ones had of that is passed over. */
void life_take_fault(struct life *life, enum model_initiator initiator, uint64_t start_ns,
		     uint64_t end_ns);

/** A sample of the processor, of its code; one within a fault is passed over: then false. */
bool life_take_sample(struct life *life, const struct trace_sample *sample,
		      enum model_initiator initiator);

/** A sample of the processor in a fault whose duration is unknown. */
void life_take_fault_sample(struct life *life, const struct trace_sample *sample,
			    enum model_initiator of_fault);

/**
 * It is off the processor from @start_ns to @end_ns, by @pause; what of that is in a fault is not
 * run there. @of_stack: why, outside faults. Returns what it waited until it was woken.
 */
struct life_part life_take_pause(struct life *life, const struct trace_pause *pause,
				 enum model_initiator of_stack, uint64_t start_ns, uint64_t end_ns);

/** Nothing more is known of it after @time_ns: what is left of its life it ran. */
void life_end(struct life *life, uint64_t time_ns);
