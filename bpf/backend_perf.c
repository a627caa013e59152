// SPDX-License-Identifier: Apache-2.0
// Sees faults through perf_event_open alone: no privilege is needed for one's own processes. Knows
// no error code and no duration, and without privilege no fault taken in kernel mode.
#include "bpf/backend.h"

#include "base/cleanup.h"
#include "bpf/perfset.h"
#include "bpf/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/utsname.h>
#include <time.h>

enum {
	RING_BYTES_DEFAULT = 32 << 20, // a CPU; less where it is not allowed
	STACK_BYTES_MAX = 32768,
	DRAIN_AT_ONCE = 100000,
};

struct perf_backend {
	struct backend base;
	struct perfset *set;
	struct perfring_layout layout;
	bool has_kernel;
	bool stacks;
	VEC(uint32_t) in_exec; // processes that have begun an exec and run no instruction since
	uint64_t taken;	       // samples
	uint64_t lost_records, malformed;
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
		"the perf backend: %s (kernel.perf_event_paranoid is %d, at most 2 is needed for "
		"one's"
		" own processes); any of these will do:\n"
		"  sudo sysctl kernel.perf_event_paranoid=2\n"
		"  sudo setcap cap_perfmon,cap_sys_ptrace+ep <elfault>\n"
		"  run it with sudo",
		what, paranoid_now());
}

/** A record is smaller than 64 KiB. */
static uint32_t stack_bytes(const struct backend_config *config)
{
	if (config->stack_bytes == 0)
		return geteuid() == 0 ? RECORD_STACK_BYTES_PERF_ROOT : RECORD_STACK_BYTES_PERF;
	return config->stack_bytes < STACK_BYTES_MAX ? config->stack_bytes : STACK_BYTES_MAX;
}

static struct perf_event_attr fault_attr(const struct backend_config *config, uint64_t event,
					 uint64_t ring_bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = event,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_ADDR | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = perfring_register_mask(),
		.disabled = 1, // until the rings are there: what is counted is what can be recorded
		.inherit = 1,
		// In the same ring as the faults, to tell those that exec takes.
		.comm = event == PERF_COUNT_SW_PAGE_FAULTS_MIN,
		.comm_exec = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(ring_bytes / 4),
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	if (config->stacks) {
		attr.sample_type |= PERF_SAMPLE_STACK_USER;
		attr.sample_stack_user = stack_bytes(config);
	}
	return attr;
}

static bool open_events(struct perf_backend *backend, const struct backend_config *config,
			uint64_t ring_bytes, bool with_kernel, struct err *err)
{
	struct perf_event_attr minor =
		fault_attr(config, PERF_COUNT_SW_PAGE_FAULTS_MIN, ring_bytes);
	struct perf_event_attr major =
		fault_attr(config, PERF_COUNT_SW_PAGE_FAULTS_MAJ, ring_bytes);

	minor.exclude_kernel = major.exclude_kernel = !with_kernel;
	minor.exclude_hv = major.exclude_hv = !with_kernel;
	backend->set = perfset_open(&minor, config->tids, config->tid_count, ring_bytes, err);
	if (!backend->set)
		return false;
	backend->layout.sample_type = minor.sample_type;
	backend->layout.sample_id_all = true;
	backend->has_kernel = with_kernel;
	return perfset_add(backend->set, &major, config->tids, config->tid_count, err);
}

static bool is_in_exec(const struct perf_backend *backend, uint32_t pid)
{
	vec_foreach (known, &backend->in_exec) {
		if (*known == pid)
			return true;
	}
	return false;
}

static void begin_exec(struct perf_backend *backend, uint32_t pid)
{
	if (!is_in_exec(backend, pid))
		vec_push(&backend->in_exec, pid);
}

static void end_exec(struct perf_backend *backend, uint32_t pid)
{
	vec_foreach (known, &backend->in_exec) {
		if (*known == pid) {
			*known = backend->in_exec.items[--backend->in_exec.count];
			return;
		}
	}
}

static void deliver_sample(struct perf_backend *backend, const struct perfring_record *record,
			   struct sink *sink)
{
	struct trace_fault fault = {
		.time_ns = record->time_ns,
		.addr = record->sample.addr,
		.pid = record->pid,
		.tid = record->tid,
	};

	backend->taken++;
	if (perfset_event_of(backend->set, record->id) == 1)
		fault.flags |= TRACE_FAULT_MAJOR;
	if (record->sample.in_kernel)
		fault.flags |= TRACE_FAULT_KERNEL;
	else
		end_exec(backend, record->pid);
	if (!record->sample.has_registers || is_in_exec(backend, record->pid)) {
		sink_fault(sink, &fault, NULL);
		return;
	}
	fault.flags |= TRACE_FAULT_HAS_USER_IP;
	fault.ip = record->sample.registers[RAW_REGISTER_IP];
	fault.sp = record->sample.registers[RAW_REGISTER_SP];
	if (!backend->stacks) {
		sink_fault(sink, &fault, NULL);
		return;
	}

	struct raw_stack stack = {
		.pid = record->pid,
		.time_ns = record->time_ns,
		.is_32bit = record->sample.is_32bit,
		.size = record->sample.stack_size,
		.bytes = record->sample.stack,
	};

	memcpy(stack.registers, record->sample.registers, sizeof(stack.registers));
	sink_fault(sink, &fault, &stack);
}

static void deliver(struct perf_backend *backend, const struct perf_event_header *header,
		    struct sink *sink)
{
	struct perfring_record record;

	if (!perfring_parse(header, header->size, &backend->layout, &record)) {
		backend->malformed++;
		return;
	}
	if (record.kind == PERFRING_SAMPLE)
		deliver_sample(backend, &record, sink);
	else if (record.kind == PERFRING_COMM && record.comm.is_exec)
		begin_exec(backend, record.pid);
	else if (record.kind == PERFRING_LOST)
		backend->lost_records += record.lost.count;
}

static size_t drain(struct backend *base, struct sink *sink)
{
	struct perf_backend *backend = (struct perf_backend *)base;
	size_t ring_count, delivered = 0;
	struct perfring **rings = perfset_rings(backend->set, &ring_count);

	for (size_t i = 0; i < ring_count; i++) {
		const struct perf_event_header *header;

		if (!rings[i])
			continue;
		perfring_begin(rings[i]);
		while (delivered < DRAIN_AT_ONCE && (header = perfring_next(rings[i]))) {
			delivered++;
			deliver(backend, header, sink);
			if (delivered % 64 == 0)
				perfring_end(rings[i]); // room for the kernel early
		}
		perfring_end(rings[i]);
	}
	return delivered;
}

static void stop(struct backend *base, struct sink *sink, struct notes *notes)
{
	struct perf_backend *backend = (struct perf_backend *)base;

	perfset_stop(backend->set);
	while (drain(base, sink) > 0)
		;

	// The kernel counts every fault, also where a record found no room.
	uint64_t happened = perfset_count(backend->set);

	base->lost = happened > backend->taken ? happened - backend->taken : 0;
	if (base->lost < backend->lost_records)
		base->lost = backend->lost_records;
	base->lost_other = backend->malformed;
	notes_add(notes,
		  "perf backend: no error codes (read or write is inferred), no durations, no"
		  " fault-around, no count of the bytes that faults read and no mremap");
	if (!backend->has_kernel)
		notes_add(notes,
			  "without privilege (kernel.perf_event_paranoid is %d) faults that"
			  " the kernel takes on the program's memory are not seen",
			  paranoid_now());
	if (base->lost > 0)
		notes_add(notes,
			  "the rings hold %llu KiB a CPU (kernel.perf_event_mlock_kb and ulimit"
			  " -l limit them); --no-stacks or a smaller --stack-size loses less",
			  (unsigned long long)perfset_ring_bytes(backend->set) / 1024);
}

static void close_backend(struct backend *base)
{
	struct perf_backend *backend = (struct perf_backend *)base;

	if (backend->base.wake_fd >= 0)
		close(backend->base.wake_fd);
	perfset_close(backend->set);
	vec_deinit(&backend->in_exec);
	free(backend);
}

struct backend *backend_perf_open(const struct backend_config *config, struct notes *notes,
				  struct err *err)
{
	(void)notes;
	struct perf_backend *backend = xcalloc(1, sizeof(*backend));
	uint64_t ring_bytes = config->ring_bytes ? config->ring_bytes : RING_BYTES_DEFAULT;
	struct utsname system;

	backend->base = (struct backend){
		.name = "perf",
		.wake_fd = -1,
		.drain = drain,
		.stop = stop,
		.close = close_backend,
	};
	backend->stacks = config->stacks;
	if (uname(&system) == 0 && strcmp(system.machine, "x86_64") != 0) {
		err_set(err, ERR_UNSUPPORTED,
			"recording knows the registers of x86-64 only, not of %s", system.machine);
		goto failed;
	}
	if (!open_events(backend, config, ring_bytes, true, err)) {
		if (err->os_errno != EACCES && err->os_errno != EPERM)
			goto failed;
		perfset_close(backend->set);
		backend->set = NULL;
		if (!open_events(backend, config, ring_bytes, false, err)) {
			explain(err);
			goto failed;
		}
	}
	backend->base.wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (backend->base.wake_fd < 0 || !perfset_watch(backend->set, backend->base.wake_fd)) {
		err_os(err, "epoll");
		goto failed;
	}
	perfset_start(backend->set);
	return &backend->base;
failed:
	close_backend(&backend->base);
	return NULL;
}
