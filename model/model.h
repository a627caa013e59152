// SPDX-License-Identifier: Apache-2.0
// The answer: every fault attributed, and the totals. Plain data that renderers read; it knows
// neither the trace nor the ELF files it came from, and owns all its strings.
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/notes.h"
#include "base/vec.h"
#include "machine/page.h"
#include "model/count.h"
#include "model/finding.h"
#include "model/object.h"
#include "model/window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A run of the same command that was not recorded: wall time, and the kernel's count (rusage). */
struct model_plain {
	uint64_t wall_ns, user_ns, system_ns;
	uint64_t minor, major;
};

/** Facts about the recording. */
struct model_trace {
	const char *path;
	const char *const *command; // as far as it is shown: model/shown.h
	size_t command_count;
	const char *backend, *kernel, *machine;
	uint32_t page_size;
	uint64_t duration_ns; // 0 with times_are_order
	bool complete;
	bool has_stacks;
	bool has_reads; // what faults read is known: without has_read, nothing
	// Of a process that ran already, which has no command: "process 4711 (firefox)"; or of a
	// cgroup: "cgroup system.slice/nginx.service".
	const char *process; // NULL: a command was started
	uint32_t process_pid;
	const char *process_comm;  // NULL: unknown
	const char *cgroup;	   // whose processes were recorded; NULL: none
	uint64_t run_id;	   // as trace_run_id() makes it
	uint64_t start_ns;	   // when recording began, of CLOCK_MONOTONIC; 0: unknown
	uint64_t start_unix_ns;	   // the same moment since the epoch; 0: unknown
	const char *producer;	   // "elfault 0.1.0": what recorded it; NULL: unknown
	const char *host;	   // NULL: unknown
	const char *const *labels; // "key=value"
	size_t label_count;
	bool times_are_order; // no times were recorded: time_ns of faults says what came first
	const struct model_plain *plain; // the one just before; NULL: there was none
	const char *file; // that has the trace, to be named on a command line; NULL: path
	// Of the words behind the program, shown or not, but for home directories: whether two runs
	// had the same. Never written, since a short secret could be guessed from it. 0: there are
	// none, or they are not known (trace_redact()).
	uint64_t arguments_hash;
};

/** The file that has the trace, as it is named on a command line. */
static inline const char *model_trace_file(const struct model_trace *trace)
{
	return trace->file ? trace->file : trace->path;
}

struct model_counts {
	uint64_t recorded, attributed, unattributed, lost; // recorded = attributed + unattributed
	uint64_t lost_other, stacks_lost;
	// Of a trace with stacks: recorded faults that have none, or one without callers; those
	// that exec took, before the program had registers, do not count. And how many of these
	// have an unknown initiator.
	uint64_t without_stack, without_stack_unknown;
	uint64_t minor, major;
	bool has_rusage;
	uint64_t rusage_minor, rusage_major;
	bool has_unsampled;
	uint64_t unsampled; // counted by the kernel, but raising no event
	// Explanations of that: see struct trace_summary. Not known of older traces.
	bool has_unrecorded;
	uint64_t hidden, unseen_programs, exec_unsampled;
	uint64_t call_unsampled; // of other system calls than exec
	uint64_t before_exec;	 // of the command's process, in rusage but not in the trace
	uint64_t living;	 // recorded, of tasks that still ran at the end: not in rusage
	uint64_t processes, threads, programs;
	uint64_t in_elf;	 // faults in ELF objects that could be read
	uint64_t in_elf_section; // of these: with a section
	uint64_t in_elf_symbol;	 // of these: with a symbol or a named entry
	bool has_reads;
	uint64_t read_bytes; // brought into the page cache by faults
	bool has_read_again;
	uint64_t read_again_bytes; // of mapped files: read after they had been in memory
	bool kinds_unknown;	   // nobody recorded which are major: all of them count as minor
};

struct model_account;
struct model_storage;
struct model_ios;
struct model_file_uses;
struct model_calls;
struct model_moments;
struct model_prefault;
struct model_mark;
struct model_searches;
struct model_bindings;
struct model_listing;

/** Arrays named by their items; indexes stay valid. Owned by whoever called correlate(). */
struct model {
	struct arena arena;
	struct model_trace trace;
	struct model_window window; // of the recording, which alone is counted
	struct model_counts counts;
	struct model_count total; // of the faults shown

	// Most faults first, then path. Only those are shown that OBJECT arguments and the filter
	// leave faults of.
	const struct model_object *objects;
	size_t object_count;
	const uint32_t *shown; // indexes into objects, sorted
	size_t shown_count;
	bool is_narrowed; // by OBJECT arguments
	bool is_of_io;	  // made by model_io_view(): each fault is the .what of an operation
	const char
		*filter; // conditions that all faults shown meet, as --where has them; NULL: none

	const struct model_section *sections;
	size_t section_count;
	const struct model_symbol *symbols;
	size_t symbol_count;
	const struct model_function *functions;
	size_t function_count;
	const struct model_code *codes; // only with NEED_CODES
	size_t code_count;
	const struct model_inlined *inlined;
	size_t inlined_count;
	const struct model_toucher *blamed; // of the faults shown; most faults first, then name
	size_t blamed_count;
	const struct model_initializer *initializers; // by object, in the order they run
	size_t initializer_count;
	struct model_count untold; // in initializers where no stack tells which, of all faults
	const char *const *comms;
	size_t comm_count;
	const struct model_program *programs; // of all processes, in the order of their beginning
	size_t program_count;
	const struct model_thread *threads;
	size_t thread_count;
	const struct model_stack *stacks;
	size_t stack_count;
	const struct model_fault *faults; // those shown, in time order
	size_t fault_count;
	const struct model_finding *findings; // what costs most first
	size_t finding_count;
	const struct model_account *account;	 // model/account.h; NULL: no time was recorded
	const struct model_storage *storage;	 // model/storage.h; NULL: no storage was recorded
	const struct model_ios *ios;		 // model/io.h; NULL: not asked for, or not recorded
	const struct model_file_uses *file_uses; // model/fileuses.h; NULL: not asked for
	const struct model_calls *calls;	 // model/calls.h; NULL: none were recorded
	const struct model_moments *moments;	 // model/moments.h; NULL: not asked for
	const struct model_searches *searches;	 // model/search.h; NULL: none were recorded
	const struct model_bindings *bindings;	 // model/binding.h; NULL: none are known
	const struct model_listing *listings;	 // model/listing.h; NULL: not asked for
	size_t listing_count;			 // what costs most first
	size_t listings_left_out;		 // functions that cost something and have none
	const struct model_prefault *prefaults;	 // model/prefault.h; most faults first
	size_t prefault_count;
	const struct model_mark *marks; // model/marks.h; none: no condition was watched
	size_t mark_count;
	// Though faults are left out, as all of them show it: findings, and by object how its code
	// lies; NULL: the same as what is shown.
	bool findings_are_whole;
	const struct model_order *orders;
	const struct model_set *set; // model/set.h: it is the run shown of these; NULL: it is alone
	struct notes notes;
};

/** Return the thread that took @fault. */
static inline const struct model_thread *model_thread(const struct model *model,
						      const struct model_fault *fault)
{
	return &model->threads[fault->thread];
}

/** Bytes that the faults of @count brought into the page cache. */
static inline uint64_t model_read_bytes(const struct model *model, const struct model_count *count)
{
	return count->read_pages * model->trace.page_size;
}

/** Bytes that storage delivered for @row; where that is not known, those that its faults read. */
static inline uint64_t model_initializer_read(const struct model *model,
					      const struct model_initializer *row)
{
	return model->storage ? row->storage_bytes : model_read_bytes(model, &row->count);
}

/** How far @fault is behind the first byte of what names what it touched; at.name is known. */
static inline uint64_t model_name_offset(const struct model *model, const struct model_fault *fault)
{
	return fault->at.vaddr - model->symbols[fault->at.name].vaddr;
}

/** The segment of what was touched, -1: none. */
static inline int32_t model_fault_segment(const struct model *model,
					  const struct model_fault *fault)
{
	return fault->at.section == MODEL_NONE ? -1 : model->sections[fault->at.section].segment;
}

/** The name of the section that was touched; NULL: none, or it has none. */
static inline const char *model_section_name(const struct model *model,
					     const struct model_fault *fault)
{
	return fault->at.section == MODEL_NONE ? NULL : model->sections[fault->at.section].name;
}

/** True if the section that was touched has the name @name. */
bool model_is_in_section(const struct model *model, const struct model_fault *fault,
			 const char *name);

/** The kind of symbol that was touched. */
static inline enum model_symbol_kind model_fault_symbol_kind(const struct model *model,
							     const struct model_fault *fault)
{
	return fault->at.name == MODEL_NONE ? MODEL_NO_SYMBOL : model->symbols[fault->at.name].kind;
}

/** The name of @function, which may be MODEL_NONE; NULL: it has none. */
static inline const char *model_function_name(const struct model *model, uint32_t function)
{
	return function == MODEL_NONE ? NULL : model->functions[function].name;
}

/** The format of the log that it was imported from: what recorded it; NULL: elfault recorded it. */
const char *model_imported_from(const struct model_trace *trace);

/** The size of a page where @model was recorded. */
static inline uint32_t model_page_size(const struct model *model)
{
	return model->trace.page_size ? model->trace.page_size : MACHINE_PAGE;
}

/** Release @model, which may be NULL. */
void model_close(struct model *model);

CLEANUP_POINTER(model_close, struct model)
