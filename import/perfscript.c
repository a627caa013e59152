// SPDX-License-Identifier: Apache-2.0
// The text that `perf script` prints of page faults, mappings and tasks (docs/import.md has the
// commands). A sample is a line, and the lines of its call chain up to an empty one.
#include "import/perfscript.h"

#include "base/checked.h"
#include "base/cleanup.h"

/** Addresses from here on are the kernel's. */
static const uint64_t kernel_space = UINT64_C(1) << 63;

enum { NAMES_MAX = 16 }; // that a line's end may be, by the parentheses in it

static void script_deinit(struct perfscript *script)
{
	u64map_deinit(&script->pid_of);
	u64map_deinit(&script->in_exec);
	u64map_deinit(&script->begun);
	u64map_deinit(&script->comm_of);
	vec_deinit(&script->comms);
	perfspaces_deinit(&script->spaces);
}

// ---- Samples ----------------------------------------------------------------------------------

/**
 * Return the process of a sample; if only the thread was printed, the one that a task line gave it.
 */
static uint32_t pid_of(const struct perfscript *script, const struct perfline_head *head)
{
	const uint32_t *pid = head->has_pid ? NULL : u64map_get(&script->pid_of, head->tid);

	return pid ? *pid : head->pid;
}

static bool is_in_exec(const struct perfscript *script, uint32_t pid)
{
	const uint32_t *state = u64map_get(&script->in_exec, pid);

	// Where samples are missing the one may be that shows an instruction of the program.
	return state && *state && script->sampled == 0 && script->lost == 0;
}

/** Fill the thread that took the fault of the open sample, as far as it shows. */
static void fill_taker(struct perfscript *script, struct trace_fault *fault)
{
	struct perfscript_sample *open = &script->open;
	bool in_kernel = open->has_chain ? open->in_kernel
					 : open->sample.has_ip && open->sample.ip >= kernel_space;

	if (in_kernel)
		fault->flags |= TRACE_FAULT_KERNEL;
	else if (open->has_chain || open->sample.has_ip)
		*u64map_put(&script->in_exec, fault->pid, NULL) = 0;
	if (in_kernel && is_in_exec(script, fault->pid))
		return; // its registers are those of the program before
	if (open->frame_count == 0 && !open->has_chain && open->sample.has_ip && !in_kernel)
		open->frames[open->frame_count++] = open->sample.ip;
	if (open->frame_count == 0) {
		fault->flags |= TRACE_FAULT_IP_UNKNOWN;
		script->kernel_ip_unknown += in_kernel;
		return;
	}
	fault->flags |= TRACE_FAULT_HAS_USER_IP;
	fault->ip = open->frames[0];
	// A stack of one frame says no more than the ip.
	if (open->frame_count > 1)
		fault->stack = imported_stack(script->to, open->frames, open->frame_count);
	script->to->meta.has_stacks |= fault->stack > 0;
}

static void count_period(struct perfscript *script, const struct perfline_sample *sample)
{
	script->without_period += !sample->has_period;
	if (sample->period <= 1)
		return;
	script->sampled++;
	if (!checked_add(script->unsampled_faults, sample->period - 1, &script->unsampled_faults))
		script->unsampled_faults = UINT64_MAX;
}

/** The fault that this event says is over, if it was seen to begin; NULL: none was. */
static struct trace_fault *take_begun(struct perfscript *script, const struct trace_fault *end)
{
	uint32_t *begun = u64map_put(&script->begun, end->tid, NULL);
	struct trace_fault *fault = *begun ? &script->to->faults.items[*begun - 1] : NULL;

	if (!fault || fault->addr != end->addr || fault->pid != end->pid ||
	    end->time_ns < fault->time_ns)
		return NULL;
	*begun = 0;
	return fault;
}

/** One of two events is over: the one may have a call chain that the other lacks. */
static void join(struct perfscript *script, struct trace_fault *fault,
		 const struct trace_fault *end)
{
	const uint32_t of_taker = TRACE_FAULT_HAS_USER_IP | TRACE_FAULT_IP_UNKNOWN;

	script->joined++;
	fault->flags |= TRACE_FAULT_HAS_DURATION | (end->flags & TRACE_FAULT_MAJOR);
	fault->duration_ns = end->time_ns - fault->time_ns;
	if ((fault->flags & TRACE_FAULT_IP_UNKNOWN) && (end->flags & TRACE_FAULT_HAS_USER_IP)) {
		fault->flags = (fault->flags & ~of_taker) | (end->flags & of_taker) |
			       (end->flags & TRACE_FAULT_KERNEL);
		fault->ip = end->ip;
		fault->stack = end->stack;
	}
}

static void add_fault(struct perfscript *script, const struct trace_fault *fault)
{
	vec_push(&script->to->faults, *fault);
	count_period(script, &script->open.sample);
	if (script->open.sample.event == PERFLINE_FAULT)
		*u64map_put(&script->begun, fault->tid, NULL) = (uint32_t)script->to->faults.count;
}

static void close_sample(struct perfscript *script)
{
	struct perfscript_sample *open = &script->open;
	const struct perfline_sample *sample = &open->sample;
	struct trace_fault *begun;

	if (!script->has_open)
		return;
	script->has_open = false;
	struct trace_fault fault = {
		.time_ns = open->head.time_ns,
		.addr = sample->addr,
		.pid = pid_of(script, &open->head),
		.tid = open->head.tid,
		.flags = sample->event == PERFLINE_MAJOR ? TRACE_FAULT_MAJOR : 0,
	};

	if (!open->has_chain && !sample->has_ip) {
		if (script->without_place++ == 0)
			script->first_without_place = open->line;
		script->ambiguous += sample->is_ambiguous;
	}
	script->begins += sample->event == PERFLINE_FAULT;
	script->ends += sample->event != PERFLINE_FAULT;
	fill_taker(script, &fault);
	if (sample->event != PERFLINE_FAULT && (begun = take_begun(script, &fault)))
		join(script, begun, &fault);
	else
		add_fault(script, &fault);
}

// ---- Call chains ------------------------------------------------------------------------------

static bool starts(struct scan scan, const char *text)
{
	return scan_starts(&scan, text);
}

/** Frames that no file explains are printed as they are: those of generated code, mostly. */
static bool is_outside_files(struct scan name)
{
	return starts(name, "//anon") || starts(name, "/tmp/perf-") || starts(name, "[unknown]");
}

/**
 * The address of a frame of the program. The file's name is what stands in the last parentheses,
 * but it, and the symbol's before, may have parentheses as well: one that is mapped counts.
 */
static bool find_frame(struct perfscript *script, const struct perfline_frame *frame,
		       uint64_t *ret_addr)
{
	uint32_t pid = pid_of(script, &script->open.head);
	struct scan behind = frame->behind;
	struct scan name = { behind.end, behind.end };
	unsigned tried = 0;

	*ret_addr = frame->value;
	if (scan_left(&behind) < 2 || behind.end[-1] != ')')
		return frame->value > UINT32_MAX; // no name was printed, nor is it an offset
	name.end--;
	for (const char *at = name.end; at-- > behind.at && tried < NAMES_MAX;) {
		if (*at != '(')
			continue;
		tried++;
		name.at = at + 1;
		// A name that is not known is not kept: a line may hold many that look like one.
		const char *path = intern_find(&script->to->strings, name.at, scan_left(&name));
		if (path && perfspaces_find(&script->spaces, pid, path, frame->value, ret_addr))
			return true;
		if (at > behind.at && at[-1] == ' ' && is_outside_files(name))
			return script->open.frame_count == 0 || name.at[0] == '/';
	}
	return false;
}

/** A call chain ends with the first frame that cannot be told: what is behind it may be any. */
static void take_frame(struct perfscript *script, const struct perfline_frame *frame)
{
	struct perfscript_sample *open = &script->open;
	bool is_first = !open->has_chain;
	uint64_t addr;

	open->has_chain = true;
	if (frame->is_inlined || open->is_cut || open->frame_count == PERFSCRIPT_FRAMES_MAX)
		return;
	if (frame->value >= kernel_space) {
		open->in_kernel |= is_first;
		open->is_cut = open->frame_count > 0;
		return;
	}
	if (!find_frame(script, frame, &addr)) {
		open->is_cut = true;
		script->unplaced++;
		return;
	}
	// Of copied stacks perf prints where the call is, not where it returns to.
	if (script->is_dwarf && open->frame_count > 0)
		addr++;
	open->frames[open->frame_count++] = addr;
}

// ---- Records ----------------------------------------------------------------------------------

static void take_mapping(struct perfscript *script, const struct text_line *line,
			 struct trace_mapping mapping, const struct scan *path)
{
	if (mapping.addr >= kernel_space)
		return;
	// A file has one name, so that its frames are found.
	mapping.path = imported_string(script->to, path->at, scan_left(path));
	if (scan_left(path) == 0 || !imported_map(script->to, mapping)) {
		imported_count_odd(&script->to->odd_mappings, line);
		return;
	}
	mapping.size = script->to->mappings.items[script->to->mappings.count - 1].size;
	perfspaces_map(&script->spaces, &mapping);
}

/** The name that a thread is known by. */
static const char **comm_of(struct perfscript *script, uint32_t tid)
{
	uint32_t index = u64map_row(&script->comm_of, tid, &script->comms, NULL);

	return &script->comms.items[index];
}

static void take_task(struct perfscript *script, const struct trace_task *task,
		      const struct scan *comm)
{
	const char *name = imported_string(script->to, comm->at, scan_left(comm));

	*u64map_put(&script->pid_of, task->tid, NULL) = task->pid;
	switch (task->kind) {
	case TRACE_TASK_EXEC:
		perfspaces_exec(&script->spaces, task->pid);
		*u64map_put(&script->in_exec, task->pid, NULL) = 1;
		*comm_of(script, task->tid) = name;
		if (!script->first_exec)
			script->first_exec = (uint32_t)script->to->tasks.count + 1;
		break;
	case TRACE_TASK_FORK:
		if (task->pid != task->parent_pid)
			perfspaces_fork(&script->spaces, task->parent_pid, task->pid);
		name = *comm_of(script, task->parent_tid);
		*comm_of(script, task->tid) = name;
		break;
	case TRACE_TASK_COMM:
		*comm_of(script, task->tid) = name;
		break;
	case TRACE_TASK_EXIT:
		break;
	}
	imported_name_task(script->to, *task, comm->at, scan_left(comm));
}

/** Learn a name from a sample's line, in case task lines are missing. */
static void learn_comm(struct perfscript *script, const struct perfline_head *head)
{
	const char *comm = imported_string(script->to, head->comm, head->comm_length);
	const char **known = comm_of(script, head->tid);

	if (*known == comm ||
	    comm[0] == ':') // ":4711" is perf's for a thread that it does not know
		return;
	*known = comm;
	imported_name_task(script->to,
			   (struct trace_task){
				   .time_ns = head->time_ns,
				   .kind = TRACE_TASK_COMM,
				   .pid = pid_of(script, head),
				   .tid = head->tid,
			   },
			   comm, head->comm_length);
}

static void take_record(struct perfscript *script, const struct text_line *line,
			const struct perfline_head *head)
{
	struct trace_mapping mapping;
	struct trace_task task;
	struct scan text;
	uint64_t lost;

	if (perfline_mapping(head->rest, &mapping, &text)) {
		mapping.time_ns = head->time_ns;
		take_mapping(script, line, mapping, &text);
	} else if (perfline_task(head->rest, &task, &text)) {
		task.time_ns = head->time_ns;
		take_task(script, &task, &text);
	} else if (perfline_lost(head->rest, &lost)) {
		if (!checked_add(script->lost, lost, &script->lost))
			script->lost = UINT64_MAX;
	} else if (starts(head->rest, "PERF_RECORD_MMAP") ||
		   starts(head->rest, "PERF_RECORD_COMM") ||
		   starts(head->rest, "PERF_RECORD_FORK")) {
		imported_count_odd(&script->to->odd_mappings, line);
	} // all others are about what a trace has no room for
}

// ---- The header -------------------------------------------------------------------------------

/** Return the text behind "# NAME : "; NULL: the line is of something else. */
static const char *header_value(struct perfscript *script, const struct text_line *line,
				const char *name)
{
	struct scan scan = { line->text, line->text + line->length };

	scan_text(&scan, "#");
	scan_blanks(&scan);
	if (!scan_text(&scan, name))
		return NULL;
	scan_blanks(&scan);
	if (!scan_text(&scan, ": "))
		return NULL;
	while (!scan_is_end(&scan) && scan.end[-1] == ' ')
		scan.end--;
	return arena_strndup(&script->to->arena, scan.at, scan_left(&scan));
}

/** The command is known where "--" tells it from perf's own options. */
static void take_command(struct perfscript *script, const char *line)
{
	static const char separator[] = " -- ";
	struct trace_meta *meta = &script->to->meta;
	const char *at = strstr(line, separator);
	const char *of_all = strstr(line, " -a ");
	const char **words;
	size_t count = 0;

	script->is_machine |= of_all && (!at || of_all < at);
	if (!at || meta->command_count > 0)
		return;
	at += sizeof(separator) - 1;
	words = arena_array(&script->to->arena, strlen(at) / 2 + 2, sizeof(*words));
	while (*at) {
		size_t length = strcspn(at, " ");

		if (length > 0)
			words[count++] = arena_strndup(&script->to->arena, at, length);
		at += length + (at[length] == ' ');
	}
	meta->command = words;
	meta->command_count = count;
}

static void take_header(struct perfscript *script, const struct text_line *line)
{
	struct trace_meta *meta = &script->to->meta;
	const char *value;

	if ((value = header_value(script, line, "os release"))) {
		meta->kernel = value;
	} else if ((value = header_value(script, line, "arch"))) {
		meta->machine = value;
		script->has_arch = strcmp(value, "x86_64") == 0;
	} else if ((value = header_value(script, line, "perf version"))) {
		script->version = value;
	} else if ((value = header_value(script, line, "cmdline"))) {
		take_command(script, value);
	} else if ((value = header_value(script, line, "event"))) {
		script->is_dwarf |= strstr(value, "|STACK_USER") != NULL;
	}
}

// ---- The text ---------------------------------------------------------------------------------

bool perfscript_is(const struct text_line *line)
{
	struct perfline_sample sample;
	struct perfline_head head;

	return perfline_head(line, &head) &&
	       (starts(head.rest, "PERF_RECORD_") ||
		(perfline_sample(head.rest, &sample) && sample.event != PERFLINE_OTHER));
}

/** False where a fault has no address, and so none has. */
static bool take_sample(struct perfscript *script, const struct text_line *line,
			const struct perfline_head *head, struct err *err)
{
	struct perfline_sample sample;

	if (!perfline_sample(head->rest, &sample)) {
		imported_count_odd(&script->to->odd, line);
		return true;
	}
	if (sample.event == PERFLINE_OTHER) {
		imported_count_odd(&script->others, line);
		return true;
	}
	if (!sample.has_addr && script->begins + script->ends == 0 && !script->has_open)
		return err_set(err, ERR_INPUT,
			       "line %llu: the fault has no address: record with perf record -d, "
			       "and print it with perf script -F "
			       "comm,pid,tid,time,period,event,addr,ip,dso (docs/import.md)",
			       (unsigned long long)line->number);
	if (!sample.has_addr) {
		imported_count_odd(&script->to->odd_faults, line);
		return true;
	}
	learn_comm(script, head);
	script->has_open = true;
	script->open.head = *head;
	script->open.sample = sample;
	script->open.line = line->number;
	script->open.has_chain = script->open.in_kernel = script->open.is_cut = false;
	script->open.frame_count = 0;
	return true;
}

static bool take_line(struct perfscript *script, const struct text_line *line, struct err *err)
{
	struct perfline_frame frame;
	struct perfline_head head;

	if (!line->is_damaged && script->has_open && perfline_frame(line, &frame)) {
		take_frame(script, &frame);
		return true;
	}
	close_sample(script);
	if (line->is_damaged) {
		imported_count_odd(&script->to->odd, line);
	} else if (line->length > 0 && line->text[0] == '#') {
		take_header(script, line);
	} else if (perfline_head(line, &head)) {
		if (!starts(head.rest, "PERF_RECORD_"))
			return take_sample(script, line, &head, err);
		take_record(script, line, &head);
	} else if (line->length > 0 &&
		   !(script->others.count > 0 && perfline_frame(line, &frame))) {
		imported_count_odd(&script->to->odd, line);
	}
	return true;
}

/** Choose the root: the first program that was executed, unless perf recorded the whole machine. */
static void choose_root(struct perfscript *script)
{
	struct imported *to = script->to;
	struct trace_meta *meta = &to->meta;

	if (script->is_machine || !script->first_exec) {
		meta->command_count = 0;
		imported_attach(to);
		return;
	}
	const struct trace_task *exec = &to->tasks.items[script->first_exec - 1];
	meta->root_pid = exec->pid;
	if (meta->command_count > 0)
		return;
	const char **words = arena_array(&to->arena, 2, sizeof(*words));
	words[0] = arena_strdup(&to->arena, exec->comm);
	meta->command = words;
	meta->command_count = 1;
	notes_add(&to->notes,
		  "%s: of the command only the name is known: record with perf record ... -- "
		  "COMMAND, "
		  "and print with --header",
		  to->source);
}

static bool check(const struct perfscript *script, struct err *err)
{
	uint64_t all = script->begins + script->ends;

	if (all == 0 || script->without_place < all || script->ambiguous > 0)
		return true;
	return err_set(err, ERR_INPUT,
		       "line %llu: the fault has one number, which may be its address or its "
		       "instruction: print both with perf script -F "
		       "comm,pid,tid,time,period,event,addr,ip,dso (docs/import.md)",
		       (unsigned long long)script->first_without_place);
}

bool perfscript_read(struct imported *imported, struct lines *lines, struct err *err)
{
	CLEANUP(script_deinit) struct perfscript script = { .to = imported };
	struct text_line line;

	while (imported_next(imported, lines, &line))
		if (!take_line(&script, &line, err))
			return false;
	close_sample(&script);
	if (!check(&script, err))
		return false;
	choose_root(&script);
	perfscript_note(&script);
	imported->summary.lost = script.lost;
	if (!checked_add(imported->summary.lost, script.unsampled_faults, &imported->summary.lost))
		imported->summary.lost = UINT64_MAX;
	return true;
}
