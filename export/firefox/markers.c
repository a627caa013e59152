// SPDX-License-Identifier: Apache-2.0
// The markers of a thread: its faults and its operations of storage with their lengths, and the
// moments at which conditions held that the recording was asked to watch.
#include "export/firefox/firefox.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "export/jsontext.h"
#include "model/marks.h"
#include "render/emit.h"

/** A row of the table: a mark, or a fault, or an operation and what it is as a fault. */
struct marker {
	const struct model_mark *mark;
	const struct model_fault *fault;
	const struct model_io *io;
};

struct markers {
	VEC(struct marker) list;
};

/** The first track of the process that made @mark hold; of another, or of none, the command's. */
static const struct track *track_of(const struct tracks *tracks, const struct model_mark *mark)
{
	vec_foreach (track, &tracks->list)
		if (track->pid == mark->pid)
			return track;
	return tracks->list.items;
}

static uint64_t time_of(const struct marker *marker)
{
	return marker->mark ? marker->mark->time_ns : marker->fault->time_ns;
}

ORDER_OF(compare_markers, marker,
	 ORDER(time_of(x), time_of(y)) ?: ORDER(!x->mark, !y->mark) ?: ORDER(x->mark, y->mark)
		 ?: ORDER(x->io, y->io) ?: ORDER(x->fault, y->fault))

/** All of @track in order of time; at one time marks come first, then faults. */
static void find_markers(const struct firefox *to, const struct track *track,
			 struct markers *ret_markers)
{
	const struct model *model = to->model;
	const struct model_ios *ios = to->view.ios;
	const uint32_t *faults = to->tracks.faults + track->first_fault;

	array_foreach (mark, model->marks, model->mark_count)
		if (model_mark_is_shown(mark, &model->window) &&
		    track_of(&to->tracks, mark) == track)
			vec_push(&ret_markers->list, (struct marker){ .mark = mark });
	for (uint64_t i = 0; i < track->fault_count; i++)
		vec_push(&ret_markers->list, (struct marker){ .fault = &model->faults[faults[i]] });
	array_foreach (io, ios->items, ios->count) {
		const struct model_thread *thread = model_thread(&to->view, &io->what);

		if (!io->is_left_out && thread->pid == track->pid && thread->tid == track->tid)
			vec_push(&ret_markers->list,
				 (struct marker){ .fault = &io->what, .io = io });
	}
	vec_sort(&ret_markers->list, compare_markers);
}

static void add_field(struct firefox *to, const char *key, const char *text)
{
	if (!text)
		return;
	strbuf_puts(&to->buf, key);
	emit_number(&to->buf, firefox_string(to, text));
}

/** As the stack of a marker: where the thread was. */
static void add_cause(struct firefox *to, const struct model_fault *fault)
{
	const uint32_t path = calltree_path(&to->tree, MODEL_NONE, fault);

	if (path == MODEL_NONE)
		return;
	emit_literal(&to->buf, ",\"cause\":{\"stack\":");
	emit_number(&to->buf, path);
	strbuf_putc(&to->buf, '}');
}

static void add_blame(struct firefox *to, const struct model_fault *fault)
{
	add_field(to, ",\"blame\":", model_function_name(to->model, fault->blame));
}

static void add_fault_data(struct firefox *to, const struct model_fault *fault)
{
	const struct model *model = to->model;
	const struct model_place *at = &fault->at;
	uint64_t bytes = (uint64_t)model_read_pages(fault) * model->trace.page_size;

	emit_literal(&to->buf, "{\"type\":\"fault\"");
	add_field(to, ",\"object\":",
		  at->object == MODEL_NONE ? NULL : model->objects[at->object].path);
	add_field(to, ",\"section\":",
		  at->section == MODEL_NONE ? NULL : model->sections[at->section].name);
	add_field(to,
		  ",\"symbol\":", at->name == MODEL_NONE ? NULL : model->symbols[at->name].name);
	if (at->has_offset) {
		emit_literal(&to->buf, ",\"offset\":");
		emit_number(&to->buf, at->offset);
	}
	add_field(to, ",\"mechanism\":", model_mechanism_name(fault->mechanism));
	add_field(to, ",\"kind\":", model_kind_name(fault->kind));
	add_field(to, ",\"access\":", model_access_name(fault->access));
	add_blame(to, fault);
	if (bytes > 0) {
		emit_literal(&to->buf, ",\"bytes\":");
		emit_number(&to->buf, bytes);
	}
	add_cause(to, fault);
	strbuf_putc(&to->buf, '}');
}

static void add_operation_data(struct firefox *to, const struct model_io *io)
{
	const struct model_place *at = &io->what.at;

	emit_literal(&to->buf, "{\"type\":\"operation\"");
	add_field(to, ",\"object\":",
		  at->object == MODEL_NONE ? NULL : to->view.objects[at->object].path);
	add_field(to, ",\"call\":", io->call == MODEL_NONE ? NULL : to->view.ios->calls[io->call]);
	if (at->has_offset) {
		emit_literal(&to->buf, ",\"offset\":");
		emit_number(&to->buf, at->offset);
	}
	emit_literal(&to->buf, ",\"bytes\":");
	emit_number(&to->buf, io->bytes);
	emit_literal(&to->buf, ",\"wait\":");
	jsontext_ms(&to->buf, io->wait_ns);
	add_blame(to, &io->what);
	add_cause(to, &io->what);
	strbuf_putc(&to->buf, '}');
}

static void add_mark_data(struct firefox *to, const struct model_mark *mark)
{
	emit_literal(&to->buf, "{\"type\":\"mark\"");
	add_field(to, ",\"condition\":", mark->condition);
	emit_literal(&to->buf, ",\"since\":");
	jsontext_ms(&to->buf, mark->since_ns);
	if (mark->tid) {
		emit_literal(&to->buf, ",\"tid\":");
		emit_number(&to->buf, mark->tid);
	}
	strbuf_putc(&to->buf, '}');
}

static void add_data(struct firefox *to, const struct marker *marker)
{
	if (marker->mark)
		add_mark_data(to, marker->mark);
	else if (marker->io)
		add_operation_data(to, marker->io);
	else
		add_fault_data(to, marker->fault);
}

static void add_name(struct firefox *to, const struct marker *marker)
{
	const char *name = marker->mark ? marker->mark->name
			   : marker->io ? arena_printf(&to->arena, "storage: %s",
						       model_storage_cause_name(marker->io->cause))
					: model_initiator_name(marker->fault->initiator);

	emit_number(&to->buf, firefox_string(to, name));
}

static void add_start(struct firefox *to, const struct marker *marker)
{
	jsontext_ms(&to->buf, time_of(marker));
}

static bool has_length(const struct marker *marker)
{
	return marker->fault && marker->fault->has_duration;
}

static void add_end(struct firefox *to, const struct marker *marker)
{
	if (has_length(marker))
		jsontext_ms(&to->buf, model_fault_end(marker->fault));
	else
		emit_literal(&to->buf, "null");
}

static void add_phase(struct firefox *to, const struct marker *marker)
{
	enum { INSTANT, INTERVAL };

	emit_number(&to->buf, has_length(marker) ? INTERVAL : INSTANT);
}

static void add_category(struct firefox *to, const struct marker *marker)
{
	emit_number(&to->buf,
		    marker->mark ? FIREFOX_OTHER : FIREFOX_INITIATORS + marker->fault->initiator);
}

void firefox_add_markers(struct firefox *to, const struct track *track)
{
	static const struct {
		const char *name;
		void (*add)(struct firefox *to, const struct marker *marker);
	} columns[] = {
		{ "data", add_data },	{ "name", add_name },	{ "startTime", add_start },
		{ "endTime", add_end }, { "phase", add_phase }, { "category", add_category },
	};
	CLEANUP(vec_release) struct markers markers = { 0 };

	find_markers(to, track, &markers);
	emit_literal(&to->buf, "\"markers\":{");
	array_foreach (column, columns, sizeof(columns) / sizeof(columns[0]))
		FIREFOX_COLUMN(to, column->name, i, markers.list.count,
			       column->add(to, &markers.list.items[i]));
	emit_literal(&to->buf, "\"length\":");
	emit_number(&to->buf, markers.list.count);
	strbuf_putc(&to->buf, '}');
}
