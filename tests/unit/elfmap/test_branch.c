// SPDX-License-Identifier: Apache-2.0
// Targets of jumps and calls: each of fixtures/elf/branches64.yaml and branches32.yaml, eight bytes
// a piece, against `objdump -d` by hand.
#include "elfmap/elfmap.h"

#include "tests/support/elffile.h"

enum { PIECE = 8, OWN = 0x1100, END = 0x1100 };

/** The expected target of one piece: none, if it has neither a vaddr nor a name. */
struct expected {
	uint64_t at;
	bool is_call;
	uint64_t vaddr;
	const char *name;
};

/** Every piece up to END must be as @expected says, which lists some; the others do nothing. */
static void check(struct elfmap *map, const struct expected *expected, size_t count)
{
	for (uint64_t at = 0x1000; at < END; at += PIECE) {
		const struct expected none = { .at = at }, *wanted = &none;
		struct range piece = { at, at + PIECE };
		struct elfmap_branch branch;

		for (size_t i = 0; i < count; i++)
			if (expected[i].at == at)
				wanted = &expected[i];
		if (!elfmap_branch_next(map, &piece, &branch)) {
			if (wanted->vaddr || wanted->name)
				fail_msg("0x%lx goes nowhere", at);
			continue;
		}
		if (!wanted->vaddr && !wanted->name)
			fail_msg("0x%lx goes to 0x%lx, %s", at, branch.vaddr, branch.name);
		assert_int_equal(branch.is_call, wanted->is_call);
		assert_int_equal(branch.has_vaddr, wanted->vaddr != 0);
		if (wanted->vaddr)
			assert_int_equal(branch.vaddr, wanted->vaddr);
		assert_int_equal(branch.name != NULL, wanted->name != NULL);
		if (wanted->name)
			assert_string_equal(branch.name, wanted->name);
		// And nothing else.
		if (elfmap_branch_next(map, &piece, &branch))
			fail_msg("0x%lx goes to 0x%lx, %s, as well", at, branch.vaddr, branch.name);
	}
}

TEST(branches_are_followed_through_stubs_and_slots)
{
	static const struct expected expected[] = {
		{ 0x1000, false, OWN, NULL },	 // jmp own
		{ 0x1008, true, OWN, NULL },	 // call own
		{ 0x1010, false, 0x1020, NULL }, // jmp 0x1020, of two bytes
		{ 0x1018, false, OWN, "own" },	 // jmp own@plt
		{ 0x1020, false, 0, "other" },	 // jmp other@plt
		{ 0x1028, true, 0, "other" },	 // call other@plt
		{ 0x1030, false, 0, "chosen" },	 // jmp chosen@plt: its address is the resolver's
		{ 0x1038, false, 0, "other" },	 // jmp other@plt, in .plt.got
		{ 0x1040, false, OWN, "own" },	 // jmp *own@GOTPCREL(%rip)
		{ 0x1048, false, 0, "other" },	 // jmp *other@GOTPCREL(%rip)
		{ 0x1050, true, 0, "other" },	 // call *other@GOTPCREL(%rip)
		{ 0x1058, false, OWN, NULL },	 // jmp *slot of a relative relocation
		// 0x1060: jmp *slot of an IRELATIVE relocation; 0x1068: of other+8; 0x1070: into a
		// slot; 0x1078: where no slot is; 0x1080: jmp to .plt's first entry; 0x1088: into a
		// stub; 0x1090: to data; 0x1098: push *slot
		{ 0x10a0, false, OWN, NULL },	// je own
		{ 0x10a8, true, 0x1000, NULL }, // no instruction; call 0x1000
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("branches64");

	check(map, expected, sizeof(expected) / sizeof(expected[0]));
}

TEST(i386_branches_are_followed_by_the_got_s_register)
{
	static const struct expected expected[] = {
		{ 0x1000, false, OWN, NULL },  // jmp own
		{ 0x1008, false, OWN, "own" }, // jmp own@plt
		{ 0x1010, false, 0, "other" }, // jmp other@plt
		{ 0x1018, false, OWN, "own" }, // jmp *own@GOT(%ebx)
		{ 0x1020, false, 0, "other" }, // jmp *other@GOT(%eax)
		{ 0x1028, true, 0, "other" },  // call *other@GOT(%ebx)
		{ 0x1030, false, 0, "other" }, // jmp *other@GOT, at a fixed address
					       // 0x1038: two registers; 0x1040: where no slot is
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("branches32");

	check(map, expected, sizeof(expected) / sizeof(expected[0]));
}

TEST(a_branch_that_is_cut_is_none)
{
	static const struct {
		uint64_t at, size;
	} whole[] = { { 0x1000, 5 }, { 0x1010, 2 }, { 0x1018, 5 }, { 0x1040, 6 } };
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("branches64");

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		struct range code = { whole[i].at, whole[i].at + whole[i].size - 1 };
		struct elfmap_branch branch;

		assert_false(elfmap_branch_next(map, &code, &branch));
		code = (struct range){ whole[i].at, whole[i].at + whole[i].size };
		assert_true(elfmap_branch_next(map, &code, &branch));
	}
	// Beyond the file nothing is read.
	struct range outside = { 0x1290, 0x1800 };
	struct elfmap_branch branch;
	assert_false(elfmap_branch_next(map, &outside, &branch));
}

TEST(jumps_lead_and_calls_do_not)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("branches64");

	assert_true(elfmap_jumps_to(map, (struct range){ 0x1000, 0x1008 }, OWN));
	assert_false(elfmap_jumps_to(map, (struct range){ 0x1000, 0x1008 }, OWN + 1));
	assert_false(elfmap_jumps_to(map, (struct range){ 0x1008, 0x1010 }, OWN)); // call
	assert_true(elfmap_jumps_to(map, (struct range){ 0x1008, 0x1028 }, OWN));  // jmp own@plt
	assert_false(elfmap_jumps_to(map, (struct range){ 0x1020, 0x1040 }, OWN)); // jmp other@plt
}

TEST(a_jump_by_a_slot_that_says_nothing_is_unseen)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("branches64");

	assert_false(elfmap_jumps_unseen(map, (struct range){ 0x1000, 0x1060 }));
	assert_true(elfmap_jumps_unseen(map, (struct range){ 0x1060, 0x1068 })); // IRELATIVE
	assert_false(elfmap_jumps_unseen(map, (struct range){ 0x1080, 0x1100 }));
}

TEST(a_distance_that_looks_like_a_jump_is_none)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("branches64");
	const struct range call = { 0x10a8, 0x10b0 };

	// The last byte of the call's distance, and what is behind it, seem to be a jump by memory.
	// The bytes before are no instruction: reading one by one would not tell.
	assert_false(elfmap_jumps_unseen(map, call));
}

TEST(code_of_an_unknown_processor_is_noted_once)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("be64-dyn");
	const struct range code = { 0, 16 };

	assert_false(elfmap_makes_threads(map, code));
	assert_false(elfmap_makes_threads(map, code));
	assert_false(elfmap_leaves_by_eh_return(map, 0));
	assert_true(elfmap_jumps_unseen(map, code));
	assert_int_equal(elfmap_notes(map)->list.count, 1);
	assert_non_null(strstr(elfmap_notes(map)->list.items[0].text, "threads"));
}
