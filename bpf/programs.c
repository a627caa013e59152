// SPDX-License-Identifier: Apache-2.0
#include "bpf/programs.h"

#include "base/cleanup.h"
#include "base/err.h"
#include "base/privilege.h"
#include "base/vec.h"
#include "bpf/fault_event.h"
#include "bpf/kerneltypes.h"
#include "bpf/perfset.h"
#include "machine/page.h"

#include <fault.skel.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	RING_BYTES_DEFAULT = 64 << 20,
	STACK_BYTES_DEFAULT = 32768, // docs/measured/losses.md
	DEEP_PART = 16,		     // of the ring: so much of it a deep stack may take
	RING_BYTES_MAX = 1 << 30,
	WAKE_PART = 8,	 // of a ring: full to more than this part, it wakes the reader
	EXITS_PART = 8,	 // of the ring of events, which faults leave free
	FILES_SPARE = 4, // that libbpf opens and closes again
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

/** Whether the process may open too few files: libbpf may go on without a map, to fail of that. */
static bool lacks_files(int code)
{
	return code == EMFILE || strstr(last_complaint, strerror(EMFILE));
}

bool programs_fail(struct err *err, int code, const char *what)
{
	struct utsname system;

	if (lacks_files(code)) {
		errno = EMFILE;
		return err_os(err, "the BPF backend failed: %s", what);
	}

	const char *kernel = uname(&system) == 0 ? system.release : "unknown";

	// The verifier refuses a program with EACCES too; for root that is all it can mean.
	if ((code == EPERM || code == EACCES) && privilege_is_contained())
		return err_set(
			err, ERR_DENIED,
			"the BPF backend is not allowed: %s: %s (capabilities of a user "
			"namespace do not count for it); any of these helps:\n"
			"  %s, for example what a container does by: elfault record --cgroup "
			"PATH\n"
			"  elfault record --backend perf ...",
			what, strerror(code), privilege_way());
	if (code == EPERM || (code == EACCES && geteuid() != 0))
		return err_set(err, ERR_DENIED,
			       "the BPF backend is not allowed: %s: %s (user %d without CAP_BPF and"
			       " CAP_PERFMON); any of these helps:\n"
			       "  run it with sudo\n"
			       "  elfault record --backend perf ...",
			       what, strerror(code), (int)geteuid());
	return err_set(err, ERR_UNSUPPORTED,
		       "the BPF backend failed: %s: %s%s%s (kernel %s)\n"
		       "  it needs Linux 5.15 or later with /sys/kernel/btf/vmlinux\n"
		       "  elfault record --backend perf works without BPF",
		       what, strerror(code), last_complaint[0] ? ": " : "", last_complaint, kernel);
}

static void leave_out_pauses(struct fault_bpf *skeleton)
{
	bpf_program__set_autoload(skeleton->progs.switch_tasks, false);
	bpf_program__set_autoload(skeleton->progs.wake_task, false);
	bpf_program__set_autoload(skeleton->progs.move_task, false);
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

/** Leave out what this kernel does not have; the rest is needed. False with errno. */
static bool choose_programs(struct fault_bpf *skeleton, bool storage, struct backend *base)
{
	struct btf *kernel = kerneltypes_load();

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
	base->sees_storage = choose_storage(skeleton, kernel, storage);
	// Without pauses nobody would tell of calls that do not return.
	base->times_calls = storage && bpf_program__autoload(skeleton->progs.switch_tasks);
	bpf_program__set_autoload(skeleton->progs.enter_call, base->times_calls);
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
	uint64_t size = MACHINE_PAGE;

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

/** Faults are seen on the CPUs that are online now; those that may come have no place. */
static uint32_t processor_count(void)
{
	size_t count;
	CLEANUP(freep) int *cpus = perfset_online_cpus(&count);
	int highest = 0;

	for (size_t i = 0; i < count; i++)
		highest = cpus[i] > highest ? cpus[i] : highest;
	return (uint32_t)highest + 1;
}

/** Whether a file can be opened for each map and program: without, libbpf names other reasons. */
static bool has_room_for_files(const struct fault_bpf *skeleton)
{
	CLEANUP(vec_release) VEC(int) fds = { 0 };
	struct bpf_program *program;
	const struct bpf_map *map;
	size_t needed = FILES_SPARE;
	bool has_room = true;

	bpf_object__for_each_map(map, skeleton->obj) needed++;
	bpf_object__for_each_program(program, skeleton->obj) needed +=
		bpf_program__autoload(program);
	while (has_room && fds.count < needed) {
		int fd = open("/", O_PATH | O_CLOEXEC);

		has_room = fd >= 0;
		if (has_room)
			vec_push(&fds, fd);
	}
	vec_foreach (fd, &fds)
		close(*fd);
	return has_room;
}

/** The number of a device as the kernel has it: the major number above 20 bits of minor. */
static uint32_t kernel_device(uint64_t device)
{
	return major(device) << 20 | minor(device);
}

static void set_watch(struct fault_bpf *skeleton, const struct watch *watch)
{
	_Static_assert((int)SIGHT_EVENT_STREAMS == SIGHTING_STREAMS &&
			       (int)SIGHT_EVENT_FILES == SIGHTING_FILES &&
			       (int)SIGHT_EVENT_FUNCTIONS == SIGHTING_FUNCTIONS &&
			       (int)SIGHT_EVENT_NAME_BYTES == SIGHTING_NAME_BYTES,
		       "the kernel side has as many");
	bpf_program__set_autoload(skeleton->progs.enter_function,
				  watch && watch->function_count > 0);
	if (!watch)
		return;
	skeleton->rodata->watches_listen = watch->wants[SIGHTING_LISTEN];
	skeleton->rodata->quiet_wanted_ns = watch->quiet_ns;
	skeleton->rodata->watched_files = (uint32_t)watch->file_count;
	for (size_t i = 0; i < watch->file_count; i++) {
		const struct watched_file *file = &watch->files[i];

		skeleton->rodata->watched_folder_devices[i] = kernel_device(file->device);
		skeleton->rodata->watched_folders[i] = file->inode;
		memcpy((char *)skeleton->rodata->watched_names + i * sizeof(file->name), file->name,
		       sizeof(file->name));
	}
	if (!watch->wants[SIGHTING_WRITE])
		return;
	skeleton->rodata->watched_streams = (uint32_t)watch->stream_count;
	for (size_t i = 0; i < watch->stream_count; i++) {
		const struct watched_stream *stream = &watch->streams[i];

		skeleton->rodata->watched_devices[i] = kernel_device(stream->device);
		skeleton->rodata->watched_inodes[i] = stream->inode;
		skeleton->rodata->watched_specials[i] = kernel_device(stream->special);
	}
}

static bool set_up(struct fault_bpf *skeleton, const struct backend_config *config,
		   struct backend *base, struct err *err)
{
	if (!choose_programs(skeleton, config->storage, base))
		return programs_fail(err, errno, "the kernel's type information (BTF)");

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
	skeleton->rodata->cgroup_id = config->cgroup ? config->cgroup->id : 0;
	bpf_program__set_autoload(skeleton->progs.move_to_cgroup, config->cgroup);
	skeleton->rodata->times_calls = base->times_calls;
	skeleton->rodata->is_limited = config->is_limited;
	skeleton->rodata->caller_uid = config->caller_uid;
	skeleton->rodata->caller_gid = config->caller_gid;
	set_watch(skeleton, config->watch);
	skeleton->rodata->maps_whole_folios = is_kernel_since(6, 18);
	skeleton->rodata->has_loop = is_kernel_since(5, 17);
	// It is there since 6.2; 6.12 is the first that was tried.
	skeleton->rodata->has_cast = is_kernel_since(6, 12);
	code = bpf_map__set_max_entries(skeleton->maps.events, (uint32_t)ring_bytes);
	if (code == 0)
		code = bpf_map__set_max_entries(skeleton->maps.stacks, (uint32_t)stack_ring_bytes);
	if (code == 0)
		code = bpf_map__set_max_entries(skeleton->maps.scratches, processor_count());
	if (code == 0)
		code = bpf_map__set_max_entries(skeleton->maps.held, processor_count());
	if (code == 0)
		code = has_room_for_files(skeleton) ? fault_bpf__load(skeleton) : -EMFILE;
	return code == 0 || programs_fail(err, -code, "loading");
}

static struct fault_bpf *load_with(const struct backend_config *config, struct backend *base,
				   struct err *err)
{
	struct fault_bpf *skeleton = fault_bpf__open();

	if (!skeleton)
		programs_fail(err, errno, "opening the program");
	else if (set_up(skeleton, config, base, err))
		return skeleton;
	fault_bpf__destroy(skeleton);
	return NULL;
}

struct fault_bpf *programs_load(const struct backend_config *config, struct backend *base,
				struct notes *notes, struct err *err)
{
	struct backend_config without = *config;
	struct err reason = { 0 };

	last_complaint[0] = '\0';
	libbpf_set_print(keep_complaint);
	struct fault_bpf *skeleton = load_with(config, base, err);
	if (skeleton || !base->sees_storage || err->os_errno == EMFILE)
		return skeleton;
	without.storage = false;
	snprintf(reason.message, sizeof(reason.message), "%.200s", last_complaint);
	last_complaint[0] = '\0';
	skeleton = load_with(&without, base, err);
	if (skeleton)
		notes_add(notes, "what storage reads is not recorded: the kernel refuses it: %s",
			  reason.message);
	return skeleton;
}
