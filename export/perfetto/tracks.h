// SPDX-License-Identifier: Apache-2.0
// The tracks of a Perfetto trace: one per process and thread, and counters. Serves perfetto.c.
#pragma once

#include "export/perfetto/writer.h"

#include "base/vec.h"

/** Tracks that are there before any process. */
enum { TRACK_RECORDING = 1, TRACK_CRITICAL_PATH, TRACK_FIRST_FREE };

struct perfetto_process {
	uint32_t pid;
	uint32_t comm;		// of its last program: into model.comms, or MODEL_NONE
	uint64_t track;		// the next are its programs, faults, and bytes read
	uint64_t faults, bytes; // so far
};

struct perfetto_thread {
	uint32_t pid, tid;
	uint32_t comm;	  // the last one
	uint64_t track;	  // the next are its states and samples
	uint32_t process; // into processes
};

/** Zero-initialise to use. */
struct perfetto_tracks {
	VEC(struct perfetto_process) processes;
	VEC(struct perfetto_thread) threads;
	struct u64map process_rows, thread_rows;
	uint64_t free;	     // number of the next track
	uint32_t *of_thread; // into threads, by model.threads
};

static inline uint64_t perfetto_programs_track(const struct perfetto_process *process)
{
	return process->track + 1;
}

static inline uint64_t perfetto_faults_track(const struct perfetto_process *process)
{
	return process->track + 2;
}

static inline uint64_t perfetto_bytes_track(const struct perfetto_process *process)
{
	return process->track + 3;
}

static inline uint64_t perfetto_states_track(const struct perfetto_thread *thread)
{
	return thread->track + 1;
}

static inline uint64_t perfetto_samples_track(const struct perfetto_thread *thread)
{
	return thread->track + 2;
}

/** Find all processes and threads, and write what they are. */
void perfetto_tracks_write(struct perfetto_tracks *tracks, struct perfetto *perfetto);
void perfetto_tracks_deinit(struct perfetto_tracks *tracks);

/** The process with @pid, which is one of the model's. */
struct perfetto_process *perfetto_process(struct perfetto_tracks *tracks, uint32_t pid);
