// SPDX-License-Identifier: Apache-2.0
// Effects of an instruction on memory, for instructions assembled into this very program.
#include "correlate/replay/attribute.h"

#include "base/cleanup.h"
#include "tests/support/test.h"

#include <string.h>

/** A function that is one instruction; never called. */
#define ONE(name, instruction)                                                                     \
	__asm__(".pushsection .text\n.type one_" #name ", @function\none_" #name ":\n" instruction \
		"\n.size one_" #name ", . - one_" #name "\n.popsection\n")

ONE(load, "movq (%rdi), %rax");
ONE(store, "movq %rax, (%rdi)");
ONE(store_vector, "movups %xmm0, (%rdi)");
ONE(store_avx, "vmovdqu %ymm0, (%rdi)");
ONE(load_vector, "movups (%rdi), %xmm0");
ONE(locked, "lock cmpxchgl %edx, (%rbx)");
ONE(increment, "incl (%rdi)");
ONE(add_to, "addl $1, (%rdi)");
ONE(add_from, "addl (%rdi), %eax");
ONE(compare, "cmpl $0, (%rdi)");
ONE(test_bits, "testb $1, (%rdi)");
ONE(exchange, "xchgl %eax, (%rdi)");
ONE(push, "pushq %rax");
ONE(pop, "popq %rax");
ONE(call, "call 0f\n0:");
ONE(divide, "divq (%rdi)");
ONE(fill, "rep stosb");
ONE(copy, "rep movsb");
ONE(push_memory, "pushq (%rdi)");
ONE(address, "leaq 8(%rdi), %rax");
ONE(registers, "addq %rax, %rbx");
ONE(load_x87, "fldt (%rdi)");
ONE(store_x87, "fstpt (%rdi)");

static const struct {
	const char *symbol;
	enum model_access access;
} expected[] = {
	{ "one_load", MODEL_ACCESS_READ },
	{ "one_store", MODEL_ACCESS_WRITE },
	{ "one_store_vector", MODEL_ACCESS_WRITE },
	{ "one_store_avx", MODEL_ACCESS_WRITE },
	{ "one_load_vector", MODEL_ACCESS_READ },
	{ "one_locked", MODEL_ACCESS_WRITE },
	{ "one_increment", MODEL_ACCESS_WRITE },
	{ "one_add_to", MODEL_ACCESS_WRITE },
	{ "one_add_from", MODEL_ACCESS_READ },
	{ "one_compare", MODEL_ACCESS_READ },
	{ "one_test_bits", MODEL_ACCESS_READ },
	{ "one_exchange", MODEL_ACCESS_WRITE },
	{ "one_push", MODEL_ACCESS_WRITE },
	{ "one_pop", MODEL_ACCESS_READ },
	{ "one_call", MODEL_ACCESS_WRITE },
	{ "one_divide", MODEL_ACCESS_READ },
	{ "one_fill", MODEL_ACCESS_WRITE },
	{ "one_load_x87", MODEL_ACCESS_READ },
	{ "one_store_x87", MODEL_ACCESS_WRITE },
	// Both places at once: which one faulted cannot be told from the instruction.
	{ "one_copy", MODEL_ACCESS_UNKNOWN },
	{ "one_push_memory", MODEL_ACCESS_UNKNOWN },
	// No place at all.
	{ "one_address", MODEL_ACCESS_UNKNOWN },
	{ "one_registers", MODEL_ACCESS_UNKNOWN },
};

static uint64_t vaddr_of(struct elfmap *map, const char *name)
{
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(symbols[i].name, name) == 0)
			return symbols[i].vaddr;
	fail_msg("%s is not in this program", name);
	return 0;
}

TEST(each_instruction_is_told_apart)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct err err;

	if (!elfmap_open("/proc/self/exe", NULL, &map, &err))
		fail_msg("%s", err.message);
	struct instructions *instructions = instructions_create();
	struct access_decoder *decoder = access_decoder_create(instructions);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		uint64_t vaddr = vaddr_of(map, expected[i].symbol);
		enum model_access first = access_decode(decoder, map, 0, vaddr);

		if (first != expected[i].access)
			fail_msg("%s: %s", expected[i].symbol, model_access_name(first));
		assert_int_equal(access_decode(decoder, map, 0, vaddr), first);
	}
	access_decoder_destroy(decoder);
	instructions_destroy(instructions);
}
