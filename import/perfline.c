// SPDX-License-Identifier: Apache-2.0
// One line of what `perf script` prints. Names of tasks, symbols and files are printed as they are:
// they may hold whatever a line is made of. A task's name has at most 15 bytes, and the numbers
// that count are looked for where none of these names can be.
#include "import/perfscript.h"

#include <sys/sysmacros.h>

enum {
	COMM_FIELD = 16, // characters that a task's name takes at most
	NS_DIGITS = 9,
};

// ---- Heads ------------------------------------------------------------------------------------

/** "81198.783687409:" */
static bool scan_time(struct scan *scan, uint64_t *ret_time_ns)
{
	uint64_t seconds, time_ns, fraction = 0;
	size_t digits = 0;

	if (!scan_number(scan, &seconds) || !scan_text(scan, "."))
		return false;
	for (; !scan_is_end(scan) && scan_digit(*scan->at) < 10 && digits < NS_DIGITS; digits++)
		fraction = fraction * 10 + scan_digit(*scan->at++);
	if (digits == 0)
		return false;
	for (; digits < NS_DIGITS; digits++)
		fraction *= 10;
	if (!checked_mul(seconds, 1000000000, &time_ns) ||
	    !checked_add(time_ns, fraction, ret_time_ns))
		return false;
	return scan_text(scan, ":");
}

/** An id; -1, of the kernel, as 0. */
static bool scan_task_id(struct scan *scan, uint32_t *ret_id)
{
	if (scan_text(scan, "-1")) {
		*ret_id = 0;
		return true;
	}
	return scan_id(scan, ret_id);
}

/** Parse the part of a line that follows a task's name. */
static bool scan_head(struct scan *scan, struct perfline_head *head)
{
	uint64_t cpu;

	scan_blanks(scan);
	if (!scan_task_id(scan, &head->tid))
		return false;
	head->pid = head->tid;
	head->has_pid = scan_text(scan, "/");
	if (head->has_pid && !scan_task_id(scan, &head->tid))
		return false;
	if (scan_is_end(scan) || *scan->at != ' ')
		return false;
	scan_blanks(scan);
	if (scan_text(scan, "[") && (!scan_number(scan, &cpu) || !scan_text(scan, "]")))
		return false;
	scan_blanks(scan);
	return scan_time(scan, &head->time_ns);
}

bool perfline_head(const struct text_line *line, struct perfline_head *ret_head)
{
	// The last place where one may begin: what looks like one before that is of the name.
	for (size_t at = line->length < COMM_FIELD + 1 ? line->length : COMM_FIELD + 1; at-- > 0;) {
		const char *comm = line->text;
		struct perfline_head head = { 0 };

		if (line->text[at] != ' ')
			continue;
		head.rest = (struct scan){ line->text + at, line->text + line->length };
		if (!scan_head(&head.rest, &head))
			continue;
		// Names and ids are aligned by blanks.
		while (at > 0 && line->text[at - 1] == ' ')
			at--;
		while (comm < line->text + at && *comm == ' ')
			comm++;
		head.comm = comm;
		head.comm_length = (size_t)(line->text + at - comm);
		scan_blanks(&head.rest);
		*ret_head = head;
		return true;
	}
	return false;
}

// ---- Samples ----------------------------------------------------------------------------------

static const struct {
	const char *name;
	enum perfline_event event;
} events[] = {
	{ "page-faults", PERFLINE_FAULT },
	{ "faults", PERFLINE_FAULT },
	{ "minor-faults", PERFLINE_MINOR },
	{ "major-faults", PERFLINE_MAJOR },
};

/** "page-faults:" or, with a modifier, "page-faults:u:". */
static bool scan_event(struct scan *scan, enum perfline_event *ret_event)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct scan name = *scan;

		if (!scan_text(&name, events[i].name) || !scan_text(&name, ":"))
			continue;
		if (!scan_is_end(&name) && *name.at != ' ') {
			const char *end = scan_first(&name, ":");

			if (!end)
				continue;
			name.at = end + 1;
		}
		*scan = name;
		*ret_event = events[i].event;
		return true;
	}
	*ret_event = PERFLINE_OTHER;
	return scan_first(scan, ":") != NULL;
}

/**
 * The ip behind what the address is in, as "sym (file) IP sym (file)": the only number that
 * follows a parenthesis. Names may hold the like, so of several none is taken.
 */
static void find_ip(struct scan scan, struct perfline_sample *sample)
{
	const char *at;
	uint64_t number;

	while ((at = scan_first(&scan, ") "))) {
		scan.at = at + 1;
		scan_blanks(&scan);
		struct scan behind = scan;
		if (!scan_hex(&behind, &number) || (!scan_is_end(&behind) && *behind.at != ' '))
			continue;
		sample->is_ambiguous |= sample->has_ip;
		sample->has_ip = true;
		sample->ip = number;
	}
	if (sample->is_ambiguous)
		sample->has_ip = false;
}

bool perfline_sample(struct scan rest, struct perfline_sample *ret_sample)
{
	struct perfline_sample sample = { .period = 1 };
	struct scan start = rest;

	sample.has_period =
		scan_number(&rest, &sample.period) && !scan_is_end(&rest) && *rest.at == ' ';
	if (!sample.has_period) {
		rest = start;
		sample.period = 1;
	}
	scan_blanks(&rest);
	if (!scan_event(&rest, &sample.event))
		return false;
	*ret_sample = sample;
	if (sample.event == PERFLINE_OTHER)
		return true;
	scan_blanks(&rest);
	sample.has_addr = scan_hex(&rest, &sample.addr) && (scan_is_end(&rest) || *rest.at == ' ');
	scan_blanks(&rest);
	if (sample.has_addr && !scan_is_end(&rest)) {
		struct scan number = rest;

		sample.has_ip = scan_hex(&number, &sample.ip);
		scan_blanks(&number);
		if (!sample.has_ip || !scan_is_end(&number)) {
			sample.has_ip = false;
			find_ip(rest, &sample);
		}
	}
	*ret_sample = sample;
	return true;
}

// ---- Call chains ------------------------------------------------------------------------------

bool perfline_frame(const struct text_line *line, struct perfline_frame *ret_frame)
{
	static const char inlined[] = " (inlined)";
	struct scan scan = { line->text, line->text + line->length };
	const size_t end = sizeof(inlined) - 1;

	if (!scan_text(&scan, "\t"))
		return false;
	scan_blanks(&scan);
	if (!scan_hex(&scan, &ret_frame->value) || (!scan_is_end(&scan) && *scan.at != ' '))
		return false;
	ret_frame->behind = scan;
	ret_frame->is_inlined =
		scan_left(&scan) >= end && memcmp(scan.end - end, inlined, end) == 0;
	return true;
}

// ---- Records ----------------------------------------------------------------------------------

/** "/4711: [": the process before has been read. */
static bool scan_record_task(struct scan *scan, uint32_t *ret_pid, uint32_t *ret_tid)
{
	scan_blanks(scan);
	return scan_task_id(scan, ret_pid) && scan_text(scan, "/") && scan_task_id(scan, ret_tid) &&
	       scan_text(scan, ": ");
}

/** "<7ebc65…>", of which those too long for a trace are none. */
static bool scan_build_id(struct scan *scan, struct trace_mapping *mapping)
{
	size_t size = 0;

	for (; scan_left(scan) >= 2 && scan_digit(scan->at[0]) < 16 && scan_digit(scan->at[1]) < 16;
	     scan->at += 2)
		if (size < TRACE_BUILD_ID_MAX)
			mapping->build_id[size++] =
				(uint8_t)(scan_digit(scan->at[0]) << 4 | scan_digit(scan->at[1]));
	mapping->build_id_size = (uint8_t)size;
	return scan_text(scan, ">");
}

/** " fe:00 318591 0" or " <7ebc65…>" */
static bool scan_identity(struct scan *scan, struct trace_mapping *mapping)
{
	uint64_t major, minor, generation;

	scan_blanks(scan);
	if (scan_text(scan, "<"))
		return scan_build_id(scan, mapping);
	if (!scan_hex(scan, &major) || !scan_text(scan, ":") || !scan_hex(scan, &minor) ||
	    major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	scan_blanks(scan);
	if (!scan_number(scan, &mapping->inode))
		return false;
	scan_blanks(scan);
	mapping->device = makedev((unsigned)major, (unsigned)minor);
	return scan_number(scan, &generation);
}

/** "r-xp ", of which older perf only has "x " or "r ": then no access is concluded from it. */
static bool scan_protection(struct scan *scan, struct trace_mapping *mapping)
{
	const char *at = scan->at;

	if (scan_text(scan, "x ") || scan_text(scan, "r ")) {
		mapping->protection = TRACE_PROTECTION_READ | TRACE_PROTECTION_WRITE |
				      (*at == 'x' ? TRACE_PROTECTION_EXEC : 0);
		return true;
	}
	if (scan_left(scan) < 5 || at[4] != ' ')
		return false;
	mapping->protection = (at[0] == 'r' ? TRACE_PROTECTION_READ : 0u) |
			      (at[1] == 'w' ? TRACE_PROTECTION_WRITE : 0u) |
			      (at[2] == 'x' ? TRACE_PROTECTION_EXEC : 0u);
	mapping->is_shared = at[3] == 's';
	scan->at += 5;
	return true;
}

bool perfline_mapping(struct scan rest, struct trace_mapping *ret_mapping, struct scan *ret_path)
{
	struct trace_mapping mapping = { 0 };
	bool is_2 = scan_text(&rest, "PERF_RECORD_MMAP2");

	if ((!is_2 && !scan_text(&rest, "PERF_RECORD_MMAP")) ||
	    !scan_record_task(&rest, &mapping.pid, &mapping.tid) || !scan_text(&rest, "[") ||
	    !scan_c_number(&rest, &mapping.addr) || !scan_text(&rest, "(") ||
	    !scan_c_number(&rest, &mapping.size) || !scan_text(&rest, ") @ ") ||
	    !scan_c_number(&rest, &mapping.offset) || (is_2 && !scan_identity(&rest, &mapping)) ||
	    !scan_text(&rest, "]: ") || !scan_protection(&rest, &mapping))
		return false;
	*ret_mapping = mapping;
	*ret_path = rest;
	return true;
}

/** "(4711:4712):(4710:4710)" */
static bool scan_two_tasks(struct scan scan, struct trace_task *task)
{
	return scan_text(&scan, "(") && scan_task_id(&scan, &task->pid) && scan_text(&scan, ":") &&
	       scan_task_id(&scan, &task->tid) && scan_text(&scan, "):(") &&
	       scan_task_id(&scan, &task->parent_pid) && scan_text(&scan, ":") &&
	       scan_task_id(&scan, &task->parent_tid) && scan_text(&scan, ")");
}

bool perfline_task(struct scan rest, struct trace_task *ret_task, struct scan *ret_comm)
{
	struct trace_task task = { 0 };

	*ret_comm = (struct scan){ rest.at, rest.at };
	if (scan_text(&rest, "PERF_RECORD_FORK") || scan_text(&rest, "PERF_RECORD_EXIT")) {
		task.kind = rest.at[-1] == 'K' ? TRACE_TASK_FORK : TRACE_TASK_EXIT;
		if (!scan_two_tasks(rest, &task))
			return false;
		if (task.kind == TRACE_TASK_EXIT)
			task.parent_pid = task.parent_tid = 0;
		*ret_task = task;
		return true;
	}
	if (!scan_text(&rest, "PERF_RECORD_COMM"))
		return false;
	task.kind = scan_text(&rest, " exec") ? TRACE_TASK_EXEC : TRACE_TASK_COMM;
	if (!scan_text(&rest, ": "))
		return false;
	const char *colon = scan_last(&rest, ":"); // names may have colons as well
	if (!colon)
		return false;
	struct scan ids = { colon + 1, rest.end };
	*ret_comm = (struct scan){ rest.at, colon };
	*ret_task = task;
	return scan_task_id(&ids, &ret_task->pid) && scan_text(&ids, "/") &&
	       scan_task_id(&ids, &ret_task->tid);
}

bool perfline_lost(struct scan rest, uint64_t *ret_lost)
{
	const char *blank;

	if (!scan_text(&rest, "PERF_RECORD_LOST"))
		return false;
	blank = scan_last(&rest, " ");
	if (!blank)
		return false;
	rest.at = blank + 1;
	return scan_number(&rest, ret_lost);
}
