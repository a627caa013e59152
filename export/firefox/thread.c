// SPDX-License-Identifier: Apache-2.0
// The threads of a profile. Faults are samples that weigh what they took; so are samples of the
// processor and waits, which makes a thread's call tree its account of time.
#include "base/key.h"
#include "export/export.h"
#include "export/firefox/firefox.h"

#include "base/cleanup.h"
#include "export/jsontext.h"
#include "render/emit.h"
#include "render/escape.h"

/** A row of a thread's samples. */
struct sample {
	uint64_t time_ns, ns;
	uint64_t cpu_ns; // that the thread ran since the one before
	uint32_t node;
};

struct samples {
	VEC(struct sample) list;
	// While they are found: the time up to which the thread's running is counted, what it ran
	// since the last sample, and until when it is away.
	uint64_t last_ns, cpu_ns, away_ns;
};

// ---- Their stacks ---------------------------------------------------------------------------

static uint32_t add_label(struct firefox *to, uint32_t parent, const char *label, uint32_t category)
{
	const struct calltree_frame frame = {
		.name = label,
		.object = MODEL_NONE,
		.category = category,
	};

	return calltree_child(&to->tree, parent, calltree_frame(&to->tree, &frame));
}

/** "[private-write .data.rel.ro libfoo.so]" as a frame. */
static uint32_t touched_frame(struct firefox *to, const struct model_fault *fault)
{
	const struct model *model = to->model;
	const struct model_place *at = &fault->at;
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 };
	uint32_t activity = fault->kind == MODEL_MAJOR ? FIREFOX_MAJOR : FIREFOX_MINOR;

	strbuf_printf(&name, "[%s", model_mechanism_name(fault->mechanism));
	if (at->section != MODEL_NONE && model->sections[at->section].name)
		strbuf_printf(&name, " %s", model->sections[at->section].name);
	if (at->object != MODEL_NONE && model->objects[at->object].is_file)
		strbuf_printf(&name, " %s", model_object_name(&model->objects[at->object]));
	strbuf_putc(&name, ']');

	const struct calltree_frame frame = {
		.name = strbuf_text(&name),
		.object = at->object,
		.category = firefox_category(FIREFOX_INITIATORS + fault->initiator, activity),
	};

	return calltree_frame(&to->tree, &frame);
}

/** The path of @fault with what it touched as the innermost frame. */
static uint32_t fault_node(struct firefox *to, const struct model_fault *fault)
{
	const uint64_t key = key_of((uint64_t)fault->at.object << 32 | fault->at.section,
				    (uint64_t)fault->mechanism << 16 |
					    (uint64_t)fault->initiator << 8 | fault->kind);
	bool is_new;
	uint32_t *frame = u64map_put(&to->touched, key, &is_new);

	if (is_new)
		*frame = touched_frame(to, fault);
	return calltree_child(&to->tree, calltree_path(&to->tree, MODEL_NONE, fault), *frame);
}

static uint32_t wait_node(struct firefox *to, uint32_t path, const struct model_moment *moment)
{
	uint32_t category = moment->state == MODEL_STATE_FILE_IO ? FIREFOX_FILE_IO : FIREFOX_WAIT;
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 };

	strbuf_printf(&name, "[%s: %s]", model_state_name(moment->state),
		      model_wait_name(moment->wait));
	return add_label(to, path, strbuf_text(&name),
			 firefox_category(category, moment->wait + 1u));
}

static uint32_t moment_node(struct firefox *to, const struct model_moment *moment)
{
	static const struct model_ip nowhere = { .object = MODEL_NONE, .name = MODEL_NONE };
	const struct model_fault seen = {
		.stack = moment->stack,
		.by = moment->by ? moment->by : &nowhere,
		.has_ip = moment->by,
	};
	uint32_t path = calltree_path(&to->tree, MODEL_NONE, &seen);
	uint32_t of_initiator = FIREFOX_INITIATORS + moment->initiator;

	if (!moment->is_sample)
		return wait_node(to, path, moment);
	if (moment->is_kernel)
		return add_label(to, path, "[kernel]",
				 firefox_category(of_initiator, FIREFOX_KERNEL));
	if (path == MODEL_NONE)
		return add_label(to, path, "[no stack]",
				 firefox_category(of_initiator, FIREFOX_CPU));
	return calltree_with_category(&to->tree, path, firefox_category(of_initiator, FIREFOX_CPU));
}

// ---- Samples --------------------------------------------------------------------------------

/** Count what the thread ran until @time_ns. */
static void run_until(struct samples *samples, uint64_t time_ns)
{
	uint64_t from = samples->last_ns > samples->away_ns ? samples->last_ns : samples->away_ns;

	if (time_ns > from)
		samples->cpu_ns += time_ns - from;
	samples->last_ns = time_ns;
}

static void add_sample(struct samples *samples, uint64_t time_ns, uint64_t ns, uint32_t node)
{
	bool is_first = samples->list.count == 0;

	vec_push(&samples->list, (struct sample){
					 .time_ns = time_ns,
					 .ns = ns,
					 .cpu_ns = is_first ? 0 : samples->cpu_ns,
					 .node = node,
				 });
	samples->cpu_ns = 0;
}

static void take_moment(struct firefox *to, struct samples *samples,
			const struct model_moment *moment)
{
	run_until(samples, moment->time_ns);
	if (moment->back_ns > samples->away_ns)
		samples->away_ns = moment->back_ns;
	if (tracks_shows(moment))
		add_sample(samples, moment->time_ns, moment->ns, moment_node(to, moment));
}

/** The faults and moments of @track in order of time. */
static void find_samples(struct firefox *to, const struct track *track, struct samples *ret_samples)
{
	const struct model *model = to->model;
	const uint32_t *fault = to->tracks.faults + track->first_fault;
	const uint32_t *faults_end = fault + track->fault_count;
	const uint32_t *moment = to->tracks.moments + track->first_moment;
	const uint32_t *moments_end = moment + track->moment_count;

	while (fault < faults_end || moment < moments_end) {
		// At one time the fault comes first.
		if (fault == faults_end ||
		    (moment < moments_end &&
		     model->moments->items[*moment].time_ns < model->faults[*fault].time_ns)) {
			take_moment(to, ret_samples, &model->moments->items[*moment++]);
			continue;
		}
		const struct model_fault *next = &model->faults[*fault++];

		run_until(ret_samples, next->time_ns);
		add_sample(ret_samples, next->time_ns, model_fault_own(next), fault_node(to, next));
	}
}

static void add_samples(struct firefox *to, const struct track *track)
{
	CLEANUP(vec_release) struct samples samples = { 0 };

	find_samples(to, track, &samples);
	const struct sample *list = samples.list.items;
	const size_t count = samples.list.count;

	emit_literal(&to->buf, "\"samples\":{\"weightType\":\"tracing-ms\",");
	FIREFOX_COLUMN(to, "stack", i, count, emit_number(&to->buf, list[i].node));
	FIREFOX_COLUMN(to, "time", i, count, jsontext_ms(&to->buf, list[i].time_ns));
	FIREFOX_COLUMN(to, "weight", i, count, jsontext_ms(&to->buf, list[i].ns));
	if (to->model->moments) // else it is not known when it ran
		FIREFOX_COLUMN(to, "threadCPUDelta", i, count,
			       emit_number(&to->buf, list[i].cpu_ns));
	emit_literal(&to->buf, "\"length\":");
	emit_number(&to->buf, count);
	emit_literal(&to->buf, "},\n");
}

// ---- The whole ------------------------------------------------------------------------------

/** @first: of the same process. */
static void add_thread(struct firefox *to, const struct track *track, const struct track *first)
{
	bool is_main = track->tid == track->pid;

	emit_literal(&to->buf, "{\"name\":");
	escape_json(&to->buf, export_comm(to->model, track->comm));
	emit_literal(&to->buf, ",\"processName\":");
	escape_json(&to->buf, export_comm(to->model, first->comm));
	strbuf_printf(&to->buf,
		      ",\"isMainThread\":%s,\"pid\":\"%u\",\"tid\":%u,\"processType\":\"default\","
		      "\"showMarkersInTimeline\":true,\"pausedRanges\":[],"
		      "\"processShutdownTime\":null,\"unregisterTime\":null,",
		      is_main ? "true" : "false", track->pid, track->tid);
	emit_literal(&to->buf, "\"processStartupTime\":");
	jsontext_ms(&to->buf, first->first_ns);
	emit_literal(&to->buf, ",\"registerTime\":");
	jsontext_ms(&to->buf, track->first_ns);
	emit_literal(&to->buf, ",\n");
	add_samples(to, track);
	firefox_add_markers(to, track);
	strbuf_putc(&to->buf, '}');
}

void firefox_add_threads(struct firefox *to)
{
	const struct track *first = to->tracks.list.items;

	emit_literal(&to->buf, "\n\"threads\":[");
	vec_foreach (track, &to->tracks.list) {
		firefox_next(to, track == to->tracks.list.items);
		if (track->pid != first->pid)
			first = track;
		add_thread(to, track, first);
	}
	emit_literal(&to->buf, "],\n");
}
