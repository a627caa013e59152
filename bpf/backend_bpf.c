// SPDX-License-Identifier: Apache-2.0
// Sees faults through BPF: loads fault.bpf.c, marks the process as tracked and takes its records
// out of two rings: one for faults with stacks, and one for all that finds no room there.
#include "bpf/backend.h"

#include "base/cleanup.h"
#include "base/range.h"
#include "bpf/fault_event.h"
#include "bpf/faultdrain.h"
#include "bpf/perfset.h"
#include "bpf/storagedrain.h"

#include <fault.skel.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

enum {
	RING_BYTES_DEFAULT = 64 << 20,
	STACK_BYTES_DEFAULT = 32768, // docs/performance.md has the measurements
	DEEP_PART = 16,		     // of the ring: so much of it a deep stack may take
	RING_BYTES_MAX = 1 << 30,
	BATCH_BYTES = 1 << 20,
	BATCHES_AT_ONCE = 16, // then the other rings have their turn
	MARK_PASSES_MAX = 16,
	WAKE_PART = 8,	// of a ring: full to more than this part, it wakes the reader
	EXITS_PART = 8, // of the ring of events, which faults leave free
};

struct bpf_backend {
	struct backend base;
	struct fault_bpf *skeleton;
	struct ring_buffer *events, *stacks;
	VEC(struct bpf_link *) links;
	struct sink *sink;  // while draining
	size_t taken;	    // records, likewise
	size_t batch_bytes; // likewise
	struct storagedrain storage;
	uint64_t malformed;
	VEC(int) clocks;      // of samples; those of links are theirs
	VEC(int) slow_clocks; // that follow
	uint64_t slow_ns;     // when; 0: not any more
};

// libbpf's print callback takes no argument of ours.
static char last_complaint[512];

static int keep_complaint(enum libbpf_print_level level, const char *format, va_list args)
{
	// The first complaint is the cause, the others follow from it.
	if (level == LIBBPF_WARN && !last_complaint[0]) {
		vsnprintf(last_complaint, sizeof(last_complaint), format, args);
		last_complaint[strcspn(last_complaint, "\n")] = '\0';
	}
	return 0;
}

static bool fail(struct err *err, int code, const char *what)
{
	struct utsname system;
	const char *kernel = uname(&system) == 0 ? system.release : "unknown";

	// The verifier refuses a program with EACCES too; for root that is all it can mean.
	if (code == EPERM || (code == EACCES && geteuid() != 0))
		return err_set(err, ERR_DENIED,
			       "the BPF backend is not allowed: %s: %s (user %d without CAP_BPF and"
			       " CAP_PERFMON); any of these helps:\n"
			       "  run it with sudo\n"
			       "  elfault record --backend perf ...",
			       what, strerror(code), (int)geteuid());
	return err_set(err, ERR_UNSUPPORTED,
		       "the BPF backend failed: %s: %s: %s (kernel %s; it needs 5.15 or later"
		       " with /sys/kernel/btf/vmlinux); elfault record --backend perf works"
		       " without BPF",
		       what, strerror(code), last_complaint, kernel);
}

static void leave_out_pauses(struct fault_bpf *skeleton)
{
	bpf_program__set_autoload(skeleton->progs.switch_tasks, false);
	bpf_program__set_autoload(skeleton->progs.wake_task, false);
	bpf_program__set_autoload(skeleton->progs.end_pauses, false);
}

/** Leave out what this kernel does not have of storage, or all of it. Returns whether requests are
 * seen. */
static bool choose_storage(struct fault_bpf *skeleton, const struct btf *kernel, bool is_wanted)
{
	const struct {
		struct bpf_program *program;
		const char *type;
		bool is_optional;
	} rows[] = {
		{ skeleton->progs.issue_request, "btf_trace_block_rq_issue", false },
		{ skeleton->progs.complete_request, "btf_trace_block_rq_complete", false },
		{ skeleton->progs.insert_request, "btf_trace_block_rq_insert", true },
		{ skeleton->progs.begin_async, "btf_trace_page_cache_async_ra", true },
		{ skeleton->progs.begin_sync, "btf_trace_page_cache_sync_ra", true },
		{ skeleton->progs.end_reading, "btf_trace_sched_process_exit", true },
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);
	bool sees = is_wanted && bpf_program__autoload(skeleton->progs.read_ahead);

	for (size_t i = 0; i < count; i++)
		sees = sees &&
		       (rows[i].is_optional ||
			btf__find_by_name_kind(kernel, rows[i].type, BTF_KIND_TYPEDEF) >= 0);
	for (size_t i = 0; i < count; i++)
		if (!sees || btf__find_by_name_kind(kernel, rows[i].type, BTF_KIND_TYPEDEF) < 0)
			bpf_program__set_autoload(rows[i].program, false);
	bpf_program__set_autoload(skeleton->progs.read_pages, sees);
	return sees;
}

/** Leave out what this kernel does not have; the rest is needed. */
static bool choose_programs(struct bpf_backend *backend, bool storage)
{
	struct fault_bpf *skeleton = backend->skeleton;
	struct btf *kernel = btf__load_vmlinux_btf();

	if (!kernel)
		return false;
	if (btf__find_by_name_kind(kernel, "btf_trace_mm_filemap_map_pages", BTF_KIND_TYPEDEF) < 0)
		bpf_program__set_autoload(skeleton->progs.map_around, false);
	// Before folios (5.16) the tracepoint told of a struct page.
	if (btf__find_by_name_kind(kernel, "btf_trace_mm_filemap_add_to_page_cache",
				   BTF_KIND_TYPEDEF) < 0 ||
	    btf__find_by_name_kind(kernel, "folio", BTF_KIND_STRUCT) < 0)
		bpf_program__set_autoload(skeleton->progs.read_ahead, false);
	if (btf__find_by_name_kind(kernel, "btf_trace_sched_switch", BTF_KIND_TYPEDEF) < 0 ||
	    btf__find_by_name_kind(kernel, "btf_trace_sched_waking", BTF_KIND_TYPEDEF) < 0)
		leave_out_pauses(skeleton);
	backend->base.sees_storage = choose_storage(skeleton, kernel, storage);
	// Without pauses nobody would tell of calls that do not return.
	backend->base.times_calls = storage && bpf_program__autoload(skeleton->progs.switch_tasks);
	bpf_program__set_autoload(skeleton->progs.enter_call, backend->base.times_calls);
	btf__free(kernel);
	return true;
}

/** True if this kernel is Linux @major.@minor or younger. */
static bool is_kernel_since(unsigned major, unsigned minor)
{
	struct utsname system;
	unsigned own_major, own_minor;

	if (uname(&system) != 0 || sscanf(system.release, "%u.%u", &own_major, &own_minor) != 2)
		return false;
	return own_major > major || (own_major == major && own_minor >= minor);
}

static uint64_t ring_size(uint64_t wanted)
{
	uint64_t size = 4096;

	if (wanted == 0)
		wanted = RING_BYTES_DEFAULT;
	while (size < wanted && size < RING_BYTES_MAX)
		size *= 2;
	return size;
}

/** Bytes copied of a stack whose end is known: all, unless the caller asked for less. */
static uint32_t deep_bytes(const struct backend_config *config, uint64_t ring_bytes)
{
	uint64_t most = ring_bytes / DEEP_PART;

	if (config->stack_bytes)
		return config->stack_bytes;
	if (most < STACK_BYTES_DEFAULT)
		return STACK_BYTES_DEFAULT;
	return most < FAULT_EVENT_STACK_MAX ? (uint32_t)most : FAULT_EVENT_STACK_MAX;
}

/** Faults are seen on the CPUs that are online now; those that may come have no scratch. */
static uint32_t scratch_count(void)
{
	size_t count;
	CLEANUP(freep) int *cpus = perfset_online_cpus(&count);
	int highest = 0;

	for (size_t i = 0; i < count; i++)
		highest = cpus[i] > highest ? cpus[i] : highest;
	return (uint32_t)highest + 1;
}

static bool load_with(struct bpf_backend *backend, const struct backend_config *config,
		      struct err *err)
{
	struct fault_bpf *skeleton = fault_bpf__open();

	if (!skeleton)
		return fail(err, errno, "opening the program");
	backend->skeleton = skeleton;
	if (!choose_programs(backend, config->storage))
		return fail(err, ENOENT, "the kernel's type information (BTF)");

	uint64_t ring_bytes = ring_size(config->ring_bytes);
	uint64_t stack_ring_bytes = config->stacks ? ring_bytes : (uint64_t)getpagesize();
	int code;

	if (config->stacks) {
		skeleton->rodata->stack_bytes =
			config->stack_bytes ? config->stack_bytes : STACK_BYTES_DEFAULT;
		skeleton->rodata->deep_bytes = deep_bytes(config, stack_ring_bytes);
	}
	skeleton->rodata->event_wake_bytes = ring_bytes / WAKE_PART;
	skeleton->rodata->event_fault_bytes = ring_bytes - ring_bytes / EXITS_PART;
	skeleton->rodata->stack_wake_bytes = stack_ring_bytes / WAKE_PART;
	skeleton->rodata->stack_ring_bytes = stack_ring_bytes;
	skeleton->rodata->is_attached = config->is_attached;
	skeleton->rodata->times_calls = backend->base.times_calls;
	skeleton->rodata->is_limited = config->is_limited;
	skeleton->rodata->caller_uid = config->caller_uid;
	skeleton->rodata->caller_gid = config->caller_gid;
	skeleton->rodata->maps_whole_folios = is_kernel_since(6, 18);
	skeleton->rodata->has_loop = is_kernel_since(5, 17);
	// It is there since 6.2; 6.12 is the first that was tried.
	skeleton->rodata->has_cast = is_kernel_since(6, 12);
	code = bpf_map__set_max_entries(skeleton->maps.events, (uint32_t)ring_bytes);
	if (code == 0)
		code = bpf_map__set_max_entries(skeleton->maps.stacks, (uint32_t)stack_ring_bytes);
	if (code == 0)
		code = bpf_map__set_max_entries(skeleton->maps.scratches, scratch_count());
	if (code == 0)
		code = fault_bpf__load(skeleton);
	return code == 0 || fail(err, -code, "loading");
}

/** Load all; without storage where the kernel refuses that, of which a note tells. */
static bool load(struct bpf_backend *backend, const struct backend_config *config,
		 struct notes *notes, struct err *err)
{
	struct backend_config without = *config;
	struct err reason = { 0 };

	if (load_with(backend, config, err))
		return true;
	if (!backend->base.sees_storage)
		return false;
	without.storage = false;
	fault_bpf__destroy(backend->skeleton);
	backend->skeleton = NULL;
	snprintf(reason.message, sizeof(reason.message), "%.200s", last_complaint);
	last_complaint[0] = '\0';
	if (!load_with(backend, &without, err))
		return false;
	notes_add(notes, "what storage reads is not recorded: the kernel refuses it: %s",
		  reason.message);
	return true;
}

static bool keep_link(struct bpf_backend *backend, struct bpf_link *link)
{
	if (!link)
		return false;
	vec_push(&backend->links, link);
	return true;
}

/** Run @program when the software event @config happens, on whichever CPU. */
/** @flags: the faults of event @config have them, see fault_event_flag. */
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
			return fail(err, errno, "page-fault events of all processes");
		// The link owns fd from here on.
		if (!keep_link(backend, bpf_program__attach_perf_event_opts(
						backend->skeleton->progs.complete, fd, &options))) {
			int code = errno;

			close(fd);
			return fail(err, code, "attaching to page-fault events");
		}
	}
	return true;
}

static void switch_clocks(const int *clocks, size_t count, unsigned long request)
{
	for (size_t i = 0; i < count; i++)
		ioctl(clocks[i], request, 0);
}

/** A clock of each thread, which its children inherit: interrupts come only where they run. */
static bool open_clock(struct bpf_backend *backend, const struct backend_config *config,
		       uint32_t hz, bool is_slow)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / hz,
		.inherit = 1,
		.disabled = 1,
	};

	for (size_t i = 0; i < config->tid_count; i++) {
		int fd = perfset_open_event(&attr, config->tids[i], -1);

		if (fd < 0 && errno == ESRCH)
			continue; // it has just ended
		if (fd < 0)
			return false;

		struct bpf_link *link =
			bpf_program__attach_perf_event(backend->skeleton->progs.take_sample, fd);

		if (!link) {
			close(fd);
			return false;
		}
		vec_push(&backend->links, link);
		// Attaching has started it.
		if (is_slow) {
			ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
			vec_push(&backend->slow_clocks, fd);
		} else {
			vec_push(&backend->clocks, fd);
		}
	}
	return true;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/** Without them there is less to tell, and a note says so. */
static void start_clocks(struct bpf_backend *backend, const struct backend_config *config,
			 struct notes *notes)
{
	if (config->cpu_hz == 0)
		return;
	backend->base.takes_samples =
		(!config->cpu_falls || open_clock(backend, config, BACKEND_SLOW_HZ, true)) &&
		open_clock(backend, config, config->cpu_hz, false);
	if (!backend->base.takes_samples)
		notes_add(notes, "the processor is not sampled: %s", strerror(errno));
	else if (config->cpu_falls)
		backend->slow_ns = now_ns() + BACKEND_FAST_NS;
}

/** After a while fewer samples say as much. */
static void slow_down(struct bpf_backend *backend)
{
	if (backend->slow_ns == 0 || now_ns() < backend->slow_ns)
		return;
	backend->slow_ns = 0;
	switch_clocks(backend->slow_clocks.items, backend->slow_clocks.count,
		      PERF_EVENT_IOC_ENABLE);
	switch_clocks(backend->clocks.items, backend->clocks.count, PERF_EVENT_IOC_DISABLE);
}

static void stop_clocks(struct bpf_backend *backend)
{
	switch_clocks(backend->clocks.items, backend->clocks.count, PERF_EVENT_IOC_DISABLE);
	switch_clocks(backend->slow_clocks.items, backend->slow_clocks.count,
		      PERF_EVENT_IOC_DISABLE);
}

static bool attach(struct bpf_backend *backend, struct err *err)
{
	struct fault_bpf *skeleton = backend->skeleton;
	struct bpf_program *const tracepoints[] = {
		skeleton->progs.enter_user,    skeleton->progs.enter_kernel,
		skeleton->progs.map_around,    skeleton->progs.read_ahead,
		skeleton->progs.follow_child,  skeleton->progs.begin_exec,
		skeleton->progs.end_exec,      skeleton->progs.exit_task,
		skeleton->progs.exit_syscall,  skeleton->progs.wake_task,
		skeleton->progs.switch_tasks,  skeleton->progs.insert_request,
		skeleton->progs.issue_request, skeleton->progs.complete_request,
		skeleton->progs.read_pages,    skeleton->progs.end_reading,
		skeleton->progs.begin_async,   skeleton->progs.begin_sync,
		skeleton->progs.enter_signal,  skeleton->progs.enter_call,
	};

	for (size_t i = 0; i < sizeof(tracepoints) / sizeof(tracepoints[0]); i++) {
		if (!bpf_program__autoload(tracepoints[i]))
			continue;
		if (!keep_link(backend, bpf_program__attach(tracepoints[i])))
			return fail(err, errno, bpf_program__name(tracepoints[i]));
	}
	return attach_software_event(backend, PERF_COUNT_SW_PAGE_FAULTS_MIN, 0, err) &&
	       attach_software_event(backend, PERF_COUNT_SW_PAGE_FAULTS_MAJ, FAULT_EVENT_MAJOR,
				     err);
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

/** Track every thread of @pid, in passes: an unmarked thread may start another one meanwhile. */
static bool mark(struct bpf_backend *backend, pid_t pid, struct err *err)
{
	struct fault_bpf *skeleton = backend->skeleton;
	struct bpf_link *link = bpf_program__attach_iter(skeleton->progs.mark_tasks, NULL);
	bool done = false;

	if (!link)
		return fail(err, errno, "iterating over tasks");
	skeleton->bss->target_pid = (uint32_t)pid;
	for (int pass = 0; pass < MARK_PASSES_MAX && !done; pass++) {
		uint32_t before = skeleton->bss->marked;

		if (!iterate(link))
			break;
		done = skeleton->bss->marked == before;
	}
	int code = errno;

	bpf_link__destroy(link);
	if (skeleton->bss->marked == 0)
		return fail(err, code ? code : ESRCH, "finding the process to track");
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
			  : faultdrain_take(data, size, backend->sink));
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

/** Events first, and again after each batch of stacks: they must not be lost. */
static size_t drain(struct backend *base, struct sink *sink)
{
	struct bpf_backend *backend = (struct bpf_backend *)base;

	slow_down(backend);
	backend->sink = sink;
	backend->taken = 0;
	for (size_t batch = 0; batch < BATCHES_AT_ONCE; batch++) {
		bool more_events = take_batch(backend, backend->events);
		bool more_stacks = take_batch(backend, backend->stacks);

		base->is_behind = more_events || more_stacks;
		if (!base->is_behind)
			break;
	}
	backend->sink = NULL;
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
}

static void stop(struct backend *base, struct sink *sink, struct notes *notes)
{
	struct bpf_backend *backend = (struct bpf_backend *)base;

	stop_clocks(backend);
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
	vec_deinit(&backend->clocks);
	vec_deinit(&backend->slow_clocks);
	ring_buffer__free(backend->events);
	ring_buffer__free(backend->stacks);
	fault_bpf__destroy(backend->skeleton);
	storagedrain_deinit(&backend->storage);
	free(backend);
}

static bool open_rings(struct bpf_backend *backend)
{
	const struct fault_bpf *skeleton = backend->skeleton;
	struct epoll_event wake = { .events = EPOLLIN };

	backend->events =
		ring_buffer__new(bpf_map__fd(skeleton->maps.events), take_record, backend, NULL);
	backend->stacks =
		ring_buffer__new(bpf_map__fd(skeleton->maps.stacks), take_record, backend, NULL);
	backend->base.wake_fd = epoll_create1(EPOLL_CLOEXEC);
	return backend->events && backend->stacks && backend->base.wake_fd >= 0 &&
	       epoll_ctl(backend->base.wake_fd, EPOLL_CTL_ADD,
			 ring_buffer__epoll_fd(backend->events), &wake) == 0 &&
	       epoll_ctl(backend->base.wake_fd, EPOLL_CTL_ADD,
			 ring_buffer__epoll_fd(backend->stacks), &wake) == 0;
}

struct backend *backend_bpf_open(const struct backend_config *config, struct notes *notes,
				 struct err *err)
{
	struct bpf_backend *backend = xcalloc(1, sizeof(*backend));

	backend->base = (struct backend){
		.name = "bpf",
		.wake_fd = -1,
		.counts_exits = true,
		.stack_bytes_max = FAULT_EVENT_STACK_MAX,
		.drain = drain,
		.stop = stop,
		.close = close_backend,
	};
	last_complaint[0] = '\0';
	libbpf_set_print(keep_complaint);
	if (!load(backend, config, notes, err))
		goto failed;
	if (!open_rings(backend)) {
		fail(err, errno, "mapping the rings");
		goto failed;
	}
	backend->base.stack_bytes = backend->skeleton->rodata->deep_bytes;
	backend->base.sees_pauses = bpf_program__autoload(backend->skeleton->progs.switch_tasks);
	backend->base.sees_reads = bpf_program__autoload(backend->skeleton->progs.read_ahead);
	if (!attach(backend, err) || !mark(backend, config->pid, err))
		goto failed;
	start_clocks(backend, config, notes);
	return &backend->base;
failed:
	close_backend(&backend->base);
	return NULL;
}
