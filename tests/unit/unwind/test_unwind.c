// SPDX-License-Identifier: Apache-2.0
// Unwinding of this program's own stack, judged by libgcc's unwinder.
#include "base/cleanup.h"
#include "tests/support/ownmaps.h"
#include "unwind/outerframes.h"
#include "unwind/unwind.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

// Reads the whole stack: every byte of it, whatever a sanitizer keeps there.
#define NO_SANITIZE __attribute__((no_sanitize("address", "undefined")))

enum { STACK_MAX = 256 << 10, FRAMES_MAX = 300 };

/** Return addresses of this thread by libgcc; backtrace() is not the same under ASan. */
struct trace_by_libgcc {
	void **frames;
	int count;
};

static _Unwind_Reason_Code add_libgcc_frame(struct _Unwind_Context *context, void *arg)
{
	struct trace_by_libgcc *trace = arg;

	if (trace->count == FRAMES_MAX)
		return _URC_END_OF_STACK;
	trace->frames[trace->count] = (void *)_Unwind_GetIP(context);
	if (trace->frames[trace->count])
		trace->count++;
	return _URC_NO_REASON;
}

#define libgcc_frames(frames_of_caller)                                           \
	({                                                                        \
		struct trace_by_libgcc trace_ = { .frames = (frames_of_caller) }; \
		_Unwind_Backtrace(add_libgcc_frame, &trace_);                     \
		trace_.count;                                                     \
	})

/** A stack of ours and what libgcc makes of it. */
static struct {
	uint8_t bytes[STACK_MAX];
	uint32_t limit;
	struct raw_stack raw;
	void *expected[FRAMES_MAX];
	int expected_count;
} captured;

NO_SANITIZE __attribute__((noinline)) static void capture(void)
{
	// DWARF numbers 0..16 in those of <ucontext.h>.
	static const int numbers[MACHINE_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	ucontext_t context;

	captured.expected_count = libgcc_frames(captured.expected);
	getcontext(&context);
	captured.raw = (struct raw_stack){ .pid = PID, .time_ns = 10, .bytes = captured.bytes };
	for (size_t i = 0; i < MACHINE_REGISTERS; i++)
		captured.raw.registers[i] = (uint64_t)context.uc_mcontext.gregs[numbers[i]];

	uint64_t sp = captured.raw.registers[MACHINE_SP], there = maps.stack_end - sp;
	const volatile uint8_t *from = (const volatile uint8_t *)sp;

	captured.raw.size = (uint32_t)(there < captured.limit ? there : captured.limit);
	captured.raw.reaches_bottom = there <= captured.limit;
	for (uint32_t i = 0; i < captured.raw.size; i++)
		captured.bytes[i] = from[i];
}

static int (*volatile deep_next)(int depth);

__attribute__((noinline)) static int deep(int depth)
{
	if (depth == 0) {
		capture();
		return 1;
	}
	return deep_next(depth - 1) + 1;
}

static void capture_deep(int depth, uint32_t limit)
{
	maps_read();
	captured.limit = limit;
	deep_next = deep;
	assert_int_equal(deep(depth), depth + 1);
}

/** Output of the last unwind_append(). */
static struct {
	struct trace *trace;
	struct notes notes;
	uint64_t lost;
} outcome;

static int outcome_release(void **state)
{
	(void)state;
	trace_close(TAKE(outcome.trace));
	notes_deinit(&outcome.notes);
	return 0;
}

const struct tests_around tests_around = { .after_each = outcome_release };

static void unwind(const struct unwind_input *input)
{
	struct trace_meta meta = { .backend = "perf", .page_size = 4096 };
	struct trace_summary summary = { 0 };
	struct trace_writer *writer = NULL;
	struct err err = { 0 };
	char path[64];
	CLEANUP(fd_close) int fd = memfd_create("trace", MFD_CLOEXEC);

	outcome_release(NULL);
	assert_true(fd >= 0);
	assert_true(trace_writer_open(fd, &meta, &writer, &err));
	if (!unwind_append(input, writer, fd, &outcome.notes, &outcome.lost, &err))
		fail_msg("%s", err.message);
	assert_true(trace_writer_finish(writer, &summary));
	trace_writer_close(writer);

	// The reader takes regular files; a memfd is one.
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!trace_read(path, &outcome.trace, &err))
		fail_msg("%s", err.message);
	assert_true(outcome.trace->complete);
}

static bool has_note(const char *part)
{
	vec_foreach (note, &outcome.notes.list)
		if (strstr(note->text, part))
			return true;
	return false;
}

static void print_notes(void)
{
	vec_foreach (note, &outcome.notes.list)
		print_message("# %" PRIu64 " x %s\n", note->count, note->text);
}

/** Unwind the captured stack with the mappings as they are. */
static void unwind_captured(void)
{
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	struct unwind_input input = input_of(spool);

	assert_int_equal(stackspool_add(spool, &captured.raw), 1);
	unwind(&input);
}

static void assert_frames_are_expected(const struct trace_stack *stack, int from)
{
	assert_int_equal(stack->frames[0], captured.raw.registers[MACHINE_IP]);
	for (int i = from; i < captured.expected_count; i++)
		assert_int_equal(stack->frames[i], (uintptr_t)captured.expected[i]);
	assert_int_equal(stack->frame_count, captured.expected_count);
}

TEST(a_whole_stack_unwinds_as_libgcc_does)
{
	capture_deep(20, STACK_MAX);
	assert_true(captured.expected_count > 22);
	unwind_captured();
	print_notes();
	assert_frames_are_expected(&outcome.trace->stacks.items[0], 1);
	assert_false(outcome.trace->stacks.items[0].is_truncated);
	assert_int_equal(outcome.lost, 0);
	assert_int_equal(outcome.notes.list.count, 0);
}

TEST(a_cut_copy_gives_the_inner_frames_and_says_so)
{
	capture_deep(100, STACK_MAX);
	captured.raw.size /= 4;
	captured.raw.reaches_bottom = false;
	unwind_captured();
	const struct trace_stack *stack = &outcome.trace->stacks.items[0];

	assert_true(stack->is_truncated);
	assert_true(stack->frame_count > 5);
	assert_true(stack->frame_count < (uint32_t)captured.expected_count);
	for (uint32_t i = 1; i < stack->frame_count; i++)
		assert_int_equal(stack->frames[i], (uintptr_t)captured.expected[i]);
	// It was walked to there; what calls nothing but itself has nothing to leave out.
	assert_int_equal(stack->shown_start, captured.raw.registers[MACHINE_SP]);
	assert_in_range(stack->shown_end, stack->shown_start + 6 * sizeof(uint64_t),
			stack->shown_start + captured.raw.size);
	assert_int_equal(outcome.lost, 0);
}

TEST(without_any_bytes_the_ip_is_kept_and_the_stack_counted_lost)
{
	capture_deep(3, STACK_MAX);
	captured.raw.size = 0;
	captured.raw.reaches_bottom = false;
	unwind_captured();
	const struct trace_stack *stack = &outcome.trace->stacks.items[0];

	assert_int_equal(stack->frame_count, 1);
	assert_int_equal(stack->frames[0], captured.raw.registers[MACHINE_IP]);
	assert_true(stack->is_truncated);
	assert_int_equal(outcome.lost, 1);
	// How many faults it concerns is for the answer to say.
	assert_false(has_note("larger than the copy"));
}

TEST(of_a_deep_recursion_the_innermost_and_the_outermost_are_kept)
{
	enum { COUNT = 256, INNERMOST = 128 };

	capture_deep(270, STACK_MAX);
	unwind_captured();
	const struct trace_stack *stack = &outcome.trace->stacks.items[0];

	assert_int_equal(stack->frame_count, COUNT);
	assert_false(stack->is_truncated);
	assert_true(stack->is_complete);
	for (uint32_t i = 1; i < INNERMOST; i++)
		assert_int_equal(stack->frames[i], (uintptr_t)captured.expected[i]);
	assert_int_equal(stack->frames[INNERMOST], 0);
	for (uint32_t i = 1; i < COUNT - INNERMOST; i++)
		assert_int_equal(
			stack->frames[COUNT - i],
			(uintptr_t)captured.expected[(uint32_t)captured.expected_count - i]);
}

static void on_signal(int signal)
{
	capture();
	__asm__ volatile(""); // no tail call
}

TEST(what_a_signal_interrupted_is_one_past_its_instruction)
{
	maps_read();
	captured.limit = STACK_MAX;
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
	unwind_captured();
	const struct trace_stack *stack = &outcome.trace->stacks.items[0];

	// capture, on_signal, the return trampoline, the system call in raise(), ...
	assert_int_equal(stack->frames[1], (uintptr_t)captured.expected[1]);
	assert_int_equal(stack->frames[2], (uintptr_t)captured.expected[2] + 1);
	assert_int_equal(stack->frames[3], (uintptr_t)captured.expected[3] + 1);
	assert_frames_are_expected(stack, 4);
}

/** The stack of a handler; the code that the signal interrupted has another. */
static uint8_t handlers_stack[64 << 10] __attribute__((aligned(16)));

/** Capture, in a handler on a stack of its own, that stack and @limit bytes of what it interrupted.
 */
NO_SANITIZE static void on_own_stack(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	const volatile uint8_t *from;
	struct raw_stack *raw = &captured.raw;
	uint64_t end = (uintptr_t)handlers_stack + sizeof(handlers_stack);
	uint64_t sp = (uint64_t)interrupted->uc_mcontext.gregs[REG_RSP];
	uint32_t limit = captured.limit;

	captured.limit = 0;
	capture();
	raw->size = (uint32_t)(end - raw->registers[MACHINE_SP]);
	raw->reaches_bottom = true;
	from = (const volatile uint8_t *)raw->registers[MACHINE_SP];
	for (uint32_t i = 0; i < raw->size; i++)
		captured.bytes[i] = from[i];
	raw->interrupted_sp = sp;
	raw->interrupted_size = (uint32_t)(maps.stack_end - sp);
	raw->interrupted_reaches_bottom = raw->interrupted_size <= limit;
	if (!raw->interrupted_reaches_bottom)
		raw->interrupted_size = limit;
	from = (const volatile uint8_t *)sp;
	for (uint32_t i = 0; i < raw->interrupted_size; i++)
		captured.bytes[raw->size + i] = from[i];
}

static void unwind_own_stack(uint32_t limit)
{
	const stack_t own = { .ss_sp = handlers_stack, .ss_size = sizeof(handlers_stack) };
	const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t before;
	struct sigaction action = {
		.sa_sigaction = on_own_stack,
		.sa_flags = SA_SIGINFO | SA_ONSTACK,
	};

	maps_read();
	captured.limit = limit;
	assert_int_equal(sigaltstack(&own, &before), 0);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
	sigaltstack(before.ss_flags & SS_DISABLE ? &none : &before, NULL);
	unwind_captured();
}

TEST(a_handler_on_its_own_stack_goes_on_with_what_it_interrupted)
{
	unwind_own_stack(STACK_MAX - sizeof(handlers_stack));
	const struct trace_stack *stack = &outcome.trace->stacks.items[0];

	// As above: capture, on_own_stack, the trampoline, the system call in raise(), ...
	assert_int_equal(stack->frames[1], (uintptr_t)captured.expected[1]);
	assert_int_equal(stack->frames[2], (uintptr_t)captured.expected[2] + 1);
	assert_int_equal(stack->frames[3], (uintptr_t)captured.expected[3] + 1);
	assert_frames_are_expected(stack, 4);
	assert_true(stack->is_complete);
}

// Not whole: what the frames that are missing would tell is not known.
TEST(a_handler_upon_a_stack_that_was_not_copied_is_cut)
{
	unwind_own_stack(0);
	const struct trace_stack *stack = &outcome.trace->stacks.items[0];

	assert_int_equal(stack->frame_count, 4);
	assert_int_equal(stack->frames[3], (uintptr_t)captured.expected[3] + 1);
	assert_true(stack->is_truncated);
	assert_false(stack->is_complete);

	// Of one that was copied in part as much as there is.
	unwind_own_stack(256);
	stack = &outcome.trace->stacks.items[0];
	assert_true(stack->is_truncated);
	assert_true(stack->frame_count > 4);
	assert_int_equal(stack->frames[4], (uintptr_t)captured.expected[4]);
}

static void capture_callback(void)
{
	capture();
	__asm__ volatile(""); // no tail call
}

TEST(a_file_with_only_debug_frame_unwinds)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 32);
	int (*outer)(void (*)(void), int);
	void *here[FRAMES_MAX];

	assert_true(length > 0);
	path[length] = '\0';
	strcpy(strrchr(path, '/') + 1, "unwind_debugframe.so");

	void *module = dlopen(path, RTLD_NOW);

	assert_non_null(module);
	*(void **)&outer = dlsym(module, "unwind_debugframe_outer");
	assert_non_null(outer);
	maps_read();
	captured.limit = STACK_MAX;

	int here_count = libgcc_frames(here);

	assert_int_equal(outer(capture_callback, 3), 3);
	unwind_captured();
	const struct trace_stack *stack = &outcome.trace->stacks.items[0];
	Dl_info info;

	// capture, capture_callback, inner, outer, this function, its callers.
	print_notes();
	assert_int_equal(stack->frame_count, 4 + here_count);
	for (size_t i = 2; i < 4; i++) {
		assert_int_not_equal(dladdr((void *)stack->frames[i], &info), 0);
		assert_string_equal(info.dli_fname, path);
	}
	for (int i = 1; i < here_count; i++)
		assert_int_equal(stack->frames[4 + i], (uintptr_t)here[i]);
	dlclose(module);
}

TEST(a_file_that_changed_is_not_used)
{
	capture_deep(3, STACK_MAX);
	captured.raw.registers[6] = 0; // no frame pointer to go by
	vec_foreach (mapping, &maps.list) {
		mapping->build_id_size = 20;
		memset(mapping->build_id, 0xab, 20);
	}
	unwind_captured();
	assert_int_equal(outcome.trace->stacks.items[0].frame_count, 1);
	assert_int_equal(outcome.lost, 1);
	assert_true(has_note("it has changed since recording: build-id abababab"));
	assert_true(has_note("a file that could not be used"));
}

TEST(a_fifo_in_the_place_of_a_file_does_not_block)
{
	char directory[] = "/tmp/elfault-unwind-XXXXXX", path[64];

	assert_non_null(mkdtemp(directory));
	assert_int_equal(chmod(directory, 0755), 0);
	snprintf(path, sizeof(path), "%s/fifo", directory);
	assert_int_equal(mkfifo(path, 0644), 0);
	capture_deep(3, STACK_MAX);
	captured.raw.registers[6] = 0; // no frame pointer to go by
	vec_foreach (mapping, &maps.list) {
		if (mapping->path[0] == '/' && mapping->path[1] != '/') {
			free((char *)mapping->path);
			mapping->path = xstrdup(path);
		}
	}
	unwind_captured();
	assert_int_equal(outcome.lost, 1);
	assert_true(has_note("not a regular file"));
	unlink(path);
	rmdir(directory);
}

TEST(code_of_no_file_is_said_so)
{
	capture_deep(3, STACK_MAX);
	captured.raw.registers[MACHINE_IP] = 0x1000;
	captured.raw.registers[6] = 0; // no frame pointer to go by
	unwind_captured();
	assert_int_equal(outcome.trace->stacks.items[0].frame_count, 1);
	assert_int_equal(outcome.trace->stacks.items[0].frames[0], 0x1000);
	assert_int_equal(outcome.lost, 1);
	assert_true(has_note("the code is in no mapped file"));
}

TEST(a_process_whose_mappings_were_lost_has_its_ip)
{
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	const struct unwind_input input = { .spool = spool };

	capture_deep(3, STACK_MAX);
	captured.raw.registers[6] = 0; // no frame pointer to go by
	assert_int_equal(stackspool_add(spool, &captured.raw), 1);
	unwind(&input);
	assert_int_equal(outcome.trace->stacks.items[0].frame_count, 1);
	assert_int_equal(outcome.trace->stacks.items[0].frames[0],
			 captured.raw.registers[MACHINE_IP]);
	assert_int_equal(outcome.lost, 1);
}

/**
 * Unwind the captured stack, and what it would be in code of no file, with @word in its innermost
 * bytes, where nothing is left of what is inside the frame that returns to expected[@from].
 */
static void unwind_with_whole(uint64_t word, int from)
{
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	struct unwind_input input = input_of(spool);
	struct raw_stack lost = captured.raw;
	CLEANUP(freep) uint8_t *bytes = malloc(lost.size);

	memcpy(bytes, captured.bytes, lost.size);
	for (uint32_t at = 0; at + sizeof(uint64_t) <= lost.size &&
			      memcmp(bytes + at, &captured.expected[from], sizeof(uint64_t)) != 0;
	     at += sizeof(uint64_t))
		memset(bytes + at, 0, sizeof(uint64_t));
	if (word)
		memcpy(bytes, &word, sizeof(word));
	lost.bytes = bytes;
	lost.registers[MACHINE_IP] = 0x1000;
	lost.registers[6] = 0; // no frame pointer to go by
	assert_int_equal(stackspool_add(spool, &captured.raw), 1);
	assert_int_equal(stackspool_add(spool, &lost), 2);
	unwind(&input);
}

/** Assert that the lost stack has @second behind its ip, 0: the gap, then the frames from @from on.
 */
static void assert_joined(uint64_t second, int from)
{
	const struct trace_stack *stack = trace_stack_by_id(outcome.trace, 2);
	uint32_t first = second ? 3 : 2;

	assert_int_equal(stack->frame_count, first + (uint32_t)(captured.expected_count - from));
	assert_int_equal(stack->frames[0], 0x1000);
	assert_int_equal(stack->frames[1], 0);
	if (second)
		assert_int_equal(stack->frames[2], second);
	for (int i = from; i < captured.expected_count; i++)
		assert_int_equal(stack->frames[first + (uint32_t)(i - from)],
				 (uintptr_t)captured.expected[i]);
	assert_true(stack->is_complete);
	assert_int_equal(outcome.lost, 0);
}

TEST(a_stack_that_was_lost_has_the_outer_frames_that_still_return_there)
{
	capture_deep(10, STACK_MAX);
	unwind_with_whole(0, 1);
	assert_joined(0, 1);
	unwind_with_whole(0, 12);
	assert_joined(0, 12);
	uint64_t exits = (uintptr_t)dlsym(RTLD_DEFAULT, "exit") + 9;

	unwind_with_whole(exits, 1);
	assert_joined(exits, 1);
}

TEST(what_the_dynamic_linker_may_have_called_has_no_outer_frames)
{
	const uint8_t *code = dlsym(RTLD_DEFAULT, "_dl_allocate_tls");

	capture_deep(10, STACK_MAX);
	while (*code != 0xe8) // a call
		code++;
	unwind_with_whole((uintptr_t)code + 5, 1);
	assert_int_equal(trace_stack_by_id(outcome.trace, 2)->frame_count, 1);
	assert_int_equal(outcome.lost, 1);
}

TEST(without_a_known_dynamic_linker_nothing_is_joined)
{
	const uint64_t linker = (uintptr_t)dlsym(RTLD_DEFAULT, "_dl_allocate_tls");
	unsigned lost = 0;

	capture_deep(10, STACK_MAX);
	// Of its code; as in a static program, which runs initializers by itself.
	vec_foreach (mapping, &maps.list) {
		if (linker - mapping->addr < mapping->size) {
			strcpy((char *)mapping->path, "//anon");
			lost++;
		}
	}
	assert_int_equal(lost, 1);
	unwind_with_whole(0, 1);
	assert_frames_are_expected(trace_stack_by_id(outcome.trace, 1), 1);
	assert_int_equal(trace_stack_by_id(outcome.trace, 2)->frame_count, 1);
	assert_int_equal(outcome.lost, 1);
}

TEST(a_stack_shows_what_is_outside_of_its_calls_of_exit_and_the_linker)
{
	const uint64_t exits = (uintptr_t)dlsym(RTLD_DEFAULT, "exit") + 9;
	const uint64_t linker = (uintptr_t)dlsym(RTLD_DEFAULT, "_dl_allocate_tls") + 9;
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	CLEANUP(images_deinit) struct images images = { 0 };
	CLEANUP(imagesets_deinit) struct imagesets sets = { 0 };

	capture_deep(3, STACK_MAX);
	assert_int_equal(stackspool_add(spool, &captured.raw), 1);

	const struct unwind_input input = input_of(spool);
	const uint64_t sp = captured.raw.registers[MACHINE_SP], own = (uintptr_t)deep + 1;
	const struct {
		uint64_t frames[2]; // outside the ip
		struct range shown;
	} expected[] = {
		{ { own, own }, { sp, sp + 40 } },
		{ { exits, own }, { sp + 32, sp + 40 } },
		{ { linker, own }, { sp + 32, sp + 40 } },
		{ { own, exits }, { 0, 0 } }, // its caller is not shown
	};

	elf_version(EV_CURRENT);
	imagesets_build(&sets, &images, &input);
	struct outerframes *outer = outerframes_create(&sets, set_of(&sets, 1), false);

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct framewalk_result result = {
			.frames = { own, expected[i].frames[0], expected[i].frames[1] },
			.slots = { 0, sp + 16, sp + 32 },
			.frame_count = 3,
			.end = FRAMEWALK_COPY_ENDS,
		};
		const struct range shown = outerframes_shown(outer, &captured.raw, &result);

		assert_int_equal(shown.start, expected[i].shown.start);
		assert_int_equal(shown.end, expected[i].shown.end);
	}
	outerframes_destroy(outer);
}

TEST(a_forked_process_has_its_parents_files_until_it_execs)
{
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	struct trace_task tasks[] = {
		{ .time_ns = 5,
		  .kind = TRACE_TASK_FORK,
		  .pid = PID,
		  .tid = 101,
		  .parent_pid = PID,
		  .parent_tid = PID }, // a thread
		{ .time_ns = 6,
		  .kind = TRACE_TASK_FORK,
		  .pid = 200,
		  .tid = 200,
		  .parent_pid = PID,
		  .parent_tid = PID },
		{ .time_ns = 20, .kind = TRACE_TASK_EXEC, .pid = 200, .tid = 200 },
	};

	capture_deep(3, STACK_MAX);
	assert_int_equal(stackspool_add(spool, &captured.raw), 1);
	captured.raw.pid = 200;
	assert_int_equal(stackspool_add(spool, &captured.raw), 2);
	captured.raw.time_ns = 21;
	captured.raw.registers[3]++; // else it would be equal to the one before
	assert_int_equal(stackspool_add(spool, &captured.raw), 3);

	struct unwind_input input = input_of(spool);

	input.tasks = tasks;
	input.task_count = 3;
	unwind(&input);
	assert_int_equal(outcome.trace->stacks.count, 3);
	assert_frames_are_expected(trace_stack_by_id(outcome.trace, 1), 1);
	assert_frames_are_expected(trace_stack_by_id(outcome.trace, 2), 1);
	assert_true(trace_stack_by_id(outcome.trace, 3)->frame_count < 3);

	CLEANUP(images_deinit) struct images images = { 0 };
	CLEANUP(imagesets_deinit) struct imagesets sets = { 0 };

	elf_version(EV_CURRENT);
	imagesets_build(&sets, &images, &input);
	assert_int_equal(sets.stacks.count, 3);
	assert_int_equal(set_of(&sets, 1), set_of(&sets, 2));
	assert_int_not_equal(set_of(&sets, 1), set_of(&sets, 3));
}

/** Many distinct stacks, made of the captured one. */
static struct stackspool *spool_of_many(uint32_t count)
{
	struct stackspool *spool = stackspool_create(4ull << 30);

	for (uint32_t i = 0; i < count; i++) {
		captured.raw.registers[3] = i;
		assert_int_equal(stackspool_add(spool, &captured.raw), i + 1);
	}
	return spool;
}

TEST(a_child_that_takes_too_long_costs_the_stacks_only)
{
	enum { COUNT_MAX = 160000 };
	uint32_t count = 20000;
	bool is_over = false;

	capture_deep(250, 24 << 10);
	// As many as this machine cannot do in the time.
	for (; !is_over; count *= 2) {
		assert_true(count <= COUNT_MAX);

		CLEANUP(stackspool_destroyp) struct stackspool *spool = spool_of_many(count);
		struct unwind_input input = input_of(spool);

		input.cpu_seconds = 1;
		unwind(&input);
		print_notes();
		is_over = outcome.lost > 0;
		if (is_over) {
			char words[64];

			snprintf(words, sizeof(words), "all %u call stacks were lost", count);
			assert_int_equal(outcome.lost, count);
			assert_int_equal(outcome.trace->stacks.count, 0);
			assert_true(has_note(words));
			// By the processor's time, or by the clock where the machine is busy.
			assert_true(has_note("it took more than"));
		}
	}
}

TEST(a_child_without_memory_costs_the_stacks_only)
{
	enum { COUNT = 50000 };

	capture_deep(3, 64);

	CLEANUP(stackspool_destroyp) struct stackspool *spool = spool_of_many(COUNT);
	struct unwind_input input = input_of(spool);

	input.memory_bytes = 1;
	unwind(&input);
	print_notes();
	assert_int_equal(outcome.lost, COUNT);
	assert_int_equal(outcome.trace->stacks.count, 0);
	assert_true(has_note("it ran out of memory"));
}

/** A copy of this program, to be damaged. */
static uint8_t *own_file(size_t *ret_size)
{
	FILE *file = fopen("/proc/self/exe", "re");
	struct stat status;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	*ret_size = (size_t)status.st_size;

	uint8_t *bytes = malloc(*ret_size);

	assert_int_equal(fread(bytes, 1, *ret_size, file), *ret_size);
	fclose(file);
	return bytes;
}

static void section_find(const uint8_t *bytes, const char *name, size_t *ret_offset,
			 size_t *ret_size)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
	const char *names = (const char *)bytes + sections[header->e_shstrndx].sh_offset;

	for (size_t i = 0; i < header->e_shnum; i++) {
		if (strcmp(names + sections[i].sh_name, name))
			continue;
		*ret_offset = sections[i].sh_offset;
		*ret_size = sections[i].sh_size;
		return;
	}
	fail_msg("no %s", name);
}

TEST(a_full_disk_is_an_error_of_the_trace)
{
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	struct trace_meta meta = { .backend = "perf", .page_size = 4096 };
	CLEANUP(notes_deinit) struct notes notes = { 0 };
	struct trace_writer *writer = NULL;
	struct err err = { 0 };
	struct rlimit limit;
	uint64_t lost;
	CLEANUP(fd_close) int fd = memfd_create("trace", MFD_CLOEXEC);

	capture_deep(3, STACK_MAX);
	assert_int_equal(stackspool_add(spool, &captured.raw), 1);
	assert_true(trace_writer_open(fd, &meta, &writer, &err));

	const struct unwind_input input = input_of(spool);
	const off_t size = lseek(fd, 0, SEEK_END);

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	const struct rlimit full = { (rlim_t)size, limit.rlim_max };

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	const bool is_appended = unwind_append(&input, writer, fd, &notes, &lost, &err);

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_false(is_appended);
	assert_int_equal(err.os_errno, EFBIG);
	assert_int_equal(lseek(fd, 0, SEEK_END), size);
	trace_writer_close(writer);
}

TEST(damaged_unwinding_data_never_harms_the_trace)
{
	static const char *const names[] = { ".eh_frame", ".eh_frame_hdr", "" };
	char path[] = "/tmp/elfault-unwind-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);
	unsigned int seed = 7;
	size_t size;
	uint8_t *bytes = own_file(&size), *damaged = malloc(size);
	uint32_t whole = 0;

	print_message("# seed %u\n", seed);
	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0644), 0);
	capture_deep(5, STACK_MAX);

	struct trace_mapping own = own_code();
	char *own_path = xstrdup(own.path);

	vec_foreach (mapping, &maps.list) {
		if (strcmp(mapping->path, own_path))
			continue;
		free((char *)mapping->path);
		mapping->path = xstrdup(path);
	}
	free(own_path);

	for (int round = 0; round < 60; round++) {
		size_t offset = 0, length = 4096; // "": the headers
		const char *name = names[round % 3];

		if (*name)
			section_find(bytes, name, &offset, &length);
		memcpy(damaged, bytes, size);
		for (size_t i = 0; i < 1 + length / 16; i++)
			damaged[offset + (size_t)rand_r(&seed) % length] = (uint8_t)rand_r(&seed);
		assert_int_equal(pwrite(fd, damaged, size, 0), (ssize_t)size);
		unwind_captured();
		if (outcome.trace->stacks.count) {
			const struct trace_stack *stack = &outcome.trace->stacks.items[0];

			whole++;
			assert_int_equal(stack->frames[0], captured.raw.registers[MACHINE_IP]);
		} else {
			assert_int_equal(outcome.lost, 1);
			assert_true(has_note("all 1 call stacks were lost"));
		}
	}
	print_message("# %u of 60 were unwound as far as the damage let\n", whole);
	free(bytes);
	free(damaged);
	close(fd);
	unlink(path);
}
