// SPDX-License-Identifier: Apache-2.0
// Conditions that a recording watches, and the moments at which they first held: each is a mark,
// and some of them end it.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "bpf/sighting.h"
#include "record/until/condition.h"
#include "record/until/notify.h"
#include "record/until/window.h"
#include "trace/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** The fate of the command when a condition has ended its recording. */
enum until_then {
	UNTIL_THEN_LEAVE, // it goes on
	UNTIL_THEN_END,	  // it is ended, and all that it started
};

/** One condition that was asked for. */
struct until_item {
	char *name;
	struct condition condition;
	bool is_end; // it ends the recording; else it is a mark alone
};

/** All of them. Zero-initialise; release with until_deinit(). */
struct until {
	VEC(struct until_item) items;
	bool wants_all; // of those that end the recording; else the first of them does
	enum until_then then;
};

/**
 * Add a condition, @text, by the name @name; NULL: it is named after its kind.
 * @err: ERR_INPUT, also for a name that another has.
 */
bool until_add(struct until *until, const char *name, const char *text, bool is_end,
	       struct err *err);
void until_deinit(struct until *until);

/** Whether any condition ends the recording. */
bool until_has_end(const struct until *until);

/** Whether any condition is of this kind. */
bool until_has(const struct until *until, enum condition_kind kind);

/**
 * Fill in what a backend has to watch; it borrows from @until and @program.
 *
 * @pid:     whose output it is; 0: of a command that gets this process's own,
 * @is_silent: or none
 * @program: the file that the command, or the process, runs; NULL: unknown
 * @err:     ERR_INPUT: more of one kind than can be watched, or a folder that is not there
 */
bool until_plan(const struct until *until, pid_t pid, bool is_silent, const char *program,
		struct watch *ret_watch, struct err *err);

/** The moment at which a condition first held. */
struct until_moment {
	bool held, is_written;
	uint64_t time_ns;
	uint32_t pid, tid;
};

/** The line that a stream is in, as far as it was written. */
struct until_line {
	VEC(char) text;
};

/** The conditions that have held so far. */
struct until_state {
	const struct until *until;
	struct until_moment *moments; // beside until->items
	struct until_line lines[SIGHTING_STREAMS];
	struct notify notify;
	struct window_watch windows;
	struct u64map processes; // recorded so far, if a window is waited for
	size_t tasks_seen;	 // of those that until_take_tasks() was given
	bool are_lost;		 // sightings: a condition may have held, unseen
};

/**
 * Begin to judge @until, which may be NULL: then nothing ever holds. A command that is started
 * afterwards has in its environment what some conditions need; of a unit, @is_unit, the manager
 * tells. The display of a window is @caller's.
 */
bool until_begin(struct until_state *state, const struct until *until, bool is_unit,
		 const struct caller *caller, struct err *err);
void until_end(struct until_state *state);

/** Judge and forget all @sightings. */
void until_take(struct until_state *state, struct sightings *sightings);

/** Judge what happened to tasks: those of @tasks, which only grows, that are new. */
void until_take_tasks(struct until_state *state, const struct trace_task *tasks, size_t count);

/** It is @now_ns, and the command began at @start_ns. */
void until_tick(struct until_state *state, uint64_t start_ns, uint64_t now_ns);

/** A unit's manager says that it has started it, at @time_ns. */
void until_notified(struct until_state *state, uint64_t time_ns);

/** A signal to the recorder. Returns whether a condition waits for it. */
bool until_signal(struct until_state *state, uint64_t now_ns);

/** Whether the recording ends, *@ret_ns when and *@ret_item by which condition. */
bool until_is_over(const struct until_state *state, uint64_t *ret_ns, size_t *ret_item);

/** How long from @now_ns on until_tick() has nothing to do: at most @most_ns. */
uint64_t until_next_tick(const struct until_state *state, uint64_t start_ns, uint64_t now_ns,
			 uint64_t most_ns);

/**
 * Write the marks of the conditions that hold by now, each once, for a recording that is not
 * finished. Returns whether there was any.
 */
bool until_write_early(struct until_state *state, struct trace_writer *writer);

/** Write the marks of all conditions; those that held after the end did not. */
void until_write(const struct until_state *state, struct trace_writer *writer);
