// SPDX-License-Identifier: Apache-2.0
// History of a page, by earlier faults, and the needs of a fault then.
#include "correlate/replay/attribute.h"
#include "tests/support/test.h"

CLEANUP_POINTER(pagehistory_destroy, struct pagehistory)

enum { PRESENT = TRACE_ERROR_PRESENT, WRITE = TRACE_ERROR_WRITE };

static struct trace_fault fault_with(uint32_t code)
{
	return (struct trace_fault){ .error_code = code, .flags = TRACE_FAULT_HAS_ERROR_CODE };
}

/** The mechanism of one fault on page 7. */
static enum model_mechanism decide(struct pagehistory *history, bool is_file, uint32_t code)
{
	struct trace_fault fault = fault_with(code);
	struct mechanism_page page = { .is_file = is_file, .number = 7 };
	bool inferred;
	enum model_mechanism mechanism =
		mechanism_decide(&fault, code & WRITE ? MODEL_ACCESS_WRITE : MODEL_ACCESS_READ,
				 &page, history, &inferred);

	assert_false(inferred);
	return mechanism;
}

/** The same without an error code, as the perf backend records it. */
static enum model_mechanism infer(struct pagehistory *history, bool is_file, bool is_write)
{
	struct trace_fault fault = { 0 };
	struct mechanism_page page = { .is_file = is_file, .number = 7 };
	bool inferred;
	enum model_mechanism mechanism =
		mechanism_decide(&fault, is_write ? MODEL_ACCESS_WRITE : MODEL_ACCESS_READ, &page,
				 history, &inferred);

	assert_true(inferred);
	return mechanism;
}

TEST(a_file_page_is_mapped_then_copied)
{
	CLEANUP(pagehistory_destroyp) struct pagehistory *history = pagehistory_create();

	assert_int_equal(decide(history, true, 0), MODEL_FILE_MAP);
	assert_int_equal(pagehistory_state(history, 7), HISTORY_READ);
	assert_int_equal(decide(history, true, PRESENT | WRITE), MODEL_COW_BREAK);
	assert_int_equal(pagehistory_state(history, 7), HISTORY_WRITTEN);
	assert_int_equal(pagehistory_state(history, 8), HISTORY_UNSEEN);
}

TEST(a_first_write_to_an_unmapped_file_page_copies_at_once)
{
	CLEANUP(pagehistory_destroyp) struct pagehistory *history = pagehistory_create();

	assert_int_equal(decide(history, true, WRITE), MODEL_PRIVATE_WRITE);
}

TEST(a_page_mapped_around_another_is_copied)
{
	CLEANUP(pagehistory_destroyp) struct pagehistory *history = pagehistory_create();

	assert_int_equal(decide(history, true, PRESENT | WRITE), MODEL_COW_BREAK);
}

TEST(anonymous_memory_is_filled_with_zeros)
{
	CLEANUP(pagehistory_destroyp) struct pagehistory *history = pagehistory_create();

	assert_int_equal(decide(history, false, 0), MODEL_ZERO_FILL);
	// Reading mapped the zero page; writing replaces it.
	assert_int_equal(decide(history, false, PRESENT | WRITE), MODEL_COW_BREAK);
}

TEST(a_page_written_before_a_fork_is_copied_in_parent_and_child)
{
	CLEANUP(pagehistory_destroyp) struct pagehistory *parent = pagehistory_create();

	assert_int_equal(decide(parent, false, WRITE), MODEL_ZERO_FILL);
	CLEANUP(pagehistory_destroyp) struct pagehistory *child = pagehistory_fork(parent);
	CLEANUP(pagehistory_destroyp) struct pagehistory *grandchild = pagehistory_fork(child);

	assert_int_equal(decide(child, false, PRESENT | WRITE), MODEL_FORK_COW);
	assert_int_equal(decide(parent, false, PRESENT | WRITE), MODEL_FORK_COW);
	assert_int_equal(decide(grandchild, false, PRESENT | WRITE), MODEL_FORK_COW);
	// Each has its own copy now; a fault for write access on it is something else.
	assert_int_equal(decide(parent, false, PRESENT | WRITE), MODEL_MECHANISM_OTHER);
}

TEST(a_page_first_written_after_the_fork_is_not_shared)
{
	CLEANUP(pagehistory_destroyp) struct pagehistory *parent = pagehistory_create();
	CLEANUP(pagehistory_destroyp) struct pagehistory *child = pagehistory_fork(parent);

	assert_int_equal(decide(parent, true, PRESENT | WRITE), MODEL_COW_BREAK);
	assert_int_equal(decide(child, true, PRESENT | WRITE), MODEL_COW_BREAK);
}

TEST(a_parent_that_forks_again_shares_again)
{
	CLEANUP(pagehistory_destroyp) struct pagehistory *parent = pagehistory_create();
	struct pagehistory *children[3];

	decide(parent, false, WRITE);
	for (int i = 0; i < 3; i++) {
		children[i] = pagehistory_fork(parent);
		assert_int_equal(decide(parent, false, PRESENT | WRITE), MODEL_FORK_COW);
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(decide(children[i], false, PRESENT | WRITE), MODEL_FORK_COW);
		pagehistory_destroy(children[i]);
	}
}

TEST(memory_mapped_anew_forgets_the_old)
{
	CLEANUP(pagehistory_destroyp) struct pagehistory *history = pagehistory_create();

	decide(history, false, WRITE);
	// The present bit is clear: munmap and mmap came between.
	assert_int_equal(decide(history, false, 0), MODEL_ZERO_FILL);
	assert_int_equal(pagehistory_state(history, 7), HISTORY_READ);
}

TEST(without_an_error_code_the_history_decides)
{
	CLEANUP(pagehistory_destroyp) struct pagehistory *file = pagehistory_create();
	CLEANUP(pagehistory_destroyp) struct pagehistory *anon = pagehistory_create();

	assert_int_equal(infer(file, true, false), MODEL_FILE_MAP);
	assert_int_equal(infer(file, true, true), MODEL_COW_BREAK);
	assert_int_equal(infer(anon, false, true), MODEL_ZERO_FILL);
	CLEANUP(pagehistory_destroyp) struct pagehistory *child = pagehistory_fork(anon);
	assert_int_equal(infer(child, false, true), MODEL_FORK_COW);
}
