// SPDX-License-Identifier: Apache-2.0
// Call paths of a Perfetto trace: functions, files and frames are sent once.
#include "export/perfetto/writer.h"
#include "export/protobuf.h"
#include "export/source.h"

#include <string.h>

/** Fields of InternedData. */
enum {
	FUNCTION_NAME = 5,
	FRAME = 6,
	CALLSTACK = 7,
	BUILD_ID = 16,
	MAPPING_PATH = 17,
	SOURCE_PATH = 18,
	MAPPING = 19,
};

static void add_bytes(struct perfetto *perfetto, uint32_t field, uint64_t number, const void *bytes,
		      size_t size)
{
	size_t begun = protobuf_begin(&perfetto->interned, field);

	protobuf_number(&perfetto->interned, 1, number);
	protobuf_bytes(&perfetto->interned, 2, bytes, size);
	protobuf_end(&perfetto->interned, begun);
}

/** The same for the first @length bytes of @text, which need not be UTF-8; returns the number. */
static uint64_t text_number(struct perfetto *perfetto, struct textids *ids, uint32_t field,
			    const char *text, size_t length)
{
	bool is_new;
	uint64_t number = (uint64_t)textids_copy(ids, text, length, &is_new) + 1;

	if (is_new) {
		size_t begun = protobuf_begin(&perfetto->interned, field);

		protobuf_number(&perfetto->interned, 1, number);
		protobuf_text(&perfetto->interned, 2, ids->texts.items[number - 1]);
		protobuf_end(&perfetto->interned, begun);
	}
	return number;
}

static unsigned hex_digit(char digit)
{
	return (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/** Build-ids are bytes there. */
static void add_build_id(struct perfetto *perfetto, uint64_t number, const char *hex)
{
	char bytes[64];
	size_t size = 0;

	for (; hex[0] && hex[1] && size < sizeof(bytes); hex += 2)
		bytes[size++] = (char)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
	add_bytes(perfetto, BUILD_ID, number, bytes, size);
}

/** Mapping, path and build-id of an object have one number. */
static uint64_t mapping_number(struct perfetto *perfetto, uint32_t id)
{
	const struct model_object *object = &perfetto->model->objects[id];
	uint64_t number = (uint64_t)id + 1;

	if (perfetto->has_mapping[id])
		return number;
	perfetto->has_mapping[id] = true;
	add_bytes(perfetto, MAPPING_PATH, number, object->path, strlen(object->path));
	if (object->build_id)
		add_build_id(perfetto, number, object->build_id);
	size_t begun = protobuf_begin(&perfetto->interned, MAPPING);

	protobuf_number(&perfetto->interned, 1, number);
	if (object->build_id)
		protobuf_number(&perfetto->interned, 2, number);
	protobuf_number(&perfetto->interned, 7, number);
	protobuf_end(&perfetto->interned, begun);
	return number;
}

/** A place in a file is its vaddr; @place is the frame that others were inlined in. */
static void add_frame(struct perfetto *perfetto, const struct export_frame *frame,
		      const struct export_frame *place, uint64_t number)
{
	uint32_t line = 0;
	size_t length = frame->source ? source_split(frame->source, &line) : 0;

	strbuf_clear(&perfetto->name);
	export_frame_name(&perfetto->name, perfetto->model, frame);
	uint64_t function = text_number(perfetto, &perfetto->functions, FUNCTION_NAME,
					strbuf_text(&perfetto->name), perfetto->name.length);
	uint64_t source = length ? text_number(perfetto, &perfetto->sources, SOURCE_PATH,
					       frame->source, length)
				 : 0;
	uint64_t mapping =
		place->object == MODEL_NONE ? 0 : mapping_number(perfetto, place->object);
	size_t begun = protobuf_begin(&perfetto->interned, FRAME);

	protobuf_number(&perfetto->interned, 1, number);
	protobuf_number(&perfetto->interned, 2, function);
	if (mapping)
		protobuf_number(&perfetto->interned, 3, mapping);
	protobuf_number(&perfetto->interned, 4,
			place->has_vaddr    ? place->vaddr
			: place->has_offset ? place->offset
					    : place->addr);
	if (source)
		protobuf_number(&perfetto->interned, 5, source);
	if (line)
		protobuf_number(&perfetto->interned, 6, line);
	protobuf_end(&perfetto->interned, begun);
}

/** The number of the first of @count frames of one instruction; those behind it follow. */
static uint32_t frame_number(struct perfetto *perfetto, const struct export_frame *frames,
			     size_t count)
{
	const struct export_frame *place = &frames[count - 1];
	bool is_new;
	uint32_t *number = u64map_put(&perfetto->places, (uintptr_t)place->place, &is_new);

	if (is_new) {
		*number = perfetto->frame_count + 1;
		for (size_t i = 0; i < count; i++)
			add_frame(perfetto, &frames[i], place, ++perfetto->frame_count);
	}
	return *number;
}

uint32_t perfetto_root(struct perfetto *perfetto)
{
	static const char name[] = "[root]";
	uint64_t function =
		text_number(perfetto, &perfetto->functions, FUNCTION_NAME, name, strlen(name));
	uint32_t *number = u64map_put(&perfetto->stacks, (uintptr_t)name, NULL);
	size_t begun = protobuf_begin(&perfetto->interned, FRAME);

	protobuf_number(&perfetto->interned, 1, ++perfetto->frame_count);
	protobuf_number(&perfetto->interned, 2, function);
	protobuf_end(&perfetto->interned, begun);
	*number = (uint32_t)perfetto->stacks.count;
	begun = protobuf_begin(&perfetto->interned, CALLSTACK);
	protobuf_number(&perfetto->interned, 1, *number);
	protobuf_number(&perfetto->interned, 2, perfetto->frame_count);
	protobuf_end(&perfetto->interned, begun);
	return *number;
}

uint32_t perfetto_callstack(struct perfetto *perfetto, const struct model_fault *fault)
{
	uint64_t path = export_path(perfetto->model, fault);
	bool is_new;

	if (!path)
		return 0;
	uint32_t number = *u64map_put(&perfetto->stacks, path, &is_new);

	if (!is_new)
		return number;
	number = (uint32_t)perfetto->stacks.count;
	*u64map_put(&perfetto->stacks, path, NULL) = number;
	export_frames_of(&perfetto->frames, perfetto->model, fault);
	const struct export_frame *frames = perfetto->frames.list.items;
	size_t count = perfetto->frames.list.count;

	// Frames first: a call stack names only those that are known. They are written once.
	for (size_t i = 0, begin = 0; i < count; i++)
		if (!frames[i].is_inlined) {
			frame_number(perfetto, &frames[begin], i + 1 - begin);
			begin = i + 1;
		}
	size_t begun = protobuf_begin(&perfetto->interned, CALLSTACK);

	protobuf_number(&perfetto->interned, 1, number);
	for (size_t end = count; end > 0;) { // the outermost first
		size_t begin = end - 1;

		while (begin > 0 && frames[begin - 1].is_inlined)
			begin--;
		uint32_t first = frame_number(perfetto, &frames[begin], end - begin);

		for (size_t i = end; i-- > begin;)
			protobuf_number(&perfetto->interned, 2, first + (uint32_t)(i - begin));
		end = begin;
	}
	protobuf_end(&perfetto->interned, begun);
	return number;
}
