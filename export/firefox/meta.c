// SPDX-License-Identifier: Apache-2.0
// Head of a profile: the recording, categories, how markers look, and the files.
#include "export/firefox/firefox.h"

#include "base/cleanup.h"
#include "export/jsontext.h"
#include "model/missing.h"
#include "render/emit.h"
#include "render/escape.h"

#include <inttypes.h>
#include <string.h>

enum { PROCESSED_VERSION = 70, GECKO_VERSION = 36 };

#define COLOR(name, ...)			     COLOR_##name,
#define COLOR_NAME(name, light, dark, ansi, firefox) firefox,
#define COLOR_OF(id, word, meaning, color, ...)	     [MODEL_##id] = COLOR_##color,

enum { RANKED_COLORS(COLOR) RARE_COLORS(COLOR) };

static void add_text(struct firefox *to, const char *key, const char *text)
{
	strbuf_printf(&to->buf, "\"%s\":", key);
	escape_json(&to->buf, text);
	strbuf_putc(&to->buf, ',');
}

static void add_categories(struct firefox *to)
{
	static const char *const names[] = { RANKED_COLORS(COLOR_NAME) RARE_COLORS(COLOR_NAME) };
	static const uint8_t colors[] = { INITIATOR_WORDS(COLOR_OF) };
	static const enum model_state waits[] = { MODEL_STATE_WAIT, MODEL_STATE_FILE_IO };

	// The first that is grey is the one of frames without a category.
	emit_literal(&to->buf, "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
			       "\"subcategories\":[\"Other\"]}");
	for (unsigned i = 0; i < MODEL_INITIATORS; i++)
		strbuf_printf(&to->buf,
			      ",{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\","
			      "\"%s\",\"kernel\",\"%s fault\",\"%s fault\"]}",
			      model_initiator_name((enum model_initiator)i), names[colors[i]],
			      model_state_name(MODEL_STATE_CPU), model_kind_name(MODEL_MINOR),
			      model_kind_name(MODEL_MAJOR));
	for (unsigned i = 0; i < 2; i++) {
		strbuf_printf(&to->buf,
			      ",{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"",
			      model_state_name(waits[i]), i == 0 ? "transparent" : "yellow");
		for (unsigned kind = 0; kind < MODEL_WAITS; kind++)
			strbuf_printf(&to->buf, ",\"%s\"", model_wait_name((enum model_wait)kind));
		emit_literal(&to->buf, "]}");
	}
	emit_literal(&to->buf, "],");
}

static void add_marker_schema(struct firefox *to)
{
	strbuf_puts(&to->buf,
		    "\"markerSchema\":[{\"name\":\"fault\","
		    "\"tooltipLabel\":\"Page fault: {marker.name}\","
		    "\"tableLabel\":\"{marker.data.object} {marker.data.section} "
		    "{marker.data.symbol}\","
		    "\"chartLabel\":\"{marker.data.section} {marker.data.symbol}\","
		    "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
		    "\"description\":\"A page fault. Its name is why the code ran.\",\"fields\":["
		    "{\"key\":\"object\",\"label\":\"File\",\"format\":\"unique-string\"},"
		    "{\"key\":\"section\",\"label\":\"Section\",\"format\":\"unique-string\"},"
		    "{\"key\":\"symbol\",\"label\":\"Symbol\",\"format\":\"unique-string\"},"
		    "{\"key\":\"offset\",\"label\":\"Offset in the file\","
		    "\"format\":\"hexadecimal\"},"
		    "{\"key\":\"mechanism\",\"label\":\"Mechanism\",\"format\":\"unique-string\"},"
		    "{\"key\":\"kind\",\"label\":\"Kind\",\"format\":\"unique-string\"},"
		    "{\"key\":\"access\",\"label\":\"Access\",\"format\":\"unique-string\"},"
		    "{\"key\":\"blame\",\"label\":\"Blamed function\","
		    "\"format\":\"unique-string\"},"
		    "{\"key\":\"bytes\",\"label\":\"Read into memory\",\"format\":\"bytes\"}"
		    "]},{\"name\":\"operation\","
		    "\"tooltipLabel\":\"{marker.name}\","
		    "\"tableLabel\":\"{marker.data.call} {marker.data.object}\","
		    "\"chartLabel\":\"{marker.data.call} {marker.data.object}\","
		    "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
		    "\"description\":\"A range of a file that storage delivered, or a call that "
		    "returned when a file was written.\",\"fields\":["
		    "{\"key\":\"object\",\"label\":\"File\",\"format\":\"unique-string\"},"
		    "{\"key\":\"call\",\"label\":\"System call\",\"format\":\"unique-string\"},"
		    "{\"key\":\"offset\",\"label\":\"Offset in the file\","
		    "\"format\":\"hexadecimal\"},"
		    "{\"key\":\"bytes\",\"label\":\"Delivered\",\"format\":\"bytes\"},"
		    "{\"key\":\"wait\",\"label\":\"Waited for\",\"format\":\"duration\"},"
		    "{\"key\":\"blame\",\"label\":\"Blamed function\","
		    "\"format\":\"unique-string\"}"
		    "]},{\"name\":\"mark\","
		    "\"tooltipLabel\":\"Mark: {marker.name}\","
		    "\"tableLabel\":\"{marker.data.condition}\","
		    "\"chartLabel\":\"{marker.name}\","
		    "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
		    "\"description\":\"A condition that the recording was asked to watch held.\","
		    "\"fields\":["
		    "{\"key\":\"condition\",\"label\":\"Condition\","
		    "\"format\":\"unique-string\"},"
		    "{\"key\":\"since\",\"label\":\"Since the program began\","
		    "\"format\":\"duration\"},"
		    "{\"key\":\"tid\",\"label\":\"Thread\",\"format\":\"tid\"}"
		    "]}],");
}

static void add_text_entry(struct firefox *to, const char *label, const char *value)
{
	strbuf_printf(&to->buf, "{\"label\":\"%s\",\"format\":\"string\",\"value\":", label);
	escape_json(&to->buf, value);
	emit_literal(&to->buf, "},");
}

static void add_entry(struct firefox *to, const char *label, const char *format, uint64_t value)
{
	strbuf_printf(&to->buf, "{\"label\":\"%s\",\"format\":\"%s\",\"value\":%" PRIu64 "},",
		      label, format, value);
}

/** Add what is left out, and how much of the run is seen. */
static void add_extra(struct firefox *to)
{
	const struct model *model = to->model;
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	emit_literal(&to->buf, "\"extra\":[{\"label\":\"elfault\",\"entries\":[");
	add_entry(to, "Faults recorded", "integer", model->counts.recorded);
	add_entry(to, "Faults lost", "integer", model->counts.lost);
	add_entry(to, "Faults missing", "integer", model_missing(&model->counts).total);
	add_entry(to, "Faults in this profile", "integer", model->fault_count);
	if (model->moments) {
		add_entry(to, "Processor time without samples", "nanoseconds",
			  model->moments->unsampled_ns);
		add_entry(to, "Waits of threads without a track", "nanoseconds",
			  model->moments->unplaced_ns);
	}
	vec_foreach (note, &model->notes.list) {
		strbuf_clear(&text);
		note_print(note, &text);
		add_text_entry(to, "Note", strbuf_text(&text));
	}
	add_text_entry(to, "Shown", model->filter ? model->filter : "all");
	add_text_entry(to, "Kernel", model->trace.kernel);
	to->buf.length--; // the comma behind the last
	emit_literal(&to->buf, "]}],");
}

/**
 * Front ends choose what to show first by how long threads ran; here it is who takes faults. The
 * first thread of each process is always shown.
 */
static void add_visible(struct firefox *to)
{
	enum { LEAST_SHARE = 100 }; // one in so many faults

	emit_literal(&to->buf, "\"initialSelectedThreads\":[0],\"initialVisibleThreads\":[0");
	for (size_t i = 1; i < to->tracks.list.count; i++) {
		const struct track *track = &to->tracks.list.items[i];

		if (track->pid == track[-1].pid &&
		    track->fault_count < to->model->fault_count / LEAST_SHARE + 1)
			continue;
		strbuf_putc(&to->buf, ',');
		emit_number(&to->buf, i);
	}
	emit_literal(&to->buf, "],");
}

/** Breakpad's name of a build: a GUID of the build-id's first 16 bytes, then its age. */
static void add_breakpad_id(struct firefox *to, const char *build_id)
{
	static const unsigned char order[] = {
		3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15
	};
	size_t length = build_id ? strlen(build_id) : 0;

	for (size_t i = 0; i < sizeof(order); i++)
		for (size_t digit = 2 * (size_t)order[i]; digit < 2 * (size_t)order[i] + 2;
		     digit++) {
			char value = digit < length ? build_id[digit] : '0';

			strbuf_putc(&to->buf, value >= 'a' ? (char)(value - 'a' + 'A') : value);
		}
	strbuf_putc(&to->buf, '0');
}

/** A row for each object, so that both have the same numbers. */
static void add_libs(struct firefox *to)
{
	const struct model *model = to->model;

	emit_literal(&to->buf, "\"libs\":[");
	for (size_t i = 0; i < model->object_count; i++) {
		const struct model_object *object = &model->objects[i];

		firefox_next(to, i == 0);
		strbuf_putc(&to->buf, '{');
		add_text(to, "arch", model->trace.machine);
		add_text(to, "name", model_object_name(object));
		add_text(to, "path", object->path);
		add_text(to, "debugName", model_object_name(object));
		add_text(to, "debugPath", object->path);
		emit_literal(&to->buf, "\"breakpadId\":\"");
		add_breakpad_id(to, object->build_id);
		emit_literal(&to->buf, "\",\"codeId\":");
		if (object->build_id)
			escape_json(&to->buf, object->build_id);
		else
			emit_literal(&to->buf, "null");
		strbuf_putc(&to->buf, '}');
	}
	emit_literal(&to->buf, "],");
}

void firefox_add_meta(struct firefox *to)
{
	const struct model_trace *trace = &to->model->trace;
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	emit_literal(&to->buf, "\"meta\":{");
	jsontext_title(&text, to->model);
	add_text(to, "arguments", strbuf_text(&text));
	const char *slash = trace->command_count > 0 ? strrchr(trace->command[0], '/') : NULL;
	add_text(to, "product",
		 slash			    ? slash + 1
		 : trace->command_count > 0 ? trace->command[0]
		 : trace->process_comm	    ? trace->process_comm
					    : "process");
	strbuf_clear(&text);
	strbuf_printf(&text, "Linux %s", trace->machine);
	add_text(to, "oscpu", strbuf_text(&text));
	strbuf_printf(&to->buf,
		      "\"platform\":\"X11\",\"importedFrom\":\"elfault\",\"version\":%d,"
		      "\"preprocessedProfileVersion\":%d,\"processType\":0,\"stackwalk\":1,"
		      "\"debug\":false,\"symbolicated\":true,\"symbolicationNotSupported\":true,"
		      "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		      "\"keepProfileThreadOrder\":true,\"interval\":1,\"startTime\":",
		      GECKO_VERSION, PROCESSED_VERSION);
	jsontext_ms(&to->buf, trace->start_unix_ns);
	emit_literal(&to->buf, ",\"profilingStartTime\":0,\"profilingEndTime\":");
	jsontext_ms(&to->buf, trace->duration_ns);
	emit_literal(&to->buf, ",\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
			       "\"threadCPUDelta\":\"ns\"},");
	add_categories(to);
	add_marker_schema(to);
	if (to->tracks.list.count > 0)
		add_visible(to);
	add_extra(to);
	to->buf.length--; // the comma behind the last
	emit_literal(&to->buf, "},\n");
	add_libs(to);
}
