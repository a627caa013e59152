// SPDX-License-Identifier: Apache-2.0
// When copy-relocations speaks, and that what it counts is no finding of relocated-data.
#include "base/cleanup.h"
#include "model/layout.h"
#include "model/relocation.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <string.h>

enum { PAGE = 4096, PAGES = 100, START = 0x10000 };

/**
 * Relocation wrote the first @copied of 100 pages of the program's .data.rel.ro for COPY
 * relocations, the others for pointers.
 */
static struct model *draw(size_t copied, size_t total)
{
	static const struct model_layout executable = { 0 };
	static struct model_written_page written[PAGES];
	static struct model_relocated_section section;
	static struct model_relocation relocation;
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/usr/bin/app");
	uint32_t data = sketch_section(&sketch, app, ".data.rel.ro", PAGES * PAGE);
	uint32_t table = sketch_symbol(&sketch, data, "table", 64);
	uint32_t names = sketch_symbol(&sketch, data, "names", 64);

	for (size_t i = 0; i < PAGES; i++)
		written[i] = (struct model_written_page){ START + i * PAGE,
							  i < copied ? 0 : 1 << MODEL_TARGET_SELF };
	section = (struct model_relocated_section){ .name = ".data.rel.ro",
						    .relocations = 2 + 100 * (PAGES - copied),
						    .copies = copied > 0 ? 2 : 0,
						    .pages_holding = PAGES,
						    .pages_written = PAGES,
						    .size = PAGES * PAGE };
	relocation = (struct model_relocation){
		.counts[MODEL_RELOCATION_COPY] = section.copies,
		.sections = &section,
		.section_count = 1,
		.written = written,
		.written_count = PAGES,
	};
	sketch.objects.items[app].relocation = &relocation;
	sketch.objects.items[app].layout = &executable;
	for (size_t i = 0; i < PAGES; i++) {
		struct model_fault *fault = sketch_fault(&sketch, data, MODEL_RELOCATION);

		fault->at.has_vaddr = true;
		fault->at.vaddr = START + i * PAGE + 8;
		fault->at.name = i < 10 ? names : table;
	}
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

TEST(it_counts_pages_that_hold_nothing_but_copies)
{
	CLEANUP(model_closep) struct model *model = draw(60, 1000);
	const struct model_finding *copies = sketch_found(model, "copy-relocations");
	const struct model_finding *pointers = sketch_finding(model, "relocated-data");

	assert_int_equal(copies->faults, 60);
	assert_int_equal(copies->pages, 60);
	assert_string_equal(copies->evidence,
			    "2 objects that libraries define have a COPY relocation; copying wrote "
			    "60 pages: table 50, names 10.");
	assert_non_null(pointers);
	assert_int_equal(pointers->faults, 40);
	assert_int_equal(pointers->pages, 40);
	assert_non_null(strstr(pointers->evidence, "4,000 pointers in .data.rel.ro (400.0 KiB) lie "
						   "on 40 pages; relocation wrote 40 of them."));
}

TEST(copies_are_no_pointers)
{
	CLEANUP(model_closep) struct model *model = draw(PAGES, 1000);

	assert_non_null(sketch_finding(model, "copy-relocations"));
	assert_null(sketch_finding(model, "relocated-data"));
}

TEST(it_is_silent_without_copies)
{
	CLEANUP(model_closep) struct model *model = draw(0, 1000);

	assert_null(sketch_finding(model, "copy-relocations"));
	assert_int_equal(sketch_finding(model, "relocated-data")->faults, PAGES);
}

TEST(it_is_silent_below_each_threshold)
{
	CLEANUP(model_closep) struct model *few = draw(31, 1000);
	CLEANUP(model_closep) struct model *small = draw(60, 100000);

	assert_null(sketch_finding(few, "copy-relocations"));
	assert_null(sketch_finding(small, "copy-relocations"));
}
