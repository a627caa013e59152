// SPDX-License-Identifier: Apache-2.0
// Relocation and data pages of one object, from faults whose initiators are written by hand. The
// file is fixtures/elf/relocations64.yaml: slots on the pages 0x3000 and 0x5000, data up to 0x3600,
// memory up to 0x5800. Real links are compared by tests/objects/relink.py.
#include "correlate/linking/costs.h"

#include "correlate/replay/builder.h"
#include "model/data.h"
#include "model/relocation.h"
#include "tests/support/elffile.h"

enum { PAGE = 4096 };

/** A run in which one object, number 0, is mapped. */
static struct {
	struct model model;
	struct builder builder;
	struct objects *objects;
	struct elfmap *map;
} run;

static int forget(void **state)
{
	if (!run.objects)
		return 0;
	builder_deinit(&run.builder);
	objects_destroy(run.objects);
	notes_deinit(&run.model.notes);
	arena_deinit(&run.model.arena);
	memset(&run, 0, sizeof(run));
	return 0;
}

/** Begin a run in which the object is @map. */
static void begin(struct elfmap *map)
{
	const struct trace_mapping mapping = { .path = "/lib/test.so", .size = PAGE };

	forget(NULL);
	run.map = map;
	run.objects = objects_create(NULL, NULL, NULL, &run.model.notes);
	assert_int_equal(objects_of_mapping(run.objects, &mapping), 0);
	objects_set_map(run.objects, 0, map, NULL);
	builder_init(&run.builder, &run.model, run.objects, true);
}

static struct model_fault *add(uint64_t vaddr, enum model_initiator initiator,
			       enum model_access access)
{
	static const struct model_ip no_ip = { .name = MODEL_NONE };
	struct elfmap_place place;
	struct model_fault fault = {
		.initiator = (uint8_t)initiator,
		.access = access & 3,
		.mechanism = access == MODEL_ACCESS_WRITE ? MODEL_PRIVATE_WRITE : MODEL_FILE_MAP,
		.at.has_vaddr = true,
		.at.vaddr = vaddr,
		.by = &no_ip,
		.blame = MODEL_NONE,
		.initializer = MODEL_NONE,
		.init_object = MODEL_NONE,
		.stack = MODEL_NONE,
	};

	elfmap_locate(run.map, vaddr, &place);
	fault.at.has_offset = place.has_offset;
	fault.at.offset = place.offset;
	if (!place.has_offset)
		fault.mechanism = MODEL_ZERO_FILL;
	fault.at.section = builder_section(&run.builder, 0, place.section_name, place.section);
	fault.at.name = builder_symbol(&run.builder, 0, fault.at.section, &place);
	builder_fault(&run.builder, &fault);
	return &run.builder.faults.list.items[run.builder.faults.list.count - 1];
}

static void set_around(struct model_fault *fault, uint64_t offset, uint32_t pages)
{
	fault->extent = builder_extent(
		&run.builder, &(struct model_extent){ .around = offset - model_extent_base(fault),
						      .around_pages = pages });
}

#define READ(vaddr, initiator)	add(vaddr, MODEL_##initiator, MODEL_ACCESS_READ)
#define WRITE(vaddr, initiator) add(vaddr, MODEL_##initiator, MODEL_ACCESS_WRITE)

static const struct model_object *finish(void)
{
	struct rows *rows = &run.builder.rows;
	// As builder_close() does, but more faults may follow.
	for (size_t i = 0; i < rows->symbols.count; i++)
		rows->symbols.items[i].name = rows_name(rows, 0, &rows->symbol_sources.items[i]);
	if (rows->object_rows.count == 0)
		vec_push(&rows->object_rows, (struct model_object){ 0 });
	costs_fill(rows, &run.builder.faults, PAGE);
	return &rows->object_rows.items[0];
}

static const struct model_relink *relink(const struct model_relocation *relocation,
					 const char *option)
{
	for (size_t i = 0; i < relocation->relink_count; i++)
		if (strcmp(relocation->relinks[i].option, option) == 0)
			return &relocation->relinks[i];
	fail_msg("no %s", option);
	return NULL;
}

static const struct model_relocation_table *table(const struct model_relocation *relocation,
						  const char *name)
{
	for (size_t i = 0; i < relocation->table_count; i++)
		if (strcmp(relocation->tables[i].name, name) == 0)
			return &relocation->tables[i];
	fail_msg("no %s", name);
	return NULL;
}

/** The fixture with the entry point taken out, so that it cannot be a static PIE. */
static struct elfmap *open_library(void (*change)(struct elffile *file))
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");

	elffile_header(&file)->e_entry = 0;
	if (change)
		change(&file);
	return elffile_map(&file);
}

const struct tests_around tests_around = { .after_each = forget };

// ---- Relocation -----------------------------------------------------------------------------

TEST(what_the_file_says_needs_no_fault_of_relocation)
{
	begin(open_library(NULL));
	READ(0x1000, PROGRAM);
	const struct model_relocation *relocation = finish()->relocation;

	assert_non_null(relocation);
	assert_int_equal(relocation->counts[MODEL_RELOCATION_RELATIVE], 8);
	assert_int_equal(relocation->counts[MODEL_RELOCATION_SYMBOLIC], 2);
	assert_int_equal(relocation->counts[MODEL_RELOCATION_JUMP_SLOT], 1);
	assert_true(relocation->uses_relr && relocation->uses_rela && !relocation->uses_rel);
	assert_false(relocation->bind_now);
	assert_int_equal(relocation->table_bytes, 24 + 192 + 48);
	assert_int_equal(relocation->pages_holding, 2);
	assert_int_equal(relocation->pages_written, 0);
	assert_int_equal(relocation->relro_bytes, 0x500);
	assert_int_equal(relocation->relro_pages, 1);
	assert_int_equal(relocation->relro_pages_written, 0);
	assert_int_equal(relocation->lookups_at_load, 3); // exported, imported, copied
	assert_int_equal(relocation->relocation.faults, 0);
	assert_int_equal(relocation->lookup_count, 0);
}

TEST(a_page_counts_as_written_by_a_write_of_relocation_only)
{
	begin(open_library(NULL));
	READ(0x3010, RELOCATION);
	WRITE(0x3010, LOADER);
	WRITE(0x4010, RELOCATION); // a page without a slot
	assert_int_equal(finish()->relocation->pages_written, 0);
	WRITE(0x3010, RELOCATION);
	WRITE(0x3060, RELOCATION); // in another process
	const struct model_relocation *relocation = finish()->relocation;
	assert_int_equal(relocation->pages_written, 1);
	assert_int_equal(relocation->relro_pages_written, 1);
	assert_int_equal(relocation->relocation.faults, 4);
}

TEST(a_shared_page_counts_in_every_section_with_a_slot_on_it)
{
	static const struct model_relocated_section expected[] = {
		{ ".ctors", 2, 1, 1, 0x20 },	    { ".data.more", 2, 1, 1, 0x10 },
		{ ".data.rel.ro", 2, 1, 1, 0x1d8 }, { ".got", 2, 1, 1, 0x20 },
		{ ".got.plt", 2, 1, 1, 0x28 },	    { ".init_array", 2, 1, 1, 0x10 },
		{ ".preinit_array", 1, 1, 1, 8 },   { ".bss", 1, 1, 0, 0x1800 },
	};

	begin(open_library(NULL));
	WRITE(0x3010, RELOCATION);
	const struct model_relocation *relocation = finish()->relocation;

	assert_int_equal(relocation->section_count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < relocation->section_count; i++) {
		const struct model_relocated_section *section = &relocation->sections[i];

		assert_string_equal(section->name, expected[i].name);
		assert_int_equal(section->relocations, expected[i].relocations);
		assert_int_equal(section->pages_holding, expected[i].pages_holding);
		assert_int_equal(section->pages_written, expected[i].pages_written);
		assert_int_equal(section->size, expected[i].size);
	}
}

TEST(owners_divide_a_page_by_their_slots)
{
	uint64_t slots = 0, own_ns = 0;

	begin(open_library(NULL));
	struct model_fault *fault = WRITE(0x3010, RELOCATION);

	fault->has_duration = true;
	fault->duration_ns = 13000;
	WRITE(0x4010, RELOCATION);		   // a page without a slot
	assert_null(finish()->relocation->owners); // not asked for
	run.builder.rows.has_owners = true;
	const struct model_relocation *relocation = finish()->relocation;

	array_foreach (owner, relocation->owners, relocation->owner_count) {
		slots += owner->pages_written ? owner->relocations : 0;
		own_ns += owner->own_ns;
	}
	assert_int_equal(relocation->owners_left_out, 0);
	assert_int_equal(slots, 13); // COPY's is on 0x5000
	assert_int_equal(own_ns, 13000);
	array_foreach (owner, relocation->owners, relocation->owner_count)
		assert_int_equal(owner->own_ns,
				 owner->pages_written ? 1000 * owner->relocations : 0);
}

TEST(only_pages_written_in_the_window_have_owners)
{
	uint64_t own_ns = 0;

	begin(open_library(NULL));
	run.model.window = (struct model_window){ .is_set = true, .from_ns = 10, .until_ns = 20 };
	run.builder.rows.has_owners = true;
	for (uint64_t time_ns = 5; time_ns <= 25; time_ns += 10) {
		struct model_fault *fault = WRITE(time_ns == 15 ? 0x3010 : 0x5000, RELOCATION);

		fault->time_ns = time_ns;
		fault->has_duration = true;
		fault->duration_ns = 13000;
	}
	const struct model_relocation *relocation = finish()->relocation;

	assert_int_equal(relocation->pages_written, 1);
	assert_int_equal(relocation->written_count, 1);
	array_foreach (owner, relocation->owners, relocation->owner_count)
		own_ns += owner->own_ns;
	assert_int_equal(own_ns, 13000);
}

TEST(tables_count_what_came_with_a_fault)
{
	begin(open_library(NULL));
	READ(0x320, PROGRAM);
	struct model_relocation const *relocation = finish()->relocation;
	assert_int_equal(table(relocation, ".rela.dyn")->pages_mapped, 0);
	assert_int_equal(table(relocation, ".rela.dyn")->faults, 0);
	READ(0x320, RELOCATION);
	relocation = finish()->relocation;
	assert_int_equal(table(relocation, ".rela.dyn")->faults, 1);
	assert_int_equal(table(relocation, ".rela.dyn")->size, 192);
	assert_false(table(relocation, ".rela.dyn")->is_lookup);
	assert_int_equal(table(relocation, ".rela.dyn")->pages_mapped, 1);
	// On the same page of the file, so it came with it.
	assert_int_equal(table(relocation, ".dynsym")->faults, 0);
	assert_int_equal(table(relocation, ".dynsym")->pages_mapped, 1);
	assert_true(table(relocation, ".dynsym")->is_lookup);
	assert_string_equal(relocation->tables[0].name, ".dynsym"); // first in the file
}

/** Move .dynstr to the page 0x1000 of the file. */
static void move_strings(struct elffile *file)
{
	elffile_section_named(file, ".dynstr")->sh_offset = 0x1ff0;
	elffile_section_named(file, ".dynstr")->sh_size = 0x20;
}

TEST(pages_around_a_fault_are_mapped_too)
{
	begin(open_library(move_strings));
	struct model_fault *fault = READ(0x320, RELOCATION);
	fault->has_around = true;
	set_around(fault, 0, 2);
	const struct model_relocation *relocation = finish()->relocation;
	assert_int_equal(table(relocation, ".dynstr")->pages, 2);
	assert_int_equal(table(relocation, ".dynstr")->pages_mapped, 1);
	set_around(&run.builder.faults.list.items[0], 0, UINT32_MAX);
	relocation = finish()->relocation;
	assert_int_equal(table(relocation, ".dynstr")->pages_mapped, 2);
}

TEST(a_name_is_listed_once_for_its_symbol_and_its_string)
{
	begin(open_library(NULL));
	READ(0x218, SYMBOL_LOOKUP);	 // dynsym:imported
	READ(0x2b0 + 10, SYMBOL_LOOKUP); // dynstr:imported
	READ(0x230, SYMBOL_LOOKUP);	 // dynsym:exported
	READ(0x248, PROGRAM);
	READ(0x284, SYMBOL_LOOKUP); // .hash: no name
	const struct model_relocation *relocation = finish()->relocation;

	assert_int_equal(relocation->lookup.faults, 4);
	assert_int_equal(relocation->lookup_count, 2);
	assert_string_equal(relocation->lookups[0].name, "imported");
	assert_int_equal(relocation->lookups[0].faults, 2);
	assert_string_equal(relocation->lookups[1].name, "exported");
}

// ---- Relinks --------------------------------------------------------------------------------

TEST(packing_counts_what_is_left_and_what_is_packed)
{
	begin(open_library(NULL));
	READ(0x1000, PROGRAM);
	const struct model_relocation *relocation = finish()->relocation;
	const struct model_relink *packed = relink(relocation, "-z pack-relative-relocs");

	// 0x3008, 0x3010 and 0x3060 in .rela.dyn; all seven together are 0x3008 and two bitmaps.
	assert_true(packed->applies);
	assert_int_equal(packed->relocations, 3);
	assert_int_equal(packed->table_bytes, 24 - 24 - 3 * 24);
	assert_int_equal(packed->written_pages, 0);
	// Other slots are in neither.
	assert_int_equal(relocation->relative_bytes, 3 * 24 + 24);
	assert_int_equal(relocation->packed_bytes, 24);
}

TEST(own_symbols_can_be_bound_at_link_time)
{
	begin(open_library(NULL));
	READ(0x1000, PROGRAM);
	const struct model_relocation *relocation = finish()->relocation;
	const struct model_relink *all = relink(relocation, "-Bsymbolic");
	const struct model_relink *functions = relink(relocation, "-Bsymbolic-functions");

	assert_true(all->applies && functions->applies);
	assert_int_equal(all->relocations, 1); // exported, a function; COPY is none of these
	assert_int_equal(functions->relocations, 1);
	assert_int_equal(functions->lookups, -1);
	assert_int_equal(functions->table_bytes, -24); // relative, and so packed with the others
	assert_int_equal(all->lookups, -2);	       // copied, too
}

/** Mark it -z now and -Bsymbolic: the entry before DT_NULL is DT_RELACOUNT. */
static void bind_now(struct elffile *file)
{
	Elf64_Dyn *dynamic =
		(Elf64_Dyn *)(file->bytes + elffile_section_named(file, ".dynamic")->sh_offset);

	while (dynamic[1].d_tag != DT_NULL)
		dynamic++;
	dynamic->d_tag = DT_FLAGS;
	dynamic->d_un.d_val = DF_BIND_NOW | DF_SYMBOLIC;
}

TEST(binding_is_lazy_or_at_the_start)
{
	begin(open_library(NULL));
	READ(0x1000, PROGRAM);
	const struct model_relocation *relocation = finish()->relocation;
	assert_true(relink(relocation, "-z now")->applies);
	assert_int_equal(relink(relocation, "-z now")->lookups, 1);
	assert_true(relink(relocation, "-fno-plt")->applies);
	assert_false(relink(relocation, "-z lazy")->applies);
	assert_true(relink(relocation, "--hash-style=gnu")->applies);
	assert_false(relink(relocation, "-no-pie")->applies);
	assert_false(relink(relocation, "prelink")->applies);

	begin(open_library(bind_now));
	READ(0x1000, PROGRAM);
	relocation = finish()->relocation;
	assert_true(relocation->bind_now);
	assert_int_equal(relocation->lookups_at_load, 4);
	assert_false(relink(relocation, "-z now")->applies);
	assert_false(relink(relocation, "-fno-plt")->applies);
	assert_true(relink(relocation, "-z lazy")->applies);
	assert_int_equal(relink(relocation, "-z lazy")->lookups, -1);
	assert_false(relink(relocation, "-Bsymbolic")->applies);
}

static void make_pie(struct elffile *file)
{
	Elf64_Dyn *dynamic =
		(Elf64_Dyn *)(file->bytes + elffile_section_named(file, ".dynamic")->sh_offset);

	while (dynamic[1].d_tag != DT_NULL)
		dynamic++;
	dynamic->d_tag = DT_FLAGS_1;
	dynamic->d_un.d_val = DF_1_PIE;
}

TEST(a_fixed_address_spares_relative_relocations)
{
	begin(open_library(make_pie));
	READ(0x1000, PROGRAM);
	const struct model_relocation *relocation = finish()->relocation;
	const struct model_relink *fixed = relink(relocation, "-no-pie");

	assert_true(fixed->applies);
	assert_int_equal(fixed->relocations, 8);
	assert_int_equal(fixed->table_bytes, -(3 * 24 + 24));
	assert_int_equal(fixed->written_pages, 0); // 0x3000 holds others, too
	assert_false(relink(relocation, "-Bsymbolic")->applies);
}

// ---- Data -----------------------------------------------------------------------------------

TEST(pages_have_the_cause_of_their_first_copy)
{
	begin(open_library(NULL));
	READ(0x3300, LOADER);
	WRITE(0x3600, LOADER); // zeroing, before relocation
	WRITE(0x4100, PROGRAM);
	WRITE(0x4200, PROGRAM); // another process
	WRITE(0x5000, RELOCATION);
	READ(0x1000, PROGRAM);
	const struct model_data *data = finish()->data;

	assert_non_null(data);
	assert_int_equal(data->page_count, 2); // relocation's page is told of elsewhere
	assert_int_equal(data->pages[0].vaddr, 0x3000);
	assert_int_equal(data->pages[0].cause, MODEL_DATA_ZEROED_TAIL);
	assert_int_equal(data->pages[0].count.faults, 2);
	assert_int_equal(data->pages[0].relocations, 13);
	assert_int_equal(data->pages[1].vaddr, 0x4000);
	assert_int_equal(data->pages[1].cause, MODEL_DATA_FIRST_TOUCH);
	assert_string_equal(data->pages[1].section, ".bss");
	assert_int_equal(data->pages_of[MODEL_DATA_RELOCATED], 1);
	assert_int_equal(data->faults[MODEL_DATA_FIRST_TOUCH], 2);
	assert_true(data->tail_is_shared);
	assert_int_equal(data->tail_vaddr, 0x3600);
	assert_int_equal(data->tail_bytes, 0xa00);
	assert_int_equal(data->bss_size, 0x2200);
	assert_int_equal(data->bss_pages, 2);
	assert_int_equal(data->bss_pages_touched, 2);
}

TEST(the_tail_is_zeroed_by_kernel_or_loader_only)
{
	static const struct {
		uint64_t vaddr;
		enum model_initiator initiator;
		enum model_data_cause cause;
	} cases[] = {
		{ 0x3600, MODEL_EXEC, MODEL_DATA_ZEROED_TAIL },
		{ 0x3ff8, MODEL_LOADER, MODEL_DATA_ZEROED_TAIL },
		{ 0x35ff, MODEL_LOADER, MODEL_DATA_WRITTEN }, // before the end of .data
		{ 0x3600, MODEL_PROGRAM, MODEL_DATA_WRITTEN },
		{ 0x3600, MODEL_RELOCATION, MODEL_DATA_RELOCATED },
		{ 0x4000, MODEL_LOADER, MODEL_DATA_FIRST_TOUCH },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(open_library(NULL));
		add(cases[i].vaddr, cases[i].initiator, MODEL_ACCESS_WRITE);
		assert_int_equal(finish()->data->pages_of[cases[i].cause], 1);
	}
}

TEST(a_page_that_is_only_read_is_not_copied)
{
	begin(open_library(NULL));
	READ(0x3300, LOADER);
	const struct model_data *data = finish()->data;
	assert_int_equal(data->pages_of[MODEL_DATA_READ], 1);
	assert_int_equal(data->pages[0].cause, MODEL_DATA_READ);

	begin(open_library(NULL));
	READ(0x1000, PROGRAM);
	assert_null(finish()->data);
}

/** @count objects of 4 bytes in .bss from 0x4000 on, as .dynsym has room for three. */
static void scatter(struct elffile *file)
{
	Elf64_Sym *symbols =
		(Elf64_Sym *)(file->bytes + elffile_section_named(file, ".dynsym")->sh_offset);

	for (int i = 1; i <= 3; i++) {
		symbols[i].st_shndx = symbols[3].st_shndx;
		symbols[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
		symbols[i].st_size = 4;
	}
	symbols[1].st_value = 0x4010;
	symbols[2].st_value = 0x4000;
	symbols[3].st_value = 0x4ffe; // into the next page
}

TEST(a_page_lists_what_was_touched_first)
{
	begin(open_library(scatter));
	WRITE(0x4010, PROGRAM);
	READ(0x4012, PROGRAM);
	WRITE(0x5001, PROGRAM);
	const struct model_data *data = finish()->data;

	assert_int_equal(data->page_count, 2);
	const struct model_data_page *page = &data->pages[0];
	assert_int_equal(page->symbols_on_page, 3);
	assert_int_equal(page->symbol_count, 3);
	assert_string_equal(page->symbols[0].name, "imported");
	assert_int_equal(page->symbols[0].faults, 2);
	assert_int_equal(page->symbols[0].writes, 1);
	assert_string_equal(page->symbols[1].name, "exported");
	assert_int_equal(page->symbols[1].faults, 0);
	assert_string_equal(page->symbols[2].name, "copied");
	assert_int_equal(data->pages[1].symbol_count, 1); // "copied" reaches into it
	assert_string_equal(data->pages[1].symbols[0].name, "copied");
}

// ---- Damage ---------------------------------------------------------------------------------

static void check_bounds(const struct model_object *row)
{
	const struct model_relocation *relocation = row->relocation;
	const struct model_data *data = row->data;

	if (relocation) {
		assert_true(relocation->pages_written <= relocation->pages_holding);
		assert_true(relocation->relro_pages_written <= relocation->pages_written);
		for (size_t i = 0; i < relocation->section_count; i++)
			assert_true(relocation->sections[i].pages_written <=
				    relocation->sections[i].pages_holding);
		for (size_t i = 0; i < relocation->table_count; i++)
			assert_true(relocation->tables[i].pages_mapped <=
				    relocation->tables[i].pages);
	}
	if (data) {
		assert_true(data->page_count <= MODEL_DATA_PAGES_MAX);
		for (size_t i = 0; i < data->page_count; i++) {
			assert_true(data->pages[i].symbol_count <= MODEL_DATA_SYMBOLS_MAX);
			assert_true(data->pages[i].symbol_count <= data->pages[i].symbols_on_page);
			assert_true(i == 0 || data->pages[i - 1].vaddr < data->pages[i].vaddr);
		}
	}
}

TEST(damaged_files_keep_every_count_within_its_bounds)
{
	enum { ROUNDS = 3000, FAULTS = 40 };
	CLEANUP(elffile_deinit) struct elffile whole = elffile_fixture("relocations64");
	unsigned seed = 20240608;

	printf("# seed %u\n", seed);
	for (int round = 0; round < ROUNDS; round++) {
		CLEANUP(elffile_deinit)
		struct elffile file = { xcalloc(whole.size, 1), whole.size };
		struct elfmap *map = NULL;
		struct err err;

		memcpy(file.bytes, whole.bytes, whole.size);
		for (int n = 1 + rand_r(&seed) % 4; n > 0; n--) {
			// The program headers, the tables, .dynamic, or anything.
			static const size_t ends[] = { 0x1c0, 0x500, 0x2600, 0 };
			size_t end = ends[rand_r(&seed) % 4];

			file.bytes[(size_t)rand_r(&seed) % (end ? end : file.size)] =
				(uint8_t)rand_r(&seed);
		}
		if (!elffile_open(&file, &map, &err))
			continue;
		begin(map);
		for (int n = 0; n < FAULTS; n++) {
			struct model_fault *fault =
				add((uint64_t)rand_r(&seed) % 0x6000,
				    (enum model_initiator)(rand_r(&seed) % MODEL_INITIATORS),
				    (enum model_access)(rand_r(&seed) % MODEL_ACCESSES));

			fault->has_around = rand_r(&seed) % 2;
			uint64_t offset = (uint64_t)rand_r(&seed) % 0x6000;
			set_around(fault, offset, (uint32_t)rand_r(&seed) % 20);
		}
		check_bounds(finish());
	}
}
