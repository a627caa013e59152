// SPDX-License-Identifier: Apache-2.0
// Measures what recording costs: the real backend watches a child that does what it did unwatched.
#include "record/recordingcost.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "bpf/backend.h"
#include "bpf/sink.h"
#include "record/costchild.h"
#include "record/mapwatch.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 7, MAP_RING_BYTES = 2 << 20, SAMPLES_HZ = 10000 };

/** The parts of the child's work, in rounds. */
struct cost_set {
	double each_ns[COSTCHILD_PARTS][ROUNDS]; // what one event took on the processor
	double fault_ns[ROUNDS];		 // duration of a fault, of COSTCHILD_FAULTS
	double program_ns[ROUNDS];		 // trace_fault.program_ns of these
	double sample_program_ns[ROUNDS];	 // and that of samples, of COSTCHILD_LOOP
	double gap_ns[ROUNDS];			 // of COSTCHILD_LOOP
	struct costchild_run runs[ROUNDS][COSTCHILD_PARTS];
	uint64_t pace_ns; // all are as they would be at this pace of the processor
};

/** The median: a round that something disturbed is passed over. */
static double middle(const double values[ROUNDS])
{
	double sorted[ROUNDS];

	memcpy(sorted, values, sizeof(sorted));
	qsort(sorted, ROUNDS, sizeof(*sorted), order_double);
	return sorted[ROUNDS / 2];
}

/** Return @ns of @run as they would be at the pace of @set. */
static double at_pace(const struct cost_set *set, const struct costchild_run *run, double ns)
{
	return ns * (double)set->pace_ns / (double)(run->pace_ns + 1);
}

/** @set: its pace is known, or that of the first part of all. */
static bool do_rounds(struct costchild *child, struct cost_set *set, struct err *err)
{
	for (size_t round = 0; round < ROUNDS; round++) {
		if (!costchild_run(child, err))
			return false;
		memcpy(set->runs[round], child->runs, sizeof(set->runs[round]));
		for (enum costchild_part part = 0; part < COSTCHILD_PARTS; part++) {
			const struct costchild_run *run = &child->runs[part];

			if (run->count == 0 && part != COSTCHILD_LOOP)
				return err_set(err, ERR_UNSUPPORTED,
					       "the child that measures could not do its work");
			if (set->pace_ns == 0)
				set->pace_ns = run->pace_ns;
			set->each_ns[part][round] = at_pace(
				set, run, (double)run->cpu_ns / (double)(run->count + !run->count));
		}
	}
	return true;
}

/** The time of @run on the processor, as the account of a trace tells it. */
static uint64_t told_ns(const struct trace *trace, pid_t pid, const struct costchild_run *run)
{
	uint64_t ns = run->end_ns - run->start_ns;

	vec_foreach (pause, &trace->pauses) {
		const uint64_t from =
			pause->time_ns > run->start_ns ? pause->time_ns : run->start_ns;
		const uint64_t to = pause->back_ns < run->end_ns ? pause->back_ns : run->end_ns;

		if (pause->tid == (uint32_t)pid && from < to)
			ns -= to - from < ns ? to - from : ns;
	}
	return ns;
}

/** Find in the trace what the child cannot measure, and what an account would tell of it. */
static void look_up(const struct trace *trace, pid_t pid, struct cost_set *set)
{
	for (size_t round = 0; round < ROUNDS; round++) {
		const struct costchild_run *runs = set->runs[round];
		const struct costchild_run *faults = &runs[COSTCHILD_FAULTS];
		const struct costchild_run *loop = &runs[COSTCHILD_LOOP];
		double sum_ns = 0, program_ns = 0, sample_ns = 0, count = 0, samples = 0;

		vec_foreach (fault, &trace->faults) {
			if (fault->time_ns < faults->start_ns || fault->time_ns > faults->end_ns ||
			    fault->tid != (uint32_t)pid)
				continue;
			sum_ns += (double)fault->duration_ns;
			program_ns += (double)fault->program_ns;
			count++;
		}
		set->fault_ns[round] = count > 0 ? at_pace(set, faults, sum_ns / count) : 0;
		set->program_ns[round] = count > 0 ? at_pace(set, faults, program_ns / count) : 0;
		vec_foreach (sample, &trace->samples) {
			if (sample->time_ns < loop->start_ns || sample->time_ns > loop->end_ns ||
			    sample->tid != (uint32_t)pid)
				continue;
			sample_ns += (double)sample->program_ns;
			samples++;
		}
		set->gap_ns[round] = at_pace(set, loop, (double)loop->gap_ns);
		set->sample_program_ns[round] =
			samples > 0 ? at_pace(set, loop, sample_ns / samples) : 0;
		for (enum costchild_part part = 0; part < COSTCHILD_LOOP; part++)
			set->each_ns[part][round] =
				at_pace(set, &runs[part],
					(double)told_ns(trace, pid, &runs[part]) /
						(double)runs[part].count);
	}
}

/** Do the rounds while @sink gets what the backend sees. */
static bool watch(const struct record_options *options, uint32_t cpu_hz, struct costchild *child,
		  struct sink *sink, struct cost_set *set, struct err *err)
{
	struct notes notes = { 0 };
	const struct backend_config config = {
		.pid = child->pid,
		.tids = &child->pid,
		.tid_count = 1,
		.stacks = options->stacks,
		.stack_bytes = options->stack_bytes,
		.storage = !options->no_storage,
		.cpu_hz = cpu_hz,
		.is_attached = true,
		.is_limited = false,
	};
	struct mapwatch *mappings = mapwatch_open(&child->pid, 1, NULL, MAP_RING_BYTES, err);
	struct backend *backend = mappings ? backend_bpf_open(&config, &notes, err) : NULL;
	bool done = false;

	if (backend) {
		done = do_rounds(child, set, err);
		backend->stop(backend, sink, &notes);
		backend->close(backend);
	}
	mapwatch_close(mappings);
	notes_deinit(&notes);
	return done;
}

/** The same, and read back what was recorded. */
static bool record(const struct record_options *options, uint32_t cpu_hz, struct costchild *child,
		   struct cost_set *set, struct err *err)
{
	CLEANUP(fd_close) int fd = memfd_create("recording-cost", MFD_CLOEXEC);
	const struct trace_meta meta = { .page_size = (uint32_t)sysconf(_SC_PAGESIZE),
					 .root_pid = (uint32_t)child->pid };
	const struct trace_summary summary = { .exit_status = -1 };
	struct sink sink = { .root_pid = (uint32_t)child->pid, .exec_known = true };
	struct trace *trace = NULL;
	char path[64];

	if (fd < 0)
		return err_os(err, "creating a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	bool done = trace_writer_open(fd, &meta, &sink.writer, err) &&
		    watch(options, cpu_hz, child, &sink, set, err);

	if (done) {
		trace_writer_finish(sink.writer, &summary);
		done = trace_read(path, &trace, err);
	}
	if (done)
		look_up(trace, child->pid, set);
	trace_close(trace);
	trace_writer_close(sink.writer);
	sink_deinit(&sink);
	return done;
}

static uint32_t positive(double ns)
{
	return ns > 0 ? (uint32_t)(ns + 0.5) : 0;
}

/** Return the time that one event of @part took more. */
static double more(const struct cost_set *recorded, const struct cost_set *plain,
		   enum costchild_part part)
{
	return middle(recorded->each_ns[part]) - middle(plain->each_ns[part]);
}

static void conclude(const struct cost_set *plain, const struct cost_set *recorded,
		     const struct cost_set *sampled, uint32_t costs_ns[TRACE_COSTS])
{
	const double fault = more(recorded, plain, COSTCHILD_FAULTS);
	const double call = more(recorded, plain, COSTCHILD_CALLS);
	const double mapping = more(recorded, plain, COSTCHILD_MAPPINGS);
	// The kernel counts a switch's own time for the one that comes, the trace for none.
	const double pause = more(recorded, plain, COSTCHILD_PAUSES);
	// The way into the kernel and out of it is before and after what a duration measures: as
	// long as that of a system call which does nothing.
	const double way = middle(plain->each_ns[COSTCHILD_CALLS]);

	double outside =
		middle(recorded->each_ns[COSTCHILD_FAULTS]) - middle(recorded->fault_ns) - way;

	outside = outside < 0 ? 0 : outside > fault ? fault : outside;
	costs_ns[TRACE_COST_FAULT] = positive(outside);
	costs_ns[TRACE_COST_FAULT_WITHIN] = positive(fault - outside);
	costs_ns[TRACE_COST_CALL] = positive(call);
	costs_ns[TRACE_COST_MAPPING] = positive(mapping - 2 * call);
	costs_ns[TRACE_COST_PAUSE] = positive(pause - 2 * call);
	costs_ns[TRACE_COST_SAMPLE] = positive(middle(sampled->gap_ns));
	costs_ns[TRACE_COST_SAMPLE_PROGRAM] = positive(middle(sampled->sample_program_ns));
	costs_ns[TRACE_COST_PROGRAM] = positive(middle(recorded->program_ns));
}

bool recordingcost_measure(const struct record_options *options, uint32_t ret_costs_ns[TRACE_COSTS],
			   struct err *err)
{
	CLEANUP(costchild_end) struct costchild child = { .go = -1, .done = -1 };
	struct cost_set plain = { 0 }, recorded = { 0 }, sampled = { 0 };

	if (!costchild_start(&child, err) || !do_rounds(&child, &plain, err))
		return false;
	recorded.pace_ns = sampled.pace_ns = plain.pace_ns;
	if (!record(options, 0, &child, &recorded, err) ||
	    !record(options, SAMPLES_HZ, &child, &sampled, err))
		return false;
	conclude(&plain, &recorded, &sampled, ret_costs_ns);
	return true;
}
