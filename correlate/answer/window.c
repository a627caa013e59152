// SPDX-License-Identifier: Apache-2.0
// The part of a recording that an answer is of.
#include "correlate/answer/phases.h"

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/search.h"

/** Fill in the edge that @text names, a duration since the start. */
static bool edge(const char *option, const char *text, uint64_t *ret_ns, struct err *err)
{
	if (duration_parse(text, ret_ns))
		return true;
	return err_set(err, ERR_INPUT, "--%s %s: not a time since the start, such as 120ms or 1.5s",
		       option, text);
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
	if (options->from && !edge("from", options->from, &window.from_ns, err))
		return false;
	if (options->until && !edge("until", options->until, &window.until_ns, err))
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
	return true;
}

struct counted_faults window_faults(const struct model_window *window, const struct all_faults *all)
{
	const struct model_fault *items = all->list.items;
	const size_t count = all->list.count;
	const size_t first = search_first(count, i, items[i].time_ns >= window->from_ns);
	const size_t end = search_first(count, i, items[i].time_ns >= model_window_end(window));

	return (struct counted_faults){ items + first, end - first };
}
