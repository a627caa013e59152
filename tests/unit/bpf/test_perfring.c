// SPDX-License-Identifier: Apache-2.0
// Perf records as the kernel writes them, whole, cut and damaged.
#include "bpf/perfring.h"
#include "tests/support/test.h"

#include <string.h>

static const struct perfring_layout side_layout = {
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	.sample_id_all = true,
};

/** The record under construction, and what it is read as. */
static struct {
	uint8_t bytes[8192];
	size_t size;
} building;
static struct perfring_record record;

static void add(const void *bytes, size_t size)
{
	assert_true(building.size + size <= sizeof(building.bytes));
	memcpy(building.bytes + building.size, bytes, size);
	building.size += size;
}

static void add_u32(uint32_t value)
{
	add(&value, sizeof(value));
}

static void add_u64(uint64_t value)
{
	add(&value, sizeof(value));
}

static void add_text(const char *text)
{
	add(text, strlen(text) + 1);
	while (building.size % 8 != 0)
		add("", 1);
}

static void begin(uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = { .type = type, .misc = misc };

	building.size = 0;
	add(&header, sizeof(header));
}

static void end(void)
{
	uint16_t size = (uint16_t)building.size;

	memcpy(building.bytes + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

/** TID, TIME, CPU as sample_id_all appends them. */
static void add_side(uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	add_u32(pid);
	add_u32(tid);
	add_u64(time_ns);
	add_u32(1);
	add_u32(0);
}

static void build_mapping(bool with_build_id)
{
	static const uint8_t build_id[20] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
					      11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };

	begin(PERF_RECORD_MMAP2, with_build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
	add_u32(77);
	add_u32(78);
	add_u64(0x7f0000001000);
	add_u64(0x3000);
	add_u64(0x2000);
	if (with_build_id) {
		add_u32(sizeof(build_id));
		add(build_id, sizeof(build_id));
	} else {
		add_u32(8);
		add_u32(3);
		add_u64(4711);
		add_u64(0);
	}
	add_u32(5);
	add_u32(2);
	add_text("/lib/libfoo.so.1");
	add_side(77, 78, 123456789);
	end();
}

/** True if it can be read. */
static bool is_read(const struct perfring_layout *layout)
{
	return perfring_parse(building.bytes, building.size, layout, &record);
}

TEST(a_mapping_with_device_and_inode_is_read)
{
	build_mapping(false);
	assert_true(is_read(&side_layout));
	assert_int_equal(record.kind, PERFRING_MAPPING);
	assert_int_equal(record.pid, 77);
	assert_int_equal(record.tid, 78);
	assert_int_equal(record.time_ns, 123456789);
	assert_int_equal(record.mapping.addr, 0x7f0000001000);
	assert_int_equal(record.mapping.size, 0x3000);
	assert_int_equal(record.mapping.offset, 0x2000);
	assert_int_equal(record.mapping.major, 8);
	assert_int_equal(record.mapping.minor, 3);
	assert_int_equal(record.mapping.inode, 4711);
	assert_int_equal(record.mapping.build_id_size, 0);
	assert_int_equal(record.mapping.protection, 5);
	assert_int_equal(record.mapping.flags, 2);
	assert_string_equal(record.mapping.path, "/lib/libfoo.so.1");
}

TEST(a_mapping_with_build_id_has_no_inode)
{
	build_mapping(true);
	assert_true(is_read(&side_layout));
	assert_int_equal(record.mapping.build_id_size, 20);
	assert_int_equal(record.mapping.build_id[0], 1);
	assert_int_equal(record.mapping.build_id[19], 20);
	assert_int_equal(record.mapping.inode, 0);
	assert_string_equal(record.mapping.path, "/lib/libfoo.so.1");
}

TEST(a_build_id_longer_than_its_field_is_refused)
{
	build_mapping(true);
	building.bytes[8 + 8 + 24] = 21; // after the header, pid and tid, and three words
	assert_false(is_read(&side_layout));
}

TEST(a_path_without_an_end_is_refused)
{
	build_mapping(false);
	memset(building.bytes + 72, 'x', building.size - 24 - 72); // all of the path's room
	assert_false(is_read(&side_layout));
}

TEST(every_cut_of_a_mapping_is_refused)
{
	build_mapping(false);
	for (size_t size = 0; size < 72 + 24; size += 8) { // less than the fixed part and one word
		building.size = size;
		if (size >= sizeof(struct perf_event_header))
			end();
		assert_false(is_read(&side_layout));
	}
}

TEST(a_size_that_is_not_the_headers_is_refused)
{
	build_mapping(false);
	assert_false(perfring_parse(building.bytes, building.size - 8, &side_layout, &record));
	assert_false(perfring_parse(building.bytes, building.size + 8, &side_layout, &record));
}

TEST(fork_names_parent_and_child)
{
	begin(PERF_RECORD_FORK, 0);
	add_u32(200); // pid
	add_u32(100); // ppid
	add_u32(201); // tid
	add_u32(101); // ptid
	add_u64(5555);
	add_side(100, 101, 5556);
	end();
	assert_true(is_read(&side_layout));
	assert_int_equal(record.kind, PERFRING_FORK);
	assert_int_equal(record.pid, 200);
	assert_int_equal(record.tid, 201);
	assert_int_equal(record.fork.parent_pid, 100);
	assert_int_equal(record.fork.parent_tid, 101);
	assert_int_equal(record.time_ns, 5555);
}

TEST(exec_is_told_from_a_new_name)
{
	static const uint16_t miscs[] = { 0, PERF_RECORD_MISC_COMM_EXEC };

	for (size_t i = 0; i < 2; i++) {
		begin(PERF_RECORD_COMM, miscs[i]);
		add_u32(9);
		add_u32(10);
		add_text("clang");
		add_side(9, 10, 42);
		end();
		assert_true(is_read(&side_layout));
		assert_int_equal(record.kind, PERFRING_COMM);
		assert_string_equal(record.comm.name, "clang");
		assert_int_equal(record.comm.is_exec, i == 1);
		assert_int_equal(record.time_ns, 42);
	}
}

TEST(lost_records_are_counted)
{
	begin(PERF_RECORD_LOST, 0);
	add_u64(3);
	add_u64(1234);
	add_side(1, 1, 7);
	end();
	assert_true(is_read(&side_layout));
	assert_int_equal(record.kind, PERFRING_LOST);
	assert_int_equal(record.lost.count, 1234);
}

TEST(a_switch_says_which_way_and_why)
{
	static const uint16_t kinds[] = { 0, PERF_RECORD_MISC_SWITCH_OUT,
					  PERF_RECORD_MISC_SWITCH_OUT |
						  PERF_RECORD_MISC_SWITCH_OUT_PREEMPT };

	for (size_t i = 0; i < 3; i++) {
		begin(PERF_RECORD_SWITCH, kinds[i]);
		add_side(10, 11, 7);
		end();
		assert_true(is_read(&side_layout));
		assert_int_equal(record.kind, PERFRING_SWITCH);
		assert_int_equal(record.tid, 11);
		assert_int_equal(record.time_ns, 7);
		assert_int_equal(record.left.is_out, i > 0);
		assert_int_equal(record.left.is_preempted, i > 1);
	}
}

static const struct perfring_layout fault_layout = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
		       PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	.sample_id_all = true,
};

static void build_sample(uint64_t abi, uint64_t stack, uint64_t used)
{
	begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	add_u64(99);	   // identifier
	add_u64(0x401000); // ip
	add_u32(7);
	add_u32(8);
	add_u64(1000);
	add_u64(0x7ffe0000);
	add_u64(abi);
	// ax bx cx dx si di bp sp ip r8..r15, each its own number
	for (uint64_t i = 0; abi != PERF_SAMPLE_REGS_ABI_NONE && i < MACHINE_REGISTERS; i++)
		add_u64(0x100 + i);
	add_u64(stack);
	for (uint64_t i = 0; i < stack; i += 8)
		add_u64(0x5000 + i);
	if (stack > 0)
		add_u64(used);
	end();
}

TEST(a_sample_has_registers_in_dwarf_order)
{
	static const uint64_t expected[MACHINE_REGISTERS] = {
		0x100, 0x103, 0x102, 0x101, 0x104, 0x105, 0x106, 0x107, 0x109,
		0x10a, 0x10b, 0x10c, 0x10d, 0x10e, 0x10f, 0x110, 0x108,
	};

	build_sample(PERF_SAMPLE_REGS_ABI_64, 64, 40);
	assert_true(is_read(&fault_layout));
	assert_int_equal(record.kind, PERFRING_SAMPLE);
	assert_int_equal(record.id, 99);
	assert_int_equal(record.pid, 7);
	assert_int_equal(record.tid, 8);
	assert_int_equal(record.time_ns, 1000);
	assert_int_equal(record.sample.ip, 0x401000);
	assert_int_equal(record.sample.addr, 0x7ffe0000);
	assert_false(record.sample.in_kernel);
	assert_true(record.sample.has_registers);
	assert_false(record.sample.is_32bit);
	assert_memory_equal(record.sample.registers, expected, sizeof(expected));
	assert_int_equal(record.sample.stack_size, 40);

	uint64_t first;

	memcpy(&first, record.sample.stack, sizeof(first));
	assert_int_equal(first, 0x5000);
}

TEST(a_32_bit_sample_says_so)
{
	build_sample(PERF_SAMPLE_REGS_ABI_32, 8, 8);
	assert_true(is_read(&fault_layout));
	assert_true(record.sample.is_32bit);
}

TEST(a_sample_without_registers_and_stack_is_read)
{
	build_sample(PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	assert_true(is_read(&fault_layout));
	assert_false(record.sample.has_registers);
	assert_int_equal(record.sample.stack_size, 0);
	assert_null(record.sample.stack);
}

TEST(a_stack_larger_than_the_record_is_refused)
{
	size_t at;

	build_sample(PERF_SAMPLE_REGS_ABI_64, 64, 64);
	at = building.size - 8 - 64 - 8; // its size stands before bytes and used size
	for (int bit = 7; bit < 64; bit++) {
		uint64_t size = UINT64_C(1) << bit;

		memcpy(building.bytes + at, &size, sizeof(size));
		assert_false(is_read(&fault_layout));
	}

	build_sample(PERF_SAMPLE_REGS_ABI_64, 64, 65); // more used than there is
	assert_false(is_read(&fault_layout));
}

/** A ring in ordinary memory. */
static struct perfring fake_ring(struct perf_event_mmap_page *page, uint8_t *data, uint64_t size)
{
	return (struct perfring){ .page = page, .data = data, .size = size };
}

TEST(records_that_wrap_around_come_out_whole)
{
	static struct perf_event_mmap_page page;
	static uint8_t data[4096];
	uint64_t written = 0;

	begin(PERF_RECORD_LOST, 0);
	add_u64(3);
	add_u64(0);
	add_side(1, 1, 7);
	end(); // 48 bytes: 4096 is no multiple of it

	static struct perfring ring;

	page = (struct perf_event_mmap_page){ 0 };
	ring = fake_ring(&page, data, sizeof(data));
	for (uint64_t number = 0; number < 1000; number++) {
		memcpy(building.bytes + 16, &number, sizeof(number));
		for (size_t i = 0; i < building.size; i++)
			data[(written + i) % sizeof(data)] = building.bytes[i];
		written += building.size;
		page.data_head = written;

		perfring_begin(&ring);

		const struct perf_event_header *header = perfring_next(&ring);

		assert_non_null(header);
		assert_true(perfring_parse(header, header->size, &side_layout, &record));
		assert_int_equal(record.lost.count, number);
		assert_null(perfring_next(&ring));
		perfring_end(&ring);
		assert_int_equal(page.data_tail, written);
	}
}

TEST(a_record_longer_than_what_was_written_stops_the_ring)
{
	static struct perf_event_mmap_page page;
	static uint64_t data[512];
	static struct perfring ring;
	const struct perf_event_header sizes[] = {
		{ .type = PERF_RECORD_LOST, .size = 0 },
		{ .type = PERF_RECORD_LOST, .size = 4 },
		{ .type = PERF_RECORD_LOST, .size = 12 },
		{ .type = PERF_RECORD_LOST, .size = 72 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		page = (struct perf_event_mmap_page){ .data_head = 64 };
		memcpy(data, &sizes[i], sizeof(sizes[i]));
		ring = fake_ring(&page, (uint8_t *)data, sizeof(data));
		perfring_begin(&ring);
		assert_null(perfring_next(&ring));
		assert_true(ring.is_broken);
	}
}
