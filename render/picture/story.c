// SPDX-License-Identifier: Apache-2.0
#include "render/picture/story.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "derive/initspans.h"
#include "model/moments.h"
#include "render/table/table.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED_CAUSES = 3 };

static const enum model_state own_states[] = { MODEL_STATE_CPU, MODEL_STATE_FAULT,
					       MODEL_STATE_FAULT_IO, MODEL_STATE_FILE_IO };
enum { OWN_STATES = sizeof(own_states) / sizeof(own_states[0]) };

// ---- Sentence, account, cures -----------------------------------------------------------------

/** A cause, or a file, with its time. */
struct cause {
	uint32_t of;
	uint64_t ns;
};

ORDER_OF(compare_causes, cause, ORDER(y->ns, x->ns) ?: ORDER(x->of, y->of))

static void add_cells(struct story *story, const struct model_subject *subject,
		      const struct cause *causes, struct arena *arena)
{
	struct story_cell *cells =
		arena_array(arena, (size_t)MODEL_INITIATORS * OWN_STATES, sizeof(*cells));

	for (size_t c = 0; c < MODEL_INITIATORS; c++)
		for (size_t s = 0; s < OWN_STATES; s++) {
			const enum model_initiator cause = (enum model_initiator)causes[c].of;
			const uint64_t ns = subject->by_initiator[cause].ns[own_states[s]];

			if (ns > 0)
				cells[story->cell_count++] =
					(struct story_cell){ cause, own_states[s], ns };
		}
	story->cells = cells;
}

static const char *name_causes(const struct cause *causes, const struct model_subject *subject,
			       const struct terminal *terminal, struct arena *arena)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	const uint64_t storage =
		subject->times.ns[MODEL_STATE_FAULT_IO] + subject->times.ns[MODEL_STATE_FILE_IO];

	for (size_t i = 0; i < NAMED_CAUSES && causes[i].ns > 0; i++)
		strbuf_printf(&buf, "%s%s %s", i > 0 ? ", " : "",
			      model_initiator_name((enum model_initiator)causes[i].of),
			      table_time(arena, terminal, causes[i].ns));
	if (storage > 0)
		strbuf_printf(&buf, "; %s of it waits for storage",
			      table_time(arena, terminal, storage));
	return arena_strdup(arena, strbuf_text(&buf));
}

static const char *bound_words(const struct model_saving *saves)
{
	return saves->is == MODEL_AT_MOST    ? " at most"
	       : saves->is == MODEL_AT_LEAST ? " at least"
					     : "";
}

static void name_cures(struct story *story, const struct model *model,
		       const struct terminal *terminal, struct arena *arena)
{
	array_foreach (finding, model->findings, model->finding_count) {
		if (story->cure_count == STORY_CURES)
			return;
		if (finding->saves.duration_ns == 0 || finding->cure_count == 0)
			continue;
		story->cures[story->cure_count++] =
			arena_printf(arena, "Saves %s%s: %s: %s",
				     table_time(arena, terminal, finding->saves.duration_ns),
				     bound_words(&finding->saves), finding->title,
				     finding->command ?: finding->cures[0].text);
	}
}

bool story_tell(struct story *story, const struct model *model, const struct terminal *terminal,
		struct arena *arena)
{
	const struct model_account *account = model->account;
	struct cause causes[MODEL_INITIATORS];

	*story = (struct story){ 0 };
	if (!account)
		return false;
	const struct model_subject *subject = &account->subject;
	const uint64_t late = subject->times.ns[MODEL_STATE_RUNNABLE];
	const char *of = subject->is_other && subject->process != MODEL_NONE
				 ? model->comms[account->processes[subject->process].comm]
				 : NULL;

	for (size_t i = 0; i < MODEL_INITIATORS; i++) {
		causes[i] = (struct cause){ .of = (uint32_t)i };
		for (size_t s = 0; s < OWN_STATES; s++)
			causes[i].ns += subject->by_initiator[i].ns[own_states[s]];
		story->own_ns += causes[i].ns;
	}
	qsort(causes, MODEL_INITIATORS, sizeof(*causes), compare_causes);
	story->time = arena_printf(
		arena, "%s%s%s%s%s%s", table_time(arena, terminal, story->own_ns), of ? " of " : "",
		of ?: "", late > 0 ? " + " : "", late > 0 ? table_time(arena, terminal, late) : "",
		late > 0 ? " waiting for a processor" : "");
	story->causes = name_causes(causes, subject, terminal, arena);
	add_cells(story, subject, causes, arena);
	name_cures(story, model, terminal, arena);
	return story->own_ns > 0;
}

// ---- Lane -------------------------------------------------------------------------------------

/** Something that the thread was seen to do. */
struct seen {
	uint64_t start_ns, end_ns, back_ns; // from end to back it could run, and did not
	enum model_initiator cause;
	enum model_state state; // cpu: a sample
};

/** Sums of one column. */
struct column {
	float ns[MODEL_STATES][MODEL_INITIATORS];
};

struct lane {
	const struct scale *scale;
	struct column *columns;
	unsigned count;
};

static void paint(struct lane *lane, uint64_t start_ns, uint64_t end_ns, enum model_state state,
		  enum model_initiator cause)
{
	if (end_ns <= start_ns || end_ns <= lane->scale->first || start_ns >= lane->scale->last)
		return;
	const double from = scale_place(lane->scale, start_ns) - lane->scale->start;
	const double to = scale_place(lane->scale, end_ns) - lane->scale->start;

	for (unsigned i = from > 0 ? (unsigned)from : 0; i < lane->count && i < to; i++) {
		const double part = (to < i + 1 ? to : i + 1) - (from > i ? from : i);

		lane->columns[i].ns[state][cause] += (float)part;
	}
}

ORDER_OF(compare_seen, seen,
	 ORDER(x->start_ns, y->start_ns) ?: ORDER(x->end_ns, y->end_ns)
		 ?: ORDER(x->state, y->state))

/** True if @of ran then: its process may have run another program before. */
static bool is_within(const struct model_process_times *of, uint64_t time_ns)
{
	return time_ns >= of->start_ns && time_ns < of->end_ns;
}

/** All that the first thread of @process was seen to do, in order of time; to be freed. */
static struct seen *seen_of(const struct model *model, uint32_t process, size_t *ret_count)
{
	const struct model_moments *moments = model->moments;
	const struct model_process_times *of = &model->account->processes[process];
	struct seen *list = xcalloc(model->fault_count + moments->count + 1, sizeof(*list));
	size_t count = 0;

	array_foreach (fault, model->faults, model->fault_count) {
		const struct model_thread *thread = model_thread(model, fault);
		const uint64_t end = model_fault_end(fault), late = model_fault_late(fault);

		if (thread->pid == of->pid && thread->tid == of->pid &&
		    is_within(of, fault->time_ns))
			list[count++] =
				(struct seen){ fault->time_ns, end - late, end, fault->initiator,
					       fault->kind == MODEL_MAJOR ? MODEL_STATE_FAULT_IO
									  : MODEL_STATE_FAULT };
	}
	array_foreach (moment, moments->items, moments->count) {
		const struct model_life *life = &moments->lives[moment->life];
		const bool is_in_fault =
			moment->state == MODEL_STATE_FAULT_IO || moment->wait == MODEL_WAIT_FAULT;

		if (life->process == process && life->tid == life->pid &&
		    (moment->is_sample || !is_in_fault))
			list[count++] = (struct seen){
				moment->time_ns,
				moment->is_sample ? moment->time_ns : moment->time_ns + moment->ns,
				moment->is_sample ? moment->time_ns : moment->back_ns,
				moment->initiator,
				moment->state,
			};
	}
	qsort(list, count, sizeof(*list), compare_seen);
	*ret_count = count;
	return list;
}

/** Paint what was seen; between two things the thread computed for what comes next. */
static void paint_all(struct lane *lane, const struct seen *list, size_t count,
		      const struct model_process_times *of)
{
	uint64_t at = of->start_ns;

	array_foreach (seen, list, count) {
		paint(lane, at, seen->start_ns, MODEL_STATE_CPU, seen->cause);
		paint(lane, seen->start_ns, seen->end_ns, seen->state, seen->cause);
		paint(lane, seen->end_ns, seen->back_ns, MODEL_STATE_RUNNABLE, seen->cause);
		if (seen->back_ns > at)
			at = seen->back_ns;
	}
	if (count > 0)
		paint(lane, at, of->end_ns, MODEL_STATE_CPU, list[count - 1].cause);
}

/** Find what a column mostly is; false: nothing was done there. */
static bool most_of(const struct column *column, struct story_span *span)
{
	float most = 1e-6F; // less is where a number was rounded

	for (unsigned state = 0; state < MODEL_STATES; state++)
		for (unsigned cause = 0; cause < MODEL_INITIATORS; cause++)
			if (column->ns[state][cause] > most) {
				most = column->ns[state][cause];
				span->state = (enum model_state)state;
				span->cause = (enum model_initiator)cause;
			}
	return most > 1e-6F;
}

/** Add a row of what was painted, and clear the lane; nothing if nothing was. */
static void add_row(struct lane *lane, struct story_row row, struct arena *arena,
		    struct story_row *rows, size_t *count)
{
	VEC(struct story_span) spans = { 0 };

	for (unsigned i = 0; i < lane->count; i++) {
		struct story_span span = { .first = i, .end = i + 1 };
		struct story_span *last = spans.count > 0 ? &spans.items[spans.count - 1] : NULL;

		if (!most_of(&lane->columns[i], &span))
			continue;
		if (last && last->end == i && last->state == span.state &&
		    last->cause == span.cause)
			last->end = i + 1;
		else
			vec_push(&spans, span);
	}
	memset(lane->columns, 0, lane->count * sizeof(*lane->columns));
	row.spans = vec_keep_counted(&spans, arena, &row.span_count);
	if (row.span_count > 0)
		rows[(*count)++] = row;
}

static void paint_initializers(struct lane *lane, const struct model *model,
			       const struct model_process_times *of)
{
	CLEANUP(initspans_deinit) struct initspans spans;

	initspans_init(&spans, model);
	vec_foreach (span, &spans.list)
		if (model->threads[span->thread].pid == of->pid && is_within(of, span->first_ns))
			paint(lane, span->first_ns, span->end_ns, MODEL_STATE_CPU,
			      MODEL_STATIC_INIT);
}

/** True if @fault of process @pid waited for storage of a file, in the program @of. */
static bool is_wait(const struct model_fault *fault, uint32_t pid,
		    const struct model_process_times *of)
{
	return fault->kind == MODEL_MAJOR && fault->at.object != MODEL_NONE && pid == of->pid &&
	       is_within(of, fault->time_ns);
}

/** Find the files that @of waited for longest: *@ret_count of @files. */
static void find_files(const struct model *model, const struct model_process_times *of,
		       struct cause files[static STORY_FILES], size_t *ret_count)
{
	CLEANUP(freep) uint64_t *times = xcalloc(model->object_count + 1, sizeof(*times));
	size_t count = 0;

	array_foreach (fault, model->faults, model->fault_count)
		if (is_wait(fault, model_thread(model, fault)->pid, of))
			times[fault->at.object] += model_fault_own(fault);
	for (; count < STORY_FILES; count++) {
		uint32_t most = 0;

		for (uint32_t i = 1; i < model->object_count; i++)
			if (times[i] > times[most])
				most = i;
		if (times[most] == 0)
			break;
		files[count] = (struct cause){ most, times[most] };
		times[most] = 0;
	}
	*ret_count = count;
}

static void add_files(struct lane *lane, const struct model *model,
		      const struct model_process_times *of, struct arena *arena,
		      struct story_row *rows, size_t *count)
{
	struct cause files[STORY_FILES];
	size_t file_count;

	find_files(model, of, files, &file_count);
	for (size_t i = 0; i < file_count; i++) {
		array_foreach (fault, model->faults, model->fault_count)
			if (is_wait(fault, model_thread(model, fault)->pid, of) &&
			    fault->at.object == files[i].of)
				paint(lane, fault->time_ns,
				      model_fault_end(fault) - model_fault_late(fault),
				      MODEL_STATE_FAULT_IO, fault->initiator);
		add_row(lane,
			(struct story_row){ .label =
						    model_object_name(&model->objects[files[i].of]),
					    .ns = files[i].ns },
			arena, rows, count);
	}
}

const struct story_row *story_rows(const struct model *model, const struct scale *scale,
				   unsigned columns, struct arena *arena, size_t *ret_count)
{
	const uint32_t process = model->account ? model->account->subject.process : MODEL_NONE;
	struct story_row *rows = arena_array(arena, STORY_ROWS, sizeof(*rows));
	size_t seen_count;

	*ret_count = 0;
	if (process == MODEL_NONE || !model->moments)
		return rows;
	const struct model_process_times *of = &model->account->processes[process];
	CLEANUP(freep) struct seen *list = seen_of(model, process, &seen_count);
	CLEANUP(freep) struct column *cells = xcalloc(columns + 1, sizeof(*cells));
	struct lane lane = { scale, cells, columns };

	paint_all(&lane, list, seen_count, of);
	add_row(&lane, (struct story_row){ .label = "first thread" }, arena, rows, ret_count);
	paint_initializers(&lane, model, of);
	add_row(&lane, (struct story_row){ .label = "initializers" }, arena, rows, ret_count);
	add_files(&lane, model, of, arena, rows, ret_count);
	return rows;
}
