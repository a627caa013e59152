// SPDX-License-Identifier: Apache-2.0
// JSON schemas (draft 7) of the tables beside this file, of model/columns.def and of words.def.
#include "render/columns/columns.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/columns.h"
#include "model/field.h"
#include "render/columns/node.h"

#include <stdlib.h>
#include <string.h>

/** Types of one word. */
static const struct {
	const char *name, *schema;
} scalars[] = {
	{ "any", "{}" },
	{ "text", "{\"type\":\"string\"}" },
	{ "bool", "{\"type\":\"boolean\"}" },
	{ "number", "{\"type\":\"integer\",\"minimum\":0}" },
	{ "number>0", "{\"type\":\"integer\",\"minimum\":1}" },
	{ "integer", "{\"type\":\"integer\"}" },
	{ "flag", "{\"enum\":[0,1]}" },
	{ "real", "{\"type\":\"number\"}" },
	{ "amount", "{\"type\":\"number\",\"minimum\":0}" },
	{ "amount>=1", "{\"type\":\"number\",\"minimum\":1}" },
	{ "share", "{\"type\":\"number\",\"minimum\":0,\"maximum\":1}" },
	// Sums of probabilities are off by as much.
	{ "probability", "{\"type\":\"number\",\"minimum\":0,\"maximum\":1.0000001}" },
	{ "address", "{\"type\":\"string\",\"pattern\":\"^0x[0-9a-f]{1,16}$\"}" },
	{ "build-id", "{\"type\":\"string\",\"pattern\":\"^([0-9a-f]{2})+$\"}" },
	{ "build-id-or-empty", "{\"type\":\"string\",\"pattern\":\"^([0-9a-f]{2})*$\"}" },
	{ "run-id", "{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{16}$\"}" },
	{ "protection", "{\"type\":\"string\",\"pattern\":\"^[r-][w-][x-]$\"}" },
	{ "by_initiator", "{\"$ref\":\"urn:elfault:words:1#/definitions/by_initiator\"}" },
	{ "by_mechanism", "{\"$ref\":\"urn:elfault:words:1#/definitions/by_mechanism\"}" },
	{ "by_access", "{\"$ref\":\"urn:elfault:words:1#/definitions/by_access\"}" },
	{ "by_state", "{\"$ref\":\"urn:elfault:words:1#/definitions/by_state\"}" },
	{ "fault", "{\"$ref\":\"urn:elfault:fault:1\"}" },
};

static struct json_object *parsed(const char *text)
{
	struct json_object *node = json_tokener_parse(text);

	if (!node)
		oom();
	return node;
}

/** Row types are defined once per document, where the first column needs them. */
static struct json_object *type_new(struct json_object *definitions, const char *type);

/** Stop: a type that is not in the tables is a mistake in them, which every build would show. */
static _Noreturn void unknown_type(const char *type)
{
	fprintf(stderr, "no such type of a column: %s\n", type);
	abort();
}

static void describe(struct json_object *node, const char *meaning)
{
	if (meaning && *meaning)
		node_add_text(node, "description", meaning);
}

static struct json_object *object_new(void)
{
	struct json_object *object = node_object();

	node_add_text(object, "type", "object");
	node_add(object, "required", node_array());
	node_add(object, "properties", node_object());
	return object;
}

/** Add a key; @name ends with a ? where it is not always there. */
static void add_key(struct json_object *object, const char *name, struct json_object *node,
		    const char *meaning)
{
	size_t length = strlen(name);
	bool is_optional = name[length - 1] == '?';
	CLEANUP(freep) char *key = xstrdup(name);

	describe(node, meaning);
	if (is_optional)
		key[length - 1] = '\0';
	else
		node_append(json_object_object_get(object, "required"), node_text(name));
	json_object_object_add(json_object_object_get(object, "properties"), key, node);
}

/** Is @type the type @name, or "io-" and that, which is of operations of storage? */
static bool is_type(const char *type, const char *name, bool *ret_is_of_io)
{
	*ret_is_of_io = strncmp(type, "io-", strlen("io-")) == 0;
	return strcmp(*ret_is_of_io ? type + strlen("io-") : type, name) == 0;
}

static bool is_field_of(const struct field *field, bool is_of_io)
{
	return is_of_io ? field->is_of_io : !field->is_only_of_io;
}

/** A key for each field of --by, of faults or operations, at least one of which is there. */
static void add_fields(struct json_object *object, bool is_of_io)
{
	size_t count;
	const struct field *fields = field_all(&count);

	node_add_number(object, "minProperties",
			json_object_array_length(json_object_object_get(object, "required")) + 1);
	for (size_t i = 0; i < count; i++) {
		if (!is_field_of(&fields[i], is_of_io))
			continue;
		CLEANUP(strbuf_deinit) struct strbuf name = { 0 };
		const struct fault_column *column = fault_column_find(fields[i].name, is_of_io);
		const char *type = !column				 ? "bool?"
				   : strcmp(column->type, "number") == 0 ? "number?"
									 : column->type;

		strbuf_printf(&name, "%s?", fields[i].name);
		add_key(object, strbuf_text(&name), type_new(NULL, type),
			column ? column->meaning : NULL);
	}
}

static void add_columns(struct json_object *definitions, struct json_object *object,
			const struct row_column *row)
{
	for (const struct row_column *column = row + 1; column->name && !column->is_row; column++) {
		bool is_of_io;

		if (*column->name) {
			add_key(object, column->name, type_new(definitions, column->type),
				column->meaning);
			continue;
		}
		if (is_type(column->type, "fields", &is_of_io)) {
			add_fields(object, is_of_io);
			continue;
		}
		const struct row_column *others = columns_find(column->type);

		if (!others)
			unknown_type(column->type);
		add_columns(definitions, object, others);
	}
}

static struct json_object *row_new(struct json_object *definitions, const struct row_column *row)
{
	struct json_object *object = object_new();

	add_columns(definitions, object, row);
	if (row->is_closed)
		node_add_bool(object, "additionalProperties", false);
	return object;
}

static struct json_object *reference_new(const char *to, const char *name)
{
	CLEANUP(strbuf_deinit) struct strbuf path = { 0 };
	struct json_object *node = node_object();

	strbuf_printf(&path, "%s#/definitions/%s", to, name);
	node_add_text(node, "$ref", strbuf_text(&path));
	return node;
}

/** @node, or null. */
static struct json_object *nullable(struct json_object *node)
{
	struct json_object *type, *list;

	if (json_object_object_get_ex(node, "enum", &list)) {
		node_append(list, NULL);
		return node;
	}
	list = node_array();
	if (json_object_object_get_ex(node, "type", &type)) {
		node_append(list, json_object_get(type));
		node_append(list, node_text("null"));
		json_object_object_add(node, "type", list);
		return node;
	}
	struct json_object *either = node_object();

	node_append(list, node);
	node_append(list, parsed("{\"type\":\"null\"}"));
	node_add(either, "anyOf", list);
	return either;
}

/** Of "[TYPE]", "[TYPE 1..3]". */
static struct json_object *list_new(struct json_object *definitions, char *inner)
{
	struct json_object *node = node_object();
	char *range = strrchr(inner, ' ');
	char *most = range && !strchr(range, ']') ? strstr(range, "..") : NULL;
	bool is_of_io;

	node_add_text(node, "type", "array");
	if (most) {
		*range++ = '\0';
		if (most > range)
			node_add_number(node, "minItems", strtoull(range, NULL, 10));
		if (most[2])
			node_add_number(node, "maxItems", strtoull(most + 2, NULL, 10));
	}
	if (is_type(inner, "field", &is_of_io))
		node_add_bool(node, "uniqueItems", true);
	node_add(node, "items", type_new(definitions, inner));
	return node;
}

/** Of "{LIST: TYPE}". */
static struct json_object *map_new(struct json_object *definitions, char *inner)
{
	struct json_object *node = node_object();
	char *value = strstr(inner, ": ");

	if (!value)
		unknown_type(inner);
	*value = '\0';
	node_add_text(node, "type", "object");
	if (strcmp(inner, "text") != 0)
		node_add(node, "propertyNames", reference_new("urn:elfault:words:1", inner));
	node_add(node, "additionalProperties", type_new(definitions, value + 2));
	return node;
}

static struct json_object *choice_new(char *words)
{
	struct json_object *node = node_object(), *list = node_array();
	char *rest = words;

	for (char *word = strsep(&rest, "|"); word; word = strsep(&rest, "|"))
		node_append(list, node_text(word));
	node_add(node, "enum", list);
	return node;
}

static struct json_object *operation_new(void);

/** The fields of --by: of faults, or of operations. */
static struct json_object *fields_new(bool is_of_io)
{
	struct json_object *node = node_object(), *list = node_array();
	size_t count;
	const struct field *fields = field_all(&count);

	for (size_t i = 0; i < count; i++)
		if (is_field_of(&fields[i], is_of_io))
			node_append(list, node_text(fields[i].name));
	node_add(node, "enum", list);
	return node;
}

static struct json_object *named_new(struct json_object *definitions, const char *name)
{
	const struct row_column *row = columns_find(name);
	bool is_of_io;

	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
		if (strcmp(scalars[i].name, name) == 0)
			return parsed(scalars[i].schema);
	if (strcmp(name, "operation") == 0)
		return operation_new();
	if (is_type(name, "field", &is_of_io))
		return fields_new(is_of_io);
	if (word_list_find(name))
		return reference_new("urn:elfault:words:1", name);
	if (!row)
		unknown_type(name);
	if (!json_object_object_get_ex(definitions, name, NULL)) {
		// The place is taken first, so that what the row needs comes behind it.
		node_add(definitions, row->name, NULL);
		struct json_object *object = row_new(definitions, row);

		describe(object, row->meaning);
		json_object_object_add(definitions, name, object);
	}
	return reference_new("", name);
}

static struct json_object *type_new(struct json_object *definitions, const char *type)
{
	size_t length = strlen(type);
	bool is_nullable = length > 0 && type[length - 1] == '?';
	CLEANUP(freep) char *text = xstrdup(type);
	struct json_object *node;

	if (is_nullable)
		text[length - 1] = '\0';
	char *last = text + strlen(text) - (*text != '\0');
	if (*text == '[' || *text == '{') {
		*last = '\0';
		node = *text == '[' ? list_new(definitions, text + 1)
				    : map_new(definitions, text + 1);
	} else if (strchr(text, '|') || strncmp(text, "elfault.", 8) == 0) {
		node = choice_new(text);
	} else {
		node = named_new(definitions, text);
	}
	return is_nullable ? nullable(node) : node;
}

// ---- Faults -----------------------------------------------------------------------------------

/** Of "io", as the contract has it. */
#define PROMISED                                                                      \
	"{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"bytes\"," \
	"\"latency_ns\",\"wait_ns\",\"time_ns\",\"seq\"],\"additionalProperties\":"   \
	"{\"type\":\"integer\",\"minimum\":0}}}"

static bool is_of(const struct fault_column *column, const char *group)
{
	return group ? column->group && strcmp(column->group, group) == 0 : !column->group;
}

/** A table of columns: those of a fault or of an operation. */
struct fault_table {
	const struct fault_column *columns;
	size_t count;
};

static struct fault_table table_of_faults(void)
{
	return (struct fault_table){ fault_columns, fault_column_count };
}

static struct json_object *fault_type_new(struct fault_table table,
					  const struct fault_column *column);

/** An object of the columns of @group that have one of @roles, a bit each. */
static struct json_object *fault_object_new(struct fault_table table, unsigned roles,
					    const char *group)
{
	struct json_object *object = object_new();

	array_foreach (column, table.columns, table.count) {
		if (is_of(column, group) && roles & 1u << column->role)
			add_key(object, column->name, fault_type_new(table, column),
				column->meaning);
	}
	return object;
}

static struct json_object *fault_type_new(struct fault_table table,
					  const struct fault_column *column)
{
	struct json_object *node;

	if (column->role == FAULT_GROUP) {
		node = fault_object_new(table, 1u << FAULT_VALUE, column->name);
		return *column->type ? nullable(node) : node;
	}
	if (column->role == FAULT_PROMISE)
		return parsed(PROMISED);
	if (strcmp(column->type, "[frame]") != 0 && strcmp(column->type, "[inlined]") != 0)
		return type_new(NULL, column->type);
	node = node_object();
	node_add_text(node, "type", "array");
	node_add(node, "items",
		 fault_object_new(table_of_faults(),
				  1u << (*column->type == '[' && column->type[1] == 'f'
						 ? FAULT_FRAME
						 : FAULT_INNER),
				  NULL));
	return node;
}

static struct json_object *fault_new(void)
{
	return fault_object_new(table_of_faults(),
				1u << FAULT_VALUE | 1u << FAULT_GROUP | 1u << FAULT_STACK |
					1u << FAULT_PROMISE,
				NULL);
}

/** An operation: a row of the document "io". */
static struct json_object *operation_new(void)
{
	return fault_object_new((struct fault_table){ io_columns, io_column_count },
				1u << FAULT_VALUE | 1u << FAULT_GROUP | 1u << FAULT_STACK, NULL);
}

/** Lines of --stacks ids. */
static struct json_object *fault_ids_new(void)
{
	struct json_object *object = node_object(), *either = node_array();
	struct json_object *frame = fault_object_new(table_of_faults(), 1u << FAULT_FRAME, NULL);
	struct json_object *stack = object_new();
	struct json_object *fault = fault_object_new(
		table_of_faults(),
		1u << FAULT_VALUE | 1u << FAULT_GROUP | 1u << FAULT_ID | 1u << FAULT_PROMISE, NULL);

	describe(frame, "a frame: of a fault's instruction, or of a call");
	add_key(frame, "frame_id", type_new(NULL, "number>0"), NULL);
	describe(stack, "a call stack");
	add_key(stack, "stack_id", type_new(NULL, "number>0"), NULL);
	add_key(stack, "frames", type_new(NULL, "[number>0]"), "frame_id of each, innermost first");
	add_key(stack, "stack_end", type_new(NULL, "outermost|cut|lost"), NULL);
	describe(fault, "a fault, as fault.schema.json describes it, but for stack and stack_end");
	node_append(either, frame);
	node_append(either, stack);
	node_append(either, fault);
	node_add(object, "oneOf", either);
	return object;
}

// ---- Words ------------------------------------------------------------------------------------

static struct json_object *words_new(const struct word_list *list, struct strbuf *meanings)
{
	struct json_object *words = node_array();

	for (size_t i = 0; i < sizeof(list->words) / sizeof(list->words[0]); i++) {
		if (!list->words[i])
			continue;
		node_append(words, node_text(list->words[i]));
		strbuf_printf(meanings, "%s%s: %s", meanings->length > 0 ? "; " : "",
			      list->words[i], list->meanings[i]);
	}
	return words;
}

/** The words of each list, and the objects with a number for each of them. */
static struct json_object *all_words_new(void)
{
	struct json_object *object = node_object(), *definitions = node_object();

	for (const struct word_list *list = word_lists; list->name; list++) {
		CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
		struct json_object *node = node_object();
		struct json_object *numbers = node_object();
		struct json_object *words = words_new(list, &text);

		node_add_text(node, "description", strbuf_text(&text));
		node_add(node, "enum", words);
		node_add(definitions, list->name, node);
		node_add_text(numbers, "type", "object");
		node_add(numbers, "required", json_object_get(words));
		node_add(numbers, "additionalProperties", type_new(NULL, "number"));
		strbuf_clear(&text);
		strbuf_printf(&text, "by_%s", list->name);
		json_object_object_add(definitions, strbuf_text(&text), numbers);
	}
	node_add(object, "definitions", definitions);
	return object;
}

// ---- Documents --------------------------------------------------------------------------------

static struct json_object *document_new(const struct row_column *row)
{
	struct json_object *definitions = node_object();
	struct json_object *object = row_new(definitions, row);

	node_add(object, "definitions", definitions);
	return object;
}

/** Those that are not in the tables. */
static const struct other {
	struct row_column document;
	struct json_object *(*make)(void);
} others[] = {
	{ DOCUMENT("fault",
		   "One page fault, as in the faults of elfault.analysis/1 and on a line of "
		   "--format ndjson",
		   "Addresses are strings, offsets and sizes bytes, times nanoseconds; null where "
		   "it does not apply or is not known. Keys may be added."),
	  fault_new },
	{ DOCUMENT("fault-ids",
		   "A line of --format ndjson --stacks ids: a frame, a stack of such frames, or a "
		   "fault",
		   "Numbers are from 1. What a line names by its number is on a line before it. "
		   "Keys may be added."),
	  fault_ids_new },
	{ DOCUMENT("words", "The words of a fault, which the other schemas refer to", NULL),
	  all_words_new },
};

static bool write_schema(const struct row_column *document, struct json_object *content, FILE *out)
{
	CLEANUP(node_putp) struct json_object *schema = node_object();
	CLEANUP(strbuf_deinit) struct strbuf id = { 0 };

	strbuf_printf(&id, "urn:elfault:%s:1", document->name);
	node_add_text(schema, "$schema", "http://json-schema.org/draft-07/schema#");
	node_add_text(schema, "$id", strbuf_text(&id));
	node_add_text(schema, "title", document->type);
	describe(schema, document->meaning);
	json_object_object_foreach(content, key, value)
		json_object_object_add(schema, key, json_object_get(value));
	json_object_put(content);
	fputs(json_object_to_json_string_ext(schema, JSON_C_TO_STRING_PRETTY |
							     JSON_C_TO_STRING_NOSLASHESCAPE),
	      out);
	fputc('\n', out);
	return fflush(out) == 0 && !ferror(out);
}

bool render_schema(const char *name, FILE *out, bool *ret_is_known)
{
	const struct row_column *row = columns_find(name);

	*ret_is_known = true;
	if (row && row->type)
		return write_schema(row, document_new(row), out);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i].document.name, name) == 0)
			return write_schema(&others[i].document, others[i].make(), out);
	*ret_is_known = false;
	return false;
}
