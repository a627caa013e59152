// SPDX-License-Identifier: Apache-2.0
#include "record/until/until.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_MAX_BYTES = 64 << 10 };

bool until_add(struct until *until, const char *name, const char *text, bool is_end,
	       struct err *err)
{
	struct until_item item = { .is_end = is_end };

	if (!condition_parse(text, &item.condition, err))
		return false;
	item.name = name ? xstrdup(name) : condition_name(&item.condition);
	vec_foreach (other, &until->items) {
		if (strcmp(other->name, item.name) != 0)
			continue;
		// Two of one kind are told apart by all that was asked for.
		if (!name && strcmp(item.name, text) != 0) {
			free(item.name);
			item.name = xstrdup(text);
			continue;
		}
		err_set(err, ERR_INPUT, "two conditions are named %s; name one by --mark NAME=%s",
			item.name, text);
		free(item.name);
		condition_deinit(&item.condition);
		return false;
	}
	vec_push(&until->items, item);
	return true;
}

void until_deinit(struct until *until)
{
	vec_foreach (item, &until->items) {
		free(item->name);
		condition_deinit(&item->condition);
	}
	vec_deinit(&until->items);
}

bool until_has_end(const struct until *until)
{
	if (until)
		vec_foreach (item, &until->items)
			if (item->is_end)
				return true;
	return false;
}

bool until_has(const struct until *until, enum condition_kind kind)
{
	if (until)
		vec_foreach (item, &until->items)
			if (item->condition.kind == kind)
				return true;
	return false;
}

static void add_stream(struct watch *watch, const struct stat *status)
{
	array_foreach (stream, watch->streams, watch->stream_count)
		if (stream->device == status->st_dev && stream->inode == status->st_ino)
			return;
	watch->streams[watch->stream_count++] = (struct watched_stream){
		.device = status->st_dev,
		.inode = status->st_ino,
	};
}

static bool too_many(const struct condition *condition, size_t most, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: at most %zu of this kind can be watched at once",
		       condition->text, most);
}

/** Watch the file at @condition's path: by its name in its folder, whether it is there or not. */
static bool plan_file(const struct condition *condition, struct watch *watch, struct err *err)
{
	CLEANUP(freep) char *real = realpath(condition->argument, NULL);
	CLEANUP(freep) char *folder = xstrdup(real ? real : condition->argument);
	struct watched_file *file = &watch->files[watch->file_count];
	char *slash = strrchr(folder, '/');
	const char *name = slash ? slash + 1 : folder;
	struct stat status;

	if (watch->file_count == SIGHTING_FILES)
		return too_many(condition, SIGHTING_FILES, err);
	memcpy(file->name, name, strnlen(name, sizeof(file->name) - 1));
	if (slash)
		slash[slash == folder] = '\0';
	if (stat(slash ? folder : ".", &status) != 0)
		return err_os(err, "%s: the folder of the file", condition->text);
	file->device = status.st_dev;
	file->inode = status.st_ino;
	watch->file_count++;
	return true;
}

static bool plan_function(const struct condition *condition, const char *program,
			  struct watch *watch, struct err *err)
{
	const char *object = condition->object ? condition->object : program;

	if (watch->function_count == SIGHTING_FUNCTIONS)
		return too_many(condition, SIGHTING_FUNCTIONS, err);
	if (!object)
		return err_set(err, ERR_INPUT, "%s: name the file that has it: function:OBJECT:%s",
			       condition->text, condition->argument);
	watch->functions[watch->function_count++] =
		(struct watched_function){ object, condition->argument };
	return true;
}

static bool plan_one(const struct condition *condition, const char *program, struct watch *watch,
		     struct err *err)
{
	switch (condition->kind) {
	case CONDITION_FILE:
		return plan_file(condition, watch, err);
	case CONDITION_FUNCTION:
		return plan_function(condition, program, watch, err);
	case CONDITION_QUIET:
		if (watch->quiet_ns && watch->quiet_ns != condition->ns)
			return too_many(condition, 1, err);
		watch->quiet_ns = condition->ns;
		return true;
	case CONDITION_LISTEN:
	case CONDITION_OUTPUT:
	case CONDITION_EXEC:
	case CONDITION_NOTIFY:
	case CONDITION_WINDOW:
	case CONDITION_MARK:
	case CONDITION_AFTER:
	case CONDITION_SIGNAL:
		break;
	}
	return true;
}

bool until_plan(const struct until *until, pid_t pid, bool is_silent, const char *program,
		struct watch *ret_watch, struct err *err)
{
	struct watch watch = { 0 };
	struct stat status;

	if (until)
		vec_foreach (item, &until->items)
			if (!plan_one(&item->condition, program, &watch, err))
				return false;
	// The first stream is that of marks, whether it is watched or not.
	if (until_has(until, CONDITION_MARK) && stat(CONDITION_MARK_PATH, &status) == 0)
		watch.streams[0].special = status.st_rdev;
	watch.stream_count = 1;
	for (int fd = 1; fd <= 2 && until_has(until, CONDITION_OUTPUT); fd++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
		if ((pid	 ? stat(path, &status)
		     : is_silent ? stat("/dev/null", &status)
				 : fstat(fd, &status)) == 0)
			add_stream(&watch, &status);
	}
	watch.wants[SIGHTING_LISTEN] = until_has(until, CONDITION_LISTEN);
	watch.wants[SIGHTING_WRITE] = watch.streams[0].special || watch.stream_count > 1;
	watch.wants[SIGHTING_FILE] = watch.file_count > 0;
	watch.wants[SIGHTING_ENTER] = watch.function_count > 0;
	watch.wants[SIGHTING_QUIET] = watch.quiet_ns > 0;
	*ret_watch = watch;
	return true;
}

bool until_begin(struct until_state *state, const struct until *until, bool is_unit,
		 const struct caller *caller, struct err *err)
{
	*state = (struct until_state){ .until = until,
				       .notify = { .fd = -1 },
				       .windows = { .fd = -1 } };
	if (!until)
		return true;
	state->moments = xcalloc(until->items.count + 1, sizeof(*state->moments));
	if (until_has(until, CONDITION_MARK))
		setenv(CONDITION_MARK_VARIABLE, CONDITION_MARK_PATH, 1);
	if (!is_unit && until_has(until, CONDITION_NOTIFY) && !notify_open(&state->notify, err))
		return false;
	return !until_has(until, CONDITION_WINDOW) ||
	       window_watch_open(&state->windows, caller, err);
}

void until_end(struct until_state *state)
{
	for (size_t i = 0; i < SIGHTING_STREAMS; i++)
		vec_deinit(&state->lines[i].text);
	free(state->moments);
	if (state->until) {
		notify_close(&state->notify);
		window_watch_close(&state->windows);
	}
	u64map_deinit(&state->processes);
	*state = (struct until_state){ 0 };
}

/** Condition @i held: the first time counts. */
static void hold(struct until_state *state, size_t i, uint64_t time_ns, uint32_t pid, uint32_t tid)
{
	struct until_moment *moment = &state->moments[i];

	if (!moment->held || time_ns < moment->time_ns)
		*moment = (struct until_moment){ true, moment->is_written, time_ns, pid, tid };
}

static bool is_listening(const struct condition *condition, const struct sighting *sighting,
			 const char *path)
{
	if (!condition->argument)
		return true;
	if (condition->port)
		return sighting->place == condition->port;
	// The kernel has a path with its NUL, and a name that is no path behind one.
	const bool is_name = condition->argument[0] == '@';
	const size_t size = is_name ? sighting->size : strnlen(path, sighting->size);

	return size > 0 && size == strlen(condition->argument) && (is_name == (path[0] == '\0')) &&
	       memcmp(condition->argument + is_name, path + is_name, size - is_name) == 0;
}

/** Judge what a stream's line is so far. @is_whole: no more of it follows. */
static void judge_line(struct until_state *state, const struct sighting *sighting, bool is_whole)
{
	const struct until_line *line = &state->lines[sighting->place];
	const char *text = line->text.items;
	const bool is_mark = sighting->place == 0;

	for (size_t i = 0; i < state->until->items.count; i++) {
		const struct condition *condition = &state->until->items.items[i].condition;
		bool holds = false;

		if (is_mark && condition->kind == CONDITION_MARK)
			holds = is_whole && strcmp(condition->argument, text) == 0;
		else if (!is_mark && condition->kind == CONDITION_OUTPUT)
			holds = regexec(&condition->regex, text, 0, NULL,
					is_whole ? 0 : REG_NOTEOL) == 0;
		if (holds)
			hold(state, i, sighting->time_ns, sighting->pid, sighting->tid);
	}
}

/** A line is judged when it ends, and as far as it goes when a write ends within it. */
static void take_write(struct until_state *state, const struct sighting *sighting,
		       const char *bytes)
{
	struct until_line *line = &state->lines[sighting->place];

	for (size_t i = 0; i < sighting->size; i++) {
		if (bytes[i] == '\n') {
			if (line->text.count > 0 && line->text.items[line->text.count - 1] == '\r')
				line->text.count--;
			vec_push(&line->text, '\0');
			judge_line(state, sighting, true);
			line->text.count = 0;
		} else if (line->text.count < LINE_MAX_BYTES && bytes[i] != '\0') {
			vec_push(&line->text, bytes[i]);
		}
	}
	if (line->text.count == 0)
		return;
	vec_push(&line->text, '\0');
	judge_line(state, sighting, false);
	line->text.count--;
}

/** True if @sighting is what @condition waits for; @nth: the number of its kind before it. */
static bool is_of(const struct condition *condition, size_t nth, const struct sighting *sighting,
		  const char *bytes)
{
	switch (sighting->kind) {
	case SIGHTING_LISTEN:
		return condition->kind == CONDITION_LISTEN &&
		       is_listening(condition, sighting, bytes);
	case SIGHTING_FILE:
		return condition->kind == CONDITION_FILE && nth == sighting->place &&
		       (sighting->is_created || !condition->is_created);
	case SIGHTING_ENTER:
		return condition->kind == CONDITION_FUNCTION && nth == sighting->place;
	case SIGHTING_QUIET:
		return condition->kind == CONDITION_QUIET;
	case SIGHTING_WRITE: // take_write()
	case SIGHTING_KINDS:
		break;
	}
	return false;
}

static void take_sighting(struct until_state *state, const struct sighting *sighting,
			  const char *bytes)
{
	size_t files = 0, functions = 0;

	for (size_t i = 0; i < state->until->items.count; i++) {
		const struct condition *condition = &state->until->items.items[i].condition;
		const size_t nth = condition->kind == CONDITION_FILE	   ? files++
				   : condition->kind == CONDITION_FUNCTION ? functions++
									   : 0;

		if (is_of(condition, nth, sighting, bytes))
			hold(state, i, sighting->time_ns, sighting->pid, sighting->tid);
	}
}

void until_take(struct until_state *state, struct sightings *sightings)
{
	vec_foreach (sighting, &sightings->list) {
		const char *bytes = sightings->bytes.items + sighting->at;

		state->are_lost |= sighting->is_cut;
		if (sighting->kind == SIGHTING_WRITE)
			take_write(state, sighting, bytes);
		else
			take_sighting(state, sighting, bytes);
	}
	state->are_lost |= sightings->are_lost;
	sightings->list.count = sightings->bytes.count = 0;
}

/** True if a task that executes a file of this name has @comm: as much of it as has room. */
static bool is_comm(const char *name, const char *comm)
{
	return strncmp(path_file_name(name), comm, sizeof(((struct trace_task *)0)->comm) - 1) == 0;
}

void until_take_tasks(struct until_state *state, const struct trace_task *tasks, size_t count)
{
	for (; state->tasks_seen < count; state->tasks_seen++) {
		const struct trace_task *task = &tasks[state->tasks_seen];

		if (state->windows.fd >= 0)
			u64map_add(&state->processes, task->pid);
		for (size_t i = 0; state->until && i < state->until->items.count; i++) {
			const struct condition *condition = &state->until->items.items[i].condition;

			if (task->kind == TRACE_TASK_EXEC && condition->kind == CONDITION_EXEC &&
			    is_comm(condition->argument, task->comm))
				hold(state, i, task->time_ns, task->pid, task->tid);
		}
	}
}

/** Condition @kind holds at @time_ns by @pid. */
static void hold_all(struct until_state *state, enum condition_kind kind, uint64_t time_ns,
		     uint32_t pid)
{
	for (size_t i = 0; i < state->until->items.count; i++)
		if (state->until->items.items[i].condition.kind == kind)
			hold(state, i, time_ns, pid, pid);
}

void until_tick(struct until_state *state, uint64_t start_ns, uint64_t now_ns)
{
	struct mapped_window window;
	uint64_t time_ns;
	pid_t pid;

	if (!state->until)
		return;
	if (notify_take(&state->notify, &time_ns, &pid))
		hold_all(state, CONDITION_NOTIFY, time_ns, (uint32_t)pid);
	if (window_watch_take(&state->windows, &state->processes, &window))
		hold_all(state, CONDITION_WINDOW, window.time_ns, window.pid);
	if (!start_ns)
		return;
	for (size_t i = 0; i < state->until->items.count; i++) {
		const struct condition *condition = &state->until->items.items[i].condition;

		if (condition->kind == CONDITION_AFTER && now_ns >= start_ns + condition->ns)
			hold(state, i, start_ns + condition->ns, 0, 0);
	}
}

void until_notified(struct until_state *state, uint64_t time_ns)
{
	if (state->until)
		hold_all(state, CONDITION_NOTIFY, time_ns, 0);
}

bool until_signal(struct until_state *state, uint64_t now_ns)
{
	if (!until_has(state->until, CONDITION_SIGNAL))
		return false;
	hold_all(state, CONDITION_SIGNAL, now_ns, 0);
	return true;
}

bool until_is_over(const struct until_state *state, uint64_t *ret_ns, size_t *ret_item)
{
	const struct until *until = state->until;
	bool is_over = false;

	for (size_t i = 0; until && i < until->items.count; i++) {
		const struct until_moment *moment = &state->moments[i];

		if (!until->items.items[i].is_end)
			continue;
		if (until->wants_all && !moment->held)
			return false;
		if (!moment->held || (is_over && (moment->time_ns < *ret_ns) == until->wants_all))
			continue;
		is_over = true;
		*ret_ns = moment->time_ns;
		*ret_item = i;
	}
	return is_over;
}

uint64_t until_next_tick(const struct until_state *state, uint64_t start_ns, uint64_t now_ns,
			 uint64_t most_ns)
{
	for (size_t i = 0; state->until && i < state->until->items.count; i++) {
		const struct condition *condition = &state->until->items.items[i].condition;
		const uint64_t then_ns = start_ns + condition->ns;

		if (condition->kind == CONDITION_AFTER && start_ns && then_ns > now_ns &&
		    then_ns - now_ns < most_ns)
			most_ns = then_ns - now_ns;
	}
	return most_ns;
}

/** Write what is known of condition @i, where the recording ends at @end_ns by @end_item. */
static void write_mark(const struct until_state *state, size_t i, uint64_t end_ns, size_t end_item,
		       uint32_t flags, struct trace_writer *writer)
{
	const struct until_item *item = &state->until->items.items[i];
	const struct until_moment *moment = &state->moments[i];
	const bool held = moment->held && moment->time_ns <= end_ns;
	const struct trace_mark mark = {
		.time_ns = held ? moment->time_ns : 0,
		.name = item->name,
		.condition = item->condition.text,
		.pid = held ? moment->pid : 0,
		.tid = held ? moment->tid : 0,
		.flags = flags | (held ? 0u : (uint32_t)TRACE_MARK_MISSED) |
			 (i == end_item ? (uint32_t)TRACE_MARK_END : 0u),
	};

	trace_writer_mark(writer, &mark);
}

bool until_write_early(struct until_state *state, struct trace_writer *writer)
{
	uint64_t end_ns = UINT64_MAX;
	size_t end_item = SIZE_MAX;
	bool is_any = false;

	until_is_over(state, &end_ns, &end_item);
	for (size_t i = 0; state->until && i < state->until->items.count; i++) {
		struct until_moment *moment = &state->moments[i];

		if (!moment->held || moment->is_written || moment->time_ns > end_ns)
			continue;
		write_mark(state, i, end_ns, end_item, TRACE_MARK_EARLY, writer);
		moment->is_written = is_any = true;
	}
	return is_any;
}

void until_write(const struct until_state *state, struct trace_writer *writer)
{
	uint64_t end_ns = UINT64_MAX;
	size_t end_item = SIZE_MAX;

	until_is_over(state, &end_ns, &end_item);
	for (size_t i = 0; state->until && i < state->until->items.count; i++)
		write_mark(state, i, end_ns, end_item, 0, writer);
}
