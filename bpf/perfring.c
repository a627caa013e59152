// SPDX-License-Identifier: Apache-2.0
// Takes records out of a perf ring. The kernel wrote them, yet every length is checked: a record
// that does not fit is refused, never read past its end.
#include "bpf/perfring.h"

#include "base/arena.h"
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** The unread part of a record, taken from the front or from the back. */
struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
};

static const uint8_t *take(struct cursor *cursor, size_t size)
{
	if (cursor->failed || size > (size_t)(cursor->end - cursor->at)) {
		cursor->failed = true;
		return NULL;
	}
	const uint8_t *bytes = cursor->at;

	cursor->at += size;
	return bytes;
}

static uint64_t take_u64(struct cursor *cursor)
{
	const uint8_t *bytes = take(cursor, sizeof(uint64_t));
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint32_t take_u32(struct cursor *cursor)
{
	const uint8_t *bytes = take(cursor, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint64_t take_last_u64(struct cursor *cursor)
{
	uint64_t value = 0;

	if (cursor->failed || cursor->end - cursor->at < (ptrdiff_t)sizeof(value)) {
		cursor->failed = true;
		return 0;
	}
	cursor->end -= sizeof(value);
	memcpy(&value, cursor->end, sizeof(value));
	return value;
}

/** A NUL-terminated string that takes all that is left. */
static const char *take_string(struct cursor *cursor)
{
	size_t left = (size_t)(cursor->end - cursor->at);

	if (cursor->failed || !memchr(cursor->at, '\0', left)) {
		cursor->failed = true;
		return "";
	}
	return (const char *)take(cursor, left);
}

/** Strip the fields that sample_id_all puts at the end of a record, last first. */
static void parse_sample_id(struct cursor *cursor, const struct perfring_layout *layout,
			    struct perfring_record *record)
{
	if (!layout->sample_id_all)
		return;
	if (layout->sample_type & PERF_SAMPLE_IDENTIFIER)
		record->id = take_last_u64(cursor);
	if (layout->sample_type & PERF_SAMPLE_CPU)
		take_last_u64(cursor);
	if (layout->sample_type & PERF_SAMPLE_TIME)
		record->time_ns = take_last_u64(cursor);
	if (layout->sample_type & PERF_SAMPLE_TID) {
		uint64_t pair = take_last_u64(cursor);

		record->pid = (uint32_t)pair; // the low half: little-endian, as all of this is
		record->tid = (uint32_t)(pair >> 32);
	}
}

static void parse_mapping(struct cursor *cursor, uint16_t misc, struct perfring_record *record)
{
	record->pid = take_u32(cursor);
	record->tid = take_u32(cursor);
	record->mapping.addr = take_u64(cursor);
	record->mapping.size = take_u64(cursor);
	record->mapping.offset = take_u64(cursor);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		const uint8_t *bytes = take(cursor, 24);

		if (!bytes || bytes[0] > PERFRING_BUILD_ID_MAX) {
			cursor->failed = true;
			return;
		}
		record->mapping.build_id_size = bytes[0];
		memcpy(record->mapping.build_id, bytes + 4, bytes[0]);
	} else {
		record->mapping.major = take_u32(cursor);
		record->mapping.minor = take_u32(cursor);
		record->mapping.inode = take_u64(cursor);
		take_u64(cursor); // the inode's generation
	}
	record->mapping.protection = take_u32(cursor);
	record->mapping.flags = take_u32(cursor);
	record->mapping.path = take_string(cursor);
}

/** FORK and EXIT. */
static void parse_task(struct cursor *cursor, struct perfring_record *record)
{
	record->pid = take_u32(cursor);
	record->fork.parent_pid = take_u32(cursor);
	record->tid = take_u32(cursor);
	record->fork.parent_tid = take_u32(cursor);
	record->time_ns = take_u64(cursor);
}

static void parse_comm(struct cursor *cursor, uint16_t misc, struct perfring_record *record)
{
	record->pid = take_u32(cursor);
	record->tid = take_u32(cursor);
	record->comm.is_exec = (misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
	record->comm.name = take_string(cursor);
}

uint64_t perfring_register_mask(void)
{
	const struct machine_sampled *sampled = machine_own(false)->sampled;
	uint64_t mask = 0;

	for (size_t i = 0; i < MACHINE_REGISTERS; i++)
		mask |= UINT64_C(1) << sampled[i].bit;
	return mask;
}

static void parse_registers(struct cursor *cursor, struct perfring_record *record)
{
	const struct machine_sampled *sampled = machine_own(false)->sampled;
	uint64_t abi = take_u64(cursor);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	record->sample.has_registers = true;
	record->sample.is_32bit = abi == PERF_SAMPLE_REGS_ABI_32;
	for (size_t i = 0; i < MACHINE_REGISTERS; i++)
		record->sample.registers[sampled[i].dwarf] = take_u64(cursor);
}

static void parse_stack(struct cursor *cursor, struct perfring_record *record)
{
	uint64_t size = take_u64(cursor);

	if (size == 0)
		return;
	record->sample.stack = take(cursor, size);

	uint64_t used = take_u64(cursor);

	if (used > size)
		cursor->failed = true;
	else
		record->sample.stack_size = (uint32_t)used; // a record is smaller than 64 KiB
}

static void parse_sample(struct cursor *cursor, uint16_t misc, uint64_t sample_type,
			 struct perfring_record *record)
{
	uint16_t cpumode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	record->sample.in_kernel = cpumode == PERF_RECORD_MISC_KERNEL;
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		record->id = take_u64(cursor);
	if (sample_type & PERF_SAMPLE_IP)
		record->sample.ip = take_u64(cursor);
	if (sample_type & PERF_SAMPLE_TID) {
		record->pid = take_u32(cursor);
		record->tid = take_u32(cursor);
	}
	if (sample_type & PERF_SAMPLE_TIME)
		record->time_ns = take_u64(cursor);
	if (sample_type & PERF_SAMPLE_ADDR)
		record->sample.addr = take_u64(cursor);
	if (sample_type & PERF_SAMPLE_CPU)
		take_u64(cursor);
	if (sample_type & PERF_SAMPLE_REGS_USER)
		parse_registers(cursor, record);
	if (sample_type & PERF_SAMPLE_STACK_USER)
		parse_stack(cursor, record);
}

bool perfring_parse(const void *bytes, size_t size, const struct perfring_layout *layout,
		    struct perfring_record *ret_record)
{
	struct perf_event_header header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (header.size != size)
		return false;

	struct cursor cursor = {
		.at = (const uint8_t *)bytes + sizeof(header),
		.end = (const uint8_t *)bytes + size,
	};

	*ret_record = (struct perfring_record){ .kind = PERFRING_OTHER };
	if (header.type != PERF_RECORD_SAMPLE)
		parse_sample_id(&cursor, layout, ret_record);

	switch (header.type) {
	case PERF_RECORD_MMAP2:
		ret_record->kind = PERFRING_MAPPING;
		parse_mapping(&cursor, header.misc, ret_record);
		break;
	case PERF_RECORD_FORK:
		ret_record->kind = PERFRING_FORK;
		parse_task(&cursor, ret_record);
		break;
	case PERF_RECORD_EXIT:
		ret_record->kind = PERFRING_EXIT;
		parse_task(&cursor, ret_record);
		break;
	case PERF_RECORD_COMM:
		ret_record->kind = PERFRING_COMM;
		parse_comm(&cursor, header.misc, ret_record);
		break;
	case PERF_RECORD_LOST:
		ret_record->kind = PERFRING_LOST;
		take_u64(&cursor); // the event's id
		ret_record->lost.count = take_u64(&cursor);
		break;
	case PERF_RECORD_SWITCH:
		ret_record->kind = PERFRING_SWITCH;
		ret_record->left.is_out = (header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
		ret_record->left.is_preempted =
			(header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
		break;
	case PERF_RECORD_THROTTLE:
		ret_record->kind = PERFRING_THROTTLE;
		break;
	case PERF_RECORD_SAMPLE:
		ret_record->kind = PERFRING_SAMPLE;
		parse_sample(&cursor, header.misc, layout->sample_type, ret_record);
		break;
	default:
		break;
	}
	return !cursor.failed;
}

struct perfring *perfring_create(int fd, uint64_t size)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *area = mmap(NULL, page_bytes + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (area == MAP_FAILED)
		return NULL;

	struct perfring *ring = xcalloc(1, sizeof(*ring));

	ring->page = area;
	ring->data = (uint8_t *)area + page_bytes;
	ring->size = size;
	return ring;
}

void perfring_destroy(struct perfring *ring)
{
	if (!ring)
		return;
	munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	free(ring);
}

void perfring_begin(struct perfring *ring)
{
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

const struct perf_event_header *perfring_next(struct perfring *ring)
{
	if (ring->is_broken || ring->tail == ring->head)
		return NULL;

	// Records are multiples of 8 bytes, so that a header never wraps around.
	uint64_t position = ring->tail & (ring->size - 1);
	struct perf_event_header header;

	memcpy(&header, ring->data + position, sizeof(header));
	if (header.size < sizeof(header) || header.size % 8 != 0 ||
	    header.size > ring->head - ring->tail) {
		ring->is_broken = true;
		return NULL;
	}
	ring->tail += header.size;
	if (position + header.size <= ring->size)
		return (const struct perf_event_header *)(ring->data + position);

	size_t first = ring->size - position;

	memcpy(ring->copy, ring->data + position, first);
	memcpy((uint8_t *)ring->copy + first, ring->data, header.size - first);
	return (const struct perf_event_header *)ring->copy;
}

void perfring_end(struct perfring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
