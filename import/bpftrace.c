// SPDX-License-Identifier: Apache-2.0
// The log of the bpftrace script of 2022 (mmap_pagefault_snoop.bt), which was a Python program:
//
//	mmap("comm-pid", fd=3, fname="/lib/libc.so.6",off=0, len=8192, ret=0x7F8000000000)
//	page_fault_user("comm-pid", address=0x7F8000000010, ip=0x7F8000001000)
//
// bpftrace escapes nothing, so names of files and tasks may hold quotes, commas and line ends. A
// task's name has at most 15 bytes: what is read from the right place on cannot be part of it.
#include "import/imported.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "import/scan.h"
#include "machine/machine.h"

enum {
	COMM_MAX = 15,
	STEP_NS = 1000,	 // between two lines: times only say what came first
	NAME_CUT = 63,	 // bytes of a name that bpftrace may have cut
	NAME_LIMIT = 64, // and the size that it had: names longer than that show another limit
};

static const uint64_t cut_space = UINT64_C(1) << 32; // where addresses have lost their upper half

/** The process that a line is of. */
struct task {
	const char *comm;
	size_t length;
	uint32_t pid;
};

struct map_line {
	struct task task;
	bool is_anonymous; // no file: any name there is of another
	const char *name;
	size_t name_length;
	uint64_t offset, size, addr;
};

struct fault_line {
	struct task task;
	uint64_t addr, ip;
};

// ---- Lines ------------------------------------------------------------------------------------

/** "comm-pid" without quotes; the comm may have dashes. */
static bool parse_task(const char *start, const char *end, struct task *ret_task)
{
	struct scan scan = { start, end };
	const char *dash = scan_last(&scan, "-");

	if (!dash || dash - start > COMM_MAX)
		return false;
	scan.at = dash + 1;
	*ret_task = (struct task){ .comm = start, .length = (size_t)(dash - start) };
	return scan_id(&scan, &ret_task->pid) && scan_is_end(&scan) && ret_task->pid > 0;
}

static bool scan_hash_number(struct scan *scan, uint64_t *ret_number)
{
	return scan_text(scan, "0x") && scan_hex(scan, ret_number);
}

/** Parse the rest of the line behind the name. */
static bool parse_map_end(struct scan scan, struct map_line *map)
{
	return scan_text(&scan, "\",off=") && scan_number(&scan, &map->offset) &&
	       scan_text(&scan, ", len=") && scan_number(&scan, &map->size) &&
	       scan_text(&scan, ", ret=") && scan_hash_number(&scan, &map->addr) &&
	       scan_text(&scan, ")") && scan_is_end(&scan);
}

/** ", fd=N, fname=" and the quote: what ends a task's name. */
static bool scan_map_middle(struct scan *scan, bool *ret_is_anonymous)
{
	const char *start = scan->at;
	uint64_t fd;

	if (scan_text(scan, "\", fd=")) {
		bool is_negative = scan_text(scan, "-");

		if (scan_number(scan, &fd) && scan_text(scan, ", fname=\"")) {
			// Also as a number of 32 or 64 bits without a sign.
			*ret_is_anonymous = is_negative || fd > INT32_MAX;
			return true;
		}
	}
	scan->at = start;
	return false;
}

static bool parse_map(const struct text_line *line, struct map_line *ret_map)
{
	struct scan scan = { line->text, line->text + line->length };
	const char *end = scan_last(&scan, "\",off=");

	if (!scan_text(&scan, "mmap(\"") || !end)
		return false;
	// A task's name is too short to hold all of what follows it.
	const char *start = scan.at;
	while (!scan_map_middle(&scan, &ret_map->is_anonymous))
		if (scan.at++ == end)
			return false;
	const char *name = scan.at;
	if (name > end)
		return false;
	ret_map->name = name;
	ret_map->name_length = (size_t)(end - name);
	scan = (struct scan){ start, name };
	return parse_task(start, scan_last(&scan, "\", fd="), &ret_map->task) &&
	       parse_map_end((struct scan){ end, line->text + line->length }, ret_map);
}

static bool parse_fault(const struct text_line *line, struct fault_line *ret_fault)
{
	struct scan scan = { line->text, line->text + line->length };
	const char *end = scan_last(&scan, "\", address=");

	if (!end || !scan_text(&scan, "page_fault_user(\"") ||
	    !parse_task(scan.at, end, &ret_fault->task))
		return false;
	scan.at = end;
	return scan_text(&scan, "\", address=") && scan_hash_number(&scan, &ret_fault->addr) &&
	       scan_text(&scan, ", ip=") && scan_hash_number(&scan, &ret_fault->ip) &&
	       scan_text(&scan, ")") && scan_is_end(&scan);
}

static bool starts(const struct text_line *line, const char *text)
{
	const struct scan scan = { line->text, line->text + line->length };

	return scan_starts(&scan, text);
}

bool bpftrace_is(const struct text_line *line)
{
	return starts(line, "mmap(\"") || starts(line, "page_fault_user(\"");
}

/** "Lost 123 events": bpftrace had no room. */
static bool parse_lost(const struct text_line *line, uint64_t *ret_lost)
{
	struct scan scan = { line->text, line->text + line->length };

	return scan_text(&scan, "Lost ") && scan_number(&scan, ret_lost) &&
	       scan_text(&scan, " events");
}

// ---- The log ----------------------------------------------------------------------------------

struct log {
	struct imported *to;
	struct u64map comm_of;	 // pid -> index in comms
	VEC(const char *) comms; // interned
	// A mapping waits for a line that is understood: if there is none its name went on behind a
	// line end, and what was read is only a part of it.
	bool has_waiting;
	struct map_line waiting;
	struct text_line waiting_line;
	struct strbuf waiting_text;
	uint64_t time_ns;
	uint64_t failed;  // mappings that the kernel refused
	uint64_t unnamed; // mappings of files without a name, or with a relative one
	uint64_t longest; // bytes of a name
	uint64_t lost;
	uint64_t highest; // address or ip
	uint64_t mapped;  // bytes, as if all were mapped at once
	uint64_t files;	  // mappings of files
};

/** Say that the process has that name, if it is new. */
static void name_task(struct log *log, const struct task *task)
{
	const char *comm = imported_string(log->to, task->comm, task->length);
	uint32_t index = u64map_row(&log->comm_of, task->pid, &log->comms, NULL);

	if (log->comms.items[index] == comm)
		return;
	log->comms.items[index] = comm;
	imported_name_task(log->to,
			   (struct trace_task){
				   .time_ns = log->time_ns,
				   .kind = TRACE_TASK_COMM,
				   .pid = task->pid,
				   .tid = task->pid,
			   },
			   comm, task->length);
}

static const char *path_of(struct log *log, const struct map_line *map)
{
	if (map->is_anonymous)
		return "//anon";
	log->files++;
	if (map->name_length > log->longest)
		log->longest = map->name_length;
	if (map->name_length > 0 && map->name[0] == '/')
		return imported_string(log->to, map->name, map->name_length);
	log->unnamed++;
	return IMPORTED_FILE;
}

static bool has_failed(uint64_t addr)
{
	return addr == 0 || machine_call_failed(addr) ||
	       (addr < cut_space && cut_space - addr <= MACHINE_ERRNO_MAX);
}

static void take_map(struct log *log, const struct map_line *map)
{
	if (has_failed(map->addr)) {
		log->failed++;
		return;
	}
	name_task(log, &map->task);
	const struct trace_mapping mapping = {
		.time_ns = log->time_ns,
		.addr = map->addr,
		.size = map->size,
		.offset = map->is_anonymous ? 0 : map->offset,
		.path = path_of(log, map),
		.pid = map->task.pid,
		.tid = map->task.pid,
		.protection = IMPORTED_ANY,
	};
	if (!imported_map(log->to, mapping))
		imported_count_odd(&log->to->odd_mappings, &log->waiting_line);
	else if (map->addr > log->highest)
		log->highest = map->addr;
	log->mapped += map->size;
}

static void take_waiting(struct log *log, bool is_whole)
{
	if (!log->has_waiting)
		return;
	log->has_waiting = false;
	if (is_whole)
		take_map(log, &log->waiting);
	else
		imported_count_odd(&log->to->odd_mappings, &log->waiting_line);
}

/** Keep the line, whose text @map points into. */
static void wait_map(struct log *log, const struct text_line *line, const struct map_line *map)
{
	log->has_waiting = true;
	log->waiting = *map;
	log->waiting_line = *line;
	strbuf_clear(&log->waiting_text);
	strbuf_add(&log->waiting_text, line->text, line->length);
	log->waiting.name = log->waiting_text.text + (map->name - line->text);
	log->waiting.task.comm = log->waiting_text.text + (map->task.comm - line->text);
}

static void take_fault(struct log *log, const struct fault_line *fault)
{
	name_task(log, &fault->task);
	if (fault->addr > log->highest)
		log->highest = fault->addr;
	if (fault->ip > log->highest)
		log->highest = fault->ip;
	vec_push(&log->to->faults, (struct trace_fault){
					   .time_ns = log->time_ns,
					   .addr = fault->addr,
					   .ip = fault->ip,
					   .pid = fault->task.pid,
					   .tid = fault->task.pid,
					   .flags = TRACE_FAULT_HAS_USER_IP,
				   });
}

/** Whether the line is a message of bpftrace itself. */
static bool is_chatter(const struct text_line *line)
{
	return line->length == 0 || starts(line, "Attaching ") || starts(line, "Tracing ") ||
	       starts(line, "#");
}

/** Of a line that is none of the log's: what stands before it may not be whole either. */
static void take_odd(struct log *log, const struct text_line *line)
{
	struct imported *to = log->to;

	take_waiting(log, false);
	imported_count_odd(starts(line, "page_fault_user(") ? &to->odd_faults
			   : starts(line, "mmap(")	    ? &to->odd_mappings
							    : &to->odd,
			   line);
}

static void take_line(struct log *log, const struct text_line *line)
{
	struct fault_line fault;
	struct map_line map;
	uint64_t lost;

	if (line->is_damaged) {
		take_odd(log, line);
	} else if (parse_fault(line, &fault)) {
		take_waiting(log, true);
		log->time_ns = line->number * STEP_NS;
		take_fault(log, &fault);
	} else if (parse_map(line, &map)) {
		take_waiting(log, true);
		log->time_ns = line->number * STEP_NS;
		wait_map(log, line, &map);
	} else if (parse_lost(line, &lost)) {
		take_waiting(log, true);
		if (!checked_add(log->lost, lost, &log->lost))
			log->lost = UINT64_MAX;
	} else if (is_chatter(line)) {
		take_waiting(log, true);
	} else {
		take_odd(log, line);
	}
}

// ---- What the log does not tell ---------------------------------------------------------------

/** Names that bpftrace may have cut get a mark, so that no file is taken for them. */
static void mark_cut_names(struct log *log)
{
	struct imported *to = log->to;
	CLEANUP(u64map_deinit) struct u64map seen = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf path = { 0 };

	if (log->longest > NAME_LIMIT)
		return; // BPFTRACE_STRLEN was larger
	vec_foreach (mapping, &to->mappings) {
		if (strlen(mapping->path) < NAME_CUT)
			continue;
		u64map_add(&seen, (uintptr_t)mapping->path);
		strbuf_clear(&path);
		strbuf_printf(&path, "%s...", mapping->path);
		mapping->path = imported_string(to, path.text, path.length);
	}
	notes_add_counted(
		&to->notes, seen.count,
		"%s: bpftrace cuts names at %d bytes: a file that may have a longer one is "
		"shown with ... and has no sections; BPFTRACE_STRLEN=200 records more",
		to->source, NAME_CUT);
}

/** Mappings that cross the end of what is left of addresses go on at its beginning. */
static void wrap_mappings(struct imported *to)
{
	size_t count = to->mappings.count;

	for (size_t i = 0; i < count; i++) {
		struct trace_mapping rest = to->mappings.items[i];

		if (rest.addr + rest.size <= cut_space)
			continue;
		uint64_t first = cut_space - rest.addr;

		to->mappings.items[i].size = first;
		rest.addr = 0;
		rest.size -= first;
		if (rest.path[0] == '/' && rest.path[1] != '/')
			rest.offset += first;
		if (rest.size > to->mappings.items[i].addr)
			rest.size = to->mappings.items[i].addr;
		if (rest.size > 0)
			vec_push(&to->mappings, rest);
	}
}

static void note_cut_addresses(struct log *log)
{
	struct imported *to = log->to;
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (log->highest >= cut_space || to->faults.count == 0)
		return;
	wrap_mappings(to);
	notes_add(&to->notes,
		  "%s: all addresses have 32 bits: the program was one of 32 bits, or bpftrace cut "
		  "them (older ones do); then a fault outside all mappings of the log is given to "
		  "one of them by chance where the lower halves agree (up to %s of them)",
		  to->source,
		  figure_percent(&arena, log->mapped < cut_space ? log->mapped : cut_space,
				 cut_space));
}

static void note(struct log *log)
{
	struct imported *to = log->to;

	notes_add(
		&to->notes,
		"imported from a bpftrace log (%s): the program itself and the dynamic linker, "
		"which exec maps, are not in it, nor are forks and exec: what they touched and did "
		"is unknown; nor are times, durations, minor or major (shows as minor), read or "
		"write, threads, stacks, build-ids and faults that the kernel took",
		to->source);
	notes_add_counted(
		&to->notes, log->unnamed,
		"%s: a mapping of a file has no name, or one without a folder: " IMPORTED_FILE,
		to->source);
	notes_add_counted(&to->notes, log->files > 0,
			  "%s: names are what open was called with, read when mmap was over: they "
			  "may be those of other files",
			  to->source);
	notes_add_counted(&to->notes, log->failed, "%s: an mmap had failed", to->source);
	notes_add_counted(&to->notes, log->lost, "%s: bpftrace lost an event, a fault or a mapping",
			  to->source);
}

bool bpftrace_read(struct imported *imported, struct lines *lines, struct err *err)
{
	struct log log = { .to = imported };
	struct text_line line;

	imported->meta.times_are_order = imported->meta.kinds_unknown = true;
	while (imported_next(imported, lines, &line))
		take_line(&log, &line);
	take_waiting(&log, true);
	imported_attach(imported);
	note(&log);
	note_cut_addresses(&log);
	mark_cut_names(&log);
	imported->summary.lost = log.lost;
	u64map_deinit(&log.comm_of);
	vec_deinit(&log.comms);
	strbuf_deinit(&log.waiting_text);
	return true;
}
