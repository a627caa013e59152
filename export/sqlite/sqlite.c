// SPDX-License-Identifier: Apache-2.0
// An SQLite database of the answer: a table per concept, and views that answer common questions.
#include "export/export.h"
#include "export/sqlite/schema.h"

#include "base/cleanup.h"
#include "model/account.h"
#include "model/missing.h"
#include "model/storage.h"
#include "model/waits.h"

static void add_notes(struct database *base, const struct model *model)
{
	struct table table = table_open(base, "notes", 2);
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	for (size_t i = 0; i < model->notes.list.count; i++) {
		strbuf_clear(&text);
		note_print(&model->notes.list.items[i], &text);
		table_number(&table, i);
		table_text(&table, strbuf_text(&text));
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_counts(struct database *base, const struct model_counts *counts)
{
	struct table table = table_open(base, "counts", 21);

	table_number(&table, counts->recorded);
	table_number(&table, counts->attributed);
	table_number(&table, counts->unattributed);
	table_number(&table, counts->lost);
	table_number(&table, counts->minor);
	table_number(&table, counts->major);
	table_known(&table, counts->has_rusage, counts->rusage_minor);
	table_known(&table, counts->has_rusage, counts->rusage_major);
	table_known(&table, counts->has_unsampled, counts->unsampled);
	table_number(&table, counts->before_exec);
	table_number(&table, counts->lost_other);
	table_number(&table, counts->stacks_lost);
	table_number(&table, counts->without_stack);
	table_number(&table, counts->without_stack_unknown);
	table_number(&table, counts->processes);
	table_number(&table, counts->threads);
	table_number(&table, counts->programs);
	table_known(&table, counts->has_reads, counts->read_bytes);
	table_number(&table, counts->in_elf);
	table_number(&table, counts->in_elf_section);
	table_number(&table, counts->in_elf_symbol);
	table_end_row(&table);
	table_close(&table);
}

void sqlite_trace(struct database *base, const struct model *model)
{
	const struct model_trace *trace = &model->trace;
	struct table table = table_open(base, "trace", 13);
	CLEANUP(strbuf_deinit) struct strbuf command = { 0 };

	strbuf_put_words(&command, trace->command, trace->command_count);
	table_text(&table, trace->path);
	table_text(&table, trace->command_count > 0 ? strbuf_text(&command) : NULL);
	table_text(&table, trace->process);
	table_text(&table, trace->backend);
	table_text(&table, trace->kernel);
	table_text(&table, trace->machine);
	table_number(&table, trace->page_size);
	table_known(&table, trace->start_unix_ns > 0, trace->start_unix_ns);
	table_number(&table, trace->duration_ns);
	table_number(&table, model_is_complete(model));
	table_number(&table, trace->has_stacks);
	table_number(&table, trace->has_reads);
	table_text(&table, model->filter);
	table_end_row(&table);
	table_close(&table);
	add_counts(base, &model->counts);
	add_notes(base, model);
}

void sqlite_words(struct database *base)
{
	enum { VALUES = sizeof(word_lists->words) / sizeof(word_lists->words[0]) };
	struct table table = table_open(base, "words", 4);

	for (enum word_list_id list = 0; list < WORD_LIST_COUNT; list++)
		for (unsigned value = 0; value < VALUES; value++) {
			if (!word_lists[list].words[value])
				continue; // the value that stands for null, or past the last one
			table_number(&table, sqlite_word(list, value));
			table_text(&table,
				   list == WORD_LIST_storage ? "cause" : word_lists[list].name);
			table_text(&table, word_lists[list].words[value]);
			table_text(&table, word_lists[list].meanings[value]);
			table_end_row(&table);
		}
	table_close(&table);
}

export_tool_writer export_sqlite;

bool export_sqlite(const struct model *model, const struct export_tool_options *options, FILE *out,
		   struct err *err)
{
	CLEANUP(database_close) struct database base;
	CLEANUP(strbuf_deinit) struct strbuf sql = { 0 };

	(void)options;
	if (!database_open(&base)) {
		*err = base.err;
		return false;
	}
	sqlite_fault_table(&sql);
	database_run(&base, sqlite_tables);
	database_run(&base, strbuf_text(&sql));
	sqlite_words(&base);
	sqlite_trace(&base, model);
	sqlite_places(&base, model);
	sqlite_faults(&base, model);
	sqlite_findings(&base, model);
	sqlite_account(&base, model);
	sqlite_storage(&base, model);
	database_run(&base, sqlite_indexes);
	strbuf_clear(&sql);
	sqlite_fault_view(&sql);
	database_run(&base, strbuf_text(&sql));
	database_run(&base, sqlite_views);
	return database_copy(&base, out, err);
}
