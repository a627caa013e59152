// SPDX-License-Identifier: Apache-2.0
#include "bpf/requests.h"

#include "bpf/record.h"

_Static_assert((int)STORAGE_EVENT_FAULT == TRACE_READ_FAULT &&
		       (int)STORAGE_EVENT_CALL == TRACE_READ_CALL &&
		       (int)STORAGE_EVENT_EXEC == TRACE_READ_EXEC &&
		       (int)STORAGE_EVENT_ASYNC == TRACE_READ_ASYNC &&
		       (int)STORAGE_EVENT_FILE == TRACE_READ_FILE &&
		       (int)STORAGE_EVENT_METADATA == TRACE_READ_METADATA &&
		       (int)STORAGE_EVENT_RAHEAD == TRACE_READ_RAHEAD,
	       "the kernel side's flags are the trace's");

enum { SECTOR_BYTES = 512 };

/** The place of @request in the list, its count if it is not there. */
static size_t find(const struct requests *requests, uint64_t request)
{
	size_t i = 0;

	while (i < requests->list.count && requests->list.items[i].event.request != request)
		i++;
	return i;
}

void requests_issue(struct requests *requests, const struct request_event *event)
{
	size_t place = find(requests, event->request);

	if (place == requests->list.count)
		vec_push(&requests->list, (struct request_under_way){ 0 });
	requests->list.items[place] = (struct request_under_way){ .event = *event };
}

/** Write the parts of the first @whole->done bytes. */
static void write_parts(const struct request_under_way *whole, struct sink *sink)
{
	const struct request_event *event = &whole->event;
	uint32_t at = 0;

	for (uint32_t i = 0; at < whole->done; i++) {
		uint32_t left = whole->done - at;
		// What lies behind the parts that found room is of an unknown file.
		struct request_part part = i < event->part_count
						   ? event->parts[i]
						   : (struct request_part){ .size = left };

		if (part.size > left)
			part.size = left;

		const struct trace_request request = {
			.time_ns = event->time_ns,
			.duration_ns = whole->done_ns - event->time_ns,
			.device = record_device(event->device),
			.sector = event->sector + at / SECTOR_BYTES,
			.file_device = record_device(part.device),
			.inode = part.inode,
			.offset = part.offset,
			.size = part.size,
			.pid = event->pid,
			.tid = event->tid,
			.call = event->call,
			.flags = event->flags | part.flags |
				 (at > 0 ? (uint32_t)TRACE_READ_CONTINUES : 0u),
		};

		if (part.size > 0)
			trace_writer_request(sink->writer, &request);
		at += part.size;
	}
}

void requests_done(struct requests *requests, const struct done_event *event, struct sink *sink)
{
	size_t place = find(requests, event->request);

	if (place == requests->list.count) {
		const struct request_under_way unseen = {
			.event = { .time_ns = event->time_ns,
				   .sector = event->sector,
				   .size = event->size,
				   .device = event->device,
				   .call = STORAGE_EVENT_NO_CALL },
			.done_ns = event->time_ns,
			.done = event->size,
		};

		write_parts(&unseen, sink);
		return;
	}
	struct request_under_way *whole = &requests->list.items[place];

	whole->done += event->size;
	whole->done_ns = event->time_ns;
	if (event->left > 0)
		return;
	write_parts(whole, sink);
	*whole = requests->list.items[--requests->list.count];
}

void requests_end(struct requests *requests, struct sink *sink)
{
	vec_foreach (whole, &requests->list)
		write_parts(whole, sink);
	requests->list.count = 0;
}
