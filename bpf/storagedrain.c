// SPDX-License-Identifier: Apache-2.0
#include "bpf/storagedrain.h"

#include "bpf/fault_event.h"
#include "bpf/record.h"
#include "machine/page.h"

#include <string.h>

bool storagedrain_knows(uint32_t kind)
{
	return kind >= STORAGE_EVENT_READ && kind <= STORAGE_EVENT_PATH;
}

static bool take_read(const void *data, size_t size, struct sink *sink)
{
	struct read_event event;

	if (!record_copy(&event, sizeof(event), data, size))
		return false;

	const struct trace_read read = {
		.time_ns = event.time_ns,
		.device = record_device(event.device),
		.inode = event.inode,
		.offset = event.page * MACHINE_PAGE,
		.size = event.page_count * MACHINE_PAGE,
		.pid = event.pid,
		.tid = event.tid,
		.call = event.call,
		.flags = event.flags,
	};

	trace_writer_read(sink->writer, &read);
	return true;
}

static bool take_request(struct storagedrain *drain, const void *data, size_t size)
{
	struct request_event event = { 0 };
	size_t head = offsetof(struct request_event, parts);

	if (size < head)
		return false;
	memcpy(&event, data, size < sizeof(event) ? size : sizeof(event));
	if (event.part_count > STORAGE_EVENT_PARTS ||
	    size < head + event.part_count * sizeof(event.parts[0]))
		return false;
	requests_issue(&drain->requests, &event);
	return true;
}

static bool take_done(struct storagedrain *drain, const void *data, size_t size, struct sink *sink)
{
	struct done_event event;

	if (!record_copy(&event, sizeof(event), data, size))
		return false;
	requests_done(&drain->requests, &event, sink);
	return true;
}

static bool take_path(struct storagedrain *drain, const void *data, size_t size, struct sink *sink)
{
	struct path_event event;

	if (!record_copy(&event, sizeof(event), data, size))
		return false;
	if (event.part_count > FAULT_EVENT_PATH_PARTS ||
	    size < sizeof(event) + (size_t)event.part_count * FAULT_EVENT_NAME_BYTES)
		return false;

	uint64_t mounted = record_device(event.mounted);

	strbuf_clear(&drain->inner);
	record_add_path(&drain->inner, (const char *)data + sizeof(event), event.part_count);
	strbuf_clear(&drain->path);
	if (!mountpoints_path(&drain->mountpoints, mounted, strbuf_text(&drain->inner),
			      &drain->path)) {
		// Mounted since, or not where the recorder looks.
		mountpoints_read(&drain->mountpoints);
		if (!mountpoints_path(&drain->mountpoints, mounted, strbuf_text(&drain->inner),
				      &drain->path))
			strbuf_puts(&drain->path, strbuf_text(&drain->inner));
	}

	const struct trace_path path = {
		.device = record_device(event.device),
		.inode = event.inode,
		.size = event.size,
		.path = strbuf_text(&drain->path),
	};

	trace_writer_path(sink->writer, &path);
	return true;
}

bool storagedrain_take(struct storagedrain *drain, const void *data, size_t size, struct sink *sink)
{
	uint32_t kind;

	memcpy(&kind, data, sizeof(kind));
	switch (kind) {
	case STORAGE_EVENT_READ:
		return take_read(data, size, sink);
	case STORAGE_EVENT_REQUEST:
		return take_request(drain, data, size);
	case STORAGE_EVENT_DONE:
		return take_done(drain, data, size, sink);
	default:
		return take_path(drain, data, size, sink);
	}
}

void storagedrain_deinit(struct storagedrain *drain)
{
	vec_deinit(&drain->requests.list);
	mountpoints_deinit(&drain->mountpoints);
	strbuf_deinit(&drain->inner);
	strbuf_deinit(&drain->path);
}
