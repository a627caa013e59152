// SPDX-License-Identifier: Apache-2.0
// What is known while the text of perf script is read. Serves perfscript.c and perfnotes.c.
#pragma once

#include "import/imported.h"
#include "import/perfline.h"
#include "import/perfspace.h"

enum { PERFSCRIPT_FRAMES_MAX = 256 };

/** A sample whose call chain may go on. */
struct perfscript_sample {
	struct perfline_head head; // its text is gone
	struct perfline_sample sample;
	uint64_t line;
	bool has_chain; // a line of it was there
	bool in_kernel; // its first one is the kernel's
	bool is_cut;	// what follows cannot be told
	uint32_t frame_count;
	uint64_t frames[PERFSCRIPT_FRAMES_MAX]; // the program's
};

struct perfscript {
	struct imported *to;
	struct u64map pid_of;	 // tid -> pid
	struct u64map in_exec;	 // pid -> 1: no instruction of its program has been seen to run
	struct u64map begun;	 // tid -> index + 1 of its fault that is not known to be over
	struct u64map comm_of;	 // tid -> index of its name in comms
	VEC(const char *) comms; // interned
	struct perfspaces spaces;
	struct perfscript_sample open;
	bool has_open;
	bool is_dwarf;		       // call chains are of copied stacks
	bool is_machine;	       // perf recorded all processes
	bool has_arch;		       // x86-64
	const char *version;	       // of perf; NULL: unknown
	uint32_t first_exec;	       // index + 1 of a task; 0: none
	uint64_t begins, ends, joined; // page-faults; minor- or major-faults; pairs of them
	uint64_t without_place;	       // neither call chain nor ip
	uint64_t first_without_place;  // line
	uint64_t kernel_ip_unknown;
	uint64_t sampled, unsampled_faults; // samples for several faults; those without a sample
	uint64_t without_period;
	uint64_t ambiguous, unplaced; // ips; frames
	struct imported_odd others;   // samples of other events
	uint64_t lost;
};

/** Note what the text lacks; with samples, mappings and tasks read. */
void perfscript_note(struct perfscript *script);
