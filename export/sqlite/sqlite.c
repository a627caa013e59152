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
	CLEANUP(table_close) struct table table = table_open(base, "notes");
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	for (size_t i = 0; i < model->notes.list.count; i++) {
		strbuf_clear(&text);
		note_print(&model->notes.list.items[i], &text);
		table_add(&table, cell_number(i), cell_text(strbuf_text(&text)));
	}
}

static void add_counts(struct database *base, const struct model_counts *counts)
{
	CLEANUP(table_close) struct table table = table_open(base, "counts");

	table_add(&table, cell_number(counts->recorded), cell_number(counts->attributed),
		  cell_number(counts->unattributed), cell_number(counts->lost),
		  cell_number(counts->minor), cell_number(counts->major),
		  cell_known(counts->has_rusage, counts->rusage_minor),
		  cell_known(counts->has_rusage, counts->rusage_major),
		  cell_known(counts->has_unsampled, counts->unsampled),
		  cell_number(counts->before_exec), cell_number(counts->lost_other),
		  cell_number(counts->stacks_lost), cell_number(counts->without_stack),
		  cell_number(counts->without_stack_unknown), cell_number(counts->processes),
		  cell_number(counts->threads), cell_number(counts->programs),
		  cell_known(counts->has_reads, counts->read_bytes), cell_number(counts->in_elf),
		  cell_number(counts->in_elf_section), cell_number(counts->in_elf_symbol));
}

static void add_trace(struct database *base, const struct model *model)
{
	const struct model_trace *trace = &model->trace;
	CLEANUP(table_close) struct table table = table_open(base, "trace");
	CLEANUP(strbuf_deinit) struct strbuf command = { 0 };

	strbuf_put_words(&command, trace->command, trace->command_count);
	table_add(&table, cell_text(trace->path),
		  cell_text(trace->command_count > 0 ? strbuf_text(&command) : NULL),
		  cell_text(trace->process), cell_text(trace->backend), cell_text(trace->kernel),
		  cell_text(trace->machine), cell_number(trace->page_size),
		  cell_known(trace->start_unix_ns > 0, trace->start_unix_ns),
		  cell_number(trace->duration_ns), cell_number(model_is_complete(model)),
		  cell_number(trace->has_stacks), cell_number(trace->has_reads),
		  cell_text(model->filter));
	add_counts(base, &model->counts);
	add_notes(base, model);
}

static void add_words(struct database *base)
{
	enum { VALUES = sizeof(word_lists->words) / sizeof(word_lists->words[0]) };
	CLEANUP(table_close) struct table table = table_open(base, "words");

	for (enum word_list_id list = 0; list < WORD_LIST_COUNT; list++)
		for (unsigned value = 0; value < VALUES; value++) {
			if (!word_lists[list].words[value])
				continue; // the value that stands for null, or past the last one
			table_add(&table, cell_word(list, value),
				  cell_text(list == WORD_LIST_storage ? "cause"
								      : word_lists[list].name),
				  cell_text(word_lists[list].words[value]),
				  cell_text(word_lists[list].meanings[value]));
		}
}

export_tool_writer export_sqlite;

bool export_sqlite(const struct model *model, const struct export_tool_options *options, FILE *out,
		   struct err *err)
{
	CLEANUP(database_close) struct database base;
	CLEANUP(strbuf_deinit) struct strbuf sql = { 0 };

	if (!database_open(&base)) {
		*err = base.err;
		return false;
	}
	sqlite_fault_table(&sql);
	database_run(&base, sqlite_tables);
	database_run(&base, strbuf_text(&sql));
	add_words(&base);
	add_trace(&base, model);
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
