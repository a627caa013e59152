// SPDX-License-Identifier: Apache-2.0
// Accounts for every fault that the kernel counted: recorded, lost, without an event, hidden, or of
// nobody that was waited for.
#include "record/session.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/missing.h"

#include <inttypes.h>
#include <unistd.h>

/**
 * The tasks' own counts beside the kernel's count of the command. A process that nobody waits for
 * is not in that one; its faults are in the trace all the same. Returns what is in it alone.
 */
static uint64_t compare_with_rusage(struct session *session, uint64_t living)
{
	const struct trace_summary *summary = &session->summary;
	uint64_t seen = summary->recorded + summary->lost + summary->before_exec +
			summary->unsampled - living;
	uint64_t waited = summary->rusage_minor + summary->rusage_major;

	if (seen > waited)
		notes_add_counted(session->notes, seen - waited,
				  "a fault belongs to a process that was never waited for: the"
				  " kernel's count of the command excludes it");
	return waited > seen ? waited - seen : 0;
}

/**
 * The kernel's own counters of each task that has ended are known: take from them what raised no
 * event, and check that whatever did was either recorded or counted as lost. @living: of the
 * faults, those of tasks that still run. Returns how many of the kernel's count remain unexplained.
 */
static uint64_t account_by_task(struct session *session, uint64_t living)
{
	const struct sink *sink = &session->sink;
	struct trace_summary *summary = &session->summary;
	uint64_t found = summary->recorded + summary->lost + summary->before_exec;
	int64_t unsampled = sink->unsampled - (int64_t)(session->launch.baseline_minor +
							session->launch.baseline_major);

	// Since 6.16 a task's end is told before it gives up its memory, which may still fault.
	if (sink->seen > found)
		notes_add(session->notes,
			  "%" PRIu64 " faults raised an event, but %" PRIu64
			  " were recorded or counted as lost: please report this",
			  sink->seen, found);
	if (unsampled < 0)
		notes_add(session->notes,
			  "%" PRIu64 " more faults were recorded than the kernel counted: please"
			  " report this",
			  (uint64_t)-unsampled);
	summary->has_unsampled = true;
	summary->unsampled = unsampled > 0 ? (uint64_t)unsampled : 0;
	return compare_with_rusage(session, living);
}

/** Note the tasks that the command leaves behind, whose faults are in no count of the kernel. */
static void note_running(struct session *session, size_t running, size_t processes, uint64_t living)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *share = living == 0 ? ""
					: arena_printf(&arena,
						       ", and the %" PRIu64 " before not in"
						       " the kernel's count",
						       living);

	notes_add(session->notes,
		  "%zu process%s (%zu thread%s) started by the command %s still running when it"
		  " ended: later faults are not recorded%s",
		  processes, processes == 1 ? "" : "es", running, figure_plural(running),
		  processes == 1 ? "was" : "were", share);
}

/** Faults and programs that were not to be seen: perf's from the exec on, BPF's as counted there.
 */
static void count_unseen(struct session *session, const struct caller *caller,
			 struct record_result *result)
{
	struct sink *sink = &session->sink;
	char why[160];

	result->hidden = sink->hidden;
	snprintf(why, sizeof(why),
		 "a fault of a program that user %d may not trace (setuid, with file capabilities"
		 " or not readable) was not recorded",
		 (int)caller->uid);
	notes_add_counted(session->notes, sink->hidden, "%s", why);
	session->summary.has_unrecorded = true;
	session->summary.hidden = sink->hidden;
	session->summary.exec_unsampled = sink->exec_unsampled;
	if (session->backend->counts_exits)
		return;
	session->summary.exec_unsampled =
		execpages_most(session->options->command, environ, sink_execs(sink),
			       sink_forks(sink), session->backend->sees_kernel);
	sink_sort(sink);
	for (size_t i = 0; i < sink->tasks.count; i++) {
		if (!sink_lost_at_exec(sink, i))
			continue;
		result->unseen_programs++;
		notes_add(session->notes,
			  "%s is setuid, has file capabilities or is not readable: perf events"
			  " end at its exec, so that its faults were not recorded",
			  sink->tasks.items[i].comm);
	}
	session->summary.unseen_programs = result->unseen_programs;
}

/**
 * Count the faults of the process attached to while it was recorded, as the kernel has them. When
 * that began and ended is known to lie between two looks at its count each: what was recorded has
 * to as well.
 */
static void account_attached(struct session *session)
{
	const struct attach_counts *counts = session->counts;
	struct trace_summary *summary = &session->summary;
	uint64_t found = summary->recorded + summary->lost;
	uint64_t major = counts[ATTACH_AFTER_END].major - counts[ATTACH_BEFORE_BEGIN].major;
	uint64_t most = counts[ATTACH_AFTER_END].minor - counts[ATTACH_BEFORE_BEGIN].minor + major;
	uint64_t least = counts[ATTACH_BEFORE_END].minor + counts[ATTACH_BEFORE_END].major -
			 counts[ATTACH_AFTER_BEGIN].minor - counts[ATTACH_AFTER_BEGIN].major;

	// The count is of this process alone.
	if (!session->has_counts || session->sink.root_faults != summary->recorded)
		return;
	uint64_t all = found < least ? least : found > most ? most : found;

	summary->has_rusage = true;
	summary->rusage_major = major < all ? major : all;
	summary->rusage_minor = all - summary->rusage_major;
}

/** Return the faults that the command's recording lacks beside those lost, hidden and not seen. */
static uint64_t eventless_of(const struct session *session, uint64_t living)
{
	const struct trace_summary *summary = &session->summary;

	return missing_of(&(struct missing_counts){
				  .recorded = summary->recorded,
				  .lost = summary->lost,
				  .before_exec = summary->before_exec,
				  .living = living,
				  .has_rusage = summary->has_rusage,
				  .rusage = summary->rusage_minor + summary->rusage_major,
				  .has_unsampled = summary->has_unsampled,
				  .unsampled = summary->unsampled,
				  .has_unrecorded = summary->has_unrecorded,
				  .hidden = summary->hidden,
				  .unseen_programs = summary->unseen_programs,
				  .exec_unsampled = summary->exec_unsampled,
				  .call_unsampled = session->sink.call_unsampled,
			  })
		.eventless;
}

void session_account(struct session *session, const struct caller *caller,
		     struct record_result *result)
{
	struct sink *sink = &session->sink;
	struct trace_summary *summary = &session->summary;
	struct backend *backend = session->backend;
	size_t processes;
	size_t running = sink_running(sink, &processes);
	uint64_t living = 0;

	summary->end_ns = clock_now_ns();
	summary->recorded = trace_writer_fault_count(sink->writer);
	summary->lost = backend->lost;
	summary->lost_other = backend->lost_other + mapwatch_lost(session->watch);
	summary->stacks_lost = backend->lost_stacks;
	session->stack_bytes = backend->stack_bytes;
	session->stack_bytes_max = backend->stack_bytes_max;
	summary->storage_lost = backend->lost_storage;
	result->storage_lost = backend->lost_storage;
	summary->before_exec = sink->before_exec;
	summary->pauses_lost = backend->lost_pauses;
	summary->samples_lost = backend->lost_samples;
	summary->calls_lost = backend->lost_calls;
	// What the kernel counted goes beyond the condition that ended the recording.
	const bool has_ended = session->wait_status >= 0 && !session->is_over;

	summary->exit_status = has_ended ? session->wait_status : -1;
	if (session->options->command && has_ended) {
		summary->has_rusage = true;
		summary->rusage_minor = session->rusage_minor - session->launch.baseline_minor;
		summary->rusage_major = session->rusage_major - session->launch.baseline_major;
		uint64_t found = summary->recorded + summary->lost + summary->before_exec;
		bool by_task = backend->counts_exits && summary->lost_other == 0;

		if (by_task && running > 0 && found > sink->seen)
			living = found - sink->seen;
		if (running > 0)
			note_running(session, running, processes, living);
		if (by_task)
			result->unexplained = account_by_task(session, living);
	} else if (session->pid > 0) {
		account_attached(session);
	}
	count_unseen(session, caller, result);
	result->eventless = eventless_of(session, living);
	result->recorded = summary->recorded;
	if (session->is_over)
		result->recorded -= sink_faults_after(sink, session->over_ns);
	result->lost = summary->lost;
	result->lost_other = summary->lost_other;
}
