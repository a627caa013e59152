// SPDX-License-Identifier: Apache-2.0
// The candidates that need a trace, or the fields of its faults.
#include "cli/option/candidates.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "cli/caller.h"
#include "cli/option/option.h"
#include "correlate/correlate.h"
#include "model/field.h"
#include "model/smaps.h"
#include "trace/trace.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** A key was pressed: of a larger trace the answer would come too late. */
enum { FAULTS_MOST = 200000 };

/** The trace that the command line is about; NULL: none that is small enough. */
static struct trace *open_trace(const struct typed *typed)
{
	struct caller caller = caller_find();
	struct trace_size size;
	struct trace *trace;
	struct err err;

	if (!caller_take_rights(&caller))
		return NULL;
	for (size_t left = typed->operand_count + 1; left > 0; left--) {
		const char *path = left > 1 ? typed->operands[left - 2] : DEFAULT_TRACE;

		if (trace_measure(path, &size, &err) && size.faults <= FAULTS_MOST &&
		    trace_read(path, &trace, &err))
			return trace;
	}
	return NULL;
}

/** The files whose code the trace's programs mapped. */
static void print_objects(const struct typed *typed)
{
	CLEANUP(trace_closep) struct trace *trace = open_trace(typed);
	CLEANUP(candidate_names_deinit) struct candidate_names names = { 0 };

	if (!trace)
		return;
	vec_foreach (mapping, &trace->mappings) {
		const char *slash = strrchr(mapping->path, '/');

		if (mapping->protection & TRACE_PROTECTION_EXEC && mapping->path[0] == '/' &&
		    mapping->path[1] != '/' && slash)
			vec_push(&names.rows, slash + 1);
	}
	candidate_names_print(typed, &names);
}

/** Print the values that faults of the trace have for @field: sections, symbols, functions. */
static void print_rows(const struct typed *typed, const struct field *field)
{
	const struct correlate_options options = { 0 };
	CLEANUP(trace_closep) struct trace *trace = open_trace(typed);
	CLEANUP(model_closep) struct model *model = NULL;
	CLEANUP(candidate_names_deinit) struct candidate_names names = { 0 };
	struct err err;

	if (!trace || !correlate(trace, &options, &model, &err))
		return;
	for (uint32_t row = 0; row < field->row_count(model); row++)
		if (field->row_name(model, row))
			vec_push(&names.rows, field->row_name(model, row));
	candidate_names_print(typed, &names);
}

static void print_values(const struct typed *typed, const struct field *field)
{
	if (field->is_object) {
		print_objects(typed);
	} else if (field->domain == FIELD_ROWS) {
		print_rows(typed, field);
	} else if (field->domain == FIELD_WORDS) {
		for (uint32_t key = 0; key < field->word_count; key++)
			if (field->word(key))
				candidate_print(typed, field->word(key), NULL);
	}
}

/** Print the names of fields, followed by @end, for what follows the last comma. */
static void print_fields(struct typed typed, const char *end)
{
	const char *comma = strrchr(typed.word + typed.kept, ',');
	size_t count;
	const struct field *fields = field_all(&count);
	char word[64];

	if (comma)
		typed.kept = (size_t)(comma + 1 - typed.word);
	array_foreach (field, fields, count) {
		if (field->is_only_of_io)
			continue;
		snprintf(word, sizeof(word), "%s%s", field->name, end);
		candidate_print(&typed, word, field->column);
	}
}

/** FIELD=VALUE[|VALUE...][,...] */
static void print_conditions(struct typed typed)
{
	const char *comma = strrchr(typed.word + typed.kept, ',');
	const char *condition = comma ? comma + 1 : typed.word + typed.kept;
	const char *equals = strchr(condition, '=');
	struct err err;

	if (!equals) {
		print_fields(typed, "=");
		return;
	}
	size_t length = strcspn(condition, "!=");
	const struct field *field = field_find(condition, length, &err);
	const char *bar = strrchr(equals, '|');

	typed.kept = (size_t)((bar ? bar : equals) + 1 - typed.word);
	if (field)
		print_values(&typed, field);
}

static void print_smaps_keys(const struct typed *typed)
{
	for (unsigned key = 0; key < SMAPS_KEYS; key++)
		candidate_print(typed, smaps_key_word((enum smaps_key)key), NULL);
}

void candidates_print_analysis(const struct typed *typed, const char *name)
{
	if (strcmp(name, "CONDITIONS") == 0)
		print_conditions(*typed);
	else if (strncmp(name, "FIELD", strlen("FIELD")) == 0)
		print_fields(*typed, "");
	else if (strcmp(name, "KEY") == 0)
		print_smaps_keys(typed);
	else if (strcmp(name, "OBJECT") == 0 || strcmp(name, "NAME") == 0)
		print_objects(typed);
}
