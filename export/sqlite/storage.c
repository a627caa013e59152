// SPDX-License-Identifier: Apache-2.0
// Tables of what storage delivered.
#include "export/sqlite/schema.h"

#include "model/storage.h"

static void add_storage(struct database *base, const struct model_storage *storage)
{
	struct table table = table_open(base, "storage", 9);

	table_number(&table, storage->complete);
	table_number(&table, storage->device_bytes);
	table_number(&table, storage->requests);
	table_number(&table, storage->lost);
	table_number(&table, storage->request_ns);
	table_number(&table, storage->forward);
	table_number(&table, storage->backward);
	table_number(&table, storage->random);
	table_number(&table, storage->median_size);
	table_end_row(&table);
	table_close(&table);
}

static void add_parts(struct database *base, const struct model_storage *storage)
{
	struct table table = table_open(base, "storage_parts", 7);

	for (size_t i = 0; i < storage->part_count; i++) {
		const struct model_storage_part *row = &storage->parts[i];

		table_number(&table, i);
		table_text(&table, row->path);
		table_row(&table, row->object);
		table_text(&table, row->section);
		table_number(&table, sqlite_word(WORD_LIST_storage, row->cause));
		table_number(&table, sqlite_word(WORD_LIST_initiator, row->initiator));
		table_number(&table, row->bytes);
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_files(struct database *base, const struct model_storage *storage)
{
	struct table table = table_open(base, "storage_files", 13);

	for (size_t i = 0; i < storage->file_count; i++) {
		const struct model_storage_file *row = &storage->files[i];

		table_number(&table, i);
		table_text(&table, row->path);
		table_row(&table, row->object);
		table_known(&table, row->size > 0, row->size);
		table_number(&table, row->bytes);
		table_number(&table, row->requests);
		table_number(&table, row->wait_ns);
		table_number(&table, row->read);
		table_number(&table, row->mapped);
		table_number(&table, row->touched);
		table_number(&table, row->unused);
		table_number(&table, row->calls);
		table_number(&table, row->call_ns);
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_sections(struct database *base, const struct model_storage *storage)
{
	struct table table = table_open(base, "storage_sections", 8);

	for (size_t i = 0; i < storage->section_count; i++) {
		const struct model_storage_section *row = &storage->sections[i];

		table_number(&table, i);
		table_text(&table, row->path);
		table_row(&table, row->object);
		table_text(&table, row->section);
		table_number(&table, row->size);
		table_number(&table, row->read);
		table_number(&table, row->mapped);
		table_number(&table, row->touched);
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_calls(struct database *base, const struct model_storage *storage)
{
	struct table table = table_open(base, "storage_calls", 5);

	for (size_t i = 0; i < storage->call_count; i++) {
		table_number(&table, i);
		table_text(&table, storage->calls[i].name);
		table_number(&table, storage->calls[i].bytes);
		table_number(&table, storage->calls[i].metadata);
		table_number(&table, storage->calls[i].requests);
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_devices(struct database *base, const struct model_storage *storage)
{
	struct table table = table_open(base, "storage_devices", 6);

	for (size_t i = 0; i < storage->device_count; i++) {
		const struct model_storage_device *row = &storage->devices[i];

		table_number(&table, i);
		table_text(&table, row->name);
		table_number(&table, row->bytes);
		table_number(&table, row->requests);
		table_known(&table, row->has_counted, row->counted_least);
		table_known(&table, row->has_counted, row->counted_most);
		table_end_row(&table);
	}
	table_close(&table);
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
