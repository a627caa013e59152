// SPDX-License-Identifier: Apache-2.0
// A trace for Perfetto: faults as slices on the tracks of their threads, named by initiator, with
// what is known of them as annotations; counters; programs and the critical path.
#include "export/export.h"
#include "export/perfetto/tracks.h"
#include "export/perfetto/writer.h"
#include "export/protobuf.h"

#include "base/cleanup.h"
#include "model/account.h"
#include "model/marks.h"
#include "model/moments.h"

/** The member of row @index of a table, NULL where there is no row. */
#define ROW_TEXT(rows, index, member) ((index) == MODEL_NONE ? NULL : (rows)[index] member)

/** Annotate what was touched. */
static void annotate_place(struct perfetto *perfetto, const struct model_fault *fault)
{
	const struct model *model = perfetto->model;
	const struct model_place *at = &fault->at;

	perfetto_addr(perfetto, PERFETTO_ADDR, fault->addr);
	perfetto_text(perfetto, PERFETTO_OBJECT, ROW_TEXT(model->objects, at->object, .path));
	if (at->has_offset)
		perfetto_number(perfetto, PERFETTO_OFFSET, at->offset);
	perfetto_text(perfetto, PERFETTO_SECTION, ROW_TEXT(model->sections, at->section, .name));
	perfetto_text(perfetto, PERFETTO_SYMBOL, ROW_TEXT(model->symbols, at->name, .name));
}

/** Annotate the code that touched it. */
static void annotate_code(struct perfetto *perfetto, const struct model_fault *fault)
{
	const struct model *model = perfetto->model;
	const char *function = ROW_TEXT(model->functions, fault->by->name, .name);

	perfetto_text(perfetto, PERFETTO_FUNCTION, function);
	perfetto_text(perfetto, PERFETTO_BY_OBJECT,
		      ROW_TEXT(model->objects, fault->by->object, .path));
	perfetto_text(perfetto, PERFETTO_BLAME, ROW_TEXT(model->functions, fault->blame, .name));
	if (fault->initializer != MODEL_NONE)
		perfetto_text(perfetto, PERFETTO_INITIALIZER,
			      model_initializer_name(&model->initializers[fault->initializer]));
	perfetto_text(perfetto, PERFETTO_INIT_OBJECT,
		      ROW_TEXT(model->objects, fault->init_object, .path));
	perfetto_text(perfetto, PERFETTO_COMM,
		      ROW_TEXT(model->comms, model_thread(model, fault)->comm, ));
}

static void annotate_words(struct perfetto *perfetto, const struct model_fault *fault)
{
	perfetto_text(perfetto, PERFETTO_KIND, model_kind_name(fault->kind));
	perfetto_text(perfetto, PERFETTO_ACCESS, model_access_name(fault->access));
	perfetto_text(perfetto, PERFETTO_MODE, model_mode_name(fault->mode));
	perfetto_text(perfetto, PERFETTO_MECHANISM, model_mechanism_name(fault->mechanism));
	perfetto_text(perfetto, PERFETTO_CERTAINTY, model_certainty_name(fault->certainty));
	if (fault->dlopen != MODEL_DLOPEN_UNKNOWN)
		perfetto_bool(perfetto, PERFETTO_DLOPEN, fault->dlopen == MODEL_DLOPEN_YES);
}

/** Counters have their new values with the fault. A reader takes a value of 0 for the last one. */
static void count(struct perfetto *perfetto, struct perfetto_process *process,
		  const struct model_fault *fault)
{
	struct strbuf *event = &perfetto->event;
	uint64_t bytes = export_weigh(perfetto->model, fault, EXPORT_BYTES);

	process->faults++;
	process->bytes += bytes;
	protobuf_number(event, EVENT_COUNTER_TRACK, perfetto_faults_track(process));
	protobuf_number(event, EVENT_COUNTER_VALUE, process->faults);
	if (bytes == 0)
		return;
	perfetto_number(perfetto, PERFETTO_READ_BYTES, bytes);
	protobuf_number(event, EVENT_COUNTER_TRACK, perfetto_bytes_track(process));
	protobuf_number(event, EVENT_COUNTER_VALUE, process->bytes);
}

/** A slice; of a fault whose duration is not known a moment. */
static void add_fault(struct perfetto *perfetto, struct perfetto_tracks *tracks,
		      const struct model_fault *fault)
{
	const struct perfetto_thread *thread =
		&tracks->threads.items[tracks->of_thread[fault->thread]];
	uint32_t callstack = perfetto_callstack(perfetto, fault);

	perfetto_event(perfetto, fault->has_duration ? PERFETTO_BEGIN : PERFETTO_INSTANT,
		       thread->track);
	protobuf_number(&perfetto->event, 3, PERFETTO_PAGE_FAULT);
	protobuf_number(&perfetto->event, EVENT_NAME_IID, perfetto_initiator(fault->initiator));
	annotate_place(perfetto, fault);
	annotate_words(perfetto, fault);
	annotate_code(perfetto, fault);
	if (fault->has_around)
		perfetto_number(perfetto, PERFETTO_MAPPED_PAGES, model_around_pages(fault));
	count(perfetto, &tracks->processes.items[thread->process], fault);
	if (callstack)
		protobuf_number(&perfetto->event, EVENT_CALLSTACK_IID, callstack);
	perfetto_event_end(perfetto, fault->time_ns);
	if (fault->has_duration)
		perfetto_slice_end(perfetto, thread->track, model_fault_end(fault));
}

/** A moment as if it were a fault, for what is said of its code. */
static void annotate_moment(struct perfetto *perfetto, const struct model_moment *moment)
{
	static const struct model_ip nowhere = { .object = MODEL_NONE,
						 .name = MODEL_NONE,
						 .code = MODEL_NONE };
	const struct model_fault at = {
		.stack = moment->stack,
		.by = moment->by ? moment->by : &nowhere,
		.has_ip = moment->by,
	};
	uint32_t callstack = perfetto_callstack(perfetto, &at);

	perfetto_text(perfetto, PERFETTO_FUNCTION,
		      ROW_TEXT(perfetto->model->functions, at.by->name, .name));
	if (callstack)
		protobuf_number(&perfetto->event, EVENT_CALLSTACK_IID, callstack);
}

/** A thread that computed, and why. */
static void add_sample(struct perfetto *perfetto, const struct perfetto_thread *thread,
		       const struct model_moment *moment)
{
	perfetto_event(perfetto, PERFETTO_INSTANT, perfetto_samples_track(thread));
	protobuf_number(&perfetto->event, 3, PERFETTO_SAMPLE);
	protobuf_number(&perfetto->event, EVENT_NAME_IID, perfetto_sample(moment->initiator));
	perfetto_number(perfetto, PERFETTO_NS, moment->ns);
	perfetto_bool(perfetto, PERFETTO_IS_KERNEL, moment->is_kernel);
	annotate_moment(perfetto, moment);
	perfetto_event_end(perfetto, moment->time_ns);
}

/** A thread that waited, and then for a processor. */
static void add_pause(struct perfetto *perfetto, const struct perfetto_thread *thread,
		      const struct model_moment *moment)
{
	uint64_t track = perfetto_states_track(thread), runnable_ns = moment->time_ns + moment->ns;

	if (moment->ns > 0) {
		perfetto_event(perfetto, PERFETTO_BEGIN, track);
		protobuf_number(&perfetto->event, 3, PERFETTO_WAIT_STATE);
		protobuf_number(&perfetto->event, EVENT_NAME_IID, perfetto_state(moment->state));
		perfetto_text(perfetto, PERFETTO_WAIT, model_wait_name(moment->wait));
		annotate_moment(perfetto, moment);
		perfetto_event_end(perfetto, moment->time_ns);
		perfetto_slice_end(perfetto, track, runnable_ns);
	}
	if (moment->back_ns <= runnable_ns)
		return;
	perfetto_event(perfetto, PERFETTO_BEGIN, track);
	protobuf_number(&perfetto->event, 3, PERFETTO_WAIT_STATE);
	protobuf_number(&perfetto->event, EVENT_NAME_IID, perfetto_state(MODEL_STATE_RUNNABLE));
	perfetto_event_end(perfetto, runnable_ns);
	perfetto_slice_end(perfetto, track, moment->back_ns);
}

/** Samples of the processor and waits. Computing without a sample is known in sum only. */
static void add_moments(struct perfetto *perfetto, const struct perfetto_tracks *tracks)
{
	const struct model_moments *moments = perfetto->model->moments;

	array_foreach (moment, moments->items, moments->count) {
		if (moment->is_left_out || moment->thread == MODEL_NONE)
			continue;
		const struct perfetto_thread *thread =
			&tracks->threads.items[tracks->of_thread[moment->thread]];

		if (moment->is_sample)
			add_sample(perfetto, thread, moment);
		else
			add_pause(perfetto, thread, moment);
	}
}

static void add_times(struct perfetto *perfetto, const char *name, const struct model_times *times)
{
	size_t begun = perfetto_dict(perfetto, name);

	for (enum model_state i = 0; i < MODEL_STATES; i++)
		perfetto_named_number(&perfetto->event, PERFETTO_DICT_ENTRY, model_state_name(i),
				      times->ns[i]);
	protobuf_end(&perfetto->event, begun);
}

static void start_slice(struct perfetto *perfetto, uint64_t track, enum perfetto_category category,
			const char *name)
{
	perfetto_event(perfetto, PERFETTO_BEGIN, track);
	protobuf_number(&perfetto->event, 3, category);
	protobuf_text(&perfetto->event, EVENT_NAME, name);
}

/** Add what each process ran, and what its threads did meanwhile, in nanoseconds. */
static void add_programs(struct perfetto *perfetto, struct perfetto_tracks *tracks)
{
	const struct model *model = perfetto->model;
	const struct model_account *account = model->account;

	array_foreach (row, account->processes, account->process_count) {
		uint64_t track = perfetto_programs_track(perfetto_process(tracks, row->pid));

		start_slice(perfetto, track, PERFETTO_PROGRAM, model->comms[row->comm]);
		add_times(perfetto, "first_thread_ns", &row->main);
		add_times(perfetto, "all_threads_ns", &row->all);
		perfetto_named_number(&perfetto->event, EVENT_ANNOTATION, "threads",
				      row->thread_count);
		perfetto_named_number(&perfetto->event, EVENT_ANNOTATION, "faults", row->faults);
		perfetto_event_end(perfetto, row->start_ns);
		perfetto_slice_end(perfetto, track, row->end_ns);
	}
}

/** Add the threads that the end of the command waited for, and what they did meanwhile. */
static void add_critical_path(struct perfetto *perfetto)
{
	const struct model *model = perfetto->model;
	const struct model_critical *critical = model->account->critical;

	array_foreach (step, critical->steps, critical->step_count) {
		const struct model_process_times *process =
			step->process == MODEL_NONE ? NULL
						    : &model->account->processes[step->process];

		start_slice(perfetto, TRACK_CRITICAL_PATH, PERFETTO_CRITICAL_PATH,
			    process ? model->comms[process->comm] : "?");
		if (process)
			perfetto_named_number(&perfetto->event, EVENT_ANNOTATION, "pid",
					      process->pid);
		perfetto_named_number(&perfetto->event, EVENT_ANNOTATION, "tid", step->tid);
		perfetto_named_text(&perfetto->event, EVENT_ANNOTATION, "thread", step->thread);
		add_times(perfetto, "did_ns", &step->times);
		perfetto_event_end(perfetto, step->start_ns);
		perfetto_slice_end(perfetto, TRACK_CRITICAL_PATH, step->end_ns);
	}
}

static void add_notes(struct perfetto *perfetto)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	size_t begun = perfetto_dict(perfetto, "notes");

	vec_foreach (note, &perfetto->model->notes.list) {
		strbuf_clear(&text);
		note_print(note, &text);
		perfetto_named_text(&perfetto->event, PERFETTO_ARRAY_VALUE, NULL,
				    strbuf_text(&text));
	}
	protobuf_end(&perfetto->event, begun);
}

/** A slice says what was recorded, and what was not; without a duration it is a moment. */
static void add_recording(struct perfetto *perfetto)
{
	const struct model *model = perfetto->model;
	struct strbuf *event = &perfetto->event;
	uint64_t duration_ns = model->trace.duration_ns;
	CLEANUP(strbuf_deinit) struct strbuf command = { 0 };

	for (size_t i = 0; i < model->trace.command_count; i++) {
		strbuf_puts(&command, i > 0 ? " " : "");
		strbuf_put_word(&command, model->trace.command[i]);
	}
	perfetto_event(perfetto, duration_ns > 0 ? PERFETTO_BEGIN : PERFETTO_INSTANT,
		       TRACK_RECORDING);
	protobuf_number(event, 3, PERFETTO_RECORDING);
	protobuf_text(event, EVENT_NAME, "recording");
	perfetto_named_text(event, EVENT_ANNOTATION, "command",
			    model->trace.process ? model->trace.process : strbuf_text(&command));
	perfetto_named_text(event, EVENT_ANNOTATION, "backend", model->trace.backend);
	perfetto_named_text(event, EVENT_ANNOTATION, "kernel", model->trace.kernel);
	perfetto_named_text(event, EVENT_ANNOTATION, "machine", model->trace.machine);
	perfetto_named_text(event, EVENT_ANNOTATION, "where", model->filter);
	perfetto_named_number(event, EVENT_ANNOTATION, "recorded", model->counts.recorded);
	perfetto_named_number(event, EVENT_ANNOTATION, "attributed", model->counts.attributed);
	perfetto_named_number(event, EVENT_ANNOTATION, "lost", model->counts.lost);
	if (model->notes.list.count > 0)
		add_notes(perfetto);
	protobuf_number(event, EVENT_CALLSTACK_IID, perfetto_root(perfetto));
	perfetto_event_end(perfetto, 0);
	if (duration_ns > 0)
		perfetto_slice_end(perfetto, TRACK_RECORDING, duration_ns);
}

/** A moment for each condition that held, beside the recording that watched it. */
static void add_marks(struct perfetto *perfetto)
{
	const struct model *model = perfetto->model;
	struct strbuf *event = &perfetto->event;

	array_foreach (mark, model->marks, model->mark_count) {
		if (!model_mark_is_shown(mark, &model->window))
			continue;
		perfetto_event(perfetto, PERFETTO_INSTANT, TRACK_RECORDING);
		protobuf_number(event, 3, PERFETTO_MARK);
		protobuf_text(event, EVENT_NAME, mark->name);
		perfetto_named_text(event, EVENT_ANNOTATION, "condition", mark->condition);
		perfetto_named_number(event, EVENT_ANNOTATION, "since_ns", mark->since_ns);
		if (mark->pid)
			perfetto_named_number(event, EVENT_ANNOTATION, "pid", mark->pid);
		if (mark->tid)
			perfetto_named_number(event, EVENT_ANNOTATION, "tid", mark->tid);
		perfetto_event_end(perfetto, mark->time_ns);
	}
}

export_tool_writer export_perfetto;

bool export_perfetto(const struct model *model, const struct export_tool_options *options,
		     FILE *out, struct err *err)
{
	CLEANUP(perfetto_deinit) struct perfetto perfetto;
	CLEANUP(perfetto_tracks_deinit) struct perfetto_tracks tracks = { 0 };

	perfetto_init(&perfetto, model, out);
	perfetto_start(&perfetto);
	perfetto_tracks_write(&tracks, &perfetto);
	add_recording(&perfetto);
	add_marks(&perfetto);
	if (model->account)
		add_programs(&perfetto, &tracks);
	if (model->account && model->account->critical)
		add_critical_path(&perfetto);
	if (model->moments)
		add_moments(&perfetto, &tracks);
	for (size_t i = 0; i < model->fault_count && !perfetto.failed; i++)
		add_fault(&perfetto, &tracks, &model->faults[i]);
	return (perfetto_drain(&perfetto, 0) && fflush(out) == 0) || err_os(err, "writing");
}
