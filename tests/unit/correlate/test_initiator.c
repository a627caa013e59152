// SPDX-License-Identifier: Apache-2.0
// Why code ran, on made-up stacks through real files: this test, its libc and its dynamic linker,
// at the addresses that they have in this process.
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "correlate/correlate.h"
#include "correlate/why/rule.h"
#include "model/moments.h"
#include "tests/support/answers.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <cmocka.h>

#include "elfmap/elfmap.h"

int main(int argc, char **argv);
__attribute__((visibility("hidden"))) void _fini(void);

// Different, or the compiler would make one function of them.
static volatile int ran;

__attribute__((constructor, noinline)) static void construct(void)
{
	ran = 1;
}

__attribute__((destructor, noinline)) static void destroy(void)
{
	ran = 2;
}

__attribute__((noinline)) static int one(void)
{
	return 1;
}

__attribute__((noinline)) static int two(void)
{
	return 2;
}

// Runs before any sanitizer is ready.
__attribute__((no_sanitize("address", "undefined"))) static int (*resolve(void))(void)
{
	return one;
}

int chosen(void) __attribute__((ifunc("resolve")));

// A slot that relocation writes, in a PIE.
static int (*const volatile slot)(void) = one;

// The same in the TLS image, and a byte of it that relocation leaves alone.
static __thread int (*volatile thread_slot)(void) = one;
static __thread volatile int thread_number = 6;

#if defined(__x86_64__)
// An initializer that ends by a jump, so that it is never on the stack of the other.
__attribute__((noinline, used)) static void jumped_to(void)
{
	ran = 3;
}
__attribute__((constructor, naked)) static void jump(void)
{
	__asm__ volatile("jmp jumped_to");
}

// Through the PLT and through a slot: functions of libc run in their place.
__attribute__((constructor, naked)) static void jump_by_plt(void)
{
	__asm__ volatile("jmp getpid@plt");
}
__attribute__((constructor, naked)) static void jump_by_slot(void)
{
	__asm__ volatile("jmp *getppid@GOTPCREL(%rip)");
}

// Two that jump to one function.
__attribute__((noinline, used)) static void jumped_to_twice(void)
{
	ran = 4;
}
__attribute__((constructor, naked)) static void jump_first(void)
{
	__asm__ volatile("jmp jumped_to_twice");
}
__attribute__((constructor, naked)) static void jump_second(void)
{
	__asm__ volatile("jmp jumped_to_twice");
}

// Parts, as compilers call them. Nobody is seen to call main's, nor does a loop call the other.
__attribute__((noinline, used)) static void seldom(void) __asm__("main.cold");
static void seldom(void)
{
	ran = 6;
}
// Others may define such a name for themselves: it is no part of theirs.
__attribute__((visibility("default"))) void not_a_part(void) __asm__("main.part.1");
__attribute__((noinline, used)) void not_a_part(void)
{
	ran = 8;
}
__attribute__((noinline, used)) static void part(void) __asm__("in_parts.part.0");
static void part(void)
{
	ran = 7;
}
// With a name as long as that of the next one, whose part it is.
__attribute__((constructor, naked)) static void also_in_(void)
{
	__asm__ volatile("jmp in_parts.part.0");
}
__attribute__((constructor, naked)) static void in_parts(void)
{
	__asm__ volatile("jmp in_parts.part.0");
}

// As glibc's own free() is called in its symbol table.
__attribute__((noinline, used)) static void release(void) __asm__("__GI_free");
static void release(void)
{
	ran = 5;
}
__attribute__((constructor, naked)) static void jump_to_free(void)
{
	__asm__ volatile("jmp __GI_free");
}

extern const char here_after_call[];
__attribute__((noinline, used)) static void call_directly(void)
{
	__asm__ volatile("call getpid@plt\nhere_after_call:\n" ::
				 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
				   "memory");
}
#endif

// As Go's is called.
void run_on_own_stack(void) __asm__("runtime.systemstack");
__attribute__((noinline, used)) void run_on_own_stack(void)
{
	ran = 6;
}

static char linker_path[512]; // of the dynamic linker
static uintptr_t linker_bias;
static uintptr_t linker_code; // in a function of it that it does not export
static uintptr_t libc_code;   // behind a call in libc
static uintptr_t libc_loop;   // behind a call in libc's start of a function that a table has
static uintptr_t linker_loop; // the same in the dynamic linker

/** One past the first byte: a return address into the function. */
static uintptr_t in(const void *function)
{
	return (uintptr_t)function + 1;
}

enum which { PROGRAM, LINKER, OTHERS };

static void print_some(struct strbuf *text, enum which wanted)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[1024], protection[8], path[512], program[512];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	uint64_t start, end, offset;

	assert_non_null(maps);
	assert_true(length > 0);
	program[length] = '\0';
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %511s", &start,
			   &end, protection, &offset, path) != 5 ||
		    path[0] != '/')
			continue;
		enum which which = strcmp(path, program) == 0 ? PROGRAM
				   : strstr(path, "/ld-")     ? LINKER
							      : OTHERS;
		if (which != wanted)
			continue;
		strbuf_printf(text,
			      "map pid=10 tid=10 time=2000 addr=0x%" PRIx64 " size=0x%" PRIx64
			      " offset=0x%" PRIx64 " prot=%s path=\"%s\"\n",
			      start, end - start, offset, protection, path);
		if (which == LINKER && !linker_path[0]) {
			strcpy(linker_path, path);
			linker_bias = start;
		}
	}
	fclose(maps);
}

/** The mappings of this process as lines of a trace, in the order in which exec makes them. */
static void print_mappings(struct strbuf *text)
{
	print_some(text, PROGRAM);
	print_some(text, LINKER);
	print_some(text, OTHERS);
}

/** A function of the dynamic linker that nobody can call by name. */
static void find_linker_code(void)
{
	struct elfmap *map;
	struct err err;
	size_t count;

	if (!elfmap_open(linker_path, NULL, &map, &err))
		fail_msg("%s", err.message);
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);
	for (size_t i = 0; i < count && !linker_code; i++)
		if (symbols[i].type == 2 /* STT_FUNC */ && symbols[i].size > 64 &&
		    (symbols[i].binding == 0 /* STB_LOCAL */ ||
		     symbols[i].source == ELFMAP_SYMBOLS_EH_FRAME))
			linker_code = linker_bias + (uintptr_t)symbols[i].vaddr + 8;
	elfmap_close(map);
	assert_true(linker_code);
}

/** Return the first place from @start on, @size bytes, behind a call by a pointer; 0: none. */
static uintptr_t behind_call_by_pointer(struct elfmap *map, uint64_t start, uint64_t size)
{
	for (uint64_t last = start + 8; last < start + size; last++)
		if (elfmap_calls_by_pointer(map, last))
			return (uintptr_t)last + 1;
	return 0;
}

static void find_loops(void)
{
	struct elfmap *map;
	struct err err;
	size_t count;
	Dl_info libc;

	assert_true(dladdr(dlsym(RTLD_DEFAULT, "__libc_start_main"), &libc));
	assert_true(elfmap_open(libc.dli_fname, NULL, &map, &err));
	const uintptr_t bias = (uintptr_t)libc.dli_fbase;
	const struct elfmap_symbol *start = elfmap_symbol_at(map, (uintptr_t)libc.dli_saddr - bias);
	assert_non_null(start);
	libc_loop = behind_call_by_pointer(map, start->vaddr, start->size);
	libc_loop += libc_loop ? bias : 0;
	elfmap_close(map);

	assert_true(elfmap_open(linker_path, NULL, &map, &err));
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);
	for (size_t i = 0; i < count && !linker_loop; i++)
		if (symbols[i].type == 2 /* STT_FUNC */)
			linker_loop =
				behind_call_by_pointer(map, symbols[i].vaddr, symbols[i].size);
	linker_loop += linker_loop ? linker_bias : 0;
	elfmap_close(map);
}

/** The answer for faults, written as in a trace but for pid, tid and time, and their stacks. */
static struct model *answer_of(const char *meta, const char *events,
			       const struct correlate_options *options)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	strbuf_printf(&text,
		      "elfault-trace-text 1\n"
		      "meta arg=\"prog\" backend=\"bpf\" machine=\"x86_64\" page_size=4096 "
		      "root_pid=10 start=1000 stacks=yes%s\n"
		      "exec pid=10 tid=10 time=1000 comm=\"prog\"\n",
		      meta);
	print_mappings(&text);
	strbuf_puts(&text, events);
	return correlate_text(strbuf_text(&text), options);
}

static struct model *answer_with(const char *meta, const char *events)
{
	return answer_of(meta, events, NULL);
}

static struct model *answer(const char *events)
{
	return answer_with("", events);
}

/** Add a fault at @addr, which @frames, ended by 0, lead to; the first is its ip. @end: of them. */
static void add(struct strbuf *events, uint32_t tid, const void *addr, const char *access,
		const uintptr_t *frames, const char *end)
{
	static unsigned id;

	strbuf_printf(events, "stack id=%u frames=", ++id);
	for (size_t i = 0; frames[i]; i++)
		strbuf_printf(events, "%s0x%" PRIxPTR, i ? "," : "", frames[i]);
	strbuf_printf(events,
		      "%s\nfault pid=10 tid=%u time=%u addr=0x%" PRIxPTR " ip=0x%" PRIxPTR
		      " error=%suser stack=%u\n",
		      end, tid, 3000 + id, (uintptr_t)addr, frames[0],
		      strcmp(access, "write") == 0 ? "write," : "", id);
}

#define ADD(events, tid, addr, access, ...) \
	add(events, tid, addr, access, (const uintptr_t[]){ __VA_ARGS__, 0 }, "")
#define ADD_COMPLETE(events, tid, addr, access, ...) \
	add(events, tid, addr, access, (const uintptr_t[]){ __VA_ARGS__, 0 }, " complete=yes")

#define ADD_ELSEWHERE(events, tid, addr, access, ...)                         \
	add(events, tid, addr, access, (const uintptr_t[]){ __VA_ARGS__, 0 }, \
	    " truncated=yes elsewhere=yes")

static void expect(const struct model *model, size_t i, enum model_initiator initiator,
		   enum model_certainty certainty)
{
	assert_true(i < model->fault_count);
	assert_string_equal(model_initiator_name(model->faults[i].initiator),
			    model_initiator_name(initiator));
	assert_int_equal(model->faults[i].certainty, certainty);
}

static uintptr_t entry(void)
{
	return getauxval(AT_ENTRY) + 16; // behind its first instructions
}

static char data[64];

static void an_initializer_is_one_when_the_dynamic_linker_calls_it(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "write", in(one), in(construct), linker_code);
	ADD(&events, 10, data, "write", in(one), in(construct), in(main), libc_code, entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_STATIC_INIT, MODEL_STACK);
	assert_true(model->faults[0].initializer < model->initializer_count);
	assert_string_equal(model->initializers[model->faults[0].initializer].function,
			    "construct");
	expect(model, 1, MODEL_PROGRAM, MODEL_STACK); // by hand
	assert_int_equal(model->faults[1].initializer, MODEL_NONE);
}

/** Return the middle of the dynamic linker's function @name, or of what is left of it; 0: none. */
static uintptr_t in_linker(const char *name)
{
	struct elfmap *map;
	struct err err;
	size_t count;
	uintptr_t found = 0;

	assert_true(elfmap_open(linker_path, NULL, &map, &err));
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);
	for (size_t i = 0; i < count; i++)
		if (strncmp(symbols[i].name, name, strlen(name)) == 0)
			found = linker_bias + (uintptr_t)(symbols[i].vaddr + symbols[i].size / 2);
	elfmap_close(map);
	return found;
}

static void asking_the_processor_is_startup_and_not_linking(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	const uintptr_t asks = in_linker("intel_check_word");

	if (!asks)
		skip(); // no debug information of the dynamic linker, or another libc
	ADD_COMPLETE(&events, 10, data, "write", asks, linker_code);
	ADD_COMPLETE(&events, 10, data, "write", linker_code);
	// The program names its dynamic linker.
	ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_STARTUP, MODEL_STACK);
	expect(model, 1, MODEL_LOADER, MODEL_STACK);
	expect(model, 2, MODEL_PROGRAM, MODEL_STACK);
}

static void libc_runs_initializers_before_main(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "write", in(construct), libc_code, entry());
	// Reached by a jump from an initializer: the same call ran it.
	ADD(&events, 10, data, "write", in(one), libc_code, entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_STATIC_INIT, MODEL_STACK);
	expect(model, 1, MODEL_STATIC_INIT, MODEL_STACK);
}

static void what_a_loop_over_an_array_calls_is_an_initializer(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	const uintptr_t leave = in(dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "exit"));

	if (!libc_loop || !linker_loop)
		skip(); // another libc or machine
	ADD(&events, 10, data, "write", in(one), libc_loop, entry());
	ADD(&events, 10, data, "write", in(one), linker_loop, linker_code);
	// The dynamic linker's own function: nobody knows.
	ADD(&events, 10, data, "write", linker_code, linker_loop, entry());
	ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	// Loops of exit's, and of main's time.
	ADD(&events, 10, data, "write", in(one), libc_loop, leave, libc_code, entry());
	ADD(&events, 10, data, "write", in(one), linker_loop, leave, libc_code, entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[0].initializer, MODEL_NONE);
	expect(model, 1, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_not_equal(model->faults[2].initiator, MODEL_STATIC_INIT);
	expect(model, 4, MODEL_STATIC_FINI, MODEL_STACK);
	expect(model, 5, MODEL_STATIC_FINI, MODEL_STACK);
}

static void an_initializer_may_end_with_a_jump(void **state)
{
	(void)state;
#if defined(__x86_64__)
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "write", in(jumped_to), linker_code);
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_STATIC_INIT, MODEL_STACK);
	assert_true(model->faults[0].initializer < model->initializer_count);
	assert_string_equal(model->initializers[model->faults[0].initializer].function, "jump");
#else
	skip();
#endif
}

#if defined(__x86_64__)
static void expect_initializer(const struct model *model, size_t i, const char *name)
{
	expect(model, i, MODEL_STATIC_INIT, MODEL_STACK);
	assert_true(model->faults[i].initializer < model->initializer_count);
	assert_string_equal(model->initializers[model->faults[i].initializer].function, name);
}
#endif

static void a_jump_is_followed_to_another_file(void **state)
{
	(void)state;
#if defined(__x86_64__)
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "write", in(construct), linker_code);
	ADD(&events, 10, data, "write", in(dlsym(RTLD_DEFAULT, "getpid")), linker_code);
	ADD(&events, 10, data, "write", in(one), in(dlsym(RTLD_DEFAULT, "getppid")), linker_code);
	// Nobody jumps there.
	ADD(&events, 10, data, "write", in(dlsym(RTLD_DEFAULT, "getuid")), linker_code);
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect_initializer(model, 0, "construct");
	expect_initializer(model, 1, "jump_by_plt");
	expect_initializer(model, 2, "jump_by_slot");
	expect(model, 3, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[3].initializer, MODEL_NONE);
#else
	skip();
#endif
}

static void a_part_of_a_function_is_the_function(void **state)
{
	(void)state;
#if defined(__x86_64__)
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "write", in(one), in(part), libc_code, entry());
	ADD(&events, 10, data, "write", in(one), in(not_a_part), libc_code + 16, entry());
	ADD(&events, 10, data, "write", in(one), in(seldom), libc_code + 8, entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect_initializer(model, 0, "in_parts");
	expect(model, 1, MODEL_STARTUP, MODEL_STACK);
	expect(model, 2, MODEL_PROGRAM, MODEL_STACK);
#else
	skip();
#endif
}

static void of_two_initializers_that_jump_to_one_function_none_is_named(void **state)
{
	(void)state;
#if defined(__x86_64__)
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "write", in(jumped_to_twice), linker_code);
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[0].initializer, MODEL_NONE);
#else
	skip();
#endif
}

static void of_several_initializers_the_order_in_which_they_run_leaves_one(void **state)
{
	(void)state;
#if defined(__x86_64__)
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "write", in(jumped_to_twice), linker_code);
	ADD(&events, 10, data, "write", in(one), in(jump_first), linker_code);
	ADD(&events, 10, data, "write", in(jumped_to_twice), linker_code);
	ADD(&events, 10, data, "write", in(one), in(jump_second), linker_code);
	ADD(&events, 10, data, "write", in(jumped_to_twice), linker_code);
	// No code leads there.
	ADD(&events, 10, data, "write", in(two), linker_code);
	ADD(&events, 10, data, "write", in(one), in(jump_second), linker_code);
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect_initializer(model, 0, "jump_first");
	expect_initializer(model, 1, "jump_first");
	expect(model, 2, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[2].initializer, MODEL_NONE);
	for (size_t i = 3; i < 7; i++)
		expect_initializer(model, i, "jump_second");
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(model->faults[i].init_object, model->faults[0].by->object);
#else
	skip();
#endif
}

static void initializers_that_dlopen_runs_again_have_no_order(void **state)
{
	(void)state;
#if defined(__x86_64__)
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	uintptr_t open = in(dlsym(libc, "dlopen"));

	ADD(&events, 10, data, "write", in(one), in(jump_second), linker_code, open, in(main),
	    libc_code, entry());
	ADD(&events, 10, data, "write", in(jumped_to_twice), linker_code, open, in(main), libc_code,
	    entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 1, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[1].initializer, MODEL_NONE);
	assert_int_equal(model->faults[1].init_object, model->faults[0].init_object);
#else
	skip();
#endif
}

static void what_the_dynamic_linker_calls_itself_is_no_initializer_s_jump(void **state)
{
	(void)state;
#if defined(__x86_64__)
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	// A sanitizer puts a dlclose of its own before libc's.
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	uintptr_t leave = in(dlsym(libc, "exit")), unload = in(dlsym(libc, "dlclose"));
	uintptr_t other_file = in(dlsym(libc, "getpid"));

	// free(), another file's function, and finalizers that jump there: all of these may be so.
	ADD(&events, 10, data, "write", in(one), in(release), linker_code + 0x10);
	ADD(&events, 10, data, "write", in(one), other_file, linker_code + 0x20);
	ADD(&events, 10, data, "write", in(jumped_to), linker_code + 0x30, leave, libc_code,
	    entry());
	ADD(&events, 10, data, "write", in(jumped_to), linker_code + 0x40, unload, in(main),
	    libc_code, entry());
	ADD(&events, 10, data, "write", in(one), linker_code + 0x10);
	ADD(&events, 10, data, "write", in(one), linker_code + 0x20);
	ADD(&events, 10, data, "write", in(one), linker_code + 0x40);
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	assert_int_equal(model->fault_count, 7);
	for (size_t i = 0; i < model->fault_count; i++) {
		assert_int_not_equal(model->faults[i].initiator, MODEL_STATIC_INIT);
		assert_int_equal(model->faults[i].initializer, MODEL_NONE);
	}
	expect(model, 2, MODEL_STATIC_FINI, MODEL_STACK);
#else
	skip();
#endif
}

static void nothing_calls_the_entry_point(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	// Beyond it stands argc, or what seems to be a caller.
	ADD(&events, 10, data, "write", in(one), entry(), 0x1);
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_STARTUP, MODEL_STACK);
}

static void fini_without_unwinding_data_is_static_fini(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "write", in(main), libc_code, entry());
	ADD(&events, 10, data, "write", in(one), in(_fini));
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 1, MODEL_STATIC_FINI, MODEL_STACK);
}

static void exit_and_what_it_calls_is_static_fini(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	uintptr_t leave = in(dlsym(RTLD_DEFAULT, "exit"));

	ADD(&events, 10, data, "write", in(destroy), linker_code, leave, in(main), libc_code,
	    entry());
	ADD(&events, 10, data, "write", in(one), leave, in(main), libc_code, entry());
	ADD(&events, 10, data, "write", linker_code, leave, libc_code, entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_STATIC_FINI, MODEL_STACK);
	expect(model, 1, MODEL_STATIC_FINI, MODEL_STACK);
	expect(model, 2, MODEL_STATIC_FINI, MODEL_STACK);
}

static void main_ends_what_is_startup(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	uintptr_t other_call = libc_code + 8;

	ADD(&events, 10, data, "write", in(one), other_call, entry());
	ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	// Whatever it is, the end would show exit.
	ADD(&events, 10, data, "write", in(one), other_call, entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_STARTUP, MODEL_STACK);
	expect(model, 1, MODEL_PROGRAM, MODEL_STACK);
	expect(model, 2, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

static void main_runs_on_when_it_has_left_by_a_jump(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	uintptr_t leave = in(dlsym(RTLD_DEFAULT, "exit"));

	// From where main is called, before and after it is seen there.
	ADD(&events, 10, data, "write", in(one), libc_code, entry());
	ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	ADD(&events, 10, data, "write", in(one), in(two), libc_code, entry());
	// An initializer called by hand is the caller's.
	ADD(&events, 10, data, "write", in(one), in(construct), in(two), libc_code, entry());
	ADD(&events, 10, data, "write", in(one), leave, in(two), libc_code, entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	for (size_t i = 0; i < 4; i++)
		expect(model, i, MODEL_PROGRAM, MODEL_STACK);
	expect(model, 4, MODEL_STATIC_FINI, MODEL_STACK);
}

static void a_stack_of_its_own_is_of_main_s_time(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "write", in(one), entry());
	ADD(&events, 10, data, "write", in(one), in(run_on_own_stack));
	ADD(&events, 10, data, "write", in(one), entry());
	ADD(&events, 10, data, "write", in(one), in(run_on_own_stack)); // main may run
	ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	ADD(&events, 10, data, "write", in(one), in(run_on_own_stack));
	ADD(&events, 10, data, "write", in(one));
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 1, MODEL_STARTUP, MODEL_STACK);
	expect(model, 3, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(model, 5, MODEL_PROGRAM, MODEL_STACK);
	expect(model, 6, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

static void what_surrounds_a_stack_tells_where_it_says_nothing(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	uintptr_t leave = in(dlsym(libc, "exit")), open = in(dlsym(libc, "dlopen"));

	ADD(&events, 10, data, "write", in(one), in(construct), linker_code);
	ADD(&events, 10, data, "write", in(one));
	ADD(&events, 10, data, "write", in(one), in(construct), linker_code);
	ADD(&events, 10, data, "write", in(one)); // it may have returned
	ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	ADD(&events, 10, data, "write", in(one));
	ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	ADD(&events, 10, data, "write", in(one)); // of what dlopen loads, or not
	ADD(&events, 10, data, "write", linker_code, open, in(main), libc_code, entry());
	ADD(&events, 10, data, "write", in(one));
	ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	ADD(&events, 10, data, "write", in(one)); // main may have returned
	ADD(&events, 10, data, "write", in(one), leave, in(main), libc_code, entry());
	ADD(&events, 10, data, "write", in(one));
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 1, MODEL_STATIC_INIT, MODEL_RULE);
	assert_int_equal(model->faults[1].initializer, model->faults[0].initializer);
	assert_int_equal(model->faults[1].init_object, model->faults[0].init_object);
	assert_int_equal(model->faults[1].dlopen, MODEL_DLOPEN_NO);
	expect(model, 5, MODEL_PROGRAM, MODEL_RULE);
	expect(model, 13, MODEL_STATIC_FINI, MODEL_RULE);
	for (size_t i = 3; i <= 11; i += i == 3 ? 4 : 2)
		expect(model, i, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	dlclose(libc);
}

// As Lisp's, which main is left for: it goes on to exit() in the end.
static void a_stack_that_goes_on_elsewhere_is_before_its_own_exit(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	uintptr_t leave = in(dlsym(libc, "exit"));

	ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	ADD_ELSEWHERE(&events, 10, data, "write", in(one), in(run_on_own_stack));
	ADD_ELSEWHERE(&events, 10, data, "write", in(one), in(two)); // by exit, perhaps
	ADD_ELSEWHERE(&events, 10, data, "write", in(one), leave, in(run_on_own_stack));
	ADD_ELSEWHERE(&events, 10, data, "write", in(one), in(two));
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 1, MODEL_PROGRAM, MODEL_RULE);
	expect(model, 2, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(model, 4, MODEL_STATIC_FINI, MODEL_RULE);
	dlclose(libc);
}

// As LeakSanitizer's tracer, made by a system call.
static void a_process_that_exit_makes_works_for_it(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	uintptr_t leave = in(dlsym(libc, "exit"));

	strbuf_puts(&events, "fork time=1500 pid=20 parent_pid=10\n");
	ADD(&events, 10, data, "write", in(one), leave, in(main), libc_code, entry());
	strbuf_puts(&events, "fork time=500000 pid=30 parent_pid=10\n");
	for (unsigned pid = 20; pid <= 30; pid += 10)
		strbuf_printf(&events,
			      "stack id=%u frames=0x%" PRIxPTR ",0x%" PRIxPTR " complete=yes\n"
			      "fault pid=%u time=%u addr=0x%" PRIxPTR " ip=0x%" PRIxPTR
			      " error=user stack=%u\n",
			      2000000 + pid, in(one), in(two), pid, 600000 + pid, (uintptr_t)data,
			      in(one), 2000000 + pid);
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 1, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(model, 2, MODEL_STATIC_FINI, MODEL_RULE);
	dlclose(libc);
}

static void a_thread_of_the_kernel_works_for_the_program(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	for (unsigned time = 2000; time <= 9000; time += 7000) {
		strbuf_printf(&events,
			      "fault pid=10 tid=11 time=%u addr=0x%" PRIxPTR
			      " ip=0x0 mode=kernel error=write\n",
			      time, (uintptr_t)data);
		ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	}
	CLEANUP(model_closep) struct model *ending = answer(strbuf_text(&events));
	expect(ending, 0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	// Main may have ended by then, and an exit handler asked.
	expect(ending, 3, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	strbuf_printf(&events,
		      "stack id=1000000 frames=0x%" PRIxPTR ",0x%" PRIxPTR ",0x%" PRIxPTR
		      ",0x%" PRIxPTR "\nfault pid=10 tid=10 time=9500 addr=0x%" PRIxPTR
		      " ip=0x%" PRIxPTR " error=user stack=1000000\n",
		      in(one), in(main), libc_code, entry(), (uintptr_t)data, in(one));
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 3, MODEL_PROGRAM, MODEL_RULE);
}

static void a_resolver_is_ifunc_with_and_without_a_stack(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "read", in(one), in(resolve), linker_code);
	strbuf_printf(&events,
		      "fault pid=10 tid=10 time=9000 addr=0x%" PRIxPTR " ip=0x%" PRIxPTR
		      " error=user\n",
		      (uintptr_t)data, in(resolve));
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_IFUNC, MODEL_STACK);
	expect(model, 1, MODEL_IFUNC, MODEL_RULE);
	assert_int_equal(chosen(), 1);
}

static void the_dynamic_linker_relocates_where_it_writes_slots(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	// Another of its functions, touching nothing that tells.
	ADD(&events, 10, data, "read", linker_code + 0x400, linker_code + 0x800);
	ADD(&events, 10, (const void *)&slot, "write", linker_code, linker_code + 0x800);
	ADD(&events, 10, data, "read", linker_code, linker_code + 0x800);
	strbuf_printf(&events,
		      "fault pid=10 tid=10 time=9000 addr=0x%" PRIxPTR " ip=0x%" PRIxPTR
		      " error=write,user\n",
		      (uintptr_t)&slot, linker_code);
	strbuf_printf(&events,
		      "fault pid=10 tid=10 time=9001 addr=0x%" PRIxPTR " ip=0x%" PRIxPTR
		      " error=user\n",
		      (uintptr_t)data, linker_code);
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 1, MODEL_RELOCATION, MODEL_STACK);
	expect(model, 2, MODEL_RELOCATION, MODEL_STACK); // known by fault 1
	expect(model, 3, MODEL_RELOCATION, MODEL_RULE);
	expect(model, 4, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	assert_int_equal(model->faults[1].dlopen, MODEL_DLOPEN_NO);
	assert_int_equal(model->faults[4].dlopen, MODEL_DLOPEN_UNKNOWN);
}

/** The table of this program that has the tag @tag. */
static const void *own_table(ElfW(Sxword) tag)
{
	for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return (const void *)entry->d_un.d_ptr;
	fail_msg("no table");
	return NULL;
}

static void what_relocating_calls_to_read_tables_looks_names_up(void **state)
{
	(void)state;
	static const ElfW(Sxword) tables[] = { DT_SYMTAB, DT_STRTAB, DT_GNU_HASH };

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
		const uintptr_t relocates = linker_code, other = linker_code + 0x400;
		const char *table = own_table(tables[i]);

		ADD(&events, 10, (const void *)&slot, "write", relocates, linker_code + 0x800);
		ADD(&events, 10, data, "read", other, relocates, linker_code + 0x800);
		CLEANUP(model_closep) struct model *before = answer(strbuf_text(&events));
		expect(before, 1, MODEL_RELOCATION, MODEL_STACK);
		ADD(&events, 10, table + 24, "read", other, relocates, linker_code + 0x800);
		CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
		expect(model, 1, MODEL_SYMBOL_LOOKUP, MODEL_STACK);
		expect(model, 2, MODEL_SYMBOL_LOOKUP, MODEL_STACK);
	}
}

/**
 * Find the place of the TLS image's copy of what a thread's variable begins with. @data: its
 * address, then that.
 */
static int find_in_image(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	uintptr_t *addr = data;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_TLS)
			continue;
		*addr = info->dlpi_addr + segment->p_vaddr + *addr - (uintptr_t)info->dlpi_tls_data;
		return 1;
	}
	return -1; // the first is the program
}

static const void *in_image(const volatile void *variable)
{
	uintptr_t addr = (uintptr_t)variable;

	assert_int_equal(dl_iterate_phdr(find_in_image, &addr), 1);
	return (const void *)addr;
}

static void slots_of_the_tls_image_are_relocated_before_it_is_copied(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	const void *thread_data = in_image(&thread_slot);

	ADD(&events, 10, (const void *)&slot, "write", linker_code, linker_code + 0x800);
	ADD(&events, 10, thread_data, "read", linker_code, linker_code + 0x800);
	ADD(&events, 10, in_image(&thread_number), "read", linker_code, linker_code + 0x800);
	strbuf_printf(&events,
		      "fault pid=10 tid=10 time=9000 addr=0x%" PRIxPTR " ip=0x%" PRIxPTR
		      " error=user\n",
		      (uintptr_t)thread_data, linker_code);
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 1, MODEL_RELOCATION, MODEL_STACK);
	expect(model, 2, MODEL_TLS_SETUP, MODEL_STACK);
	expect(model, 3, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	assert_ptr_equal(thread_slot, one);
	assert_int_equal(thread_number, 6);
}

static void a_call_through_the_plt_is_bound(void **state)
{
	(void)state;
#if defined(__x86_64__)
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "read", linker_code, (uintptr_t)here_after_call, in(main), libc_code,
	    entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_LAZY_BINDING, MODEL_STACK);
#else
	skip();
#endif
}

static void dlopen_is_loading_and_says_so(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	// A sanitizer puts a dlopen of its own before libc's.
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	uintptr_t open = in(dlsym(libc, "dlopen"));

	ADD(&events, 10, data, "read", linker_code, open, in(main), libc_code, entry());
	ADD(&events, 10, data, "read", in(construct), linker_code, open, in(main), libc_code,
	    entry());
	ADD(&events, 10, data, "read", in(main), libc_code, entry());
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_LOADER, MODEL_STACK);
	assert_int_equal(model->faults[0].dlopen, MODEL_DLOPEN_YES);
	expect(model, 1, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[1].dlopen, MODEL_DLOPEN_YES);
	expect(model, 2, MODEL_PROGRAM, MODEL_STACK);
	assert_int_equal(model->faults[2].dlopen, MODEL_DLOPEN_NO);
}

static void a_thread_begins_in_libc(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD_COMPLETE(&events, 11, data, "read", in(one), libc_code);
	// It goes on, who knows where: no more than that threads run the program is known.
	ADD(&events, 11, data, "read", in(one));
	// As this one does: such a stack does not show where threads begin.
	ADD(&events, 11, data, "read", in(one), in(dlsym(RTLD_DEFAULT, "qsort")));
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_PROGRAM, MODEL_STACK);
	expect(model, 1, MODEL_PROGRAM, MODEL_RULE);
	expect(model, 2, MODEL_PROGRAM, MODEL_RULE);
}

static int find_unwind_table(struct dl_phdr_info *info, size_t size, void *ret_table)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			*(uintptr_t *)ret_table = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	return 1; // the program comes first
}

static void unwinding_tables_are_read_to_unwind(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	const uintptr_t readers[] = { libc_code, linker_code, libc_code };
	static const char *const accesses[] = { "", "", "write," };
	uintptr_t table = 0;

	dl_iterate_phdr(find_unwind_table, &table);
	assert_true(table);
	for (unsigned i = 0; i < 3; i++)
		strbuf_printf(&events,
			      "fault pid=10 tid=10 time=%u addr=0x%" PRIxPTR " ip=0x%" PRIxPTR
			      " error=%suser\n",
			      5000 + i, table, readers[i], accesses[i]);
	CLEANUP(model_closep) struct model *model = answer(strbuf_text(&events));
	expect(model, 0, MODEL_UNWIND, MODEL_RULE);
	assert_int_not_equal(model->faults[1].initiator, MODEL_UNWIND);
	assert_int_not_equal(model->faults[2].initiator, MODEL_UNWIND);
}

static void a_fault_without_an_ip_is_exec(void **state)
{
	(void)state;
	CLEANUP(model_closep)
	struct model *model =
		answer("fault pid=10 tid=10 time=3000 addr=0x7fffffffd000 mode=kernel\n");

	expect(model, 0, MODEL_EXEC, MODEL_RULE);
}

static void an_instruction_that_nobody_recorded_is_not_exec(void **state)
{
	(void)state;
	CLEANUP(model_closep)
	struct model *model = answer("fault pid=10 tid=10 time=3000 addr=0x7fffffffd000 "
				     "mode=kernel taker=unknown\n");

	expect(model, 0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	assert_int_equal(model->faults[0].dlopen, MODEL_DLOPEN_UNKNOWN);
}

static void stacks_that_lack_callers_are_shown_but_decide_nothing(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };

	ADD(&events, 10, data, "write", in(one), in(construct), linker_code);
	CLEANUP(model_closep)
	struct model *model = answer_with(" stacks_have_gaps=yes", strbuf_text(&events));
	expect(model, 0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	assert_int_equal(model->faults[0].initializer, MODEL_NONE);
	assert_int_equal(model->stacks[model->faults[0].stack].frame_count, 3);
}

/** Moments of threads outside their faults have stacks as well, of samples and of pauses. */
static void moments_whose_stacks_lack_callers_are_decided_without_them(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	const struct correlate_options options = { .needs = NEED_TABLES | NEED_SOURCES |
							    NEED_MOMENTS };

	strbuf_printf(&events,
		      "stack id=1 frames=%#" PRIxPTR ",%#" PRIxPTR ",%#" PRIxPTR "\n"
		      "sample pid=10 tid=10 time=3000 period=100 ip=%#" PRIxPTR " stack=1\n"
		      "pause pid=10 tid=10 time=4000 woken=5000 back=5000 call=202 stack=1\n"
		      "pause pid=10 tid=10 time=6000 ends=thread\n",
		      in(one), in(construct), linker_code, in(one));
	CLEANUP(model_closep)
	struct model *model =
		answer_of(" pauses=yes stacks_have_gaps=yes", strbuf_text(&events), &options);

	assert_int_equal(model->moments->count, 2);
	for (size_t i = 0; i < model->moments->count; i++) {
		const struct model_moment *moment = &model->moments->items[i];

		assert_int_not_equal(moment->initiator, MODEL_STATIC_INIT);
		assert_int_equal(model->stacks[moment->stack].frame_count, 3);
	}
}

static void moments_and_faults_are_asked_in_the_order_of_their_times(void **state)
{
	(void)state;
	CLEANUP(strbuf_deinit) struct strbuf events = { 0 };
	const struct correlate_options options = { .needs = NEED_TABLES | NEED_SOURCES |
							    NEED_MOMENTS };

	strbuf_printf(&events,
		      "stack id=1000 frames=%#" PRIxPTR ",%#" PRIxPTR ",%#" PRIxPTR "\n"
		      "sample pid=10 tid=10 time=2500 period=100 ip=%#" PRIxPTR " stack=1000\n",
		      in(one), libc_code + 8, entry(), in(one));
	ADD(&events, 10, data, "write", in(one), in(main), libc_code, entry());
	strbuf_printf(&events,
		      "sample pid=10 tid=10 time=5000 period=100 ip=%#" PRIxPTR " stack=1000\n"
		      "pause pid=10 tid=10 time=6000 ends=thread\n",
		      in(one));
	CLEANUP(model_closep)
	struct model *model = answer_of(" pauses=yes samples=yes", strbuf_text(&events), &options);

	assert_int_equal(model->moments->items[0].initiator, MODEL_STARTUP);
	assert_int_equal(model->moments->items[1].initiator, MODEL_INITIATOR_UNKNOWN);
}

static const char *const certainties[] = {
	[MODEL_CERTAINTY_NONE] = "none",
	[MODEL_STACK] = "`stack`",
	[MODEL_RULE] = "`rule`",
};

/** The row of the docs for a rule, up to where it holds. */
static void print_row(struct strbuf *text, const struct rule *rule)
{
	static const char *const evidence[] = { "stack", "place", "order", "code" };
	bool is_first = true;

	strbuf_printf(text, "| `%s` | `%s` | %s | ", rule->name,
		      model_initiator_name(rule->initiator), certainties[rule->certainty]);
	for (size_t i = 0; i < sizeof(evidence) / sizeof(evidence[0]); i++)
		if (rule->evidence & 1U << i) {
			strbuf_printf(text, "%s%s", is_first ? "" : " ", evidence[i]);
			is_first = false;
		}
	strbuf_printf(text, "%s | %s | ", is_first ? "none" : "",
		      rule->of == OF_FRAMES ? "frames" : "faults");
}

static void the_docs_draw_the_rules_in_their_order(void **state)
{
	(void)state;
	FILE *docs = fopen(FIXTURES "/../docs/initiators.md", "re");
	char line[1024] = "";
	size_t count;
	const struct rule *rules = rules_all(&count);

	assert_non_null(docs);
	while (strncmp(line, "| rule | initiator |", 20) != 0)
		assert_non_null(fgets(line, sizeof(line), docs));
	assert_non_null(fgets(line, sizeof(line), docs)); // below the head of the table
	for (size_t i = 0; i < count; i++) {
		CLEANUP(strbuf_deinit) struct strbuf row = { 0 };

		print_row(&row, &rules[i]);
		assert_non_null(fgets(line, sizeof(line), docs));
		if (strlen(line) > row.length)
			line[row.length] = '\0';
		assert_string_equal(line, strbuf_text(&row));
	}
	assert_non_null(fgets(line, sizeof(line), docs));
	assert_string_equal(line, "\n");
	fclose(docs);
}

static void a_rule_is_as_certain_as_its_evidence(void **state)
{
	(void)state;
	size_t count;
	const struct rule *rules = rules_all(&count);

	for (size_t i = 0; i < count; i++) {
		bool has_stack = rules[i].evidence & EVIDENCE_STACK;

		if (rules[i].initiator == MODEL_INITIATOR_UNKNOWN)
			assert_int_equal(rules[i].certainty, MODEL_CERTAINTY_NONE);
		else
			assert_int_equal(rules[i].certainty, has_stack ? MODEL_STACK : MODEL_RULE);
		assert_true(has_stack || rules[i].of == OF_FAULTS);
	}
}

int main(int argc, char **argv)
{
	CLEANUP(strbuf_deinit) struct strbuf ignored = { 0 };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_initializer_is_one_when_the_dynamic_linker_calls_it),
		cmocka_unit_test(asking_the_processor_is_startup_and_not_linking),
		cmocka_unit_test(libc_runs_initializers_before_main),
		cmocka_unit_test(what_a_loop_over_an_array_calls_is_an_initializer),
		cmocka_unit_test(an_initializer_may_end_with_a_jump),
		cmocka_unit_test(a_jump_is_followed_to_another_file),
		cmocka_unit_test(a_part_of_a_function_is_the_function),
		cmocka_unit_test(of_two_initializers_that_jump_to_one_function_none_is_named),
		cmocka_unit_test(of_several_initializers_the_order_in_which_they_run_leaves_one),
		cmocka_unit_test(initializers_that_dlopen_runs_again_have_no_order),
		cmocka_unit_test(what_the_dynamic_linker_calls_itself_is_no_initializer_s_jump),
		cmocka_unit_test(nothing_calls_the_entry_point),
		cmocka_unit_test(fini_without_unwinding_data_is_static_fini),
		cmocka_unit_test(exit_and_what_it_calls_is_static_fini),
		cmocka_unit_test(main_ends_what_is_startup),
		cmocka_unit_test(main_runs_on_when_it_has_left_by_a_jump),
		cmocka_unit_test(a_stack_of_its_own_is_of_main_s_time),
		cmocka_unit_test(what_surrounds_a_stack_tells_where_it_says_nothing),
		cmocka_unit_test(a_stack_that_goes_on_elsewhere_is_before_its_own_exit),
		cmocka_unit_test(a_process_that_exit_makes_works_for_it),
		cmocka_unit_test(a_thread_of_the_kernel_works_for_the_program),
		cmocka_unit_test(a_resolver_is_ifunc_with_and_without_a_stack),
		cmocka_unit_test(the_dynamic_linker_relocates_where_it_writes_slots),
		cmocka_unit_test(what_relocating_calls_to_read_tables_looks_names_up),
		cmocka_unit_test(slots_of_the_tls_image_are_relocated_before_it_is_copied),
		cmocka_unit_test(a_call_through_the_plt_is_bound),
		cmocka_unit_test(dlopen_is_loading_and_says_so),
		cmocka_unit_test(a_thread_begins_in_libc),
		cmocka_unit_test(unwinding_tables_are_read_to_unwind),
		cmocka_unit_test(a_fault_without_an_ip_is_exec),
		cmocka_unit_test(an_instruction_that_nobody_recorded_is_not_exec),
		cmocka_unit_test(stacks_that_lack_callers_are_shown_but_decide_nothing),
		cmocka_unit_test(moments_whose_stacks_lack_callers_are_decided_without_them),
		cmocka_unit_test(moments_and_faults_are_asked_in_the_order_of_their_times),
		cmocka_unit_test(the_docs_draw_the_rules_in_their_order),
		cmocka_unit_test(a_rule_is_as_certain_as_its_evidence),
	};

	(void)argc;
	(void)argv;
	print_mappings(&ignored);
	find_linker_code();
	find_loops();
	libc_code = in(dlsym(RTLD_DEFAULT, "__libc_start_main"));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
