// SPDX-License-Identifier: Apache-2.0
// Tables of what storage delivered.
#include "export/sqlite/schema.h"

#include "model/storage.h"

static void add_storage(struct database *base, const struct model_storage *storage)
{
	CLEANUP(table_close) struct table table = table_open(base, "storage");

	table_add(&table, cell_number(storage->complete), cell_number(storage->device_bytes),
		  cell_number(storage->requests), cell_number(storage->lost),
		  cell_number(storage->request_ns), cell_number(storage->forward),
		  cell_number(storage->backward), cell_number(storage->random),
		  cell_number(storage->median_size));
}

static void add_parts(struct database *base, const struct model_storage *storage)
{
	CLEANUP(table_close) struct table table = table_open(base, "storage_parts");

	for (size_t i = 0; i < storage->part_count; i++) {
		const struct model_storage_part *row = &storage->parts[i];

		table_add(&table, cell_number(i), cell_text(row->path), cell_row(row->object),
			  cell_text(row->section), cell_word(WORD_LIST_storage, row->cause),
			  cell_word(WORD_LIST_initiator, row->initiator), cell_number(row->bytes));
	}
}

static void add_files(struct database *base, const struct model_storage *storage)
{
	CLEANUP(table_close) struct table table = table_open(base, "storage_files");

	for (size_t i = 0; i < storage->file_count; i++) {
		const struct model_storage_file *row = &storage->files[i];

		table_add(&table, cell_number(i), cell_text(row->path), cell_row(row->object),
			  cell_known(row->size > 0, row->size), cell_number(row->bytes),
			  cell_number(row->requests), cell_number(row->wait_ns),
			  cell_number(row->read), cell_number(row->mapped),
			  cell_number(row->touched), cell_number(row->unused),
			  cell_number(row->calls), cell_number(row->call_ns));
	}
}

static void add_sections(struct database *base, const struct model_storage *storage)
{
	CLEANUP(table_close) struct table table = table_open(base, "storage_sections");

	for (size_t i = 0; i < storage->section_count; i++) {
		const struct model_storage_section *row = &storage->sections[i];

		table_add(&table, cell_number(i), cell_text(row->path), cell_row(row->object),
			  cell_text(row->section), cell_number(row->size), cell_number(row->read),
			  cell_number(row->mapped), cell_number(row->touched));
	}
}

static void add_calls(struct database *base, const struct model_storage *storage)
{
	CLEANUP(table_close) struct table table = table_open(base, "storage_calls");

	for (size_t i = 0; i < storage->call_count; i++) {
		table_add(&table, cell_number(i), cell_text(storage->calls[i].name),
			  cell_number(storage->calls[i].bytes),
			  cell_number(storage->calls[i].metadata),
			  cell_number(storage->calls[i].requests));
	}
}

static void add_devices(struct database *base, const struct model_storage *storage)
{
	CLEANUP(table_close) struct table table = table_open(base, "storage_devices");

	for (size_t i = 0; i < storage->device_count; i++) {
		const struct model_storage_device *row = &storage->devices[i];

		table_add(&table, cell_number(i), cell_text(row->name), cell_number(row->bytes),
			  cell_number(row->requests),
			  cell_known(row->has_counted, row->counted_least),
			  cell_known(row->has_counted, row->counted_most));
	}
}

void sqlite_storage(struct database *base, const struct model *model)
{
	const struct model_storage *storage = model->storage;

	if (!storage)
		return;
	add_storage(base, storage);
	add_parts(base, storage);
	add_files(base, storage);
	add_sections(base, storage);
	add_calls(base, storage);
	add_devices(base, storage);
}
