// SPDX-License-Identifier: Apache-2.0
// Reading what `elfault check --update` stored. The file lies in a repository that anyone may send
// changes to: nothing in it is believed before it was looked at.
#include "budget/budget.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BYTES_MAX = 64 << 20, DEPTH_MAX = 16 };
static const char schema[] = "elfault.baseline/1";

/** A file being read, and the place in it. */
struct reading {
	const char *path;
	struct arena *arena;
	struct err *err;
	char place[160];
};

static bool refuse(struct reading *reading, const char *words)
{
	return err_set(reading->err, ERR_INPUT,
		       "%s: %s%s%s; recreate it with elfault check --update", reading->path,
		       reading->place, reading->place[0] ? " " : "", words);
}

static void go_to(struct reading *reading, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void go_to(struct reading *reading, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reading->place, sizeof(reading->place), format, arguments);
	va_end(arguments);
}

static bool get(struct reading *reading, struct json_object *object, const char *key,
		enum json_type type, struct json_object **ret_value)
{
	char words[80];

	if (json_object_object_get_ex(object, key, ret_value) &&
	    (json_object_is_type(*ret_value, type) ||
	     (type == json_type_double && json_object_is_type(*ret_value, json_type_int))))
		return true;
	snprintf(words, sizeof(words), "has no %s \"%s\"",
		 type == json_type_string   ? "string"
		 : type == json_type_array  ? "list"
		 : type == json_type_object ? "object"
					    : "number",
		 key);
	return refuse(reading, words);
}

static bool get_text(struct reading *reading, struct json_object *object, const char *key,
		     const char **ret_text)
{
	struct json_object *value;

	if (!get(reading, object, key, json_type_string, &value))
		return false;
	*ret_text = arena_strdup(reading->arena, json_object_get_string(value));
	return true;
}

/** Is it one that a measure can be? JSON's numbers are exact up to here. */
static bool is_measure(double number)
{
	return isfinite(number) && !signbit(number) && number <= 1e15;
}

static bool get_real(struct reading *reading, struct json_object *object, const char *key,
		     double *ret_number)
{
	struct json_object *value;

	if (!get(reading, object, key, json_type_double, &value))
		return false;
	*ret_number = json_object_get_double(value);
	return is_measure(*ret_number) || refuse(reading, "has an impossible number");
}

static bool get_count(struct reading *reading, struct json_object *object, const char *key,
		      uint64_t *ret_number)
{
	double number;

	if (!get_real(reading, object, key, &number))
		return false;
	*ret_number = (uint64_t)number;
	return true;
}

static bool read_row(struct reading *reading, struct json_object *from, size_t word_count,
		     struct budget_row *row)
{
	if (!json_object_is_type(from, json_type_array) ||
	    json_object_array_length(from) != word_count + 1)
		return refuse(reading, "is not a list of a number and one value per field");
	struct json_object *number = json_object_array_get_idx(from, 0);
	row->value = json_object_get_double(number);
	if (!(json_object_is_type(number, json_type_int) ||
	      json_object_is_type(number, json_type_double)) ||
	    !is_measure(row->value))
		return refuse(reading, "has an impossible number");
	for (size_t i = 0; i < word_count; i++) {
		struct json_object *value = json_object_array_get_idx(from, i + 1);

		if (value && !json_object_is_type(value, json_type_string))
			return refuse(reading, "has a value that is not a string");
		row->values[i] =
			value ? arena_strdup(reading->arena, json_object_get_string(value)) : NULL;
	}
	return true;
}

static bool read_table(struct reading *reading, struct json_object *from,
		       struct budget_table *table)
{
	struct json_object *words, *rows;
	char place[sizeof(reading->place)];

	memcpy(place, reading->place, sizeof(place));
	if (!json_object_is_type(from, json_type_object))
		return refuse(reading, "is not an object");
	if (!get(reading, from, "by", json_type_array, &words) ||
	    !get(reading, from, "rows", json_type_array, &rows) ||
	    !get_real(reading, from, "least", &table->least))
		return false;
	table->word_count = json_object_array_length(words);
	if (table->word_count > BUDGET_WORDS_MAX)
		return refuse(reading, "has too many fields");
	for (size_t i = 0; i < table->word_count; i++) {
		struct json_object *word = json_object_array_get_idx(words, i);

		if (!json_object_is_type(word, json_type_string))
			return refuse(reading, "has a field that is not a string");
		table->words[i] = arena_strdup(reading->arena, json_object_get_string(word));
	}
	table->row_count = json_object_array_length(rows);
	struct budget_row *list = arena_array(reading->arena, table->row_count + 1, sizeof(*list));
	for (size_t i = 0; i < table->row_count; i++) {
		go_to(reading, "%.100s.rows[%zu]", place, i);
		if (!read_row(reading, json_object_array_get_idx(rows, i), table->word_count,
			      &list[i]))
			return false;
	}
	table->rows = list;
	return true;
}

static bool read_metric(struct reading *reading, struct budget_measure *measure)
{
	size_t length = strcspn(measure->subject, "{");

	for (int i = 0; i < BUDGET_METRICS; i++) {
		const char *name = budget_metric_name((enum budget_metric)i);

		if (strlen(name) == length && strncmp(name, measure->subject, length) == 0) {
			measure->metric = (enum budget_metric)i;
			return true;
		}
	}
	return refuse(reading, "has an unknown metric");
}

static bool read_measure(struct reading *reading, struct json_object *from, size_t index,
			 struct budget_measure *measure)
{
	struct json_object *tables;

	go_to(reading, "limits[%zu]", index);
	if (!json_object_is_type(from, json_type_object))
		return refuse(reading, "is not an object");
	if (!get_text(reading, from, "limit", &measure->subject) ||
	    !read_metric(reading, measure) || !get_real(reading, from, "value", &measure->value) ||
	    !get_real(reading, from, "spread", &measure->spread) ||
	    !get(reading, from, "tables", json_type_array, &tables))
		return false;
	if (json_object_array_length(tables) > BUDGET_TABLES)
		return refuse(reading, "has too many tables");
	for (size_t i = 0; i < json_object_array_length(tables); i++) {
		go_to(reading, "limits[%zu].tables[%zu]", index, i);
		if (!read_table(reading, json_object_array_get_idx(tables, i), &measure->tables[i]))
			return false;
	}
	return true;
}

static bool read_sections(struct reading *reading, struct json_object *from,
			  struct budget_object *object)
{
	struct budget_section *rows = arena_array(
		reading->arena, (size_t)json_object_object_length(from) + 1, sizeof(*rows));
	size_t count = 0;

	json_object_object_foreach(from, name, value)
	{
		if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0)
			return refuse(reading, "has a section whose size is not a number");
		rows[count].name = arena_strdup(reading->arena, name);
		rows[count++].size = (uint64_t)json_object_get_int64(value);
	}
	object->sections = rows;
	object->section_count = count;
	return true;
}

static bool read_object(struct reading *reading, struct json_object *from, size_t index,
			struct budget_object *object)
{
	struct json_object *sections, *build_id;

	go_to(reading, "objects[%zu]", index);
	if (!json_object_is_type(from, json_type_object))
		return refuse(reading, "is not an object");
	if (json_object_object_get_ex(from, "build_id", &build_id) &&
	    json_object_is_type(build_id, json_type_string))
		object->build_id = arena_strdup(reading->arena, json_object_get_string(build_id));
	return get_text(reading, from, "object", &object->name) &&
	       get_count(reading, from, "size", &object->size) &&
	       get_count(reading, from, "relocations", &object->relocations) &&
	       get_count(reading, from, "relocation_table_bytes", &object->table_bytes) &&
	       get_count(reading, from, "initializers", &object->initializers) &&
	       get(reading, from, "sections", json_type_object, &sections) &&
	       read_sections(reading, sections, object);
}

static bool read_document(struct reading *reading, struct json_object *root,
			  struct budget_measures *baseline)
{
	struct json_object *limits, *objects;
	const char *kind;
	uint64_t runs;

	if (!json_object_is_type(root, json_type_object))
		return refuse(reading, "it is not a baseline");
	if (!get_text(reading, root, "schema", &kind))
		return false;
	if (strcmp(kind, schema) != 0)
		return refuse(reading, "it is another kind of file or from a newer elfault");
	if (!get_text(reading, root, "command", &baseline->command) ||
	    !get_text(reading, root, "backend", &baseline->backend) ||
	    !get_text(reading, root, "kernel", &baseline->kernel) ||
	    !get_text(reading, root, "machine", &baseline->machine) ||
	    !get_count(reading, root, "page_size", &baseline->page_size) ||
	    !get_count(reading, root, "runs", &runs) ||
	    !get(reading, root, "limits", json_type_array, &limits) ||
	    !get(reading, root, "objects", json_type_array, &objects))
		return false;
	baseline->run_count = runs;
	baseline->complete = true;
	size_t limit_count = json_object_array_length(limits);
	size_t object_count = json_object_array_length(objects);
	struct budget_measure *list = arena_array(reading->arena, limit_count + 1, sizeof(*list));
	struct budget_object *rows = arena_array(reading->arena, object_count + 1, sizeof(*rows));
	for (size_t i = 0; i < limit_count; i++)
		if (!read_measure(reading, json_object_array_get_idx(limits, i), i, &list[i]))
			return false;
	for (size_t i = 0; i < object_count; i++)
		if (!read_object(reading, json_object_array_get_idx(objects, i), i, &rows[i]))
			return false;
	baseline->list = list;
	baseline->count = limit_count;
	baseline->objects = rows;
	baseline->object_count = object_count;
	return true;
}

static void json_putp(struct json_object **object)
{
	json_object_put(*object);
}

static void tokener_freep(struct json_tokener **tokener)
{
	json_tokener_free(*tokener);
}

bool budget_baseline_parse(const char *path, const char *text, size_t length,
			   struct budget_measures **ret_baseline, struct err *err)
{
	CLEANUP(tokener_freep) struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
	CLEANUP(budget_measures_closep)
	struct budget_measures *baseline = xcalloc(1, sizeof(*baseline));
	struct reading reading = { .path = path, .arena = &baseline->arena, .err = err };

	if (!tokener)
		oom();
	if (length > BYTES_MAX)
		return refuse(&reading, "it is larger than 64 MiB");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	CLEANUP(json_putp)
	struct json_object *root = json_tokener_parse_ex(tokener, text, (int)length);
	if (!root) {
		enum json_tokener_error error = json_tokener_get_error(tokener);

		return err_set(
			err, ERR_INPUT,
			"%s: byte %zu: invalid JSON: %s; recreate it with elfault check --update",
			path, json_tokener_get_parse_end(tokener),
			error == json_tokener_continue ? "it ends too early"
						       : json_tokener_error_desc(error));
	}
	if (!read_document(&reading, root, baseline))
		return false;
	*ret_baseline = TAKE(baseline);
	return true;
}

/** Append the content of the file at @path; ERR_INPUT if it is larger than @limit bytes. */
static bool file_read(const char *path, size_t limit, struct strbuf *ret_text, struct err *err)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0 && strbuf_read(ret_text, fd, limit))
		return true;
	return errno == EFBIG
		       ? err_set(err, ERR_INPUT, "%s: larger than %zu MiB", path, limit >> 20)
		       : err_os(err, "%s", path);
}

bool budget_baseline_read(const char *path, struct budget_measures **ret_baseline, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	return file_read(path, BYTES_MAX, &text, err) &&
	       budget_baseline_parse(path, strbuf_text(&text), text.length, ret_baseline, err);
}
