// SPDX-License-Identifier: Apache-2.0
// Names that the dynamic linker binds, as text: a table of files and one of who binds to whom.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "model/binding.h"

static void print_file(struct text *text, struct table *table, const struct model_bound_file *file)
{
	table_begin_row(table);
	table_figure(table, "names", TABLE_NUMBER, file->looking.names);
	table_figure_or_dash(table, "own", TABLE_NUMBER, file->own);
	table_figure_or_dash(table, "lazy", TABLE_NUMBER, file->lazy);
	table_figure(table, "searched for", TABLE_NUMBER, file->in.searches);
	if (file->has_gnu_hash)
		table_figure(table, "filtered", TABLE_NUMBER, file->in.filtered);
	else
		table_cell(table, "filtered", TABLE_RIGHT, "no filter");
	table_figure_or_dash(table, "in vain", TABLE_NUMBER, file->in.in_vain);
	table_figure_or_dash(table, "found", TABLE_NUMBER, file->in.found);
	table_cellf(table, "file", TABLE_NAME, "%s%s", text->labels[file->object],
		    file->is_opened ? " (dlopen)" : "");
}

static void print_pairs(struct text *text, const struct model_loading *loading)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t i = 0; i < loading->pair_count && i < text->top; i++) {
		const struct model_bound_pair *pair = &loading->pairs[i];

		table_begin_row(table);
		table_figure(table, "names", TABLE_NUMBER, pair->names);
		table_share(table, "of all", pair->names, loading->sum.names);
		table_cell(table, "of", TABLE_NAME, text->labels[pair->from]);
		table_cell(table, "found in", TABLE_NAME, text->labels[pair->to]);
	}
	fputc('\n', text->out);
	table_print(table, text->out);
	text_more(text, loading->pair_count);
}

static void print_sum(struct text *text, const struct model_loading *loading)
{
	const struct model_searched *sum = &loading->sum;
	struct arena *arena = &text->arena;

	fprintf(text->out,
		"  at load    %s looked up by %s in %s: %s filtered, %s in vain, %s found\n",
		text_plural(text, sum->names, "name", "names"),
		text_plural(text, loading->file_count, "file", "files"),
		text_plural(text, sum->searches, "search", "searches"),
		figure_percent(arena, sum->filtered, sum->searches),
		figure_percent(arena, sum->in_vain, sum->searches),
		figure_percent(arena, sum->found, sum->searches));
	if (loading->without > 0)
		fprintf(text->out, "  nowhere    %s that no file has\n",
			text_plural(text, loading->without, "name", "names"));
	if (loading->lazy > 0)
		fprintf(text->out,
			"  lazy       %s bound at first calls, unless LD_BIND_NOW is set\n",
			text_plural(text, loading->lazy, "PLT entry", "PLT entries"));
	if (loading->unsure > 0)
		fprintf(text->out,
			"  unsure     %s that a file opened before has too: it counts if it was "
			"opened with RTLD_GLOBAL\n",
			text_plural(text, loading->unsure, "name", "names"));
	if (loading->best_order > 0)
		fprintf(text->out,
			"  order      at least %s less with files ordered by what is found in "
			"them\n",
			text_plural(text, loading->best_order, "search", "searches"));
}

static void print_loading(struct text *text, const struct model_loading *loading)
{
	const char *executable = text->model->programs[loading->program].executable;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	fprintf(text->out, "\n%s", text_safe(text, executable ?: "(unknown program)"));
	if (loading->programs > 1)
		fprintf(text->out, ", %s times", figure_number(&text->arena, loading->programs));
	fputc('\n', text->out);
	if (loading->unknown) {
		fprintf(text->out, "  unknown    %s\n", text_safe(text, loading->unknown));
		return;
	}
	print_sum(text, loading);
	array_foreach (file, loading->files, loading->file_count)
		print_file(text, table, file);
	fputc('\n', text->out);
	table_print(table, text->out);
	print_pairs(text, loading);
}

bool render_bindings_text(const struct model *model, const struct render_text_options *options,
			  FILE *out)
{
	const struct model_bindings *bindings = model->bindings;
	struct text text = text_open(model, &options->terminal, options->top, out);

	text_headline(&text);
	if (!bindings)
		fputs("  No program was loaded by a dynamic linker.\n", text.out);
	for (size_t i = 0; bindings && i < bindings->count; i++)
		print_loading(&text, &bindings->loadings[i]);
	return text_close(&text, out);
}
