// SPDX-License-Identifier: Apache-2.0
// When relative-relocations-without-relr speaks.
#include "base/cleanup.h"
#include "model/relocation.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

static const struct model_relink relr = { .option = "-z pack-relative-relocs",
					  .applies = true,
					  .table_bytes = -234000 };
static const struct model_relocation_table tables[] = {
	{ .name = ".rela.dyn", .size = 240000, .pages_mapped = 59 },
	{ .name = ".dynsym", .is_lookup = true, .size = 1 << 20, .pages_mapped = 9 },
};

/** A library whose .rela.dyn takes @faults of @total faults, beside ten on .dynsym. */
static struct model *draw(size_t faults, size_t total, struct model_relocation *relocation)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t rela = sketch_section(&sketch, lib, ".rela.dyn", 240000);
	uint32_t dynsym = sketch_section(&sketch, lib, ".dynsym", 1 << 20);

	relocation->tables = tables;
	relocation->table_count = 2;
	relocation->relinks = relocation->relink_count > 0 ? relocation->relinks : &relr;
	relocation->relink_count = 1;
	relocation->counts[MODEL_RELOCATION_RELATIVE] = 9800;
	relocation->counts[MODEL_RELOCATION_SYMBOLIC] = 200;
	sketch.objects.items[lib].relocation = relocation;
	sketch_faults(&sketch, rela, MODEL_RELOCATION, faults);
	sketch_faults(&sketch, dynsym, MODEL_RELOCATION, 10);
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

TEST(it_speaks_of_what_the_tables_cost)
{
	struct model_relocation relocation = { .uses_rela = true };
	CLEANUP(model_closep) struct model *model = draw(40, 4000, &relocation);
	const struct model_finding *finding =
		sketch_found(model, "relative-relocations-without-relr");

	assert_int_equal(finding->object, 0);
	assert_int_equal(finding->faults, 40);
	assert_int_equal(finding->pages, 59);
	assert_int_equal(finding->saves.faults, 39); // 40 * 234000 / 240000
	assert_string_equal(
		finding->evidence,
		"9,800 of its 10,000 relocations are relative. The tables take 234.4 KiB, of "
		"which 59 pages were mapped; with RELR they would take 5.9 KiB.");
}

TEST(it_is_silent_below_either_threshold)
{
	struct model_relocation few = { 0 }, small = { 0 };
	CLEANUP(model_closep) struct model *few_faults = draw(31, 100, &few);
	CLEANUP(model_closep) struct model *small_share = draw(40, 4001, &small);

	assert_null(sketch_finding(few_faults, "relative-relocations-without-relr"));
	assert_null(sketch_finding(small_share, "relative-relocations-without-relr"));
}

TEST(it_is_silent_where_relr_is_used_or_saves_little)
{
	static const struct model_relink little = { .option = "-z pack-relative-relocs",
						    .applies = true,
						    .table_bytes = -119000 };
	struct model_relocation used = { .uses_relr = true };
	struct model_relocation symbolic = { .relinks = &little, .relink_count = 1 };
	CLEANUP(model_closep) struct model *has_relr = draw(40, 4000, &used);
	CLEANUP(model_closep) struct model *saves_little = draw(40, 4000, &symbolic);

	assert_null(sketch_finding(has_relr, "relative-relocations-without-relr"));
	assert_null(sketch_finding(saves_little, "relative-relocations-without-relr"));
}
