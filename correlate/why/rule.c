// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/rule.h"

#include <elf.h>
#include <string.h>

/** Bytes of a hash table's head, which is read when its object is mapped, not only by lookups. */
enum { HASH_HEAD = 16 };

/** Calls into the dynamic linker that say why it runs. */
enum { ROLES_CALLS = ROLE_DLOPEN | ROLE_LINKER_CALL };

#define TOUCHES(touch) (1U << (touch))

// Faults with or without a stack.

static bool has_no_ip(const struct rule_case *asked)
{
	return !asked->fault->has_ip && !asked->fault->is_ip_unknown;
}

/**
 * A thread of the kernel's in the process, as io_uring has them, makes none of the program's
 * instructions: the kernel sets its registers to 0. It works for who asked, which is not recorded.
 */
static bool is_kernel_thread_after_main(const struct rule_case *asked)
{
	const struct model_thread *thread = &asked->rows->threads.items[asked->fault->thread];

	return asked->fault->has_ip && asked->fault->by->ip == 0 && thread->tid != thread->pid &&
	       asked->phase->was_in_main && asked->has_main_behind;
}

/** True if the stack says who asked, and each function on the way there has a name to know it by.
 */
static bool is_told_by_names(const struct rule_case *asked)
{
	return asked->context && asked->context->is_complete && asked->context->is_named &&
	       asked->context->initiator != MODEL_INITIATOR_UNKNOWN;
}

/** The dynamic linker reads them to load: its frames tell more. So do names. */
static bool is_read_outside_linker(const struct rule_case *asked)
{
	return asked->fault->access == MODEL_ACCESS_READ && !role_is_loader(asked->roles) &&
	       !is_told_by_names(asked);
}

// Faults whose stack shows the dynamic linker, or the start of a program, at work.

static bool is_before_entry_only(const struct rule_case *asked)
{
	return asked->context->rule && asked->context->rule->before_entry;
}

static bool linker_works(const struct rule_case *asked)
{
	return asked->context->initiator == MODEL_LOADER &&
	       !(is_before_entry_only(asked) && asked->phase->has_entered);
}

static bool relocates(const struct rule_case *asked)
{
	return linker_works(asked) &&
	       linking_relocates(asked->linking, asked->fault, asked->context);
}

static bool looks_up(const struct rule_case *asked)
{
	return linker_works(asked) &&
	       linking_looks_up(asked->linking, asked->fault, asked->context);
}

/** Otherwise the names of libraries, versions, a hash table's head: reading them is loading. */
static bool reads_names_to_bind(const struct rule_case *asked)
{
	return linker_works(asked) &&
	       (asked->context->binds || relocates(asked) || looks_up(asked));
}

static bool fills_slot(const struct rule_case *asked)
{
	return linker_works(asked) && !looks_up(asked) &&
	       (asked->fault->access == MODEL_ACCESS_WRITE || relocates(asked));
}

/** musl's libc is all that is left at the bottom of a thread's stack. */
static bool is_thread_in_libc(const struct rule_case *asked)
{
	const struct model_thread *thread = &asked->rows->threads.items[asked->fault->thread];

	return is_before_entry_only(asked) && asked->phase->has_entered &&
	       thread->tid != thread->pid &&
	       !asked->rows->stacks.items[asked->fault->stack].is_truncated;
}

/** The end is only told by exit: anything else may be main's, which has left the stack. */
static bool main_has_run(const struct rule_case *asked)
{
	return asked->context->initiator == MODEL_STARTUP && asked->phase->was_in_main;
}

/**
 * True if the start is nameless: without names an initializer or a TLS block look like the rest of
 * the start; the block does until the function that builds it has been seen.
 */
static bool start_is_nameless(const struct rule_case *asked)
{
	const struct model_fault *fault = asked->fault;
	struct elfmap *map = fault->by->object == MODEL_NONE
				     ? NULL
				     : objects_opened(asked->rows->objects, fault->by->object);
	size_t count;

	if (asked->context->initiator != MODEL_STARTUP || !map || !role_is_nameless(map))
		return false;
	const char *touched =
		fault->at.object == MODEL_NONE
			? ""
			: objects_all(asked->rows->objects, &count)[fault->at.object].path;
	return asked->context->has_loop ||
	       (!asked->phase->has_built_tls &&
		(strcmp(touched, "[anon]") == 0 || strcmp(touched, "[heap]") == 0));
}

/**
 * True if a nameless function makes a thread: its callees are the program's, or build libc's TLS
 * block.
 */
static bool makes_thread(const struct rule_case *asked)
{
	return asked->context->initiator == MODEL_PROGRAM && asked->context->makes_thread;
}

/** A stack of Go's scheduler, whose frames say nothing. Go runs nothing behind main. */
static bool is_on_go_stack(const struct rule_case *asked)
{
	return asked->context->initiator == MODEL_INITIATOR_UNKNOWN &&
	       asked->context->is_on_go_stack;
}

static bool is_on_go_stack_after_main(const struct rule_case *asked)
{
	return is_on_go_stack(asked) && asked->phase->was_in_main;
}

/** The runtime works on it for the initializer that called, where one runs. */
static bool is_on_go_stack_before_main(const struct rule_case *asked)
{
	return is_on_go_stack(asked) && asked->phase->has_entered && asked->is_before_main &&
	       asked->bracket->stay != STAY_INITIALIZER;
}

static bool start_relocates(const struct rule_case *asked)
{
	return asked->context->initiator == MODEL_STARTUP &&
	       linking_relocates_itself(asked->linking, asked->fault, asked->touch);
}

// Frames.

static bool run_builds_tls(const struct frame *frame)
{
	return frame->run_roles & ROLE_TLS;
}

static bool run_is_for_caller(const struct frame *frame)
{
	return frame->run_end < frame->stack->frame_count &&
	       (frame_roles_at(frame, frame->run_end - 1) & ROLE_FIND);
}

static bool run_is_outermost(const struct frame *frame)
{
	return frame->run_end == frame->stack->frame_count;
}

static bool run_is_cut(const struct frame *frame)
{
	return run_is_outermost(frame) && frame->stack->is_truncated;
}

/** True if the program's start called it, and nothing that the start runs. */
static bool is_run_by_start(const struct frame *frame)
{
	const uint32_t others = ROLE_MAIN | ROLE_INITIALIZER | ROLE_PART_OF_INIT | ROLE_EXIT;
	uint32_t callers = frame_roles_outwards(frame, frame->at + 1, ROLE_ENTRY | others);

	return (callers & ROLE_ENTRY) && !(callers & others);
}

/** True if a function of the program's is further out, and no dynamic linker nearer. */
static bool is_run_by_program(const struct frame *frame)
{
	const uint32_t program = ROLE_MAIN | ROLE_INITIALIZER | ROLE_EXIT | ROLE_THREAD;
	uint32_t callers =
		frame_roles_outwards(frame, frame->at + 1, program | ROLE_LOADER | ROLE_DLOPEN);

	return (callers & program) && !(callers & (ROLE_LOADER | ROLE_DLOPEN));
}

/**
 * True if a function that has such a name may be libc's where it is called: a program may have one
 * of its own.
 */
static bool may_be_of_libc(const struct frame *frame)
{
	uint32_t caller = frame_roles_at(frame, frame->at + 1);

	if (frame->roles & ROLE_OF_START)
		return !is_run_by_program(frame);
	return !(caller & (ROLE_MAIN | ROLE_INITIALIZER)) || (caller & ROLE_MAIN_CALL);
}

/** True if it is not main's: a program may have functions of such names. */
static bool is_part_of_init(const struct frame *frame)
{
	uint32_t callers = frame_roles_outwards(
		frame, frame->at + 1, ROLE_MAIN | ROLE_INITIALIZER | ROLE_LOADER | ROLE_DLOPEN);

	return !(callers & ROLE_MAIN) || (callers & (ROLE_INITIALIZER | ROLE_LOADER | ROLE_DLOPEN));
}

/** True if it is not calling back: what prints a backtrace works for who asked for one. */
static bool is_unwinding(const struct frame *frame)
{
	return !(frame->roles & ROLE_CALLS_BACK) || frame->at == 0 ||
	       frame->stack->frames[frame->at - 1]->object ==
		       frame->stack->frames[frame->at]->object;
}

/** Return the roles of the dynamic linker's callers, as far as they show its purpose. */
static uint32_t run_callers(const struct frame *frame)
{
	return frame_roles_outwards(frame, frame->run_end, ROLE_EXIT | ROLES_CALLS | ROLE_MAIN);
}

static bool run_is_in_exit(const struct frame *frame)
{
	return run_callers(frame) & ROLE_EXIT;
}

/** True if a resolver called it while relocating, to bind names of the vDSO. */
static bool run_is_for_resolver(const struct frame *frame)
{
	return frame_roles_outwards(frame, frame->run_end, ROLE_RESOLVER | ROLE_LOADER) &
	       ROLE_RESOLVER;
}

/** libc opens libraries for itself, too, by functions that have no public name. */
static bool run_is_unasked(const struct frame *frame)
{
	return !(run_callers(frame) & ROLES_CALLS) && !run_is_for_resolver(frame) &&
	       !frame->stack->is_truncated;
}

// Faults that no stack explains: only where place and order leave one answer.

/** True if the dynamic linker ran; if it is libc, too, only until the program runs. */
static bool linker_ran(const struct rule_case *asked)
{
	return !(asked->roles & ROLE_LIBC_LOADER) || !asked->phase->has_left_loader;
}

/** Afterwards it may be lazy binding that does the same. */
static bool only_linker_ran(const struct rule_case *asked)
{
	return !asked->phase->has_left_loader;
}

/** A page that it had for itself before the fork may be written again for any reason. */
static bool is_first_write(const struct rule_case *asked)
{
	return asked->fault->access == MODEL_ACCESS_WRITE &&
	       asked->fault->mechanism != MODEL_FORK_COW;
}

static bool linker_writes_first(const struct rule_case *asked)
{
	return linker_ran(asked) && is_first_write(asked);
}

/** True if binding PLT entries writes slots of this object that relocation left alone. */
static bool may_be_bound_late(const struct rule_case *asked)
{
	struct elfmap *map = objects_opened(asked->rows->objects, asked->fault->at.object);

	// Elsewhere each slot gets the load bias added at relocation, so that is its first write.
	return !map || elfmap_info(map)->type == ET_EXEC;
}

static bool linker_rebases(const struct rule_case *asked)
{
	return only_linker_ran(asked) && is_first_write(asked) && !may_be_bound_late(asked);
}

static bool is_hash_head(const struct rule_case *asked)
{
	const struct model_fault *fault = asked->fault;
	const struct row_source *source;

	if (fault->at.name == MODEL_NONE)
		return false;
	source = &asked->rows->symbol_sources.items[fault->at.name];
	return !source->symbol && source->entry.kind == ELFMAP_ENTRY_HASH &&
	       fault->at.vaddr - source->entry.vaddr < HASH_HEAD && source->entry.index == 0;
}

static bool linker_looks_up(const struct rule_case *asked)
{
	return only_linker_ran(asked) && !is_hash_head(asked);
}

static bool linker_reads(const struct rule_case *asked)
{
	return linker_ran(asked) && asked->fault->access == MODEL_ACCESS_READ;
}

static bool is_before_main(const struct rule_case *asked)
{
	return !asked->phase->was_in_main;
}

static bool program_relocates(const struct rule_case *asked)
{
	return !asked->phase->was_in_main &&
	       linking_relocates_itself(asked->linking, asked->fault, asked->touch);
}

// Faults whose stacks say nothing, a coroutine's and those that were cut short: what surrounds
// them.

static bool is_within(const struct rule_case *asked, enum stay stay)
{
	return asked->context && asked->bracket->stay == stay;
}

static bool is_within_program(const struct rule_case *asked)
{
	return is_within(asked, STAY_PROGRAM) && asked->context->dlopen != MODEL_DLOPEN_YES;
}

static bool is_within_initializer(const struct rule_case *asked)
{
	return is_within(asked, STAY_INITIALIZER);
}

static bool is_within_exit(const struct rule_case *asked)
{
	return is_within(asked, STAY_EXIT);
}

// Evidence, and what it makes of an answer.
#define STACK	  EVIDENCE_STACK
#define PLACE	  EVIDENCE_PLACE
#define ORDER	  EVIDENCE_ORDER
#define CODE	  EVIDENCE_CODE
#define BY_STACK  MODEL_STACK
#define BY_PLACE  MODEL_RULE
#define NOT_SHOWN MODEL_CERTAINTY_NONE

// The comment above a row says why it stands above the next. clang-format would make columns.
// clang-format off
enum { FIRST_OF_FRAMES = 17 }; // rows above it are of faults
static const struct rule rules[] = {
	// Faults, with or without a stack.

	// A fault that no instruction made has no function to ask about.
	{ "no-instruction", MODEL_EXEC, BY_PLACE, PLACE, OF_FAULTS, .fault = has_no_ip },
	// Its stack shows nothing. Initializers may have asked, but main runs.
	{ "kernel-thread", MODEL_PROGRAM, BY_PLACE, ORDER, OF_FAULTS,
	  .fault = is_kernel_thread_after_main },
	// Above a stack without names, which shows who threw: a static program's unwinder may have none.
	{ "unwind-tables", MODEL_UNWIND, BY_PLACE, PLACE, OF_FAULTS,
	  .touches = TOUCHES(TOUCH_UNWIND), .fault = is_read_outside_linker },
	// Above the stack as well: libc copies it, for whoever starts a thread.
	{ "tls-image", MODEL_TLS_SETUP, BY_PLACE, PLACE, OF_FAULTS,
	  .touches = TOUCHES(TOUCH_TLS_IMAGE), .fault = is_read_outside_linker },

	// Faults whose stack shows the dynamic linker at work: more exact than its frames, below.

	// What is read tells more than who reads: one function relocates and has names looked up.
	// Other bytes than the next.
	{ "linker-names", MODEL_SYMBOL_LOOKUP, BY_STACK, STACK | PLACE | ORDER, OF_FAULTS,
	  .touches = TOUCHES(TOUCH_LOOKUP) | TOUCHES(TOUCH_NAMES), .fault = reads_names_to_bind },
	// Other bytes than the next.
	{ "linker-relocations", MODEL_RELOCATION, BY_STACK, STACK | PLACE, OF_FAULTS,
	  .touches = TOUCHES(TOUCH_RELOCATION) | TOUCHES(TOUCH_PLT_RELOCATION),
	  .fault = linker_works },
	// Other bytes than the next.
	{ "linker-slots", MODEL_RELOCATION, BY_STACK, STACK | PLACE | ORDER, OF_FAULTS,
	  .touches = TOUCHES(TOUCH_SLOT) | TOUCHES(TOUCH_PLT_SLOT), .fault = fills_slot },
	// The last that the bytes tell; from here on only the functions do.
	{ "linker-tls-image", MODEL_TLS_SETUP, BY_STACK, STACK | PLACE, OF_FAULTS,
	  .touches = TOUCHES(TOUCH_TLS_IMAGE), .fault = linker_works },
	// Relocating calls it, so it is the inner of the two.
	{ "linker-lookup", MODEL_SYMBOL_LOOKUP, BY_STACK, STACK | ORDER, OF_FAULTS,
	  .fault = looks_up },
	// Needs a linker at work, the next one where it cannot be.
	{ "linker-relocation", MODEL_RELOCATION, BY_STACK, STACK | ORDER, OF_FAULTS,
	  .fault = relocates },
	// Where "linker-cut" and "libc-linker" no longer hold; the next are of "entry".
	{ "thread-in-libc", MODEL_PROGRAM, BY_STACK, STACK | ORDER, OF_FAULTS,
	  .fault = is_thread_in_libc },
	// No frame of it tells, so no other row holds. Main runs.
	{ "go-stack", MODEL_PROGRAM, BY_STACK, STACK | ORDER, OF_FAULTS,
	  .fault = is_on_go_stack_after_main },
	// The same earlier: main does not run yet.
	{ "go-stack-start", MODEL_STARTUP, BY_STACK, STACK | ORDER, OF_FAULTS,
	  .fault = is_on_go_stack_before_main },
	// Not the start any more, nor shown to be the end.
	{ "after-main", MODEL_INITIATOR_UNKNOWN, NOT_SHOWN, STACK | ORDER, OF_FAULTS,
	  .fault = main_has_run },
	// A static program without symbols: what it touches may tell no more than its stack.
	{ "start-nameless", MODEL_INITIATOR_UNKNOWN, NOT_SHOWN, STACK | PLACE | ORDER | CODE, OF_FAULTS,
	  .roles = ROLE_PROGRAM, .fault = start_is_nameless },
	// The same of what pthread_create() calls for the program: it may be the thread's TLS block.
	{ "thread-nameless", MODEL_INITIATOR_UNKNOWN, NOT_SHOWN, STACK | CODE, OF_FAULTS,
	  .fault = makes_thread },
	// More exact than "entry".
	{ "start-relocation", MODEL_RELOCATION, BY_STACK, STACK | PLACE | ORDER, OF_FAULTS,
	  .roles = ROLE_PROGRAM, .fault = start_relocates },

	// Frames. The order of these rows counts within one frame only: an inner frame goes first.

	// An address that relocations name. It runs amid relocation and may have any other role.
	[FIRST_OF_FRAMES] = { "resolver", MODEL_IFUNC, BY_STACK, STACK, OF_FRAMES, .roles = ROLE_RESOLVER },
	// An address that the arrays name: needs nothing learned, and no code read.
	{ "initializer", MODEL_STATIC_INIT, BY_STACK, STACK, OF_FRAMES,
	  .roles = ROLE_INITIALIZER, .frame = frame_is_run_as_initializer },
	// Needs no name. An initializer may end by a jump to what rows below know.
	{ "initializer-jump", MODEL_STATIC_INIT, BY_STACK, STACK | ORDER | CODE, OF_FRAMES,
	  .but_not = ROLE_MAIN | ROLE_RESOLVER, .frame = frame_is_run_by_init_call },
	// A compiler's own name; exit is never called so.
	{ "initializer-part", MODEL_STATIC_INIT, BY_STACK, STACK, OF_FRAMES,
	  .roles = ROLE_PART_OF_INIT, .frame = is_part_of_init },
	// A name that says it; finalizers have to be told from functions called by hand.
	{ "exit", MODEL_STATIC_FINI, BY_STACK, STACK, OF_FRAMES, .roles = ROLE_EXIT },
	// An address that the arrays name, above names that any file may define.
	{ "finalizer", MODEL_STATIC_FINI, BY_STACK, STACK, OF_FRAMES,
	  .roles = ROLE_FINALIZER, .frame = frame_is_run_as_finalizer },
	// Needs no address: those that crtbegin.o has may be in no table.
	{ "finalizer-call", MODEL_STATIC_FINI, BY_STACK, STACK, OF_FRAMES,
	  .but_not = ROLE_LOADER | ROLE_RESOLVER | ROLE_ALLOCATES,
	  .frame = frame_is_called_by_dlclose },
	// A name of its own tells more than the file, be it a dynamic linker's.
	{ "unwinder", MODEL_UNWIND, BY_STACK, STACK, OF_FRAMES, .roles = ROLE_UNWIND,
	  .frame = is_unwinding },
	// As above, of glibc's: a virtual machine traps each CPUID. No file would do with less of it,
	// so it is not what linking costs.
	{ "asks-processor", MODEL_STARTUP, BY_STACK, STACK, OF_FRAMES,
	  .roles = ROLE_ASKS_PROCESSOR },
	// To "linker" all are of a dynamic linker's frames, asked as one run. Its functions that
	// build TLS do so whoever calls.
	{ "linker-tls", MODEL_TLS_SETUP, BY_STACK, STACK, OF_FRAMES,
	  .roles = ROLE_LOADER, .but_not = ROLE_LIBC_LOADER, .frame = run_builds_tls },
	// Its callers decide. They call it through PLT entries, which would look like binding.
	{ "linker-for-caller", MODEL_INITIATOR_UNKNOWN, NOT_SHOWN, STACK, OF_FRAMES,
	  .roles = ROLE_LOADER, .but_not = ROLE_LIBC_LOADER, .frame = run_is_for_caller },
	// Shown by the call itself, or where the stack ends by the function; exit binds, too.
	{ "linker-binding", MODEL_LAZY_BINDING, BY_STACK, STACK | ORDER | CODE, OF_FRAMES,
	  .roles = ROLE_LOADER, .but_not = ROLE_LIBC_LOADER, .frame = frame_binds_lazily },
	// Callers were cut off: not the start, unless the program is yet to be entered.
	{ "linker-cut", MODEL_LOADER, BY_STACK, STACK | ORDER, OF_FRAMES,
	  .roles = ROLE_LOADER, .but_not = ROLE_LIBC_LOADER, .frame = run_is_cut,
	  .before_entry = true },
	// Nothing called it; the next ask the callers.
	{ "linker-start", MODEL_LOADER, BY_STACK, STACK, OF_FRAMES,
	  .roles = ROLE_LOADER, .but_not = ROLE_LIBC_LOADER, .frame = run_is_outermost },
	// exit runs finalizers by it, and is none of the calls that the next looks for.
	{ "linker-exit", MODEL_STATIC_FINI, BY_STACK, STACK, OF_FRAMES,
	  .roles = ROLE_LOADER, .but_not = ROLE_LIBC_LOADER, .frame = run_is_in_exit },
	// As the next, but it also shows a dlopen.
	{ "linker-unasked", MODEL_LOADER, BY_STACK, STACK, OF_FRAMES,
	  .roles = ROLE_LOADER, .but_not = ROLE_LIBC_LOADER, .frame = run_is_unasked,
	  .is_dlopen = true },
	// The rest of the dynamic linker's: rows below are of other files, or of musl's libc.
	{ "linker", MODEL_LOADER, BY_STACK, STACK, OF_FRAMES,
	  .roles = ROLE_LOADER, .but_not = ROLE_LIBC_LOADER },
	// Names of single purposes, libc's or a static program's: no function has two of them.
	{ "tls-setup", MODEL_TLS_SETUP, BY_STACK, STACK, OF_FRAMES, .roles = ROLE_TLS,
	  .frame = may_be_of_libc },
	// The same without a name.
	{ "start-tls", MODEL_TLS_SETUP, BY_STACK, STACK | CODE, OF_FRAMES,
	  .roles = ROLE_THREAD_POINTER, .frame = is_run_by_start },
	// As above.
	{ "static-relocation", MODEL_RELOCATION, BY_STACK, STACK, OF_FRAMES,
	  .roles = ROLE_RELOCATES, .frame = may_be_of_libc },
	// As above: a function of libc's is not main.
	{ "linker-call", MODEL_LOADER, BY_STACK, STACK, OF_FRAMES, .roles = ROLES_CALLS },
	// The address of main needs no code to be read.
	{ "main", MODEL_PROGRAM, BY_STACK, STACK, OF_FRAMES, .roles = ROLE_MAIN,
	  .but_not = ROLE_MAIN_CALL, .is_in_main = true },
	// The place of a call, which the entry point itself may have.
	{ "main-jump", MODEL_PROGRAM, BY_STACK, STACK | ORDER | CODE, OF_FRAMES,
	  .roles = ROLE_MAIN_CALL, .is_in_main = true },
	// exit is called next, but nothing has run yet that shows it.
	{ "main-return", MODEL_STATIC_FINI, BY_STACK, STACK | ORDER | CODE, OF_FRAMES,
	  .frame = frame_is_behind_main, .is_in_exit = true },
	// No libc is there that the entry point could work for, as the next would have it.
	{ "bare-call", MODEL_PROGRAM, BY_STACK, STACK, OF_FRAMES,
	  .frame = frame_is_bare_call, .is_in_main = true },
	// The entry point itself, which has no name in a stripped file without unwinding data.
	{ "bare-start", MODEL_STARTUP, BY_STACK, STACK, OF_FRAMES, .frame = frame_is_bare_start },
	// What seems to have called it did not, so it need not be the outermost.
	{ "entry", MODEL_STARTUP, BY_STACK, STACK, OF_FRAMES, .roles = ROLE_ENTRY },
	// Go runs goroutines on any thread, the first as well.
	{ "goroutine", MODEL_PROGRAM, BY_STACK, STACK | ORDER, OF_FRAMES,
	  .roles = ROLE_GOROUTINE, .frame = frame_is_outermost },
	// A function known to begin threads, above any of the same libc. Whoever makes a process by
	// clone() has no thread in mind.
	{ "thread", MODEL_PROGRAM, BY_STACK, STACK | ORDER, OF_FRAMES,
	  .roles = ROLE_THREAD, .frame = frame_is_outermost, .of_threads = true },
	// musl: all frames are libc's. The least that a stack shows.
	{ "libc-linker", MODEL_LOADER, BY_STACK, STACK | ORDER, OF_FRAMES,
	  .roles = ROLE_LIBC_LOADER, .frame = frame_is_outermost, .before_entry = true },

	// Faults without a stack that tells: only what leaves one answer.

	// Whatever it touches, also where it is a dynamic linker's own.
	{ "alone-resolver", MODEL_IFUNC, BY_PLACE, PLACE, OF_FAULTS, .roles = ROLE_RESOLVER },
	// To "alone-linker" all are the dynamic linker's. Other bytes than the next.
	{ "alone-relocations", MODEL_RELOCATION, BY_PLACE, PLACE | ORDER, OF_FAULTS,
	  .roles = ROLE_LOADER, .touches = TOUCHES(TOUCH_RELOCATION), .fault = linker_ran },
	// Lazy binding reads them, too. Other bytes than the next.
	{ "alone-plt-relocations", MODEL_RELOCATION, BY_PLACE, PLACE | ORDER, OF_FAULTS,
	  .roles = ROLE_LOADER, .touches = TOUCHES(TOUCH_PLT_RELOCATION),
	  .fault = only_linker_ran },
	// Other bytes than the next.
	{ "alone-slots", MODEL_RELOCATION, BY_PLACE, PLACE | ORDER, OF_FAULTS,
	  .roles = ROLE_LOADER, .touches = TOUCHES(TOUCH_SLOT), .fault = linker_writes_first },
	// Other bytes than the next.
	{ "alone-plt-slots", MODEL_RELOCATION, BY_PLACE, PLACE | ORDER, OF_FAULTS,
	  .roles = ROLE_LOADER, .touches = TOUCHES(TOUCH_PLT_SLOT), .fault = linker_rebases },
	// Other bytes than the next.
	{ "alone-lookup", MODEL_SYMBOL_LOOKUP, BY_PLACE, PLACE | ORDER, OF_FAULTS,
	  .roles = ROLE_LOADER, .touches = TOUCHES(TOUCH_LOOKUP), .fault = linker_looks_up },
	// The last bytes that leave one answer.
	{ "alone-tls-image", MODEL_TLS_SETUP, BY_PLACE, PLACE | ORDER, OF_FAULTS,
	  .roles = ROLE_LOADER, .touches = TOUCHES(TOUCH_TLS_IMAGE), .fault = linker_reads },
	// All its other work: what the next say of a program's functions is not true of its own.
	{ "alone-linker", MODEL_INITIATOR_UNKNOWN, NOT_SHOWN, PLACE | ORDER, OF_FAULTS,
	  .roles = ROLE_LOADER, .fault = linker_ran },
	// A function with one purpose, as the next; no function has both.
	{ "alone-main", MODEL_PROGRAM, BY_PLACE, PLACE, OF_FAULTS, .roles = ROLE_MAIN },
	// A program may name its entry point in an array; that one is run by the kernel first.
	{ "alone-entry", MODEL_STARTUP, BY_PLACE, PLACE, OF_FAULTS, .roles = ROLE_ENTRY },
	// Later it may be called by hand. It is one function, the next is of any.
	{ "alone-initializer", MODEL_STATIC_INIT, BY_PLACE, PLACE | ORDER, OF_FAULTS,
	  .roles = ROLE_INITIALIZER, .fault = is_before_main },
	// The last that shows anything.
	{ "alone-start-relocation", MODEL_RELOCATION, BY_PLACE, PLACE | ORDER, OF_FAULTS,
	  .roles = ROLE_PROGRAM, .fault = program_relocates },
	// No row above has anything of its own. The next two are of other stays.
	{ "within-program", MODEL_PROGRAM, BY_PLACE, ORDER, OF_FAULTS,
	  .fault = is_within_program },
	// As above.
	{ "within-initializer", MODEL_STATIC_INIT, BY_PLACE, ORDER, OF_FAULTS,
	  .fault = is_within_initializer },
	// As above.
	{ "within-exit", MODEL_STATIC_FINI, BY_PLACE, ORDER, OF_FAULTS,
	  .fault = is_within_exit },
	// Never a guess.
	{ "nothing", MODEL_INITIATOR_UNKNOWN, NOT_SHOWN, 0, OF_FAULTS },
};
// clang-format on

enum { RULE_COUNT = sizeof(rules) / sizeof(rules[0]) };

const struct rule *rules_all(size_t *ret_count)
{
	*ret_count = RULE_COUNT;
	return rules;
}

static bool has_roles(const struct rule *rule, uint32_t roles)
{
	return (!rule->roles || (roles & rule->roles)) && !(roles & rule->but_not);
}

_Static_assert(RULE_COUNT - FIRST_OF_FRAMES <= 64, "struct rule_index has a bit per row");

void rule_index_init(struct rule_index *ret_index)
{
	*ret_index = (struct rule_index){ 0 };
	for (size_t i = FIRST_OF_FRAMES; i < RULE_COUNT; i++) {
		const uint64_t bit = UINT64_C(1) << (i - FIRST_OF_FRAMES);

		if (rules[i].of != OF_FRAMES)
			continue;
		if (!rules[i].roles)
			ret_index->of_any |= bit;
		for (uint32_t roles = rules[i].roles; roles; roles &= roles - 1)
			ret_index->of_role[__builtin_ctz(roles)] |= bit;
	}
}

const struct rule *rules_of_frame(const struct rule_index *index, const struct frame *frame)
{
	uint64_t asked = index->of_any;

	for (uint32_t roles = frame->roles; roles; roles &= roles - 1)
		asked |= index->of_role[__builtin_ctz(roles)];
	for (; asked; asked &= asked - 1) {
		const struct rule *rule = &rules[FIRST_OF_FRAMES + __builtin_ctzll(asked)];

		if (!(frame->roles & rule->but_not) && (!rule->frame || rule->frame(frame)))
			return rule;
	}
	return NULL;
}

/** True if what the frames show holds at the time of this fault, and in its thread. */
static bool holds_by_frames(const struct rule *rule, const struct rule_case *asked)
{
	const struct model_thread *thread = &asked->rows->threads.items[asked->fault->thread];

	return asked->context && asked->context->rule == rule &&
	       !(rule->before_entry && asked->phase->has_entered) &&
	       !(rule->of_threads && thread->tid == thread->pid);
}

static bool holds_by_fault(const struct rule *rule, const struct rule_case *asked)
{
	return has_roles(rule, asked->roles) &&
	       (!rule->touches || (rule->touches & TOUCHES(asked->touch))) &&
	       (!rule->fault || rule->fault(asked));
}

const struct rule *rules_of_fault(const struct rule_case *asked)
{
	const struct rule *rule = rules;

	for (;; rule++) {
		if ((rule->evidence & EVIDENCE_STACK) && !asked->context)
			continue;
		if (rule->of == OF_FRAMES ? holds_by_frames(rule, asked)
					  : holds_by_fault(rule, asked))
			return rule;
	}
}
