// SPDX-License-Identifier: Apache-2.0
// Every format of `export`, with a model that tries everything: hostile names, rows that are
// missing, numbers at their limits.
#include "base/cleanup.h"
#include "export/exporters.h"
#include "model/account.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

/** Return what @format writes of @model; to be freed. */
static char *written(const struct exporter *format, const struct model *model, size_t *ret_size)
{
	const struct export_options options = { 0 };
	struct err err = { 0 };
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_size);
	bool ok = format->write(&(struct export_subject){ .model = model }, &options, out, &err);

	fclose(out);
	if (!ok && err.code == ERR_UNSUPPORTED)
		skip();
	if (!ok)
		fail_msg("%s: %s", format->name, err.message);
	return text;
}

TEST(every_format_writes_what_is_hostile_or_missing)
{
	for (const struct exporter *row = exporters; row->write; row++) {
		if (row->what != EXPORT_TOOL)
			continue;
		CLEANUP(model_closep) struct model *model = models_sample();
		size_t size, again;
		CLEANUP(freep) char *text = written(row, model, &size);
		CLEANUP(freep) char *same = written(row, model, &again);

		assert_true(size > 0);
		assert_int_equal(size, again);
		assert_memory_equal(text, same, size);
	}
}

TEST(every_format_writes_a_model_without_faults)
{
	for (const struct exporter *row = exporters; row->write; row++) {
		if (row->what != EXPORT_TOOL)
			continue;
		CLEANUP(model_closep) struct model *model = models_sample();
		size_t size;

		model->fault_count = 0;
		CLEANUP(freep) char *text = written(row, model, &size);

		assert_true(!row->is_binary || size > 0);
	}
}

/** As where only programs were recorded: more of them than the first allocation has room for. */
TEST(every_format_writes_processes_without_threads)
{
	struct model_process_times processes[40] = { 0 };
	struct model_account account = {
		.complete = true,
		.processes = processes,
		.process_count = sizeof(processes) / sizeof(processes[0]),
	};

	for (size_t i = 0; i < account.process_count; i++)
		processes[i] =
			(struct model_process_times){ .pid = (uint32_t)i + 1, .end_ns = 1000 };
	for (const struct exporter *row = exporters; row->write; row++) {
		if (row->what != EXPORT_TOOL)
			continue;
		CLEANUP(model_closep) struct model *model = models_sample();
		size_t size;

		model->fault_count = model->thread_count = 0;
		model->account = &account;
		CLEANUP(freep) char *text = written(row, model, &size);

		assert_true(!row->is_binary || size > 0);
	}
}

TEST(a_format_has_its_name_once)
{
	for (const struct exporter *row = exporters; row->write; row++)
		assert_true(row->name ? exporter_named(row->what, row->name) == row
				      : row->extension != NULL);
}
