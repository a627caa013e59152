// SPDX-License-Identifier: Apache-2.0
// Roles of the functions of a file in a process: this test's own, whose addresses the process
// knows.
#include "elfmap/elfmap.h"
#include "tests/support/elffile.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int main(void);

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

// Runs before any sanitizer is ready.
__attribute__((no_sanitize("address", "undefined"))) static int (*resolve(void))(void)
{
	return one;
}

int chosen(void) __attribute__((ifunc("resolve")));

// A call whose place and target have names.
extern const char here_after_call[];
__attribute__((noinline, used)) static void call_directly(void)
{
#if defined(__x86_64__)
	__asm__ volatile("call getpid@plt\nhere_after_call:\n" ::
				 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
				   "memory");
#endif
}

// As glibc's __libc_setup_tls() does, and something else with the same request. Neither runs.
extern const char sets_pointer[], sets_pointer_end[], asks_otherwise[], asks_otherwise_end[];
#if defined(__x86_64__)
__asm__(".pushsection .text\nsets_pointer: mov $0x1002,%edi\n mov %rdx,%rsi\n mov $158,%eax\n"
	"syscall\n ret\nsets_pointer_end:\n"
	"asks_otherwise: mov $0x1002,%edi\n mov $12,%eax\n syscall\n ret\nasks_otherwise_end:\n"
	".popsection\n");

// As the dynamic linker does that looks a name up. It never runs.
extern const char hashes_names[], hashes_names_end[];
__asm__(".pushsection .text\nhashes_names: mov $5381,%r14d\n "
	"ret\nhashes_names_end:\n.popsection\n");

// As glibc's pthread_create(), by create_thread(), __clone_internal() and __clone3(), whose
// unwinding data end at the call; and fork(), whose child keeps its frames. None runs.
extern const char makes_thread[], makes_thread_end[], makes_process[], makes_process_end[];
extern const char calls_inside[], calls_inside_end[];
#define FUNCTION(name, code)                                                                \
	__asm__(".pushsection .text\n.type " name ", @function\n" name ":\n" code "\n" name \
		"_end:\n.size " name ", .-" name "\n.popsection\n")
FUNCTION("clones", "mov $0x1b3,%eax");
__asm__(".pushsection .text\nsyscall\n xor %ebp,%ebp\n call *%rdx\n.popsection\n");
FUNCTION("clones_for_all", "nop\n call clones\n ret");
FUNCTION("makes_one", "call clones_for_all\n ret");
FUNCTION("makes_thread", "push %rbx\n call makes_one\n pop %rbx\n ret");
FUNCTION("forks", "mov $56,%eax\n syscall\n ret\n.skip 64, 0x90");
FUNCTION("makes_process", "call forks\n ret");
FUNCTION("calls_inside", "call clones_for_all + 1\n ret");

// What __builtin_eh_return() makes of a prologue, without one of the two, and a signal's frame.
extern const char raises[], keeps_one[], handles[];
__asm__(".pushsection .text\n"
	"raises: .cfi_startproc\n nop\n .cfi_offset 1, -24\n .cfi_offset 0, -32\n nop\n ret\n"
	".cfi_endproc\n"
	"keeps_one: .cfi_startproc\n nop\n .cfi_offset 3, -24\n .cfi_offset 0, -32\n nop\n ret\n"
	".cfi_endproc\n"
	"handles: .cfi_startproc\n nop\n .cfi_escape 0x10, 0, 2, 0x77, 0x10\n"
	".cfi_escape 0x10, 1, 2, 0x77, 0x18\n nop\n ret\n.cfi_endproc\n"
	".popsection\n");
#endif

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1; // the first is the program
}

static uint64_t vaddr_of(const void *address)
{
	uintptr_t bias = 0;

	dl_iterate_phdr(take_bias, &bias);
	return (uintptr_t)address - bias;
}

static struct elfmap *open_self(void)
{
	struct elfmap *map;
	struct err err;

	if (!elfmap_open("/proc/self/exe", NULL, &map, &err))
		fail_msg("%s", err.message);
	return map;
}

TEST(main_is_found_through_the_entry_point)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	uint64_t vaddr;

	assert_true(elfmap_main(map, &vaddr));
	assert_int_equal(vaddr, vaddr_of((const void *)main));
}

TEST(main_is_found_behind_the_code_that_relocates_a_static_pie)
{
	enum { MAIN = 0x500400 };
	CLEANUP(elfmap_closep) struct elfmap *pie = elffile_open_fixture("relocates-pie");
	CLEANUP(elfmap_closep) struct elfmap *fixed = elffile_open_fixture("relocates");
	uint64_t vaddr;

	assert_true(elfmap_main(pie, &vaddr));
	assert_int_equal(vaddr, MAIN);
	// It has nothing to relocate: what is so far behind may be any other function's.
	assert_false(elfmap_main(fixed, &vaddr));
}

TEST(main_is_found_in_the_slot_that_the_start_loads)
{
	// Filled by the linker; and by the dynamic linker, by the name that the program exports.
	static const char *const names[] = { "relocates-slot", "relocates-exported" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture(names[i]);
		uint64_t vaddr;

		assert_true(elfmap_main(map, &vaddr));
		assert_int_equal(vaddr, 0x500400);
	}
}

TEST(every_function_with_a_role_has_it)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	const void *entry = (const void *)getauxval(AT_ENTRY); // NOLINT: an address by definition
	size_t count;
	const struct elfmap_initializer *initializers =
		elfmap_initializers_without_source(map, &count);
	struct elfmap_role role;

	assert_int_equal(elfmap_role_at(map, vaddr_of(entry)).bits, ELFMAP_ROLE_ENTRY);
	assert_int_equal(elfmap_role_at(map, vaddr_of((const void *)main)).bits, ELFMAP_ROLE_MAIN);
	assert_int_equal(elfmap_role_at(map, vaddr_of((const void *)resolve)).bits,
			 ELFMAP_ROLE_RESOLVER);
	assert_int_equal(elfmap_role_at(map, vaddr_of((const void *)destroy)).bits,
			 ELFMAP_ROLE_FINALIZER);
	assert_int_equal(elfmap_role_at(map, vaddr_of((const void *)one)).bits, 0);
	role = elfmap_role_at(map, vaddr_of((const void *)construct));
	assert_int_equal(role.bits, ELFMAP_ROLE_INITIALIZER);
	assert_true(role.initializer < count);
	assert_int_equal(initializers[role.initializer].vaddr, vaddr_of((const void *)construct));
	assert_int_equal(chosen(), 1);
}

#if defined(__x86_64__)
TEST(the_dynamic_linker_hashes_names_to_look_them_up)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	const struct range code = { vaddr_of(hashes_names), vaddr_of(hashes_names_end) };
	const struct range behind = { code.start + 2, code.end }; // the number alone
	const struct range cut = { code.start, code.end - 2 };

	assert_true(elfmap_hashes_names(map, code));
	assert_false(elfmap_hashes_names(map, behind));
	assert_false(elfmap_hashes_names(map, cut));
}

TEST(the_thread_pointer_is_set_by_a_system_call)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	const struct range code = { vaddr_of(sets_pointer), vaddr_of(sets_pointer_end) };
	const struct range part = { code.start + 1, code.end };
	const struct range cut = { code.start, code.end - 3 };
	const struct range other = { vaddr_of(asks_otherwise), vaddr_of(asks_otherwise_end) };

	assert_true(elfmap_sets_thread_pointer(map, code));
	assert_false(elfmap_sets_thread_pointer(map, part));
	assert_false(elfmap_sets_thread_pointer(map, cut));
	assert_false(elfmap_sets_thread_pointer(map, other));
}

TEST(what_makes_threads_is_known_by_its_calls)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	const struct range code = { vaddr_of(makes_thread), vaddr_of(makes_thread_end) };
	const struct range forks = { vaddr_of(makes_process), vaddr_of(makes_process_end) };
	const struct range inside = { vaddr_of(calls_inside), vaddr_of(calls_inside_end) };
	const struct range before = { code.start, code.start + 1 };

	assert_true(elfmap_makes_threads(map, code));
	assert_false(elfmap_makes_threads(map, inside)); // of what has no symbol
	assert_false(elfmap_makes_threads(map, before));
	assert_false(elfmap_makes_threads(map, forks));
}

TEST(what_raises_is_known_by_the_registers_it_keeps)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();

	assert_true(elfmap_leaves_by_eh_return(map, vaddr_of(raises)));
	assert_true(elfmap_leaves_by_eh_return(map, vaddr_of(raises) + 1));
	assert_false(elfmap_leaves_by_eh_return(map, vaddr_of(keeps_one)));
	assert_false(elfmap_leaves_by_eh_return(map, vaddr_of(handles)));
	assert_false(elfmap_leaves_by_eh_return(map, 1));
}
#endif

TEST(a_function_s_inside_has_no_role)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();

	assert_int_equal(elfmap_role_at(map, vaddr_of((const char *)main + 1)).bits, 0);
}

#if defined(__x86_64__)
TEST(a_call_tells_where_it_goes)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	struct elfmap_place place;
	uint64_t target;

	assert_true(elfmap_call_target(map, vaddr_of(here_after_call) - 1, &target));
	elfmap_locate(map, target, &place);
	assert_string_equal(elfmap_entry_name(map, &place.entry, true), "plt:getpid");
	// One byte further no call ends.
	assert_false(elfmap_call_target(map, vaddr_of(here_after_call), &target));
}

// One call or jump each, and where it ends.
__asm__(".pushsection .text\n"
	"	nop; nop; nop; nop; nop\n"
	"calls_by_pointer:\n"
	"	call *(%rcx); 1: call *(%r13); 2: call *(%r12); 3: call *(%rbx,%rcx,8)\n"
	"4:	call *(%rbp,%r14,8); 5: call *-8(%r15); 15: call *-8(%r13); 16:\n"
	"calls_otherwise:\n"
	"	call *(%rsp); 6: call *%rax; 7: call *8(%rax); 8: call one; 9: call *(%rip); 10:\n"
	"	call *-8(%rbp); 17: call *-8(%rsp); 18:\n"
	"call_main:\n"
	"	call *%rax; 11: mov %eax, %edi; call exit@plt\n"
	"call_other:\n"
	"	call *%rax; 12: mov %eax, %esi; call exit@plt\n"
	"	call one; 13: mov %eax, %edi; call exit@plt\n"
	"	call *%rax; 14: mov %eax, %edi; jmp exit@plt\n"
	"jump_seen: jmp one; jmp *getpid@GOTPCREL(%rip); jne one; call *%rax; .byte 0xe9; .long "
	"-1\n"
	"	fs mov 0x28, %rax\n"
	"jump_by_register: jmp *%rax\n"
	"jump_by_memory: jmp *16(%rdi)\n"
	"jump_end:\n"
	".popsection\n"
	".pushsection .data.rel.ro, \"aw\"\n"
	"ends: .quad 1b, 2b, 3b, 4b, 5b, 15b, 16b, 17b, 18b, 6b, 7b, 8b, 9b, 10b, 11b, 12b, 13b, "
	"14b\n"
	".popsection\n");
extern const char jump_seen[], jump_by_register[], jump_by_memory[], jump_end[];

TEST(a_call_by_a_pointer_and_what_gets_its_result_are_told)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	struct elfmap_branch branch;
	const uint64_t *ends;

	__asm__("lea ends(%%rip), %0" : "=r"(ends));
	for (size_t i = 0; i < 18; i++) {
		uint64_t last = vaddr_of((const char *)(uintptr_t)ends[i]) - 1;

		assert_int_equal(elfmap_calls_by_pointer(map, last), i < 7);
		assert_int_equal(elfmap_result_passed_to(map, last, &branch), i == 14);
		if (i == 14)
			assert_string_equal(branch.name, "exit");
	}
}

static bool jumps_unseen(struct elfmap *map, const char *start, const char *end)
{
	return elfmap_jumps_unseen(map, (struct range){ vaddr_of(start), vaddr_of(end) });
}

TEST(a_jump_by_a_register_or_memory_is_unseen)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();

	assert_false(jumps_unseen(map, jump_seen, jump_by_register));
	assert_true(jumps_unseen(map, jump_by_register, jump_by_memory));
	assert_true(jumps_unseen(map, jump_by_memory, jump_end));
}
#endif
