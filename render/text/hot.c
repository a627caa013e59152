// SPDX-License-Identifier: Apache-2.0
// Functions that took the time outside faults, as text.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/path.h"

enum { LEAST_NAME = 20 };

const char *text_hot_name(struct text *text, const struct hot_row *row, uint32_t function)
{
	if (function != MODEL_NONE)
		return text->model->functions[function].name ?: "(no name)";
	if (row->initiator == MODEL_EXEC)
		return "(the kernel, in exec)";
	if (row->moments > 0)
		return "(unknown)";
	if (row->kernel_ns > 0)
		return "(the kernel, not sampled)";
	return text->model->account->samples_lost > 0 ? "(not sampled)" : "(no sample)";
}

static const char *object_of(struct text *text, uint32_t function)
{
	const struct model *model = text->model;

	if (function == MODEL_NONE || model->functions[function].object == MODEL_NONE)
		return "-";
	return text->labels[model->functions[function].object];
}

/**
 * Lines of libc and the like say little to whoever calls them, and would take the room of names.
 * @of_function: of the function that ran, not of the one to blame.
 */
static bool has_line(const struct hot_row *row, bool of_function)
{
	return row->source && row->blame != MODEL_NONE &&
	       (!of_function || row->blame == row->function);
}

/** "file.c:12": where its folder is, the file's name mostly tells. */
static const char *line_of(const struct hot_row *row, bool of_function)
{
	return has_line(row, of_function) ? path_file_name(row->source) : "-";
}

static bool has_lines(const struct text *text, const struct hot *hot, bool of_function)
{
	for (size_t i = 0; i < hot->list.count && i < text->top; i++)
		if (has_line(&hot->list.items[i], of_function))
			return true;
	return false;
}

/** "10.15 ± 0.31 ms" */
static const char *with_error(struct text *text, const struct hot_row *row)
{
	if (row->moments == 0)
		return text_milliseconds(text, row->ns);
	return arena_printf(&text->arena, "%.2f %s %.2f ms", (double)row->ns / 1e6,
			    terminal_plus_minus(text->terminal), (double)row->error_ns / 1e6);
}

/** Does @row say something: of enough samples, or of none and with a hundredth of the time? */
static bool is_telling(const struct hot *hot, const struct hot_row *row)
{
	return row->moments == 0 ? row->ns >= hot->ns / 100 : row->moments >= HOT_LEAST_SAMPLES;
}

/** Print the sums of the @count rows that are not shown, which took @ns. @why: or "". */
static void print_cut(struct text *text, const struct hot *hot, size_t count, uint64_t ns,
		      const char *why)
{
	if (count > 0)
		terminal_line(text->out, text->terminal, TERMINAL_DIM, "  %s more%s: %s (%s)",
			      figure_number(&text->arena, count), why, text_milliseconds(text, ns),
			      figure_percent(&text->arena, ns, hot->ns));
}

/** For rows of whose stacks no frame can be blamed. */
static const char *nobody(struct text *text, const struct hot_row *row)
{
	if (row->moments == 0)
		return text_hot_name(text, row, MODEL_NONE);
	return arena_printf(&text->arena, "(nobody: %s)", model_initiator_name(row->initiator));
}

/** Functions that ran, or those to blame. @of_all: other threads computed as well. */
static void print_cpu(struct text *text, const struct hot *hot, bool by_blame, bool of_all)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	const bool with_lines = has_lines(text, hot, !by_blame);
	size_t shown = 0, few = 0;
	uint64_t cut_ns = 0;

	table_keep_names(table, LEAST_NAME);
	vec_foreach (row, &hot->list) {
		uint32_t function = by_blame ? row->blame : row->function;

		if (shown == text->top || !is_telling(hot, row)) {
			few += shown < text->top;
			cut_ns += row->ns;
			continue;
		}
		shown++;
		table_begin_row(table);
		table_cell(table, "time", TABLE_RIGHT, with_error(text, row));
		table_share(table, "share", row->ns, hot->ns);
		table_share(table, "in kernel", row->kernel_ns, row->ns);
		if (of_all)
			table_figure(table, "first thread", TABLE_MILLISECONDS, row->subject_ns);
		table_cell(table, "initiator", TABLE_RIGHT, // what may be left out is so
			   model_initiator_name(row->initiator));
		table_cell(table, "in", TABLE_SHORT, object_of(text, function));
		if (with_lines)
			table_cell(table, "line", TABLE_SHORT, line_of(row, !by_blame));
		table_cell(table, by_blame ? "blame: first outside libc and the like" : "function",
			   TABLE_NAME,
			   by_blame && function == MODEL_NONE ? nobody(text, row)
							      : text_hot_name(text, row, function));
	}
	table_print(table, text->out);
	print_cut(text, hot, hot->list.count - shown, cut_ns,
		  few > 0 ? ", of few samples or little time" : "");
}

/** "12.30 ms", or "12.30 of 45.60 ms" where the rest is not shown. */
static const char *of_whole(struct text *text, const struct hot *hot)
{
	if (!text->model->filter)
		return text_milliseconds(text, hot->ns);
	return arena_printf(&text->arena, "%.2f of %s", (double)hot->ns / 1e6,
			    text_milliseconds(text, hot->whole_ns));
}

static const char *what_is_shown(const struct text *text)
{
	return text->model->is_narrowed ? ", code shown or blamed"
	       : text->model->filter	? ", that the conditions leave"
					: "";
}

static void print_computing(struct text *text)
{
	const struct model_account *account = text->model->account;
	const bool of_all =
		account->all.ns[MODEL_STATE_CPU] > account->subject.times.ns[MODEL_STATE_CPU];
	CLEANUP(hot_deinit) struct hot hot;
	CLEANUP(hot_deinit) struct hot blamed;

	hot_init(&hot, text->model,
		 &(struct hot_question){ .by = HOT_BY_FUNCTION, .shown_only = true });
	hot_init(&blamed, text->model,
		 &(struct hot_question){ .by = HOT_BY_BLAME, .shown_only = true });
	if (hot.moments == 0)
		return;
	terminal_line(text->out, text->terminal, TERMINAL_BOLD,
		      "\nFunctions that computed, outside faults%s%s: %s, by %s",
		      of_all ? ", of all threads" : "", what_is_shown(text), of_whole(text, &hot),
		      text_plural(text, hot.moments, "sample", "samples"));
	print_cpu(text, &hot, false, of_all);
	// Without stacks it says nothing that the other does not.
	if (!text->model->trace.has_stacks)
		return;
	fputc('\n', text->out);
	print_cpu(text, &blamed, true, of_all);
}

/** Other threads may wait all along for something to do. */
static void print_waits(struct text *text)
{
	CLEANUP(hot_deinit) struct hot hot;

	hot_init(&hot, text->model,
		 &(struct hot_question){ .by = HOT_BY_BOTH,
					 .waits = true,
					 .subject_only = true,
					 .shown_only = true });
	if (hot.list.count == 0 ||
	    (hot.list.count == 1 && hot.list.items[0].function == MODEL_NONE))
		return;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	const bool with_lines = has_lines(text, &hot, false);

	terminal_line(text->out, text->terminal, TERMINAL_BOLD,
		      "\nWhere the first thread waited%s: %s in %s", what_is_shown(text),
		      of_whole(text, &hot), text_plural(text, hot.moments, "wait", "waits"));
	size_t shown = 0;
	uint64_t cut_ns = 0;

	table_keep_names(table, LEAST_NAME);
	vec_foreach (row, &hot.list) { // each wait was seen: these are no samples
		if (shown == text->top) {
			cut_ns += row->ns;
			continue;
		}
		shown++;
		table_begin_row(table);
		table_figure(table, "time", TABLE_MILLISECONDS, row->ns);
		table_share(table, "share", row->ns, hot.ns);
		table_figure(table, "waits", TABLE_NUMBER, row->moments);
		table_share(table, "for storage", row->storage_ns, row->ns);
		table_cell(table, "initiator", TABLE_RIGHT, model_initiator_name(row->initiator));
		table_cell(table, "waited in", TABLE_SHORT,
			   text_hot_name(text, row, row->function));
		table_cell(table, "in", TABLE_SHORT, object_of(text, row->blame));
		if (with_lines)
			table_cell(table, "line", TABLE_SHORT, line_of(row, false));
		table_cell(table, "called by", TABLE_NAME,
			   row->blame == MODEL_NONE ? "-" : text_hot_name(text, row, row->blame));
	}
	table_print(table, text->out);
	print_cut(text, &hot, hot.list.count - shown, cut_ns, "");
}

void text_hot(struct text *text)
{
	const struct model_account *account = text->model->account;

	if (!account)
		return;
	if (account->only_of_faults) {
		fprintf(text->out,
			"\nTime outside faults is not shown: it has no %s, which only faults "
			"have\n",
			account->only_of_faults);
		return;
	}
	print_computing(text);
	print_waits(text);
}
