// SPDX-License-Identifier: Apache-2.0
// Opens perf events as perf does: one a thread and CPU, inherited, so that the rings can be mapped
// (the kernel maps no ring of an inherited event that is not bound to a CPU).
#include "bpf/perfset.h"

#include "base/cleanup.h"
#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	WAKE_PART = 4, // of a ring is filled when the reader is woken
	TRIES = 4,
};

struct event {
	int fd;
	int kind;     // which of the attrs
	size_t index; // of its CPU
	uint64_t id;
};

struct perfset {
	int *cpus;
	size_t cpu_count;
	int *leaders; // the event of each CPU that owns the ring
	struct perfring **rings;
	uint64_t ring_bytes;
	VEC(struct event) events;
};

int perfset_open_event(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int perfset_open_in_cgroup(const struct perf_event_attr *attr, int cgroup_fd, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, cgroup_fd, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
}

int *perfset_online_cpus(size_t *ret_count)
{
	VEC(int) cpus = { 0 };
	CLEANUP(file_closep) FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	int first, last;

	while (file && fscanf(file, "%d", &first) == 1) {
		last = first;
		if (fscanf(file, "-%d", &last) < 0)
			last = first;
		for (int cpu = first; cpu <= last && cpu < 65536; cpu++)
			vec_push(&cpus, cpu);
		if (fgetc(file) != ',')
			break;
	}
	if (cpus.count == 0) {
		int count = (int)sysconf(_SC_NPROCESSORS_ONLN);

		for (int cpu = 0; cpu < count; cpu++)
			vec_push(&cpus, cpu);
	}
	*ret_count = cpus.count;
	return cpus.items;
}

/**
 * Open event @kind of @config for every thread on CPU number @index; the first of a new set becomes
 * its leader.
 */
static bool open_on_cpu(struct perfset *set, size_t index, const struct perfset_config *config,
			const struct perf_event_attr *attr, const pid_t *tids, size_t tid_count,
			int kind)
{
	bool opened = false;

	for (size_t i = 0; i < tid_count; i++) {
		struct event event = { .kind = kind, .index = index };

		event.fd = config->is_cgroup
				   ? perfset_open_in_cgroup(attr, tids[i], set->cpus[index])
				   : perfset_open_event(attr, tids[i], set->cpus[index]);
		if (event.fd < 0 && errno == ESRCH)
			continue; // it has ended meanwhile
		if (event.fd < 0)
			return false;
		vec_push(&set->events, event);
		opened = true;
		if (ioctl(event.fd, PERF_EVENT_IOC_ID,
			  &set->events.items[set->events.count - 1].id))
			return false;
		if (set->leaders[index] < 0)
			set->leaders[index] = event.fd;
	}
	if (!opened)
		errno = ESRCH;
	return opened;
}

static bool open_everywhere(struct perfset *set, const struct perfset_config *config,
			    const struct perf_event_attr *attr, const pid_t *tids, size_t tid_count,
			    int kind, struct err *err)
{
	for (size_t i = 0; i < set->cpu_count; i++) {
		if (open_on_cpu(set, i, config, attr, tids, tid_count, kind))
			continue;
		if (errno == ENODEV)
			continue; // the CPU has just gone offline
		return err_os(err, "perf_event_open");
	}
	return true;
}

/** Open the events of @config; their rings are not mapped yet. Returns NULL on failure. */
static struct perfset *open_events(const struct perfset_config *config, const pid_t *tids,
				   size_t tid_count, struct err *err)
{
	struct perfset *set = xcalloc(1, sizeof(*set));

	set->cpus = perfset_online_cpus(&set->cpu_count);
	set->rings = xcalloc(set->cpu_count, sizeof(struct perfring *));
	set->leaders = xcalloc(set->cpu_count, sizeof(int));
	for (size_t i = 0; i < set->cpu_count; i++)
		set->leaders[i] = -1;
	for (size_t kind = 0; kind < config->attr_count; kind++) {
		struct perf_event_attr attr = config->attrs[kind];

		attr.watermark = 1;
		if (attr.wakeup_watermark == 0)
			attr.wakeup_watermark = (uint32_t)(config->ring_bytes / WAKE_PART);
		if (open_everywhere(set, config, &attr, tids, tid_count, (int)kind, err))
			continue;
		perfset_close(set);
		return NULL;
	}
	return set;
}

/** Send the records of all events to their CPU's ring. */
static bool share_rings(const struct perfset *set)
{
	vec_foreach (event, &set->events) {
		int leader = set->leaders[event->index];

		if (event->fd != leader && ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT, leader) != 0)
			return false;
	}
	return true;
}

static void unmap_rings(struct perfset *set)
{
	for (size_t i = 0; i < set->cpu_count; i++) {
		perfring_destroy(set->rings[i]);
		set->rings[i] = NULL;
	}
	set->ring_bytes = 0;
}

/** The largest power of two of pages that is not larger; a page at least. */
static uint64_t power_of_two(uint64_t bytes)
{
	uint64_t result = (uint64_t)sysconf(_SC_PAGESIZE);

	while (result <= bytes / 2)
		result *= 2;
	return result;
}

/** Rings of exactly @ring_bytes. Returns: false (errno set) when not all of them are allowed. */
static bool map_rings(struct perfset *set, uint64_t ring_bytes)
{
	for (size_t i = 0; i < set->cpu_count; i++) {
		if (set->leaders[i] < 0)
			continue;
		set->rings[i] = perfring_create(set->leaders[i], ring_bytes);
		if (!set->rings[i])
			return false;
	}
	set->ring_bytes = ring_bytes;
	return share_rings(set);
}

/** A set whose events never happen, on the calling thread: rings can be mapped of it. */
static struct perfset *open_probe(uint64_t ring_bytes, struct err *err)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const struct perfset_config config = { .attrs = &attr,
					       .attr_count = 1,
					       .ring_bytes = ring_bytes };
	const pid_t self = 0;

	return open_events(&config, &self, 1, err);
}

static bool fit(struct perfset *const *sets, const struct perfset_config *configs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!map_rings(sets[i], configs[i].ring_bytes))
			return false;
	return true;
}

/** Whether rings of these sizes are allowed; none stays mapped. errno is set where not. */
static bool would_fit(struct perfset *const *probes, const struct perfset_config *configs,
		      size_t count)
{
	bool fits = fit(probes, configs, count);
	int reason = errno;

	for (size_t i = 0; i < count; i++)
		unmap_rings(probes[i]);
	errno = reason;
	return fits;
}

/** Returns: false when none can be smaller. */
static bool halve(struct perfset_config *configs, size_t count)
{
	const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	bool halved = false;

	for (size_t i = 0; i < count; i++) {
		if (configs[i].ring_bytes <= page_bytes)
			continue;
		configs[i].ring_bytes /= 2;
		halved = true;
	}
	return halved;
}

/** Set the sizes of @configs to what is allowed, at most to @most. */
static bool find_sizes(struct perfset *const *probes, const uint64_t *most,
		       struct perfset_config *configs, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		configs[i].ring_bytes = power_of_two(
			configs[i].least_bytes < most[i] ? configs[i].least_bytes : most[i]);
	while (!would_fit(probes, configs, count)) {
		err_os(err, "mapping a perf ring of %llu bytes per CPU",
		       (unsigned long long)configs[0].ring_bytes);
		if (!halve(configs, count))
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		while (configs[i].ring_bytes < most[i]) {
			configs[i].ring_bytes *= 2;
			if (would_fit(probes, configs, count))
				continue;
			configs[i].ring_bytes /= 2;
			break;
		}
	}
	return true;
}

static void close_sets(struct perfset **sets, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		perfset_close(sets[i]);
		sets[i] = NULL;
	}
}

static bool find_room(const uint64_t *most, struct perfset_config *configs, size_t count,
		      struct err *err)
{
	CLEANUP(freep) struct perfset **probes = xcalloc(count, sizeof(struct perfset *));
	bool found = true;

	for (size_t i = 0; i < count && found; i++) {
		probes[i] = open_probe(configs[i].ring_bytes, err);
		found = probes[i];
	}
	found = found && find_sizes(probes, most, configs, count, err);
	close_sets(probes, count);
	return found;
}

/**
 * Open and map all at the sizes of @configs. Returns: false with *@ret_has_room false where only
 * the rings were not allowed.
 */
static bool open_at(const struct perfset_config *configs, size_t count, const pid_t *tids,
		    size_t tid_count, struct perfset **ret_sets, bool *ret_has_room,
		    struct err *err)
{
	*ret_has_room = true;
	for (size_t i = 0; i < count; i++) {
		const struct perfset_config *config = &configs[i];

		ret_sets[i] = config->attr_count > 0 ? open_events(config, tids, tid_count, err)
						     : open_probe(config->ring_bytes, err);
		if (!ret_sets[i])
			goto failed;
	}
	*ret_has_room = fit(ret_sets, configs, count);
	if (*ret_has_room)
		return true;
	err_os(err, "mapping a perf ring of %llu bytes per CPU",
	       (unsigned long long)configs[0].ring_bytes);
failed:
	close_sets(ret_sets, count);
	return false;
}

bool perfset_open_all(struct perfset_config *configs, size_t count, const pid_t *tids,
		      size_t tid_count, struct perfset **ret_sets, struct err *err)
{
	CLEANUP(freep) uint64_t *most = xcalloc(count, sizeof(*most));
	bool opened, has_room;

	memset(ret_sets, 0, count * sizeof(*ret_sets));
	for (size_t i = 0; i < count; i++)
		most[i] = configs[i].ring_bytes = power_of_two(configs[i].ring_bytes);
	opened = open_at(configs, count, tids, tid_count, ret_sets, &has_room, err);
	// Another process of the same user may take the room meanwhile.
	for (int tries = 0; !opened && !has_room && tries < TRIES; tries++)
		opened = find_room(most, configs, count, err) &&
			 open_at(configs, count, tids, tid_count, ret_sets, &has_room, err);
	for (size_t i = 0; i < count && opened; i++) {
		if (configs[i].attr_count > 0)
			continue;
		perfset_close(ret_sets[i]);
		ret_sets[i] = NULL;
	}
	return opened;
}

struct perfring **perfset_rings(struct perfset *set, size_t *ret_count)
{
	*ret_count = set->cpu_count;
	return set->rings;
}

uint64_t perfset_ring_bytes(const struct perfset *set)
{
	return set->ring_bytes;
}

int perfset_event_of(const struct perfset *set, uint64_t id)
{
	vec_foreach (event, &set->events) {
		if (event->id == id)
			return event->kind;
	}
	return -1;
}

/** The sum of number @index of what reading an event gives, where it is there. */
static uint64_t sum_up(const struct perfset *set, size_t index)
{
	uint64_t total = 0;

	vec_foreach (event, &set->events) {
		uint64_t numbers[2]; // how often it happened; by its format, records lost

		if (read(event->fd, numbers, sizeof(numbers)) >=
		    (ssize_t)((index + 1) * sizeof(*numbers)))
			total += numbers[index];
	}
	return total;
}

uint64_t perfset_count(const struct perfset *set)
{
	return sum_up(set, 0);
}

uint64_t perfset_lost(const struct perfset *set)
{
	return sum_up(set, 1);
}

void perfset_switch(struct perfset *set, int kind, bool on)
{
	vec_foreach (event, &set->events)
		if (event->kind == kind)
			ioctl(event->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void perfset_start(struct perfset *set)
{
	vec_foreach (event, &set->events)
		ioctl(event->fd, PERF_EVENT_IOC_ENABLE, 0);
}

void perfset_stop(struct perfset *set)
{
	vec_foreach (event, &set->events)
		ioctl(event->fd, PERF_EVENT_IOC_DISABLE, 0);
}

bool perfset_watch(const struct perfset *set, int epoll_fd)
{
	for (size_t i = 0; i < set->cpu_count; i++) {
		// Once for each time that it wakes: when its task exits, a ring hangs up for good,
		// and who looked until the task has ended would take the processor from it.
		struct epoll_event watch = { .events = EPOLLIN | EPOLLET };

		if (set->leaders[i] >= 0 &&
		    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, set->leaders[i], &watch) != 0)
			return false;
	}
	return true;
}

void perfset_close(struct perfset *set)
{
	if (!set)
		return;
	unmap_rings(set);
	vec_foreach (event, &set->events)
		close(event->fd);
	vec_deinit(&set->events);
	free(set->rings);
	free(set->leaders);
	free(set->cpus);
	free(set);
}
