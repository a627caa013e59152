// SPDX-License-Identifier: Apache-2.0
// The end of a recording: take what is left, give up privilege, unwind, close the trace.
#include "record/session.h"

#include "base/err.h"
#include "base/privilege.h"
#include "unwind/unwind.h"

#include <inttypes.h>

static bool unwind(struct session *session, const struct mappedfiles_result *files,
		   struct record_result *result, struct err *err)
{
	struct sink *sink = &session->sink;

	if (!sink->spool)
		return true;
	result->stacks_lost = session->summary.stacks_lost + stackspool_lost(sink->spool);
	session->summary.stacks_lost = result->stacks_lost;
	if (stackspool_count(sink->spool) == 0)
		return true;
	sink_sort(sink);

	const struct unwind_input input = {
		.mappings = sink->mappings.items,
		.mapping_count = sink->mappings.count,
		.tasks = sink->tasks.items,
		.task_count = sink->tasks.count,
		.spool = sink->spool,
		.files = files->identities,
		.fds = files->fds,
		.file_count = files->count,
		.stack_bytes = session->stack_bytes,
		.stack_bytes_max = session->stack_bytes_max,
		.lost_stacks = session->summary.stacks_lost > 0,
		.progress = session->options->progress,
	};

	if (!unwind_append(&input, sink->writer, session->outfile.fd, session->notes,
			   &result->without_callers, err))
		return false;
	session->summary.stacks_lost += result->without_callers;
	return true;
}

static bool writer_result(struct session *session, struct err *err)
{
	const struct err *failed = trace_writer_error(session->sink.writer);

	if (!failed)
		return true;
	*err = *failed;
	return err_prefix(err, "%s: %" PRIu64 " faults were kept, then", session->options->output,
			  trace_writer_faults_kept(session->sink.writer));
}

/** Say how the recording ended, and end the command where that is wanted. */
static void finish_command(struct session *session, struct record_result *result)
{
	const struct until *until = session->options->until;
	struct record_ending *ending = &result->ending;

	if (session->unit.status != 0)
		notes_add(session->notes,
			  "the unit could not be started (exit status %d of systemctl start); "
			  "systemctl status %s has the reason",
			  session->unit.status, session->unit.name);
	if (!until_has_end(until))
		return;
	ending->held = session->is_over;
	ending->is_missed = !session->is_over;
	if (!session->is_over)
		return;
	ending->name = until->items.items[session->over_item].name;
	ending->since_ns = trace_since(session->over_ns, session_command_start(session));
	if (until->then == UNTIL_THEN_END)
		ending->ended = session->unit.name ? unit_stop(&session->unit, &session->old_mask)
						   : session_end_processes(session);
	// It may have been populated for so short that the loop did not see it.
	ending->is_running = session->options->command ? session->running
			     : session->cgroup.fd >= 0 ? cgroup_is_populated(&session->cgroup)
						       : !session_process_ended(session);
	session->running = false; // it is not waited for
}

bool session_finish(struct session *session, const struct caller *caller,
		    struct record_result *result, struct err *err)
{
	struct sink *sink = &session->sink;

	session->has_counts = session->has_counts &&
			      attach_count(session->pid, &session->counts[ATTACH_BEFORE_END]);
	diskcounters_read(&session->disks[DISK_BEFORE_END]);
	session->backend->stop(session->backend, sink, session->notes);
	diskcounters_read(&session->disks[DISK_AFTER_END]);
	if (session->backend->sees_storage)
		diskcounters_write(session->disks, sink->writer);
	session->has_counts = session->has_counts &&
			      attach_count(session->pid, &session->counts[ATTACH_AFTER_END]);
	while (mapwatch_drain(session->watch, sink) > 0)
		;
	session_judge(session);
	until_write(&session->until, sink->writer);
	if (session->until.are_lost)
		notes_add(session->notes,
			  "part of what was written was not seen (more than 64 KiB in a call, or "
			  "too much at once): a condition may have held before, or unseen");
	if (session->until.windows.is_gone)
		notes_add(session->notes,
			  "the X display went away: a window may have been mapped, unseen");
	notes_add_counted(session->notes, session->backend->moved_running,
			  "a process was moved into the cgroup while it ran: it is recorded from "
			  "its next exec on");
	priority_restore(&session->priority);
	readahead_restore(&session->readahead, session->notes);
	session_account(session, caller, result);
	finish_command(session, result);
	trace_writer_flush(sink->writer);
	session_close_events(session);
	// Nothing of the target's files is read before privilege is gone for good.
	if (!writer_result(session, err) || !privilege_drop(caller, err))
		return false;
	const struct mappedfiles_result files =
		mappedfiles_settle(session->files, !session->options->no_embed, sink->writer);

	if (session->options->cold == RECORD_COLD_FILES)
		coldfiles_note_others(session->options->files, session->files, session->notes);
	trace_writer_flush(sink->writer);
	if (!writer_result(session, err))
		return false;
	if (!unwind(session, &files, result, err))
		return err_prefix(err, "%s: %" PRIu64 " faults were kept, then",
				  session->options->output, trace_writer_faults_kept(sink->writer));
	vec_foreach (note, &session->notes->list)
		trace_writer_note(sink->writer, note);
	trace_writer_finish(sink->writer, &session->summary);
	return writer_result(session, err);
}
