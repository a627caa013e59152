// SPDX-License-Identifier: Apache-2.0
// Promises of several findings add up to no more than the time of their causes.
#include "advice/findings.h"
#include "base/cleanup.h"
#include "model/account.h"
#include "tests/support/test.h"

/** A run of 6 ms of relocation, a third of them in faults, 4 of looking names up, 2 of its own. */
static const struct model_account account = {
	.by_initiator = {
		[MODEL_RELOCATION].ns = { [MODEL_STATE_CPU] = 4000000, [MODEL_STATE_FAULT] = 2000000 },
		[MODEL_SYMBOL_LOOKUP].ns[MODEL_STATE_CPU] = 4000000,
		[MODEL_PROGRAM].ns[MODEL_STATE_CPU] = 2000000,
	},
};

static struct model_finding finding_of(const char *where, uint64_t ns)
{
	return (struct model_finding){ .where = where, .saves.duration_ns = ns };
}

TEST(time_is_saved_once)
{
	struct model model = { .account = &account };
	struct model_finding findings[] = {
		finding_of("initiator=loader|symbol-lookup|relocation", 8000000),
		finding_of("object=/lib/liba.so,initiator=relocation,section=.data.rel.ro",
			   5000000),
		finding_of("object=/lib/libb.so", 1000000),
		finding_of(NULL, 9000000),
	};

	findings_share(&model, findings, 4);
	assert_int_equal(findings[0].saves.beside_ns, 8000000);
	// Of the 8, relocation's part by its share: 4.8.
	assert_int_equal(findings[1].saves.beside_ns, 1200000);
	assert_int_equal(findings[1].saves.duration_ns, 5000000);
	assert_int_equal(findings[2].saves.beside_ns, 1000000);
	assert_int_equal(findings[3].saves.beside_ns, 1800000); // the rest of 12
}

TEST(what_saves_other_time_is_whole)
{
	struct model model = { .account = &account };
	struct model_finding findings[] = {
		finding_of("initiator=symbol-lookup", 4000000),
		finding_of("initiator=relocation", 6000000),
	};

	findings_share(&model, findings, 2);
	assert_int_equal(findings[0].saves.beside_ns, 4000000);
	assert_int_equal(findings[1].saves.beside_ns, 6000000);
}

TEST(without_the_whole_each_stands_alone)
{
	struct model narrowed = { .account = &account, .is_narrowed = true }, timeless = { 0 };
	struct model_finding findings[] = {
		finding_of("initiator=symbol-lookup", 4000000),
		finding_of("initiator=symbol-lookup", 3000000),
	};

	findings_share(&narrowed, findings, 2);
	assert_int_equal(findings[1].saves.beside_ns, 3000000);
	findings_share(&timeless, findings, 2);
	assert_int_equal(findings[1].saves.beside_ns, 3000000);
}
