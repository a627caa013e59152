// SPDX-License-Identifier: Apache-2.0
// Reads the text form, line by line. People write it, so all but the essential fields may be left
// out, and a mistake is named with its line and word.
#include "trace/private.h"

#include "base/cleanup.h"
#include "machine/page.h"
#include "trace/format.h"
#include "trace/textfields.h"
#include "trace/textvalue.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN_MAX = 60, OVERRIDES_MAX = 4 };

/** Reading under way. */
struct parser {
	const char *path;
	size_t line_number;
	struct text_span rest; // of the line at hand
	struct trace *trace;
	struct err *err;
	struct strbuf unquoted;
	VEC(const char *) command, labels;
	uint64_t last_time_ns;
	bool has_meta, has_summary, is_incomplete;
	bool has_stacks_field, has_recorded, has_complete;
};

/** Any event; a time_ns always stands at its start. */
union event {
	struct trace_meta meta;
	struct trace_task task;
	struct trace_mapping mapping;
	struct trace_remap remap;
	struct trace_stack stack;
	struct trace_identity file;
	struct trace_content content;
	struct trace_fault fault;
	struct trace_pause pause;
	struct trace_read read;
	struct trace_request request;
	struct trace_path path;
	struct trace_root root;
	struct trace_device device;
	struct trace_sample sample;
	struct trace_call call;
	struct trace_prefault prefault;
	struct trace_argument argument;
	struct trace_open open;
	struct trace_mark mark;
	struct trace_flush flush;
	struct note note;
	struct text_summary summary;
};

/** One line taken apart. */
struct line {
	enum text_line_kind kind;
	const struct text_field *fields;
	union event event;
	uint64_t given; // bit i: field i is there
	// Overrides are stored when all other fields are.
	const struct text_field *overrides[OVERRIDES_MAX];
	union event override_event;
};

static const char *const required_keys[TEXT_LINE_KINDS][4] = {
	[TEXT_LINE_MAP] = { "addr", "size" },
	[TEXT_LINE_REMAP] = { "old_addr", "old_size", "new_addr", "new_size" },
	[TEXT_LINE_STACK] = { "id" },
	[TEXT_LINE_FILE] = { "id" },
	[TEXT_LINE_CONTENT] = { "file", "offset", "bytes" },
	[TEXT_LINE_FAULT] = { "addr" },
	[TEXT_LINE_READ] = { "offset", "size" },
	[TEXT_LINE_REQUEST] = { "size" },
	[TEXT_LINE_OPEN] = { "path" },
	[TEXT_LINE_MARK] = { "name" },
	[TEXT_LINE_PATH] = { "inode", "path" },
	[TEXT_LINE_ROOT] = { "file", "name" },
	[TEXT_LINE_DEVICE] = { "device", "name" },
	[TEXT_LINE_ARGUMENT] = { "word" },
	[TEXT_LINE_NOTE] = { "text" },
};

static bool fail(struct parser *parser, struct text_span word, const char *why)
{
	int length = word.length > SHOWN_MAX ? SHOWN_MAX : (int)word.length;

	return err_set(parser->err, ERR_INPUT, "%s:%zu: '%.*s%s' %s", parser->path,
		       parser->line_number, length, word.start,
		       word.length > SHOWN_MAX ? "..." : "", why);
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

/** Skip blanks; false at the end of the line or at a comment. */
static bool skip_blanks(struct text_span *rest)
{
	while (rest->length > 0 && is_blank(*rest->start)) {
		rest->start++;
		rest->length--;
	}
	return rest->length > 0 && *rest->start != '#';
}

static void advance(struct text_span *rest, size_t length)
{
	rest->start += length;
	rest->length -= length;
}

/** Take the bytes before the next blank or @stop. */
static struct text_span take_word(struct text_span *rest, char stop)
{
	struct text_span word = { rest->start, 0 };

	while (word.length < rest->length && !is_blank(word.start[word.length]) &&
	       word.start[word.length] != stop)
		word.length++;
	advance(rest, word.length);
	return word;
}

static bool span_is(struct text_span span, const char *word)
{
	return span.length == strlen(word) && memcmp(span.start, word, span.length) == 0;
}

static size_t field_index(const struct text_field *fields, const char *key)
{
	size_t i = 0;

	while (strcmp(fields[i].key, key) != 0)
		i++;
	return i;
}

static bool is_given(const struct line *line, const char *key)
{
	return line->given >> field_index(line->fields, key) & 1;
}

/** A line that asks for a field its kind does not have: name those it has. */
static bool fail_unknown_field(struct parser *parser, const struct line *line,
			       struct text_span word)
{
	CLEANUP(strbuf_deinit) struct strbuf why = { 0 };

	strbuf_printf(&why, "is not a field of %s, which has", text_lines[line->kind].word);
	for (const struct text_field *field = line->fields; field->key; field++)
		strbuf_printf(&why, " %s", field->key);
	if (!line->fields->key)
		strbuf_puts(&why, " none");
	fail(parser, word, strbuf_text(&why));
	return false;
}

/** Store the fact that @field is there in the member that says so. */
static void set_has(const struct text_field *field, union event *event)
{
	void *member = text_member(event, field->has_offset);

	if (!field->has_offset || field->type == TEXT_CHOICE)
		return;
	if (field->has_mask)
		*(uint32_t *)member |= field->has_mask;
	else
		*(bool *)member = true;
}

static bool store_value(struct parser *parser, struct line *line, const struct text_field *field,
			struct text_span value, const char **ret_why)
{
	union event *event = &line->event;

	if (field->type == TEXT_WORDS) {
		union event word;
		struct text_field as_string = { .type = TEXT_STRING };

		if (!text_parse_value(&as_string, value, &word, &parser->trace->arena, ret_why))
			return false;
		if (field->offset == offsetof(struct trace_meta, labels))
			vec_push(&parser->labels, *(const char **)&word);
		else
			vec_push(&parser->command, *(const char **)&word);
		return true;
	}
	if (field->show == TEXT_OVERRIDE) {
		size_t i = 0;

		while (line->overrides[i])
			i++;
		line->overrides[i] = field;
		event = &line->override_event;
	}
	if (!text_parse_value(field, value, event, &parser->trace->arena, ret_why))
		return false;
	if (field->show != TEXT_OVERRIDE)
		set_has(field, event);
	return true;
}

/** Read one key=value. */
static bool parse_field(struct parser *parser, struct line *line)
{
	const char *start = parser->rest.start;
	struct text_span key = take_word(&parser->rest, '=');
	const struct text_field *field = line->fields;
	const char *why = NULL;

	while (field->key && !span_is(key, field->key))
		field++;
	if (!field->key)
		return fail_unknown_field(parser, line, key);
	if (parser->rest.length == 0 || *parser->rest.start != '=')
		return fail(parser, key, "must be followed by = and a value");
	advance(&parser->rest, 1);

	uint64_t bit = 1ull << (field - line->fields);
	if ((line->given & bit) && field->type != TEXT_WORDS)
		return fail(parser, key, "is a duplicate");
	line->given |= bit;

	struct text_span value;
	if (parser->rest.length > 0 && *parser->rest.start == '"') {
		advance(&parser->rest, 1);
		size_t length = text_unquote(parser->rest, &parser->unquoted, &why);

		if (length == 0)
			return fail(parser, key, why);
		advance(&parser->rest, length);
		if (parser->rest.length > 0 && !is_blank(*parser->rest.start))
			return fail(parser, key, "must have a space after its closing quote");
		value = (struct text_span){ strbuf_text(&parser->unquoted),
					    parser->unquoted.length };
	} else {
		value = take_word(&parser->rest, ' ');
	}
	if (!store_value(parser, line, field, value, &why))
		return fail(parser,
			    (struct text_span){ start, (size_t)(parser->rest.start - start) }, why);
	return true;
}

/** Set the defaults of fields that are not there. */
static void set_defaults(struct parser *parser, struct line *line)
{
	uint32_t root_pid = parser->trace->meta.root_pid;
	union event *event = &line->event;

	switch (line->kind) {
	case TEXT_LINE_META:
		event->meta.page_size = MACHINE_PAGE;
		event->meta.root_pid = 1;
		break;
	case TEXT_LINE_FORK:
		event->task.parent_pid = root_pid;
		event->task.pid = root_pid;
		break;
	case TEXT_LINE_EXEC:
	case TEXT_LINE_COMM:
	case TEXT_LINE_EXIT:
		event->task.pid = root_pid;
		break;
	case TEXT_LINE_MAP:
		event->mapping.pid = root_pid;
		event->mapping.path = "//anon";
		event->mapping.protection = TRACE_PROTECTION_READ;
		break;
	case TEXT_LINE_REMAP:
		event->remap.pid = root_pid;
		break;
	case TEXT_LINE_FAULT:
		event->fault.pid = root_pid;
		break;
	case TEXT_LINE_PAUSE:
		event->pause.pid = root_pid;
		break;
	case TEXT_LINE_READ:
		event->read.pid = root_pid;
		event->read.call = UINT32_MAX;
		break;
	case TEXT_LINE_REQUEST:
		event->request.pid = root_pid;
		event->request.call = UINT32_MAX;
		break;
	case TEXT_LINE_SAMPLE:
		event->sample.pid = root_pid;
		break;
	case TEXT_LINE_CALL:
		event->call.pid = root_pid;
		event->call.count = 1;
		break;
	case TEXT_LINE_PREFAULT:
		event->prefault.pid = root_pid;
		break;
	case TEXT_LINE_ARGUMENT:
		event->argument.pid = root_pid;
		break;
	case TEXT_LINE_OPEN:
		event->open.pid = root_pid;
		break;
	case TEXT_LINE_NOTE:
		event->note.count = 1;
		break;
	case TEXT_LINE_SUMMARY:
		event->summary.complete = true;
		break;
	case TEXT_LINE_FLUSH:
		event->flush.pid = root_pid;
		break;
	case TEXT_LINE_MARK:
	case TEXT_LINE_STACK:
	case TEXT_LINE_FILE:
	case TEXT_LINE_CONTENT:
	case TEXT_LINE_PATH:
	case TEXT_LINE_ROOT:
	case TEXT_LINE_DEVICE:
	case TEXT_LINE_INCOMPLETE:
	case TEXT_LINE_KINDS:
		break;
	}
}

/** Fields whose value follows from others, once the whole line was read. */
static void derive_fields(struct parser *parser, struct line *line)
{
	const struct text_field *fields = line->fields;

	if (fields->key && strcmp(fields->key, "time") == 0) {
		uint64_t *time_ns = text_member(&line->event, fields->offset);

		if (!(line->given & 1))
			*time_ns = parser->last_time_ns + 1;
		parser->last_time_ns = *time_ns;
	}
	for (size_t i = 0; fields[i].key; i++)
		if (fields[i].show == TEXT_UNLIKE_PREVIOUS && !(line->given >> i & 1))
			*(uint32_t *)text_member(&line->event, fields[i].offset) =
				*(uint32_t *)text_member(&line->event, fields[i - 1].offset);
	for (size_t i = 0; i < OVERRIDES_MAX && line->overrides[i]; i++) {
		const struct text_field *field = line->overrides[i];
		size_t size = field->type == TEXT_BOOL ? sizeof(bool) : sizeof(uint32_t);

		memcpy(text_member(&line->event, field->offset),
		       text_member(&line->override_event, field->offset), size);
	}
}

/** Take over the meta line. */
static bool keep_meta(struct parser *parser, struct line *line, struct text_span word)
{
	struct trace *trace = parser->trace;

	if (parser->has_meta)
		return fail(parser, word, "is a duplicate");
	parser->has_meta = true;
	parser->has_stacks_field = is_given(line, "stacks");

	trace->meta = line->event.meta;
	trace->meta.command =
		vec_keep_counted(&parser->command, &trace->arena, &trace->meta.command_count);
	trace->meta.labels =
		vec_keep_counted(&parser->labels, &trace->arena, &trace->meta.label_count);
	return true;
}

static bool keep_summary(struct parser *parser, struct line *line, struct text_span word)
{
	if (parser->has_summary || parser->is_incomplete)
		return fail(parser, word, "follows another summary or incomplete line");
	parser->has_summary = true;
	parser->has_recorded = is_given(line, "recorded");
	parser->has_complete = is_given(line, "complete");
	parser->trace->summary = line->event.summary.summary;
	parser->trace->complete = line->event.summary.complete;
	if (!is_given(line, "end"))
		parser->trace->summary.end_ns = parser->last_time_ns;
	return true;
}

static bool keep_event(struct parser *parser, struct line *line, struct text_span word)
{
	struct trace *trace = parser->trace;
	union event *event = &line->event;

	switch (line->kind) {
	case TEXT_LINE_META:
		return keep_meta(parser, line, word);
	case TEXT_LINE_FORK:
	case TEXT_LINE_EXEC:
	case TEXT_LINE_COMM:
	case TEXT_LINE_EXIT:
		event->task.kind = line->kind - TEXT_LINE_FORK + TRACE_TASK_FORK;
		vec_push(&trace->tasks, event->task);
		return true;
#define KEEP(kind, array, member)                       \
	case TEXT_LINE_##kind:                          \
		vec_push(&trace->array, event->member); \
		return true;
		KEEP(MAP, mappings, mapping)
		KEEP(REMAP, remaps, remap)
		KEEP(STACK, stacks, stack)
		KEEP(FILE, files, file)
		KEEP(CONTENT, contents, content)
		KEEP(FAULT, faults, fault)
		KEEP(PAUSE, pauses, pause)
		KEEP(READ, reads, read)
		KEEP(REQUEST, requests, request)
		KEEP(PATH, paths, path)
		KEEP(ROOT, roots, root)
		KEEP(DEVICE, devices, device)
		KEEP(SAMPLE, samples, sample)
		KEEP(CALL, calls, call)
		KEEP(PREFAULT, prefaults, prefault)
		KEEP(ARGUMENT, arguments, argument)
		KEEP(OPEN, opens, open)
		KEEP(MARK, marks, mark)
		KEEP(FLUSH, flushes, flush)
#undef KEEP
	case TEXT_LINE_NOTE:
		trace_note(trace, event->note.text, event->note.count);
		return true;
	case TEXT_LINE_SUMMARY:
		return keep_summary(parser, line, word);
	case TEXT_LINE_INCOMPLETE:
		if (parser->has_summary)
			return fail(parser, word, "follows a summary line");
		parser->is_incomplete = true;
		return true;
	case TEXT_LINE_KINDS:
		break;
	}
	return false;
}

static bool parse_line(struct parser *parser)
{
	struct line line = { 0 };

	if (!skip_blanks(&parser->rest))
		return true;

	struct text_span word = take_word(&parser->rest, ' ');
	while (line.kind < TEXT_LINE_KINDS && !span_is(word, text_lines[line.kind].word))
		line.kind++;
	if (line.kind == TEXT_LINE_KINDS)
		return fail(
			parser, word,
			"is not an event; events are meta fork exec comm exit map remap stack "
			"file content fault pause sample call prefault argument open flush mark "
			"read request path root device note summary incomplete");
	line.fields = text_lines[line.kind].fields;
	set_defaults(parser, &line);
	while (skip_blanks(&parser->rest))
		if (!parse_field(parser, &line))
			return false;

	for (size_t i = 0; i < 4 && required_keys[line.kind][i]; i++)
		if (!is_given(&line, required_keys[line.kind][i])) {
			char why[64];

			snprintf(why, sizeof(why), "needs the field %s",
				 required_keys[line.kind][i]);
			return fail(parser, word, why);
		}
	derive_fields(parser, &line);
	return keep_event(parser, &line, word);
}

/** Take the next line off @text; false at the end. */
static bool next_line(struct parser *parser, struct text_span *text)
{
	if (text->length == 0)
		return false;

	const char *end = memchr(text->start, '\n', text->length);
	size_t length = end ? (size_t)(end - text->start) : text->length;

	parser->rest = (struct text_span){ text->start, length };
	parser->line_number++;
	advance(text, end ? length + 1 : length);
	return true;
}

/** The line that says what the file is. */
static bool parse_first_line(struct parser *parser)
{
	struct text_span word = take_word(&parser->rest, ' ');
	char version[16];

	if (!span_is(word, DISK_TEXT_WORD))
		return fail(parser, word, "is not the start of a trace in text form");
	skip_blanks(&parser->rest);
	word = take_word(&parser->rest, ' ');
	snprintf(version, sizeof(version), "%d", TEXT_VERSION);
	if (!span_is(word, version))
		return err_set(
			parser->err, ERR_INPUT,
			"%s: is a text trace of version '%.*s', this elfault reads version %s",
			parser->path, word.length > 20 ? 20 : (int)word.length, word.start,
			version);
	return !skip_blanks(&parser->rest) ||
	       fail(parser, parser->rest, "must not follow the version");
}

/** Settle what follows from the whole text. */
static void settle(struct parser *parser)
{
	struct trace *trace = parser->trace;

	if (!parser->has_stacks_field)
		trace->meta.has_stacks = trace->stacks.count > 0;
	if (!parser->has_summary) {
		trace->complete = false;
		if (!parser->is_incomplete)
			notes_add(&trace->notes,
				  "the trace is incomplete: its text ends at line %zu without a "
				  "summary",
				  parser->line_number);
		return;
	}
	if (!parser->has_recorded)
		trace->summary.recorded = trace->faults.count;
	if (!parser->has_complete && trace->summary.recorded != trace->faults.count) {
		trace->complete = false;
		notes_add(&trace->notes,
			  "the trace is incomplete: %zu faults, but its summary counts %" PRIu64,
			  trace->faults.count, trace->summary.recorded);
	}
}

bool trace_parse_text(const char *path, const char *text, size_t size, struct trace *trace,
		      struct err *err)
{
	struct parser parser = { .path = path, .trace = trace, .err = err };
	struct text_span rest = { text, size };
	bool is_good;

	trace->meta.page_size = MACHINE_PAGE;
	trace->meta.root_pid = 1;
	trace->meta.command = arena_array(&trace->arena, 1, sizeof(char *));
	is_good = next_line(&parser, &rest) && parse_first_line(&parser);
	while (is_good && next_line(&parser, &rest))
		is_good = parse_line(&parser);
	if (is_good)
		settle(&parser);
	strbuf_deinit(&parser.unquoted);
	vec_deinit(&parser.command);
	vec_deinit(&parser.labels);
	return is_good;
}
