// SPDX-License-Identifier: Apache-2.0
#include "model/shown.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/homepath.h"
#include "base/shownwords.h"
#include "model/account.h"
#include "model/calls.h"
#include "model/data.h"
#include "model/fileuses.h"
#include "model/io.h"
#include "model/layout.h"
#include "model/listing.h"
#include "model/map.h"
#include "model/marks.h"
#include "model/relocation.h"
#include "model/smaps.h"
#include "model/prefault.h"
#include "model/search.h"
#include "model/storage.h"
#include "model/waits.h"

#include <stdlib.h>
#include <string.h>

/** @text is const for those who read the model; its owner gives it away after this. */
static void shorten(struct homepaths *homes, const char *const *text)
{
	*(const char **)(uintptr_t)text = homepaths_get(homes, *text);
}

/** Shorten @member of each of @count rows. */
#define SHORTEN(homes, rows, count, member)                     \
	for (size_t row_ = 0; (rows) && row_ < (count); row_++) \
	shorten(homes, &(rows)[row_].member)

void model_shorten_notes(struct notes *notes)
{
	vec_foreach (note, &notes->list) {
		CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

		homepath_shorten(&buf, note->text);
		free(note->text);
		note->text = xstrdup(strbuf_text(&buf));
	}
}

static void shorten_object(struct homepaths *homes, const struct model_object *object)
{
	const struct model_layout *layout = object->layout;
	const struct model_data *data = object->data;
	const struct model_relocation *relocation = object->relocation;

	shorten(homes, &object->path);
	shorten(homes, &object->root);
	shorten(homes, &object->soname);
	shorten(homes, &object->archive);
	shorten(homes, &object->source_of_symbols);
	SHORTEN(homes, object->used, object->needed_count, examples);
	SHORTEN(homes, object->used, object->needed_count, datum);
	for (size_t i = 0; layout && i < layout->needed_count; i++)
		shorten(homes, &layout->needed[i]);
	for (size_t i = 0; data && i < data->page_count; i++)
		SHORTEN(homes, data->pages[i].symbols, data->pages[i].symbol_count, name);
	if (relocation)
		SHORTEN(homes, relocation->lookups, relocation->lookup_count, name);
}

/** Shorten the paths in time, storage and uses of files, if there are any. */
static void shorten_account(struct homepaths *homes, const struct model *model)
{
	const struct model_account *account = model->account;
	const struct model_storage *storage = model->storage;
	const struct model_file_uses *uses = model->file_uses;

	if (account) {
		SHORTEN(homes, account->spots, account->spot_count, source);
		SHORTEN(homes, account->spots, account->spot_count, blame_source);
	}
	if (storage) {
		SHORTEN(homes, storage->sections, storage->section_count, path);
		SHORTEN(homes, storage->files, storage->file_count, path);
		SHORTEN(homes, storage->parts, storage->part_count, path);
	}
	if (model->ios)
		SHORTEN(homes, model->ios->files, model->ios->file_count, path);
	if (uses)
		SHORTEN(homes, uses->files, uses->file_count, path);
	SHORTEN(homes, model->prefaults, model->prefault_count, file);
	if (model->searches) {
		SHORTEN(homes, model->searches->list, model->searches->count, path);
		SHORTEN(homes, model->searches->list, model->searches->count, folder);
	}
}

static void shorten_homes(struct homepaths *homes, struct model *model)
{
	shorten(homes, &model->trace.path);
	shorten(homes, &model->trace.file);
	shorten(homes, &model->filter);
	for (size_t i = 0; i < model->trace.label_count; i++)
		shorten(homes, &model->trace.labels[i]);
	for (size_t i = 0; i < model->object_count; i++)
		shorten_object(homes, &model->objects[i]);
	SHORTEN(homes, model->programs, model->program_count, executable);
	SHORTEN(homes, model->symbols, model->symbol_count, name);
	SHORTEN(homes, model->functions, model->function_count, name);
	SHORTEN(homes, model->codes, model->code_count, source);
	SHORTEN(homes, model->inlined, model->inlined_count, function);
	SHORTEN(homes, model->inlined, model->inlined_count, source);
	for (size_t i = 0; i < model->listing_count; i++)
		SHORTEN(homes, model->listings[i].files, model->listings[i].file_count, path);
	SHORTEN(homes, model->initializers, model->initializer_count, function);
	SHORTEN(homes, model->initializers, model->initializer_count, source);
	SHORTEN(homes, model->initializers, model->initializer_count, label);
	SHORTEN(homes, model->marks, model->mark_count, name);
	SHORTEN(homes, model->marks, model->mark_count, condition);
	shorten_account(homes, model);
	model_shorten_notes(&model->notes);
}

/** Leave out of the @count words of @command what is not to be shown. */
static void show_words(const char *const **command, size_t *count, struct arena *arena,
		       const struct model_shown *shown)
{
	const char **words;

	if (!shown->arguments)
		*command = shownwords_of(arena, *command, *count, count);
	if (shown->full_paths)
		return;
	words = arena_copy(arena, *command, (*count + 1) * sizeof(*words));
	for (size_t i = 0; i < *count; i++)
		words[i] = homepath_shortened(arena, words[i]);
	*command = words;
}

const char *const *model_shown_words(char *const *command, struct arena *arena,
				     const struct model_shown *shown, size_t *ret_count)
{
	const char *const *words = (const char *const *)command;

	*ret_count = 0;
	while (words[*ret_count])
		++*ret_count;
	show_words(&words, ret_count, arena, shown);
	return words;
}

/** The same of what processes executed. Rows are const for those who read the model. */
static void show_processes(const struct model_account *account, struct arena *arena,
			   const struct model_shown *shown)
{
	array_foreach (row, account->processes, account->process_count) {
		struct model_process_times *own = (struct model_process_times *)(uintptr_t)row;

		if (own->command_count > 0)
			show_words(&own->command, &own->command_count, arena, shown);
	}
}

const char *model_command_line(const struct model_trace *trace, struct arena *arena)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	for (size_t i = 0; i < trace->command_count; i++)
		if (strstr(trace->command[i], SHOWNWORDS_HIDDEN))
			return "COMMAND";
	strbuf_put_words(&text, trace->command, trace->command_count);
	return trace->command_count > 0 ? arena_strdup(arena, strbuf_text(&text)) : "COMMAND";
}

const char *model_command_text(const struct model_trace *trace, struct arena *arena)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	for (size_t i = 0; i < trace->command_count; i++)
		strbuf_printf(&text, "%s%s", i > 0 ? " " : "", trace->command[i]);
	if (trace->command_count == 0 && trace->process)
		strbuf_puts(&text, trace->process);
	return arena_strdup(arena, strbuf_text(&text));
}

void model_show_names(struct model *model, const struct model_shown *shown)
{
	CLEANUP(homepaths_deinit) struct homepaths homes = { .arena = &model->arena };

	if (!shown->full_paths)
		shorten_homes(&homes, model);
}

void model_show(struct model *model, const struct model_shown *shown)
{
	struct model_trace *trace = &model->trace;

	bool was_redacted = false;

	for (size_t i = 1; i < trace->command_count; i++) {
		CLEANUP(strbuf_deinit) struct strbuf word = { 0 };

		homepath_shorten(&word, trace->command[i]);
		trace->arguments_hash = hash_text(trace->arguments_hash, strbuf_text(&word));
		was_redacted = was_redacted || strstr(trace->command[i], SHOWNWORDS_HIDDEN);
	}
	if (was_redacted)
		trace->arguments_hash = 0;
	show_words(&trace->command, &trace->command_count, &model->arena, shown);
	if (model->account)
		show_processes(model->account, &model->arena, shown);
	if (!shown->host)
		trace->host = NULL;
	model_show_names(model, shown);
}

void model_show_map(struct map_model *model, const struct model_shown *shown)
{
	CLEANUP(homepaths_deinit) struct homepaths homes = { .arena = &model->arena };

	if (shown->full_paths)
		return;
	shorten(&homes, &model->path);
	shorten(&homes, &model->interpreter);
	SHORTEN(&homes, model->symbols, model->symbol_count, name);
	SHORTEN(&homes, model->initializers, model->initializer_count, function);
	SHORTEN(&homes, model->initializers, model->initializer_count, source);
	SHORTEN(&homes, model->units, model->unit_count, name);
	SHORTEN(&homes, model->owners.rows, model->owners.count, name);
	SHORTEN(&homes, model->owners.rows, model->owners.count, source);
	SHORTEN(&homes, model->sources.rows, model->sources.count, name);
	model_shorten_notes(&model->notes);
}

void model_show_smaps(struct smaps_model *model, const struct model_shown *shown)
{
	CLEANUP(homepaths_deinit) struct homepaths homes = { .arena = &model->arena };

	if (shown->full_paths)
		return;
	shorten(&homes, &model->source);
	SHORTEN(&homes, model->objects, model->object_count, path);
	SHORTEN(&homes, model->processes, model->process_count, name);
	model_shorten_notes(&model->notes);
}
