// SPDX-License-Identifier: Apache-2.0
// Takes any bytes as a trace, in either form, with the ELF files of the fixtures, which it names
// /elf/NAME.elf, and asks everything of it: all that analysis finds, findings, predictions, every
// output, every export, limits, and what differs from another trace. What is written has to be
// text, or JSON, as it claims, and what is said to add up has to. Outputs are picked by the input,
// as all of them take long.
#include "advice/findings.h"
#include "base/cleanup.h"
#include "budget/budget.h"
#include "compare/compare.h"
#include "correlate/correlate.h"
#include "cure/order.h"
#include "cure/prefetch.h"
#include "cure/whatif.h"
#include "derive/mainobject.h"
#include "export/export.h"
#include "model/account.h"
#include "model/io.h"
#include "model/moments.h"
#include "model/pivot.h"
#include "model/storage.h"
#include "render/budget/budget.h"
#include "render/diff/diff.h"
#include "export/exporters.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/tracebytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
pid_t fork(void);

// What a trace of this size says can be asked in a second.
enum {
	SIZE_MAX_OF_INPUT = 64 << 10,
	FILE_SIZE_MAX = 64 << 20,
	PICTURE_WIDTH = 800,
	PICTURE_HEIGHT = 600
};

static const char *const budget_paths[] = {
	FIXTURES "/budgets/start.budget",
	FIXTURES "/budgets/storage.budget",
	FIXTURES "/budgets/time.budget",
};
enum { BUDGET_PATH_COUNT = sizeof(budget_paths) / sizeof(budget_paths[0]) };

CLEANUP_POINTER(filter_destroy, struct filter)

/** Options for all inputs. */
static struct {
	struct order order;
	struct budget *budgets[BUDGET_PATH_COUNT];
	struct budget_measures *baseline;
} fixed;

/** Follows from the input alone: the same input always asks for the same. */
static uint64_t picks;

/** One of @count, at random: what takes long is asked of some inputs only. */
static size_t pick(size_t count)
{
	picks = picks * 6364136223846793005 + 1442695040888963407;
	return (size_t)(picks >> 33) % count;
}

/** How many graphs graphviz may still lay out for this input. */
static unsigned layouts;

/** It does so in a process of its own, which takes longer than everything else together. */
pid_t fork(void)
{
	if (layouts > 0) {
		layouts--;
		return _Fork();
	}
	errno = EAGAIN;
	return -1;
}

/** Whether @err is for want of such a process, or of what this was built without. */
static bool is_excused(const struct err *err)
{
	return err->code == ERR_UNSUPPORTED || (err->code == ERR_OS && err->os_errno == EAGAIN);
}

// ---- Traces ---------------------------------------------------------------------------------

/** The path that @path stands for: a fixture's, and nothing of this machine. */
static const char *placed(struct trace *trace, const char *path)
{
	static const char fixture[] = "/elf/";
	const char *folder = "/not-here";

	if (!path || path[0] != '/')
		return path;
	if (strncmp(path, fixture, sizeof(fixture) - 1) == 0 &&
	    !strchr(path + sizeof(fixture) - 1, '/')) {
		folder = ELF_FIXTURES;
		path += sizeof(fixture) - 2;
	} else if (access(path, F_OK) != 0) {
		return path;
	}
	size_t size = strlen(folder) + strlen(path) + 1;
	char *text = arena_alloc(&trace->arena, size);

	snprintf(text, size, "%s%s", folder, path);
	return text;
}

/** The trace of @size bytes; NULL: they are none. */
static struct trace *read_trace(const uint8_t *bytes, size_t size)
{
	CLEANUP(freep) uint8_t *repaired = xcalloc(size + 1, 1);

	memcpy(repaired, bytes, size);
	if (tracebytes_is_binary(repaired, size))
		tracebytes_repair(repaired, size);
	struct trace *trace = tracebytes_read(repaired, size);

	if (!trace)
		return NULL;
	vec_foreach (mapping, &trace->mappings)
		mapping->path = placed(trace, mapping->path);
	// As much address space is taken as a file with content claims to have, which ASan counts.
	vec_foreach (file, &trace->files)
		file->size %= FILE_SIZE_MAX;
	vec_foreach (path, &trace->paths)
		path->path = placed(trace, path->path);
	return trace;
}

/** Find the second of two texts, one behind the other; @size: there is one. */
static size_t second_text(const uint8_t *bytes, size_t size)
{
	static const char head[] = "\nelfault-trace-text ";
	const uint8_t *found = memmem(bytes, size, head, sizeof(head) - 1);

	return found ? (size_t)(found - bytes) + 1 : size;
}

// ---- One trace ------------------------------------------------------------------------------

static void check_counts(const struct model *model)
{
	const struct model_counts *counts = &model->counts;

	if (counts->recorded != counts->attributed + counts->unattributed ||
	    counts->recorded != counts->minor + counts->major)
		abort();
}

/** Abort unless the @count times of @parts add up to @whole, state by state. */
static void check_times(const struct model_times *whole, const struct model_times *parts,
			size_t count)
{
	for (size_t state = 0; state < MODEL_STATES; state++) {
		uint64_t sum = 0;

		array_foreach (part, parts, count)
			sum += part->ns[state];
		if (sum != whole->ns[state])
			abort();
	}
}

static void check_account(const struct model_account *account)
{
	check_times(&account->all, account->by_initiator, MODEL_INITIATORS);
	check_times(&account->main, account->main_by_initiator, MODEL_INITIATORS);
	if (model_times_sum(&account->main) != account->wall_ns)
		abort();
}

static void check_moments(const struct model_moments *moments, const struct model_times *all)
{
	uint64_t computed = moments->unsampled_ns, waited = 0, unplaced = 0;

	array_foreach (row, moments->items, moments->count) {
		if (row->life >= moments->life_count)
			abort();
		if (row->is_sample) {
			computed += row->ns;
		} else if (model_state_waits(row->state)) {
			waited += row->ns;
			unplaced += row->thread == MODEL_NONE ? row->ns : 0;
		}
	}
	if (moments->unsampled_ns > all->ns[MODEL_STATE_CPU] ||
	    computed != all->ns[MODEL_STATE_CPU] || unplaced != moments->unplaced_ns ||
	    waited != all->ns[MODEL_STATE_WAIT] + all->ns[MODEL_STATE_FILE_IO])
		abort();
}

static void check_storage(const struct model_storage *storage)
{
	uint64_t by_cause = 0, of_parts = 0;

	for (size_t cause = 0; cause < MODEL_STORAGE_CAUSES; cause++)
		by_cause += storage->by_cause[cause];
	array_foreach (part, storage->parts, storage->part_count)
		of_parts += part->bytes;
	if (by_cause != storage->device_bytes || of_parts != storage->device_bytes)
		abort();
}

static void check_ios(const struct model_ios *ios, const struct model_storage *storage)
{
	uint64_t bytes = 0;

	array_foreach (io, ios->items, ios->count)
		bytes += io->bytes;
	if (bytes != storage->device_bytes)
		abort();
}

/** Abort unless what is said to add up does. */
static void check_sums(const struct model *model)
{
	check_counts(model);
	if (model->account)
		check_account(model->account);
	if (model->account && model->moments)
		check_moments(model->moments, &model->account->all);
	if (model->storage)
		check_storage(model->storage);
	if (model->ios)
		check_ios(model->ios, model->storage);
}

/** Of enum model_need. */
enum { HAS_ALL = ~0, HAS_FAULTS = ~(NEED_TABLES | NEED_FINDINGS | NEED_SOURCES) };

/** Of code that cost nothing there is much: it takes six times as long as all the rest. */
static unsigned needs_of(int has)
{
	return (unsigned)(pick(8) ? has & ~NEED_WHOLE_LISTINGS : has);
}

/** The answer to @options; NULL: there is none, and @trace is not to blame. */
static struct model *answer(struct trace *trace, struct correlate_options options)
{
	struct model *model = NULL;
	struct err err = { 0 };

	options.keep_trace = true;
	options.debug_dir = "/not-here";
	if (!correlate(trace, &options, &model, &err)) {
		if (err.code == ERR_NONE || !err.message[0])
			abort();
		return NULL;
	}
	check_sums(model);
	return model;
}

/** All that is known of @trace. */
static struct model *answer_whole(struct trace *trace, bool shows_all)
{
	struct model *model = answer(trace, (struct correlate_options){
						    .needs = needs_of(HAS_ALL),
						    .shown = { shows_all, shows_all, shows_all },
						    .order = fixed.order.names.items,
						    .order_count = fixed.order.names.count,
					    });
	if (model)
		findings_find(model);
	return model;
}

static enum output_form form_of(const char *name, bool is_binary)
{
	if (is_binary)
		return OUTPUT_BINARY;
	if (name && (strcmp(name, "json") == 0 || strcmp(name, "firefox") == 0 ||
		     strcmp(name, "speedscope") == 0))
		return OUTPUT_JSON;
	return name && (strcmp(name, "ndjson") == 0 || strcmp(name, "rows") == 0) ? OUTPUT_NDJSON
										  : OUTPUT_TEXT;
}

/** The outputs from @first to @last of the registry. @has: parts of the model, enum model_need. */
static void write_each(enum export_what first, enum export_what last,
		       const struct export_subject *of, const struct export_options *options,
		       int has)
{
	struct err err = { 0 };

	for (const struct exporter *row = exporters; row->write; row++) {
		bool is_slow =
			row->what == EXPORT_PAGE || (row->name && strcmp(row->name, "sqlite") == 0);

		if (row->what < first || row->what > last || row->needs & ~(unsigned)has ||
		    pick(is_slow ? 8 : 2) != 0)
			continue;
		OUTPUT(form_of(row->name, row->is_binary),
		       row->write(of, options, out, &err) || is_excused(&err));
	}
}

/** Outputs of a model. @has: see write_each(). */
static void write_outputs(const struct model *model, int has)
{
	static const char *const fields[] = { "initiator,object,section", "symbol", "function,pid",
					      "mechanism,access,blame", "initializer,init_object" };
	const struct terminal terminal = { .width = pick(2) * 80,
					   .has_utf8 = pick(2),
					   .name_columns = pick(2) * 100 };
	static const char *const labels[] = { "commit=1234" };
	struct export_options options = {
		.terminal = terminal,
		.text = { .terminal = terminal, .top = pick(8), .hide_specks = pick(2) },
		.initializers = { .terminal = terminal,
				  .all = pick(2),
				  .sort = (enum render_sort)pick(RENDER_SORT_ORDER + 1) },
		.picture = { .width = PICTURE_WIDTH,
			     .height = PICTURE_HEIGHT,
			     .object = MODEL_NONE,
			     .by = (enum palette_by)pick(PALETTE_BYS),
			     .full_paths = pick(2) },
		.graph = { .min_share = pick(2) ? 1 : -1 },
		.graph_kind = (enum graph_kind)pick(GRAPH_KINDS),
		.faults = true,
		.stack_ids = pick(2),
		.tool = { .weight = (enum export_weight)pick(EXPORT_WEIGHTS),
			  .causes = pick(2),
			  .version = "elfault",
			  .labels = labels,
			  .label_count = pick(2) },
	};
	struct pivot_fields by;
	struct err err = { 0 };

	if (!pivot_fields_parse(fields[pick(sizeof(fields) / sizeof(fields[0]))], &by, &err))
		abort();
	CLEANUP(pivot_destroyp) struct pivot *pivot = pivot_create(model, &by);

	options.picture.object = mainobject_find(model);
	write_each(EXPORT_ANSWER, EXPORT_TOOL,
		   &(struct export_subject){ .model = model, .pivot = pivot }, &options, has);
}

/** Write what another link, kernel or list of ranges would change. */
static void write_cures(const struct model *model)
{
	const struct whatif_options options = { .order = true };
	CLEANUP(whatif_destroyp) struct whatif_answer *cures = whatif_predict(model, &options);
	CLEANUP(prefetch_maker_destroyp)
	struct prefetch_maker *maker = prefetch_maker_create(true);
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(notes_deinit) struct notes notes = { 0 };

	write_each(EXPORT_WHATIF, EXPORT_WHATIF,
		   &(struct export_subject){ .model = model, .cures = cures },
		   &(struct export_options){ .terminal = { .width = 80 } }, HAS_ALL);
	prefetch_maker_add(maker, model);
	struct prefetch_list list = prefetch_maker_finish(maker, 64 << 10, &arena, &notes);

	OUTPUT(OUTPUT_TEXT, prefetch_write(&list, NULL, 0, NULL, out));
}

static void write_verdict(const struct model *model, struct budget *budget)
{
	const struct export_options options = { .budget.baseline = "start.budget.baseline" };
	CLEANUP(budget_meter_destroyp)
	struct budget_meter *meter = budget_meter_create(budget, false);

	budget_meter_add(meter, model);
	CLEANUP(budget_measures_closep)
	struct budget_measures *measures = budget_meter_finish(meter);
	CLEANUP(budget_answer_closep)
	struct budget_answer *verdict = budget_judge(budget, measures, fixed.baseline);

	write_each(EXPORT_CHECK, EXPORT_CHECK, &(struct export_subject){ .verdict = verdict },
		   &options, HAS_ALL);
	OUTPUT(OUTPUT_JSON, render_baseline_json(measures, out));
	OUTPUT(OUTPUT_TEXT,
	       render_baseline_changes(measures, fixed.baseline, "start.budget.baseline", out));
}

/** The faults of one file, and those that meet a condition, by themselves. */
static void ask_parts(struct trace *trace, const struct model *whole)
{
	static const char *const conditions[] = {
		"initiator=program|static-init",
		"object!=null,section=.data|.bss",
		"kind=major",
		"function=main|*init*",
		"blame!=null",
		"pid!=100",
	};
	CLEANUP(filter_destroyp) struct filter *filter = filter_create();
	struct err err = { 0 };

	if (!filter_add(filter, conditions[pick(sizeof(conditions) / sizeof(conditions[0]))], &err))
		abort();
	CLEANUP(model_closep)
	struct model *chosen = answer(trace, (struct correlate_options){ .filter = filter,
									 .needs = needs_of(HAS_ALL),
									 .no_demangle = true });

	if (chosen) {
		findings_find_apart(chosen);
		findings_join(chosen);
		write_outputs(chosen, HAS_ALL);
	}
	if (whole->object_count == 0)
		return;
	const char *path = whole->objects[pick(whole->object_count)].path;
	const int has = pick(2) ? HAS_FAULTS : HAS_ALL;
	CLEANUP(model_closep)
	struct model *of_object = answer(trace, (struct correlate_options){
							.objects = &path,
							.object_count = 1,
							.force = pick(2),
							.needs = needs_of(has),
						});

	if (!of_object)
		return;
	if (has & NEED_FINDINGS)
		findings_find(of_object);
	write_outputs(of_object, has);
}

// ---- Two traces -----------------------------------------------------------------------------

static void write_sides(struct compare *compare, const struct comparison *comparison,
			const struct model *const models[COMPARE_SIDES], FILE *out)
{
	if (!render_diff_page_start(comparison, out))
		abort();
	for (int side = 0; side < COMPARE_SIDES; side++) {
		struct compare_links links;
		size_t run = compare_median_run(comparison, (enum compare_side)side);

		if (!compare_link(compare, comparison, run, models[side], &links) ||
		    !render_diff_page_side((enum compare_side)side, models[side], &links, out))
			abort();
		compare_links_deinit(&links);
	}
}

static void compare_models(const struct model *const models[COMPARE_SIDES])
{
	const size_t runs = pick(4) == 0 ? 4 : 1; // enough to tell differences from noise
	const size_t counts[COMPARE_SIDES] = { runs, runs };
	const struct export_options options = { .diff.top = pick(8) };
	CLEANUP(compare_destroyp) struct compare *compare = compare_create(counts, NULL, 0);

	for (int side = 0; side < COMPARE_SIDES; side++)
		for (size_t i = 0; i < runs; i++)
			compare_add(compare, (enum compare_side)side, models[side]);
	CLEANUP(comparison_closep) struct comparison *comparison = compare_finish(compare);

	changes_find(comparison);
	write_each(EXPORT_DIFF, EXPORT_DIFF, &(struct export_subject){ .comparison = comparison },
		   &options, HAS_ALL);
	if (pick(8) == 0)
		OUTPUT(OUTPUT_TEXT,
		       (write_sides(compare, comparison, models, out), render_diff_page_end(out)));
}

// ---- All of it ------------------------------------------------------------------------------

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct err err;

	unsetenv("DEBUGINFOD_URLS");
	if (!order_read(&fixed.order, FIXTURES "/orders/program.order", &err) ||
	    !budget_baseline_read(FIXTURES "/budgets/start.budget.baseline", &fixed.baseline, &err))
		abort();
	for (size_t i = 0; i < BUDGET_PATH_COUNT; i++)
		if (!budget_read(budget_paths[i], &fixed.budgets[i], &err))
			abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > SIZE_MAX_OF_INPUT)
		return 0;
	const size_t second = second_text(data, size);
	CLEANUP(trace_closep) struct trace *trace = read_trace(data, second);

	picks = XXH64(data, size, 0);
	layouts = pick(64) ? 0 : 2;
	if (!trace)
		return 0;
	CLEANUP(model_closep) struct model *model = answer_whole(trace, pick(2));

	if (!model)
		return 0;
	write_outputs(model, HAS_ALL);
	write_cures(model);
	write_verdict(model, fixed.budgets[pick(BUDGET_PATH_COUNT)]);
	ask_parts(trace, model);

	CLEANUP(trace_closep)
	struct trace *other = read_trace(data + second, size - second);
	CLEANUP(model_closep) struct model *other_model = other ? answer_whole(other, true) : NULL;
	const struct model *const sides[] = { model, other_model ? other_model : model };

	compare_models(sides);
	return 0;
}
