// SPDX-License-Identifier: Apache-2.0
#include "record/until/until.h"

#include "base/arena.h"
#include "base/cleanup.h"

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

void until_plan(const struct until *until, pid_t pid, struct watch *ret_watch)
{
	struct watch watch = { 0 };
	struct stat status;

	watch.wants[SIGHTING_LISTEN] = until_has(until, CONDITION_LISTEN);
	// The first stream is that of marks, whether it is watched or not.
	if (until_has(until, CONDITION_MARK) && stat(CONDITION_MARK_PATH, &status) == 0)
		watch.streams[0].special = status.st_rdev;
	watch.stream_count = 1;
	for (int fd = 1; fd <= 2 && until_has(until, CONDITION_OUTPUT); fd++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
		if ((pid ? stat(path, &status) : fstat(fd, &status)) == 0)
			add_stream(&watch, &status);
	}
	watch.wants[SIGHTING_WRITE] = watch.streams[0].special || watch.stream_count > 1;
	*ret_watch = watch;
}

void until_begin(struct until_state *state, const struct until *until, const struct watch *watch)
{
	*state = (struct until_state){ .until = until, .watch = *watch };
	if (until)
		state->moments = xcalloc(until->items.count + 1, sizeof(*state->moments));
}

void until_end(struct until_state *state)
{
	for (size_t i = 0; i < SIGHTING_STREAMS; i++)
		vec_deinit(&state->lines[i].text);
	free(state->moments);
	*state = (struct until_state){ 0 };
}

/** Condition @i held: the first time counts. */
static void hold(struct until_state *state, size_t i, uint64_t time_ns, uint32_t pid, uint32_t tid)
{
	struct until_moment *moment = &state->moments[i];

	if (!moment->held || time_ns < moment->time_ns)
		*moment = (struct until_moment){ true, time_ns, pid, tid };
}

static bool is_listening(const struct condition *condition, const struct sighting *sighting,
			 const char *path)
{
	if (!condition->argument)
		return true;
	if (condition->port)
		return sighting->port == condition->port;
	// The kernel has a path with its NUL, and a name that is no path behind one.
	const bool is_name = condition->argument[0] == '@';
	const size_t size = is_name ? sighting->size : strnlen(path, sighting->size);

	return size > 0 && size == strlen(condition->argument) && (is_name == (path[0] == '\0')) &&
	       memcmp(condition->argument + is_name, path + is_name, size - is_name) == 0;
}

/** Judge what a stream's line is so far. @is_whole: no more of it follows. */
static void judge_line(struct until_state *state, const struct sighting *sighting, bool is_whole)
{
	const struct until_line *line = &state->lines[sighting->stream];
	const char *text = line->text.items;
	const bool is_mark = sighting->stream == 0;

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
	struct until_line *line = &state->lines[sighting->stream];

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

void until_take(struct until_state *state, struct sightings *sightings)
{
	vec_foreach (sighting, &sightings->list) {
		const char *bytes = sightings->bytes.items + sighting->at;

		state->are_lost |= sighting->is_cut;
		if (sighting->kind == SIGHTING_WRITE)
			take_write(state, sighting, bytes);
		for (size_t i = 0; i < state->until->items.count; i++) {
			const struct condition *condition = &state->until->items.items[i].condition;

			if (sighting->kind == SIGHTING_LISTEN &&
			    condition->kind == CONDITION_LISTEN &&
			    is_listening(condition, sighting, bytes))
				hold(state, i, sighting->time_ns, sighting->pid, sighting->tid);
		}
	}
	state->are_lost |= sightings->are_lost;
	sightings->list.count = sightings->bytes.count = 0;
}

void until_tick(struct until_state *state, uint64_t start_ns, uint64_t now_ns)
{
	if (!state->until || !start_ns)
		return;
	for (size_t i = 0; i < state->until->items.count; i++) {
		const struct condition *condition = &state->until->items.items[i].condition;

		if (condition->kind == CONDITION_AFTER && now_ns >= start_ns + condition->ns)
			hold(state, i, start_ns + condition->ns, 0, 0);
	}
}

bool until_signal(struct until_state *state, uint64_t now_ns)
{
	if (!until_has(state->until, CONDITION_SIGNAL))
		return false;
	for (size_t i = 0; i < state->until->items.count; i++)
		if (state->until->items.items[i].condition.kind == CONDITION_SIGNAL)
			hold(state, i, now_ns, 0, 0);
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

void until_write(const struct until_state *state, struct trace_writer *writer)
{
	const struct until *until = state->until;
	uint64_t end_ns = UINT64_MAX;
	size_t end_item = SIZE_MAX;

	if (!until)
		return;
	until_is_over(state, &end_ns, &end_item);
	for (size_t i = 0; i < until->items.count; i++) {
		const struct until_moment *moment = &state->moments[i];
		const bool held = moment->held && moment->time_ns <= end_ns;
		const struct trace_mark mark = {
			.time_ns = held ? moment->time_ns : 0,
			.name = until->items.items[i].name,
			.condition = until->items.items[i].condition.text,
			.pid = held ? moment->pid : 0,
			.tid = held ? moment->tid : 0,
			.flags = (held ? 0u : (uint32_t)TRACE_MARK_MISSED) |
				 (i == end_item ? (uint32_t)TRACE_MARK_END : 0u),
		};

		trace_writer_mark(writer, &mark);
	}
}
