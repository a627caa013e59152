// SPDX-License-Identifier: Apache-2.0
// Moments at which it was seen what a thread was doing, beside its faults: samples of the
// processor, and pauses whose stack is known. The rules of faults decide why the code ran.
#include "correlate/replay/events.h"

static uint64_t sample_ns(const struct moment_reader *reader)
{
	const struct trace *trace = reader->trace;

	return reader->sample < trace->samples.count ? trace->samples.items[reader->sample].time_ns
						     : UINT64_MAX;
}

static uint64_t pause_ns(const struct moment_reader *reader)
{
	const struct trace *trace = reader->trace;

	return reader->pause < trace->pauses.count ? trace->pauses.items[reader->pause].time_ns
						   : UINT64_MAX;
}

static bool is_pause_next(const struct moment_reader *reader)
{
	return reader->pause < reader->trace->pauses.count && pause_ns(reader) <= sample_ns(reader);
}

uint64_t moments_next_ns(struct moment_reader *reader)
{
	const struct trace *trace = reader->trace;

	while (reader->pause < trace->pauses.count && trace->pauses.items[reader->pause].stack == 0)
		reader->pause++;
	return is_pause_next(reader) ? pause_ns(reader) : sample_ns(reader);
}

void moments_next_task(const struct moment_reader *reader, uint32_t *ret_pid, uint32_t *ret_tid)
{
	const struct trace *trace = reader->trace;

	if (is_pause_next(reader)) {
		*ret_pid = trace->pauses.items[reader->pause].pid;
		*ret_tid = trace->pauses.items[reader->pause].tid;
	} else {
		*ret_pid = trace->samples.items[reader->sample].pid;
		*ret_tid = trace->samples.items[reader->sample].tid;
	}
}

/** The innermost frame of a stack is where the thread is. */
static bool ip_of(const struct trace *trace, uint32_t id, uint64_t *ret_ip)
{
	const struct trace_stack *stack = trace_stack_by_id(trace, id);

	if (!stack || stack->frame_count == 0)
		return false;
	*ret_ip = stack->frames[0];
	return true;
}

void moments_take(struct moment_reader *reader, struct attribution *attribution,
		  struct stacks *stacks, struct process *process, uint32_t thread,
		  struct all_moments *moments)
{
	const struct trace *trace = reader->trace;
	struct trace_fault from = { 0 };
	struct moment_source source = { .is_pause = is_pause_next(reader) };
	struct model_fault moment;
	bool has_ip;

	if (source.is_pause) {
		const struct trace_pause *pause = &trace->pauses.items[reader->pause];

		source.index = reader->pause++;
		from = (struct trace_fault){ .time_ns = pause->time_ns, .stack = pause->stack };
		has_ip = ip_of(trace, pause->stack, &from.ip);
	} else {
		const struct trace_sample *sample = &trace->samples.items[reader->sample];

		source.index = reader->sample++;
		from = (struct trace_fault){ .time_ns = sample->time_ns,
					     .ip = sample->ip,
					     .stack = sample->stack };
		has_ip = sample->flags & TRACE_SAMPLE_HAS_USER_IP;
	}
	if (has_ip)
		from.flags = TRACE_FAULT_HAS_USER_IP;
	attribute_moment(attribution, process, &from, &moment);
	moment.thread = thread;
	if (from.stack)
		moment.stack = stacks_resolve(stacks, attribution, process, from.stack);
	source.fault_count = attribution->builder->faults.list.count;
	vec_push(&moments->list, moment);
	vec_push(&moments->sources, source);
}
