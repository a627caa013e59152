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

// Blocks of rounds are recorded and not recorded in turn, since machines change meanwhile.
enum { ROUNDS = 6, BLOCKS = 3, MAP_RING_BYTES = 2 << 20, SAMPLES_HZ = 10000 };

/** The parts of the child's work, in the rounds of a block. */
struct cost_set {
	struct costchild_run runs[ROUNDS][COSTCHILD_PARTS];
	double each_ns[COSTCHILD_PARTS][ROUNDS]; // what one event took on the processor
	double fault_ns[ROUNDS];		 // duration of a fault, of COSTCHILD_FAULTS
	double program_ns[ROUNDS];		 // of the recorder's, for a fault, or for a sample
};

static double middle_of(double *values, size_t count)
{
	if (count == 0)
		return 0;
	qsort(values, count, sizeof(*values), order_double);
	return values[count / 2];
}

/**
 * The lower quartile. The pace of a processor changes by half within moments where others share it:
 * each set has rounds that nothing disturbed.
 */
static double undisturbed(const double values[ROUNDS])
{
	double sorted[ROUNDS];

	memcpy(sorted, values, sizeof(sorted));
	qsort(sorted, ROUNDS, sizeof(*sorted), order_double);
	return sorted[ROUNDS / 4];
}

/** Do the parts from @first on and before @end. */
static bool do_rounds(struct costchild *child, enum costchild_part first, enum costchild_part end,
		      struct cost_set *set, struct err *err)
{
	for (size_t round = 0; round < ROUNDS; round++) {
		if (!costchild_run(child, first, end, err))
			return false;
		memcpy(set->runs[round], child->runs, sizeof(set->runs[round]));
		for (enum costchild_part part = first; part < end; part++) {
			const struct costchild_run *run = &child->runs[part];

			if (run->count == 0 && part != COSTCHILD_LOOP)
				return err_set(err, ERR_UNSUPPORTED,
					       "the child that measures could not do its work");
			set->each_ns[part][round] = run->event_ns;
		}
	}
	return true;
}

static bool is_within(const struct costchild_run *run, uint64_t time_ns)
{
	return time_ns >= run->start_ns && time_ns <= run->end_ns;
}

/**
 * Return what the middle pause of @run took on the processor, as the account of a trace tells it:
 * from the end of one wait to the begin of the next.
 */
static double told_pause_ns(const struct trace *trace, uint32_t tid,
			    const struct costchild_run *run)
{
	VEC(double) stretches = { 0 };
	uint64_t back_ns = 0;

	vec_foreach (pause, &trace->pauses) {
		if (pause->tid != tid || !is_within(run, pause->time_ns))
			continue;
		if (back_ns && pause->time_ns > back_ns)
			vec_push(&stretches, (double)(pause->time_ns - back_ns));
		back_ns = pause->back_ns;
	}
	const double ns = middle_of(stretches.items, stretches.count);

	vec_deinit(&stretches);
	return ns;
}

/** Durations of the faults of @run, and what the recorder's program took for each. */
static void look_up_faults(const struct trace *trace, uint32_t tid, const struct costchild_run *run,
			   double *ret_fault_ns, double *ret_program_ns)
{
	VEC(double) durations = { 0 };
	VEC(double) programs = { 0 };

	vec_foreach (fault, &trace->faults) {
		if (fault->tid != tid || !is_within(run, fault->time_ns))
			continue;
		vec_push(&durations, (double)fault->duration_ns);
		vec_push(&programs, (double)fault->program_ns);
	}
	*ret_fault_ns = middle_of(durations.items, durations.count);
	*ret_program_ns = middle_of(programs.items, programs.count);
	vec_deinit(&durations);
	vec_deinit(&programs);
}

static double sample_program_ns(const struct trace *trace, uint32_t tid,
				const struct costchild_run *run)
{
	VEC(double) programs = { 0 };

	vec_foreach (sample, &trace->samples)
		if (sample->tid == tid && is_within(run, sample->time_ns))
			vec_push(&programs, (double)sample->program_ns);
	const double ns = middle_of(programs.items, programs.count);

	vec_deinit(&programs);
	return ns;
}

/** Find in the trace what the child cannot measure, and what an account would tell of it. */
static void look_up(const struct trace *trace, uint32_t tid, bool is_sampled, struct cost_set *set)
{
	for (size_t round = 0; round < ROUNDS; round++) {
		const struct costchild_run *runs = set->runs[round];

		if (is_sampled) {
			set->program_ns[round] =
				sample_program_ns(trace, tid, &runs[COSTCHILD_LOOP]);
			continue;
		}
		look_up_faults(trace, tid, &runs[COSTCHILD_FAULTS], &set->fault_ns[round],
			       &set->program_ns[round]);
		set->each_ns[COSTCHILD_PAUSES][round] =
			told_pause_ns(trace, tid, &runs[COSTCHILD_PAUSES]);
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
		done = cpu_hz ? do_rounds(child, COSTCHILD_LOOP, COSTCHILD_PARTS, set, err)
			      : do_rounds(child, 0, COSTCHILD_LOOP, set, err);
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
		look_up(trace, (uint32_t)child->pid, cpu_hz > 0, set);
	trace_close(trace);
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

/** Find the costs of events by a block that was recorded and the two @around it. */
static void conclude(const struct cost_set *recorded, const struct cost_set around[2],
		     double ret_costs_ns[TRACE_COSTS])
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
	ret_costs_ns[TRACE_COST_FAULT] = outside;
	ret_costs_ns[TRACE_COST_FAULT_WITHIN] = fault - outside;
	ret_costs_ns[TRACE_COST_CALL] = call;
	ret_costs_ns[TRACE_COST_MAPPING] = mapping - 2 * call;
	ret_costs_ns[TRACE_COST_PAUSE] = pause - 2 * call;
	ret_costs_ns[TRACE_COST_PROGRAM] = undisturbed(recorded->program_ns);
}

static uint32_t positive(double ns)
{
	return ns > 0 ? (uint32_t)(ns + 0.5) : 0;
}

bool recordingcost_measure(const struct record_options *options, uint32_t ret_costs_ns[TRACE_COSTS],
			   struct err *err)
{
	CLEANUP(costchild_end) struct costchild child = { .go = -1, .done = -1 };
	struct cost_set plain[BLOCKS + 1] = { 0 }, recorded = { 0 }, sampled = { 0 };
	double costs_ns[BLOCKS][TRACE_COSTS] = { 0 };

	if (!costchild_start(&child, err) || !do_rounds(&child, 0, COSTCHILD_LOOP, &plain[0], err))
		return false;
	for (size_t block = 0; block < BLOCKS; block++) {
		if (!record(options, 0, &child, &recorded, err) ||
		    !do_rounds(&child, 0, COSTCHILD_LOOP, &plain[block + 1], err))
			return false;
		conclude(&recorded, &plain[block], costs_ns[block]);
	}
	if (!record(options, SAMPLES_HZ, &child, &sampled, err))
		return false;

	for (enum trace_cost cost = 0; cost < TRACE_COSTS; cost++) {
		double of_blocks[BLOCKS];

		for (size_t block = 0; block < BLOCKS; block++)
			of_blocks[block] = costs_ns[block][cost];
		ret_costs_ns[cost] = positive(middle_of(of_blocks, BLOCKS));
	}
	ret_costs_ns[TRACE_COST_SAMPLE] = positive(undisturbed(sampled.each_ns[COSTCHILD_LOOP]));
	ret_costs_ns[TRACE_COST_SAMPLE_PROGRAM] = positive(undisturbed(sampled.program_ns));
	return true;
}
