// SPDX-License-Identifier: Apache-2.0
// Causes of the dynamic linker's work on made-up stacks.
#include "machine/disassembler.h"
#include "tests/support/ownstacks.h"

#include <link.h>

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
extern const char here_after_call[];
__attribute__((noinline, used)) static void call_directly(void)
{
	__asm__ volatile("call getpid@plt\nhere_after_call:\n" ::
				 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
				   "memory");
}
#endif

/** Return the middle of the dynamic linker's function @name, or of what is left of it; 0: none. */
static uintptr_t in_linker(const char *name)
{
	CLEANUP(elfmap_closep) struct elfmap *map;
	struct err err;
	size_t count;
	uintptr_t found = 0;

	assert_true(elfmap_open(linker_path, NULL, &map, &err));
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);
	for (size_t i = 0; i < count; i++)
		if (strncmp(symbols[i].name, name, strlen(name)) == 0)
			found = linker_bias + (uintptr_t)(symbols[i].vaddr + symbols[i].size / 2);
	return found;
}

const struct tests_around tests_around = { .before_all = ownstacks_find,
					   .after_each = stacks_forget };

TEST(asking_the_processor_is_startup_and_not_linking)
{
	const uintptr_t asks = in_linker("intel_check_word");

	if (!asks)
		skip(); // no debug information of the dynamic linker, or another libc
	ADD_COMPLETE(10, data, "write", asks, linker_code);
	ADD_COMPLETE(10, data, "write", linker_code);
	// The program names its dynamic linker.
	WRITE(in(one), in(main), libc_code, entry());
	answer();
	expect(0, MODEL_STARTUP, MODEL_STACK);
	expect(1, MODEL_LOADER, MODEL_STACK);
	expect(2, MODEL_PROGRAM, MODEL_STACK);
}

TEST(a_resolver_is_ifunc_with_and_without_a_stack)
{
	ADD(10, data, "read", in(one), in(resolve), linker_code);
	add_alone(10, data, "read", in(resolve));
	answer();
	expect(0, MODEL_IFUNC, MODEL_STACK);
	expect(1, MODEL_IFUNC, MODEL_RULE);
	assert_int_equal(chosen(), 1);
}

TEST(the_dynamic_linker_relocates_where_it_writes_slots)
{
	// Another of its functions, touching nothing that tells.
	ADD(10, data, "read", linker_code + 0x400, linker_code + 0x800);
	ADD(10, (const void *)&slot, "write", linker_code, linker_code + 0x800);
	ADD(10, data, "read", linker_code, linker_code + 0x800);
	add_alone(10, (const void *)&slot, "write", linker_code);
	add_alone(10, data, "read", linker_code);
	answer();
	expect(1, MODEL_RELOCATION, MODEL_STACK);
	expect(2, MODEL_RELOCATION, MODEL_STACK); // known by fault 1
	expect(3, MODEL_RELOCATION, MODEL_RULE);
	expect(4, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	assert_int_equal(model->faults[1].dlopen, MODEL_DLOPEN_NO);
	assert_int_equal(model->faults[4].dlopen, MODEL_DLOPEN_UNKNOWN);
}

TEST(an_instruction_that_touches_no_memory_is_no_lack_of_a_disassembler)
{
	size_t silent = 0;

	// As perf records them: no error code says which of them write.
	for (unsigned i = 0; i < 64; i++)
		strbuf_printf(&events,
			      "fault pid=10 tid=10 time=%u addr=0x%" PRIxPTR " ip=0x%" PRIxPTR "\n",
			      3000 + i, (uintptr_t)data, linker_code + i);
	answer();
	for (size_t i = 0; i < model->fault_count; i++) {
		if (model->faults[i].access != MODEL_ACCESS_UNKNOWN)
			continue;
		silent++;
		expect(i, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
		assert_int_equal(model->faults[i].is_unread, disassembler_missing() != NULL);
	}
	assert_true(silent > 0);
}

/** Return a place in the dynamic linker's function that hashes names. */
static uintptr_t in_hashing(void)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct err err;
	size_t count;

	assert_true(elfmap_open(linker_path, NULL, &map, &err));
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);
	array_foreach (symbol, symbols, count)
		if (symbol->type == 2 /* STT_FUNC */ &&
		    elfmap_hashes_names(
			    map, (struct range){ symbol->vaddr, symbol->vaddr + symbol->size }))
			return linker_bias + (uintptr_t)symbol->vaddr + 1;
	return 0;
}

TEST(a_slot_that_looking_names_up_writes_is_not_relocated)
{
	const uintptr_t hashes = in_hashing();

	if (!hashes)
		skip(); // another machine
	ADD(10, (const void *)&slot, "write", hashes, linker_code);
	answer();
	expect(0, MODEL_SYMBOL_LOOKUP, MODEL_STACK);
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

TEST(what_relocating_calls_to_read_tables_looks_names_up)
{
	static const ElfW(Sxword) tables[] = { DT_SYMTAB, DT_STRTAB, DT_GNU_HASH };

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		const uintptr_t relocates = linker_code, other = linker_code + 0x400;
		const char *table = own_table(tables[i]);

		stacks_forget(NULL);
		ADD(10, (const void *)&slot, "write", relocates, linker_code + 0x800);
		ADD(10, data, "read", other, relocates, linker_code + 0x800);
		answer();
		expect(1, MODEL_RELOCATION, MODEL_STACK);
		ADD(10, table + 24, "read", other, relocates, linker_code + 0x800);
		answer();
		expect(1, MODEL_SYMBOL_LOOKUP, MODEL_STACK);
		expect(2, MODEL_SYMBOL_LOOKUP, MODEL_STACK);
	}
}

/**
 * Find the place of the TLS image's copy of what a thread's variable begins with. @data: its
 * address, then that.
 */
static int find_in_image(struct dl_phdr_info *info, size_t size, void *data)
{
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

TEST(slots_of_the_tls_image_are_relocated_before_it_is_copied)
{
	const void *thread_data = in_image(&thread_slot);

	ADD(10, (const void *)&slot, "write", linker_code, linker_code + 0x800);
	ADD(10, thread_data, "read", linker_code, linker_code + 0x800);
	ADD(10, in_image(&thread_number), "read", linker_code, linker_code + 0x800);
	add_alone(10, thread_data, "read", linker_code);
	answer();
	expect(1, MODEL_RELOCATION, MODEL_STACK);
	expect(2, MODEL_TLS_SETUP, MODEL_STACK);
	expect(3, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	assert_ptr_equal(thread_slot, one);
	assert_int_equal(thread_number, 6);
}

#if defined(__x86_64__)
TEST(a_call_through_the_plt_is_bound)
{
	ADD(10, data, "read", linker_code, (uintptr_t)here_after_call, in(main), libc_code,
	    entry());
	answer();
	expect(0, MODEL_LAZY_BINDING, MODEL_STACK);
}
#endif

TEST(dlopen_is_loading_and_says_so)
{
	uintptr_t open = in_libc("dlopen");

	ADD(10, data, "read", linker_code, open, in(main), libc_code, entry());
	ADD(10, data, "read", in(construct), linker_code, open, in(main), libc_code, entry());
	ADD(10, data, "read", in(main), libc_code, entry());
	answer();
	expect(0, MODEL_LOADER, MODEL_STACK);
	assert_int_equal(model->faults[0].dlopen, MODEL_DLOPEN_YES);
	expect(1, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[1].dlopen, MODEL_DLOPEN_YES);
	expect(2, MODEL_PROGRAM, MODEL_STACK);
	assert_int_equal(model->faults[2].dlopen, MODEL_DLOPEN_NO);
}

static int find_unwind_table(struct dl_phdr_info *info, size_t size, void *ret_table)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			*(const void **)ret_table =
				(const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return 1; // the program comes first
}

TEST(unwinding_tables_are_read_to_unwind)
{
	const void *table = NULL;

	dl_iterate_phdr(find_unwind_table, &table);
	assert_non_null(table);
	add_alone(10, table, "read", libc_code);
	add_alone(10, table, "read", linker_code);
	add_alone(10, table, "write", libc_code);
	answer();
	expect(0, MODEL_UNWIND, MODEL_RULE);
	assert_int_not_equal(model->faults[1].initiator, MODEL_UNWIND);
	assert_int_not_equal(model->faults[2].initiator, MODEL_UNWIND);
}
