// SPDX-License-Identifier: Apache-2.0
// The end of both backends: keeps back what was before the command's exec, keeps the history that
// unwinding needs, and writes the rest.
#pragma once

#include "base/arena.h"
#include "base/notes.h"
#include "base/u64map.h"
#include "bpf/sighting.h"
#include "trace/writer.h"
#include "unwind/rawstack.h"
#include "unwind/stackspool.h"

#include <sys/types.h>

struct sink_held_fault;

/** A file in memory that process @pid has made, by a descriptor of its own. */
struct sink_memory_file {
	uint32_t pid, fd;
};

/** Zero-initialise, set the first block, then deliver. */
struct sink {
	struct trace_writer *writer;
	struct stackspool *spool; // NULL: no stacks are kept
	uint32_t root_pid;
	bool exec_known;  // set at once when attaching: nothing is kept back then
	uint64_t exec_ns; // when the command's program began; of what was read so far

	struct arena arena;		    // paths
	struct u64map pause_stacks;	    // thread -> the stack of its next pause
	VEC(struct trace_mapping) mappings; // of code
	VEC(struct trace_task) tasks;
	VEC(struct sink_memory_file) memory_files; // made lately: whoever wants them empties it
	VEC(struct sink_held_fault) held_faults;   // of root_pid, until exec_ns is known
	VEC(struct trace_mapping) held_mappings;   // likewise
	VEC(struct trace_task) held_tasks;	   // likewise
	struct sightings sightings;		   // to be taken out by whoever asked for them
	bool keeps_times;	   // of faults, below: some of them may be too late to count
	VEC(uint64_t) fault_times; // of those written
	uint64_t before_exec;
	uint64_t root_faults; // of root_pid, that were written
	uint64_t exit_count;
	uint64_t seen;		 // faults that raised an event, by the kernel side's own count
	uint64_t hidden;	 // faults of programs that the caller may not trace, in unsampled
	uint64_t exec_unsampled; // faults without an event that exec took
	uint64_t call_unsampled; // likewise, other system calls
	int64_t unsampled; // the kernel's counts less what raised an event, of the tasks that ended
};

/** @stack may be NULL. Its bytes are not needed any more afterwards. */
void sink_fault(struct sink *sink, const struct trace_fault *fault, const struct raw_stack *stack);
void sink_mapping(struct sink *sink, const struct trace_mapping *mapping);
void sink_remap(struct sink *sink, const struct trace_remap *remap);
void sink_sample(struct sink *sink, const struct trace_sample *sample,
		 const struct raw_stack *stack);
/** @has_stack: the one of this thread that sink_pause_stack() was given last. */
void sink_pause(struct sink *sink, const struct trace_pause *pause, bool has_stack);
void sink_pause_stack(struct sink *sink, uint32_t tid, const struct raw_stack *stack);
void sink_task(struct sink *sink, const struct trace_task *task);

/** With @size bytes at @bytes. */
void sink_sighting(struct sink *sink, const struct sighting *sighting, const char *bytes,
		   size_t size);

/** Also of the command's process before its exec, which has none but the exec's own. */
void sink_prefault(struct sink *sink, const struct trace_prefault *prefault);

/**
 * The command line of the program that @pid executes since shortly before @time_ns: @size bytes of
 * words, each ended by a NUL, with a NUL behind them. @is_cut: it goes on.
 */
void sink_arguments(struct sink *sink, uint32_t pid, uint64_t time_ns, const char *bytes,
		    size_t size, bool is_cut);

/**
 * All rings of mappings and tasks have been read once: the first exec of the command's process, if
 * any was among them, is known. Each CPU has a ring, so an exec may be read before an earlier one.
 */
void sink_settle(struct sink *sink);

/** Sort the history by time, as unwinding wants it. */
void sink_sort(struct sink *sink);

/**
 * Whether the task at @place of the sorted tasks lost its perf events at an exec: it executed a
 * program that is setuid, has file capabilities or is not readable. Then the next told of it is
 * its end, though a program that begins is mapped first. Only where perf tells the ends.
 */
bool sink_lost_at_exec(const struct sink *sink, size_t place);

/** Faults that were written and happened after @time_ns; sink.keeps_times was set. */
uint64_t sink_faults_after(const struct sink *sink, uint64_t time_ns);

/** Programs that began, the command's own among them. */
size_t sink_execs(const struct sink *sink);

/** Processes that began, other than the command's own. */
size_t sink_forks(const struct sink *sink);

/** Tasks that were seen to begin but not to end; *@ret_processes counts their processes. */
size_t sink_running(const struct sink *sink, size_t *ret_processes);

void sink_deinit(struct sink *sink);
