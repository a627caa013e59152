// SPDX-License-Identifier: Apache-2.0
// Models written out by hand, for the tests of renderers.
#pragma once

#include "model/data.h"
#include "model/listing.h"
#include "model/relocation.h"

#include <string.h>

#define MODELS_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** A name that tries everything: quotes, escape sequences, line ends, bytes that are not UTF-8. */
#define MODELS_HOSTILE "\"evil\",\x1b[31m\r\n\t\\\xff\xe2\x80\xae</script>=1+1"

/** A struct model_spent: the cost of code. */
#define MODELS_SPENT                   \
	{                              \
		900, 400, 500, 2, 1, 0 \
	}

enum { MODELS_LONG_NAME = 12000 };

static const char *models_long_name(void)
{
	static char name[MODELS_LONG_NAME + 1];

	memset(name, 'n', MODELS_LONG_NAME);
	return name;
}

/**
 * Five faults in two objects and the heap, as `sample 'two words'` might have had them: one is
 * major, one has no ip (exec), one a stack of three frames, one fault-around. Release with
 * model_close().
 */
static struct model *models_sample(void)
{
	static const char *const command[] = { "sample", "two words" };
	static const uint32_t app_sections[] = { 0, 1 };
	static const uint32_t app_symbols[] = { 0, 1 };
	static const struct model_toucher app_touchers[] = {
		{ .function = 0, .count = { 2, 1, 3000, 30, .own_ns = 3000 } },
		{ .function = 1, .count = { 1, 0, 0 } },
	};
	static const struct model_initializer initializers[] = {
		{ .array = ".init_array",
		  .function = "setup()",
		  .has_offset = true,
		  .offset = 0x1140,
		  .vaddr = 0x1140,
		  .source = "setup.cc",
		  .count = { 1, 0, 0 },
		  .pages = 1,
		  .code_pages = 2,
		  .code_pages_only = 1,
		  .first_ns = 40,
		  .last_ns = 40 },
		{ .index = 1, .array = ".init_array", .vaddr = 0x5000 },
	};
	static const struct model_toucher app_blamed[] = {
		{ .function = 1, .count = { 2, 1, 2500, 30, .own_ns = 2500 } },
	};
	static const struct model_relocated_section relocated[] = {
		{ ".data.rel.ro", 1000, 3, 2, 12288 },
		{ MODELS_HOSTILE, 1, 1, 0, 8 },
	};
	static const struct model_relocation_table tables[] = {
		{ ".dynsym", true, 48, 1, 1, 1 },
		{ ".rela.dyn", false, 24024, 6, 1, 5 },
	};
	static const struct model_lookup lookups[] = {
		{ "malloc", 2 }, { MODELS_HOSTILE, 1 }, { "a", 1 }, { "b", 1 }
	};
	static const struct model_relink relinks[] = {
		{ "-z pack-relative-relocs", true, 1000, -23800, -5, 0, 0, "packs well" },
		{ "-no-pie", true, 1001, -24024, -6, -2, -1, "no slots" },
		{ "-z now", true, 1, 0, 0, 0, 1, "binds" },
		{ "-Bsymbolic", false, 0, 0, 0, 0, 0, MODELS_HOSTILE },
	};
	static const struct model_relocation relocation = {
		.counts = { [MODEL_RELOCATION_RELATIVE] = 1000, [MODEL_RELOCATION_SYMBOLIC] = 1 },
		.uses_rela = true,
		.relro_bytes = 12288,
		.relro_pages = 3,
		.relro_pages_written = 2,
		.table_bytes = 24024,
		.lookups_at_load = 1,
		.pages_holding = 4,
		.pages_written = 2,
		.relocation = { 7, 1, 3000, .own_ns = 3000 },
		.lookup = { 5, 0, 0 },
		.sections = relocated,
		.section_count = 2,
		.tables = tables,
		.table_count = 2,
		.lookups = lookups,
		.lookup_count = 4,
		.relinks = relinks,
		.relink_count = 4,
	};
	static const struct model_data_symbol data_symbols[] = {
		{ "counter", 0x6010, 4, 2, 1 },
		{ MODELS_HOSTILE, 0x6020, 8, 1, 0 },
		{ "untouched", 0x6000, 16, 0, 0 },
	};
	static const struct model_data_page data_pages[] = {
		{ 0x6000, ".data", MODEL_DATA_WRITTEN, { 3, 1, 100 }, 2, data_symbols, 3, 9 },
		{ 0x7000, ".bss", MODEL_DATA_ZEROED_TAIL, { 1, 0, 0 }, 0, NULL, 0, 1 },
		{ 0x8000, NULL, MODEL_DATA_FIRST_TOUCH, { 1, 0, 0 }, 0, NULL, 0, 0 },
	};
	static const struct model_data data = {
		.pages = data_pages,
		.page_count = 3,
		.pages_left_out = 1,
		.faults = { 1, 2, 1, 3, 0 },
		.pages_of = { 1, 2, 1, 1, 0 },
		.bss_size = 9000,
		.bss_pages = 2,
		.bss_pages_touched = 1,
		.tail_is_shared = true,
		.tail_vaddr = 0x7100,
		.tail_bytes = 0xf00,
	};
	static const uint32_t lib_sections[] = { 2 };
	static const struct model_toucher lib_touchers[] = {
		{ .function = 2, .count = { 1, 0, 900, .own_ns = 900 } },
	};
	static const uint32_t heap_sections[] = { 3 };
	static const uint32_t shown[] = { 0, 1, 2 };
	static const struct model_section sections[] = {
		{ 0, ".data.rel.ro", { 2, 1, 3000, 30, .own_ns = 3000 }, 2, 12288, 3 },
		{ 0, ".text", { 1, 0, 0 }, 1, 4097, 1 },
		{ 1, MODELS_HOSTILE, { 1, 0, 900, .own_ns = 900 }, 1, 0, -1 },
		{ 2, "[heap]", { 1, 0, 100, .own_ns = 100 }, 1, 0, -1 },
	};
	static const struct model_function functions[] = {
		{ 1, "_dl_relocate_object", ".text", { 3, 1, 3900, 30 } },
		{ 0, MODELS_HOSTILE, ".text", { 1, 0, 0 } },
		{ 1, NULL, NULL, { 1, 0, 900 } },
	};
	static const struct model_cure advice[] = {
		{ MODEL_FOR_BUILD, "Have fewer pointers in constant data: tables of offsets into "
				   "one string instead of char pointers." },
		{ MODEL_FOR_RUN, "Ask early." },
	};
	static const struct model_finding_file files[] = {
		{ .object = 0, .faults = 2, .saves = { .faults = 2 }, .evidence = "Two." },
		{ .object = 1, .faults = 1, .saves = { .faults = 1 }, .evidence = "One." },
	};
	static const struct model_finding findings[] = {
		{ .id = "relocated-data",
		  .title = "Constant data is copied to be relocated",
		  .object = 0,
		  .faults = 2,
		  .pages = 2,
		  .duration_ns = 3000,
		  .own_ns = 3000,
		  .saves = { .faults = 2, .duration_ns = 3000, .is = MODEL_AT_MOST },
		  .evidence = "Names may be anything: " MODELS_HOSTILE,
		  .advice = "Have fewer pointers in constant data: tables of offsets into "
			    "one string instead of char pointers.",
		  .cures = advice,
		  .cure_count = 1,
		  .files = &files[0],
		  .file_count = 1 },
		{ .id = "relocated-data",
		  .title = "Constant data is copied to be relocated",
		  .object = 1,
		  .faults = 1,
		  .pages = 1,
		  .saves = { .faults = 1, .is = MODEL_AT_LEAST },
		  .evidence = "One pointer.",
		  .advice = "Have fewer pointers in constant data: tables of offsets into "
			    "one string instead of char pointers.",
		  .cures = advice,
		  .cure_count = 1,
		  .files = &files[1],
		  .file_count = 1 },
		{ .id = "cold-start",
		  .title = "Pages are waited for from disk",
		  .object = MODEL_NONE,
		  .faults = 1,
		  .pages = 1,
		  .duration_ns = 2500,
		  .own_ns = 2500,
		  .saves = { .duration_ns = 2400,
			     .storage_ns = 2400,
			     .is = MODEL_PREDICTION,
			     .error_ns = 300 },
		  .evidence = "One page.",
		  .advice = "Ask early.",
		  .cures = &advice[1],
		  .cure_count = 1 },
	};
	static const struct model_inlined inlined[] = {
		{ "elf_machine_rela(char*)", "/src/" MODELS_HOSTILE ":12" },
		{ NULL, NULL },
	};
	static const struct model_code codes[] = {
		{ "/src/do-rel.h:7", "mov qword ptr [rdi + 8], rax", 0, 2 },
		{ MODELS_HOSTILE, NULL, 0, 0 },
	};
	static const struct model_listing_file listing_files[] = {
		{ "/src/" MODELS_HOSTILE ".c", "changed, " MODELS_HOSTILE },
	};
	static const struct model_listing_line listing_lines[] = {
		{ 0, 11, NULL, "call(" MODELS_HOSTILE ");", { 0 }, MODELS_SPENT },
		{ MODEL_NONE, 0, MODELS_HOSTILE, NULL, MODELS_SPENT, { 0 } },
	};
	static const struct model_listing_instruction listed[] = {
		{ 0x1230, NULL, MODEL_NONE, false, { 0 } },
		{ 0x1234, "mov " MODELS_HOSTILE, 1, false, MODELS_SPENT },
	};
	static const struct model_listing listings[] = {
		{ 0, 0x1200, 0x80, MODELS_SPENT, listing_files, 1, listing_lines, 2, listed, 2,
		  true },
	};
	static const char *const comms[] = { "sample", MODELS_HOSTILE };
	static const struct model_program programs[] = {
		{ 7, true, .parent = MODEL_NONE },
		{ UINT32_MAX, false, .parent = MODEL_NONE },
	};
	static const struct model_thread threads[] = {
		{ 0, 7, 7, 0 },
		{ 0, 7, 8, 1 },
		{ 1, UINT32_MAX, 1, MODEL_NONE },
	};
	static const struct model_frame frame_rows[] = {
		{ 0x7f0000001234, 1, 0, true, 0x1234, 0x34, false, 0 },
		{ 0x7f0000005678, 1, 2, true, 0x5678, 0, false, 1 },
		{ 0x10, MODEL_NONE, MODEL_NONE, false, 0, 0, false, MODEL_NONE },
	};
	static const struct model_frame *const frames[] = { &frame_rows[0], &frame_rows[1],
							    &frame_rows[2] };
	static const struct model_stack stacks[] = { { frames, 3, false, true } };
	static const struct model_ip ips[] = {
		{ .object = MODEL_NONE, .name = MODEL_NONE, .code = MODEL_NONE },
		{ 0x7f0000001234, 0x1234, 0x1234, 0x34, 1, 0, 0, true, true },
		{ 0x555555556000, 0x2000, 0x2000, 0, 0, 1, MODEL_NONE, true, true },
		{ 0x7f0000005678, 0, 0, 5, 1, 2, MODEL_NONE, false, false },
	};
	// From 0x3000 and 0x2000 on, for a fault at 0x3010.
	static const struct model_extent extent = { 0, 16, 30, 32, -UINT64_C(0x1000) };
	static const struct model_fault faults[] = {
		{ .time_ns = 10,
		  .addr = 0x7ffffffff000,
		  .thread = 0,
		  .stack = MODEL_NONE,
		  .access = MODEL_ACCESS_WRITE,
		  .mode = MODEL_KERNEL,
		  .mechanism = MODEL_ZERO_FILL,
		  .initiator = MODEL_INITIATOR_UNKNOWN,
		  .duration_ns = 100,
		  .has_duration = true,
		  .at.object = 2,
		  .at.section = 3,
		  .at.name = MODEL_NONE,
		  .initializer = MODEL_NONE,
		  .init_object = MODEL_NONE,
		  .blame = MODEL_NONE,
		  .by = &ips[0] },
		{ .time_ns = 20,
		  .duration_ns = 2500,
		  .addr = 0x555555558010,
		  .thread = 0,
		  .stack = 0,
		  .kind = MODEL_MAJOR,
		  .access = MODEL_ACCESS_WRITE,
		  .mechanism = MODEL_PRIVATE_WRITE,
		  .initiator = MODEL_INITIATOR_UNKNOWN,
		  .has_duration = true,
		  .has_ip = true,
		  .at.has_offset = true,
		  .at.has_vaddr = true,
		  .has_around = true,
		  .has_read = true,
		  .at.object = 0,
		  .at.section = 0,
		  .at.name = 0,
		  .at.offset = 0x3010,
		  .at.vaddr = 0x4010,
		  .initializer = MODEL_NONE,
		  .init_object = MODEL_NONE,
		  .blame = 1,
		  .by = &ips[1],
		  .extent = &extent },
		{ .time_ns = 30,
		  .duration_ns = 500,
		  .addr = 0x555555559000,
		  .thread = 1,
		  .stack = MODEL_NONE,
		  .access = MODEL_ACCESS_WRITE,
		  .mechanism = MODEL_COW_BREAK,
		  .initiator = MODEL_INITIATOR_UNKNOWN,
		  .has_duration = true,
		  .has_ip = true,
		  .at.has_vaddr = true,
		  .at.object = 0,
		  .at.section = 0,
		  .at.name = 1,
		  .at.vaddr = 0x5000,
		  .initializer = MODEL_NONE,
		  .init_object = MODEL_NONE,
		  .blame = MODEL_NONE,
		  .by = &ips[1] },
		{ .time_ns = 40,
		  .addr = 0x555555556000,
		  .thread = 0,
		  .stack = MODEL_NONE,
		  .access = MODEL_ACCESS_EXEC,
		  .mechanism = MODEL_FILE_MAP,
		  .initiator = MODEL_INITIATOR_UNKNOWN,
		  .has_ip = true,
		  .at.has_offset = true,
		  .at.has_vaddr = true,
		  .at.object = 0,
		  .at.section = 1,
		  .at.name = MODEL_NONE,
		  .at.offset = 0x2000,
		  .at.vaddr = 0x2000,
		  .initializer = 0,
		  .blame = 1,
		  .by = &ips[2] },
		{ .time_ns = UINT64_MAX,
		  .duration_ns = 900,
		  .addr = UINT64_MAX,
		  .thread = 2,
		  .stack = MODEL_NONE,
		  .access = MODEL_ACCESS_UNKNOWN,
		  .mechanism = MODEL_MECHANISM_OTHER,
		  .initiator = MODEL_INITIATOR_UNKNOWN,
		  .has_duration = true,
		  .has_ip = true,
		  .at.object = 1,
		  .at.section = 2,
		  .at.name = MODEL_NONE,
		  .initializer = MODEL_NONE,
		  .init_object = MODEL_NONE,
		  .blame = MODEL_NONE,
		  .by = &ips[3] },
	};
	struct model *model = xcalloc(1, sizeof(*model));
	struct model_symbol *symbols = arena_array(&model->arena, 2, sizeof(*symbols));
	struct model_object *objects = arena_array(&model->arena, 3, sizeof(*objects));
	struct model_fault *copies = xcalloc(MODELS_COUNT(faults), sizeof(*copies));

	symbols[0] = (struct model_symbol){ 0,
					    0,
					    MODEL_POINTEE,
					    "&llvm::Foo::bar(int, char)",
					    true,
					    0x3000,
					    0x4000,
					    64,
					    { 1, 1, 2500, 30, .own_ns = 2500 } };
	symbols[1] = (struct model_symbol){ 0,
					    0,
					    MODEL_SYMBOL,
					    models_long_name(),
					    false,
					    0,
					    0x5000,
					    0,
					    { 1, 0, 500, .own_ns = 500 } };
	objects[0] = (struct model_object){
		.path = "/opt/app/sample",
		.is_file = true,
		.is_elf = true,
		.was_read = true,
		.build_id = "00ff",
		.size = 1 << 20,
		.symbols = "symtab",
		.count = { 3, 1, 3000, 30, .own_ns = 3000 },
		.sections = app_sections,
		.section_count = 2,
		.symbols_touched = app_symbols,
		.symbol_count = 2,
		.touchers = app_touchers,
		.toucher_count = 2,
		.blamed = app_blamed,
		.blamed_count = 1,
		.initializer_count = 2,
		.relocation = &relocation,
		.data = &data,
	};
	objects[0].by_initiator[MODEL_INITIATOR_UNKNOWN] = 3;
	objects[0].by_mechanism[MODEL_PRIVATE_WRITE] = 1;
	objects[0].by_mechanism[MODEL_COW_BREAK] = 1;
	objects[0].by_mechanism[MODEL_FILE_MAP] = 1;
	objects[0].by_access[MODEL_ACCESS_WRITE] = 2;
	objects[0].by_access[MODEL_ACCESS_EXEC] = 1;
	objects[1] = (struct model_object){
		.path = "/lib/" MODELS_HOSTILE,
		.is_file = true,
		.is_elf = true,
		.soname = MODELS_HOSTILE,
		.symbols = "none",
		.count = { 1, 0, 900, .own_ns = 900 },
		.sections = lib_sections,
		.section_count = 1,
		.touchers = lib_touchers,
		.toucher_count = 1,
		.is_forced = true,
	};
	objects[1].by_initiator[MODEL_INITIATOR_UNKNOWN] = 1;
	objects[1].by_mechanism[MODEL_MECHANISM_OTHER] = 1;
	objects[1].by_access[MODEL_ACCESS_UNKNOWN] = 1;
	objects[2] = (struct model_object){
		.path = "[heap]",
		.symbols = "none",
		.count = { 1, 0, 100, .own_ns = 100 },
		.sections = heap_sections,
		.section_count = 1,
	};
	objects[2].by_initiator[MODEL_INITIATOR_UNKNOWN] = 1;
	objects[2].by_mechanism[MODEL_ZERO_FILL] = 1;
	objects[2].by_access[MODEL_ACCESS_WRITE] = 1;
	memcpy(copies, faults, sizeof(faults));

	model->initializers = initializers;
	model->initializer_count = 2;
	model->trace = (struct model_trace){
		.path = "elfault.trace",
		.command = command,
		.command_count = 2,
		.backend = "bpf",
		.kernel = "6.18.0",
		.machine = "x86_64",
		.page_size = 4096,
		.duration_ns = 31200000,
		.complete = true,
		.has_stacks = true,
		.has_reads = true,
	};
	model->counts = (struct model_counts){
		.recorded = 5,
		.attributed = 4,
		.unattributed = 1,
		.minor = 4,
		.major = 1,
		.has_rusage = true,
		.rusage_minor = 7,
		.rusage_major = 1,
		.has_unsampled = true,
		.unsampled = 1,
		.before_exec = 2,
		.processes = 1,
		.threads = 2,
		.programs = 1,
		.in_elf = 3,
		.in_elf_section = 3,
		.in_elf_symbol = 2,
		.has_reads = true,
		.read_bytes = 122880,
	};
	model->total = (struct model_count){ 5, 1, 4000, 30, .own_ns = 4000 };
	model->objects = objects;
	model->object_count = 3;
	model->shown = shown;
	model->shown_count = 3;
	model->sections = sections;
	model->section_count = MODELS_COUNT(sections);
	model->symbols = symbols;
	model->symbol_count = 2;
	model->findings = findings;
	model->finding_count = MODELS_COUNT(findings);
	model->blamed = app_blamed;
	model->blamed_count = 1;
	model->codes = codes;
	model->code_count = MODELS_COUNT(codes);
	model->inlined = inlined;
	model->inlined_count = MODELS_COUNT(inlined);
	model->listings = listings;
	model->listing_count = MODELS_COUNT(listings);
	model->functions = functions;
	model->function_count = MODELS_COUNT(functions);
	model->comms = comms;
	model->comm_count = MODELS_COUNT(comms);
	model->programs = programs;
	model->program_count = MODELS_COUNT(programs);
	model->threads = threads;
	model->thread_count = MODELS_COUNT(threads);
	model->stacks = stacks;
	model->stack_count = MODELS_COUNT(stacks);
	model->faults = copies;
	model->fault_count = MODELS_COUNT(faults);
	notes_add(&model->notes, "sample: %s", MODELS_HOSTILE);
	notes_add(&model->notes, "seen twice");
	notes_add(&model->notes, "seen twice");
	return model;
}

/** The same where all was in memory: nothing was read, and that is known. */
__attribute__((unused)) static struct model *models_warm_sample(void)
{
	struct model *model = models_sample();
	struct model_object *objects =
		(struct model_object *)model->objects; // models_sample()'s own
	struct model_fault *faults = (struct model_fault *)model->faults;

	model->counts.read_bytes = 0;
	model->total.read_pages = 0;
	for (size_t i = 0; i < model->object_count; i++)
		objects[i].count.read_pages = 0;
	for (size_t i = 0; i < model->fault_count; i++)
		faults[i].has_read = false;
	return model;
}
