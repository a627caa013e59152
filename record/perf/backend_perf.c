// SPDX-License-Identifier: Apache-2.0
// Sees faults through perf_event_open alone: no privilege is needed for one's own processes. Knows
// no error code and no duration, and without privilege no fault taken in kernel mode.
//
// Each fault raises two events: one without its stack, into a ring that holds many, and one with
// it, into another, which fills first. A record takes the whole --stack-size there, whatever the
// stack holds. Samples of the processor have a third ring (perfclock.c).
#include "bpf/backend.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/privilege.h"
#include "bpf/clockrate.h"
#include "bpf/perfset.h"
#include "record/perf/private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/utsname.h>
#include <xxhash.h>

enum {
	RING_BYTES_DEFAULT = 32 << 20, // of each, per CPU; less where it is not allowed
	// Where room is short stacks get most of it: a record of one is 90 times as large as that
	// of its fault. With these a ring of faults holds 1,400 of them, one of samples 7.
	STACK_RING_LEAST = 256 << 10,
	FAULT_RING_LEAST = 256 << 10,
	SAMPLE_RING_LEAST = 128 << 10,
	// A record takes the whole size in its ring, whatever the stack holds:
	// docs/measured/losses.md has the measurements.
	STACK_BYTES_DEFAULT = 16384,
	STACK_BYTES_SMALL = 4 << 10, // the default of a ring that would hold too few of the others
	STACK_BYTES_MAX = 32768,
	STACKS_LEAST = 32,	      // in a ring
	MLOCK_KIB_ADVISED = 80 << 10, // per CPU: room for all rings
	KIB = 1024,
	STACKS_AT_ONCE = 256,
	SAMPLES_PART = 4, // of a ring of faults: so large is one of samples, at most
};

static const uint64_t clock_slack_ns = 1000000; // between the two events of a fault

/** The rings of one CPU. */
struct lane {
	struct stackjoin join;
	uint64_t newest_ns;	   // of the faults taken so far
	uint64_t newest_before_ns; // the same when the last round ended
};

struct perf_backend {
	struct backend base;
	struct perfset *faults, *stacks; // the second NULL: no stacks
	struct perfring_layout fault_layout, stack_layout;
	uint64_t wished_ring_bytes; // of faults and of stacks
	uint64_t sample_ring_bytes; // that there is room for
	struct lane *lanes;	    // one per ring
	size_t lane_count;
	bool has_kernel;
	struct execspans execs;
	struct perfclock *clock; // NULL: no samples
	uint64_t taken;		 // faults
	uint64_t lost_records, malformed;
	struct switchjoin switches;
	struct sink *sink; // while draining
	VEC(pid_t) tids;   // that were there when it was attached
	pid_t pid;
};

static int paranoid_now(void)
{
	CLEANUP(file_closep) FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 2;

	if (!file || fscanf(file, "%d", &level) != 1)
		return 2;
	return level;
}

static void explain(struct err *err)
{
	if (err->code != ERR_OS || (err->os_errno != EACCES && err->os_errno != EPERM))
		return;

	char what[256];

	snprintf(what, sizeof(what), "%.255s", err->message);
	err_set(err, ERR_DENIED,
		"the perf backend is not allowed: %s (kernel.perf_event_paranoid is %d; recording "
		"your own processes needs 2 or less); any of these helps:\n"
		"  %ssudo sysctl kernel.perf_event_paranoid=2\n"
		"  %s",
		what, paranoid_now(), privilege_place(), privilege_way());
}

enum { EVENT_MINOR, EVENT_MAJOR, EVENT_COUNT };

/**
 * The two events that are sampled alike, each time they happen. The registers are the same ones
 * whether the stack goes with them: newer kernels (seen with 6.18; 6.3, "perf/core: Save the
 * dynamic parts of sample data size") find their size for the first of a fault's events and take it
 * for the second as well.
 */
static void fill_attrs(struct perf_event_attr *attrs, uint32_t stack_size, bool with_kernel)
{
	for (size_t i = 0; i < EVENT_COUNT; i++)
		attrs[i] = (struct perf_event_attr){
			.type = PERF_TYPE_SOFTWARE,
			.size = sizeof(*attrs),
			.config = i == EVENT_MINOR ? PERF_COUNT_SW_PAGE_FAULTS_MIN
						   : PERF_COUNT_SW_PAGE_FAULTS_MAJ,
			.sample_period = 1,
			.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
				       PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_REGS_USER |
				       (stack_size > 0 ? PERF_SAMPLE_STACK_USER : 0),
			.sample_regs_user = perfring_register_mask(),
			.sample_stack_user = stack_size,
			.disabled =
				1, // until the rings are there: all that is counted can be recorded
			.inherit = 1,
			.exclude_kernel = !with_kernel,
			.exclude_hv = !with_kernel,
			.sample_id_all = 1,
			.use_clockid = 1,
			.clockid = CLOCK_MONOTONIC,
		};
}

static struct perfring_layout layout_of(const struct perf_event_attr *attr)
{
	return (struct perfring_layout){
		.sample_type = attr->sample_type,
		.sample_id_all = true,
	};
}

static void close_rings(struct perf_backend *backend)
{
	perfset_close(backend->faults);
	perfset_close(backend->stacks);
	backend->faults = backend->stacks = NULL;
}

enum ring_kind { RING_STACKS, RING_FAULTS, RING_SAMPLES, RING_KINDS };

/** @stack_bytes: of each stack, where there are any. */
static bool open_rings(struct perf_backend *backend, const struct backend_config *config,
		       uint32_t stack_bytes, bool with_kernel, struct err *err)
{
	struct perf_event_attr stacks[EVENT_COUNT], faults[EVENT_COUNT];
	const uint64_t ring_bytes = config->ring_bytes ? config->ring_bytes : RING_BYTES_DEFAULT;
	struct perfset_config rings[RING_KINDS] = {
		[RING_STACKS] = { stacks, EVENT_COUNT, ring_bytes, STACK_RING_LEAST },
		[RING_FAULTS] = { faults, EVENT_COUNT, ring_bytes, FAULT_RING_LEAST },
		// Its events are opened later (perfclock.c): whether they can be is another matter.
		[RING_SAMPLES] = { NULL, 0, ring_bytes / SAMPLES_PART, SAMPLE_RING_LEAST },
	};
	struct perfset *sets[RING_KINDS] = { NULL };
	size_t first = config->stacks ? RING_STACKS : RING_FAULTS;
	size_t end = config->cpu_hz > 0 ? RING_KINDS : RING_SAMPLES;

	fill_attrs(stacks, stack_bytes, with_kernel);
	fill_attrs(faults, 0, with_kernel);
	// In the same ring as the faults: to tell those that exec takes, and when threads pause.
	faults[EVENT_MINOR].comm = faults[EVENT_MINOR].comm_exec = 1;
	faults[EVENT_MINOR].context_switch = 1;
	// Stacks first: of several events that happen at once the one opened last is told first,
	// and whoever reads a stack shall find its fault.
	if (!perfset_open_all(rings + first, end - first, config->tids, config->tid_count,
			      sets + first, err))
		return false;
	backend->stacks = sets[RING_STACKS];
	backend->faults = sets[RING_FAULTS];
	backend->wished_ring_bytes = ring_bytes;
	backend->sample_ring_bytes = rings[RING_SAMPLES].ring_bytes;
	backend->stack_layout = layout_of(&stacks[0]);
	backend->fault_layout = layout_of(&faults[0]);
	backend->has_kernel = with_kernel;
	backend->base.stack_bytes = stack_bytes;
	return true;
}

static bool open_events(struct perf_backend *backend, const struct backend_config *config,
			bool with_kernel, struct err *err)
{
	uint32_t stack_bytes = config->stack_bytes ? config->stack_bytes : STACK_BYTES_DEFAULT;

	// A record is smaller than 64 KiB.
	if (stack_bytes > STACK_BYTES_MAX)
		stack_bytes = STACK_BYTES_MAX;
	if (!open_rings(backend, config, stack_bytes, with_kernel, err))
		return false;
	if (config->stack_bytes || !backend->stacks ||
	    perfset_ring_bytes(backend->stacks) >= STACKS_LEAST * STACK_BYTES_DEFAULT)
		return true;
	close_rings(backend);
	return open_rings(backend, config, STACK_BYTES_SMALL, with_kernel, err);
}

static struct stackjoin_key key_of(const struct perfring_record *record)
{
	const uint64_t identity[] = {
		record->tid,
		record->sample.addr,
		record->sample.registers[MACHINE_IP],
		record->sample.registers[MACHINE_SP],
	};

	return (struct stackjoin_key){
		.order = record->time_ns,
		.identity = XXH3_64bits(identity, sizeof(identity)),
	};
}

static void deliver_fault(struct perf_backend *backend, struct lane *lane,
			  const struct perfring_record *record)
{
	struct trace_fault fault = {
		.time_ns = record->time_ns,
		.addr = record->sample.addr,
		.pid = record->pid,
		.tid = record->tid,
	};

	backend->taken++;
	lane->newest_ns = record->time_ns;
	if (perfset_event_of(backend->faults, record->id) == EVENT_MAJOR)
		fault.flags |= TRACE_FAULT_MAJOR;
	if (record->sample.in_kernel)
		fault.flags |= TRACE_FAULT_KERNEL;
	else
		execspans_end(&backend->execs, record->pid, record->time_ns);
	if (!record->sample.has_registers || execspans_is_open(&backend->execs, record->pid)) {
		sink_fault(backend->sink, &fault, NULL);
		return;
	}
	fault.flags |= TRACE_FAULT_HAS_USER_IP;
	fault.ip = record->sample.registers[MACHINE_IP];
	fault.sp = record->sample.registers[MACHINE_SP];
	if (backend->stacks)
		stackjoin_add(&lane->join, key_of(record), &fault);
	else
		sink_fault(backend->sink, &fault, NULL);
}

static void deliver_event(struct perf_backend *backend, struct lane *lane,
			  const struct perf_event_header *header)
{
	struct perfring_record record;

	if (!perfring_parse(header, header->size, &backend->fault_layout, &record)) {
		backend->malformed++;
		return;
	}
	if (record.kind == PERFRING_SAMPLE)
		deliver_fault(backend, lane, &record);
	else if (record.kind == PERFRING_COMM && record.comm.is_exec)
		execspans_begin(&backend->execs, record.pid, record.time_ns);
	else if (record.kind == PERFRING_SWITCH)
		switchjoin_add(&backend->switches, record.time_ns, record.pid, record.tid,
			       record.left.is_out, record.left.is_preempted);
	else if (record.kind == PERFRING_LOST)
		backend->lost_records += record.lost.count;
}

static size_t drain_faults(struct perf_backend *backend, size_t number)
{
	size_t ring_count, taken = 0;
	struct perfring *ring = perfset_rings(backend->faults, &ring_count)[number];
	const struct perf_event_header *header;

	if (!ring)
		return 0;
	perfring_begin(ring);
	while ((header = perfring_next(ring))) {
		deliver_event(backend, &backend->lanes[number], header);
		if (++taken % 64 == 0)
			perfring_end(ring); // room for the kernel early
	}
	perfring_end(ring);
	return taken;
}

static void deliver_stack(struct perf_backend *backend, size_t number,
			  const struct perfring_record *record)
{
	struct stackjoin *join = &backend->lanes[number].join;
	struct stackjoin_key key = key_of(record);
	const struct trace_fault *fault = stackjoin_take(join, key, backend->sink);

	if (!fault) {
		// It may have come since the faults were read.
		drain_faults(backend, number);
		fault = stackjoin_take(join, key, backend->sink);
	}
	if (!fault)
		return; // one that exec took, or lost

	struct raw_stack stack = {
		.pid = record->pid,
		.time_ns = fault->time_ns,
		.is_32bit = record->sample.is_32bit,
		.size = record->sample.stack_size,
		.bytes = record->sample.stack,
	};

	memcpy(stack.registers, record->sample.registers, sizeof(stack.registers));
	sink_fault(backend->sink, fault, &stack);
}

/** Returns how many records it took: at most STACKS_AT_ONCE. */
static size_t drain_stacks(struct perf_backend *backend, size_t number)
{
	size_t ring_count, taken = 0;
	struct perfring *ring = perfset_rings(backend->stacks, &ring_count)[number];
	const struct perf_event_header *header;

	if (!ring)
		return 0;
	perfring_begin(ring);
	while (taken < STACKS_AT_ONCE && (header = perfring_next(ring))) {
		struct perfring_record record;

		if (!perfring_parse(header, header->size, &backend->stack_layout, &record))
			backend->malformed++;
		else if (record.kind == PERFRING_SAMPLE && record.sample.has_registers)
			deliver_stack(backend, number, &record);
		taken++;
		perfring_end(ring);
	}
	return taken;
}

/** Faults first: they must not be lost. */
static size_t drain(struct backend *base, struct sink *sink)
{
	struct perf_backend *backend = (struct perf_backend *)base;
	size_t taken = 0;

	backend->sink = sink;
	for (size_t i = 0; i < backend->lane_count; i++)
		taken += drain_faults(backend, i);
	base->is_behind = false;
	for (size_t i = 0; i < backend->lane_count && backend->stacks; i++) {
		struct lane *lane = &backend->lanes[i];
		size_t stacks = drain_stacks(backend, i);

		taken += stacks;
		if (stacks == STACKS_AT_ONCE) {
			base->is_behind = true;
			continue;
		}
		// All stacks of the faults that the round before this one took have been there.
		stackjoin_settle(&lane->join, lane->newest_before_ns + 1, sink);
		lane->newest_before_ns = lane->newest_ns;
	}
	if (backend->clock)
		taken += perfclock_drain(backend->clock, &backend->execs, sink, &base->is_behind);
	return taken;
}

/** Whether the thread is off the processor and not for want of one. */
static bool is_waiting(pid_t pid, pid_t tid)
{
	char path[64], line[512];
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);

	CLEANUP(file_closep) FILE *file = fopen(path, "re");

	if (!file)
		return false;
	size = fread(line, 1, sizeof(line) - 1, file);
	line[size] = '\0';

	// Its name, which may hold anything, is in parentheses.
	const char *state = strrchr(line, ')');

	return state && state[1] == ' ' && state[2] != 'R';
}

/** A thread that never was switched has no record: it runs, or waits, all the time. */
static void deliver_switches(struct perf_backend *backend)
{
	vec_foreach (tid, &backend->tids) {
		if (!switchjoin_has(&backend->switches, (uint32_t)*tid) &&
		    is_waiting(backend->pid, *tid))
			switchjoin_add(&backend->switches, backend->switches.start_ns,
				       (uint32_t)backend->pid, (uint32_t)*tid, true, false);
	}
	switchjoin_finish(&backend->switches, clock_now_ns(), backend->sink);
}

/** Note the sizes of the rings if events were lost, and what would give more. */
static void note_rings(const struct perf_backend *backend, struct notes *notes)
{
	const uint64_t faults = perfset_ring_bytes(backend->faults);
	const uint64_t stacks = backend->stacks ? perfset_ring_bytes(backend->stacks) : 0;
	char sizes[128];

	snprintf(sizes, sizeof(sizes),
		 "the rings hold %" PRIu64 " KiB of faults and %" PRIu64 " KiB of stacks per CPU",
		 faults / KIB, stacks / KIB);
	if (faults < backend->wished_ring_bytes || (stacks && stacks < backend->wished_ring_bytes))
		notes_add(notes,
			  "%s, all that this user may lock; for more:"
			  " %ssudo sysctl kernel.perf_event_mlock_kb=%u",
			  sizes, privilege_place(), MLOCK_KIB_ADVISED);
	else
		notes_add(notes, "%s; record with a larger --ring-size", sizes);
}

static void stop(struct backend *base, struct sink *sink, struct notes *notes)
{
	struct perf_backend *backend = (struct perf_backend *)base;

	if (backend->clock)
		perfclock_stop(backend->clock);
	if (backend->stacks)
		perfset_stop(backend->stacks);
	perfset_stop(backend->faults);
	while (drain(base, sink) > 0)
		;
	for (size_t i = 0; i < backend->lane_count; i++) {
		stackjoin_settle(&backend->lanes[i].join, UINT64_MAX, sink);
		base->lost_stacks += backend->lanes[i].join.without;
	}

	// The kernel counts every fault, also where a record found no room.
	uint64_t happened = perfset_count(backend->faults);

	base->lost = happened > backend->taken ? happened - backend->taken : 0;
	if (base->lost < backend->lost_records)
		base->lost_pauses = backend->lost_records - base->lost;
	base->lost_pauses += backend->switches.dropped;
	deliver_switches(backend);
	base->lost_other = backend->malformed;
	base->lost_samples = backend->clock ? perfclock_lost(backend->clock) : 0;
	notes_add(notes,
		  "perf backend: no error codes (read or write is inferred), no durations, no"
		  " fault-around, no bytes read by faults, no search for libraries and no"
		  " mremap; of the time, %s, and waiting for storage or a processor counts as"
		  " wait",
		  backend->clock && backend->has_kernel
			  ? "samples estimate what faults and recording them took"
			  : "faults count as cpu");
	if (!backend->has_kernel)
		notes_add(notes,
			  "without privilege (kernel.perf_event_paranoid is %d), faults that"
			  " the kernel takes on the program's memory are not recorded; with 1 they"
			  " are",
			  paranoid_now());
	if (backend->clock)
		perfclock_note(backend->clock, notes);
	if (base->lost + base->lost_stacks > 0)
		note_rings(backend, notes);
}

static void close_backend(struct backend *base)
{
	CLEANUP(freep) struct perf_backend *backend = (struct perf_backend *)base;

	if (backend->base.wake_fd >= 0)
		close(backend->base.wake_fd);
	close_rings(backend);
	perfclock_close(backend->clock);
	for (size_t i = 0; i < backend->lane_count; i++)
		stackjoin_deinit(&backend->lanes[i].join);
	free(backend->lanes);
	execspans_deinit(&backend->execs);
	vec_deinit(&backend->switches.halves);
	vec_deinit(&backend->tids);
}

/** With what room the rings of faults have left. Without samples a note says so. */
static void open_clock(struct perf_backend *backend, const struct backend_config *config,
		       struct notes *notes)
{
	const struct perfclock_config own = {
		.stack_bytes = config->stacks ? backend->base.stack_bytes : 0,
		.ring_bytes = backend->sample_ring_bytes,
		.with_kernel = backend->has_kernel,
	};
	struct err err = { 0 };

	if (config->cpu_hz == 0)
		return;
	uint32_t hz = config->cpu_hz, cost_ns = 0;

	if (config->cpu_adapts) {
		cost_ns = perfclock_measure(&own);
		hz = clockrate_choose(cost_ns, hz);
	}
	backend->clock = perfclock_open(config, &own, hz, &err);
	if (!backend->clock) {
		notes_add(notes, "the processor is not sampled: %s", err.message);
		return;
	}
	backend->base.takes_samples = true;
	backend->base.sample_hz = hz;
	backend->base.sample_cost_ns = cost_ns;
	backend->base.samples_user_only = !backend->has_kernel;
}

struct backend *backend_perf_open(const struct backend_config *config, struct notes *notes,
				  struct err *err)
{
	struct perf_backend *backend = xcalloc(1, sizeof(*backend));
	struct utsname system;

	backend->base = (struct backend){
		.name = "perf",
		.wake_fd = -1,
		.stack_bytes_max = STACK_BYTES_MAX,
		.sees_pauses = true,
		.drain = drain,
		.stop = stop,
		.close = close_backend,
	};
	if (uname(&system) == 0 && strcmp(system.machine, "x86_64") != 0) {
		err_set(err, ERR_UNSUPPORTED, "recording supports x86-64 only, not %s",
			system.machine);
		goto failed;
	}
	if (!open_events(backend, config, true, err)) {
		if (err->os_errno != EACCES && err->os_errno != EPERM)
			goto failed;
		if (!open_events(backend, config, false, err)) {
			explain(err);
			goto failed;
		}
	}
	backend->base.sees_kernel = backend->has_kernel;
	open_clock(backend, config, notes);
	perfset_rings(backend->faults, &backend->lane_count);
	backend->lanes = xcalloc(backend->lane_count, sizeof(*backend->lanes));
	for (size_t i = 0; i < backend->lane_count; i++)
		backend->lanes[i].join.slack = clock_slack_ns;
	backend->base.wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (backend->base.wake_fd < 0 || !perfset_watch(backend->faults, backend->base.wake_fd) ||
	    (backend->stacks && !perfset_watch(backend->stacks, backend->base.wake_fd)) ||
	    (backend->clock && !perfclock_watch(backend->clock, backend->base.wake_fd))) {
		err_os(err, "epoll");
		goto failed;
	}
	backend->pid = config->pid;
	for (size_t i = 0; i < config->tid_count && config->is_attached; i++)
		vec_push(&backend->tids, config->tids[i]);
	if (config->is_attached)
		backend->switches.start_ns = clock_now_ns();
	if (backend->stacks)
		perfset_start(backend->stacks);
	perfset_start(backend->faults);
	if (backend->clock)
		perfclock_start(backend->clock);
	return &backend->base;
failed:
	close_backend(&backend->base);
	return NULL;
}
