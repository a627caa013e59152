// SPDX-License-Identifier: Apache-2.0
#include "export/perfetto/writer.h"

#include "export/protobuf.h"

#include "base/arena.h"
#include "render/emit.h"

#include <stdlib.h>

/** Fields of TracePacket. */
enum {
	TRACE_PACKET = 1,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TIMESTAMP_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

/**
 * Sequences of packets. Tracks have one of their own: an event's arguments would name the thread
 * that its sequence described last.
 */
enum { SEQUENCE_EVENTS = 1, SEQUENCE_TRACKS };

/** BuiltinClock; numbers from 64 on are a sequence's own. */
enum { CLOCK_REALTIME_ID = 1, CLOCK_MONOTONIC_ID = 3, CLOCK_RECORDING = 64 };

enum { DRAIN_BYTES = 1 << 16 };

void perfetto_init(struct perfetto *perfetto, const struct model *model, FILE *out)
{
	*perfetto = (struct perfetto){
		.model = model,
		.out = out,
		.has_mapping = xcalloc(model->object_count + 1, sizeof(bool)),
	};
}

void perfetto_deinit(struct perfetto *perfetto)
{
	strbuf_deinit(&perfetto->buf);
	strbuf_deinit(&perfetto->event);
	strbuf_deinit(&perfetto->interned);
	strbuf_deinit(&perfetto->name);
	textids_deinit(&perfetto->strings);
	textids_deinit(&perfetto->functions);
	textids_deinit(&perfetto->sources);
	export_frames_deinit(&perfetto->frames);
	u64map_deinit(&perfetto->stacks);
	u64map_deinit(&perfetto->places);
	free(perfetto->has_mapping);
}

static size_t begin_packet(struct perfetto *perfetto, unsigned flags)
{
	size_t begun = protobuf_begin(&perfetto->buf, TRACE_PACKET);

	protobuf_number(&perfetto->buf, PACKET_SEQUENCE, SEQUENCE_EVENTS);
	protobuf_number(&perfetto->buf, PACKET_FLAGS, flags);
	return begun;
}

struct perfetto_descriptor perfetto_descriptor(struct perfetto *perfetto)
{
	size_t packet = protobuf_begin(&perfetto->buf, TRACE_PACKET);

	protobuf_number(&perfetto->buf, PACKET_SEQUENCE, SEQUENCE_TRACKS);
	return (struct perfetto_descriptor){
		.packet = packet,
		.message = protobuf_begin(&perfetto->buf, PACKET_TRACK_DESCRIPTOR),
	};
}

void perfetto_descriptor_end(struct perfetto *perfetto, struct perfetto_descriptor descriptor)
{
	protobuf_end(&perfetto->buf, descriptor.message);
	protobuf_end(&perfetto->buf, descriptor.packet);
	perfetto_drain(perfetto, DRAIN_BYTES);
}

/** Say which name a number stands for: EventCategory, EventName and so on are alike. */
static void add_name(struct strbuf *buf, uint32_t field, uint64_t number, const char *name)
{
	size_t begun = protobuf_begin(buf, field);

	protobuf_number(buf, 1, number);
	protobuf_text(buf, 2, name);
	protobuf_end(buf, begun);
}

static void add_clock(struct strbuf *buf, uint64_t clock, uint64_t time_ns)
{
	size_t begun = protobuf_begin(buf, 1);

	protobuf_number(buf, 1, clock);
	protobuf_number(buf, 2, time_ns);
	protobuf_end(buf, begun);
}

/**
 * Times are those since the start of the recording, which is a clock of its own. Where it is known
 * when that was, a snapshot says so; the reader's time is then the machine's, or else that of day.
 */
static void add_clocks(struct perfetto *perfetto)
{
	const struct model_trace *trace = &perfetto->model->trace;

	if (trace->start_unix_ns == 0)
		return;
	size_t packet = begin_packet(perfetto, FLAG_NEEDS_STATE);
	size_t snapshot = protobuf_begin(&perfetto->buf, PACKET_CLOCK_SNAPSHOT);

	add_clock(&perfetto->buf, CLOCK_RECORDING, 0);
	add_clock(&perfetto->buf, CLOCK_REALTIME_ID, trace->start_unix_ns);
	if (trace->start_ns > 0)
		add_clock(&perfetto->buf, CLOCK_MONOTONIC_ID, trace->start_ns);
	protobuf_number(&perfetto->buf, 2, // the primary one
			trace->start_ns > 0 ? CLOCK_MONOTONIC_ID : CLOCK_REALTIME_ID);
	protobuf_end(&perfetto->buf, snapshot);
	protobuf_end(&perfetto->buf, packet);
}

/** Of a fault, and of a sample of the processor. */
static void add_initiator(struct perfetto *perfetto, enum model_initiator initiator)
{
	const char *name = model_initiator_name(initiator);

	add_name(&perfetto->buf, 2, perfetto_initiator(initiator), name);
	strbuf_clear(&perfetto->name);
	strbuf_printf(&perfetto->name, "cpu %s", name);
	add_name(&perfetto->buf, 2, perfetto_sample(initiator), strbuf_text(&perfetto->name));
}

void perfetto_start(struct perfetto *perfetto)
{
	static const char *const categories[] = {
		[PERFETTO_PAGE_FAULT] = "page-fault",
		[PERFETTO_RECORDING] = "recording",
		[PERFETTO_PROGRAM] = "program",
		[PERFETTO_CRITICAL_PATH] = "critical-path",
		[PERFETTO_WAIT_STATE] = "wait",
		[PERFETTO_SAMPLE] = "sample",
		[PERFETTO_MARK] = "mark",
	};
#define KEY_NAME(id, name) [PERFETTO_##id] = (name),
	static const char *const keys[] = { PERFETTO_KEYS(KEY_NAME) };
	struct strbuf *buf = &perfetto->buf;
	size_t packet = begin_packet(perfetto, FLAG_CLEARED | FLAG_NEEDS_STATE);

	if (perfetto->model->trace.start_unix_ns > 0) {
		size_t defaults = protobuf_begin(buf, PACKET_DEFAULTS);

		protobuf_number(buf, PACKET_TIMESTAMP_CLOCK, CLOCK_RECORDING);
		protobuf_end(buf, defaults);
	}
	size_t interned = protobuf_begin(buf, PACKET_INTERNED);

	for (unsigned i = 1; i < PERFETTO_CATEGORY_END; i++)
		add_name(buf, 1, i, categories[i]);
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		add_initiator(perfetto, i);
	for (enum model_state i = 0; i < MODEL_STATES; i++)
		add_name(buf, 2, perfetto_state(i), model_state_name(i));
	for (unsigned i = 1; i < PERFETTO_KEY_END; i++)
		add_name(buf, 3, i, keys[i]);
	protobuf_end(buf, interned);
	protobuf_end(buf, packet);
	add_clocks(perfetto);
}

void perfetto_event(struct perfetto *perfetto, enum perfetto_type type, uint64_t track)
{
	strbuf_clear(&perfetto->event);
	protobuf_number(&perfetto->event, 9, type);
	protobuf_number(&perfetto->event, 11, track);
}

void perfetto_event_end(struct perfetto *perfetto, uint64_t time_ns)
{
	size_t begun = begin_packet(perfetto, FLAG_NEEDS_STATE);

	protobuf_number(&perfetto->buf, PACKET_TIMESTAMP, time_ns);
	if (perfetto->interned.length > 0) {
		protobuf_bytes(&perfetto->buf, PACKET_INTERNED, perfetto->interned.text,
			       perfetto->interned.length);
		strbuf_clear(&perfetto->interned);
	}
	protobuf_bytes(&perfetto->buf, PACKET_TRACK_EVENT, perfetto->event.text,
		       perfetto->event.length);
	protobuf_end(&perfetto->buf, begun);
	perfetto_drain(perfetto, DRAIN_BYTES);
}

void perfetto_slice_end(struct perfetto *perfetto, uint64_t track, uint64_t time_ns)
{
	perfetto_event(perfetto, PERFETTO_END, track);
	perfetto_event_end(perfetto, time_ns);
}

static size_t begin_annotation(struct perfetto *perfetto, enum perfetto_key key)
{
	size_t begun = protobuf_begin(&perfetto->event, EVENT_ANNOTATION);

	protobuf_number(&perfetto->event, 1, key);
	return begun;
}

void perfetto_text(struct perfetto *perfetto, enum perfetto_key key, const char *text)
{
	bool is_new;

	if (!text)
		return;
	uint64_t number = (uint64_t)textids_of(&perfetto->strings, text, &is_new) + 1;

	if (is_new)
		add_name(&perfetto->interned, INTERNED_STRING, number, text);
	size_t begun = begin_annotation(perfetto, key);

	protobuf_number(&perfetto->event, 17, number);
	protobuf_end(&perfetto->event, begun);
}

/** Annotate with a value that is a number in field @field. */
static void annotate(struct perfetto *perfetto, enum perfetto_key key, uint32_t field,
		     uint64_t value)
{
	size_t begun = begin_annotation(perfetto, key);

	protobuf_number(&perfetto->event, field, value);
	protobuf_end(&perfetto->event, begun);
}

void perfetto_bool(struct perfetto *perfetto, enum perfetto_key key, bool value)
{
	annotate(perfetto, key, 2, value);
}

void perfetto_number(struct perfetto *perfetto, enum perfetto_key key, uint64_t number)
{
	annotate(perfetto, key, 3, number);
}

void perfetto_addr(struct perfetto *perfetto, enum perfetto_key key, uint64_t addr)
{
	annotate(perfetto, key, 7, addr);
}

static size_t begin_named(struct strbuf *buf, uint32_t field, const char *name)
{
	size_t begun = protobuf_begin(buf, field);

	if (name)
		protobuf_text(buf, 10, name);
	return begun;
}

void perfetto_named_text(struct strbuf *buf, uint32_t field, const char *name, const char *text)
{
	if (!text)
		return;
	size_t begun = begin_named(buf, field, name);

	protobuf_text(buf, 6, text);
	protobuf_end(buf, begun);
}

void perfetto_named_number(struct strbuf *buf, uint32_t field, const char *name, uint64_t number)
{
	size_t begun = begin_named(buf, field, name);

	protobuf_number(buf, 3, number);
	protobuf_end(buf, begun);
}

size_t perfetto_dict(struct perfetto *perfetto, const char *name)
{
	return begin_named(&perfetto->event, EVENT_ANNOTATION, name);
}

bool perfetto_drain(struct perfetto *perfetto, size_t limit)
{
	if (!emit_drain(&perfetto->buf, limit, perfetto->out))
		perfetto->failed = true;
	return !perfetto->failed;
}
