// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tuning.h"

#include "cli/bench/starts.h"
#include "cli/tune/folder.h"
#include "cli/tune/guard.h"
#include "cli/tune/opened.h"
#include "cli/tune/outcome.h"
#include "cli/tune/result.h"
#include "cli/tune/trace.h"
#include "cli/tune/unused.h"
#include "cli/tune/written.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/homepath.h"
#include "base/order.h"
#include "base/searchpath.h"
#include "base/vec.h"
#include "cli/message.h"
#include "cure/whatif.h"
#include "record/record.h"
#include "standin/judge.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COLD_PAIRS = 21 };
// Faults of the launcher, and on each stand-in, as measured: docs/measured/tune.md.
enum { LAUNCHER_FAULTS = 15, FAULTS_EACH = 2 };

ORDER_OF(by_faults, tunedstart_link, ORDER(y->faults, x->faults))

static bool has_link(const struct tunedstart_link *links, size_t count, const char *how)
{
	array_foreach (link, links, count)
		if (strcmp(link->how, how) == 0)
			return true;
	return false;
}

/**
 * Predict which links of the program would save faults enough to be noticed: most faults saved
 * first, in @arena. Cures that differ in nothing here are one.
 */
static const struct tunedstart_link *find_links(const struct model *model, struct arena *arena,
						size_t *ret_count)
{
	const struct whatif_options options = { .links_only = true };
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, &options);
	VEC(struct tunedstart_link) links = { 0 };

	array_foreach (cure, answer->items, answer->count)
		if (cure->applies && cure->group == WHATIF_LINK &&
		    cure->saves.faults >= STANDIN_FAULTS &&
		    !has_link(links.items, links.count, cure->how))
			vec_push(&links, (struct tunedstart_link){
						 arena_strdup(arena, cure->how),
						 cure->saves.faults,
						 model_bound_name(cure->saves.is),
					 });
	vec_sort(&links, by_faults);
	return vec_keep_counted(&links, arena, ret_count);
}

static void summarize(struct bench *bench, struct tunedstart_measure *ret_measure)
{
	bench_summarize(bench);
	*ret_measure = (struct tunedstart_measure){
		.is_known = true,
		.own = bench->difference,
		.processor = bench->processor_difference,
	};
	for (size_t i = 0; i < BENCH_COMMANDS; i++) {
		const struct bench_summary *of = bench->commands[i].summaries;

		ret_measure->own_ns[i] = of[BENCH_OWN].median;
		ret_measure->processor_ns[i] = of[BENCH_USER].median + of[BENCH_SYSTEM].median;
		ret_measure->faults[i] = of[BENCH_MINOR].median + of[BENCH_MAJOR].median;
	}
}

/**
 * Measure @sides, the plain command and the tuned one: their files are in memory, or leave it
 * before each start where the sides say so. @runs: of each; 0: until the verdict is clear.
 *
 * Returns: true and *@ret_measure, all but its texts; false: it was said why.
 */
static bool run_starts(const struct record_options sides[BENCH_COMMANDS], size_t runs,
		       struct tunedstart_measure *ret_measure)
{
	const struct starts_plan plan = {
		.commands = { sides[0], sides[1] },
		.command_count = BENCH_COMMANDS,
		.warmups = sides[0].cold ? 0 : 1,
		.runs = runs,
		.ignore_failure = true,
	};
	CLEANUP(bench_deinit) struct bench bench = { .command_count = BENCH_COMMANDS };
	const struct bench_start *starts[BENCH_COMMANDS];
	size_t count;

	if (starts_run(&plan, &bench.arena, &bench.notes, starts, &count) != 0)
		return false;
	for (size_t i = 0; i < BENCH_COMMANDS; i++) {
		bench.commands[i].starts = starts[i];
		bench.commands[i].count = count;
	}
	summarize(&bench, ret_measure);
	return true;
}

/** A start that is being tuned. */
struct tuning {
	const struct tuning_request *request;
	struct arena *arena;
	struct record_options sides[BENCH_COMMANDS]; // the plain start, and that by the launcher
	struct until until;
	struct standin_loaded loaded;
	struct standin_choice *choices; // one for each of the loaded
	struct outcome plain;
	struct tunefolder folder;
	struct tunetrace plain_trace, tuned_trace, exact_trace, more_trace;
	struct tunemore more;
	struct tunedstart start;
};

static void tuning_deinit(struct tuning *tuning)
{
	tunetrace_deinit(&tuning->plain_trace);
	tunetrace_deinit(&tuning->tuned_trace);
	tunetrace_deinit(&tuning->exact_trace);
	tunetrace_deinit(&tuning->more_trace);
	outcome_deinit(&tuning->plain);
	until_deinit(&tuning->until);
	standinloaded_deinit(&tuning->loaded);
	free(tuning->choices);
}

// ---- What is refused early ----------------------------------------------------------------------

static bool find_program(struct tuning *tuning, struct err *err)
{
	const char *name = tuning->request->command[0];
	const char *found = searchpath_find(tuning->arena, name);
	char start[2] = { 0 };

	if (!found)
		return err_set(err, ERR_INPUT, "%s: command not found",
			       homepath_shortened(tuning->arena, name));
	CLEANUP(fd_close) int fd = open(found, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && pread(fd, start, sizeof(start), 0) == sizeof(start) &&
	    memcmp(start, "#!", sizeof(start)) == 0)
		tuning->start.is_script = true;
	tuning->folder.program = found;
	tuning->folder.name = name;
	return true;
}

/**
 * Two plain runs: what differs between them can prove nothing afterwards. What a program prints
 * that does not end, times above all, need not be alike.
 */
static bool can_repeat(struct tuning *tuning, struct err *err)
{
	const struct record_options *plain = &tuning->sides[0];
	const struct written *before = written_look(tuning->arena);
	const char *difference;

	if (!outcome_find(plain, NULL, &tuning->plain, err) ||
	    !outcome_repeat(&tuning->plain, plain, NULL, tuning->arena, &difference, err))
		return false;
	const char *written = written_since(before, tuning->arena);

	if (written)
		message_print("%s: writes into the folder that it is started in, at each of its "
			      "starts: %s",
			      plain->command[0], written);
	tuning->plain.has_no_text = difference && plain->until;
	return !difference || plain->until ||
	       err_set(err, ERR_MISMATCH,
		       "%s: two plain starts are not alike (%s), so nothing would tell whether a "
		       "tuned one is: choose a command that prints the same each time",
		       plain->command[0], difference);
}

// ---- Cures --------------------------------------------------------------------------------------

/**
 * Say why a file is loaded as before that takes a tenth of the faults or more; NULL: it takes less,
 * or is loaded by every program.
 */
static const char *reason_to_stay(struct tuning *tuning, size_t at, const uint64_t *weights)
{
	const struct standin_library *library = tuning->loaded.items[at];
	uint64_t faults = 0;

	for (size_t i = 0; i < tuning->loaded.count; i++)
		faults += weights[i];
	if (at == 0 || weights[at] < faults / 10 || standin_is_basic(library))
		return NULL;
	return standin_refusal(&tuning->loaded, library, tuning->arena)
		       ?: "the start calls functions of it";
}

ORDER_OF(by_weight, tunedstart_refusal,
	 ORDER(y->faults, x->faults) ?: strcmp(x->library, y->library))

/** Take what was chosen of each loaded file into the result. */
static void note_choices(struct tuning *tuning, const bool *is_used, const uint64_t *weights)
{
	VEC(const char *) standins = { 0 };
	VEC(struct tunedstart_refusal) refusals = { 0 };
	struct tunedstart *start = &tuning->start;

	for (size_t i = 0; i < tuning->loaded.count; i++) {
		const struct standin_library *library = tuning->loaded.items[i];
		const struct standin_choice *choice = &tuning->choices[i];
		const char *name = arena_strdup(tuning->arena, library->soname);
		const char *why = is_used[i] && !choice->is_away
					  ? reason_to_stay(tuning, i, weights)
					  : choice->why;

		start->away_count += choice->is_away;
		start->predicted_faults += choice->is_away ? weights[i] : 0;
		if (choice->stands)
			vec_push(&standins, name);
		if (why && !choice->is_away && !standin_is_basic(library))
			vec_push(&refusals, (struct tunedstart_refusal){ name, why, weights[i] });
		if (!library->build_id[0] && !start->unidentified)
			start->unidentified = arena_strdup(tuning->arena, library->path);
	}
	if (standins.count > 0)
		start->predicted_faults = checked_rest(
			start->predicted_faults, LAUNCHER_FAULTS + FAULTS_EACH * standins.count);
	start->file_count = tuning->loaded.count;
	start->standins = vec_keep_counted(&standins, tuning->arena, &start->standin_count);
	vec_sort(&refusals, by_weight);
	start->refusals = vec_keep_counted(&refusals, tuning->arena, &start->refusal_count);
}

static bool choose_standins(struct tuning *tuning, struct err *err)
{
	CLEANUP(freep) bool *is_used = NULL;
	const uint64_t *weights;

	if (tuning->start.is_script)
		standinloaded_init_script(&tuning->loaded, tuning->folder.program);
	else if (!standinloaded_init(&tuning->loaded, tuning->folder.program, err))
		return false;
	is_used = xcalloc(tuning->loaded.count, sizeof(*is_used));
	tuning->choices = xcalloc(tuning->loaded.count, sizeof(*tuning->choices));
	if (tuning->loaded.count > 1 &&
	    !unused_find(&tuning->sides[0], &tuning->loaded, is_used, err))
		return false;
	weights = tunetrace_weigh(&tuning->plain_trace, &tuning->loaded, tuning->arena);
	standin_choose(&tuning->loaded, is_used, weights, tuning->arena, tuning->choices);
	note_choices(tuning, is_used, weights);
	tuning->folder.loaded = &tuning->loaded;
	tuning->folder.choices = tuning->choices;
	tuning->folder.has_libraries = tuning->start.standin_count > 0;
	return true;
}

/** Plain and tuned starts; cold ones of @files, if any. */
static bool measure(const struct tuning *tuning, const struct record_files *files,
		    struct tunedstart_measure *ret_measure, struct err *err)
{
	struct record_options sides[] = { tuning->sides[0], tuning->sides[1] };
	size_t runs = tuning->request->runs;

	for (size_t i = 0; files && i < BENCH_COMMANDS; i++) {
		sides[i].cold = RECORD_COLD_FILES;
		sides[i].files = files;
	}
	if (files && (runs == 0 || runs > COLD_PAIRS))
		runs = COLD_PAIRS;
	return run_starts(sides, runs, ret_measure) ||
	       err_set(err, ERR_OS, "%s: cannot be measured", sides[0].command[0]);
}

/** Judge the stand-ins, with all in memory: by what they print, used or not, and by the time. */
static bool measure_standins(struct tuning *tuning, struct err *err)
{
	static char open[] = "ELFAULT_STANDIN=open";
	const struct record_options *tuned = &tuning->sides[1];
	struct tunedstart *start = &tuning->start;

	if (!outcome_repeat(&tuning->plain, tuned, NULL, tuning->arena, &start->differs, err) ||
	    (!start->differs &&
	     !outcome_repeat(&tuning->plain, tuned, open, tuning->arena, &start->differs, err)) ||
	    (!start->differs && !measure(tuning, NULL, &start->with_standins, err)))
		return false;
	start->keeps_standins =
		!start->differs && tunedstart_verdict(&start->with_standins) == BENCH_FASTER;
	tuning->folder.has_libraries = start->keeps_standins;
	return tunefolder_settle(&tuning->folder, err);
}

/** Judge the list by cold starts, and then that it does no harm to warm ones. */
static bool measure_list(struct tuning *tuning, struct err *err)
{
	struct tunedstart *start = &tuning->start;
	struct record_files *files =
		tunetrace_files(&tuning->plain_trace, &tuning->more, &tuning->folder);

	const bool ok = tunefolder_settle(&tuning->folder, err) &&
			measure(tuning, files, &start->cold, err) &&
			measure(tuning, NULL, &start->warm, err);

	record_files_destroy(files);
	start->keeps_list = ok && start->cold.own.verdict == BENCH_FASTER &&
			    tunedstart_is_harmless(&start->warm);
	tuning->folder.has_list = start->keeps_list;
	return ok && tunefolder_settle(&tuning->folder, err);
}

static bool write_list(struct tuning *tuning, const struct tunetrace *a, const struct tunetrace *b)
{
	const struct tunetrace *const traces[] = { a, b, NULL };

	tuning->folder.has_list = tunetrace_write_list(traces, &tuning->more, tuning->folder.path,
						       &tuning->start.list_bytes);
	return tuning->folder.has_list;
}

/** Record a start from storage without read-ahead, which only root may turn off. */
static bool record_exactly(struct tuning *tuning, struct tunetrace *ret_trace)
{
	struct err err;

	return geteuid() == 0 &&
	       tunetrace_record(ret_trace, &tuning->sides[1], &tuning->tuned_trace,
				tuning->request->shared, &err);
}

/** Find what others keep in memory: of these files the exact recording lacks pages. */
static void find_held(struct tuning *tuning)
{
	struct record_files *files =
		tunetrace_files(&tuning->tuned_trace, &tuning->more, &tuning->folder);
	CLEANUP(notes_deinit) struct notes notes = { 0 };

	record_files_drop(files, false, &notes);
	record_files_destroy(files);
	tuning->more.warm = &tuning->tuned_trace;
	tuning->more.held =
		tunetrace_find_held(&tuning->tuned_trace, tuning->arena, &tuning->more.held_count);
}

/**
 * Write the list of a start with what is kept: of the pages themselves where that can be recorded,
 * else with what faults mapped beside them. What the start reads beside its list, since starts
 * differ or it was in memory when the first was recorded, is added. False: there is no list.
 */
static bool make_list(struct tuning *tuning)
{
	struct err err;

	if (!record_exactly(tuning, &tuning->exact_trace))
		return write_list(tuning, &tuning->tuned_trace, NULL);
	find_held(tuning);
	if (!write_list(tuning, &tuning->exact_trace, NULL))
		return false;
	return !tunefolder_settle(&tuning->folder, &err) ||
	       !record_exactly(tuning, &tuning->more_trace) ||
	       write_list(tuning, &tuning->exact_trace, &tuning->more_trace);
}

static bool try_cures(struct tuning *tuning, struct err *err)
{
	struct tunefolder *folder = &tuning->folder;
	const struct record_options *tuned = &tuning->sides[1];

	guard_folder();
	if (!tunefolder_make(folder, err) || !tunefolder_settle(folder, err) ||
	    (folder->has_libraries && !measure_standins(tuning, err)))
		return false;
	tuning->more.opened = opened_find(tuned, tuning->arena, &tuning->more.opened_count);
	return tunetrace_record(&tuning->tuned_trace, tuned, NULL, tuning->request->shared, err) &&
	       (!make_list(tuning) || measure_list(tuning, err));
}

// ---- All of it ----------------------------------------------------------------------------------

/** Both starts: the tuned one has the launcher in place of the program. */
static void make_sides(struct tuning *tuning)
{
	char *const *command = tuning->request->command;
	const size_t count = tuning->start.word_count;
	char **tuned = arena_array(tuning->arena, count + 1, sizeof(*tuned));

	memcpy(tuned, command, (count + 1) * sizeof(*tuned));
	tuned[0] = arena_printf(tuning->arena, "%s/run", tuning->request->path);
	for (size_t i = 0; i < BENCH_COMMANDS; i++)
		tuning->sides[i] = (struct record_options){
			.command = i == 0 ? (char **)command : tuned,
			.is_silent = true,
			.until = tuning->request->until ? &tuning->until : NULL,
		};
}

static bool begin(struct tuning *tuning, struct err *err)
{
	char *const *command = tuning->request->command;
	struct tunedstart *start = &tuning->start;
	char here[PATH_MAX];

	while (command[start->word_count])
		start->word_count++;
	start->words = (const char *const *)command;
	start->folder = tuning->folder.path = tuning->request->path;
	start->program = tuning->folder.program;
	start->directory = getcwd(here, sizeof(here)) ? arena_strdup(tuning->arena, here) : "/";
	start->time_s = time(NULL);
	start->until = tuning->request->until;
	start->refreshes = tuning->request->refreshes;
	if (start->refreshes && realpath("/proc/self/exe", here))
		tuning->folder.elfault = arena_strdup(tuning->arena, here);
	tuning->until.then = UNTIL_THEN_END;
	make_sides(tuning);
	return !start->until || (until_add(&tuning->until, NULL, start->until, true, err) &&
				 until_add(&tuning->until, "limit", "60s", true, err));
}

/** Leave the folder as it is to be where nothing was kept, or it went wrong. */
static bool leave_plain(struct tuning *tuning, bool was_there, struct err *err)
{
	struct tunefolder *folder = &tuning->folder;

	folder->has_libraries = folder->has_list = false;
	if (was_there)
		return tunefolder_settle(folder, err) && tunefolder_tidy(folder, err);
	return !tunefolder_exists(folder->path) || tunefolder_remove(folder->path, err);
}

static bool run(struct tuning *tuning, bool was_there, struct err *err)
{
	struct tunedstart *start = &tuning->start;

	// Of a folder that is not tune's this says so, before anything is started.
	if ((!was_there && !tunefolder_remove(tuning->request->path, err)) ||
	    !can_repeat(tuning, err) ||
	    !tunetrace_record(&tuning->plain_trace, &tuning->sides[0], NULL,
			      tuning->request->shared, err) ||
	    !choose_standins(tuning, err))
		return false;
	if (start->is_script)
		start->subject = tunetrace_subject(&tuning->plain_trace, tuning->arena);
	else
		start->links =
			find_links(tuning->plain_trace.model, tuning->arena, &start->link_count);
	if (!try_cures(tuning, err)) {
		struct err other;

		leave_plain(tuning, was_there, &other);
		return false;
	}
	if (!tunedstart_pays(start) && !leave_plain(tuning, was_there, err))
		return false;
	return !tunefolder_exists(tuning->request->path) ||
	       (tunefolder_tidy(&tuning->folder, err) && tuneresult_write(start, err));
}

bool tuning_run(const struct tuning_request *request, struct arena *arena,
		struct tunedstart *ret_start)
{
	CLEANUP(tuning_deinit) struct tuning tuning = { .request = request, .arena = arena };
	const bool was_there = tunefolder_exists(request->path);
	CLEANUP(fd_close) int lock = -1;
	struct err err = { 0 };

	if (!find_program(&tuning, &err) || !tunefolder_lock(request->path, &lock, &err) ||
	    !begin(&tuning, &err) || !guard_begin(&tuning.folder, was_there, &err))
		return message_fail(&err);
	const bool ok = run(&tuning, was_there, &err);

	guard_end();
	if (!ok)
		return message_fail(&err);
	*ret_start = tuning.start;
	return true;
}
