// SPDX-License-Identifier: Apache-2.0
// The moments at which conditions held that the recording was asked to watch.
#include "correlate/answer/phases.h"

#include "model/marks.h"

/** When the command's program began; of a process attached to, the recording. */
static uint64_t command_start(const struct trace *trace)
{
	vec_foreach (task, &trace->tasks)
		if (task->kind == TRACE_TASK_EXEC && task->pid == trace->meta.root_pid)
			return trace->meta.attached ? trace->meta.start_ns : task->time_ns;
	return trace->meta.start_ns;
}

void marks_fill(struct model *model, const struct trace *trace)
{
	const uint64_t start_ns = command_start(trace);
	const size_t count = trace->marks.count;
	struct model_mark *rows = arena_array(&model->arena, count, sizeof(*rows));
	size_t held = 0, missed = 0;

	vec_foreach (mark, &trace->marks)
		missed += (mark->flags & TRACE_MARK_MISSED) != 0;
	missed = count - missed;
	vec_foreach (mark, &trace->marks) {
		const bool is_missed = mark->flags & TRACE_MARK_MISSED;

		rows[is_missed ? missed++ : held++] = (struct model_mark){
			.name = arena_strdup(&model->arena, mark->name),
			.condition = arena_strdup(&model->arena, mark->condition),
			.held = !is_missed,
			.is_end = !is_missed && mark->flags & TRACE_MARK_END,
			.time_ns = trace_since(mark->time_ns, trace->meta.start_ns),
			.since_ns = trace_since(mark->time_ns, start_ns),
			.pid = mark->pid,
			.tid = mark->tid,
		};
	}
	model->marks = rows;
	model->mark_count = count;
}
