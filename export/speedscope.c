// SPDX-License-Identifier: Apache-2.0
// speedscope's own format: https://www.speedscope.app/file-format-schema.json. A profile for each
// weight, in which each call path is once; then one for each thread, in which its faults are in
// order of time. Profiles are written first, since that is when frames are found.
#include "export/export.h"
#include "export/calltree.h"
#include "export/jsontext.h"
#include "export/tracks.h"

#include "base/cleanup.h"
#include "render/emit.h"
#include "render/escape.h"

/** A call path and what its faults weigh; in a thread's order as long as it stays the same. */
struct run {
	uint32_t node;
	uint64_t weights[EXPORT_WEIGHTS];
};

struct speedscope {
	const struct model *model;
	FILE *out;
	bool ok;
	struct calltree tree;
	struct tracks tracks;
	uint32_t no_path; // the frame of faults of which nothing is known
	VEC(struct run) runs;
	VEC(uint32_t) path;
	struct strbuf buf;
};

static void speedscope_deinit(struct speedscope *to)
{
	calltree_deinit(&to->tree);
	tracks_deinit(&to->tracks);
	vec_deinit(&to->runs);
	vec_deinit(&to->path);
	strbuf_deinit(&to->buf);
}

static void drain(struct speedscope *to, size_t limit)
{
	to->ok = to->ok && emit_drain(&to->buf, limit, to->out);
}

/** The path of @fault below @root; one of its own where nothing is known of it. */
static uint32_t node_of(struct speedscope *to, uint32_t root, const struct model_fault *fault)
{
	uint32_t node = calltree_path(&to->tree, root, fault);

	return node != root ? node : calltree_child(&to->tree, root, to->no_path);
}

static void add_weights(const struct speedscope *to, struct run *run,
			const struct model_fault *fault)
{
	for (unsigned i = 0; i < EXPORT_WEIGHTS; i++)
		run->weights[i] += export_weigh(to->model, fault, (enum export_weight)i);
}

/** "[1,4,7]": outermost first. */
static void add_path(struct speedscope *to, uint32_t node)
{
	const char *mark = "[";

	to->path.count = 0;
	for (; node != MODEL_NONE; node = to->tree.nodes.items[node].parent)
		vec_push(&to->path, to->tree.nodes.items[node].frame);
	for (size_t i = to->path.count; i-- > 0; mark = ",") {
		strbuf_puts(&to->buf, mark);
		emit_number(&to->buf, to->path.items[i]);
	}
	strbuf_putc(&to->buf, ']');
}

/** The runs as a profile whose name, a JSON string, is already written. */
static void add_samples(struct speedscope *to, enum export_weight weight)
{
	static const char *const units[] = {
		[EXPORT_FAULTS] = "none",
		[EXPORT_TIME] = "nanoseconds",
		[EXPORT_BYTES] = "bytes",
	};
	const char *mark = "";
	uint64_t sum = 0;

	strbuf_printf(&to->buf, ",\"unit\":\"%s\",\"samples\":[", units[weight]);
	vec_foreach (run, &to->runs) {
		if (run->weights[weight] == 0)
			continue;
		strbuf_puts(&to->buf, mark);
		add_path(to, run->node);
		drain(to, JSONTEXT_DRAIN_BYTES);
		mark = ",";
	}
	strbuf_puts(&to->buf, "],\"weights\":[");
	mark = "";
	vec_foreach (run, &to->runs) {
		if (run->weights[weight] == 0)
			continue;
		strbuf_puts(&to->buf, mark);
		emit_number(&to->buf, run->weights[weight]);
		drain(to, JSONTEXT_DRAIN_BYTES);
		mark = ",";
		sum += run->weights[weight];
	}
	emit_literal(&to->buf, "],\"startValue\":0,\"endValue\":");
	emit_number(&to->buf, sum);
	strbuf_putc(&to->buf, '}');
}

/** Each path once, below the name of its process. */
static void add_weighed(struct speedscope *to)
{
	static const char *const names[] = {
		[EXPORT_FAULTS] = "faults",
		[EXPORT_TIME] = "time in faults",
		[EXPORT_BYTES] = "bytes read",
	};
	const struct model *model = to->model;
	CLEANUP(u64map_deinit) struct u64map index = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		const struct calltree_frame comm = {
			.name = export_comm(model, model_thread(model, fault)->comm),
			.object = MODEL_NONE,
		};
		uint32_t root =
			calltree_child(&to->tree, MODEL_NONE, calltree_frame(&to->tree, &comm));
		uint32_t node = node_of(to, root, fault);
		uint32_t row = u64map_row(&index, node, &to->runs, (struct run){ .node = node });

		add_weights(to, &to->runs.items[row], fault);
	}
	for (unsigned i = 0; i < EXPORT_WEIGHTS; i++) {
		strbuf_printf(&to->buf, "%s{\"type\":\"sampled\",\"name\":\"%s\"", i ? "," : "",
			      names[i]);
		add_samples(to, (enum export_weight)i);
	}
}

/** The faults of @track as they came. */
static void add_track(struct speedscope *to, const struct track *track)
{
	const uint32_t *faults = to->tracks.faults + track->first_fault;

	if (track->fault_count == 0)
		return;
	to->runs.count = 0;
	for (size_t i = 0; i < track->fault_count; i++) {
		const struct model_fault *fault = &to->model->faults[faults[i]];
		uint32_t node = node_of(to, MODEL_NONE, fault);

		if (i == 0 || to->runs.items[to->runs.count - 1].node != node)
			vec_push(&to->runs, (struct run){ .node = node });
		add_weights(to, &to->runs.items[to->runs.count - 1], fault);
	}
	emit_literal(&to->buf, ",{\"type\":\"sampled\",\"name\":");
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 };
	strbuf_printf(&name, "in order: %s", export_comm(to->model, track->comm));
	jsontext_thread(&to->buf, strbuf_text(&name), track->pid, track->tid);
	add_samples(to, EXPORT_FAULTS);
}

static void add_frames(struct speedscope *to)
{
	const char *mark = "";

	vec_foreach (frame, &to->tree.frames) {
		// The file of code without source is the one that it lies in.
		const char *file = frame->file ? frame->file
				   : frame->object != MODEL_NONE
					   ? to->model->objects[frame->object].path
					   : NULL;

		strbuf_printf(&to->buf, "%s{\"name\":", mark);
		escape_json(&to->buf, frame->name);
		if (file) {
			emit_literal(&to->buf, ",\"file\":");
			escape_json(&to->buf, file);
		}
		if (frame->line > 0)
			strbuf_printf(&to->buf, ",\"line\":%u", frame->line);
		strbuf_putc(&to->buf, '}');
		drain(to, JSONTEXT_DRAIN_BYTES);
		mark = ",\n";
	}
}

export_tool_writer export_speedscope;

bool export_speedscope(const struct model *model, const struct export_tool_options *options,
		       FILE *out, struct err *err)
{
	CLEANUP(speedscope_deinit)
	struct speedscope to = {
		.model = model,
		.out = out,
		.ok = true,
		.tree = { .model = model, .is_by_function = true },
	};
	const struct calltree_frame no_path = { .name = "[no stack]", .object = MODEL_NONE };
	CLEANUP(strbuf_deinit) struct strbuf title = { 0 };

	tracks_init(&to.tracks, model);
	to.no_path = calltree_frame(&to.tree, &no_path);
	jsontext_title(&title, model);
	emit_literal(&to.buf, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			      "\"exporter\":\"elfault\",\"activeProfileIndex\":0,\"name\":");
	escape_json(&to.buf, strbuf_text(&title));
	emit_literal(&to.buf, ",\n\"profiles\":[");
	add_weighed(&to);
	vec_foreach (track, &to.tracks.list)
		add_track(&to, track);
	emit_literal(&to.buf, "],\n\"shared\":{\"frames\":[\n");
	add_frames(&to);
	emit_literal(&to.buf, "]}}\n");
	drain(&to, 0);
	return (to.ok && fflush(out) == 0) || err_os(err, "writing");
}
