// SPDX-License-Identifier: Apache-2.0
// Owns a trace in memory, from empty to released.
#include "trace/trace.h"

#include "base/search.h"
#include "machine/machine.h"
#include "trace/private.h"

#include <sys/mman.h>
#include <unistd.h>

enum { NOTES_MAX = 1000 };

struct trace *trace_create(const char *path)
{
	struct trace *trace = xcalloc(1, sizeof(*trace));

	trace->path = xstrdup(path);
	trace->summary.exit_status = -1;
	return trace;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
#define RELEASE(array, key) vec_deinit(&trace->array);
	TRACE_ARRAYS(RELEASE)
	notes_deinit(&trace->notes);
	arena_deinit(&trace->arena);
	free(trace->path);
	free(trace);
}

void trace_note(struct trace *trace, const char *text, uint64_t count)
{
	// Each new note is compared with all others, so their number must have an end.
	if (trace->notes.list.count >= NOTES_MAX) {
		notes_add(&trace->notes, "a note past the first %d was skipped", NOTES_MAX);
		return;
	}
	notes_add_text(&trace->notes, text, count);
}

void trace_drop_faults(struct trace *trace, size_t from, size_t to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)trace->faults.items;
	uintptr_t start = (uintptr_t)(trace->faults.items + from) / page * page;
	uintptr_t end = (uintptr_t)(trace->faults.items + to) / page * page;

	// What shares its page with the array's beginning is not ours.
	if (start < first)
		start = (first + page - 1) / page * page;
	// Only advice: where it is not taken the memory stays until trace_close().
	if (start < end)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

const struct trace_stack *trace_stack_by_id(const struct trace *trace, uint32_t id)
{
	const struct trace_stack *stacks = trace->stacks.items;

	// A recorder numbers them without gaps.
	if (trace->stacks.count > 0 && id - stacks[0].id < trace->stacks.count &&
	    stacks[id - stacks[0].id].id == id)
		return &stacks[id - stacks[0].id];
	size_t at = search_first(trace->stacks.count, i, stacks[i].id >= id);

	return at < trace->stacks.count && stacks[at].id == id ? &stacks[at] : NULL;
}

const struct trace_identity *trace_file_by_id(const struct trace *trace, uint32_t id)
{
	const struct trace_identity *files = trace->files.items;
	size_t at = search_first(trace->files.count, i, files[i].id >= id);

	return at < trace->files.count && files[at].id == id ? &files[at] : NULL;
}

const char *trace_root_of(const struct trace *trace, uint32_t file)
{
	const struct trace_root *roots = trace->roots.items;
	size_t at = search_first(trace->roots.count, i, roots[i].file >= file);

	return at < trace->roots.count && roots[at].file == file ? roots[at].name : NULL;
}

const struct trace_content *trace_contents_of(const struct trace *trace, uint32_t file,
					      size_t *ret_count)
{
	const struct trace_content *contents = trace->contents.items;
	size_t count = trace->contents.count;
	size_t at = search_first(count, i, contents[i].file >= file);
	size_t end = search_first(count, i, contents[i].file > file);

	*ret_count = end - at;
	return end > at ? &contents[at] : NULL;
}

const char *trace_call_name(const struct trace *trace, uint32_t number)
{
	return machine_call(machine_named(trace->meta.machine), number);
}

size_t trace_command_words(const struct trace_argument *first, const struct trace_argument *end)
{
	const struct trace_argument *last = first;

	while (last + 1 < end && last[1].pid == first->pid && last[1].index == last->index + 1)
		last++;
	return (size_t)(last - first) + 1;
}
