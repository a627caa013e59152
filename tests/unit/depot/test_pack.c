// SPDX-License-Identifier: Apache-2.0
// Packs: what is written comes back, and nothing that anyone changed or cut is believed.
#include "base/packheader.h"
#include "depot/pack.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

/** A pack in memory, and a file of it. */
struct sample {
	uint8_t *bytes;
	size_t size;
};

enum { FILE_BYTES = 20000, ZEROS = 1 << 16 };

static int file_of(const void *bytes, size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

static uint8_t byte_at(size_t i)
{
	return (uint8_t)(i * 7 + i / 256);
}

/** "/lib/a" with two ranges and a debug file, "/lib/zeros" whole, "/dev/x", which is no file. */
static struct sample sample_create(void)
{
	static uint8_t content[FILE_BYTES], zeros[ZEROS];
	const struct range parts[] = { { 0, 64 }, { 4096, 19000 } }, whole = { 0, ZEROS };
	CLEANUP(pack_list_deinit) struct pack_list list = { 0 };
	CLEANUP(fd_close) int trace = file_of("a trace", 7);
	CLEANUP(fd_close) int out_fd = memfd_create("pack", MFD_CLOEXEC);
	FILE *out = fdopen(dup(out_fd), "w+");
	struct err err;

	for (size_t i = 0; i < FILE_BYTES; i++)
		content[i] = byte_at(i);
	CLEANUP(fd_close) int file = file_of(content, FILE_BYTES);
	CLEANUP(fd_close) int zero_file = file_of(zeros, ZEROS);
	struct pack_item debug = {
		.path = "/lib/zeros",
		.status = { .st_mode = S_IFREG | 0644, .st_size = ZEROS },
		.fd = zero_file,
		.ranges = &whole,
		.range_count = 1,
	};
	struct pack_item item = {
		.path = "/lib/a",
		.status = { .st_mode = S_IFREG | 0755,
			    .st_size = FILE_BYTES,
			    .st_mtim = { 1700000000, 5 },
			    .st_ino = 9 },
		.fd = file,
		.build_id = (const uint8_t *)"\1\2",
		.build_id_size = 2,
		.ranges = parts,
		.range_count = 2,
	};
	const struct pack_item device = { .path = "/dev/x",
					  .status = { .st_mode = S_IFCHR },
					  .fd = -1 };

	item.debug = pack_list_add(&list, &debug);
	assert_int_equal(pack_list_add(&list, &item), 2);
	assert_int_equal(pack_list_add(&list, &item), 2); // once
	assert_int_equal(pack_list_add(&list, &device), 3);
	assert_non_null(out);
	assert_true(pack_write(out, "my.trace", trace, &list, &err));
	fclose(out);

	struct sample sample = { .size = (size_t)lseek(out_fd, 0, SEEK_END) };
	sample.bytes = xcalloc(sample.size, 1);
	assert_int_equal(pread(out_fd, sample.bytes, sample.size, 0), sample.size);
	return sample;
}

static struct pack *open_bytes(const void *bytes, size_t size, struct err *err)
{
	CLEANUP(fd_close) int fd = file_of(bytes, size);
	struct pack *pack = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return pack_open(path, &pack, err) ? pack : NULL;
}

TEST(what_is_packed_comes_back)
{
	struct sample sample = sample_create();
	CLEANUP(depot_file_deinit) struct depot_file found = { .fd = -1 };
	CLEANUP(depot_file_deinit) struct depot_file debug = { .fd = -1 };
	struct depot_file device;
	uint8_t bytes[FILE_BYTES];
	struct err err;

	CLEANUP(pack_closep) struct pack *pack = open_bytes(sample.bytes, sample.size, &err);
	if (!pack)
		fail_msg("%s", err.message);
	assert_true(pack_find(pack, "/lib/a", &found));
	assert_int_equal(found.status.st_size, FILE_BYTES);
	assert_int_equal(found.status.st_mtim.tv_sec, 1700000000);
	assert_int_equal(found.status.st_mtim.tv_nsec, 5);
	assert_int_equal(found.status.st_ino, 9);
	assert_int_equal(found.known_count, 2);
	assert_int_equal(pread(found.fd, bytes, sizeof(bytes), 0), FILE_BYTES);
	for (size_t i = 0; i < FILE_BYTES; i++)
		assert_int_equal(bytes[i], i < 64 || (i >= 4096 && i < 19000) ? byte_at(i) : 0);

	assert_true(pack_get(pack, found.debug - 1, &debug));
	assert_string_equal(debug.place, "/lib/zeros");
	assert_int_equal(lseek(debug.fd, 0, SEEK_END), ZEROS);
	assert_true(pack_find(pack, "/dev/x", &device));
	assert_int_equal(device.fd, -1);
	assert_string_equal(device.problem, "not a regular file");
	assert_false(pack_find(pack, "/lib/b", &device));
	free(sample.bytes);
}

TEST(every_prefix_and_every_flipped_byte_is_refused_with_its_place)
{
	struct sample sample = sample_create();
	struct err err;

	// Header and table byte by byte; of contents, which hashes cover whole, some.
	for (size_t i = 0; i < sample.size; i += i < 1000 ? 1 : 499) {
		assert_null(open_bytes(sample.bytes, i, &err));
		assert_non_null(strstr(err.message, "/proc/self/fd/"));
		sample.bytes[i] ^= 0x10;
		assert_null(open_bytes(sample.bytes, sample.size, &err));
		assert_true(strstr(err.message, "damaged pack: ") ||
			    strstr(err.message, "version") ||
			    strstr(err.message, "is not a packed trace"));
		sample.bytes[i] ^= 0x10;
	}
	free(sample.bytes);
}

/** Put right the hashes that changes of header and table break. */
static void repair(struct sample *sample)
{
	struct pack_header header;

	memcpy(&header, sample->bytes, sizeof(header));
	header.table_hash =
		XXH64(sample->bytes + sizeof(header), header.trace_offset - sizeof(header), 0);
	header.header_hash = XXH64(&header, offsetof(struct pack_header, header_hash), 0);
	memcpy(sample->bytes, &header, sizeof(header));
}

/** A pack whose entry @index was made @entry is refused for @reason. */
static void check_entry(struct sample *sample, uint32_t index, const struct pack_entry *entry,
			const char *reason)
{
	uint8_t *at = sample->bytes + sizeof(struct pack_header) + index * sizeof(*entry);
	struct pack_entry before;
	struct err err = { 0 };

	memcpy(&before, at, sizeof(before));
	memcpy(at, entry, sizeof(*entry));
	repair(sample);
	assert_null(open_bytes(sample->bytes, sample->size, &err));
	if (!strstr(err.message, reason))
		fail_msg("%s", err.message);
	memcpy(at, &before, sizeof(before));
	repair(sample);
}

TEST(a_table_that_makes_no_sense_is_refused)
{
	struct sample sample = sample_create();
	struct pack_entry entry, zeros;

	memcpy(&zeros, sample.bytes + sizeof(struct pack_header), sizeof(zeros));
	memcpy(&entry, sample.bytes + sizeof(struct pack_header) + sizeof(entry), sizeof(entry));
#define CHECK(index, from, field, value, reason)                \
	do {                                                    \
		struct pack_entry changed_ = from;              \
		changed_.field = value;                         \
		check_entry(&sample, index, &changed_, reason); \
	} while (0)
	CHECK(1, entry, path, 1, "entry 1: its path is not absolute");
	CHECK(1, entry, path, UINT32_MAX, "entry 1: its path is not absolute");
	CHECK(1, entry, first_range, 0, "entry 1: its ranges are not those that come next");
	CHECK(1, entry, range_count, UINT32_MAX, "entry 1: its ranges are not those");
	CHECK(1, entry, size, 18999, "entry 1: range 1 from 4096 to 19000 of a file of 18999");
	CHECK(1, entry, size, UINT64_MAX, "entry 1: makes no sense");
	CHECK(1, entry, content_size, entry.content_size + 1, "entry 1: ranges of 14968 bytes");
	CHECK(1, entry, debug, 4, "entry 1: makes no sense");
	CHECK(1, entry, shared, UINT32_MAX, "entry 1: makes no sense");
	CHECK(1, entry, flags, 2, "entry 1: makes no sense");
	CHECK(1, entry, flags, 0, "entry 1: 14968 bytes of content, stored in");
	CHECK(1, entry, build_id_size, 65, "entry 1: makes no sense");
	CHECK(1, entry, mode, S_IFIFO, "entry 1: makes no sense");
	CHECK(1, entry, stored_offset, 0, "entry 1: stored at 0 and not at");
	CHECK(1, entry, stored_size, UINT64_MAX, "entry 1: stored at");
	free(sample.bytes);
}

TEST(content_that_grows_without_measure_is_stored_as_it_is)
{
	struct sample sample = sample_create();
	struct pack_entry zeros;

	memcpy(&zeros, sample.bytes + sizeof(struct pack_header), sizeof(zeros));
	assert_int_equal(zeros.flags, 0);
	assert_int_equal(zeros.stored_size, ZEROS);
	free(sample.bytes);
}
