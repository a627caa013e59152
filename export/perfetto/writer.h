// SPDX-License-Identifier: Apache-2.0
// Packets of a Perfetto trace. Source: protos/perfetto/trace/perfetto_trace.proto of
// github.com/google/perfetto. Names are sent once, with the first packet that needs them, and are
// numbers from there on. Serves perfetto*.c.
#pragma once

#include "export/frames.h"
#include "export/textids.h"

#include "base/strbuf.h"
#include "base/u64map.h"
#include "model/account.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Names of annotations: KEY(identifier, name). */
#define PERFETTO_KEYS(KEY)                \
	KEY(OBJECT, "object")             \
	KEY(OFFSET, "offset")             \
	KEY(ADDR, "addr")                 \
	KEY(SECTION, "section")           \
	KEY(SYMBOL, "symbol")             \
	KEY(KIND, "kind")                 \
	KEY(ACCESS, "access")             \
	KEY(MODE, "mode")                 \
	KEY(MECHANISM, "mechanism")       \
	KEY(CERTAINTY, "certainty")       \
	KEY(DLOPEN, "dlopen")             \
	KEY(FUNCTION, "function")         \
	KEY(BY_OBJECT, "by_object")       \
	KEY(BLAME, "blame")               \
	KEY(INITIALIZER, "initializer")   \
	KEY(INIT_OBJECT, "init_object")   \
	KEY(COMM, "comm")                 \
	KEY(READ_BYTES, "read_bytes")     \
	KEY(MAPPED_PAGES, "mapped_pages") \
	KEY(STATE, "state")               \
	KEY(WAIT, "wait")                 \
	KEY(NS, "ns")                     \
	KEY(IS_KERNEL, "is_kernel")

#define PERFETTO_KEY(id, name) PERFETTO_##id,
enum perfetto_key { PERFETTO_NO_KEY, PERFETTO_KEYS(PERFETTO_KEY) PERFETTO_KEY_END };
#undef PERFETTO_KEY

enum perfetto_category {
	PERFETTO_PAGE_FAULT = 1,
	PERFETTO_RECORDING,
	PERFETTO_PROGRAM,
	PERFETTO_CRITICAL_PATH,
	PERFETTO_WAIT_STATE,
	PERFETTO_SAMPLE,
	PERFETTO_MARK,
	PERFETTO_CATEGORY_END,
};

/** Names of events that are known before. */
static inline uint64_t perfetto_initiator(enum model_initiator initiator)
{
	return (uint64_t)initiator + 1;
}

static inline uint64_t perfetto_sample(enum model_initiator initiator)
{
	return (uint64_t)MODEL_INITIATORS + initiator + 1;
}

static inline uint64_t perfetto_state(enum model_state state)
{
	return (uint64_t)MODEL_INITIATORS * 2 + state + 1;
}

enum perfetto_type { PERFETTO_BEGIN = 1, PERFETTO_END = 2, PERFETTO_INSTANT = 3 };

/** Fields of TracePacket, TrackEvent and InternedData that several files write. */
enum {
	EVENT_NAME_IID = 10,
	EVENT_NAME = 23,
	EVENT_ANNOTATION = 4,
	EVENT_CALLSTACK_IID = 56,
	EVENT_COUNTER_TRACK = 31,
	EVENT_COUNTER_VALUE = 12,
	INTERNED_STRING = 29,
};

struct perfetto {
	const struct model *model;
	FILE *out;
	struct strbuf buf;	// whole packets
	struct strbuf event;	// TrackEvent of the next packet
	struct strbuf interned; // InternedData of the next packet
	struct strbuf name;
	struct textids strings; // of annotations
	struct textids functions, sources;
	struct export_frames frames;
	struct u64map stacks; // export_path() -> number
	struct u64map places; // export_frame.place -> number of its innermost frame
	uint32_t frame_count;
	bool *has_mapping; // by object
	bool failed;	   // writing
};

void perfetto_init(struct perfetto *perfetto, const struct model *model, FILE *out);
void perfetto_deinit(struct perfetto *perfetto);

/** Write the first packets: the clock, and the names that are known before. */
void perfetto_start(struct perfetto *perfetto);

/** Begin an event in @perfetto->event; what belongs to it is appended there. */
void perfetto_event(struct perfetto *perfetto, enum perfetto_type type, uint64_t track);

/** Write the packet of the event. */
void perfetto_event_end(struct perfetto *perfetto, uint64_t time_ns);

/** A slice's end needs no more than this. */
void perfetto_slice_end(struct perfetto *perfetto, uint64_t track, uint64_t time_ns);

/** A packet with the fields of a TrackDescriptor, which follow up to perfetto_descriptor_end(). */
struct perfetto_descriptor {
	size_t packet, message;
};
struct perfetto_descriptor perfetto_descriptor(struct perfetto *perfetto);
void perfetto_descriptor_end(struct perfetto *perfetto, struct perfetto_descriptor descriptor);

/** Annotate the event. @text: of the model or the program; NULL adds nothing. */
void perfetto_text(struct perfetto *perfetto, enum perfetto_key key, const char *text);
void perfetto_number(struct perfetto *perfetto, enum perfetto_key key, uint64_t number);
void perfetto_addr(struct perfetto *perfetto, enum perfetto_key key, uint64_t addr);
void perfetto_bool(struct perfetto *perfetto, enum perfetto_key key, bool value);

/** The same for names that few events have: appended to @buf as field @field. NULL adds nothing. */
void perfetto_named_text(struct strbuf *buf, uint32_t field, const char *name, const char *text);
void perfetto_named_number(struct strbuf *buf, uint32_t field, const char *name, uint64_t number);

/** Entries of an annotation that perfetto_dict() begins have this field. */
enum { PERFETTO_DICT_ENTRY = 11, PERFETTO_ARRAY_VALUE = 12 };
size_t perfetto_dict(struct perfetto *perfetto, const char *name);

/**
 * The number of a call path of one frame that is no code. The first event has it: trace processor
 * v55.3 shows the first call path that it reads as the root of all others.
 */
uint32_t perfetto_root(struct perfetto *perfetto);

/** The number of the call path of @fault, sent before; 0: it has none. */
uint32_t perfetto_callstack(struct perfetto *perfetto, const struct model_fault *fault);

/** Write all that is whole. False if writing failed, then or before. */
bool perfetto_drain(struct perfetto *perfetto, size_t limit);
