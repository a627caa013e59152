// SPDX-License-Identifier: Apache-2.0
// Models drawn by hand, held against budgets: values, verdicts, who broke a limit, and baselines
// that are written and read again.
#include "base/cleanup.h"
#include "budget/budget.h"
#include "render/budget/budget.h"
#include "model/layout.h"
#include "model/relocation.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <stdio.h>

/** Properties of a run. */
struct run {
	size_t faults[3]; // of each initializer of libx: a(), b.cold, c()
	size_t elsewhere; // outside files
	uint64_t relocations;
	uint64_t lost;
	bool is_incomplete;
	const char *build_id;
	uint64_t in_calls; // faults without an event
};

/** libx.so with up to three initializers, which touch its .bss, and faults elsewhere. */
static struct model *draw(const struct run *run)
{
	static const char *const names[] = { "a()", "b.cold", "c()" };
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/home/ada/libx.so");
	uint32_t bss = sketch_section(&sketch, lib, ".bss", 1 << 20);
	struct arena *arena = &sketch.model->arena;
	struct model_relocation *relocation = arena_alloc(arena, sizeof(*relocation));
	struct model_relocated_section *relocated = arena_alloc(arena, sizeof(*relocated));
	struct model_layout *layout = arena_alloc(arena, sizeof(*layout));
	struct model_layout_section *section = arena_alloc(arena, sizeof(*section));

	for (size_t i = 0; i < 3; i++) {
		if (run->faults[i] == 0)
			continue;
		uint32_t initializer = sketch_initializer(&sketch, lib, names[i]);

		for (size_t n = 0; n < run->faults[i]; n++) {
			struct model_fault *fault = sketch_fault(&sketch, bss, MODEL_STATIC_INIT);

			fault->initializer = initializer;
			fault->has_duration = true;
			fault->duration_ns = 1000;
			fault->kind = n == 0 ? MODEL_MAJOR : MODEL_MINOR;
			fault->has_read = n == 0;
			SKETCH_EXTENT(fault)->read_pages = n == 0 ? 4 : 0;
		}
	}
	sketch_fill(&sketch, sketch.faults.count + run->elsewhere);
	relocation->counts[MODEL_RELOCATION_RELATIVE] = run->relocations;
	*relocated = (struct model_relocated_section){ .name = ".data",
						       .relocations = run->relocations };
	relocation->sections = relocated;
	relocation->section_count = 1;
	sketch.objects.items[lib].relocation = relocation;
	*section = (struct model_layout_section){ .name = ".bss",
						  .is_loaded = true,
						  .memory_size = 1000 * run->relocations };
	*layout = (struct model_layout){ section, 1 };
	sketch.objects.items[lib].layout = layout;
	sketch.objects.items[lib].size = 5000;
	sketch.objects.items[lib].build_id = run->build_id;
	struct model *model = sketch_end(&sketch);
	static const char *const command[] = { "/home/ada/app", "-x" };
	model->trace.path = "t";
	model->trace.backend = "bpf";
	model->trace.has_reads = run->faults[0] > 0;
	model->trace.kernel = "6";
	model->trace.machine = "x86_64";
	model->trace.command = command;
	model->trace.command_count = 2;
	model->trace.complete = !run->is_incomplete;
	model->counts.lost = run->lost;
	model->counts.call_unsampled = run->in_calls;
	return model;
}

/** A budget and what is held against it. */
struct trial {
	struct budget *budget;
	struct budget_measures *measures;
	struct budget_answer *answer;
};

static void trial_deinit(struct trial *trial)
{
	budget_answer_close(trial->answer);
	budget_measures_close(trial->measures);
	budget_close(trial->budget);
}

static struct trial try(const char *text, const struct run *runs, size_t count,
			const struct budget_measures *baseline)
{
	struct trial trial = { 0 };
	struct err err = { 0 };

	if (!budget_parse("b", text, strlen(text), &trial.budget, &err))
		fail_msg("%s", err.message);
	CLEANUP(budget_meter_destroyp)
	struct budget_meter *meter = budget_meter_create(trial.budget, true);
	for (size_t i = 0; i < count; i++) {
		CLEANUP(model_closep) struct model *model = draw(&runs[i]);

		budget_meter_add(meter, model);
	}
	trial.measures = budget_meter_finish(meter);
	trial.answer = budget_judge(trial.budget, trial.measures, baseline);
	return trial;
}

static struct budget_measures *read_again(const struct budget_measures *measures)
{
	struct budget_measures *baseline = NULL;
	struct err err = { 0 };
	CLEANUP(freep) char *text = text_written(render_baseline_json(measures, out));

	if (!budget_baseline_parse("b.baseline", text, strlen(text), &baseline, &err))
		fail_msg("%s\n%s", err.message, text);
	CLEANUP(freep) char *again = text_written(render_baseline_json(baseline, out));

	assert_string_equal(text, again);
	return baseline;
}

static enum budget_state state_of(const char *text, const struct run *runs, size_t count)
{
	CLEANUP(trial_deinit) struct trial trial = try(text, runs, count, NULL);

	assert_int_equal(trial.answer->count, 1);
	return trial.answer->verdicts[0].state;
}

TEST(every_metric_counts_what_it_says)
{
	static const struct run run = { { 3, 2, 0 }, 5, 7, 0, false, NULL };
	static const struct {
		const char *limit;
		double value;
	} cases[] = {
		{ "faults", 10 },
		{ "faults{initiator=static-init}", 5 },
		{ "faults{initializer=a*}", 3 },
		{ "faults{object=/home/ada/libx.so}", 5 },
		{ "faults{object!=libx.so}", 5 },
		{ "major", 2 },
		{ "minor", 8 },
		{ "minor{section=.bss}", 3 },
		{ "pages{object=libx.so}", 5 },
		{ "duration", 5000 },
		{ "read", 2 * 4 * SKETCH_PAGE },
		{ "read{initializer=a*}", 4 * SKETCH_PAGE },
		{ "relocations", 7 },
		{ "relocations{object=libx.so,section=.data}", 7 },
		{ "relocations{section=.got}", 0 },
		{ "initializers", 2 },
		{ "initializers{initializer=b*}", 1 },
		{ "size", 5000 },
		{ "size{section=.bss}", 7000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), "%s >= 0", cases[i].limit);
		CLEANUP(trial_deinit) struct trial trial = try(text, &run, 1, NULL);
		if (trial.answer->verdicts[0].measure->value != cases[i].value)
			fail_msg("%s is %g", cases[i].limit,
				 trial.answer->verdicts[0].measure->value);
		assert_int_equal(trial.answer->counts[BUDGET_KEPT], 1);
	}
}

TEST(bounds_are_kept_up_to_their_tolerance)
{
	static const struct run ten = { { 3, 2, 0 }, 5, 7, 0, false, NULL };
	static const struct {
		const char *bound;
		bool is_kept;
	} cases[] = {
		{ "<= 10", true },	   { "<= 9", false },	      { "< 10", false },
		{ "< 11", true },	   { ">= 10", true },	      { ">= 11", false },
		{ "> 10", false },	   { "> 9", true },	      { "== 10", true },
		{ "== 9", false },	   { "<= 9 \u00b1 1", true }, { "<= 8 \u00b1 1", false },
		{ "<= 8 + 2", true },	   { "<= 12 - 3", false },    { "<= 8 + 25 %", true },
		{ "<= 8 + 24 %", false },  { ">= 12 +- 2", true },    { ">= 13 +- 2", false },
		{ "== 11 +- 10 %", true }, { "== 9 +- 10 %", false }, { "== 9 +- 12 %", true },
		{ "<= 5 + 4 +- 1", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "faults %s", cases[i].bound);
		if ((state_of(text, &ten, 1) == BUDGET_KEPT) != cases[i].is_kept)
			fail_msg("%s", text);
	}
}

TEST(the_median_of_repeats_counts)
{
	static const struct run runs[] = {
		{ { 1, 0, 0 }, 9, 1, 0, false, NULL },
		{ { 1, 0, 0 }, 99, 1, 0, false, NULL },
		{ { 1, 0, 0 }, 11, 1, 0, false, NULL },
	};

	assert_int_equal(state_of("faults <= 12", runs, 3), BUDGET_KEPT);
	assert_int_equal(state_of("faults <= 11", runs, 3), BUDGET_BROKEN);
	CLEANUP(trial_deinit) struct trial trial = try("faults <= 11", runs, 3, NULL);
	const struct budget_measure *measure = trial.answer->verdicts[0].measure;
	assert_true(measure->value == 12 && measure->spread == 45);
	assert_true(trial.answer->verdicts[0].beyond == 1);
}

TEST(what_was_lost_makes_kept_limits_unsure)
{
	static const struct run lossy = { { 3, 2, 0 }, 5, 7, 4, false, NULL };
	static const struct run cut = { { 3, 2, 0 }, 5, 7, 0, true, NULL };

	assert_int_equal(state_of("faults <= 14", &lossy, 1), BUDGET_KEPT);
	assert_int_equal(state_of("faults <= 13", &lossy, 1), BUDGET_UNSURE);
	assert_int_equal(state_of("faults <= 9", &lossy, 1), BUDGET_BROKEN);
	assert_int_equal(state_of("faults >= 10", &lossy, 1), BUDGET_KEPT);
	assert_int_equal(state_of("faults >= 14", &lossy, 1), BUDGET_UNSURE);
	assert_int_equal(state_of("faults >= 15", &lossy, 1), BUDGET_BROKEN);
	assert_int_equal(state_of("duration <= 1 s", &lossy, 1), BUDGET_UNSURE);
	assert_int_equal(state_of("initializers <= 2", &lossy, 1), BUDGET_KEPT);
	assert_int_equal(state_of("faults <= 1000", &cut, 1), BUDGET_UNSURE);
	assert_int_equal(state_of("faults <= 9", &cut, 1), BUDGET_BROKEN);
	assert_int_equal(state_of("faults >= 10", &cut, 1), BUDGET_KEPT);
}

TEST(faults_in_system_calls_count)
{
	static const struct run locking = {
		.faults = { 3, 2, 0 }, .elsewhere = 5, .relocations = 7, .in_calls = 500
	};

	assert_int_equal(state_of("faults <= 510", &locking, 1), BUDGET_KEPT);
	assert_int_equal(state_of("faults <= 509", &locking, 1), BUDGET_BROKEN);
	// Which of them meet a condition is unknown.
	assert_int_equal(state_of("faults{initiator=static-init} <= 505", &locking, 1),
			 BUDGET_KEPT);
	assert_int_equal(state_of("faults{initiator=static-init} <= 504", &locking, 1),
			 BUDGET_UNSURE);
	assert_int_equal(state_of("minor <= 507", &locking, 1), BUDGET_UNSURE);
	assert_int_equal(state_of("duration <= 1 s", &locking, 1), BUDGET_KEPT);
}

TEST(what_was_not_recorded_is_not_zero)
{
	static const struct run run = { { 0, 0, 0 }, 5, 7, 0, false, NULL };
	CLEANUP(trial_deinit) struct trial trial = try("duration <= 1 s", &run, 1, NULL);

	assert_int_equal(trial.answer->verdicts[0].state, BUDGET_UNMEASURED);
	assert_string_equal(trial.answer->verdicts[0].reason,
			    "t: the bpf backend records no durations; record with --backend bpf");
	CLEANUP(trial_deinit) struct trial reads = try("read <= 1 MiB", &run, 1, NULL);
	assert_int_equal(reads.answer->verdicts[0].state, BUDGET_UNMEASURED);
}

TEST(a_misspelled_name_is_a_warning)
{
	static const struct run run = { { 1, 0, 0 }, 5, 7, 0, false, NULL };
	CLEANUP(trial_deinit)
	struct trial trial = try("faults{section=.data} <= 4\nfaults{object=liby.so} <= 4\n"
				 "size{object=libx.so, section=.bsss} <= 9 MiB\n"
				 "faults{object=libx.so, section=.bss} <= 9",
				 &run, 1, NULL);

	assert_int_equal(trial.answer->warning_count, 3);
	assert_int_equal(trial.answer->warnings[0].line, 1);
	assert_string_equal(trial.answer->warnings[1].text,
			    "no object of the trace is named liby.so (did you mean libx.so?): the "
			    "limit on faults{object=liby.so} may be misspelled");
	assert_string_equal(trial.answer->warnings[2].text,
			    "no section of the trace is named .bsss (did you mean .bss?): the "
			    "limit on size{object=libx.so,section=.bsss} may be misspelled");
	assert_int_equal(trial.answer->counts[BUDGET_KEPT], 4);
}

TEST(a_baseline_comes_back_as_it_was_written)
{
	static const struct run runs[] = { { { 3, 2, 0 }, 5, 7, 0, false, "aa" },
					   { { 2, 2, 0 }, 4, 7, 0, false, "aa" } };
	CLEANUP(trial_deinit)
	struct trial trial = try("faults <= baseline\nfaults{initiator=static-init} <= 4\n"
				 "faults < 9\nsize <= baseline",
				 runs, 2, NULL);
	CLEANUP(budget_measures_closep)
	struct budget_measures *baseline = read_again(trial.measures);

	assert_int_equal(trial.answer->verdicts[0].state, BUDGET_UNMEASURED);
	assert_int_equal(baseline->count, 3);
	assert_string_equal(baseline->command, "~/app -x");
	assert_int_equal(baseline->run_count, 2);
	assert_int_equal(baseline->page_size, SKETCH_PAGE);
	assert_true(baseline->list[0].value == 9);
	assert_true(baseline->list[1].value == 4.5);
	assert_true(budget_measure_of(baseline, "size")->value == 5000);
	assert_int_equal(baseline->object_count, 1);
	assert_string_equal(baseline->objects[0].name, "libx.so");
	assert_string_equal(baseline->objects[0].build_id, "aa");
	assert_int_equal(baseline->objects[0].relocations, 7);
	assert_int_equal(baseline->objects[0].initializers, 2);
	assert_int_equal(baseline->objects[0].sections[0].size, 7000);
}

TEST(who_grew_is_named_against_a_baseline)
{
	static const char text[] = "faults{initiator=static-init} <= baseline +- 1";
	static const struct run before = { { 3, 2, 0 }, 5, 7, 0, false, "aa" };
	static const struct run after = { { 4, 2, 6 }, 5, 9, 0, false, "bb" };
	CLEANUP(trial_deinit) struct trial first = try(text, &before, 1, NULL);
	CLEANUP(budget_measures_closep)
	struct budget_measures *baseline = read_again(first.measures);
	CLEANUP(trial_deinit) struct trial second = try(text, &after, 1, baseline);
	const struct budget_verdict *verdict = second.answer->verdicts;

	assert_int_equal(verdict->state, BUDGET_BROKEN);
	assert_true(verdict->baseline == 5 && verdict->high == 6 && verdict->beyond == 6);
	assert_int_equal(verdict->offender_count[0], 1);
	assert_string_equal(verdict->offenders[0][0].values[1], ".bss");
	// b.cold is as it was.
	assert_int_equal(verdict->offender_count[1], 2);
	assert_string_equal(verdict->offenders[1][0].values[1], "c()");
	assert_true(verdict->offenders[1][0].before == 0 && verdict->offenders[1][0].value == 6);
	assert_string_equal(verdict->offenders[1][1].values[1], "a()");
	assert_true(verdict->offenders[1][1].before == 3 && verdict->offenders[1][1].value == 4);
	assert_int_equal(verdict->change_count, 1);
	assert_string_equal(verdict->changes[0],
			    "libx.so: initializers 2 -> 3; relocations 7 -> 9; .bss 6.8 KiB -> 8.8 "
			    "KiB");
	assert_int_equal(second.answer->warning_count, 0);
}

TEST(what_shrank_is_named_where_more_is_asked_for)
{
	static const char text[] = "faults{initiator=static-init} >= baseline";
	static const struct run before = { { 3, 2, 0 }, 5, 7, 0, false, "aa" };
	static const struct run after = { { 1, 0, 0 }, 5, 7, 0, false, "bb" };
	CLEANUP(trial_deinit) struct trial first = try(text, &before, 1, NULL);
	CLEANUP(trial_deinit) struct trial second = try(text, &after, 1, first.measures);
	const struct budget_verdict *verdict = second.answer->verdicts;

	assert_int_equal(verdict->state, BUDGET_BROKEN);
	assert_int_equal(verdict->offender_count[1], 2);
	assert_string_equal(verdict->offenders[1][0].values[1], "a()");
	assert_true(verdict->offenders[1][0].before == 3 && verdict->offenders[1][0].value == 1);
	// The suffix of compilers is not of the name.
	assert_string_equal(verdict->offenders[1][1].values[1], "b");
	assert_true(verdict->offenders[1][1].before == 2 && verdict->offenders[1][1].value == 0);
}

TEST(a_row_that_may_have_been_left_out_is_not_called_new)
{
	static const char text[] = "faults{initiator=static-init} <= baseline";
	static const struct run before = { { 3, 2, 0 }, 5, 7, 0, false, "aa" };
	static const struct run after = { { 9, 2, 4 }, 5, 7, 0, false, "aa" };
	CLEANUP(trial_deinit) struct trial first = try(text, &before, 1, NULL);
	CLEANUP(trial_deinit) struct trial second = { 0 };

	((struct budget_measure *)first.measures->list)[0].tables[1].least = 3;
	second = try(text, &after, 1, first.measures);
	const struct budget_change *change = second.answer->verdicts[0].offenders[1];
	assert_int_equal(second.answer->verdicts[0].offender_count[1], 2);
	assert_string_equal(change[0].values[1], "a()");
	assert_string_equal(change[1].values[1], "c()");
	assert_true(change[1].at_most == 3);
}

TEST(a_baseline_of_another_machine_is_a_warning)
{
	static const struct run run = { { 3, 2, 0 }, 5, 7, 0, false, "aa" };
	CLEANUP(trial_deinit) struct trial first = try("faults <= baseline", &run, 1, NULL);

	first.measures->backend = "perf";
	first.measures->command = "other";
	first.measures->page_size = 65536;
	CLEANUP(trial_deinit)
	struct trial second = try("faults <= baseline", &run, 1, first.measures);
	assert_int_equal(second.answer->warning_count, 3);
	assert_int_equal(second.answer->counts[BUDGET_KEPT], 1);
}

TEST(a_damaged_baseline_is_refused_at_its_place)
{
	static const char head[] = "{\"schema\":\"elfault.baseline/1\",\"command\":\"\","
				   "\"backend\":\"\",\"kernel\":\"\",\"machine\":\"\","
				   "\"page_size\":4096,\"runs\":1,";
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "b: byte 0: invalid JSON: it ends too early; recreate it with elfault check "
		      "--update" },
		{ "[]", "b: it is not a baseline; recreate it with elfault check --update" },
		{ "{\"schema\":\"elfault.diff/1\"}",
		  "b: it is another kind of file or from a newer elfault; recreate it with elfault "
		  "check --update" },
		{ "H\"limits\":{}}",
		  "b: has no list \"limits\"; recreate it with elfault check --update" },
		{ "H\"limits\":[7],\"objects\":[]}",
		  "b: limits[0] is not an object; recreate it with elfault check --update" },
		{ "H\"limits\":[{\"limit\":\"fault\"}],\"objects\":[]}",
		  "b: limits[0] has an unknown metric; recreate it with elfault check --update" },
		{ "H\"limits\":[{\"limit\":\"faults\",\"value\":-1}],\"objects\":[]}",
		  "b: limits[0] has an impossible number; recreate it with elfault check "
		  "--update" },
		{ "H\"limits\":[{\"limit\":\"faults\",\"value\":1,\"spread\":0,\"tables\":[{\"by\":"
		  "[\"object\"],\"least\":0,\"rows\":[[1]]}]}],\"objects\":[]}",
		  "b: limits[0].tables[0].rows[0] is not a list of a number and one value per "
		  "field; recreate it with elfault check --update" },
		{ "H\"limits\":[],\"objects\":[{\"object\":\"x\",\"size\":1,\"relocations\":1,"
		  "\"relocation_table_bytes\":1,\"initializers\":1,\"sections\":{\".x\":\"\"}}]}",
		  "b: objects[0] has a section whose size is not a number; recreate it with "
		  "elfault check --update" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct budget_measures *baseline = NULL;
		struct err err = { 0 };
		char text[1024];
		bool has_head = cases[i].text[0] == 'H';

		snprintf(text, sizeof(text), "%s%s", has_head ? head : "",
			 cases[i].text + has_head);
		assert_false(budget_baseline_parse("b", text, strlen(text), &baseline, &err));
		assert_null(baseline);
		assert_string_equal(err.message, cases[i].message);
	}
}
