// SPDX-License-Identifier: Apache-2.0
// Bytes of storage under their cause and their file, on traces written as text.
#include "base/cleanup.h"
#include "model/storage.h"
#include "trace/private.h"
#include "tests/support/answers.h"

#define HEAD                                                                               \
	"elfault-trace-text 1\n"                                                           \
	"meta arg=\"prog\" backend=\"bpf\" machine=\"x86_64\" page_size=4096 root_pid=10 " \
	"start=1000 reads=yes storage=yes\n"                                               \
	"exec pid=10 tid=10 time=1000 comm=\"prog\"\n"                                     \
	"file id=1 device=7:0 inode=12 size=81920\n"                                       \
	"map pid=10 tid=10 time=2000 addr=0x10000 size=0x14000 prot=r--p path=\"/no/a\" file=1\n"

/** A request of 4 KiB on device 7:0. */
#define REQUEST(time, rest) \
	"request time=" #time " duration=100 device=7:0 sector=8 size=4096 " rest "\n"

static void assert_causes(const struct model *model, uint64_t fault, uint64_t readahead,
			  uint64_t read, uint64_t exec, uint64_t metadata, uint64_t others)
{
	const uint64_t expected[MODEL_STORAGE_CAUSES] = { fault, readahead, read,
							  exec,	 metadata,  others };
	uint64_t sum = 0;

	assert_non_null(model->storage);
	for (size_t i = 0; i < MODEL_STORAGE_CAUSES; i++) {
		assert_int_equal(model->storage->by_cause[i], expected[i] * 4096);
		sum += expected[i] * 4096;
	}
	assert_int_equal(model->storage->device_bytes, sum);
}

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(a_trace_without_requests_has_no_storage)
{
	answer_text("elfault-trace-text 1\nmeta page_size=4096\n"
		    "summary\n",
		    NULL);
	assert_null(model->storage);
}

TEST(each_request_has_one_cause)
{
	answer_text(
		HEAD REQUEST(3000, "file_device=7:0 inode=12 offset=0x0 flags=fault,file") REQUEST(
			3001, "file_device=7:0 inode=12 offset=0x1000 flags=fault,async,file")
			REQUEST(3002, "file_device=7:0 inode=13 call=0 flags=call,file") REQUEST(
				3003, "file_device=7:0 inode=13 flags=exec,file")
				REQUEST(3004, "call=0 flags=call,metadata") REQUEST(
					3005, "call=4 flags=call") REQUEST(3006, "pid=0")
					REQUEST(3007,
						"pid=0 "
						"flags=metadata") "device device=7:0 "
								  "name=\"loop0\" least=32768 "
								  "most=36864\nsummary\n",
		NULL);
	assert_causes(model, 1, 1, 1, 1, 2, 2);
	assert_true(model->storage->complete);
	assert_int_equal(model->storage->requests, 8);
	assert_int_equal(model->storage->device_count, 1);
	assert_string_equal(model->storage->devices[0].name, "loop0");
	assert_int_equal(model->storage->call_count, 2);
	assert_string_equal(model->storage->calls[0].name, "read");
	assert_int_equal(model->storage->calls[0].bytes, 8192);
	assert_int_equal(model->storage->calls[0].metadata, 4096);
	assert_string_equal(model->storage->calls[1].name, "stat");
}

TEST(a_request_of_the_kernels_own_thread_is_whose_pages_it_reads)
{
	answer_text(
		HEAD
		"read time=2990 device=7:0 inode=12 offset=0x0 size=0x2000 flags=fault,file\n"
		"read time=2995 device=7:0 inode=12 offset=0x2000 size=0x1000 "
		"flags=fault,async,file\n" REQUEST(
			3000, "pid=0 file_device=7:0 inode=12 offset=0x1000 flags=file")
			REQUEST(3001, "pid=0 file_device=7:0 inode=12 offset=0x2000 flags=file")
		// Nobody asked for these: the next page, and the same before it was asked for.
		REQUEST(3002, "pid=0 file_device=7:0 inode=12 offset=0x3000 flags=file") REQUEST(
			2900, "pid=0 file_device=7:0 inode=12 offset=0x0 flags=file") "summary\n",
		NULL);
	assert_causes(model, 1, 1, 0, 0, 0, 2);
}

TEST(a_part_counts_for_its_own_file)
{
	answer_text(HEAD "path device=7:0 inode=13 size=4096 path=\"/no/b\"\n" REQUEST(
			    3000, "file_device=7:0 inode=12 offset=0x1000 flags=fault,file")
			    REQUEST(3000,
				    "file_device=7:0 inode=13 offset=0x0 "
				    "flags=fault,file,continues") "fault pid=10 tid=10 time=3500 "
								  "addr=0x10010 ip=0x1 error=user\n"
								  "summary\n",
		    NULL);
	const struct model_storage *storage = model->storage;

	assert_causes(model, 2, 0, 0, 0, 0, 0);
	assert_int_equal(storage->requests, 1);
	assert_int_equal(storage->median_size, 8192);
	assert_int_equal(storage->file_count, 2);
	assert_string_equal(storage->files[0].path, "/no/a");
	assert_int_not_equal(storage->files[0].object, MODEL_NONE);
	assert_int_equal(storage->files[0].wait_ns, 100);
	assert_string_equal(storage->files[1].path, "/no/b");
	assert_int_equal(storage->files[1].object, MODEL_NONE);
	assert_int_equal(storage->files[1].size, 4096);
}

TEST(read_mapped_and_touched_are_counted_by_page)
{
	answer_text(HEAD
		    "fault pid=10 tid=10 time=3500 addr=0x12010 ip=0x1 error=user "
		    "around_offset=0x1000 around_pages=3\n"
		    "request time=3501 device=7:0 sector=8 size=49152 file_device=7:0 inode=12 "
		    "offset=0x2000 flags=fault,file\n"
		    "request time=3502 device=7:0 sector=8 size=8192 file_device=7:0 inode=12 "
		    "offset=0x2000 flags=fault,file\n"
		    "summary\n",
		    NULL);
	const struct model_storage_file *file = &model->storage->files[0];

	assert_int_equal(file->bytes, 57344);
	assert_int_equal(file->read, 49152);
	assert_int_equal(file->mapped, 3 * 4096);
	assert_int_equal(file->touched, 4096);
	assert_int_equal(file->unused, 10 * 4096);
	assert_int_equal(model->storage->section_count, 1);
	assert_null(model->storage->sections[0].section);
	assert_int_equal(model->storage->sections[0].size, 81920);
	assert_int_equal(model->storage->sections[0].read, 49152);
}

TEST(what_the_kernel_counted_beside_is_said)
{
	answer_text(HEAD REQUEST(3000, "flags=fault") "device device=7:0 name=\"loop0\" "
						      "least=8192 most=12288\nsummary\n",
		    NULL);
	assert_false(model->storage->complete);
	assert_int_equal(model->notes.list.count, 1);
	assert_string_equal(model->notes.list.items[0].text,
			    "loop0 read 4096 bytes by its requests, but the kernel counted at "
			    "least 8192");
}

TEST(requests_after_the_end_are_none_of_the_kernels_count)
{
	CLEANUP(trace_closep)
	struct trace *trace =
		read_text(HEAD REQUEST(3000, "flags=fault") REQUEST(6000, "flags=fault") REQUEST(
			7000,
			"flags=fault") "device device=7:0 name=\"loop0\" least=12288 most=16384\n"
				       "mark time=5000 name=\"end\" condition=\"5s\" "
				       "recording=ends\n"
				       "summary\n");

	trace_cut_at_end(trace);
	assert_int_equal(trace->requests.count, 1);
	assert_int_equal(trace->devices.items[0].least, 4096);
	assert_int_equal(trace->devices.items[0].most, 8192);
}

TEST(a_file_of_a_file_system_above_is_found_by_its_fault)
{
	answer_text(HEAD
		    "fault pid=10 tid=10 time=3000 duration=900 addr=0x12010 ip=0x1 error=user "
		    "read_offset=0x2000 read_pages=1\n"
		    "read time=3100 device=8:1 inode=77 offset=0x2000 size=0x1000 "
		    "flags=fault,file\n" REQUEST(
			    3200,
			    "file_device=8:1 inode=77 offset=0x2000 flags=fault,file") "summary\n",
		    NULL);
	assert_int_equal(model->storage->file_count, 1);
	assert_string_equal(model->storage->files[0].path, "/no/a");
}

TEST(steps_are_those_of_the_commands_own_requests)
{
#define AT(time, sector_text, flags_text) \
	"request time=" #time " device=7:0 sector=" sector_text " size=4096 " flags_text "\n"
	answer_text(HEAD AT(3000, "10000", "flags=fault") AT(3001, "900000", "pid=0")
			    AT(3002, "10008", "flags=fault") AT(3003, "10000", "flags=fault")
				    AT(3004, "500000", "flags=fault") "summary\n",
		    NULL);
#undef AT

	assert_int_equal(model->storage->forward, 1);
	assert_int_equal(model->storage->backward, 1);
	assert_int_equal(model->storage->random, 1);
}

/** Return the bytes read for code that the rules know: exec; other initiators need ELF files. */
static uint64_t bytes_for(const struct model *model, enum model_storage_cause cause,
			  enum model_initiator initiator)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < model->storage->part_count; i++)
		if (model->storage->parts[i].cause == cause &&
		    model->storage->parts[i].initiator == initiator)
			bytes += model->storage->parts[i].bytes;
	return bytes;
}

TEST(what_asked_is_the_fault_or_the_code_of_the_call)
{
	// Faults of the kernel within exec have its initiator, which the others lack.
	answer_text(
		HEAD
		"fault pid=10 tid=10 time=3000 duration=500 addr=0x12010 "
		"kind=major error=write\n" REQUEST(3100, "file_device=7:0 inode=12 offset=0x2000 "
							 "flags=fault,file")
		// After its end; of another thread; in execve.
		REQUEST(3501, "file_device=7:0 inode=12 offset=0x3000 flags=fault,file") REQUEST(
			3100, "tid=11 file_device=7:0 inode=12 offset=0x4000 flags=fault,file")
			REQUEST(3600, "flags=exec") REQUEST(3700, "pid=0") "summary\n",
		NULL);
	const struct model_storage *storage = model->storage;
	uint64_t sum = 0;

	for (size_t i = 0; i < storage->part_count; i++)
		sum += storage->parts[i].bytes;
	assert_int_equal(sum, storage->device_bytes);
	assert_int_equal(bytes_for(model, MODEL_STORAGE_FAULT, model->faults[0].initiator),
			 model->faults[0].initiator == MODEL_INITIATOR_UNKNOWN ? 12288 : 4096);
	assert_int_not_equal(model->faults[0].initiator, MODEL_INITIATOR_UNKNOWN);
	assert_int_equal(bytes_for(model, MODEL_STORAGE_FAULT, MODEL_INITIATOR_UNKNOWN), 8192);
	assert_int_equal(bytes_for(model, MODEL_STORAGE_EXEC, MODEL_EXEC), 4096);
	assert_int_equal(bytes_for(model, MODEL_STORAGE_OTHERS, MODEL_INITIATOR_UNKNOWN), 4096);
	assert_int_equal(storage->by_initiator[MODEL_INITIATOR_UNKNOWN], 8192);
}
