// SPDX-License-Identifier: Apache-2.0
// The answer for a person.
#include "base/cleanup.h"
#include "model/account.h"
#include "model/layout.h"
#include "render/render.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

#include <string.h>

/** @model as text; free the result. */
static char *print(const struct model *model, struct terminal terminal, size_t top)
{
	const struct render_text_options options = { .terminal = terminal, .top = top };

	return text_written(render_text(model, &options, out));
}

static char *print_sample(struct terminal terminal, size_t top)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();

	return print(model, terminal, top);
}

/** Return the summary about unknown initiators if all stacks end in @object. */
static char *print_unknown(struct model_object object)
{
	static const struct model_frame frame = { .function = MODEL_NONE };
	static const struct model_frame *const frames[] = { &frame };
	static const struct model_stack stack = { .frames = frames, .frame_count = 1 };
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	const struct model_object *objects = model->objects;
	const struct model_stack *stacks = model->stacks;
	const size_t stack_count = model->stack_count;
	struct model_object *own =
		arena_copy(&model->arena, objects, model->object_count * sizeof(*own));

	own[0].path = object.path;
	own[0].is_elf = object.is_elf;
	own[0].was_read = object.was_read;
	own[0].layout = object.layout;
	model->objects = own;
	model->stacks = &stack;
	model->stack_count = 1;
	for (size_t i = 0; i < model->fault_count; i++) {
		struct model_fault *fault = (struct model_fault *)&model->faults[i];

		fault->stack = 0;
		fault->initiator = MODEL_INITIATOR_UNKNOWN;
	}
	char *text = print(model, (struct terminal){ 0 }, 10);

	model->stacks = stacks;
	model->stack_count = stack_count;
	return text;
}

const struct tests_around tests_around = { .locale = "C.UTF-8" };

TEST(only_elf_files_are_to_be_built_with_unwinding_data)
{
	CLEANUP(freep)
	char *library = print_unknown((struct model_object){
		.path = "/lib/libfoo.so", .is_elf = true, .was_read = true });
	CLEANUP(freep)
	char *gone =
		print_unknown((struct model_object){ .path = "/lib/libfoo.so", .is_elf = true });
	CLEANUP(freep) char *memory = print_unknown((struct model_object){ .path = "[anon]" });
	CLEANUP(freep) char *memfd = print_unknown((struct model_object){ .path = "/memfd:jit" });

	assert_non_null(strstr(library, "-fasynchronous-unwind-tables"));
	assert_non_null(strstr(gone, "which could not be read (see the notes)"));
	assert_non_null(strstr(memory, "[anon],\n             which is no ELF file: code that is "
				       "generated needs frame pointers"));
	assert_non_null(strstr(memfd, "which is no ELF file"));
}

TEST(the_remedy_is_of_the_toolchain_that_made_the_code)
{
	static const struct model_layout_section sections[] = { { .name = ".fpcdata" },
								{ .name = ".go.buildinfo" } };
	static const struct {
		struct model_layout layout;
		const char *remedy;
	} rows[] = {
		{ { .toolchain = "GCC: (Debian) 12.2.0, GHC 9.0.2" }, "(ghc makes it with -g" },
		{ { .sections = &sections[0], .section_count = 1 }, "(fpc makes it with -gw)" },
		{ { .sections = &sections[1], .section_count = 1 },
		  "-linkmode=external keeps it)" },
		{ { .toolchain = "GCC: (Debian) 12.2.0" }, "-fasynchronous-unwind-tables)" },
	};

	array_foreach (row, rows, sizeof(rows) / sizeof(rows[0])) {
		CLEANUP(freep)
		char *text = print_unknown((struct model_object){ .path = "/lib/libfoo.so",
								  .is_elf = true,
								  .was_read = true,
								  .layout = &row->layout });

		assert_non_null(strstr(text, row->remedy));
	}
}

TEST(the_summary_says_what_ran_and_that_it_adds_up)
{
	CLEANUP(freep) char *text = print_sample((struct terminal){ 0 }, 10);
	const char *expected =
		"sample 'two words'\n"
		"5 faults: 4 minor, 1 major; fault time 4.0 us; recorded for 31.2 ms\n"
		"\n"
		"  unknown    5 faults (100.0%) have an unknown initiator: they have no call "
		"stack\n"
		"  recorded   5 = 4 attributed + 1 unattributed; 0 lost\n"
		"  rusage     8 = 5 recorded + 2 before exec + 1 without an event (complete)\n"
		"  in ELF     3 (60.0%): 100.0% with a section, 66.7% with a name\n"
		"  recorder   bpf on Linux 6.18.0 x86_64, 4.0 KiB pages, with call stacks\n"
		"  ran        1 process, 2 threads, 1 program\n"
		"  mechanism  file-map 1 (20.0%), private-write 1 (20.0%), cow-break 1 (20.0%), "
		"zero-fill 1 (20.0%), other 1 (20.0%)\n"
		"\n"
		"  faults       %  major    time  initiator  mostly touched\n"
		"       5  100.0%      1  4.0 us  unknown    2 in .data.rel.ro of sample\n"
		"\n"
		"Findings\n"
		"  Constant data is copied to be relocated (sample): 2 faults, 40.0% of all, "
		"3.0 us\n"
		"    Names may be anything: "
		"\"evil\",\\x1b[31m\\x0d\\x0a\\x09\\\\xff\\u202e</script>=1+1\n"
		"    build: Have fewer pointers in constant data: tables of offsets into one "
		"string instead of char pointers. Saves up to 3.0 us and 2 faults.\n"
		"  Constant data is copied to be relocated (script>=1+1): 1 fault, 20.0% of all\n"
		"    One pointer.\n"
		"    Same advice as above. Saves at least 1 fault.\n"
		"  Pages are waited for from disk: 1 fault, 20.0% of all, 2.5 us\n"
		"    One page.\n"
		"    run: Ask early. Saves 2.4 us +- 300 ns.\n"
		"\n"
		"  faults      %  major    time  object\n"
		"       3  60.0%      1  3.0 us  sample\n"
		"       1  20.0%      0  900 ns  script>=1+1\n"
		"       1  20.0%      0  100 ns  [heap]\n"
		"\n"
		"  faults      %  major    time  in      blame: first outside libc and the like\n"
		"       2  40.0%      1  2.5 us  sample  "
		"\"evil\",\\x1b[31m\\x0d\\x0a\\x09\\\\xff\\u202e</script>=1+1\n"
		"  3 faults (60.0%) have no caller to blame: no frame outside libc and the like\n"
		"\n"
		"sample  /opt/app/sample\n"
		"  3 faults (60.0%): 2 minor, 1 major; 3.0 us\n"
		"  1.0 MiB, build-id 00ff, names from symtab\n"
		"  mechanism  file-map 1 (33.3%), private-write 1 (33.3%), cow-break 1 (33.3%)\n"
		"  access     write 2 (66.7%), exec 1 (33.3%)\n"
		"  2 functions run before main\n"
		"\n"
		"  faults       %  major    time  initiator  mostly touched\n"
		"       3  100.0%      1  3.0 us  unknown    2 in .data.rel.ro\n"
		"\n"
		"  faults      %  major    time  pages  of  write  exec  section\n"
		"       2  66.7%      1  3.0 us      2   3      2     -  .data.rel.ro\n"
		"       1  33.3%      0       -      1   2      -     1  .text\n"
		"\n"
		"  faults      %  major    time  in           who touched it\n"
		"       2  66.7%      1  3.0 us  script>=1+1  _dl_relocate_object\n"
		"       1  33.3%      0       -  sample       "
		"\"evil\",\\x1b[31m\\x0d\\x0a\\x09\\\\xff\\u202e</script>=1+1\n"
		"\n"
		"  faults      %  major    time  in      blame: first outside libc and the like\n"
		"       2  66.7%      1  2.5 us  sample  "
		"\"evil\",\\x1b[31m\\x0d\\x0a\\x09\\\\xff\\u202e</script>=1+1\n"
		"  1 fault (33.3%) has no caller to blame: no frame outside libc and the like\n"
		"\n"
		"  faults      %  major    time  size  section       what was touched\n"
		"       1  33.3%      1  2.5 us  64 B  .data.rel.ro  &llvm::Foo::bar(int, char)\n";

	text[strlen(expected)] = '\0';
	assert_string_equal(text, expected);
}

TEST(a_pipe_gets_no_escape_sequences_and_names_in_full)
{
	CLEANUP(freep) char *text = print_sample((struct terminal){ 0 }, 10);

	assert_null(strchr(text, '\x1b'));
	assert_non_null(strstr(text, models_long_name()));
	for (const char *byte = text; *byte; byte++)
		assert_true((*byte >= ' ' && *byte < 0x7f) || *byte == '\n');
}

TEST(what_faults_read_is_told_where_anything_was_read)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	CLEANUP(freep) char *cold = print(model, (struct terminal){ 0 }, 10);
	CLEANUP(freep) char *warm = print_sample((struct terminal){ 0 }, 10);

	assert_non_null(strstr(cold, "fault time 4.0 us; 120.0 KiB read by faults; recorded"));
	assert_non_null(strstr(cold, "       5  100.0%      1  4.0 us  120.0 KiB  unknown "));
	assert_non_null(strstr(cold, "       3  60.0%      1  3.0 us  120.0 KiB  sample\n"
				     "       1  20.0%      0  900 ns          -  "));
	assert_non_null(strstr(cold, "2 minor, 1 major; 3.0 us; 120.0 KiB read\n"));
	assert_null(strstr(warm, " read "));
	assert_null(strstr(warm, "not known"));
	model->trace.has_reads = model->counts.has_reads = false;
	model->total.read_pages = 0;
	CLEANUP(freep) char *unknown = print(model, (struct terminal){ 0 }, 10);
	assert_non_null(strstr(unknown, "with call stacks, bytes read unknown\n"));
	assert_null(strstr(unknown, "read by faults"));
}

TEST(a_wait_in_bss_is_called_what_it_is)
{
	static const struct model_data_page pages[] = {
		{ 0x6000, ".data", MODEL_DATA_WRITTEN, { 3, 1, 100 }, 2, NULL, 0, 9 },
		{ 0x7000, ".bss", MODEL_DATA_ZEROED_TAIL, { 2, 2, 0 }, 0, NULL, 0, 1 },
	};
	static const struct model_data data = { .pages = pages, .page_count = 2 };
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	const char *line =
		"\n  2 faults in .bss waited for the last page of .data, whose rest is zeroed\n";
	CLEANUP(freep) char *without = print(model, (struct terminal){ 0 }, 10);

	((struct model_object *)model->objects)[0].data = &data;
	CLEANUP(freep) char *text = print(model, (struct terminal){ 0 }, 10);
	assert_null(strstr(without, " in .bss waited"));
	assert_non_null(strstr(text, line));
}

TEST(several_programs_are_the_first_table)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	static const char *const comms[] = { "make", "cc" };
	static const struct model_program programs[] = { { 7, true }, { 8, true } };
	static const struct model_thread threads[] = { { 0, 7, 7, 0 }, { 1, 8, 8, 1 } };
	struct model_fault *faults = (struct model_fault *)model->faults;

	model->comms = comms;
	model->counts.programs = 2;
	model->programs = programs;
	model->threads = threads;
	for (size_t i = 0; i < model->fault_count; i++)
		faults[i].thread = i == 4;
	CLEANUP(freep) char *text = print(model, (struct terminal){ 0 }, 10);
	CLEANUP(freep) char *cut = print(model, (struct terminal){ 0 }, 1);
	const char *table = strstr(text, "\n\n  runs  faults  in faults  program\n"
					 "     1       4     3.1 us  make\n"
					 "     1       1     900 ns  cc\n\n");
	assert_non_null(table);
	assert_true(table < strstr(text, "  initiator"));
	assert_non_null(strstr(cut, "  make\n  ... 1 more program with 1 fault (20.0%); --top"));
	model->is_narrowed = true;
	CLEANUP(freep) char *narrowed = print(model, (struct terminal){ 0 }, 10);
	assert_null(strstr(narrowed, "  program\n"));
}

TEST(an_option_tells_programs_of_one_name_apart)
{
	static const char *const comms[] = { "make", "cc" };
	static const char *const make[] = { "make", "--jobs" }, *const one[] = { "cc", "--one" },
				 *const two[] = { "cc", "--two" };
	static const struct model_process_times processes[] = {
		{ .pid = 7, .comm = 0, .command = make, .command_count = 2, .thread_count = 1 },
		{ .pid = 8, .comm = 1, .command = one, .command_count = 2, .thread_count = 1 },
		{ .pid = 9, .comm = 1, .command = two, .command_count = 2, .thread_count = 1 },
	};
	static const struct model_account account = { .processes = processes, .process_count = 3 };
	CLEANUP(model_closep) struct model *model = models_warm_sample();

	model->comms = comms;
	model->counts.programs = 3;
	model->account = &account;
	CLEANUP(freep) char *text = print(model, (struct terminal){ 0 }, 10);

	model->account = NULL;
	assert_non_null(strstr(text, "  make\n"));
	assert_non_null(strstr(text, "  cc --one\n"));
	assert_non_null(strstr(text, "  cc --two\n"));
}

TEST(names_are_cut_to_what_is_asked)
{
	CLEANUP(freep) char *text = print_sample((struct terminal){ .name_columns = 40 }, 10);

	assert_null(strstr(text, models_long_name()));
	assert_non_null(strstr(text, "  nnnnnnnnnnnnnnnnnnn...nnnnnnnnnnnnnnnnnn\n"));
	// Sentences are not.
	assert_non_null(strstr(text, "one string instead of char pointers. Saves up to"));
}

TEST(tables_fit_the_terminal)
{
	const struct terminal terminal = { .is_terminal = true, .width = 80 };
	CLEANUP(freep) char *text = print_sample(terminal, 10);

	assert_null(strstr(text, models_long_name()));
	assert_non_null(strstr(text, "  .data.rel.ro  nnnnnnnnnnnn"));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		if (strncmp(line, "       1  ", 10) == 0)
			assert_true(strcspn(line, "\n") <= 80);
}

TEST(findings_are_broken_between_words)
{
	const struct terminal terminal = { .is_terminal = true, .width = 60 };
	CLEANUP(freep) char *text = print_sample(terminal, 10);

	assert_non_null(strstr(text, "    build: Have fewer pointers in constant data: tables of\n"
				     "    offsets into one string instead of char pointers. Saves\n"
				     "    up to 3.0 us and 2 faults.\n"));
}

TEST(findings_that_were_cut_are_counted)
{
	CLEANUP(freep) char *text = print_sample((struct terminal){ 0 }, 1);

	assert_non_null(strstr(text, "Saves up to 3.0 us and 2 faults.\n"
				     "  ... 2 more findings; --top 0 shows all\n"));
	assert_null(strstr(text, "One pointer."));
}

TEST(each_table_says_what_was_cut)
{
	CLEANUP(freep) char *cut = print_sample((struct terminal){ 0 }, 1);
	CLEANUP(freep) char *whole = print_sample((struct terminal){ 0 }, 0);

	assert_non_null(strstr(cut,
			       "       3  60.0%      1  3.0 us  sample\n"
			       "  ... 2 more objects with 2 faults (40.0%); --top 0 shows all\n"));
	assert_non_null(strstr(cut,
			       "  .data.rel.ro\n"
			       "  ... 1 more section with 1 fault (33.3%); --top 0 shows all\n"));
	assert_null(strstr(cut, models_long_name()));
	assert_null(strstr(whole, "--top 0"));
	assert_non_null(strstr(whole, "(no name)"));
}

TEST(specks_are_counted_instead_of_named)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	struct model_object *object = (struct model_object *)&model->objects[0];
	struct render_text_options options = { .top = 10, .hide_specks = true };

	object->count.faults = 2002;
	CLEANUP(freep) char *text = text_written(render_text(model, &options, out));
	assert_null(strstr(text, "&llvm::Foo::bar"));
	assert_non_null(
		strstr(text, "... 2 more symbols with 2 faults (<0.1%); --top 0 shows all\n"));
	assert_non_null(strstr(text, "  .data.rel.ro\n"));
}

TEST(a_count_that_does_not_add_up_is_said)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();

	model->counts.rusage_minor = 105;
	CLEANUP(freep) char *missing = print(model, (struct terminal){ 0 }, 10);
	assert_non_null(strstr(missing, "  rusage     106 is not 5 recorded + 2 before exec + "
					"1 without an event: 98 missing\n"));
	model->counts.lost = 98;
	CLEANUP(freep) char *lost = print(model, (struct terminal){ 0 }, 10);
	assert_non_null(strstr(lost, "  rusage     106 = 5 recorded + 98 lost + 2 before exec + "
				     "1 without an event\n"));
	assert_non_null(strstr(lost, "unattributed; 98 lost\n"));
	model->counts.lost = 0;
	model->counts.rusage_minor = 3;
	CLEANUP(freep) char *unwaited = print(model, (struct terminal){ 0 }, 10);
	assert_non_null(strstr(unwaited,
			       "  rusage     4 covers only processes that were waited for; over "
			       "all 1 process the kernel\n             counted 8 = 5 "
			       "recorded"));
	model->counts.lost = 98;
	model->counts.rusage_minor = 105;
	model->counts.has_unsampled = false;
	CLEANUP(freep) char *untold = print(model, (struct terminal){ 0 }, 10);
	assert_non_null(strstr(untold, "before exec: 1 more, some perhaps without an event "
				       "(unknown with this backend)\n"));
	model->counts.has_rusage = false;
	CLEANUP(freep) char *unknown = print(model, (struct terminal){ 0 }, 10);
	assert_non_null(strstr(unknown, "  rusage     unknown"));
}

TEST(an_incomplete_trace_is_said_to_be)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	CLEANUP(freep) char *whole = print(model, (struct terminal){ 0 }, 10);

	model->trace.complete = false;
	CLEANUP(freep) char *text = print(model, (struct terminal){ 0 }, 10);
	assert_null(strstr(whole, "INCOMPLETE"));
	assert_non_null(strstr(text, "INCOMPLETE"));
}

TEST(initiators_are_the_first_table)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	struct model_fault *faults = (struct model_fault *)model->faults;

	faults[0].initiator = MODEL_EXEC;
	faults[1].initiator = MODEL_RELOCATION;
	faults[2].initiator = MODEL_RELOCATION;
	CLEANUP(freep) char *text = print(model, (struct terminal){ 0 }, 10);
	const char *of_all = strstr(
		text, "faults      %  major    time  initiator   mostly touched\n"
		      "       2  40.0%      1  3.0 us  relocation  2 in .data.rel.ro of sample\n"
		      "       2  40.0%      0  900 ns  unknown     1 in .text of sample\n"
		      "       1  20.0%      0  100 ns  exec        1 in [heap]\n");
	const char *of_object =
		strstr(text, "faults      %  major    time  initiator   mostly touched\n"
			     "       2  66.7%      1  3.0 us  relocation  2 in .data.rel.ro\n"
			     "       1  33.3%      0       -  unknown     1 in .text\n");

	assert_non_null(of_all);
	assert_non_null(of_object);
	assert_ptr_equal(strstr(text, "  faults") + 2, of_all);
	assert_true(of_all < of_object);
}

TEST(files_that_share_a_name_are_shown_with_their_paths)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	struct model_object *object = (struct model_object *)&model->objects[1];

	object->path = "/usr/local/sample";
	CLEANUP(freep) char *text = print(model, (struct terminal){ 0 }, 10);
	assert_non_null(strstr(text, "3.0 us  /opt/app/sample\n"));
	assert_non_null(strstr(text, "900 ns  /usr/local/sample\n"));
}

TEST(a_narrowed_answer_says_its_share)
{
	static const uint32_t only[] = { 1 };
	CLEANUP(model_closep) struct model *model = models_warm_sample();

	model->shown = only;
	model->shown_count = 1;
	model->is_narrowed = true;
	model->filter = "object=evil";
	model->total = model->objects[1].count;
	model->fault_count = 0;
	CLEANUP(freep) char *text = print(model, (struct terminal){ 0 }, 10);
	assert_non_null(strstr(text, "  filter     object=evil\n"));
	assert_non_null(strstr(text, "  shown      1 of 5 faults (20.0%); fault time 900 ns\n"));
	assert_non_null(strstr(text, "--force: this is not the recorded build"));
	assert_non_null(strstr(text, "4 minor, 1 major; recorded for 31.2 ms\n"));
	assert_non_null(strstr(text, "  1 fault (20.0%): 1 minor, 0 major; 900 ns\n"));
	assert_null(strstr(text, "/opt/app/sample"));
	assert_null(strstr(text, "Next object"));
}

TEST(a_trace_without_faults_is_an_answer_too)
{
	CLEANUP(model_closep) struct model *model = xcalloc(1, sizeof(*model));
	CLEANUP(freep) char *text = print(model, (struct terminal){ 0 }, 10);

	assert_non_null(strstr(text, "0 faults: 0 minor, 0 major"));
}

/** Columns of the widest line of ASCII text. */
static size_t widest(const char *text)
{
	size_t widest = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strcspn(line, "\n") > widest)
			widest = strcspn(line, "\n");
	return widest;
}

TEST(text_fits_terminals_of_60_and_100_columns)
{
	static const size_t widths[] = { 60, 80, 100 };

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		CLEANUP(model_closep) struct model *model = models_warm_sample();
		notes_add(&model->notes,
			  "a sentence of so many words that no terminal has room for "
			  "all of them in one line, however wide it may be");
		CLEANUP(freep)
		char *text = print(model, (struct terminal){ .width = widths[i] }, 10);

		assert_true(widest(text) <= widths[i]);
	}
	CLEANUP(freep) char *narrow = print_sample((struct terminal){ .width = 60 }, 10);
	// What follows a label goes on below it, however many words the label has.
	assert_non_null(strstr(narrow, "\n  rusage     8 "));
	assert_non_null(strstr(narrow, "\n             "));
}
