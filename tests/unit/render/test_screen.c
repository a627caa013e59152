// SPDX-License-Identifier: Apache-2.0
// The answer on one screen.
#include "base/cleanup.h"
#include "model/account.h"
#include "model/storage.h"
#include "model/waits.h"
#include "render/render.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum { MS = 1000000 };

// The model that a test shows, and what was printed last.
static struct model *model;
static char *text;

static void print(struct terminal terminal)
{
	const struct render_text_options options = { .terminal = terminal };

	free(text);
	text = text_written(render_screen(model, &options, out));
}

/** The sample with a path, one thread and a program that is called plainly. */
static int plain_sample(void **state)
{
	(void)state;
	model = models_warm_sample();
	model->trace.path = "a trace";
	model->counts.threads = 1;
	return 0;
}

static int forget(void **state)
{
	(void)state;
	model_close(TAKE(model));
	free(TAKE(text));
	return 0;
}

const struct tests_around tests_around = {
	.before_each = plain_sample,
	.after_each = forget,
	.locale = "C.UTF-8",
};

/** A cold start of 259.3 ms, of which 193 waited for storage in faults. */
static struct model_account cold(void)
{
	struct model_account account = {
		.complete = true,
		.wall_ns = 259340000,
		.subject.wall_ns = 259340000,
		.subject.times.ns = { [MODEL_STATE_CPU] = 38340000,
				      [MODEL_STATE_FAULT] = 28 * MS,
				      [MODEL_STATE_FAULT_IO] = 193 * MS },
		.check.is_known = true,
	};
	struct model_times *by = account.subject.by_initiator;

	account.all = account.subject.times;
	by[MODEL_RELOCATION].ns[MODEL_STATE_CPU] = 20340000;
	by[MODEL_RELOCATION].ns[MODEL_STATE_FAULT] = 28 * MS;
	by[MODEL_RELOCATION].ns[MODEL_STATE_FAULT_IO] = 93 * MS;
	by[MODEL_STATIC_INIT].ns[MODEL_STATE_FAULT_IO] = 100 * MS;
	by[MODEL_PROGRAM].ns[MODEL_STATE_CPU] = 17 * MS;
	by[MODEL_LOADER].ns[MODEL_STATE_CPU] = MS;
	return account;
}

static void expect(const char *part)
{
	if (!strstr(text, part))
		fail_msg("no\n%s\nin\n%s", part, text);
}

TEST(all_of_it_without_an_account)
{
	print((struct terminal){ .width = 80 });

	assert_string_equal(
		text,
		"sample 'two words'\n"
		"  unknown    5 faults (100.0%) have an unknown initiator: they have no call\n"
		"             stack\n"
		"  time       31.2 ms recorded = . rest 31.2\n"
		"             ..................................................................."
		"\n"
		"  causes     unknown 4.0 us\n"
		"  rest       computing, reading or waiting; this trace records only faults\n"
		"  faults     5; 1 waited for storage (major)\n"
		"\n"
		"  Saves up to 3.0 us: Constant data is copied to be relocated (sample)\n"
		"    Have fewer pointers in constant data ...\n"
		"  Saves at least 1 fault: Constant data is copied to be relocated (script>=1+1)\n"
		"    One pointer\n"
		"  Saves 2.4 us +- 300 ns: Pages are waited for from disk\n"
		"    Ask early\n"
		"\n"
		"    time  faults  major  file or memory\n"
		"  3.0 us       3      1  sample\n"
		"  900 ns       1      -  script>=1+1\n"
		"  100 ns       1      -  [heap]\n"
		"\n"
		"  complete   all faults the kernel counted are accounted for; 1 fault without a\n"
		"             known mapping\n"
		"  note       sample: "
		"\"evil\",\\x1b[31m\\x0d\\x0a\\x09\\\\xff\\u202e</script>=1+1\n"
		"  note       seen twice (2 times)\n"
		"  everything    elfault analyze --full 'a trace'\n"
		"  causes        elfault analyze --by initiator,section 'a trace'\n"
		"  one file      elfault analyze sample 'a trace'\n"
		"  in a browser  elfault report 'a trace' -o report.html\n");
}

TEST(the_account_is_a_sum_that_adds_up_and_a_bar)
{
	const struct model_account account = cold();

	model->account = &account;
	print((struct terminal){ .width = 80 });
	// 38.34 + 28 + 193 = 259.34, each rounded: the parts add up to the sum.
	expect("  time       259.3 ms = C cpu 38.3 + F fault 28.0 + D fault-io 193.0\n"
	       "             "
	       "CCCCCCCCCCFFFFFFFDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD\n");
	expect("     ms  computing  in faults   disk  cause\n"
	       "  141.3       20.3       28.0   93.0  relocation\n"
	       "  100.0          -          -  100.0  static-init\n"
	       "   17.0       17.0          -      -  program\n"
	       "    1.0        1.0          -      -  loader\n"
	       "  faults ");
}

TEST(figures_of_a_sum_are_rounded_together)
{
	struct model_account account = { .subject.wall_ns = 100140000 };

	account.subject.times.ns[MODEL_STATE_CPU] = 33380000;
	account.subject.times.ns[MODEL_STATE_FAULT] = 33380000;
	account.subject.times.ns[MODEL_STATE_WAIT] = 33380000;
	model->account = &account;
	print((struct terminal){ .width = 80 });
	expect("  time       100.1 ms = C cpu 33.4 + F fault 33.4 + W wait 33.3\n");
}

TEST(what_was_waited_for_a_processor_is_in_no_sum)
{
	struct model_account account = {
		.subject.wall_ns = 100 * MS,
		.subject.times.ns = { [MODEL_STATE_CPU] = 12 * MS,
				      [MODEL_STATE_FAULT] = 16 * MS,
				      [MODEL_STATE_FILE_IO] = 52 * MS,
				      [MODEL_STATE_RUNNABLE] = 20 * MS },
	};

	account.subject.by_initiator[MODEL_PROGRAM] = account.subject.times;
	account.subject.by_initiator[MODEL_PROGRAM].ns[MODEL_STATE_CPU] = 10 * MS;
	account.subject.by_initiator[MODEL_RELOCATION].ns[MODEL_STATE_CPU] = 2 * MS;
	model->account = &account;
	print((struct terminal){ .width = 100 });
	expect("  time       80.0 ms = C cpu 12.0 + F fault 16.0 + R file-io 52.0\n");
	expect("  late       20.0 ms more waited for a processor\n");
	assert_null(strstr(text, "BUSY"));
	expect("    ms  computing  in faults  disk  cause\n"
	       "  78.0       10.0       16.0  52.0  program\n"
	       "   2.0        2.0          -     -  relocation\n");

	account.subject.wall_ns += MS;
	account.subject.times.ns[MODEL_STATE_RUNNABLE] += MS;
	print((struct terminal){ .width = 100 });
	expect("  time       80.0 ms = C cpu 12.0 + F fault 16.0 + R file-io 52.0\n");
	expect("  BUSY: for 21.0 ms of 101.0 ms the command waited for a processor, which no "
	       "time below includes\n");
	assert_null(strstr(text, "late "));
}

TEST(what_recording_added_is_in_no_sum)
{
	struct model_account account = {
		.subject.wall_ns = 100 * MS,
		.subject.times.ns = { [MODEL_STATE_CPU] = 60 * MS,
				      [MODEL_STATE_FAULT] = 20 * MS,
				      [MODEL_STATE_RECORDING] = 20 * MS },
	};

	account.subject.by_initiator[MODEL_PROGRAM].ns[MODEL_STATE_CPU] = 60 * MS;
	account.subject.by_initiator[MODEL_PROGRAM].ns[MODEL_STATE_FAULT] = 20 * MS;
	account.subject.by_initiator[MODEL_INITIATOR_UNKNOWN].ns[MODEL_STATE_RECORDING] = 20 * MS;
	model->account = &account;
	print((struct terminal){ .width = 100 });
	expect("  time       80.0 ms = C cpu 60.0 + F fault 20.0 (recording added 20.0)\n");
	expect("    ms  computing  in faults  cause\n"
	       "  80.0       60.0       20.0  program\n");
}

TEST(what_few_samples_show_is_no_cause)
{
	const struct model_spot spots[] = {
		{ .state = MODEL_STATE_CPU,
		  .initiator = MODEL_PROGRAM,
		  .is_subject = true,
		  .ns = 60 * MS,
		  .moments = 60 },
		{ .state = MODEL_STATE_CPU,
		  .initiator = MODEL_LOADER,
		  .is_subject = true,
		  .ns = 10 * MS,
		  .moments = 4 },
		{ .state = MODEL_STATE_CPU,
		  .initiator = MODEL_INITIATOR_UNKNOWN,
		  .is_subject = true,
		  .ns = 16 * MS },
		{ .state = MODEL_STATE_CPU,
		  .initiator = MODEL_INITIATOR_UNKNOWN,
		  .is_subject = true,
		  .is_kernel = true,
		  .is_exit = true,
		  .ns = 14 * MS },
	};
	struct model_account account = {
		.wall_ns = 100 * MS,
		.subject.times.ns = { [MODEL_STATE_CPU] = 100 * MS },
		.spots = spots,
		.spot_count = 4,
		.samples = 64,
	};
	uint64_t *unknown =
		&account.subject.by_initiator[MODEL_INITIATOR_UNKNOWN].ns[MODEL_STATE_CPU];

	for (size_t i = 0; i < account.spot_count; i++)
		account.subject.by_initiator[spots[i].initiator].ns[MODEL_STATE_CPU] += spots[i].ns;
	account.subject.cpu_error_ns[MODEL_PROGRAM] = 2 * MS;
	account.subject.cpu_error_ns[MODEL_LOADER] = 10 * MS;
	account.subject.by_initiator[MODEL_LOADER].ns[MODEL_STATE_CPU] = 9 * MS;
	account.subject.by_initiator[MODEL_IFUNC].ns[MODEL_STATE_CPU] = MS;
	model->account = &account;
	print((struct terminal){ .width = 100 });
	expect("    ms    computing  cause\n"
	       "  60.0  60.0 +- 2.0  program\n"
	       "  30.0         30.0  unknown: 16.0 ms without a sample\n"
	       "  10.0         10.0  2 others\n");

	// Of most of it the reason is told, or none.
	*unknown = 33 * MS;
	print((struct terminal){ .width = 100 });
	expect("  33.0         33.0  unknown\n");
	*unknown = 20 * MS;
	account.spot_count = 2;
	account.spots = (const struct model_spot[]){ spots[0], spots[3] };
	print((struct terminal){ .width = 100 });
	expect("  20.0         20.0  unknown: 14.0 ms at its exit\n");
}

TEST(what_the_end_of_the_command_waited_for_is_a_line)
{
	const char *const comms[] = { "sh", "cc1", "sleep" };
	const struct model_process_times processes[] = {
		{ .pid = 1, .comm = 0 },
		{ .pid = 2, .comm = 1 },
		{ .pid = 3, .comm = 2 },
	};
	struct model_critical_part parts[] = {
		{ .process = 1, .ns = 150 * MS },
		{ .process = 2, .ns = 90 * MS },
		{ .process = 0, .ns = 16 * MS },
		{ .process = 0, .ns = 2 * MS, .thread = "helper" },
	};
	const struct model_critical critical = { .parts = parts, .part_count = 4 };
	struct model_account account = cold();

	parts[0].times.ns[MODEL_STATE_CPU] = 80 * MS;
	parts[0].times.ns[MODEL_STATE_RUNNABLE] = 70 * MS;
	parts[1].times.ns[MODEL_STATE_CPU] = 10 * MS;
	parts[1].times.ns[MODEL_STATE_WAIT] = 80 * MS;
	parts[1].waits.wait_ns[MODEL_WAIT_SLEEP] = 80 * MS;
	parts[2].times.ns[MODEL_STATE_CPU] = 16 * MS;
	model->comms = comms;
	model->comm_count = 3;
	account.processes = processes;
	account.process_count = 3;
	account.critical = &critical;
	model->account = &account;
	print((struct terminal){ .width = 80 });
	// What is less than a hundredth of the time is not named.
	expect("\n  held up    by cc1 80.0 ms, sleep 80.0 ms (wait: sleep), sh 16.0 ms, "
	       "sleep 10.0\n"
	       "             ms\n");

	// What the program itself did is in the account.
	account.subject.is_known = true;
	account.subject.process = 2;
	print((struct terminal){ .width = 120 });
	expect("\n  held up    by its own wait: sleep 80.0 ms, cc1 80.0 ms, sh 16.0 ms\n");
	account.subject.is_known = false;

	// Of one program, for what it waited.
	parts[0] = parts[1];
	parts[0].waits.wait_ns[MODEL_WAIT_POLL] = 20 * MS;
	const struct model_critical alone = { .parts = parts, .part_count = 1 };

	account.critical = &alone;
	print((struct terminal){ .width = 80 });
	expect("\n  waits      sleep 80.0 ms, poll 20.0 ms\n");
}

TEST(a_subject_that_is_not_the_command_is_named)
{
	const char *comms[] = { "make", "gcc", "cc1" };
	const struct model_process_times processes[] = {
		{ .comm = 0 },
		{ .comm = 1 },
		{ .comm = 2, .start_ns = 30 * MS },
	};
	const struct model_critical_part step = { .start_ns = 10 * MS };
	const struct model_critical critical = { .steps = &step, .step_count = 1 };
	struct model_account account = cold();

	account.wall_ns = 400 * MS;
	account.subject.is_other = account.subject.is_known = true;
	account.subject.process = 2;
	account.subject.starter = 1;
	account.critical = &critical;
	account.processes = processes;
	account.process_count = 3;
	model->comms = comms;
	model->comm_count = 3;
	model->account = &account;
	print((struct terminal){ .width = 100 });
	expect("  time       259.3 ms of cc1, started by gcc, under make = C cpu 38.3");
	expect("  command    400.0 ms; cc1 ran from 20.0 ms to 279.3 ms of it\n");

	account.subject.starter = 0;
	account.subject.is_forked = true;
	print((struct terminal){ .width = 100 });
	expect("  time       259.3 ms of cc1, forked by make = C cpu 38.3");

	account.subject.times.ns[MODEL_STATE_RUNNABLE] = 100 * MS;
	print((struct terminal){ .width = 100 });
	expect("  BUSY: for 100.0 ms of 259.3 ms cc1 waited for a processor, ");
}

TEST(threads_are_summed_beside_the_first)
{
	struct model_account account = cold();

	account.all.ns[MODEL_STATE_WAIT] = UINT64_C(20000) * MS;
	model->counts.threads = 9;
	model->account = &account;
	print((struct terminal){ .width = 100 });
	expect("  threads    all 9: 20.26 s = C cpu 0.04 + F fault 0.03 + D fault-io 0.19 + W "
	       "wait 20.00\n");
}

TEST(the_bar_is_coloured_and_lettered)
{
	const struct model_account account = cold();

	model->account = &account;
	print((struct terminal){ .width = 60, .has_color = true });
	expect("\033[7;38;5;36mCCCCCCC\033[0m\033[7;38;5;166mFFFFF\033[0m\033[7;38;5;69mDDD");
}

TEST(storage_is_told_in_all_and_by_file)
{
	const struct model_storage_section sections[] = {
		{ .object = 0,
		  .section = ".text",
		  .read = 5 << 20,
		  .mapped = 3 << 20,
		  .touched = 1 << 20 },
		{ .object = 0,
		  .section = ".data",
		  .read = 1 << 20,
		  .mapped = 1 << 20,
		  .touched = 4096 },
	};
	const struct model_storage_file files[] = {
		{ .path = "/opt/app/sample", .object = 0, .bytes = 6 << 20, .wait_ns = 2000 },
		{ .path = "/etc/sample.conf",
		  .object = MODEL_NONE,
		  .bytes = 8192,
		  .wait_ns = 5 * MS },
	};
	const struct model_storage storage = {
		.complete = true,
		.device_bytes = (6 << 20) + 8192,
		.by_cause = { [MODEL_STORAGE_FAULT] = 6 << 20, [MODEL_STORAGE_READ] = 8192 },
		.requests = 12,
		.sections = sections,
		.section_count = MODELS_COUNT(sections),
		.files = files,
		.file_count = MODELS_COUNT(files),
	};

	model->storage = &storage;
	print((struct terminal){ .width = 80 });
	expect("  storage    6.0 MiB = faults 6.0 MiB + read calls 8.0 KiB; 12 requests\n");
	expect("    time  faults  major     read   mapped  touched  file or memory\n"
	       "  5.0 ms       -      -  8.0 KiB        -        -  /etc/sample.conf\n"
	       "  3.0 us       3      1  6.0 MiB  4.0 MiB  1.0 MiB  sample\n"
	       "  900 ns       1      -        -        -        -  script>=1+1\n");
}

TEST(reads_of_others_are_one_figure_beside_the_own)
{
	const struct model_storage storage = {
		.complete = true,
		.device_bytes = 10 << 20,
		.by_cause = { [MODEL_STORAGE_FAULT] = 6 << 20, [MODEL_STORAGE_OTHERS] = 4 << 20 },
		.requests = 12,
		.other_requests = 4,
	};

	model->storage = &storage;
	print((struct terminal){ .width = 120 });
	expect("  storage    6.0 MiB = faults 6.0 MiB; 8 requests; others read 4.0 MiB in 4 "
	       "requests meanwhile\n");
}

TEST(a_start_that_was_not_cold_says_so_first)
{
	notes_add(&model->notes, NOTES_NOT_COLD "44.0 MiB of 94.0 MiB stayed in memory: node");
	notes_add(&model->notes, "/bin/node stayed in memory: 44.0 MiB of 93.9 MiB");
	print((struct terminal){ .width = 120 });
	expect("sample 'two words'\n"
	       "  NOT COLD: 44.0 MiB of 94.0 MiB stayed in memory: node (--full)\n");
}

TEST(findings_name_their_things_and_a_command_is_whole)
{
	const struct model_cure cure = { MODEL_FOR_LINK,
					 "Order first, since most of these faults fetched code: "
					 "elfault order -o functions.order -- a-program-of-a-long-"
					 "name --with-options finds the functions that run." };
	const struct model_finding finding = {
		.id = "costly-initializers",
		.title = "Static initializers take time",
		.object = 0,
		.saves = { .faults = 2, .duration_ns = 3000, .is = MODEL_AT_MOST },
		.evidence = "1 of 2 faulted",
		.advice = cure.text,
		.cures = &cure,
		.cure_count = 1,
		.names = "dearest: globals of foo.cc 1.2 ms, Registry() 310.0 us",
		.command = "elfault order -o functions.order -- a-program-of-a-long-name "
			   "--with-options",
	};

	model->findings = &finding;
	model->finding_count = 1;
	print((struct terminal){ .width = 60 });
	expect("    dearest: globals of foo.cc 1.2 ms, Registry() 310.0 us\n"
	       "    Order first, since most of these faults fetched code\n"
	       "    elfault order -o functions.order -- a-program-of-a-long-name "
	       "--with-options\n");
}

TEST(what_is_missing_is_said_instead_of_complete)
{
	struct model_account account = cold();

	model->counts.rusage_minor += 11;
	model->counts.lost_other = 1;
	account.complete = false;
	account.check.kernel_cpu_ns = 80 * MS;
	account.check.account_cpu_ns = 66 * MS;
	model->account = &account;
	print((struct terminal){ 0 });
	expect("\n  INCOMPLETE  11 faults only in the kernel's count; 1 mapping or task record "
	       "lost, so that files may be mistaken; the account of time has gaps; "
	       "processor time is 66.0 ms where the kernel counted 80.0 ms; 1 fault without");
	model->counts.rusage_minor -= 11;
	model->counts.lost_other = 0;
	model->account = NULL;
	model->counts.has_rusage = false;
	print((struct terminal){ 0 });
	expect("\n  complete   nothing is known to be lost; the kernel's count is unknown");
	model->counts.lost = 3;
	print((struct terminal){ 0 });
	expect("\n  INCOMPLETE  3 faults lost; ");
}

TEST(a_wait_for_a_processor_that_differs_is_worth_knowing_only)
{
	struct model_account account = cold();

	account.check.kernel_cpu_ns = account.check.account_cpu_ns = 66 * MS;
	account.check.kernel_runnable_ns = 100 * MS;
	account.check.account_runnable_ns = 102 * MS;
	model->account = &account;
	print((struct terminal){ 0 });
	expect("\n  complete   all faults the kernel counted are accounted for; ");
	expect("; waits for a processor are 102.0 ms where the kernel counted 100.0 ms");
}

TEST(exec_of_a_perf_recording_is_no_reason_for_doubt)
{
	model->counts.has_unsampled = false;
	model->counts.has_unrecorded = true;
	model->counts.exec_unsampled = 1;
	print((struct terminal){ 0 });
	expect("\n  complete   all faults the kernel counted are accounted for");
	model->counts.exec_unsampled = 0;
	print((struct terminal){ 0 });
	expect("\n  INCOMPLETE  1 fault without an event, beyond what exec and fork take");
}

TEST(without_times_faults_are_what_counts)
{
	struct model_object *objects = (struct model_object *)model->objects;
	struct model_finding *findings =
		arena_array(&model->arena, model->finding_count, sizeof(*findings));

	memcpy(findings, model->findings, model->finding_count * sizeof(*findings));
	for (size_t i = 0; i < model->finding_count; i++)
		findings[i].own_ns = findings[i].saves.duration_ns = 0;
	for (size_t i = 0; i < model->object_count; i++)
		objects[i].count.own_ns = 0;
	model->findings = findings;
	model->total.own_ns = 0;
	print((struct terminal){ .width = 80 });
	expect("  time       recorded for 31.2 ms; time in faults is unknown\n"
	       "  causes     unknown 5 faults\n");
	expect("  Saves up to 2 faults: Constant data");
	expect("  faults  major  file or memory\n       3      1  sample\n");
}

/** Columns of the widest line of ASCII text; the last three are commands, which are never cut. */
static size_t widest(const char *text)
{
	size_t widest = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strcspn(line, "\n") > widest && !strstr(line, "\n  everything"))
			widest = strcspn(line, "\n");
	return widest;
}

TEST(it_fits_terminals_of_60_and_more_columns)
{
	static const size_t widths[] = { 60, 80, 100, 200 };

	for (size_t i = 0; i < MODELS_COUNT(widths); i++) {
		struct model_account account = cold();

		for (size_t s = 0; s < MODEL_STATES; s++)
			account.subject.times.ns[s] += 100 * MS;
		account.subject.wall_ns += 600 * MS;
		model->account = &account;
		model->trace.path = "t";
		print((struct terminal){ .width = widths[i] });

		assert_true(widest(text) <= widths[i]);
	}
}

TEST(what_is_folded_goes_on_below_its_text_in_colour_too)
{
	print((struct terminal){ .width = 60, .has_color = true });

	expect("  \033[1;33munknown    5 faults (100.0%) have an unknown initiator:\n"
	       "             they have no call stack\033[0m\n");
}

TEST(faults_longer_than_the_recording_are_added_up)
{
	model->trace.duration_ns = 3000;
	model->total.own_ns = 4000;
	print((struct terminal){ .width = 80 });
	expect("  time       recorded for 3.0 us\n"
	       "  in faults  4.0 us = F fault 1.5 + D fault-io 2.5\n"
	       "  causes ");
	model->counts.threads = 2;
	print((struct terminal){ .width = 80 });
	expect("  in faults  all 2 threads: 4.0 us = F fault 1.5 + D fault-io 2.5\n");
}

TEST(a_remedy_is_folded_once)
{
	model->trace.has_stacks = false;
	print((struct terminal){ .width = 80 });
	expect("  unknown    5 faults (100.0%) have an unknown initiator: no call stacks were\n"
	       "             recorded; record without --no-stacks\n");
}

TEST(without_a_width_nothing_is_cut)
{
	print((struct terminal){ 0 });

	expect("  Saves at least 1 fault: Constant data is copied to be relocated (script>=1+1)\n");
	expect("    Have fewer pointers in constant data: tables of offsets into one string "
	       "instead of char pointers\n");
}

TEST(a_trace_without_faults_is_a_screen_too)
{
	model_close(model);
	model = xcalloc(1, sizeof(*model));
	print((struct terminal){ .width = 80 });

	expect("an unknown command\n");
	expect("  No finding would save faults or time.\n");
}
