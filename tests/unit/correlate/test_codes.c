// SPDX-License-Identifier: Apache-2.0
// Sources and instructions of faults: a made-up trace in which this very program faults.
#include "base/cleanup.h"
#include "correlate/answer/phases.h"
#include "correlate/correlate.h"
#include "model/account.h"
#include "model/listing.h"
#include "tests/support/traces.h"

#include <elf.h>
#include <limits.h>

// One instruction with a memory operand, of a function without a line of its own.
__asm__(".pushsection .text\n.type stores, @function\nstores:\n\tmovq %rax, 8(%rdi)\n\tret\n"
	".size stores, . - stores\n.popsection\n");

/** Two, and where the compiler put them: never called. */
static __attribute__((noinline, used)) int two(volatile int *value)
{
	return *value + 2;
}

enum { MAPPED_AT = 0x10000000 };

/** An address in @name as the trace has it, where the file is mapped from vaddr 0 on. */
static uint64_t addr_of(struct elfmap *map, const char *name)
{
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(symbols[i].name, name) == 0)
			return MAPPED_AT + symbols[i].vaddr;
	fail_msg("%s is not in this program", name);
	return 0;
}

/** Map every segment of the program, as the kernel does. */
static void print_mappings(struct elfmap *map, const char *path, FILE *out)
{
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t skew = segments[i].vaddr % 4096;

		if (segments[i].type != PT_LOAD || segments[i].file_size == 0)
			continue;
		fprintf(out,
			"map pid=10 tid=10 time=2000 addr=0x%llx size=0x%llx offset=0x%llx "
			"prot=r-xp path=\"%s\"\n",
			(unsigned long long)(MAPPED_AT + segments[i].vaddr - skew),
			(unsigned long long)align_up(segments[i].file_size + skew, 4096),
			(unsigned long long)(segments[i].offset - skew), path);
	}
}

/**
 * The trace: two faults by stores(), whose caller is two(), and one by code that is not mapped.
 * Then two() is seen to compute.
 */
static struct trace *made_up_trace(struct elfmap *map)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	CLEANUP(freep) char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned long long ip = addr_of(map, "stores"), caller = addr_of(map, "two") + 1;

	assert_true(length > 0);
	path[length] = '\0';
	fputs("elfault-trace-text 1\n"
	      "meta arg=\"prog\" backend=\"bpf\" machine=\"x86_64\" page_size=4096 root_pid=10 "
	      "start=1000 stacks=yes pauses=yes\n"
	      "exec pid=10 tid=10 time=1000 comm=\"prog\"\n",
	      out);
	print_mappings(map, path, out);
	fprintf(out, "stack id=1 frames=0x%llx,0x%llx\n", ip, caller);
	for (int i = 0; i < 2; i++)
		fprintf(out,
			"fault pid=10 tid=10 time=%d addr=0x9000 ip=0x%llx error=write,user "
			"stack=1\n",
			3000 + i, ip);
	fputs("fault pid=10 tid=10 time=4000 addr=0x9000 ip=0x9999 error=write,user\n", out);
	fprintf(out, "sample time=5000 pid=10 period=100 ip=0x%llx\nsummary end=9000\n",
		caller - 1);
	fclose(out);
	return read_text(text);
}

static struct model *answer(const struct correlate_options *options)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	CLEANUP(trace_closep) struct trace *trace = NULL;
	struct model *model;
	struct err err;

	if (!elfmap_open("/proc/self/exe", NULL, &map, &err))
		fail_msg("%s", err.message);
	trace = made_up_trace(map);
	if (!correlate(trace, options, &model, &err))
		fail_msg("%s", err.message);
	assert_int_equal(model->fault_count, 3);
	return model;
}

TEST(a_fault_has_its_instruction_and_its_callers_lines)
{
	CLEANUP(model_closep)
	struct model *model = answer(&(struct correlate_options){
		.needs = NEED_TABLES | NEED_SOURCES | NEED_CODES | NEED_FRAME_SOURCES });
	const struct model_fault *faults = model->faults;

	assert_int_equal(faults[0].by->code, faults[1].by->code);
	assert_true(faults[0].by->code < model->code_count);
	assert_string_equal(model->codes[faults[0].by->code].instruction,
			    "mov qword ptr [rdi + 8], rax");
	assert_int_equal(faults[2].by->code, MODEL_NONE);

	const struct model_frame *const *frames = model->stacks[faults[0].stack].frames;
	assert_int_equal(frames[0]->code, faults[0].by->code);
	if (frames[1]->code == MODEL_NONE)
		skip(); // built without debug information
	const struct model_code *caller = &model->codes[frames[1]->code];
	assert_null(caller->instruction);
	assert_non_null(strstr(caller->source, "tests/unit/correlate/test_codes.c:"));
	assert_int_equal(two(&(int){ 40 }), 42);
}

TEST(a_sample_has_the_line_of_its_function)
{
	CLEANUP(model_closep)
	struct model *model = answer(&(struct correlate_options){
		.needs = NEED_TABLES | NEED_SOURCES | NEED_TIME_SOURCES });
	CLEANUP(model_closep)
	struct model *without =
		answer(&(struct correlate_options){ .needs = NEED_TABLES | NEED_SOURCES });
	const struct model_spot *spot = &model->account->spots[0];

	assert_int_equal(model->account->spot_count, 1);
	assert_string_equal(model->functions[spot->function].name, "two");
	assert_int_equal(spot->blame, spot->function);
	assert_null(without->account->spots[0].source);
	if (!spot->source)
		skip(); // built without debug information
	assert_non_null(strstr(spot->source, "tests/unit/correlate/test_codes.c:"));
	assert_ptr_equal(spot->blame_source, spot->source);
}

TEST(what_was_not_asked_for_is_not_there)
{
	CLEANUP(model_closep)
	struct model *without =
		answer(&(struct correlate_options){ .needs = NEED_TABLES | NEED_SOURCES });
	CLEANUP(model_closep)
	struct model *ips = answer(
		&(struct correlate_options){ .needs = NEED_TABLES | NEED_SOURCES | NEED_CODES });

	assert_int_equal(without->code_count, 0);
	assert_null(without->listings);
	assert_int_equal(without->faults[0].by->code, MODEL_NONE);
	assert_int_equal(ips->code_count, 1);
	assert_int_equal(ips->stacks[ips->faults[0].stack].frames[1]->code, MODEL_NONE);
}

static const struct model_listing *listing_of(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->listing_count; i++)
		if (strcmp(model->functions[model->listings[i].function].name, name) == 0)
			return &model->listings[i];
	fail_msg("%s has no listing", name);
	return NULL;
}

TEST(a_function_is_listed_with_the_cost_of_its_code)
{
	CLEANUP(model_closep)
	struct model *model = answer(
		&(struct correlate_options){ .needs = NEED_TABLES | NEED_LISTINGS | NEED_MOMENTS });
	const struct model_listing *stores = listing_of(model, "stores");
	const struct model_listing *listing = listing_of(model, "two");

	assert_int_equal(model->listing_count, 2);
	assert_int_equal(stores->spent.faults, 2);
	assert_int_equal(stores->instructions[0].spent.faults, 2);
	assert_string_equal(stores->instructions[0].text, "mov qword ptr [rdi + 8], rax");
	assert_int_equal(stores->instructions[1].spent.faults, 0);
	assert_string_equal(stores->instructions[1].text, "ret");
	assert_int_equal(listing->spent.samples, 1);
	assert_true(listing->spent.cpu_ns > 0);
	assert_int_equal(listing->spent.own_ns, listing->spent.cpu_ns);
	assert_int_equal(listing->instructions[0].spent.own_ns, listing->spent.own_ns);
	if (listing->line_count == 0)
		skip(); // built without debug information
	uint64_t own_ns = 0;
	const struct model_listing_line *dearest = NULL;

	array_foreach (line, listing->lines, listing->line_count) {
		own_ns += line->spent.own_ns;
		if (line->spent.own_ns > 0)
			dearest = line;
	}
	assert_int_equal(own_ns, listing->spent.own_ns);
	assert_non_null(strstr(listing->files[0].path, "tests/unit/correlate/test_codes.c"));
	if (!listing->files[0].problem)
		assert_non_null(strstr(dearest->text, "two(volatile int *value)"));
}

TEST(a_whole_listing_has_every_instruction)
{
	CLEANUP(model_closep)
	struct model *near = answer(
		&(struct correlate_options){ .needs = NEED_TABLES | NEED_LISTINGS | NEED_MOMENTS });
	CLEANUP(model_closep)
	struct model *whole = answer(&(struct correlate_options){
		.needs = NEED_TABLES | NEED_LISTINGS | NEED_MOMENTS | NEED_WHOLE_LISTINGS });
	const struct model_listing *listing = listing_of(whole, "two");
	const struct model_listing_instruction *last =
		&listing->instructions[listing->instruction_count - 1];

	assert_true(listing->instruction_count >= listing_of(near, "two")->instruction_count);
	assert_int_equal(listing->instructions[0].vaddr, listing->vaddr);
	assert_true(last->vaddr + 16 > listing->vaddr + listing->size);
	assert_string_equal(last->text, "ret");
}
