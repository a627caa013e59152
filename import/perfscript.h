// SPDX-License-Identifier: Apache-2.0
// State of reading the text of perf script. Serves perfscript.c and perfnotes.c.
#pragma once

#include "base/lines.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "import/imported.h"
#include "import/scan.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/** The head of lines of events: COMM, PID/TID, [CPU], TIME and a colon. */
struct perfline_head {
	const char *comm;
	size_t comm_length;
	bool has_pid; // else only tid was printed
	uint32_t pid, tid;
	uint64_t time_ns;
	struct scan rest;
};

bool perfline_head(const struct text_line *line, struct perfline_head *ret_head);

enum perfline_event {
	PERFLINE_FAULT, // page-faults: when a fault begins
	PERFLINE_MINOR, // and when it is over
	PERFLINE_MAJOR,
	PERFLINE_OTHER, // no page fault
};

/** The part of a sample that follows its head. */
struct perfline_sample {
	enum perfline_event event;
	bool has_period;
	uint64_t period;
	bool has_addr, has_ip;
	bool is_ambiguous; // several numbers may be the ip
	uint64_t addr, ip;
};

/** False if it is no sample at all. Of PERFLINE_OTHER only the event is told. */
bool perfline_sample(struct scan rest, struct perfline_sample *ret_sample);

/** A line of a call chain. */
struct perfline_frame {
	uint64_t value;	    // an address, or an offset in a file
	struct scan behind; // the name of the symbol, and in parentheses that of the file
	bool is_inlined;    // a function within the one of the next line
};

bool perfline_frame(const struct text_line *line, struct perfline_frame *ret_frame);

/** PERF_RECORD_MMAP and _MMAP2; but for time_ns and path. */
bool perfline_mapping(struct scan rest, struct trace_mapping *ret_mapping, struct scan *ret_path);

/** PERF_RECORD_COMM, _FORK and _EXIT; but for time_ns and comm. */
bool perfline_task(struct scan rest, struct trace_task *ret_task, struct scan *ret_comm);

/** PERF_RECORD_LOST and the like. */
bool perfline_lost(struct scan rest, uint64_t *ret_lost);

/** A file's mapping in one address space; earlier ones of the same file in it are chained. */
struct perfspace_mapping {
	uint64_t addr, size, offset;
	const char *path; // interned
	uint32_t space;
	uint32_t next; // index + 1
	bool is_code;
};

/** From an exec, or a fork, to the next exec. */
struct perfspace {
	uint32_t parent; // index + 1 of the space that it was copied of; 0: none
	uint32_t known;	 // mappings of all spaces when it was
};

/** Zero-initialise; release with perfspaces_deinit(). */
struct perfspaces {
	struct u64map by_pid;  // -> index + 1 of its space
	struct u64map by_path; // hash of space and path -> index + 1 of the newest mapping
	VEC(struct perfspace) list;
	VEC(struct perfspace_mapping) mappings;
	bool has_offsets, has_addresses; // which of the two the frames are, once one tells
	uint64_t ambiguous;		 // frames that might be either
};

void perfspaces_map(struct perfspaces *spaces, const struct trace_mapping *mapping);
void perfspaces_exec(struct perfspaces *spaces, uint32_t pid);
void perfspaces_fork(struct perfspaces *spaces, uint32_t parent, uint32_t pid);

/**
 * The address of a frame of process @pid. @path: of the file as perf script prints it, interned.
 * False if no mapping of that file explains it, or two ways of reading it do.
 */
bool perfspaces_find(struct perfspaces *spaces, uint32_t pid, const char *path, uint64_t value,
		     uint64_t *ret_addr);

void perfspaces_deinit(struct perfspaces *spaces);

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
