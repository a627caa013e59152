// SPDX-License-Identifier: Apache-2.0
// Operations of storage, as text: sums by cause and by file, then those that were waited for most.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "model/iosum.h"

#include <stdlib.h>

static const char *file_of(const struct text *text, const struct model_io *io)
{
	return io->what.at.object != MODEL_NONE ? text->labels[io->what.at.object]
	       : !model_io_is_request(io)	? "-"
	       : io->what.at.has_offset		? "(unknown file)"
						: "(no file)";
}

static void sum_cells(struct table *table, const struct iosum *sum, const struct iosum *all)
{
	table_begin_row(table);
	table_figure_or_dash(table, "bytes", TABLE_BYTES, sum->bytes);
	table_share(table, "of all", sum->bytes, all->bytes);
	table_figure(table, "operations", TABLE_NUMBER, sum->operations);
	table_figure_or_dash(table, "waited", TABLE_TIME, sum->wait_ns);
}

static void print_causes(struct text *text, const struct iosum *all)
{
	const struct model_ios *ios = text->model->ios;
	struct iosum sums[MODEL_STORAGE_CAUSES] = { 0 };
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t i = 0; i < ios->count; i++)
		if (!ios->items[i].is_left_out)
			iosum_add(&sums[ios->items[i].cause], &ios->items[i]);
	for (enum model_storage_cause i = 0; i < MODEL_STORAGE_CAUSES; i++) {
		if (sums[i].operations == 0)
			continue;
		sum_cells(table, &sums[i], all);
		table_cell(table, "cause", TABLE_LEFT, model_storage_cause_name(i));
	}
	fputc('\n', text->out);
	table_print(table, text->out);
}

/** The operations of one file. */
struct file_sum {
	struct iosum sum;
	const struct model_io *first;
};

ORDER_OF(compare_files, file_sum,
	 ORDER(y->sum.wait_ns, x->sum.wait_ns) ?: ORDER(y->sum.bytes, x->sum.bytes)
		 ?: ORDER(x->first, y->first))

static void print_files(struct text *text, const struct iosum *all)
{
	const struct model_ios *ios = text->model->ios;
	const size_t none = text->model->object_count; // one row for those of no file
	struct file_sum *sums = arena_array(&text->arena, none + 1, sizeof(*sums));
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	size_t count = 0, shown = 0;

	vec_foreach (io, ios) {
		uint32_t object = io->what.at.object;
		struct file_sum *sum = &sums[object == MODEL_NONE ? none : object];

		if (io->is_left_out)
			continue;
		if (!sum->first)
			sum->first = io;
		iosum_add(&sum->sum, io);
	}
	for (size_t i = 0; i <= none; i++)
		if (sums[i].first)
			sums[count++] = sums[i];
	qsort(sums, count, sizeof(*sums), compare_files);
	for (; shown < count && shown < text->top; shown++) {
		const struct iosum *sum = &sums[shown].sum;

		sum_cells(table, sum, all);
		table_figure_or_dash(table, "forward", TABLE_NUMBER,
				     sum->by_direction[MODEL_DIRECTION_FORWARD]);
		table_figure_or_dash(table, "backward", TABLE_NUMBER,
				     sum->by_direction[MODEL_DIRECTION_BACKWARD]);
		table_figure_or_dash(table, "random", TABLE_NUMBER,
				     sum->by_direction[MODEL_DIRECTION_RANDOM]);
		table_cell(table, "file", TABLE_NAME,
			   sums[shown].first->what.at.object == MODEL_NONE
				   ? "(no file, or unknown)"
				   : file_of(text, sums[shown].first));
	}
	fputc('\n', text->out);
	table_print(table, text->out);
	text_more(text, count);
}

ORDER_OF_POINTERS(compare_ios, model_io, ORDER(y->wait_ns, x->wait_ns) ?:
		  ORDER(y->what.duration_ns, x->what.duration_ns) ?: ORDER(x, y))

/** The code that asked: by name, else by its file. */
static const char *code_of(const struct text *text, const struct model_io *io)
{
	const struct model *model = text->model;
	const struct model_ip *by = io->what.by;

	return model_function_name(model, io->what.blame)
		       ?: model_function_name(model, by->name)
				  ?: by->object != MODEL_NONE ? text->labels[by->object] : "-";
}

static void print_io(struct text *text, struct table *table, const struct model_io *io)
{
	const struct model *model = text->model;
	const struct model_place *at = &io->what.at;

	table_begin_row(table);
	table_figure_or_dash(table, "waited", TABLE_TIME, io->wait_ns);
	table_figure(table, "latency", TABLE_TIME, io->what.duration_ns);
	table_figure(table, "at", TABLE_TIME, io->what.time_ns);
	table_figure_or_dash(table, "bytes", TABLE_BYTES, io->bytes);
	if (io->has_uses)
		table_share(table, "touched", io->touched, io->bytes);
	else
		table_cell(table, "touched", TABLE_RIGHT, "-");
	table_cell(table, "cause", TABLE_LEFT,
		   io->call != MODEL_NONE &&
				   (io->cause == MODEL_STORAGE_READ || !model_io_is_request(io))
			   ? model->ios->calls[io->call]
			   : model_storage_cause_name(io->cause));
	table_cell(table, "initiator", TABLE_LEFT,
		   model_initiator_name((enum model_initiator)io->what.initiator));
	table_cell(table, "for", TABLE_NAME, code_of(text, io));
	if (at->has_offset && model_io_is_request(io))
		table_cellf(table, "offset", TABLE_RIGHT, "0x%llx", (unsigned long long)at->offset);
	else
		table_cell(table, "offset", TABLE_RIGHT, "-");
	table_cell(table, "section", TABLE_SHORT,
		   at->section != MODEL_NONE ? model->sections[at->section].name : "-");
	table_cell(table, "file", TABLE_NAME, file_of(text, io));
}

static void print_dearest(struct text *text, const struct iosum *all)
{
	const struct model_ios *ios = text->model->ios;
	const struct model_io **list = arena_array(&text->arena, ios->count + 1, sizeof(*list));
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	size_t count = 0;

	for (size_t i = 0; i < ios->count; i++)
		if (!ios->items[i].is_left_out)
			list[count++] = &ios->items[i];
	qsort(list, count, sizeof(*list), compare_ios);
	for (size_t i = 0; i < count && i < text->top; i++)
		print_io(text, table, list[i]);
	fputc('\n', text->out);
	table_print(table, text->out);
	text_more(text, (size_t)all->operations);
}

bool render_io_text(const struct model *model, const struct render_text_options *options, FILE *out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = model_io_view(model, &arena);
	struct text text = text_open(&view, &options->terminal, options->top, out);
	const struct iosum sum = iosum_of(&view);

	text_headline(&text);
	if (model->filter)
		fprintf(text.out, "  filter     %s\n", text_safe(&text, model->filter));
	fprintf(text.out, "  operations %s in %s%s%s: %s read, %s waited\n",
		figure_number(&text.arena, sum.operations),
		sum.requests > 0 || sum.flushes == 0
			? text_plural(&text, sum.requests, "request", "requests")
			: "",
		sum.requests > 0 && sum.flushes > 0 ? " and " : "",
		sum.flushes > 0 ? text_plural(&text, sum.flushes, "flush", "flushes") : "",
		figure_size(&text.arena, sum.bytes),
		table_time(&text.arena, text.terminal, sum.wait_ns));
	if (sum.operations > 0) {
		print_causes(&text, &sum);
		print_files(&text, &sum);
		print_dearest(&text, &sum);
	}
	text_note_kinds(&text);
	return text_close(&text, out);
}
