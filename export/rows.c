// SPDX-License-Identifier: Apache-2.0
// Sums for a database of many starts: one line of JSON per cause of faults in a start. Every line
// stands alone, no value is null, and each key has one type. docs/schema/rows.schema.json describes
// it, docs/fleet.md what to do with it.
#include "export/export.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "model/missing.h"
#include "render/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct row {
	const char *cause; // its keys, as they are written
	struct model_count count;
};

struct rows {
	const struct model *model;
	struct arena arena;
	struct strbuf buf;
	VEC(struct row) list;
};

static void rows_deinit(struct rows *rows)
{
	vec_deinit(&rows->list);
	strbuf_deinit(&rows->buf);
	arena_deinit(&rows->arena);
}

/** Append @key, a literal with all before its value, and @text as a string; of NULL "". */
static void add_text(struct strbuf *buf, const char *key, const char *text)
{
	strbuf_puts(buf, key);
	escape_json(buf, text ? text : "");
}

/** The object at @index as two members, whose names begin with @prefix. */
static void add_object(struct strbuf *buf, const struct model *model, const char *prefix,
		       uint32_t index)
{
	const struct model_object *object = index == MODEL_NONE ? NULL : &model->objects[index];

	strbuf_printf(buf, ",\"%sobject\":", prefix);
	add_text(buf, "", object ? object->path : NULL);
	strbuf_printf(buf, ",\"%sbuild_id\":", prefix);
	add_text(buf, "", object ? object->build_id : NULL);
}

/** Return the key that @fault shares with others of its row. */
static const char *cause_of(struct rows *rows, const struct model_fault *fault)
{
	const struct model *model = rows->model;
	const struct model_initializer *initializer =
		fault->initializer == MODEL_NONE ? NULL : &model->initializers[fault->initializer];
	struct strbuf *buf = &rows->buf;

	strbuf_clear(buf);
	add_object(buf, model, "", fault->at.object);
	add_text(buf, ",\"section\":", model_section_name(model, fault));
	add_text(buf, ",\"initiator\":", model_initiator_name(fault->initiator));
	add_text(buf, ",\"mechanism\":", model_mechanism_name(fault->mechanism));
	add_text(buf, ",\"initializer\":", initializer ? initializer->function : NULL);
	add_object(buf, model, "init_", fault->init_object);
	strbuf_printf(buf, ",\"init_offset\":%" PRIu64,
		      initializer && initializer->has_offset ? initializer->offset : 0);
	return arena_strdup(&rows->arena, strbuf_text(buf));
}

ORDER_OF_POINTERS(compare_causes, model_fault, ORDER(x->at.object, y->at.object) ?:
		  ORDER(x->at.section, y->at.section) ?: ORDER(x->initiator, y->initiator) ?:
		  ORDER(x->mechanism, y->mechanism) ?: ORDER(x->init_object, y->init_object) ?:
		  ORDER(x->initializer, y->initializer))

ORDER_OF(compare_text, row, strcmp(x->cause, y->cause))

/** Sum up by cause, spell each cause once, then join those that read alike. */
static void sum_up(struct rows *rows)
{
	const struct model *model = rows->model;
	size_t count = model->fault_count;
	CLEANUP(freep) const struct model_fault **faults = xcalloc(count + 1, sizeof(*faults));
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		faults[i] = &model->faults[i];
	qsort(faults, count, sizeof(*faults), compare_causes);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || compare_causes(&faults[i - 1], &faults[i]) != 0)
			vec_push(&rows->list, (struct row){ .cause = cause_of(rows, faults[i]) });
		model_count_fault(&rows->list.items[rows->list.count - 1].count, faults[i]);
	}
	vec_sort(&rows->list, compare_text);
	for (size_t i = 1; i < rows->list.count; i++) {
		if (compare_text(&rows->list.items[kept], &rows->list.items[i]) == 0)
			model_count_add(&rows->list.items[kept].count, &rows->list.items[i].count);
		else
			rows->list.items[++kept] = rows->list.items[i];
	}
	rows->list.count = rows->list.count > 0 ? kept + 1 : 0;
}

/** Length of a label's key, with its "=". */
static size_t key_length(const char *label)
{
	const char *end = strchr(label, '=');

	return end ? (size_t)(end - label) + 1 : strlen(label);
}

/** Whether one of @labels has the key of @label. */
static bool is_replaced(const struct export_tool_options *options, const char *label)
{
	size_t length = key_length(label);

	for (size_t i = 0; i < options->label_count && length > 0; i++)
		if (strncmp(options->labels[i], label, length) == 0)
			return true;
	return false;
}

/** The labels of the trace, and over them those of the command line, sorted. */
static void add_labels(struct strbuf *buf, const struct model_trace *trace,
		       const struct export_tool_options *options)
{
	size_t most = trace->label_count + options->label_count + 1, count = 0;
	CLEANUP(freep) const char **labels = xcalloc(most, sizeof(*labels));

	for (size_t i = 0; i < trace->label_count; i++)
		if (!is_replaced(options, trace->labels[i]))
			labels[count++] = trace->labels[i];
	for (size_t i = 0; i < options->label_count; i++)
		labels[count++] = options->labels[i];
	qsort(labels, count, sizeof(*labels), order_texts);
	strbuf_puts(buf, ",\"labels\":[");
	for (size_t i = 0; i < count; i++)
		add_text(buf, i > 0 ? "," : "", labels[i]);
	strbuf_putc(buf, ']');
}

/** "clang --version"; of a process that ran already, its name. */
static void add_command(struct strbuf *buf, const struct model_trace *trace)
{
	CLEANUP(strbuf_deinit) struct strbuf command = { 0 };

	for (size_t i = 0; i < trace->command_count; i++)
		strbuf_printf(&command, "%s%s", i > 0 ? " " : "", trace->command[i]);
	add_text(buf,
		 ",\"command\":", trace->process ? trace->process_comm : strbuf_text(&command));
	strbuf_printf(buf, ",\"attached\":%d", trace->process != NULL);
}

/** Add the keys that all rows of a start begin with. */
static void add_start(struct strbuf *buf, const struct model *model,
		      const struct export_tool_options *options)
{
	const struct model_trace *trace = &model->trace;

	strbuf_printf(buf, "{\"trace\":\"%016" PRIx64 "\",\"start_unix_s\":%" PRIu64, trace->run_id,
		      trace->start_unix_ns / 1000000000);
	add_text(buf, ",\"host\":", trace->host);
	add_command(buf, trace);
	add_labels(buf, trace, options);
	add_text(buf, ",\"recorder\":", trace->producer);
	add_text(buf, ",\"version\":", options->version);
	add_text(buf, ",\"backend\":", trace->backend);
	add_text(buf, ",\"kernel\":", trace->kernel);
	add_text(buf, ",\"machine\":", trace->machine);
	strbuf_printf(buf,
		      ",\"complete\":%d,\"lost\":%" PRIu64 ",\"lost_other\":%" PRIu64
		      ",\"stacks_lost\":%" PRIu64,
		      model_is_complete(model), model->counts.lost, model->counts.lost_other,
		      model->counts.stacks_lost);
}

export_tool_writer export_rows;

bool export_rows(const struct model *model, const struct export_tool_options *options, FILE *out,
		 struct err *err)
{
	CLEANUP(rows_deinit) struct rows rows = { .model = model };
	CLEANUP(strbuf_deinit) struct strbuf start = { 0 };

	sum_up(&rows);
	add_start(&start, model, options);
	vec_foreach (row, &rows.list)
		fprintf(out,
			"%s%s,\"faults\":%" PRIu64 ",\"majors\":%" PRIu64 ",\"time_ns\":%" PRIu64
			",\"bytes\":%" PRIu64 "}\n",
			strbuf_text(&start), row->cause, row->count.faults, row->count.major,
			row->count.own_ns, model_read_bytes(model, &row->count));
	return (fflush(out) == 0 && !ferror(out)) || err_os(err, "writing");
}
