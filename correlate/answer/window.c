// SPDX-License-Identifier: Apache-2.0
// The part of a recording that an answer is of.
#include "correlate/answer/phases.h"

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/search.h"
#include "base/strbuf.h"
#include "model/marks.h"

#include <string.h>

/** Say that @text is no time, and which marks there are. */
static bool no_edge(const char *option, const char *text, const struct model *model,
		    struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };

	array_foreach (mark, model->marks, model->mark_count)
		if (mark->held)
			strbuf_printf(&names, "%s%s", names.length > 0 ? ", " : "", mark->name);
	return err_set(err, ERR_INPUT,
		       "--%s %s: not a time since the start, such as 120ms or 1.5s, nor a mark of "
		       "the trace, which has %s",
		       option, text, names.length > 0 ? strbuf_text(&names) : "none");
}

/** Fill in the edge that @text names: a mark, the first of its name, or a time since the start. */
static bool edge(const char *option, const char *text, const struct model *model, uint64_t *ret_ns,
		 struct err *err)
{
	bool is_missed = false;

	array_foreach (mark, model->marks, model->mark_count) {
		if (strcmp(mark->name, text) != 0)
			continue;
		if (mark->held) {
			*ret_ns = mark->time_ns;
			return true;
		}
		is_missed = true;
	}
	if (is_missed)
		return err_set(err, ERR_INPUT, "--%s %s: the condition of this mark never held",
			       option, text);
	return duration_parse(text, ret_ns) || no_edge(option, text, model, err);
}

bool window_choose(const struct correlate_options *options, const struct trace *trace,
		   struct model *model, struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const uint64_t duration_ns = model->trace.duration_ns;
	struct model_window window = {
		.is_set = true,
		.until_ns = duration_ns,
		.from = arena_strdup(&model->arena, options->from),
		.until = arena_strdup(&model->arena, options->until),
	};

	if (!options->from && !options->until)
		return true;
	if (trace->meta.times_are_order)
		return err_set(err, ERR_INPUT,
			       "%s: no times were recorded: it has no window from one to another",
			       trace->path);
	if (options->from && !edge("from", options->from, model, &window.from_ns, err))
		return false;
	if (options->until && !edge("until", options->until, model, &window.until_ns, err))
		return false;
	if (window.from_ns >= duration_ns)
		return err_set(
			err, ERR_INPUT, "%s: --from %s is not within the recording, which lasts %s",
			trace->path, options->from ?: "0", duration_text(&arena, duration_ns));
	if (window.from_ns >= window.until_ns)
		return err_set(err, ERR_INPUT,
			       "%s: the window is empty: --until %s is not after --from %s",
			       trace->path, options->until, options->from ? options->from : "0");
	window.is_to_end = window.until_ns >= duration_ns;
	if (window.is_to_end)
		window.until_ns = duration_ns;
	model->window = window;
	model->trace.plain = NULL; // of the whole command
	notes_add(&model->notes, "a window: only what happened from %s to %s of %s is counted",
		  duration_text(&arena, window.from_ns), duration_text(&arena, window.until_ns),
		  duration_text(&arena, duration_ns));
	return true;
}

struct counted_faults window_faults(const struct model_window *window, const struct all_faults *all)
{
	const struct model_fault *items = all->list.items;
	const size_t count = all->list.count;
	const size_t first = search_first(count, i, items[i].time_ns >= window->from_ns);
	const size_t end = search_first(count, i, items[i].time_ns >= model_window_end(window));

	return (struct counted_faults){ items ? items + first : NULL, end - first };
}
