// SPDX-License-Identifier: Apache-2.0
// Tables of files and what is in them, and what to change.
#include "export/sqlite/schema.h"

#include "model/account.h"

static void add_objects(struct database *base, const struct model *model)
{
	CLEANUP(table_close) struct table table = table_open(base, "objects");

	for (size_t i = 0; i < model->object_count; i++) {
		const struct model_object *row = &model->objects[i];

		table_add(&table, cell_number(i), cell_text(row->path),
			  cell_text(model_object_name(row)), cell_text(row->soname),
			  cell_text(row->build_id), cell_known(row->size > 0, row->size),
			  cell_number(row->is_file), cell_number(row->is_elf),
			  cell_number(row->was_read), cell_number(row->is_forced),
			  cell_text(row->symbols));
	}
}

static void add_needed(struct database *base, const struct model *model)
{
	CLEANUP(table_close) struct table table = table_open(base, "needed");

	for (size_t i = 0; i < model->object_count; i++)
		for (size_t n = 0; n < model->objects[i].needed_count; n++) {
			const struct model_object *row = &model->objects[i];

			table_add(&table, cell_number(i), cell_number(n),
				  cell_number(row->needed[n]),
				  cell_known(row->used, row->used ? row->used[n].names : 0));
		}
}

static void add_sections(struct database *base, const struct model *model)
{
	CLEANUP(table_close) struct table table = table_open(base, "sections");

	for (size_t i = 0; i < model->section_count; i++) {
		const struct model_section *row = &model->sections[i];

		table_add(&table, cell_number(i), cell_row(row->object), cell_text(row->name),
			  cell_known(row->segment >= 0, (uint64_t)row->segment),
			  cell_known(row->size > 0, row->size), cell_number(row->pages));
	}
}

static void add_symbols(struct database *base, const struct model *model)
{
	CLEANUP(table_close) struct table table = table_open(base, "symbols");

	for (size_t i = 0; i < model->symbol_count; i++) {
		const struct model_symbol *row = &model->symbols[i];

		table_add(&table, cell_number(i), cell_row(row->object), cell_row(row->section),
			  cell_known(row->kind != MODEL_NO_SYMBOL,
				     sqlite_word(WORD_LIST_symbol_kind, row->kind)),
			  cell_text(row->name), cell_known(row->has_offset, row->offset),
			  cell_number(row->vaddr), cell_number(row->size));
	}
}

static void add_functions(struct database *base, const struct model *model)
{
	CLEANUP(table_close) struct table table = table_open(base, "functions");

	for (size_t i = 0; i < model->function_count; i++) {
		const struct model_function *row = &model->functions[i];

		table_add(&table, cell_number(i), cell_row(row->object), cell_text(row->name),
			  cell_text(row->section), cell_known(row->size > 0, row->size));
	}
}

static void add_initializers(struct database *base, const struct model *model)
{
	CLEANUP(table_close) struct table table = table_open(base, "initializers");

	for (size_t i = 0; i < model->initializer_count; i++) {
		const struct model_initializer *row = &model->initializers[i];

		table_add(&table, cell_number(i), cell_row(row->object), cell_number(row->index),
			  cell_text(row->array), cell_text(row->function), cell_text(row->label),
			  cell_text(row->source), cell_known(row->has_offset, row->offset),
			  cell_number(row->vaddr), cell_number(row->count.faults),
			  cell_number(row->count.major), cell_number(row->count.duration_ns),
			  cell_number(row->count.own_ns), cell_number(row->count.late_ns),
			  cell_number(model_read_bytes(model, &row->count)),
			  cell_known(row->count.faults > 0, row->first_ns),
			  cell_known(row->count.faults > 0, row->last_ns),
			  cell_number(row->lazy_binding), cell_number(row->pages),
			  cell_number(row->code_pages), cell_number(row->code_pages_only),
			  cell_known(model->account && model->account->samples > 0, row->cpu_ns),
			  cell_known(model->account, row->wait_ns),
			  cell_known(model->storage, row->storage_bytes));
	}
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
		table_add(table, cell_number(id), cell_number(i),
			  cell_word(WORD_LIST_for, finding->cures[i].who),
			  cell_text(finding->cures[i].text));
	}
}

static void add_files(struct table *table, const struct model_finding *finding, size_t id)
{
	array_foreach (file, finding->files, finding->file_count) {
		table_add(table, cell_number(id), cell_number(file->object),
			  cell_number(file->faults), cell_number(file->pages),
			  cell_number(file->duration_ns), cell_number(file->own_ns),
			  cell_number(file->saves.faults), cell_number(file->saves.duration_ns),
			  cell_text(file->evidence));
	}
}

static void add_finding(struct table *table, const struct model_finding *finding, size_t id)
{
	table_add(table, cell_number(id), cell_text(finding->id), cell_text(finding->title),
		  cell_row(finding->object), cell_text(finding->where),
		  cell_number(finding->faults), cell_number(finding->pages),
		  cell_number(finding->duration_ns), cell_number(finding->own_ns),
		  cell_number(finding->major_ns), cell_number(finding->cpu_ns),
		  cell_number(finding->cpu_error_ns), cell_number(finding->saves.faults),
		  cell_number(finding->saves.read_bytes), cell_number(finding->saves.duration_ns),
		  cell_number(finding->saves.storage_ns),
		  cell_word(WORD_LIST_bound, finding->saves.is), cell_text(finding->evidence),
		  cell_text(finding->advice));
}

void sqlite_findings(struct database *base, const struct model *model)
{
	CLEANUP(table_close) struct table findings = table_open(base, "findings");
	CLEANUP(table_close) struct table cures = table_open(base, "cures");
	CLEANUP(table_close) struct table files = table_open(base, "finding_files");

	for (size_t i = 0; i < model->finding_count; i++) {
		add_finding(&findings, &model->findings[i], i);
		add_cures(&cures, &model->findings[i], i);
		add_files(&files, &model->findings[i], i);
	}
}
