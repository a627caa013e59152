// SPDX-License-Identifier: Apache-2.0
// Writes a trace as text: one event a line, in order of time, nothing left out.
#include "trace/private.h"

#include "base/cleanup.h"
#include "base/hex.h"
#include "trace/format.h"
#include "trace/textfields.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/sysmacros.h>

/** Quote with C escapes; all but printable ASCII in octal, so that no terminal acts on it. */
static void write_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte == '"' || byte == '\\')
			fprintf(out, "\\%c", byte);
		else if (byte == '\n')
			fputs("\\n", out);
		else if (byte == '\t')
			fputs("\\t", out);
		else if (byte < ' ' || byte > '~')
			fprintf(out, "\\%03o", byte);
		else
			putc(byte, out);
	}
	putc('"', out);
}

/** The bits by name, what has no name in hex; 0 where there are none. */
static void write_bits(FILE *out, const struct text_bit *bits, size_t count, uint32_t code)
{
	const char *separator = "";

	for (size_t i = 0; i < count; i++) {
		if (!(code & bits[i].bit))
			continue;
		fprintf(out, "%s%s", separator, bits[i].name);
		code &= ~bits[i].bit;
		separator = ",";
	}
	if (code)
		fprintf(out, "%s0x%" PRIx32, separator, code);
	else if (!*separator)
		putc('0', out);
}

static void write_protection(FILE *out, const struct trace_mapping *mapping)
{
	putc(mapping->protection & TRACE_PROTECTION_READ ? 'r' : '-', out);
	putc(mapping->protection & TRACE_PROTECTION_WRITE ? 'w' : '-', out);
	putc(mapping->protection & TRACE_PROTECTION_EXEC ? 'x' : '-', out);
	putc(mapping->is_shared ? 's' : 'p', out);
}

static void write_frames(FILE *out, const struct trace_stack *stack)
{
	for (uint32_t i = 0; i < stack->frame_count; i++)
		fprintf(out, "%s0x%" PRIx64, i > 0 ? "," : "", stack->frames[i]);
}

static void write_bytes(FILE *out, const struct trace_content *content)
{
	enum { LINE_BYTES = 4 << 10 };
	char hex[2 * LINE_BYTES + 1];

	for (uint32_t at = 0; at < content->size;) {
		uint32_t size = content->size - at < LINE_BYTES ? content->size - at : LINE_BYTES;

		fputs(hex_text(content->bytes + at, size, hex), out);
		at += size;
	}
}

/** The value of a field that is a number, an integer's bits. */
static uint64_t number_of(const struct text_field *field, const void *event)
{
	const void *member = text_const_member(event, field->offset);
	size_t count;

	switch (field->type) {
	case TEXT_U64:
	case TEXT_HEX64:
	case TEXT_DEVICE:
		return *(const uint64_t *)member;
	case TEXT_BOOL:
		return *(const bool *)member;
	case TEXT_STRING:
		return *(const char *const *)member != NULL;
	case TEXT_COMM:
		return *(const char *)member != '\0';
	case TEXT_WORDS:
		text_words(event, field, &count);
		return count;
	case TEXT_CHOICE:
		return *(const uint32_t *)text_const_member(event, field->offset) & field->has_mask;
	case TEXT_BUILD_ID:
		return *(const uint8_t *)member;
	case TEXT_FRAMES:
		return ((const struct trace_stack *)event)->frame_count;
	case TEXT_BYTES:
		return ((const struct trace_content *)event)->size;
	case TEXT_U32:
	case TEXT_HEX32:
	case TEXT_I32:
	case TEXT_ERROR_CODE:
	case TEXT_READ_FLAGS:
	case TEXT_PROTECTION:
		break;
	}
	return *(const uint32_t *)member;
}

static bool has(const struct text_field *field, const void *event)
{
	const void *member = text_const_member(event, field->has_offset);

	if (!field->has_offset)
		return false;
	return field->has_mask ? *(const uint32_t *)member & field->has_mask
			       : *(const bool *)member;
}

/** Return what a reader would make of the other fields for the one that @field overrides. */
static uint64_t derived(const struct text_field *fields, const struct text_field *field,
			const void *event);

static bool is_shown(const struct text_field *fields, const struct text_field *field,
		     const void *event)
{
	switch (field->show) {
	case TEXT_ALWAYS:
		return field->type != TEXT_STRING || number_of(field, event);
	case TEXT_NONZERO:
		return number_of(field, event) != 0 || has(field, event);
	case TEXT_UNLIKE_PREVIOUS:
		return number_of(field, event) != number_of(field - 1, event);
	case TEXT_OVERRIDE:
		return number_of(field, event) != derived(fields, field, event);
	}
	return true;
}

static uint64_t derived(const struct text_field *fields, const struct text_field *field,
			const void *event)
{
	uint64_t value = 0;

	for (const struct text_field *other = fields; other->key; other++) {
		if (other->show == TEXT_OVERRIDE)
			continue;
		if (other->type == TEXT_PROTECTION && other->offset == field->offset)
			return number_of(other, event) &
			       (TRACE_PROTECTION_READ | TRACE_PROTECTION_WRITE |
				TRACE_PROTECTION_EXEC);
		if (other->has_offset == field->offset && is_shown(fields, other, event))
			value |= other->has_mask ? other->has_mask : 1;
	}
	return value;
}

static void write_value(FILE *out, const struct text_field *field, const void *event)
{
	const void *member = text_const_member(event, field->offset);
	uint64_t number = number_of(field, event);
	char hex[2 * TRACE_BUILD_ID_MAX + 1];

	switch (field->type) {
	case TEXT_U64:
	case TEXT_U32:
		fprintf(out, "%" PRIu64, number);
		break;
	case TEXT_HEX64:
	case TEXT_HEX32:
		fprintf(out, "0x%" PRIx64, number);
		break;
	case TEXT_I32:
		fprintf(out, "%" PRId32, *(const int32_t *)member);
		break;
	case TEXT_BOOL:
		fputs(number ? "yes" : "no", out);
		break;
	case TEXT_STRING:
		write_string(out, *(const char *const *)member);
		break;
	case TEXT_COMM:
		write_string(out, member);
		break;
	case TEXT_CHOICE:
		fputs(field->choices[number != 0], out);
		break;
	case TEXT_ERROR_CODE:
		write_bits(out, text_error_bits, TEXT_ERROR_BITS, (uint32_t)number); // was one
		break;
	case TEXT_READ_FLAGS:
		write_bits(out, text_read_bits, TEXT_READ_BITS, (uint32_t)number); // likewise
		break;
	case TEXT_PROTECTION:
		write_protection(out, event);
		break;
	case TEXT_DEVICE:
		fprintf(out, "%u:%u", major(number), minor(number));
		break;
	case TEXT_BUILD_ID:
		fputs(hex_text(((const struct trace_mapping *)event)->build_id, number, hex), out);
		break;
	case TEXT_FRAMES:
		write_frames(out, event);
		break;
	case TEXT_BYTES:
		write_bytes(out, event);
		break;
	case TEXT_WORDS:
		break;
	}
}

static void write_line(FILE *out, enum text_line_kind kind, const void *event)
{
	const struct text_line *line = &text_lines[kind];

	fputs(line->word, out);
	for (const struct text_field *field = line->fields; field->key; field++) {
		if (!is_shown(line->fields, field, event))
			continue;
		if (field->type == TEXT_WORDS) {
			size_t count;
			const char *const *words = text_words(event, field, &count);

			for (size_t i = 0; i < count; i++) {
				fprintf(out, " %s=", field->key);
				write_string(out, words[i]);
			}
			continue;
		}
		fprintf(out, " %s=", field->key);
		write_value(out, field, event);
	}
	putc('\n', out);
}

static enum text_line_kind task_line(const struct trace_task *task)
{
	switch (task->kind) {
	case TRACE_TASK_FORK:
		return TEXT_LINE_FORK;
	case TRACE_TASK_EXEC:
		return TEXT_LINE_EXEC;
	case TRACE_TASK_COMM:
		return TEXT_LINE_COMM;
	case TRACE_TASK_EXIT:
		break;
	}
	return TEXT_LINE_EXIT;
}

/** Write stack @id before the first event that has it. */
static void write_stack_once(FILE *out, const struct trace *trace, uint32_t id, bool *is_written)
{
	const struct trace_stack *stack = trace_stack_by_id(trace, id);

	if (!stack || is_written[stack - trace->stacks.items])
		return;
	is_written[stack - trace->stacks.items] = true;
	write_line(out, TEXT_LINE_STACK, stack);
}

/** One array of events that are written in order of time, which stands at their start. */
struct stream {
	enum text_line_kind kind;
	const void *events;
	size_t count, size;
	size_t stack_at; // of an uint32_t: the stack that is written before the event; 0: none
};

static uint64_t next_time(const struct stream *stream)
{
	return *(const uint64_t *)stream->events;
}

/** The stream with the earliest event, of several the first; NULL at the end of all. */
static struct stream *earliest(struct stream *streams, size_t count)
{
	struct stream *first = NULL;

	array_foreach (stream, streams, count)
		if (stream->count > 0 && (!first || next_time(stream) < next_time(first)))
			first = stream;
	return first;
}

static void write_events(FILE *out, const struct trace *trace)
{
	CLEANUP(freep) bool *is_written = xcalloc(trace->stacks.count, sizeof(*is_written));
#define STREAM(kind, array) \
	kind, trace->array.items, trace->array.count, sizeof(*trace->array.items)
	// Those at one time in this order: a fault sees what is mapped, a pause the fault that it
	// is in.
	struct stream streams[] = {
		{ STREAM(TEXT_LINE_FORK, tasks), 0 },
		{ STREAM(TEXT_LINE_MAP, mappings), 0 },
		{ STREAM(TEXT_LINE_REMAP, remaps), 0 },
		{ STREAM(TEXT_LINE_READ, reads), 0 },
		{ STREAM(TEXT_LINE_REQUEST, requests), 0 },
		{ STREAM(TEXT_LINE_FAULT, faults), offsetof(struct trace_fault, stack) },
		{ STREAM(TEXT_LINE_PAUSE, pauses), offsetof(struct trace_pause, stack) },
		{ STREAM(TEXT_LINE_SAMPLE, samples), offsetof(struct trace_sample, stack) },
		{ STREAM(TEXT_LINE_CALL, calls), 0 },
		{ STREAM(TEXT_LINE_PREFAULT, prefaults), 0 },
		{ STREAM(TEXT_LINE_ARGUMENT, arguments), 0 },
		{ STREAM(TEXT_LINE_OPEN, opens), 0 },
		{ STREAM(TEXT_LINE_FLUSH, flushes), 0 },
		{ STREAM(TEXT_LINE_MARK, marks), 0 },
	};
	struct stream *next;

	while ((next = earliest(streams, sizeof(streams) / sizeof(streams[0])))) {
		const void *event = next->events;

		if (next->stack_at)
			write_stack_once(
				out, trace,
				*(const uint32_t *)text_const_member(event, next->stack_at),
				is_written);
		write_line(out, next->kind == TEXT_LINE_FORK ? task_line(event) : next->kind,
			   event);
		next->events = text_const_member(event, next->size);
		next->count--;
	}
	for (size_t i = 0; i < trace->stacks.count; i++)
		if (!is_written[i])
			write_line(out, TEXT_LINE_STACK, &trace->stacks.items[i]);
}

static bool has_summary(const struct trace_summary *summary)
{
	return summary->end_ns || summary->recorded || summary->lost || summary->lost_other ||
	       summary->before_exec || summary->unsampled || summary->stacks_lost ||
	       summary->rusage_minor || summary->rusage_major || summary->has_rusage ||
	       summary->has_unsampled || summary->has_unrecorded || summary->hidden ||
	       summary->unseen_programs || summary->exec_unsampled || summary->pauses_lost ||
	       summary->storage_lost || summary->samples_lost || summary->calls_lost ||
	       summary->exit_status != -1;
}

bool trace_write_text(const struct trace *trace, FILE *out)
{
	errno = 0;
	fprintf(out, DISK_TEXT_WORD " %d\n", TEXT_VERSION);
	write_line(out, TEXT_LINE_META, &trace->meta);
	vec_foreach (file, &trace->files)
		write_line(out, TEXT_LINE_FILE, file);
	vec_foreach (content, &trace->contents)
		write_line(out, TEXT_LINE_CONTENT, content);
	vec_foreach (path, &trace->paths)
		write_line(out, TEXT_LINE_PATH, path);
	vec_foreach (root, &trace->roots)
		write_line(out, TEXT_LINE_ROOT, root);
	vec_foreach (device, &trace->devices)
		write_line(out, TEXT_LINE_DEVICE, device);
	write_events(out, trace);
	vec_foreach (note, &trace->notes.list)
		write_line(out, TEXT_LINE_NOTE, note);
	if (trace->complete || has_summary(&trace->summary)) {
		struct text_summary summary = { .summary = trace->summary,
						.complete = trace->complete };

		write_line(out, TEXT_LINE_SUMMARY, &summary);
	} else {
		write_line(out, TEXT_LINE_INCOMPLETE, NULL);
	}
	return fflush(out) == 0 && !ferror(out);
}
