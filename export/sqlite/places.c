// SPDX-License-Identifier: Apache-2.0
// Tables of files and what is in them, and what to change.
#include "export/sqlite/schema.h"

#include "model/account.h"

static void add_objects(struct database *base, const struct model *model)
{
	struct table table = table_open(base, "objects", 11);

	for (size_t i = 0; i < model->object_count; i++) {
		const struct model_object *row = &model->objects[i];

		table_number(&table, i);
		table_text(&table, row->path);
		table_text(&table, model_object_name(row));
		table_text(&table, row->soname);
		table_text(&table, row->build_id);
		table_known(&table, row->size > 0, row->size);
		table_number(&table, row->is_file);
		table_number(&table, row->is_elf);
		table_number(&table, row->was_read);
		table_number(&table, row->is_forced);
		table_text(&table, row->symbols);
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_needed(struct database *base, const struct model *model)
{
	struct table table = table_open(base, "needed", 4);

	for (size_t i = 0; i < model->object_count; i++)
		for (size_t n = 0; n < model->objects[i].needed_count; n++) {
			const struct model_object *row = &model->objects[i];

			table_number(&table, i);
			table_number(&table, n);
			table_number(&table, row->needed[n]);
			table_known(&table, row->used, row->used ? row->used[n].names : 0);
			table_end_row(&table);
		}
	table_close(&table);
}

static void add_sections(struct database *base, const struct model *model)
{
	struct table table = table_open(base, "sections", 6);

	for (size_t i = 0; i < model->section_count; i++) {
		const struct model_section *row = &model->sections[i];

		table_number(&table, i);
		table_row(&table, row->object);
		table_text(&table, row->name);
		table_known(&table, row->segment >= 0, (uint64_t)row->segment);
		table_known(&table, row->size > 0, row->size);
		table_number(&table, row->pages);
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_symbols(struct database *base, const struct model *model)
{
	struct table table = table_open(base, "symbols", 8);

	for (size_t i = 0; i < model->symbol_count; i++) {
		const struct model_symbol *row = &model->symbols[i];

		table_number(&table, i);
		table_row(&table, row->object);
		table_row(&table, row->section);
		table_known(&table, row->kind != MODEL_NO_SYMBOL,
			    sqlite_word(WORD_LIST_symbol_kind, row->kind));
		table_text(&table, row->name);
		table_known(&table, row->has_offset, row->offset);
		table_number(&table, row->vaddr);
		table_number(&table, row->size);
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_functions(struct database *base, const struct model *model)
{
	struct table table = table_open(base, "functions", 5);

	for (size_t i = 0; i < model->function_count; i++) {
		const struct model_function *row = &model->functions[i];

		table_number(&table, i);
		table_row(&table, row->object);
		table_text(&table, row->name);
		table_text(&table, row->section);
		table_known(&table, row->size > 0, row->size);
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_initializers(struct database *base, const struct model *model)
{
	struct table table = table_open(base, "initializers", 24);

	for (size_t i = 0; i < model->initializer_count; i++) {
		const struct model_initializer *row = &model->initializers[i];

		table_number(&table, i);
		table_row(&table, row->object);
		table_number(&table, row->index);
		table_text(&table, row->array);
		table_text(&table, row->function);
		table_text(&table, row->label);
		table_text(&table, row->source);
		table_known(&table, row->has_offset, row->offset);
		table_number(&table, row->vaddr);
		table_number(&table, row->count.faults);
		table_number(&table, row->count.major);
		table_number(&table, row->count.duration_ns);
		table_number(&table, row->count.own_ns);
		table_number(&table, row->count.late_ns);
		table_number(&table, model_read_bytes(model, &row->count));
		table_known(&table, row->count.faults > 0, row->first_ns);
		table_known(&table, row->count.faults > 0, row->last_ns);
		table_number(&table, row->lazy_binding);
		table_number(&table, row->pages);
		table_number(&table, row->code_pages);
		table_number(&table, row->code_pages_only);
		table_known(&table, model->account && model->account->samples > 0, row->cpu_ns);
		table_known(&table, model->account, row->wait_ns);
		table_known(&table, model->storage, row->storage_bytes);
		table_end_row(&table);
	}
	table_close(&table);
}

void sqlite_places(struct database *base, const struct model *model)
{
	add_objects(base, model);
	add_needed(base, model);
	add_sections(base, model);
	add_symbols(base, model);
	add_functions(base, model);
	add_initializers(base, model);
}

static void add_cures(struct table *table, const struct model_finding *finding, size_t id)
{
	for (size_t i = 0; i < finding->cure_count; i++) {
		table_number(table, id);
		table_number(table, i);
		table_number(table, sqlite_word(WORD_LIST_for, finding->cures[i].who));
		table_text(table, finding->cures[i].text);
		table_end_row(table);
	}
}

static void add_files(struct table *table, const struct model_finding *finding, size_t id)
{
	array_foreach (file, finding->files, finding->file_count) {
		table_number(table, id);
		table_number(table, file->object);
		table_number(table, file->faults);
		table_number(table, file->pages);
		table_number(table, file->duration_ns);
		table_number(table, file->own_ns);
		table_number(table, file->saves.faults);
		table_number(table, file->saves.duration_ns);
		table_text(table, file->evidence);
		table_end_row(table);
	}
}

static void add_finding(struct table *table, const struct model_finding *finding, size_t id)
{
	table_number(table, id);
	table_text(table, finding->id);
	table_text(table, finding->title);
	table_row(table, finding->object);
	table_text(table, finding->where);
	table_number(table, finding->faults);
	table_number(table, finding->pages);
	table_number(table, finding->duration_ns);
	table_number(table, finding->own_ns);
	table_number(table, finding->major_ns);
	table_number(table, finding->cpu_ns);
	table_number(table, finding->cpu_error_ns);
	table_number(table, finding->saves.faults);
	table_number(table, finding->saves.read_bytes);
	table_number(table, finding->saves.duration_ns);
	table_number(table, finding->saves.storage_ns);
	table_number(table, sqlite_word(WORD_LIST_bound, finding->saves.is));
	table_text(table, finding->evidence);
	table_text(table, finding->advice);
	table_end_row(table);
}

void sqlite_findings(struct database *base, const struct model *model)
{
	struct table findings = table_open(base, "findings", 19);
	struct table cures = table_open(base, "cures", 4);
	struct table files = table_open(base, "finding_files", 9);

	for (size_t i = 0; i < model->finding_count; i++) {
		add_finding(&findings, &model->findings[i], i);
		add_cures(&cures, &model->findings[i], i);
		add_files(&files, &model->findings[i], i);
	}
	table_close(&findings);
	table_close(&cures);
	table_close(&files);
}
