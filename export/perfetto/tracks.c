// SPDX-License-Identifier: Apache-2.0
#include "export/perfetto/tracks.h"

#include "export/protobuf.h"

#include "base/arena.h"
#include "model/account.h"

#include <stdlib.h>

/** Fields of TrackDescriptor. */
enum { UUID = 1, NAME = 2, PROCESS = 3, THREAD = 4, PARENT_UUID = 5, COUNTER = 8 };

enum { TRACKS_PER_PROCESS = 4, TRACKS_PER_THREAD = 3 };

void perfetto_tracks_deinit(struct perfetto_tracks *tracks)
{
	vec_deinit(&tracks->processes);
	vec_deinit(&tracks->threads);
	u64map_deinit(&tracks->process_rows);
	u64map_deinit(&tracks->thread_rows);
	free(tracks->of_thread);
}

static uint32_t process_row(struct perfetto_tracks *tracks, uint32_t pid)
{
	bool is_new;
	uint32_t *row = u64map_put(&tracks->process_rows, pid, &is_new);

	if (is_new) {
		*row = (uint32_t)tracks->processes.count;
		vec_push(&tracks->processes, (struct perfetto_process){ .pid = pid,
									.comm = MODEL_NONE,
									.track = tracks->free });
		tracks->free += TRACKS_PER_PROCESS;
	}
	return *row;
}

struct perfetto_process *perfetto_process(struct perfetto_tracks *tracks, uint32_t pid)
{
	uint32_t row = process_row(tracks, pid); // may move them

	return &tracks->processes.items[row];
}

/** Names change when programs are executed: the last one stays. */
static void find_tracks(struct perfetto_tracks *tracks, const struct model *model)
{
	tracks->free = TRACK_FIRST_FREE;
	tracks->of_thread = xcalloc(model->thread_count + 1, sizeof(*tracks->of_thread));
	for (size_t i = 0; i < model->thread_count; i++) {
		const struct model_thread *thread = &model->threads[i];
		uint32_t process = process_row(tracks, thread->pid);
		bool is_new;
		uint32_t *row = u64map_put(&tracks->thread_rows,
					   (uint64_t)thread->pid << 32 | thread->tid, &is_new);

		if (is_new) {
			*row = (uint32_t)tracks->threads.count;
			vec_push(&tracks->threads, (struct perfetto_thread){ .pid = thread->pid,
									     .tid = thread->tid,
									     .track = tracks->free,
									     .process = process });
		}
		tracks->free += is_new ? TRACKS_PER_THREAD : 0;
		tracks->of_thread[i] = *row;
		tracks->threads.items[*row].comm = thread->comm;
		if (thread->tid == thread->pid ||
		    tracks->processes.items[process].comm == MODEL_NONE)
			tracks->processes.items[process].comm = thread->comm;
	}
	for (size_t i = 0; model->account && i < model->account->process_count; i++) {
		const struct model_process_times *times = &model->account->processes[i];

		perfetto_process(tracks, times->pid)->comm = times->comm;
	}
}

/** A number of a process, which is an int32 there. */
static void add_id(struct strbuf *buf, uint32_t field, uint32_t id)
{
	protobuf_number(buf, field, (uint64_t)(int64_t)(int32_t)id);
}

static void add_comm(struct perfetto *perfetto, uint32_t field, uint32_t comm)
{
	if (comm != MODEL_NONE)
		protobuf_text(&perfetto->buf, field, perfetto->model->comms[comm]);
}

/** @unit: of a counter; NULL: the track has events. */
static void add_track(struct perfetto *perfetto, uint64_t track, uint64_t parent, const char *name,
		      const char *unit)
{
	struct perfetto_descriptor descriptor = perfetto_descriptor(perfetto);

	protobuf_number(&perfetto->buf, UUID, track);
	protobuf_text(&perfetto->buf, NAME, name);
	if (parent)
		protobuf_number(&perfetto->buf, PARENT_UUID, parent);
	if (unit) {
		size_t begun = protobuf_begin(&perfetto->buf, COUNTER);

		protobuf_text(&perfetto->buf, 6, unit);
		protobuf_end(&perfetto->buf, begun);
	}
	perfetto_descriptor_end(perfetto, descriptor);
}

static void add_process(struct perfetto *perfetto, const struct perfetto_process *process)
{
	struct perfetto_descriptor descriptor = perfetto_descriptor(perfetto);

	protobuf_number(&perfetto->buf, UUID, process->track);
	size_t begun = protobuf_begin(&perfetto->buf, PROCESS);

	add_id(&perfetto->buf, 1, process->pid);
	add_comm(perfetto, 6, process->comm);
	protobuf_end(&perfetto->buf, begun);
	perfetto_descriptor_end(perfetto, descriptor);
	if (perfetto->model->account)
		add_track(perfetto, perfetto_programs_track(process), process->track, "programs",
			  NULL);
	add_track(perfetto, perfetto_faults_track(process), process->track, "page faults",
		  "faults");
	if (perfetto->model->trace.has_reads)
		add_track(perfetto, perfetto_bytes_track(process), process->track,
			  "bytes read by faults", "bytes");
}

static void add_thread(struct perfetto *perfetto, const struct perfetto_thread *thread)
{
	struct perfetto_descriptor descriptor = perfetto_descriptor(perfetto);

	protobuf_number(&perfetto->buf, UUID, thread->track);
	size_t begun = protobuf_begin(&perfetto->buf, THREAD);

	add_id(&perfetto->buf, 1, thread->pid);
	add_id(&perfetto->buf, 2, thread->tid);
	add_comm(perfetto, 5, thread->comm);
	protobuf_end(&perfetto->buf, begun);
	perfetto_descriptor_end(perfetto, descriptor);
	if (!perfetto->model->moments)
		return;
	add_track(perfetto, perfetto_states_track(thread), thread->track, "waits", NULL);
	add_track(perfetto, perfetto_samples_track(thread), thread->track, "samples", NULL);
}

void perfetto_tracks_write(struct perfetto_tracks *tracks, struct perfetto *perfetto)
{
	const struct model *model = perfetto->model;

	find_tracks(tracks, model);
	add_track(perfetto, TRACK_RECORDING, 0, "elfault", NULL);
	if (model->account)
		add_track(perfetto, TRACK_CRITICAL_PATH, 0, "critical path", NULL);
	vec_foreach (process, &tracks->processes)
		add_process(perfetto, process);
	vec_foreach (thread, &tracks->threads)
		add_thread(perfetto, thread);
}
