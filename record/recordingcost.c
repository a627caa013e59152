// SPDX-License-Identifier: Apache-2.0
// Measures what recording costs: the real backend watches a child that does what it did unwatched.
#include "record/recordingcost.h"

#include "base/cleanup.h"
#include "base/median.h"
#include "bpf/backend.h"
#include "bpf/sink.h"
#include "record/costchild.h"
#include "record/mapwatch.h"
#include "record/samplecost.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Blocks of rounds are recorded and not recorded in turn, since machines change meanwhile.
enum { ROUNDS = 6, BLOCKS = 3, MAP_RING_BYTES = 2 << 20, SAMPLES_HZ = 10000 };

/** The parts of the child's work, in the rounds of a block. */
struct cost_set {
	struct costchild_run runs[ROUNDS][COSTCHILD_PARTS];
	uint64_t each_ns[COSTCHILD_PARTS][ROUNDS]; // what one event took on the processor
	uint64_t fault_ns[ROUNDS];		   // duration of a fault, of COSTCHILD_FAULTS
	uint64_t program_ns[ROUNDS];		   // trace_fault.program_ns of these
};

typedef VEC(struct costchild_gap) gap_list;

/**
 * The lower quartile. The pace of a processor changes by half within moments where others share it:
 * each set has rounds that nothing disturbed.
 */
static double undisturbed(const uint64_t values[ROUNDS])
{
	return median_quantile(values, ROUNDS, 0.25);
}

/** Do all parts but the loop. */
static bool do_rounds(struct costchild *child, struct cost_set *set, struct err *err)
{
	for (size_t round = 0; round < ROUNDS; round++) {
		if (!costchild_run(child, 0, COSTCHILD_LOOP, err))
			return false;
		memcpy(set->runs[round], child->runs, sizeof(set->runs[round]));
		for (enum costchild_part part = 0; part < COSTCHILD_LOOP; part++) {
			const struct costchild_run *run = &child->runs[part];

			if (run->count == 0)
				return err_set(err, ERR_UNSUPPORTED,
					       "the child that measures could not do its work");
			set->each_ns[part][round] = run->event_ns;
		}
	}
	return true;
}

/** Do the loop, and add its gaps to @gaps. */
static bool do_loops(struct costchild *child, gap_list *gaps, struct err *err)
{
	for (size_t round = 0; round < ROUNDS; round++) {
		if (!costchild_run(child, COSTCHILD_LOOP, COSTCHILD_PARTS, err))
			return false;
		for (size_t i = 0; i < child->runs[COSTCHILD_LOOP].count; i++)
			vec_push(gaps, child->gaps[i]);
	}
	return true;
}

static bool is_within(const struct costchild_run *run, uint64_t time_ns)
{
	return time_ns >= run->start_ns && time_ns <= run->end_ns;
}

typedef VEC(uint64_t) number_list;

/** Return the median of @values, and release them. */
static uint64_t middle_of(number_list *values)
{
	const double middle = median_of(values->items, values->count);

	vec_deinit(values);
	return (uint64_t)middle;
}

/**
 * Return what the middle pause of @run took on the processor, as the account of a trace tells it:
 * from the end of one wait to the beginning of the next.
 */
static uint64_t told_pause_ns(const struct trace *trace, uint32_t tid,
			      const struct costchild_run *run)
{
	number_list stretches = { 0 };
	uint64_t back_ns = 0;

	vec_foreach (pause, &trace->pauses) {
		if (pause->tid != tid || !is_within(run, pause->time_ns))
			continue;
		if (back_ns && pause->time_ns > back_ns)
			vec_push(&stretches, pause->time_ns - back_ns);
		back_ns = pause->back_ns;
	}
	return middle_of(&stretches);
}

static uint64_t fault_ns(const struct trace *trace, uint32_t tid, const struct costchild_run *run)
{
	number_list durations = { 0 };

	vec_foreach (fault, &trace->faults)
		if (fault->tid == tid && is_within(run, fault->time_ns))
			vec_push(&durations, fault->duration_ns);
	return middle_of(&durations);
}

static uint64_t program_ns(const struct trace *trace, uint32_t tid, const struct costchild_run *run)
{
	number_list programs = { 0 };

	vec_foreach (fault, &trace->faults)
		if (fault->tid == tid && is_within(run, fault->time_ns))
			vec_push(&programs, fault->program_ns);
	return middle_of(&programs);
}

/**
 * Find in the trace what the child cannot measure, and what an account would tell of it: 0 of parts
 * that it did not do meanwhile.
 */
static void look_up(const struct trace *trace, uint32_t tid, struct cost_set *set)
{
	for (size_t round = 0; round < ROUNDS; round++) {
		const struct costchild_run *runs = set->runs[round];

		set->fault_ns[round] = fault_ns(trace, tid, &runs[COSTCHILD_FAULTS]);
		set->program_ns[round] = program_ns(trace, tid, &runs[COSTCHILD_FAULTS]);
		set->each_ns[COSTCHILD_PAUSES][round] =
			told_pause_ns(trace, tid, &runs[COSTCHILD_PAUSES]);
	}
}

/** Do the rounds, or the loops if @gaps are wanted, while @sink gets what the backend sees. */
static bool watch(const struct record_options *options, struct costchild *child, struct sink *sink,
		  struct cost_set *set, gap_list *gaps, struct err *err)
{
	CLEANUP(notes_deinit) struct notes notes = { 0 };
	const struct backend_config config = {
		.pid = child->pid,
		.tids = &child->pid,
		.tid_count = 1,
		.stacks = options->stacks,
		.stack_bytes = options->stack_bytes,
		.storage = !options->no_storage,
		.cpu_hz = gaps ? SAMPLES_HZ : 0,
		.is_attached = true,
		.is_limited = false,
	};
	struct mapwatch *mappings = mapwatch_open(&child->pid, 1, NULL, MAP_RING_BYTES, err);
	struct backend *backend = mappings ? backend_bpf_open(&config, &notes, err) : NULL;
	bool done = false;

	if (backend) {
		done = gaps ? do_loops(child, gaps, err) : do_rounds(child, set, err);
		backend->stop(backend, sink, &notes);
		backend->close(backend);
	}
	mapwatch_close(mappings);
	return done;
}

/** The same, and read back what was recorded. *@ret_trace: release with trace_close(). */
static bool record(const struct record_options *options, struct costchild *child,
		   struct cost_set *set, gap_list *gaps, struct trace **ret_trace, struct err *err)
{
	CLEANUP(fd_close) int fd = memfd_create("recording-cost", MFD_CLOEXEC);
	const struct trace_meta meta = { .page_size = (uint32_t)sysconf(_SC_PAGESIZE),
					 .root_pid = (uint32_t)child->pid };
	const struct trace_summary summary = { .exit_status = -1 };
	struct sink sink = { .root_pid = (uint32_t)child->pid, .exec_known = true };
	char path[64];

	if (fd < 0)
		return err_os(err, "creating a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	bool done = trace_writer_open(fd, &meta, &sink.writer, err) &&
		    watch(options, child, &sink, set, gaps, err);

	if (done) {
		trace_writer_finish(sink.writer, &summary);
		done = trace_read(path, ret_trace, err);
	}
	trace_writer_close(sink.writer);
	sink_deinit(&sink);
	return done;
}

/** Return what one event of @part takes when nothing is recorded. @around: before and after */
static double plain_ns(const struct cost_set around[2], enum costchild_part part)
{
	return (undisturbed(around[0].each_ns[part]) + undisturbed(around[1].each_ns[part])) / 2;
}

/** Return the time that one event of @part took more. */
static double more(const struct cost_set *recorded, const struct cost_set around[2],
		   enum costchild_part part)
{
	return undisturbed(recorded->each_ns[part]) - plain_ns(around, part);
}

static uint64_t positive(double ns)
{
	return ns > 0 ? (uint64_t)(ns + 0.5) : 0;
}

/** Find the costs of events by @block, which was recorded, and the two @around it. */
static void conclude(const struct cost_set *recorded, const struct cost_set around[2], size_t block,
		     uint64_t costs_ns[TRACE_COSTS][BLOCKS])
{
	const double fault = more(recorded, around, COSTCHILD_FAULTS);
	const double call = more(recorded, around, COSTCHILD_CALLS);
	const double mapping = more(recorded, around, COSTCHILD_MAPPINGS);
	// The kernel counts a switch's own time for the one that comes, the trace for none.
	const double pause = more(recorded, around, COSTCHILD_PAUSES);
	// The way into the kernel and out of it is before and after what a duration measures: as
	// long as that of a system call which does nothing.
	const double way = plain_ns(around, COSTCHILD_CALLS);

	double outside = undisturbed(recorded->each_ns[COSTCHILD_FAULTS]) -
			 undisturbed(recorded->fault_ns) - way;

	outside = outside < 0 ? 0 : outside > fault ? fault : outside;
	costs_ns[TRACE_COST_FAULT][block] = positive(outside);
	costs_ns[TRACE_COST_FAULT_WITHIN][block] = positive(fault - outside);
	costs_ns[TRACE_COST_CALL][block] = positive(call);
	costs_ns[TRACE_COST_MAPPING][block] = positive(mapping - 2 * call);
	costs_ns[TRACE_COST_PAUSE][block] = positive(pause - 2 * call);
	costs_ns[TRACE_COST_PROGRAM][block] = positive(undisturbed(recorded->program_ns));
}

static bool measure_rounds(const struct record_options *options, struct costchild *child,
			   struct cost_set *recorded, struct err *err)
{
	CLEANUP(trace_closep) struct trace *trace = NULL;

	if (!record(options, child, recorded, NULL, &trace, err))
		return false;
	look_up(trace, (uint32_t)child->pid, recorded);
	return true;
}

static bool measure_samples(const struct record_options *options, struct costchild *child,
			    struct samplecost *ret_cost, struct err *err)
{
	CLEANUP(vec_release) gap_list gaps = { 0 };
	CLEANUP(trace_closep) struct trace *trace = NULL;
	bool done = record(options, child, NULL, &gaps, &trace, err);

	if (done)
		*ret_cost = samplecost_of(trace, (uint32_t)child->pid, gaps.items, gaps.count);
	return done;
}

bool recordingcost_measure(const struct record_options *options, uint32_t ret_costs_ns[TRACE_COSTS],
			   struct err *err)
{
	CLEANUP(costchild_end) struct costchild child = { .go = -1, .done = -1 };
	struct cost_set plain[BLOCKS + 1] = { 0 }, recorded = { 0 };
	uint64_t costs_ns[TRACE_COSTS][BLOCKS] = { 0 };
	struct samplecost sample;

	if (!costchild_start(&child, err) || !do_rounds(&child, &plain[0], err))
		return false;
	for (size_t block = 0; block < BLOCKS; block++) {
		if (!measure_rounds(options, &child, &recorded, err) ||
		    !do_rounds(&child, &plain[block + 1], err))
			return false;
		conclude(&recorded, &plain[block], block, costs_ns);
	}
	if (!measure_samples(options, &child, &sample, err))
		return false;

	for (enum trace_cost cost = 0; cost < TRACE_COSTS; cost++)
		ret_costs_ns[cost] = (uint32_t)median_of(costs_ns[cost], BLOCKS);
	ret_costs_ns[TRACE_COST_SAMPLE] = (uint32_t)sample.ns;
	ret_costs_ns[TRACE_COST_SAMPLE_PROGRAM] = (uint32_t)sample.program_ns;
	return true;
}
