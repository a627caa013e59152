// SPDX-License-Identifier: Apache-2.0
// Sees faults through BPF: attaches fault.bpf.c, marks the process as tracked and takes its records
// out of two rings: one for faults with stacks, and one for all that finds no room there.
#include "bpf/backend.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "bpf/clockrate.h"
#include "bpf/clocks.h"
#include "bpf/fault_event.h"
#include "bpf/faultdrain.h"
#include "bpf/perfset.h"
#include "bpf/programs.h"
#include "bpf/stackimages.h"
#include "bpf/storagedrain.h"

#include <fault.skel.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
	BATCH_BYTES = 1 << 20,
	BATCHES_AT_ONCE = 16, // then the other rings have their turn
	MARK_PASSES_MAX = 16,
};

struct bpf_backend {
	struct backend base;
	struct fault_bpf *skeleton;
	struct ring_buffer *moments, *events, *stacks;
	VEC(struct bpf_link *) links;
	struct sink *sink;  // while draining
	size_t taken;	    // records, likewise
	size_t batch_bytes; // likewise
	struct storagedrain storage;
	struct stackimages images;
	uint64_t malformed;
	uint64_t quiet_ns;				// asked for; 0: not, or told
	struct bpf_link *functions[SIGHTING_FUNCTIONS]; // NULL: not watched, or entered
	struct clocks clocks;				// of samples
};

static bool keep_link(struct bpf_backend *backend, struct bpf_link *link)
{
	if (!link)
		return false;
	vec_push(&backend->links, link);
	return true;
}

/**
 * See faults on completion, the software event @config, on whichever CPU. @flags: they have them,
 * see fault_event_flag.
 */
static bool attach_software_event(struct bpf_backend *backend, uint64_t config, uint32_t flags,
				  struct err *err)
{
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = flags);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.sample_period = 1,
	};
	size_t cpu_count;
	CLEANUP(freep) int *cpus = perfset_online_cpus(&cpu_count);

	for (size_t i = 0; i < cpu_count; i++) {
		int fd = perfset_open_event(&attr, -1, cpus[i]);

		if (fd < 0 && errno == ENODEV)
			continue; // it has just gone offline
		if (fd < 0)
			return programs_fail(err, errno, "page-fault events of all processes");
		// The link owns fd from here on.
		if (!keep_link(backend, bpf_program__attach_perf_event_opts(
						backend->skeleton->progs.complete, fd, &options))) {
			int code = errno;

			close(fd);
			return programs_fail(err, code, "attaching to page-fault events");
		}
	}
	return true;
}

static bool attach(struct bpf_backend *backend, struct err *err)
{
	struct fault_bpf *skeleton = backend->skeleton;
	struct bpf_program *const tracepoints[] = {
		skeleton->progs.enter_user,	skeleton->progs.enter_kernel,
		skeleton->progs.map_around,	skeleton->progs.read_ahead,
		skeleton->progs.follow_child,	skeleton->progs.begin_exec,
		skeleton->progs.end_exec,	skeleton->progs.exit_task,
		skeleton->progs.exit_syscall,	skeleton->progs.wake_task,
		skeleton->progs.switch_tasks,	skeleton->progs.insert_request,
		skeleton->progs.issue_request,	skeleton->progs.complete_request,
		skeleton->progs.read_pages,	skeleton->progs.end_reading,
		skeleton->progs.begin_async,	skeleton->progs.begin_sync,
		skeleton->progs.enter_signal,	skeleton->progs.enter_call,
		skeleton->progs.move_to_cgroup, skeleton->progs.move_task,
	};

	for (size_t i = 0; i < sizeof(tracepoints) / sizeof(tracepoints[0]); i++) {
		if (!bpf_program__autoload(tracepoints[i]))
			continue;
		if (!keep_link(backend, bpf_program__attach(tracepoints[i])))
			return programs_fail(err, errno, bpf_program__name(tracepoints[i]));
	}
	return attach_software_event(backend, PERF_COUNT_SW_PAGE_FAULTS_MIN, 0, err) &&
	       attach_software_event(backend, PERF_COUNT_SW_PAGE_FAULTS_MAJ, FAULT_EVENT_MAJOR,
				     err);
}

/** See the first call of each function that is watched. */
static bool attach_functions(struct bpf_backend *backend, const struct watch *watch,
			     struct err *err)
{
	for (size_t i = 0; watch && i < watch->function_count; i++) {
		const struct watched_function *function = &watch->functions[i];
		LIBBPF_OPTS(bpf_uprobe_opts, options, .func_name = function->name, .bpf_cookie = i);

		backend->functions[i] = bpf_program__attach_uprobe_opts(
			backend->skeleton->progs.enter_function, -1, function->object, 0, &options);
		if (backend->functions[i])
			continue;
		if (errno == ENOENT || errno == ESRCH)
			return err_set(
				err, ERR_INPUT,
				"function:%s: %s has no symbol of that name, or is not found",
				function->name, function->object);
		char why[128];

		libbpf_strerror(-errno, why, sizeof(why));
		return err_set(err, ERR_UNSUPPORTED,
			       "function:%s: no breakpoint (uprobe) in %s: %s", function->name,
			       function->object, why);
	}
	return true;
}

/** Tell of the first quiet that is long enough, while it lasts or afterwards. */
static void look_for_quiet(struct bpf_backend *backend, struct sink *sink)
{
	const volatile struct fault_bpf__bss *bss = backend->skeleton->bss;

	if (!backend->quiet_ns)
		return;
	const uint64_t since_ns = bss->last_active_ns;
	const bool lasts = bss->awake == 0 && since_ns > 0 && since_ns == bss->last_active_ns &&
			   clock_now_ns() >= since_ns + backend->quiet_ns;
	const struct sighting sighting = {
		.kind = SIGHTING_QUIET,
		.time_ns = bss->quiet_found_ns ? bss->quiet_found_ns : since_ns,
	};

	if (!lasts && !bss->quiet_found_ns)
		return;
	sink_sighting(sink, &sighting, NULL, 0);
	backend->quiet_ns = 0;
}

/** Take away the breakpoints of functions that were entered: they cost something each time. */
static void forget_entered(struct bpf_backend *backend)
{
	for (size_t i = 0; i < SIGHTING_FUNCTIONS; i++) {
		if (!backend->functions[i] || !backend->skeleton->bss->entered[i])
			continue;
		bpf_link__destroy(backend->functions[i]);
		backend->functions[i] = NULL;
	}
}

/** Run @link's program over all tasks. */
static bool iterate(struct bpf_link *link)
{
	CLEANUP(fd_close) int fd = bpf_iter_create(bpf_link__fd(link));
	char nothing[64];

	if (fd < 0)
		return false;
	while (read(fd, nothing, sizeof(nothing)) > 0)
		;
	return true;
}

/** Tell of all that are off the processor still. */
static void end_pauses(struct bpf_backend *backend)
{
	struct bpf_link *link = bpf_program__attach_iter(backend->skeleton->progs.end_pauses, NULL);

	if (!link)
		return;
	iterate(link);
	bpf_link__destroy(link);
}

/**
 * Track every thread of the process, or of the cgroup's, in passes: an unmarked thread may start
 * another one meanwhile.
 */
static bool mark(struct bpf_backend *backend, const struct backend_config *config, struct err *err)
{
	struct fault_bpf *skeleton = backend->skeleton;
	struct bpf_link *link = bpf_program__attach_iter(skeleton->progs.mark_tasks, NULL);
	bool done = false;

	if (!link)
		return programs_fail(err, errno, "iterating over tasks");
	skeleton->bss->target_pid = (uint32_t)config->pid;
	for (int pass = 0; pass < MARK_PASSES_MAX && !done; pass++) {
		uint32_t before = skeleton->bss->marked;

		if (!iterate(link))
			break;
		done = skeleton->bss->marked == before;
	}
	int code = errno;

	bpf_link__destroy(link);
	if (skeleton->bss->marked == 0 && !config->cgroup)
		return programs_fail(err, code ? code : ESRCH, "finding the process to track");
	return true;
}

static int take_record(void *context, void *data, size_t size)
{
	struct bpf_backend *backend = context;
	uint32_t kind = 0;

	if (size >= sizeof(kind))
		memcpy(&kind, data, sizeof(kind));
	backend->malformed +=
		!(storagedrain_knows(kind)
			  ? storagedrain_take(&backend->storage, data, size, backend->sink)
			  : faultdrain_take(data, size, &backend->images, backend->sink));
	backend->taken++;
	backend->batch_bytes += size;
	return backend->batch_bytes >= BATCH_BYTES ? -EAGAIN : 0;
}

/** Take up to BATCH_BYTES; returns whether there is more. */
static bool take_batch(struct bpf_backend *backend, struct ring_buffer *ring)
{
	backend->batch_bytes = 0;
	ring_buffer__consume(ring); // its result is ours, or -EAGAIN
	return backend->batch_bytes >= BATCH_BYTES;
}

static void hurry(struct backend *base, struct sink *sink)
{
	struct bpf_backend *backend = (struct bpf_backend *)base;

	backend->sink = sink;
	take_batch(backend, backend->moments);
}

/** Events first, and again after each batch of stacks: they must not be lost. */
static size_t drain(struct backend *base, struct sink *sink)
{
	struct bpf_backend *backend = (struct bpf_backend *)base;

	clocks_look(&backend->clocks);
	backend->sink = sink;
	backend->taken = 0;
	for (size_t batch = 0; batch < BATCHES_AT_ONCE; batch++) {
		bool more_events = take_batch(backend, backend->events);
		bool more_stacks = take_batch(backend, backend->stacks);

		if (!more_stacks)
			stackimages_forget_ended(&backend->images);
		base->is_behind = more_events || more_stacks;
		if (!base->is_behind)
			break;
	}
	backend->sink = NULL;
	forget_entered(backend);
	look_for_quiet(backend, sink);
	return backend->taken;
}

/** How often the kernel did not run @program, as it had interrupted it. */
static uint64_t missed(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);

	return bpf_program__autoload(program) &&
			       bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0
		       ? info.recursion_misses
		       : 0;
}

static void detach(struct bpf_backend *backend)
{
	vec_foreach (link, &backend->links)
		bpf_link__destroy(*link);
	vec_deinit(&backend->links);
	for (size_t i = 0; i < SIGHTING_FUNCTIONS; i++) {
		bpf_link__destroy(backend->functions[i]);
		backend->functions[i] = NULL;
	}
	clocks_close(&backend->clocks);
}

static void stop(struct backend *base, struct sink *sink, struct notes *notes)
{
	struct bpf_backend *backend = (struct bpf_backend *)base;

	clocks_stop(&backend->clocks);
	if (base->sees_pauses)
		end_pauses(backend);
	detach(backend);
	base->lost_storage = missed(backend->skeleton->progs.issue_request) +
			     missed(backend->skeleton->progs.complete_request);
	while (drain(base, sink) > 0)
		;
	requests_end(&backend->storage.requests, sink);
	base->lost = backend->skeleton->bss->lost_faults;
	base->lost_storage += backend->skeleton->bss->lost_storage;
	base->lost_stacks = backend->skeleton->bss->lost_stacks;
	base->lost_samples = backend->skeleton->bss->lost_samples;
	base->lost_pauses = backend->skeleton->bss->lost_pauses;
	base->lost_calls = backend->skeleton->bss->lost_calls;
	sink->sightings.are_lost |= backend->skeleton->bss->lost_sights > 0;
	base->moved_running = backend->skeleton->bss->moved_running;
	base->lost_other = backend->skeleton->bss->lost_others + backend->malformed;
	notes_add_counted(notes, backend->malformed,
			  "a record of the BPF ring was malformed and skipped");
	if (!bpf_program__autoload(backend->skeleton->progs.map_around))
		notes_add(notes, "this kernel does not report which pages it maps around a fault"
				 " (no mm_filemap_map_pages, Linux 6.12)");
	if (!base->sees_pauses)
		notes_add(notes, "this kernel does not report when threads leave the processor, so"
				 " where the time went is unknown (no sched_switch, sched_waking)");
	if (!base->sees_reads)
		notes_add(notes, "this kernel does not report which pages a fault reads"
				 " (no mm_filemap_add_to_page_cache of folios, Linux 5.16)");
	if (base->sees_storage && !bpf_program__autoload(backend->skeleton->progs.begin_async))
		notes_add(notes, "this kernel does not report which read-ahead is asynchronous"
				 " (no page_cache_async_ra, Linux 6.18): it counts for the fault"
				 " or call that started it");
}

static void close_backend(struct backend *base)
{
	struct bpf_backend *backend = (struct bpf_backend *)base;

	if (!backend)
		return;
	detach(backend);
	if (backend->base.wake_fd >= 0)
		close(backend->base.wake_fd);
	ring_buffer__free(backend->moments);
	ring_buffer__free(backend->events);
	ring_buffer__free(backend->stacks);
	fault_bpf__destroy(backend->skeleton);
	storagedrain_deinit(&backend->storage);
	stackimages_deinit(&backend->images);
	free(backend);
}

/** Read the ring @map, and wake by it. */
static struct ring_buffer *open_ring(struct bpf_backend *backend, const struct bpf_map *map)
{
	struct epoll_event wake = { .events = EPOLLIN };
	struct ring_buffer *ring = ring_buffer__new(bpf_map__fd(map), take_record, backend, NULL);

	if (ring && epoll_ctl(backend->base.wake_fd, EPOLL_CTL_ADD, ring_buffer__epoll_fd(ring),
			      &wake) != 0) {
		ring_buffer__free(ring);
		return NULL;
	}
	return ring;
}

static bool open_rings(struct bpf_backend *backend)
{
	const struct fault_bpf *skeleton = backend->skeleton;

	backend->base.wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (backend->base.wake_fd < 0)
		return false;
	backend->moments = open_ring(backend, skeleton->maps.moments);
	backend->events = open_ring(backend, skeleton->maps.events);
	backend->stacks = open_ring(backend, skeleton->maps.stacks);
	return backend->moments && backend->events && backend->stacks;
}

struct backend *backend_bpf_open(const struct backend_config *config, struct notes *notes,
				 struct err *err)
{
	struct bpf_backend *backend = xcalloc(1, sizeof(*backend));

	backend->base = (struct backend){
		.name = "bpf",
		.wake_fd = -1,
		.counts_exits = true,
		.sees_opens = true,
		.stack_bytes_max = FAULT_EVENT_STACK_MAX,
		.sees_kernel = true,
		.hurry = hurry,
		.drain = drain,
		.stop = stop,
		.close = close_backend,
	};
	backend->skeleton = programs_load(config, &backend->base, notes, err);
	if (!backend->skeleton)
		goto failed;
	if (!open_rings(backend)) {
		programs_fail(err, errno, "mapping the rings");
		goto failed;
	}
	backend->base.stack_bytes = backend->skeleton->rodata->deep_bytes;
	backend->quiet_ns = backend->skeleton->rodata->quiet_wanted_ns;
	backend->base.sees_pauses = bpf_program__autoload(backend->skeleton->progs.switch_tasks);
	backend->base.sees_reads = bpf_program__autoload(backend->skeleton->progs.read_ahead);
	backend->base.sample_hz = config->cpu_hz;
	if (config->cpu_adapts && config->cpu_hz > 0)
		backend->base.sample_hz = clockrate_choose(config->sample_cost_ns, config->cpu_hz);
	if (!attach(backend, err) || !attach_functions(backend, config->watch, err) ||
	    !mark(backend, config, err))
		goto failed;
	backend->base.takes_samples =
		clocks_start(&backend->clocks, backend->skeleton->progs.take_sample, config,
			     backend->base.sample_hz, notes);
	return &backend->base;
failed:
	close_backend(&backend->base);
	return NULL;
}
