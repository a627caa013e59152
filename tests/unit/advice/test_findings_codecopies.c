// SPDX-License-Identifier: Apache-2.0
// When code-copies speaks.
#include "base/cleanup.h"
#include "model/account.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

enum { TEXT = 0x10000, TEXT_SIZE = 200 * SKETCH_PAGE };

/** The place of a fault of move_text(). */
enum site { READS, WRITES, ELSEWHERE };

static void add_fault(struct sketch *sketch, uint32_t section, uint32_t blame, enum site site)
{
	struct model_fault *fault = sketch_fault(sketch, section, MODEL_PROGRAM);

	fault->blame = blame;
	fault->access = site == READS ? MODEL_ACCESS_READ : MODEL_ACCESS_WRITE;
	fault->at.has_vaddr = site != ELSEWHERE;
	fault->at.vaddr = TEXT + SKETCH_PAGE;
	fault->at.has_offset = site == READS;
}

/** @writes pages of memory made by what reads 4 pages of code, of @copied bytes. */
static struct model *draw(uint64_t copied, size_t writes, const struct model_account *account)
{
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/usr/bin/app");
	uint32_t text = sketch_section(&sketch, app, ".text", TEXT_SIZE);
	uint32_t move = sketch_function(&sketch, app, "move_text", 16);
	uint32_t other = sketch_function(&sketch, app, "other", 16);

	sketch.model->account = account;
	sketch.objects.items[app].copied = (struct range){ TEXT, TEXT + TEXT_SIZE };
	sketch.objects.items[app].copied_bytes = copied;
	for (size_t i = 0; i < 4; i++)
		add_fault(&sketch, text, move, READS);
	for (size_t i = 0; i < writes; i++)
		add_fault(&sketch, text, move, i < 2 ? WRITES : ELSEWHERE);
	// Its own code, which is among what it copies.
	add_fault(&sketch, text, move, READS);
	sketch.faults.items[sketch.faults.count - 1].access = MODEL_ACCESS_EXEC;
	// Neither what runs there nor what others touch elsewhere is of it.
	for (size_t i = 0; i < 50; i++) {
		add_fault(&sketch, text, other, i % 2 ? READS : ELSEWHERE);
		sketch.faults.items[sketch.faults.count - 1].access =
			i % 2 ? MODEL_ACCESS_EXEC : MODEL_ACCESS_WRITE;
	}
	return sketch_end(&sketch);
}

TEST(it_counts_all_that_the_copying_function_touched)
{
	const struct model_spot spots[] = {
		{ .blame = 0, .state = MODEL_STATE_CPU, .ns = 3000000 },
		{ .blame = 0, .state = MODEL_STATE_WAIT, .ns = 7000000 },
		{ .blame = 1, .state = MODEL_STATE_CPU, .ns = 9000000 },
	};
	const struct model_account account = {
		.samples = 12,
		.all.ns = { [MODEL_STATE_CPU] = 12000000 },
		.spots = spots,
		.spot_count = 3,
	};
	CLEANUP(model_closep) struct model *model = draw(TEXT_SIZE, 40, &account);
	const struct model_finding *finding = sketch_found(model, "code-copies");

	assert_int_equal(finding->object, 0);
	assert_int_equal(finding->faults, 45);
	assert_int_equal(finding->saves.faults, 45);
	assert_int_equal(finding->saves.is, MODEL_AT_MOST);
	assert_int_equal(finding->cpu_ns, 3000000);
	assert_string_equal(finding->evidence, "move_text copies 800.0 KiB of code: 4 faults read "
					       "it, 40 write the copy.");
}

TEST(it_is_silent_where_nothing_is_copied_or_little)
{
	CLEANUP(model_closep) struct model *none = draw(0, 40, NULL);
	CLEANUP(model_closep) struct model *few = draw(TEXT_SIZE, 26, NULL);
	CLEANUP(model_closep) struct model *enough = draw(TEXT_SIZE, 27, NULL);

	assert_null(sketch_finding(none, "code-copies"));
	assert_null(sketch_finding(few, "code-copies"));
	assert_non_null(sketch_finding(enough, "code-copies"));
}
