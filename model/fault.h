// SPDX-License-Identifier: Apache-2.0
// A fault: what was touched, who touched it, by which stack, and its time.
#pragma once

#include "base/range.h"
#include "machine/page.h"
#include "model/words.h"

#include <stdbool.h>
#include <stdint.h>

/** "None" for indexes into the model's tables. */
#define MODEL_NONE UINT32_MAX

/** A function whose body the compiler put into another's. */
struct model_inlined {
	const char *function; // demangled, unless asked not to; NULL: unknown
	const char *source;   // where it was called; NULL: unknown
};

/** An instruction that faulted, or called one that did: a row for each that something is known of.
 */
struct model_code {
	const char *source;	 // "file:line", NULL: unknown
	const char *instruction; // "mov qword ptr [rdi + 8], rax"; NULL: unknown, or only called
	uint32_t first_inlined;	 // into model.inlined: innermost first
	uint32_t inlined_count;
};

/** A frame of a call stack: the faulting instruction, or the last byte of a call. */
struct model_frame {
	uint64_t addr;	   // in the first process that had it
	uint32_t object;   // MODEL_NONE: no mapping known
	uint32_t function; // MODEL_NONE: no object
	bool has_offset;
	uint64_t offset;
	uint64_t function_offset;
	bool has_vaddr;
	uint32_t code; // into model.codes
	uint64_t vaddr;
	uint32_t id; // among all frames of the analysis
};

/** Frames of a stack that recordings keep, at most. */
enum { MODEL_STACK_FRAMES = 256 };

struct model_stack {
	const struct model_frame *const *frames; // innermost first; stacks share equal ones
	uint32_t frame_count;
	bool is_truncated; // as in struct trace_stack
	bool is_complete;
	bool is_elsewhere;
	struct range shown; // trace_stack.shown_start and shown_end
};

/** A byte of an object that was touched. */
struct model_place {
	uint64_t offset; // in the file
	uint64_t vaddr;
	uint32_t object;
	uint32_t section; // into model.sections
	uint32_t name;	  // into model.symbols
	bool has_offset, has_vaddr;
};

/** An instruction that touched memory: one for all faults that it took there. */
struct model_ip {
	uint64_t ip;	 // as an address in the process
	uint64_t offset; // in the file
	uint64_t vaddr;
	uint64_t name_offset; // from the beginning of the function
	uint32_t object;
	uint32_t name; // into model.functions
	uint32_t code; // into model.codes
	bool has_offset, has_vaddr;
	uint32_t id; // among all of the analysis
};

/** The pages that came with the one that was touched, shared by faults that they came with alike.
 */
struct model_extent {
	// Fault-around: pages of the same object that were mapped with it.
	uint64_t around; // their start in the file, less that of the page touched; wraps
	uint32_t around_pages;

	// Read-ahead: pages of the same object that it brought into the page cache, read_pages of
	// them among the read_span pages from the start, as above, on.
	uint32_t read_pages;
	uint32_t read_span;
	uint64_t read;
};

/** A program in a process: from an exec or a fork, or from the beginning, to the next exec. */
struct model_program {
	uint32_t pid;
	bool has_exec;	 // it began with one; else it was forked, or ran already
	uint32_t parent; // that it was forked from or, of an exec, that its process ran before:
			 // into model.programs; MODEL_NONE: none was recorded
	const char *executable; // path of the file that it executes; NULL: unknown
};

/** A thread under one of its names, in one program: one for all faults that it took there. */
struct model_thread {
	uint32_t program; // into model.programs
	uint32_t pid, tid;
	uint32_t comm; // into model.comms
};

/** The time of a fault whose duration is not all its own. */
struct model_fault_time {
	uint64_t own_ns;  // running, or waiting for storage: the account's fault and fault-io
	uint64_t late_ns; // able to run, and not running: the account's runnable
};

/**
 * One fault. Indexes are MODEL_NONE where it doesn't apply. There may be tens of millions: what
 * many of them share is pointed to.
 */
struct model_fault {
	uint64_t time_ns; // since the start of the recording
	uint64_t duration_ns;
	uint64_t addr;
	struct model_place at;		     // what was touched
	const struct model_ip *by;	     // who touched it; never NULL
	const struct model_extent *extent;   // NULL without has_around and has_read
	const struct model_fault_time *time; // NULL: all of its duration is its own
	uint32_t thread;		     // into model.threads: model_thread()
	uint32_t stack;			     // into model.stacks
	uint32_t initializer; // that was running: into model.initializers; MODEL_NONE: also where
			      // it is not known which of init_object's
	uint32_t init_object; // whose initializer was running: into model.objects
	uint32_t
		blame; // the first function outside libc, libstdc++ and ld.so: into model.functions
	uint8_t kind : 1, access : 2, mode : 1, dlopen : 2, certainty : 2; // enums above
	uint8_t mechanism : 4, step : 4;
	uint8_t initiator;
	bool has_duration : 1;
	bool has_ip : 1;
	bool is_ip_unknown : 1; // without has_ip, and not since exec took it
	bool is_unread : 1;	// only its instruction tells the initiator: no disassembler
	bool has_around : 1;
	bool has_read : 1;
};
_Static_assert(sizeof(struct model_fault) <= 104, "a fault takes at most 104 bytes");
_Static_assert(MODEL_KINDS <= 2 && MODEL_ACCESSES <= 4 && MODEL_MODES <= 2 &&
		       MODEL_DLOPEN_YES < 4 && MODEL_CERTAINTIES <= 4 && MODEL_MECHANISMS <= 16 &&
		       MODEL_STEPS <= 16 && MODEL_INITIATORS <= 256,
	       "words fit their fields");

/** Return the page of the file that @fault touched, of 4 KiB, from which extents are counted. */
static inline uint64_t model_extent_base(const struct model_fault *fault)
{
	return fault->at.has_offset ? fault->at.offset & ~(uint64_t)(MACHINE_PAGE - 1) : 0;
}

/** Return the offset of the window that came with @fault; 0 if nothing is known of it. */
static inline uint64_t model_around_offset(const struct model_fault *fault)
{
	return fault->has_around ? model_extent_base(fault) + fault->extent->around : 0;
}

static inline uint32_t model_around_pages(const struct model_fault *fault)
{
	return fault->has_around ? fault->extent->around_pages : 0;
}

static inline uint64_t model_read_offset(const struct model_fault *fault)
{
	return fault->has_read ? model_extent_base(fault) + fault->extent->read : 0;
}

static inline uint32_t model_read_pages(const struct model_fault *fault)
{
	return fault->has_read ? fault->extent->read_pages : 0;
}

static inline uint32_t model_read_span(const struct model_fault *fault)
{
	return fault->has_read ? fault->extent->read_span : 0;
}

/** When @fault was over, or began where its duration is not known; at most UINT64_MAX. */
static inline uint64_t model_fault_end(const struct model_fault *fault)
{
	uint64_t end;

	if (!fault->has_duration)
		return fault->time_ns;
	return __builtin_add_overflow(fault->time_ns, fault->duration_ns, &end) ? UINT64_MAX : end;
}

/** The time that @fault ran or waited for storage; 0 where its duration is not known. */
static inline uint64_t model_fault_own(const struct model_fault *fault)
{
	return !fault->has_duration ? 0 : fault->time ? fault->time->own_ns : fault->duration_ns;
}

/** The time in @fault that its thread could run, and did not; 0 where it is not known. */
static inline uint64_t model_fault_late(const struct model_fault *fault)
{
	return fault->time ? fault->time->late_ns : 0;
}

/** The word for how @stack ended. */
static inline const char *model_stack_end(const struct model_stack *stack)
{
	return stack->is_complete ? "outermost" : stack->is_truncated ? "cut" : "lost";
}

/**
 * The number of the page that @fault touched. A page of a file (*@ret_is_of_file) is the same in
 * every process, counted by vaddr where it has one; other memory is each process's own.
 */
uint64_t model_page(const struct model_fault *fault, uint64_t page_size, bool *ret_is_of_file);
