// SPDX-License-Identifier: Apache-2.0
#include "compare/gather.h"

#include "base/cleanup.h"
#include "base/median.h"
#include "base/order.h"
#include "base/hash.h"
#include "compare/judge.h"
#include "model/storage.h"

#include <math.h>
#include <string.h>

// Indexes behind the states.
enum { WHOLE = MODEL_STATES, OWN };

enum { SECTOR_BYTES = 512 };

const char *compare_bytes_by_name(enum compare_bytes_by by)
{
	static const char *const names[] = { "all", "cause", "initiator", "file", "section" };

	return names[by];
}

// ---- Time -----------------------------------------------------------------------------------

static void add_time(struct amounts *amounts, uint64_t **runs, size_t run, uint64_t ns)
{
	if (ns == 0)
		return;
	if (!*runs)
		*runs = arena_array(amounts->arena, amounts->run_count, sizeof(**runs));
	(*runs)[run] += ns;
}

static void add_times(struct amounts *amounts, enum amounts_scope scope, size_t run,
		      const struct model_times *by_initiator, const uint64_t *errors)
{
	uint64_t *(*times)[MODEL_STATES + 2] = amounts->times[scope];

	for (size_t i = 0; i < MODEL_INITIATORS; i++) {
		for (size_t state = 0; state < MODEL_STATES; state++) {
			uint64_t ns = by_initiator[i].ns[state];

			// Recording takes longer on one machine than on another.
			if (state != MODEL_STATE_RECORDING)
				add_time(amounts, &times[MODEL_INITIATORS][WHOLE], run, ns);
			if (state != MODEL_STATE_WAIT &&
			    model_state_is_used((enum model_state)state))
				add_time(amounts, &times[MODEL_INITIATORS][OWN], run, ns);
			add_time(amounts, &times[MODEL_INITIATORS][state], run, ns);
			// Nobody's code makes a thread wait for a processor, or be recorded.
			if (model_state_is_used((enum model_state)state))
				add_time(amounts, &times[i][state], run, ns);
		}
		add_time(amounts, &amounts->errors[scope][i], run, errors[i]);
	}
}

// ---- Bytes ----------------------------------------------------------------------------------

static struct compare_bytes *find_bytes(struct amounts *amounts, enum compare_bytes_by by,
					uint32_t object, const char *path, const char *name)
{
	uint64_t hash = hash_number(by, object);
	bool is_new;

	// A file that is an object is the same on both sides whatever its path.
	if (object != MODEL_NONE)
		path = NULL;
	if (path)
		hash = hash_text(hash, path);
	if (name)
		hash = hash_text(hash, name);
	uint32_t *first = u64map_put(&amounts->by_hash, hash, &is_new);

	if (is_new)
		*first = MODEL_NONE;
	for (uint32_t i = *first; i != MODEL_NONE; i = amounts->bytes.items[i].next) {
		struct amounts_bytes *known = &amounts->bytes.items[i];

		if (known->row.by == by && known->row.object == object &&
		    is_same_text(known->row.path, path) && is_same_text(known->row.name, name))
			return &known->row;
	}
	uint32_t next = *first;

	*first = (uint32_t)amounts->bytes.count;
	vec_push(&amounts->bytes,
		 (struct amounts_bytes){
			 .row = { .by = by,
				  .object = object,
				  .path = arena_strdup(amounts->arena, path),
				  .name = arena_strdup(amounts->arena, name),
				  .runs = arena_array(amounts->arena, amounts->run_count,
						      sizeof(uint64_t)) },
			 .next = next,
		 });
	return &amounts->bytes.items[amounts->bytes.count - 1].row;
}

/** Of other processes nothing is compared: they are not the command's. */
static void add_part(struct amounts *amounts, size_t run, const struct model_storage_part *part,
		     const uint32_t *object_ids)
{
	uint32_t object = part->object == MODEL_NONE ? MODEL_NONE : object_ids[part->object];

	if (part->cause == MODEL_STORAGE_OTHERS)
		return;
	find_bytes(amounts, COMPARE_BYTES_ALL, MODEL_NONE, NULL, NULL)->runs[run] += part->bytes;
	find_bytes(amounts, COMPARE_BYTES_BY_CAUSE, MODEL_NONE, NULL,
		   model_storage_cause_name(part->cause))
		->runs[run] += part->bytes;
	find_bytes(amounts, COMPARE_BYTES_BY_INITIATOR, MODEL_NONE, NULL,
		   model_initiator_name(part->initiator))
		->runs[run] += part->bytes;
	find_bytes(amounts, COMPARE_BYTES_BY_FILE, object, part->path, NULL)->runs[run] +=
		part->bytes;
	find_bytes(amounts, COMPARE_BYTES_BY_SECTION, object, part->path, part->section)
		->runs[run] += part->bytes;
}

void amounts_add(struct amounts *amounts, size_t run, const struct model *model,
		 const uint32_t *object_ids)
{
	const struct model_account *account = model->account;
	const struct model_storage *storage = model->storage;

	if (account) {
		const struct model_subject *subject = &account->subject;

		add_times(amounts, AMOUNTS_COMMAND, run, model_account_judged(account),
			  model_account_judged_errors(account));
		add_times(amounts, AMOUNTS_SUBJECT, run, subject->by_initiator,
			  subject->cpu_error_ns);
		add_times(amounts, AMOUNTS_ALL, run, account->by_initiator, account->cpu_error_ns);
	}
	if (!storage)
		return;
	find_bytes(amounts, COMPARE_BYTES_ALL, MODEL_NONE, NULL, NULL);
	for (size_t i = 0; i < storage->part_count; i++)
		add_part(amounts, run, &storage->parts[i], object_ids);
}

// ---- The end --------------------------------------------------------------------------------

/** The errors of a cpu time that samples divided: each side's median. */
static void set_errors(struct compare_time *row, const uint64_t *errors, const size_t *run_count)
{
	if (!errors)
		return;
	row->error_ns[COMPARE_BEFORE] = median_of(errors, run_count[COMPARE_BEFORE]);
	row->error_ns[COMPARE_AFTER] =
		median_of(errors + run_count[COMPARE_BEFORE], run_count[COMPARE_AFTER]);
}

/** Judge the times of @rows, which stand for each other's noise. */
static void judge_times(struct compare_time *rows, size_t count, const size_t *run_count)
{
	CLEANUP(freep) struct judged *items = xcalloc(count + 1, sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = judge_of_time(&rows[i].figure, rows[i].runs);
	judge(items, count, run_count);
}

/** Append the times of one initiator, or all, in the states from @first to before @end. */
static size_t add_rows(const struct amounts *amounts, const size_t *run_count,
		       enum amounts_scope scope, size_t initiator, size_t first, size_t end,
		       struct compare_time *rows)
{
	bool is_one = initiator < MODEL_INITIATORS;
	size_t count = 0;

	for (size_t state = first; state < end; state++) {
		const uint64_t *runs = amounts->times[scope][initiator][state];
		struct compare_time *row = &rows[count];

		if (!runs)
			continue;
		*row = (struct compare_time){
			.is_main = scope != AMOUNTS_ALL,
			.state = state < MODEL_STATES ? (uint32_t)state
				 : state == OWN	      ? COMPARE_TIME_OWN
						      : MODEL_NONE,
			.initiator = is_one ? (uint32_t)initiator : MODEL_NONE,
			.runs = runs,
		};
		if (is_one && state == MODEL_STATE_CPU)
			set_errors(row, amounts->errors[scope][initiator], run_count);
		count++;
	}
	return count;
}

/** Own time first, then the whole, the states, then those of each initiator: judged apart. */
static size_t finish_scope(const struct amounts *amounts, const size_t *run_count,
			   enum amounts_scope scope, struct compare_time *rows)
{
	static const size_t parts[][2] = { { OWN, OWN + 1 },
					   { WHOLE, WHOLE + 1 },
					   { 0, MODEL_STATES } };
	struct compare_time *part = rows;
	size_t size;

	array_foreach (states, parts, 3) {
		size = add_rows(amounts, run_count, scope, MODEL_INITIATORS, (*states)[0],
				(*states)[1], part);
		judge_times(part, size, run_count);
		part += size;
	}
	size = 0;
	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		size += add_rows(amounts, run_count, scope, i, 0, MODEL_STATES, part + size);
	judge_times(part, size, run_count);
	return (size_t)(part + size - rows);
}

static void finish_times(const struct amounts *amounts, struct comparison *comparison)
{
	enum { ROWS = 2 * (MODEL_INITIATORS + 1) * (MODEL_STATES + 2) };
	struct compare_time *rows = arena_array(amounts->arena, ROWS, sizeof(*rows));
	const enum amounts_scope first =
		comparison->is_of_subject ? AMOUNTS_SUBJECT : AMOUNTS_COMMAND;
	const size_t count = finish_scope(amounts, comparison->run_count, first, rows);

	comparison->times = rows;
	comparison->time_count =
		count + finish_scope(amounts, comparison->run_count, AMOUNTS_ALL, rows + count);
}

/** By table; real first, then what differs most, then by name. */
static int compare_bytes_rows(const void *a, const void *b)
{
	const struct compare_bytes *x = a, *y = b;
	const struct compare_figure *f = &x->figure, *g = &y->figure;

	return ORDER(x->by, y->by)
		?: ORDER(g->verdict == COMPARE_REAL, f->verdict == COMPARE_REAL)
			?: ORDER(fabs(g->difference), fabs(f->difference))
				?: ORDER(g->median[COMPARE_BEFORE], f->median[COMPARE_BEFORE])
					?: ORDER(x->object, y->object)
						?: order_text_or_none(x->path, y->path)
							?: order_text_or_none(x->name, y->name);
}

/** The object of that path on either side, MODEL_NONE: there is none. */
static uint32_t object_at(const struct comparison *comparison, const char *path)
{
	for (uint32_t i = 0; i < comparison->object_count; i++)
		for (int side = 0; side < COMPARE_SIDES; side++)
			if (is_same_text(comparison->objects[i].path[side], path))
				return i;
	return MODEL_NONE;
}

/** A file that some runs map and others only read() is one row. */
static void join_paths(struct amounts *amounts, const struct comparison *comparison)
{
	size_t count = amounts->bytes.count;

	for (size_t i = 0; i < count; i++) {
		struct compare_bytes from = amounts->bytes.items[i].row;
		uint32_t object = from.path ? object_at(comparison, from.path) : MODEL_NONE;

		if (object == MODEL_NONE)
			continue;
		struct compare_bytes *into = find_bytes(amounts, from.by, object, NULL, from.name);

		for (size_t run = 0; run < amounts->run_count; run++) {
			into->runs[run] += from.runs[run];
			from.runs[run] = 0;
		}
	}
}

static bool is_nothing(const uint64_t *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (runs[i] > 0)
			return false;
	return true;
}

/** The rows of which any run has a byte; and that of all bytes. */
static size_t keep_rows(const struct amounts *amounts, struct compare_bytes *rows)
{
	size_t count = 0;

	vec_foreach (from, &amounts->bytes)
		if (from->row.by == COMPARE_BYTES_ALL ||
		    !is_nothing(from->row.runs, amounts->run_count))
			rows[count++] = from->row;
	return count;
}

static void finish_bytes(struct amounts *amounts, struct comparison *comparison)
{
	join_paths(amounts, comparison);

	size_t count = amounts->bytes.count;
	struct compare_bytes *rows = arena_array(amounts->arena, count + 1, sizeof(*rows));
	CLEANUP(freep) struct judged *items = xcalloc(count + 1, sizeof(*items));

	count = keep_rows(amounts, rows);
	qsort(rows, count, sizeof(*rows), compare_bytes_rows);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && rows[end].by == rows[i].by; end++)
			items[end - i] = (struct judged){ &rows[end].figure, rows[end].runs,
							  .stride = 1, SECTOR_BYTES };
		judge(items, end - i, comparison->run_count);
	}
	qsort(rows, count, sizeof(*rows), compare_bytes_rows);
	comparison->bytes = rows;
	comparison->bytes_count = count;
}

/**
 * Whether some runs know an amount and others do not, so that it is not compared: a note says which
 * lacks it.
 */
static bool is_mixed(struct comparison *comparison, bool (*knows)(const struct compare_run *run),
		     const char *what)
{
	size_t runs = comparison->run_count[COMPARE_BEFORE] + comparison->run_count[COMPARE_AFTER];
	size_t told = 0;

	for (size_t i = 0; i < runs; i++)
		told += knows(&comparison->runs[i]);
	if (told == 0 || told == runs)
		return false;
	const struct compare_run *run = comparison->runs;

	while (knows(run))
		run++;
	notes_add(&comparison->notes, "%s: %s", what, run->path);
	return true;
}

static bool knows_time(const struct compare_run *run)
{
	return run->has_account;
}

static bool knows_fault_time(const struct compare_run *run)
{
	return run->has_fault_time;
}

static bool knows_storage(const struct compare_run *run)
{
	return run->has_storage;
}

void amounts_finish(struct amounts *amounts, struct comparison *comparison)
{
	// Where one side alone tells how long faults took, the other's are in its computing.
	if (!is_mixed(comparison, knows_time,
		      "time is not compared: a trace has no account of it (recorded by an older "
		      "elfault)") &&
	    comparison->runs[0].has_account &&
	    !is_mixed(comparison, knows_fault_time,
		      "time is not compared: how long faults took is unknown of a trace (recorded "
		      "by perf)"))
		finish_times(amounts, comparison);
	if (!is_mixed(comparison, knows_storage,
		      "bytes from storage are not compared: a trace has no record of them "
		      "(recorded by perf, by an older elfault or with --no-storage)") &&
	    comparison->runs[0].has_storage)
		finish_bytes(amounts, comparison);
}

void amounts_deinit(struct amounts *amounts)
{
	u64map_deinit(&amounts->by_hash);
	vec_deinit(&amounts->bytes);
}
