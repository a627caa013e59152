// SPDX-License-Identifier: Apache-2.0
// The period of an inherited event cannot be changed: PERF_EVENT_IOC_PERIOD does not reach the
// events of children, other than ENABLE and DISABLE. So there are two clocks, one of which runs.
#include "record/perf/private.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "bpf/clockfall.h"
#include "bpf/clockrate.h"
#include "bpf/perfset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
	RING_BYTES_LEAST = 65536, // one that holds fewer samples loses most of them
	SAMPLES_AT_ONCE = 256,
	NS_PER_SECOND = 1000000000,
};

// Since Linux 6.0, "perf/core: Add a new read format to get a number of lost samples".
static const uint64_t format_lost = 1 << 4;

enum clock_kind { CLOCK_FAST, CLOCK_SLOW, CLOCK_KINDS };

struct perfclock {
	struct perfset *set;
	struct perfring_layout layout;
	uint64_t period_ns[CLOCK_KINDS];
	struct clockfall fall;
	bool falls;
	bool with_stacks, with_kernel;
	uint64_t lost_records, malformed, throttled;
};

static struct perf_event_attr attr_of(uint64_t period_ns, const struct perfclock_config *own,
				      uint64_t read_format)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER |
			       PERF_SAMPLE_REGS_USER |
			       (own->stack_bytes > 0 ? PERF_SAMPLE_STACK_USER : 0),
		.read_format = read_format,
		.sample_regs_user = perfring_register_mask(),
		.sample_stack_user = own->stack_bytes,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = !own->with_kernel,
		.exclude_hv = !own->with_kernel,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static bool open_set(struct perfclock *clock, const struct backend_config *config,
		     const struct perfclock_config *own, uint64_t read_format, struct err *err)
{
	const struct perf_event_attr attrs[CLOCK_KINDS] = {
		attr_of(clock->period_ns[CLOCK_FAST], own, read_format),
		attr_of(clock->period_ns[CLOCK_SLOW], own, read_format),
	};

	clock->layout = (struct perfring_layout){
		.sample_type = attrs[CLOCK_FAST].sample_type,
		.sample_id_all = true,
	};
	struct perfset_config rings = {
		.attrs = attrs,
		.attr_count = clock->falls ? CLOCK_KINDS : CLOCK_SLOW,
		.ring_bytes = own->ring_bytes,
	};

	return perfset_open_all(&rings, 1, config->tids, config->tid_count, &clock->set, err);
}

uint32_t perfclock_measure(const struct perfclock_config *own)
{
	// Of a ring that cannot be written to, the kernel overwrites what is oldest: it never
	// fills.
	const size_t size = RING_BYTES_LEAST + (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = attr_of(NS_PER_SECOND / CLOCKRATE_TRIAL_HZ, own, 0);

	attr.inherit = 0;
	CLEANUP(fd_close) int fd = perfset_open_event(&attr, 0, -1);
	if (fd < 0)
		return 0;

	void *ring = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (ring == MAP_FAILED)
		return 0;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	const uint32_t cost_ns = clockrate_measure();

	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	munmap(ring, size);
	return cost_ns;
}

struct perfclock *perfclock_open(const struct backend_config *config,
				 const struct perfclock_config *own, uint32_t hz, struct err *err)
{
	CLEANUP(freep) struct perfclock *clock = xcalloc(1, sizeof(*clock));

	clock->period_ns[CLOCK_FAST] = NS_PER_SECOND / hz;
	clock->period_ns[CLOCK_SLOW] = NS_PER_SECOND / CLOCKFALL_HZ;
	clock->falls = config->cpu_adapts;
	clock->with_stacks = own->stack_bytes > 0;
	clock->with_kernel = own->with_kernel;
	if (!open_set(clock, config, own, format_lost, err) &&
	    (err->os_errno != EINVAL || !open_set(clock, config, own, 0, err)))
		return NULL;
	if (perfset_ring_bytes(clock->set) < RING_BYTES_LEAST) {
		perfset_close(clock->set);
		err_set(err, ERR_DENIED,
			"no room for its rings (kernel.perf_event_mlock_kb, ulimit -l)");
		return NULL;
	}
	return TAKE(clock);
}

bool perfclock_watch(const struct perfclock *clock, int epoll_fd)
{
	return perfset_watch(clock->set, epoll_fd);
}

void perfclock_start(struct perfclock *clock)
{
	perfset_switch(clock->set, CLOCK_FAST, true);
	if (clock->falls)
		clockfall_start(&clock->fall);
}

static uint64_t ran(const void *set)
{
	return perfset_count(set);
}

static void slow_down(struct perfclock *clock)
{
	if (!clockfall_is_due(&clock->fall, ran, clock->set))
		return;
	perfset_switch(clock->set, CLOCK_SLOW, true);
	perfset_switch(clock->set, CLOCK_FAST, false);
}

static void deliver_sample(const struct perfclock *clock, const struct perfring_record *record,
			   const struct execspans *execs, struct sink *sink)
{
	int kind = perfset_event_of(clock->set, record->id);
	struct trace_sample sample = {
		.time_ns = record->time_ns,
		.period_ns = clock->period_ns[kind == CLOCK_SLOW ? CLOCK_SLOW : CLOCK_FAST],
		.pid = record->pid,
		.tid = record->tid,
		.flags = record->sample.in_kernel ? TRACE_SAMPLE_KERNEL : 0,
	};
	struct raw_stack stack = {
		.pid = record->pid,
		.time_ns = record->time_ns,
		.is_32bit = record->sample.is_32bit,
		.size = record->sample.stack_size,
		.bytes = record->sample.stack,
	};

	// In exec the registers are of the old program.
	if (!record->sample.has_registers ||
	    (record->sample.in_kernel && execspans_has(execs, record->pid, record->time_ns))) {
		sink_sample(sink, &sample, NULL);
		return;
	}
	sample.flags |= TRACE_SAMPLE_HAS_USER_IP;
	sample.ip = record->sample.registers[MACHINE_IP];
	memcpy(stack.registers, record->sample.registers, sizeof(stack.registers));
	sink_sample(sink, &sample, clock->with_stacks ? &stack : NULL);
}

static size_t drain_ring(struct perfclock *clock, struct perfring *ring,
			 const struct execspans *execs, struct sink *sink)
{
	const struct perf_event_header *header;
	size_t taken = 0;

	perfring_begin(ring);
	while (taken < SAMPLES_AT_ONCE && (header = perfring_next(ring))) {
		struct perfring_record record;

		if (!perfring_parse(header, header->size, &clock->layout, &record))
			clock->malformed++;
		else if (record.kind == PERFRING_SAMPLE)
			deliver_sample(clock, &record, execs, sink);
		else if (record.kind == PERFRING_LOST)
			clock->lost_records += record.lost.count;
		else if (record.kind == PERFRING_THROTTLE)
			clock->throttled++;
		taken++;
		perfring_end(ring);
	}
	return taken;
}

size_t perfclock_drain(struct perfclock *clock, const struct execspans *execs, struct sink *sink,
		       bool *ret_is_behind)
{
	size_t count, taken = 0;
	struct perfring **rings = perfset_rings(clock->set, &count);

	slow_down(clock);
	for (size_t i = 0; i < count; i++) {
		size_t of_ring = rings[i] ? drain_ring(clock, rings[i], execs, sink) : 0;

		taken += of_ring;
		if (of_ring == SAMPLES_AT_ONCE)
			*ret_is_behind = true;
	}
	return taken;
}

void perfclock_stop(struct perfclock *clock)
{
	clock->fall.look_ns = 0;
	perfset_stop(clock->set);
}

uint64_t perfclock_lost(const struct perfclock *clock)
{
	// A ring that stays full to the end has no record of what it lost last.
	uint64_t counted = perfset_lost(clock->set);

	return (counted > clock->lost_records ? counted : clock->lost_records) + clock->malformed;
}

void perfclock_note(const struct perfclock *clock, struct notes *notes)
{
	notes_add_counted(notes, clock->throttled,
			  "the kernel paused the clock of samples until its next tick"
			  " (kernel.perf_event_max_sample_rate)");
	if (!clock->with_kernel)
		notes_add(notes, "without privilege the kernel is not sampled: what it did for the"
				 " program, faults included, is cpu with an unknown initiator");
}

void perfclock_close(struct perfclock *clock)
{
	if (!clock)
		return;
	perfset_close(clock->set);
	free(clock);
}
