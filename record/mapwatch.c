// SPDX-License-Identifier: Apache-2.0
// MMAP2, COMM, FORK and EXIT records from a software event that counts nothing itself.
#include "record/mapwatch.h"

#include "bpf/perfset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

struct mapwatch {
	struct perfset *set;
	struct perfset *wake; // wakes at each exec; NULL: nobody does
	struct perfring_layout layout;
	struct mappedfiles *files; // NULL: not numbered
	bool exits;
	uint64_t lost;
};

struct mapwatch *mapwatch_open(const pid_t *tids, size_t tid_count, const struct cgroup *cgroup,
			       uint64_t ring_bytes, struct err *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.inherit = cgroup == NULL,
		.mmap = 1,
		.mmap_data = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.exclude_kernel = 1, // needs less privilege, and these records come all the same
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.build_id = 1,
	};
	struct perfset_config config = {
		.attrs = &attr, .attr_count = 1, .ring_bytes = ring_bytes, .is_cgroup = cgroup
	};
	struct perfset *set;

	if (cgroup) {
		tids = &cgroup->fd;
		tid_count = 1;
	}
	if (!perfset_open_all(&config, 1, tids, tid_count, &set, err)) {
		if (err->os_errno != EINVAL)
			return NULL;
		attr.build_id = 0; // since 5.12
		if (!perfset_open_all(&config, 1, tids, tid_count, &set, err))
			return NULL;
	}

	struct mapwatch *watch = xcalloc(1, sizeof(*watch));

	watch->set = set;
	watch->layout.sample_type = attr.sample_type;
	watch->layout.sample_id_all = true;
	return watch;
}

void mapwatch_wake_at_exec(struct mapwatch *watch, const pid_t *tids, size_t tid_count)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.inherit = 1,
		.comm = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.wakeup_watermark = 1,
	};
	struct perfset_config config = { .attrs = &attr, .attr_count = 1 };
	struct err err = { 0 };

	perfset_open_all(&config, 1, tids, tid_count, &watch->wake, &err);
}

void mapwatch_deliver_exits(struct mapwatch *watch)
{
	watch->exits = true;
}

void mapwatch_number_files(struct mapwatch *watch, struct mappedfiles *files)
{
	watch->files = files;
}

bool mapwatch_wake(struct mapwatch *watch, int epoll_fd)
{
	return perfset_watch(watch->set, epoll_fd) &&
	       (!watch->wake || perfset_watch(watch->wake, epoll_fd));
}

static void deliver_mapping(struct mapwatch *watch, const struct perfring_record *record,
			    struct sink *sink)
{
	struct trace_mapping mapping = {
		.time_ns = record->time_ns,
		.addr = record->mapping.addr,
		.size = record->mapping.size,
		.offset = record->mapping.offset,
		.inode = record->mapping.inode,
		.path = record->mapping.path,
		.pid = record->pid,
		.tid = record->tid,
		.protection = record->mapping.protection & 7,
		.is_shared = (record->mapping.flags & MAP_SHARED) != 0,
		.build_id_size = record->mapping.build_id_size,
	};

	if (record->mapping.inode != 0)
		mapping.device = makedev(record->mapping.major, record->mapping.minor);
	memcpy(mapping.build_id, record->mapping.build_id, sizeof(mapping.build_id));
	// Where a file mapping has its place in the file, others have their address.
	if (mapping.path[0] != '/' || strncmp(mapping.path, "//anon", 6) == 0)
		mapping.offset = 0;
	if (watch->files)
		mapping.file = mappedfiles_see(watch->files, &mapping);
	sink_mapping(sink, &mapping);
}

static void deliver_task(struct mapwatch *watch, const struct trace_task *task, struct sink *sink)
{
	if (watch->files)
		mappedfiles_task(watch->files, task);
	sink_task(sink, task);
}

static void deliver(struct mapwatch *watch, const struct perfring_record *record, struct sink *sink)
{
	struct trace_task task = {
		.time_ns = record->time_ns,
		.pid = record->pid,
		.tid = record->tid,
	};

	switch (record->kind) {
	case PERFRING_MAPPING:
		deliver_mapping(watch, record, sink);
		break;
	case PERFRING_FORK:
		task.kind = TRACE_TASK_FORK;
		task.parent_pid = record->fork.parent_pid;
		task.parent_tid = record->fork.parent_tid;
		deliver_task(watch, &task, sink);
		break;
	case PERFRING_COMM:
		task.kind = record->comm.is_exec ? TRACE_TASK_EXEC : TRACE_TASK_COMM;
		strncpy(task.comm, record->comm.name, sizeof(task.comm) - 1);
		deliver_task(watch, &task, sink);
		break;
	case PERFRING_EXIT:
		if (!watch->exits)
			break;
		task.kind = TRACE_TASK_EXIT;
		sink_task(sink, &task);
		break;
	case PERFRING_LOST:
		watch->lost += record->lost.count;
		break;
	case PERFRING_SWITCH:
	case PERFRING_THROTTLE:
	case PERFRING_SAMPLE:
	case PERFRING_OTHER:
		break;
	}
}

/** Forget what has woken: the other ring has it too. */
static void drain_wake(struct mapwatch *watch)
{
	size_t ring_count;
	struct perfring **rings = perfset_rings(watch->wake, &ring_count);

	for (size_t i = 0; i < ring_count; i++) {
		if (!rings[i])
			continue;
		perfring_begin(rings[i]);
		while (perfring_next(rings[i]))
			;
		perfring_end(rings[i]);
	}
}

size_t mapwatch_drain(struct mapwatch *watch, struct sink *sink)
{
	if (watch->wake)
		drain_wake(watch);

	size_t ring_count, delivered = 0;
	struct perfring **rings = perfset_rings(watch->set, &ring_count);

	for (size_t i = 0; i < ring_count; i++) {
		const struct perf_event_header *header;

		if (!rings[i])
			continue;
		perfring_begin(rings[i]);
		while ((header = perfring_next(rings[i]))) {
			struct perfring_record record;

			delivered++;
			if (perfring_parse(header, header->size, &watch->layout, &record))
				deliver(watch, &record, sink);
			else
				watch->lost++;
		}
		perfring_end(rings[i]);
	}
	sink_settle(sink);
	return delivered;
}

uint64_t mapwatch_lost(const struct mapwatch *watch)
{
	return watch->lost;
}

void mapwatch_close(struct mapwatch *watch)
{
	if (!watch)
		return;
	perfset_close(watch->set);
	perfset_close(watch->wake);
	free(watch);
}
