// SPDX-License-Identifier: Apache-2.0
#include "bpf/faultdrain.h"

#include "base/cleanup.h"
#include "bpf/fault_event.h"
#include "bpf/record.h"
#include "machine/page.h"

#include <string.h>
#include <sys/syscall.h>

_Static_assert((int)SIGHT_EVENT_LISTEN == SIGHTING_LISTEN &&
		       (int)SIGHT_EVENT_WRITE == SIGHTING_WRITE &&
		       (int)SIGHT_EVENT_FILE == SIGHTING_FILE &&
		       (int)SIGHT_EVENT_ENTER == SIGHTING_ENTER,
	       "the kernel side's moments are the sightings");

/** The longest event. */
enum { EVENT_MAX = sizeof(struct arguments_event) };

/** One record. */
struct drained {
	const void *event; // what its kind begins with, aligned
	const void *data;
	size_t size;
	struct stackimages *images;
	struct sink *sink;
};

/** The stack that comes with a fault; false: malformed. */
static bool read_stack(const struct drained *drained, struct raw_stack *ret_stack)
{
	const struct fault_event *fault = drained->event;
	struct stack_event event;

	if (!record_copy(&event, sizeof(event), drained->data, drained->size) ||
	    event.fault.stack_size > drained->size - sizeof(event) ||
	    event.interrupted_size > event.fault.stack_size ||
	    event.equal_size > FAULT_EVENT_STACK_MAX)
		return false;

	const uint8_t *bytes = (const uint8_t *)drained->data + sizeof(event);
	uint32_t stack_size = event.fault.stack_size;

	if (fault->flags & FAULT_EVENT_STACK_CONTINUED) {
		uint64_t end = event.registers[MACHINE_SP] + stack_size + event.equal_size;

		bytes = stackimages_put(drained->images, fault->tid, fault->time_ns, end, bytes,
					stack_size, event.equal_size);
		stack_size += event.equal_size;
		if (!bytes)
			return false;
	}
	*ret_stack = (struct raw_stack){
		.pid = fault->pid,
		.time_ns = fault->time_ns,
		.is_32bit = (fault->flags & FAULT_EVENT_32BIT) != 0,
		.reaches_bottom = (fault->flags & FAULT_EVENT_STACK_WHOLE) != 0,
		.size = stack_size - event.interrupted_size,
		.interrupted_sp = event.interrupted_size ? event.interrupted_sp : 0,
		.interrupted_size = event.interrupted_size,
		.interrupted_reaches_bottom = (fault->flags & FAULT_EVENT_INTERRUPTED_WHOLE) != 0,
		.bytes = bytes,
	};
	memcpy(ret_stack->registers, event.registers, sizeof(ret_stack->registers));
	return true;
}

static bool take_sample(const struct drained *drained)
{
	const struct fault_event *event = drained->event;
	struct raw_stack stack;

	const struct trace_sample sample = {
		.time_ns = event->time_ns,
		.period_ns = event->duration_ns,
		.ip = event->ip,
		.pid = event->pid,
		.tid = event->tid,
		.flags = (event->flags & FAULT_EVENT_KERNEL ? TRACE_SAMPLE_KERNEL : 0u) |
			 (event->flags & FAULT_EVENT_HAS_ENTRY ? TRACE_SAMPLE_IN_FAULT : 0u) |
			 (event->flags & FAULT_EVENT_HAS_REGISTERS ? TRACE_SAMPLE_HAS_USER_IP : 0u),
		.program_ns = event->program_ns,
	};
	bool wants_stack = event->flags & FAULT_EVENT_HAS_STACK;
	bool has_stack = wants_stack && read_stack(drained, &stack);

	sink_sample(drained->sink, &sample, has_stack ? &stack : NULL);
	return has_stack == wants_stack;
}

static bool take_pause_stack(const struct drained *drained)
{
	const struct fault_event *event = drained->event;
	struct raw_stack stack;

	if (!read_stack(drained, &stack))
		return false;
	sink_pause_stack(drained->sink, event->tid, &stack);
	return true;
}

static bool take_fault(const struct drained *drained)
{
	const struct fault_event *event = drained->event;

	struct trace_fault fault = {
		.time_ns = event->time_ns,
		.addr = event->addr,
		.pid = event->pid,
		.tid = event->tid,
		.program_ns = event->program_ns,
	};

	if (event->flags & FAULT_EVENT_MAJOR)
		fault.flags |= TRACE_FAULT_MAJOR;
	if (event->flags & FAULT_EVENT_KERNEL)
		fault.flags |= TRACE_FAULT_KERNEL;
	if (event->flags & FAULT_EVENT_HAS_ENTRY) {
		fault.flags |= TRACE_FAULT_HAS_ERROR_CODE | TRACE_FAULT_HAS_DURATION;
		fault.error_code = event->error_code;
		fault.duration_ns = event->duration_ns;
	}
	if (event->flags & FAULT_EVENT_HAS_AROUND) {
		fault.flags |= TRACE_FAULT_HAS_AROUND;
		fault.around_offset = event->around_index * MACHINE_PAGE;
		fault.around_pages = event->around_pages;
	}
	if (event->flags & FAULT_EVENT_HAS_READ) {
		fault.flags |= TRACE_FAULT_HAS_READ;
		fault.read_offset = event->read_index * MACHINE_PAGE;
		fault.read_pages = event->read_pages;
		fault.read_span = event->read_span;
	}
	if (event->flags & FAULT_EVENT_HAS_REGISTERS) {
		fault.flags |= TRACE_FAULT_HAS_USER_IP;
		fault.ip = event->ip;
		fault.sp = event->sp;
	}

	struct raw_stack stack;
	bool wants_stack = event->flags & FAULT_EVENT_HAS_STACK;
	bool has_stack = wants_stack && read_stack(drained, &stack);

	sink_fault(drained->sink, &fault, has_stack ? &stack : NULL);
	return has_stack == wants_stack;
}

static bool take_exit(const struct drained *drained)
{
	const struct exit_event *event = drained->event;

	drained->sink->hidden += event->hidden;
	stackimages_end(drained->images, event->tid, event->time_ns);

	const struct trace_task task = {
		.time_ns = event->time_ns,
		.kind = TRACE_TASK_EXIT,
		.pid = event->pid,
		.tid = event->tid,
		.has_counts = true,
		.kernel_minor = event->minor,
		.kernel_major = event->major,
		.seen = event->seen,
	};

	sink_task(drained->sink, &task);
	return true;
}

static bool take_remap(const struct drained *drained)
{
	const struct remap_event *event = drained->event;

	const struct trace_remap remap = {
		.time_ns = event->time_ns,
		.old_addr = event->old_addr,
		.old_size = event->old_size,
		.new_addr = event->new_addr,
		.new_size = event->new_size,
		.pid = event->pid,
		.tid = event->tid,
		.keeps_old = event->keeps_old != 0,
	};

	sink_remap(drained->sink, &remap);
	return true;
}

static bool take_pause(const struct drained *drained)
{
	const struct pause_event *event = drained->event;

	const struct trace_pause pause = {
		.time_ns = event->out_ns,
		.woken_ns = event->flags & PAUSE_EVENT_LAST ? 0 : event->woken_ns,
		.back_ns = event->back_ns,
		.runtime_ns = event->runtime_ns,
		.delay_ns = event->delay_ns,
		.pid = event->pid,
		.tid = event->tid,
		.waker_pid = event->waker_pid,
		.waker_tid = event->waker_tid,
		.call = event->flags & PAUSE_EVENT_HAS_CALL ? event->call : 0,
		.recorder_ns = event->recorder_ns,
		.flags = event->flags & ~(uint32_t)PAUSE_EVENT_HAS_STACK,
	};

	sink_pause(drained->sink, &pause, event->flags & PAUSE_EVENT_HAS_STACK);
	return true;
}

/** Build the path; a mapping without one is named as perf names it. */
static void build_path(struct strbuf *path, const struct mapping_event *event, const char *names)
{
	static const char *const areas[] = {
		[FAULT_EVENT_AREA_PLAIN] = "//anon",
		[FAULT_EVENT_AREA_STACK] = "[stack]",
		[FAULT_EVENT_AREA_VDSO] = "[vdso]",
		[FAULT_EVENT_AREA_DEEP] = "//toolong", // perf's word
	};

	if (event->area != FAULT_EVENT_AREA_DEEP)
		record_add_path(path, names, event->part_count);
	if (path->length == 0)
		strbuf_puts(path, areas[event->area]);
}

static bool take_mapping(const struct drained *drained)
{
	const struct mapping_event *event = drained->event;

	if (event->part_count > FAULT_EVENT_PATH_PARTS || event->area > FAULT_EVENT_AREA_DEEP ||
	    drained->size < sizeof(*event) + (size_t)event->part_count * FAULT_EVENT_NAME_BYTES)
		return false;

	CLEANUP(strbuf_deinit) struct strbuf path = { 0 };

	build_path(&path, event, (const char *)drained->data + sizeof(*event));

	const struct trace_mapping mapping = {
		.time_ns = event->time_ns,
		.addr = event->start,
		.size = event->end - event->start,
		.offset = event->part_count > 0 ? event->page * MACHINE_PAGE : 0,
		.device = event->inode ? record_device(event->device) : 0,
		.inode = event->inode,
		.path = path.text,
		.pid = event->pid,
		.tid = event->tid,
		.protection = (uint8_t)event->protection,
		.is_shared = event->is_shared != 0,
	};

	sink_mapping(drained->sink, &mapping);
	return true;
}

static bool take_call(const struct drained *drained)
{
	const struct call_event *event = drained->event;

	const struct trace_call call = {
		.time_ns = event->time_ns,
		.duration_ns = event->duration_ns,
		.pid = event->pid,
		.tid = event->tid,
		.call = event->call,
		.count = event->count,
		.flags = event->flags,
	};

	trace_writer_call(drained->sink->writer, &call);
	return true;
}

/** The memory that a system call which faults pages in is for; size 0: unknown, or all. */
static void find_memory(const struct prefault_event *event, uint64_t *ret_addr, uint64_t *ret_size)
{
	const __u64 *arguments = event->arguments;

	*ret_addr = *ret_size = 0;
	switch (event->call) {
	case SYS_mmap:
		*ret_addr = event->result;
		*ret_size = arguments[1];
		break;
	case SYS_mlock:
	case SYS_mlock2:
	case SYS_madvise:
	case SYS_mprotect:
		*ret_addr = arguments[0];
		*ret_size = arguments[1];
		break;
	case SYS_read:
	case SYS_pread64:
	case SYS_write:
	case SYS_pwrite64:
		*ret_addr = arguments[1];
		*ret_size = arguments[2];
		break;
	default:
		break;
	}
}

static bool take_prefault(const struct drained *drained)
{
	const struct prefault_event *event = drained->event;

	struct trace_prefault prefault = {
		.time_ns = event->time_ns,
		.count = event->count,
		.pid = event->pid,
		.tid = event->tid,
		.call = event->call,
	};

	find_memory(event, &prefault.addr, &prefault.size);
	sink_prefault(drained->sink, &prefault);
	return true;
}

static bool take_fork(const struct drained *drained)
{
	const struct fork_event *event = drained->event;

	const struct trace_task task = {
		.time_ns = event->time_ns,
		.kind = TRACE_TASK_FORK,
		.pid = event->pid,
		.tid = event->tid,
		.parent_pid = event->parent_pid,
		.parent_tid = event->parent_tid,
	};

	sink_task(drained->sink, &task);
	return true;
}

static bool take_arguments(const struct drained *drained)
{
	const struct arguments_event *event = drained->event;
	char words[sizeof(event->bytes) + 1] = { 0 };

	memcpy(words, event->bytes, sizeof(event->bytes));
	sink_arguments(drained->sink, event->pid, event->time_ns, words,
		       event->size < sizeof(event->bytes) ? event->size : sizeof(event->bytes),
		       event->size > sizeof(event->bytes));
	return true;
}

static bool take_memory_file(const struct drained *drained)
{
	const struct memory_file_event *event = drained->event;

	vec_push(&drained->sink->memory_files, (struct sink_memory_file){ event->pid, event->fd });
	return true;
}

static bool take_open(const struct drained *drained)
{
	const struct open_event *event = drained->event;

	if (event->path_size > drained->size - sizeof(*event) ||
	    event->path_size > FAULT_EVENT_OPEN_MAX)
		return false;

	char path[FAULT_EVENT_OPEN_MAX + 1];

	memcpy(path, (const char *)drained->data + sizeof(*event), event->path_size);
	path[event->path_size] = '\0';
	const struct trace_open open = {
		.time_ns = event->time_ns,
		.duration_ns = event->duration_ns,
		.ip = event->ip,
		.path = path,
		.pid = event->pid,
		.tid = event->tid,
		.call = event->call,
		.error = event->error,
		.flags = event->path_size == 0 || event->path_size == FAULT_EVENT_OPEN_MAX
				 ? TRACE_OPEN_CUT
				 : 0,
	};

	trace_writer_open_call(drained->sink->writer, &open);
	return true;
}

static bool take_sight(const struct drained *drained)
{
	static const uint32_t places[] = {
		[SIGHTING_LISTEN] = UINT16_MAX + 1,
		[SIGHTING_WRITE] = SIGHTING_STREAMS,
		[SIGHTING_FILE] = SIGHTING_FILES,
		[SIGHTING_ENTER] = SIGHTING_FUNCTIONS,
	};
	const struct sight_event *event = drained->event;

	if (event->size > drained->size - sizeof(*event) || event->what > SIGHT_EVENT_ENTER ||
	    event->place >= places[event->what])
		return false;
	sink_sighting(drained->sink,
		      &(struct sighting){
			      .kind = (enum sighting_kind)event->what,
			      .time_ns = event->time_ns,
			      .pid = event->pid,
			      .tid = event->tid,
			      .place = event->place,
			      .is_cut = event->is_cut != 0,
			      .is_created = event->is_created != 0,
		      },
		      (const char *)drained->data + sizeof(*event), event->size);
	return true;
}

static bool take_flush(const struct drained *drained)
{
	const struct flush_event *event = drained->event;

	const struct trace_flush flush = {
		.time_ns = event->time_ns,
		.duration_ns = event->duration_ns,
		.addr = event->addr,
		.size = event->size,
		.device = event->inode ? record_device(event->device) : 0,
		.inode = event->inode,
		.offset = event->offset,
		.pid = event->pid,
		.tid = event->tid,
		.call = event->call,
		.error = event->error,
	};

	trace_writer_flush_call(drained->sink->writer, &flush);
	return true;
}

/** By kind: what it begins with. */
static const struct {
	size_t size;
	bool (*take)(const struct drained *drained);
} kinds[] = {
	[FAULT_EVENT_FAULT] = { sizeof(struct fault_event), take_fault },
	[FAULT_EVENT_EXIT] = { sizeof(struct exit_event), take_exit },
	[FAULT_EVENT_REMAP] = { sizeof(struct remap_event), take_remap },
	[FAULT_EVENT_MAPPING] = { sizeof(struct mapping_event), take_mapping },
	[FAULT_EVENT_FORK] = { sizeof(struct fork_event), take_fork },
	[FAULT_EVENT_PAUSE] = { sizeof(struct pause_event), take_pause },
	[FAULT_EVENT_SAMPLE] = { sizeof(struct fault_event), take_sample },
	[FAULT_EVENT_PAUSE_STACK] = { sizeof(struct fault_event), take_pause_stack },
	[FAULT_EVENT_CALL] = { sizeof(struct call_event), take_call },
	[FAULT_EVENT_PREFAULT] = { sizeof(struct prefault_event), take_prefault },
	[FAULT_EVENT_ARGUMENTS] = { EVENT_MAX, take_arguments },
	[FAULT_EVENT_OPEN] = { sizeof(struct open_event), take_open },
	[FAULT_EVENT_SIGHT] = { sizeof(struct sight_event), take_sight },
	[FAULT_EVENT_FLUSH] = { sizeof(struct flush_event), take_flush },
	[FAULT_EVENT_MEMORY_FILE] = { sizeof(struct memory_file_event), take_memory_file },
};

bool faultdrain_take(const void *data, size_t size, struct stackimages *images, struct sink *sink)
{
	_Alignas(uint64_t) char event[EVENT_MAX];
	uint32_t kind;

	if (!record_copy(&kind, sizeof(kind), data, size) ||
	    kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind].take ||
	    !record_copy(event, kinds[kind].size, data, size))
		return false;
	return kinds[kind].take(&(struct drained){ event, data, size, images, sink });
}
