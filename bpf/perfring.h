// SPDX-License-Identifier: Apache-2.0
// One ring of perf records: mapping it, taking records out, and reading them into plain data.
#pragma once

#include "base/err.h"
#include "unwind/rawstack.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERFRING_RECORD_MAX = 65536, PERFRING_BUILD_ID_MAX = 20 };

enum perfring_kind {
	PERFRING_MAPPING,
	PERFRING_FORK,
	PERFRING_EXIT,
	PERFRING_COMM,
	PERFRING_LOST,
	PERFRING_SWITCH,
	PERFRING_THROTTLE,
	PERFRING_SAMPLE,
	PERFRING_OTHER, // a record of a kind that is not looked at
};

/** The perf_event_attr's choices, which decide where a record's fields are. */
struct perfring_layout {
	uint64_t sample_type; // TID, TIME, CPU, IDENTIFIER, and for samples IP, ADDR, *_USER
	bool sample_id_all;   // other records carry TID, TIME, CPU and IDENTIFIER at their end
};

/** One record. Strings and bytes point into the record it was read from. */
struct perfring_record {
	enum perfring_kind kind;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t id; // with PERF_SAMPLE_IDENTIFIER
	union {
		struct {
			uint64_t addr, size, offset;
			uint32_t major, minor; // of the device
			uint64_t inode;
			uint32_t protection, flags; // as in mmap()
			uint8_t build_id_size;	    // 0: none, then device and inode are set
			uint8_t build_id[PERFRING_BUILD_ID_MAX];
			const char *path;
		} mapping;
		struct {
			uint32_t parent_pid, parent_tid;
		} fork;
		struct {
			const char *name;
			bool is_exec;
		} comm;
		struct {
			uint64_t count;
		} lost;
		struct {
			bool is_out;
			bool is_preempted; // with is_out
		} left;
		struct {
			uint64_t ip, addr;
			bool in_kernel;
			bool has_registers;
			bool is_32bit;
			uint64_t registers[MACHINE_REGISTERS];
			uint32_t stack_size;
			const uint8_t *stack;
		} sample;
	};
};

/** PERF_SAMPLE_REGS_USER's mask for the registers of machine/registers.h. */
uint64_t perfring_register_mask(void);

/**
 * Read one whole record of @size bytes, header included.
 *
 * Returns: false when a length or a string in it does not fit; nothing in @ret_record is valid
 * then. Source: perf_event_open(2), "MMAP layout"; cases in tests/unit/bpf/test_perfring.c.
 */
bool perfring_parse(const void *bytes, size_t size, const struct perfring_layout *layout,
		    struct perfring_record *ret_record);

/** A mapped ring. */
struct perfring {
	struct perf_event_mmap_page *page; // NULL: not mapped
	uint8_t *data;
	uint64_t size; // of data, a power of two
	uint64_t head; // how far the kernel had written when perfring_begin() looked
	uint64_t tail;
	bool is_broken; // a record's size made no sense: nothing more can be read
	uint64_t copy[PERFRING_RECORD_MAX / sizeof(uint64_t)]; // of a record that wraps around
};

/** Map @size bytes (a power of two of pages) of the event @fd. Returns NULL (errno set). */
struct perfring *perfring_create(int fd, uint64_t size);

/** Accepts NULL. */
void perfring_destroy(struct perfring *ring);

/** See what the kernel has written so far. */
void perfring_begin(struct perfring *ring);

/** The next record that perfring_begin() saw, or NULL; valid until the next call. */
const struct perf_event_header *perfring_next(struct perfring *ring);

/** Give the room of all records taken back to the kernel. */
void perfring_end(struct perfring *ring);
