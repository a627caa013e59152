// SPDX-License-Identifier: Apache-2.0
#include "compare/compare.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "compare/facts.h"
#include "base/hash.h"
#include "base/order.h"
#include "compare/judge.h"
#include "compare/gather.h"
#include "model/missing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** The sections of one side's file. */
struct side_sections {
	struct compare_section *rows;
	size_t count;
};

/** State of a run when it was counted. */
struct counted {
	uint32_t *object_ids; // by index of model.objects
	size_t objects, faults;
	const char *subject, *command; // names of the account's; NULL: unknown
	bool is_other;		       // the subject is not the command's first program
};

struct compare {
	struct comparison *comparison;
	struct pairing pairing;
	struct tally tally;
	struct gathering gathering;
	struct amounts amounts;
	struct markruns marks;
	VEC(struct compare_run) runs;
	VEC(struct counted) counted;	    // by run
	VEC(struct side_sections) sections; // [object][side]
};

const char *compare_metric_name(enum compare_metric metric)
{
	static const char *const names[] = { "faults",	    "major",  "pages",
					     "duration_ns", "own_ns", "read_bytes" };

	return names[metric];
}

const char *compare_verdict_name(enum compare_verdict verdict)
{
	static const char *const names[] = { "same", "unknown", "noise", "real" };

	return names[verdict];
}

const char *compare_table_name(enum compare_table table)
{
	static const char *const names[] = { "initiator", "mechanism", "object",      "section",
					     "function",  "symbol",    "initializer", "cause" };

	return names[table];
}

const char *compare_pairing_name(enum compare_pairing pairing)
{
	static const char *const names[] = { NULL,   "path",	"soname", "name",
					     "pair", "program", "guess" };

	return names[pairing];
}

struct compare *compare_create(const size_t run_count[COMPARE_SIDES],
			       const struct compare_pair *pairs, size_t pair_count)
{
	struct compare *compare = xcalloc(1, sizeof(*compare));
	struct comparison *comparison = xcalloc(1, sizeof(*comparison));
	struct arena *arena = &comparison->arena;
	size_t runs = run_count[COMPARE_BEFORE] + run_count[COMPARE_AFTER];

	memcpy(comparison->run_count, run_count, sizeof(comparison->run_count));
	compare->comparison = comparison;
	compare->pairing.arena = arena;
	compare->pairing.notes = &comparison->notes;
	compare->pairing.pairs = pairs;
	compare->pairing.pair_count = pair_count;
	compare->pairing.program = MODEL_NONE;
	for (int side = 0; side < COMPARE_SIDES; side++)
		compare->pairing.is_found[side] = arena_array(arena, pair_count + 1, sizeof(bool));
	compare->gathering.arena = arena;
	compare->gathering.run_count = comparison->run_count;
	compare->amounts.arena = arena;
	compare->amounts.run_count = runs;
	compare->marks.arena = arena;
	compare->marks.run_count = runs;
	compare->tally.arena = arena;
	compare->tally.run_count = runs;
	compare->tally.total = arena_array(arena, runs * COMPARE_METRICS, sizeof(uint64_t));
	return compare;
}

void compare_allow_guesses(struct compare *compare)
{
	compare->pairing.guesses = true;
}

/** The words of the command from the one numbered @first on. */
static const char *command_of(const struct model_trace *trace, size_t first, struct arena *arena)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	for (size_t i = first; i < trace->command_count; i++)
		strbuf_printf(&text, "%s%s", i > first ? " " : "", trace->command[i]);
	return arena_strdup(arena, strbuf_text(&text));
}

/** Keep the layout of the object at its first sight on this side. */
static void keep_layout(struct compare *compare, enum compare_side side, uint32_t id,
			const struct model *model, const struct model_object *object)
{
	struct comparison *comparison = compare->comparison;

	while (compare->sections.count <= (size_t)id * COMPARE_SIDES + COMPARE_AFTER)
		vec_push(&compare->sections, (struct side_sections){ 0 });
	struct compare_layout *layout = &compare->pairing.objects.items[id].row.layout[side];
	struct side_sections *sections = &compare->sections.items[id * COMPARE_SIDES + side];
	if (!layout->is_known) {
		*layout = facts_of(model, object, side, &comparison->arena, &sections->rows,
				   &sections->count);
		return;
	}
	if (layout->build_id && object->build_id && strcmp(layout->build_id, object->build_id) != 0)
		notes_add(&comparison->notes,
			  "%s: build-id differs between the runs of one side; sizes are from the "
			  "first run",
			  object->path);
}

/** The name of a process of the account; NULL: unknown. */
static const char *name_of(const struct model *model, uint32_t process, struct arena *arena)
{
	const uint32_t comm =
		process == MODEL_NONE ? MODEL_NONE : model->account->processes[process].comm;

	return comm == MODEL_NONE ? NULL : arena_strdup(arena, model->comms[comm]);
}

/** Keep whose time may be compared. */
static void name_programs(const struct model *model, struct arena *arena, struct counted *counted)
{
	if (!model->account || !model->account->subject.is_known)
		return;
	const struct model_subject *subject = &model->account->subject;

	counted->is_other = subject->is_other;
	counted->subject = name_of(model, subject->process, arena);
	counted->command =
		name_of(model, subject->is_chosen ? subject->process : subject->command, arena);
}

void compare_add(struct compare *compare, enum compare_side side, const struct model *model)
{
	struct comparison *comparison = compare->comparison;
	uint32_t *ids;

	pairing_add(&compare->pairing, side, model, &ids);
	for (size_t i = 0; i < model->object_count; i++)
		keep_layout(compare, side, ids[i], model, &model->objects[i]);
	tally_add(&compare->tally, compare->runs.count, model, ids);
	amounts_add(&compare->amounts, compare->runs.count, model, ids);
	markruns_add(&compare->marks, side, compare->runs.count, model);
	struct counted counted = { ids, model->object_count, model->fault_count, 0 };

	name_programs(model, &comparison->arena, &counted);
	vec_push(&compare->counted, counted);
	locality_add(&compare->gathering, side, compare->runs.count, model, ids);
	vec_push(&compare->runs,
		 (struct compare_run){
			 .path = arena_strdup(&comparison->arena, model_trace_file(&model->trace)),
			 .command = model->trace.process
					    ? arena_strdup(&comparison->arena, model->trace.process)
					    : command_of(&model->trace, 0, &comparison->arena),
			 .arguments = command_of(&model->trace, 1, &comparison->arena),
			 .arguments_hash = model->trace.arguments_hash,
			 .complete = model_is_complete(model),
			 .duration_ns = model->trace.duration_ns,
			 .has_reads = model->trace.has_reads,
			 .has_account = model->account,
			 .has_fault_time = model->total.own_ns > 0 || model->total.faults == 0,
			 .has_storage = model->storage,
			 .windows = windows_count(model),
			 .lost = model->counts.lost,
			 .missing = model_missing(&model->counts).total,
			 .imported_from = model_imported_from(&model->trace),
		 });
	runnotes_add(&comparison->run_notes[side], &model->notes);
}

const struct compare_pair *compare_unmatched(const struct compare *compare,
					     enum compare_side *ret_side)
{
	for (size_t i = 0; i < compare->pairing.pair_count; i++)
		for (int side = 0; side < COMPARE_SIDES; side++)
			if (!compare->pairing.is_found[side][i]) {
				*ret_side = (enum compare_side)side;
				return &compare->pairing.pairs[i];
			}
	return NULL;
}

/** Has the row a fault on that side? */
static bool is_on(const struct comparison *comparison, const struct compare_row *row,
		  enum compare_side side)
{
	size_t start = side == COMPARE_BEFORE ? 0 : comparison->run_count[COMPARE_BEFORE];

	for (size_t run = start; run < start + comparison->run_count[side]; run++)
		if (row->runs[run * COMPARE_METRICS + COMPARE_FAULTS] > 0)
			return true;
	return false;
}

/**
 * Initializers that are on one side only and stem from one source file, which the other side has
 * such rows of, too, become one row: LTO renames and merges them. The rows that went into another
 * keep no runs.
 */
static void match_by_source(struct compare *compare)
{
	struct tally *tally = &compare->tally;
	CLEANUP(u64map_deinit)
	struct u64map groups = { 0 }; // -> which sides have rows of this source
	CLEANUP(u64map_deinit) struct u64map kept = { 0 }; // -> row + 1

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < tally->rows.count; i++) {
			struct tally_row *from = &tally->rows.items[i];
			bool before, after, is_new;

			if (from->table != COMPARE_BY_INITIALIZER || !from->row.source)
				continue;
			before = is_on(compare->comparison, &from->row, COMPARE_BEFORE);
			after = is_on(compare->comparison, &from->row, COMPARE_AFTER);
			if (before == after)
				continue;
			uint64_t hash =
				hash_text(from->row.object, path_file_name(from->row.source));
			if (round == 0) {
				*u64map_put(&groups, hash, NULL) |= before ? 1 : 2;
				continue;
			}
			if (*u64map_get(&groups, hash) != 3)
				continue;
			uint32_t *into = u64map_put(&kept, hash, &is_new);
			if (is_new) {
				*into = i;
				from->row.name = NULL;
				from->row.build = NULL;
				continue;
			}
			from->into = *into;
			uint64_t *sums = tally->rows.items[*into].row.runs;
			for (size_t n = 0; n < tally->run_count * COMPARE_METRICS; n++)
				sums[n] += from->row.runs[n];
			from->row.runs = NULL;
		}
}

static bool is_real(const struct compare_row *row)
{
	return row->figures[COMPARE_FAULTS].verdict == COMPARE_REAL ||
	       row->figures[COMPARE_MAJOR].verdict == COMPARE_REAL;
}

/** How much the sides differ, in faults; a wait for storage costs what a hundred others do. */
static double weight(const struct compare_row *row)
{
	enum { MAJOR_WEIGHT = 100 };

	return fabs(row->figures[COMPARE_FAULTS].difference) +
	       (MAJOR_WEIGHT - 1) * fabs(row->figures[COMPARE_MAJOR].difference);
}

static const char *label_of(const struct comparison *comparison, const struct compare_row *row)
{
	return row->object == MODEL_NONE ? NULL : comparison->objects[row->object].label;
}

/** Real first, then what differs most, then by name. */
static int compare_rows(const void *a, const void *b, void *comparison)
{
	const struct compare_row *x = a, *y = b;

	return ORDER(is_real(y), is_real(x)) ?: ORDER(weight(y), weight(x))
		?: ORDER(y->figures[COMPARE_FAULTS].median[COMPARE_BEFORE],
			 x->figures[COMPARE_FAULTS].median[COMPARE_BEFORE])
		?: order_text_or_none(x->name, y->name)
		?: order_text_or_none(label_of(comparison, x), label_of(comparison, y))
		?: ORDER(x->initiator, y->initiator) ?: order_text_or_none(x->source, y->source)
		?: order_text_or_none(x->build, y->build) ?: ORDER(x->object, y->object);
}

static void finish_objects(struct compare *compare)
{
	struct comparison *comparison = compare->comparison;
	struct pairing *pairing = &compare->pairing;
	struct compare_object *rows =
		arena_array(&comparison->arena, pairing->objects.count + 1, sizeof(*rows));

	pairing_label(pairing);
	pairing_note_guesses(pairing);
	for (size_t i = 0; i < pairing->objects.count; i++) {
		const struct side_sections *sides = &compare->sections.items[i * COMPARE_SIDES];

		rows[i] = pairing->objects.items[i].row;
		rows[i].sections =
			facts_merge(&comparison->arena, sides[COMPARE_BEFORE].rows,
				    sides[COMPARE_BEFORE].count, sides[COMPARE_AFTER].rows,
				    sides[COMPARE_AFTER].count, &rows[i].section_count);
	}
	locality_finish(&compare->gathering, rows, pairing->objects.count);
	comparison->objects = rows;
	comparison->object_count = pairing->objects.count;
	comparison->program = pairing->program;
}

static void finish_rows(struct compare *compare)
{
	struct comparison *comparison = compare->comparison;
	struct compare_row *rows[COMPARE_TABLES];
	size_t counts[COMPARE_TABLES] = { 0 };

	vec_foreach (row, &compare->tally.rows)
		counts[row->table] += row->row.runs != NULL;
	for (int table = 0; table < COMPARE_TABLES; table++)
		rows[table] = arena_array(&comparison->arena, counts[table] + 1, sizeof(**rows));
	vec_foreach (row, &compare->tally.rows)
		if (row->row.runs)
			rows[row->table][comparison->row_count[row->table]++] = row->row;
	for (int table = 0; table < COMPARE_TABLES; table++) {
		judge_rows(rows[table], counts[table], comparison->run_count);
		qsort_r(rows[table], counts[table], sizeof(**rows), compare_rows, comparison);
		comparison->rows[table] = rows[table];
	}
	comparison->total = (struct compare_row){ .object = MODEL_NONE,
						  .initiator = MODEL_NONE,
						  .runs = compare->tally.total };
	judge_rows(&comparison->total, 1, comparison->run_count);
}

/** Forget bytes read that only some runs know: they are no difference. */
static void forget_reads(struct compare *compare)
{
	struct tally *tally = &compare->tally;

	for (size_t run = 0; run < tally->run_count; run++) {
		tally->total[run * COMPARE_METRICS + COMPARE_READ] = 0;
		vec_foreach (row, &tally->rows)
			row->row.runs[run * COMPARE_METRICS + COMPARE_READ] = 0;
	}
}

/** Bytes read can be compared where each run tells them; a note says which one does not. */
static bool tells_reads(struct comparison *comparison)
{
	size_t runs = comparison->run_count[COMPARE_BEFORE] + comparison->run_count[COMPARE_AFTER];

	for (size_t i = 0; i < runs; i++) {
		if (comparison->runs[i].has_reads)
			continue;
		notes_add(&comparison->notes,
			  "bytes read are not compared: %s has no data on them (recorded with perf "
			  "or an older elfault)",
			  comparison->runs[i].path);
		return false;
	}
	return runs > 0;
}

/** True if all runs of each side are about one program: the time of another is not of interest. */
static bool have_one_subject(const struct compare *compare)
{
	const size_t before = compare->comparison->run_count[COMPARE_BEFORE];

	for (size_t i = 0; i < compare->counted.count; i++) {
		const struct counted *first = &compare->counted.items[i < before ? 0 : before];

		if (!first->subject ||
		    !is_same_text(first->subject, compare->counted.items[i].subject))
			return false;
	}
	return true;
}

struct comparison *compare_finish(struct compare *compare)
{
	struct comparison *comparison = compare->comparison;
	struct compare_run *runs =
		arena_array(&comparison->arena, compare->runs.count + 1, sizeof(*runs));

	comparison->is_of_subject = have_one_subject(compare);
	for (size_t i = 0; i < compare->runs.count; i++) {
		const struct counted *counted = &compare->counted.items[i];

		runs[i] = compare->runs.items[i];
		if (counted->is_other)
			runs[i].judged =
				comparison->is_of_subject ? counted->subject : counted->command;
	}
	comparison->runs = runs;
	comparison->can_tell = judge_can_tell(comparison->run_count);
	comparison->has_reads = tells_reads(comparison);
	if (!comparison->has_reads)
		forget_reads(compare);
	finish_objects(compare);
	match_by_source(compare);
	finish_rows(compare);
	amounts_finish(&compare->amounts, comparison);
	markruns_finish(&compare->marks, comparison);
	comparison_note_runs(comparison);
	compare->comparison = NULL;
	return comparison;
}

size_t compare_median_run(const struct comparison *comparison, enum compare_side side)
{
	size_t first = side == COMPARE_BEFORE ? 0 : comparison->run_count[COMPARE_BEFORE];
	double median = comparison->total.figures[COMPARE_FAULTS].median[side];
	double nearest = INFINITY;
	size_t best = first;

	for (size_t run = first; run < first + comparison->run_count[side]; run++) {
		uint64_t faults = comparison->total.runs[run * COMPARE_METRICS + COMPARE_FAULTS];
		double distance = fabs((double)faults - median);

		if (distance < nearest) {
			nearest = distance;
			best = run;
		}
	}
	return best;
}

/** Return the place of each tally row in its table; to be freed. */
static uint32_t *place_rows(const struct compare *compare, const struct comparison *comparison)
{
	const struct tally *tally = &compare->tally;
	uint32_t *places = xcalloc(tally->rows.count + 1, sizeof(*places));
	CLEANUP(u64map_deinit) struct u64map by_runs = { 0 }; // each row has its own

	for (int table = 0; table < COMPARE_TABLES; table++)
		for (uint32_t i = 0; i < comparison->row_count[table]; i++)
			*u64map_put(&by_runs, (uintptr_t)comparison->rows[table][i].runs, NULL) = i;
	for (uint32_t i = 0; i < tally->rows.count; i++) {
		const struct tally_row *row = &tally->rows.items[i];

		if (row->into != MODEL_NONE)
			row = &tally->rows.items[row->into];
		places[i] = *u64map_get(&by_runs, (uintptr_t)row->row.runs);
	}
	return places;
}

bool compare_link(struct compare *compare, const struct comparison *comparison, size_t run,
		  const struct model *model, struct compare_links *ret_links)
{
	const struct counted *counted = &compare->counted.items[run];

	if (counted->objects != model->object_count || counted->faults != model->fault_count)
		return false;
	CLEANUP(freep) uint32_t *places = place_rows(compare, comparison);
	struct compare_links links = {
		.objects = xcalloc(counted->objects + 1, sizeof(*links.objects)),
		.findings = comparison->findings,
		.finding_count = comparison->finding_count,
	};
	memcpy(links.objects, counted->object_ids, counted->objects * sizeof(*links.objects));
	for (enum compare_table table = 0; table < COMPARE_TABLES; table++) {
		uint32_t *rows;
		size_t count;

		tally_find(&compare->tally, table, model, links.objects, &rows, &count);
		for (size_t i = 0; i < count; i++)
			rows[i] = rows[i] == MODEL_NONE ? MODEL_NONE : places[rows[i]];
		links.rows[table] = rows;
		links.row_count[table] = count;
	}
	*ret_links = links;
	return true;
}

void compare_links_deinit(struct compare_links *links)
{
	free(links->objects);
	for (int table = 0; table < COMPARE_TABLES; table++)
		free(links->rows[table]);
}

void compare_judge(const struct comparison *comparison, const uint64_t *runs,
		   struct compare_figure *ret_figures)
{
	// Runs are read only.
	struct compare_row row = { .runs = (uint64_t *)runs };

	judge_rows(&row, 1, comparison->run_count);
	memcpy(ret_figures, row.figures, sizeof(row.figures));
}

void comparison_close(struct comparison *comparison)
{
	if (!comparison)
		return;
	for (int side = 0; side < COMPARE_SIDES; side++)
		runnotes_deinit(&comparison->run_notes[side]);
	notes_deinit(&comparison->notes);
	arena_deinit(&comparison->arena);
	free(comparison);
}

void compare_destroy(struct compare *compare)
{
	if (!compare)
		return;
	comparison_close(compare->comparison);
	vec_deinit(&compare->pairing.objects);
	tally_deinit(&compare->tally);
	vec_foreach (counted, &compare->counted)
		free(counted->object_ids);
	vec_deinit(&compare->counted);
	gathering_deinit(&compare->gathering);
	amounts_deinit(&compare->amounts);
	vec_deinit(&compare->marks.rows);
	vec_deinit(&compare->runs);
	vec_deinit(&compare->sections);
	free(compare);
}
