// SPDX-License-Identifier: Apache-2.0
// The answer: every fault attributed, and the totals. Plain data that renderers read; it knows
// neither the trace nor the ELF files it came from, and owns all its strings.
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/notes.h"
#include "base/vec.h"
#include "machine/page.h"
#include "model/window.h"
#include "model/words.def"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** "None" for indexes into the model's tables. */
#define MODEL_NONE UINT32_MAX

// The words and their order are those of model/words.def.
enum model_kind { KIND_WORDS(WORD_IDENTIFIER) MODEL_KINDS };
enum model_access { ACCESS_WORDS(WORD_IDENTIFIER) MODEL_ACCESSES };
enum model_mode { MODE_WORDS(WORD_IDENTIFIER) MODEL_MODES };

/** Mechanisms: the needs of the page. */
enum model_mechanism { MECHANISM_WORDS(WORD_IDENTIFIER) MODEL_MECHANISMS };

/** Why the code ran. */
enum model_initiator { INITIATOR_WORDS(WORD_IDENTIFIER) MODEL_INITIATORS };

/** Owners of the work of code. */
enum model_work {
	MODEL_WORK_SYSTEM, // the kernel's, ld.so's, or called by ld.so to bind a name
	MODEL_WORK_PROGRAM,
	MODEL_WORK_UNKNOWN,
};

/**
 * Certainty of the initiator: shown by a call stack, or by address, section and relocations alone.
 */
enum model_certainty { MODEL_CERTAINTY_NONE, CERTAINTY_WORDS(WORD_IDENTIFIER) MODEL_CERTAINTIES };

/** Faults inside dlopen and others; only a call stack can tell. */
enum model_dlopen { MODEL_DLOPEN_UNKNOWN, MODEL_DLOPEN_NO, MODEL_DLOPEN_YES };

/**
 * The place of a fault in its file, relative to the one before it of the same process in the same
 * file. MODEL_STEP_NONE: it is the first there, or not in a file.
 */
enum model_step { MODEL_STEP_NONE, STEP_WORDS(WORD_IDENTIFIER) MODEL_STEPS };

enum model_symbol_kind { MODEL_NO_SYMBOL, SYMBOL_KIND_WORDS(WORD_IDENTIFIER) MODEL_SYMBOL_KINDS };

/** Addressees of an advice. */
enum model_for { FOR_WORDS(WORD_IDENTIFIER) MODEL_FORS };

/** How what an advice saves is known. */
enum model_bound { BOUND_WORDS(WORD_IDENTIFIER) MODEL_BOUNDS };

/** Return whose work it is. */
enum model_work model_initiator_work(enum model_initiator initiator);

/** The contract's words; "unknown" never stands for a value that is out of range. */
const char *model_kind_name(enum model_kind kind);
const char *model_access_name(enum model_access access);
const char *model_mode_name(enum model_mode mode);
const char *model_mechanism_name(enum model_mechanism mechanism);
const char *model_initiator_name(enum model_initiator initiator);
struct model_trace;
/** The format of the log that it was imported from: what recorded it; NULL: elfault recorded it. */
const char *model_imported_from(const struct model_trace *trace);
/** NULL for MODEL_CERTAINTY_NONE. */
const char *model_certainty_name(enum model_certainty certainty);
/** NULL for MODEL_STEP_NONE. */
const char *model_step_name(enum model_step step);
/** NULL for MODEL_NO_SYMBOL. */
const char *model_symbol_kind_name(enum model_symbol_kind kind);
const char *model_for_name(enum model_for who);
const char *model_bound_name(enum model_bound bound);

/** Faults counted for one row of any table. */
struct model_count {
	uint64_t faults;
	uint64_t major;
	uint64_t duration_ns; // of the faults whose duration is known
	uint64_t read_pages;  // brought into the page cache; see model_trace.has_reads
	uint64_t own_ns;      // of duration_ns: running, or waiting for storage
	uint64_t late_ns;     // of duration_ns: able to run, and not running
	uint64_t major_ns;    // of own_ns: of major faults, which wait for storage
};

/** A section of an object, or [heap] and the like for memory outside files. */
struct model_section {
	uint32_t object;
	const char *name; // NULL where the file could not be read
	struct model_count count;
	uint64_t pages;	 // distinct pages that faulted
	uint64_t size;	 // bytes of the section in memory, 0 where it has no section header
	int32_t segment; // index of the PT_LOAD, -1: none
};

/** Something with a name that was touched: a symbol, a table's entry or a pointee. */
struct model_symbol {
	uint32_t object;
	uint32_t section; // index into model.sections
	enum model_symbol_kind kind;
	const char *name; // demangled, unless asked not to
	bool has_offset;
	uint64_t offset; // of its first byte in the file
	uint64_t vaddr;
	uint64_t size;
	struct model_count count;
};

/** A function that executed: of a fault's ip or of a stack frame. */
struct model_function {
	uint32_t object;	  // index into model.objects
	const char *name;	  // demangled, unless asked not to; NULL: code without a name
	const char *section;	  // NULL: unknown
	struct model_count count; // as the function of the faulting ip
	uint64_t size;		  // bytes, 0: unknown
};

/** How often one function touched one object. */
struct model_toucher {
	uint32_t function; // index into model.functions
	struct model_count count;
};

/** A function that runs before main, or all those of a Go package, and the faults inside it, as far
 * as they are shown. */
struct model_initializer {
	uint32_t object; // index into model.objects
	uint32_t index;
	const char *array;
	const char *function; // NULL: no name covers it
	const char *symbol;   // function as the symbol table has it; NULL: the same, or none
	bool has_offset;
	uint64_t offset;
	uint64_t vaddr;
	const char *source;	    // NULL: unknown
	const char *package;	    // Go's; NULL: it is none
	struct model_count count;   // inside it, whatever it touched; initializers that it runs
				    // itself, by dlopen, count for themselves
	uint64_t lazy_binding;	    // of count.faults: PLT entries bound at their first call
	uint64_t pages;		    // distinct pages that faulted inside it
	uint64_t code_pages;	    // distinct pages that ran inside it, seen in ips and stacks
	uint64_t code_pages_only;   // of these: pages that were seen to run nowhere else; another
				    // initializer is elsewhere
	uint64_t first_ns, last_ns; // its first and last fault, since the start of the recording
	// A name for people, "globals of foo.cc", a Go package; NULL: as function says.
	const char *label;
	// Inside it and outside its faults: processor time, by samples; waiting for something else
	// than a processor, where stacks tell.
	uint64_t cpu_ns, wait_ns;
	uint64_t storage_bytes; // that storage delivered for it, where model.storage is known
};

struct model_relocation;
struct model_data;
struct model_layout;
struct model_packing;

/**
 * Symbols that a file uses of one that it needs: names that it leaves open and the other defines.
 */
struct model_used {
	uint64_t names;
	const char *examples; // "foo, bar": a few of them; NULL: none
	uint64_t data;	      // of names: not functions, such as variables and vtables
	const char *datum;    // one of these; NULL: none
};

/** A file, or memory outside files ([heap], [stack], [anon], [vdso] ...). */
struct model_object {
	const char *path;
	const char
		*root; // that path is in, "/srv/chroot" or "container 1f0c…"; NULL: the recorder's
	bool is_file;
	bool is_elf;
	bool was_read;	    // false: an ELF file that is gone, unreadable or changed; see the notes
	bool is_forced;	    // --force: its build-id is not the recorded one
	const char *soname; // NULL
	const char *build_id; // hex, NULL
	uint64_t size;	      // bytes of the file, 0: unknown
	const char *symbols;  // the contract's word
	struct model_count count;
	uint64_t by_initiator[MODEL_INITIATORS];
	uint64_t by_mechanism[MODEL_MECHANISMS];
	uint64_t by_access[MODEL_ACCESSES];

	// Rows of this object as indexes, sorted by faults (most first), then name.
	const uint32_t *sections; // into model.sections
	size_t section_count;
	const uint32_t *symbols_touched; // into model.symbols
	size_t symbol_count;
	const struct model_toucher *touchers;
	size_t toucher_count;
	const struct model_toucher *blamed; // by blame, see model_fault
	size_t blamed_count;
	uint32_t first_initializer; // into model.initializers
	size_t initializer_count;
	// NULL: there is nothing to tell, or the faults were filtered.
	const struct model_relocation *relocation; // model/relocation.h
	const struct model_data *data;		   // model/data.h
	const uint32_t *needed; // into model.objects: those that DT_NEEDED names, in its order
	size_t needed_count;
	const struct model_used *used; // beside needed; NULL: unknown
	const char *archive;	       // of a library: the path of its lib*.a; NULL: none was found
	const char *source_of_symbols; // path of a separate debug file, NULL
	const struct model_layout *layout;   // model/layout.h; NULL: not read
	const struct model_packing *packing; // model/packing.h; NULL: no list was given
};

/** How close together the code of a file lies that was seen to run: derive/locality.h. */
struct model_order {
	uint64_t function_count, code_pages, area, least_area, random_steps;
};

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

/** The saving of an advice. */
struct model_saving {
	uint64_t faults;      // where are_waits: that no longer wait for storage
	uint64_t read_bytes;  // that storage need not deliver where the files are not in memory
	uint64_t duration_ns; // in faults, computing outside them, and waiting for storage
	uint64_t storage_ns;  // of duration_ns: waiting for storage
	enum model_bound is;
	// Of a prediction, in 19 of 20 cases; 0: not measured.
	uint64_t error_faults, error_ns;
	bool are_waits;
	uint64_t beside_ns; // of duration_ns: if the findings before it are followed as well
};

/** The fix for one who can act. */
struct model_cure {
	enum model_for who;
	const char *text;
};

/** The facts of a finding about one file. */
struct model_finding_file {
	uint32_t object;			     // into model.objects
	uint64_t faults, pages, duration_ns, own_ns; // as in struct model_count
	struct model_saving saves;
	const char *evidence;
};

/** A conclusion of advice/trace/: what the numbers show, and what to change. */
struct model_finding {
	const char *id; // "relative-relocations-without-relr": stable, for scripts
	const char *title;
	uint32_t object; // that it concerns, MODEL_NONE: all, or those of files
	// The files that it concerns, what costs most first; none: the run.
	const struct model_finding_file *files;
	size_t file_count;
	// The faults it speaks of are among those that this condition, as --where has them, leaves;
	// NULL: no condition tells them from others.
	const char *where;
	uint64_t faults; // what it costs
	uint64_t pages;
	uint64_t duration_ns;  // of these faults
	uint64_t own_ns;       // likewise: running, or waiting for storage
	uint64_t major_ns;     // of own_ns: waiting for storage
	uint64_t cpu_ns;       // computing for the same cause outside faults, by samples
	uint64_t cpu_error_ns; // the true time is nearer to cpu_ns in 19 of 20 cases
	struct model_saving saves;
	const char *evidence;
	const struct model_cure *cures; // at least one; the first is the nearest
	size_t cure_count;
	const char *advice; // all cures as one text
	// Subjects of the finding by name: the libraries that go, the dearest initializers;
	// NULL: its files say that.
	const char *names;
	const char *command; // of the first cure that has one: what to type, alone; NULL: none
};

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

/** When @fault was over, or began where its duration is not known; at most UINT64_MAX. */
static inline uint64_t model_fault_end(const struct model_fault *fault)
{
	uint64_t end;

	if (!fault->has_duration)
		return fault->time_ns;
	return __builtin_add_overflow(fault->time_ns, fault->duration_ns, &end) ? UINT64_MAX : end;
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

/** Add @fault to @count. */
static inline void model_count_fault(struct model_count *count, const struct model_fault *fault)
{
	const uint64_t own_ns = model_fault_own(fault);

	count->faults++;
	count->major += fault->kind == MODEL_MAJOR;
	count->duration_ns += fault->has_duration ? fault->duration_ns : 0;
	count->read_pages += model_read_pages(fault);
	count->own_ns += own_ns;
	count->late_ns += model_fault_late(fault);
	count->major_ns += fault->kind == MODEL_MAJOR ? own_ns : 0;
}

/** Add @from to @to. */
static inline void model_count_add(struct model_count *to, const struct model_count *from)
{
	to->faults += from->faults;
	to->major += from->major;
	to->duration_ns += from->duration_ns;
	to->read_pages += from->read_pages;
	to->own_ns += from->own_ns;
	to->late_ns += from->late_ns;
	to->major_ns += from->major_ns;
}

/** Take @from, a part of @to, out of it. */
static inline void model_count_subtract(struct model_count *to, const struct model_count *from)
{
	to->faults -= from->faults;
	to->major -= from->major;
	to->duration_ns -= from->duration_ns;
	to->read_pages -= from->read_pages;
	to->own_ns -= from->own_ns;
	to->late_ns -= from->late_ns;
	to->major_ns -= from->major_ns;
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

/** The kind of symbol that was touched. */
static inline enum model_symbol_kind model_fault_symbol_kind(const struct model *model,
							     const struct model_fault *fault)
{
	return fault->at.name == MODEL_NONE ? MODEL_NO_SYMBOL : model->symbols[fault->at.name].kind;
}

/** True if @function, which may be MODEL_NONE, is code with a name. */
static inline bool model_has_name(const struct model *model, uint32_t function)
{
	return function != MODEL_NONE && model->functions[function].name;
}

/** The word for how @stack ended. */
static inline const char *model_stack_end(const struct model_stack *stack)
{
	return stack->is_complete ? "outermost" : stack->is_truncated ? "cut" : "lost";
}

/** The file name of @object; the whole path of memory outside files. Points into the path. */
const char *model_object_name(const struct model_object *object);

/** @name, which is @object's, with the root that it is in: "libc.so.6 of /srv/chroot". */
const char *model_rooted_name(struct arena *arena, const char *name,
			      const struct model_object *object);

/**
 * The number of the page that @fault touched. A page of a file (*@ret_is_of_file) is the same in
 * every process, counted by vaddr where it has one; other memory is each process's own.
 */
uint64_t model_page(const struct model_fault *fault, uint64_t page_size, bool *ret_is_of_file);

/** The size of a page where @model was recorded. */
static inline uint32_t model_page_size(const struct model *model)
{
	return model->trace.page_size ? model->trace.page_size : MACHINE_PAGE;
}

/** Release @model, which may be NULL. */
void model_close(struct model *model);

CLEANUP_POINTER(model_close, struct model)
