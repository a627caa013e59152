// SPDX-License-Identifier: Apache-2.0
// Operations of storage, on traces written as text.
#include "base/cleanup.h"
#include "model/filter.h"
#include "model/iosum.h"
#include "model/needs.h"
#include "model/pivot.h"
#include "tests/support/answers.h"

#include <string.h>

#define EVENTS                                                                              \
	"elfault-trace-text 1\n"                                                            \
	"meta arg=\"prog\" backend=\"bpf\" machine=\"x86_64\" page_size=4096 root_pid=10 "  \
	"start=1000 reads=yes storage=yes\n"                                                \
	"exec pid=10 tid=10 time=1000 comm=\"prog\"\n"                                      \
	"file id=1 device=7:0 inode=12 size=8388608\n"                                      \
	"path device=7:0 inode=13 size=4096 path=\"/no/b\"\n"                               \
	"map pid=10 tid=10 time=2000 addr=0x100000 size=0x800000 prot=r--p path=\"/no/a\" " \
	"file=1\n"                                                                          \
	"fault pid=10 tid=10 time=2500 duration=10 addr=0x100010 ip=0x1 error=user\n"       \
	"fault pid=10 tid=10 time=3000 duration=1000 addr=0x102010 ip=0x1 kind=major "      \
	"error=user read_offset=0x2000 read_pages=8\n"                                      \
	"request time=3100 duration=500 device=7:0 sector=8 size=16384 file_device=7:0 "    \
	"inode=12 offset=0x2000 flags=fault,file\n"                                         \
	"request time=3200 duration=700 device=7:0 sector=40 size=16384 file_device=7:0 "   \
	"inode=12 offset=0x6000 flags=fault,async,file\n"                                   \
	"request time=5000 duration=100 device=7:0 sector=8 size=4096 file_device=7:0 "     \
	"inode=12 offset=0x1000 call=0 flags=call,file\n"                                   \
	"request time=5000 duration=100 device=7:0 sector=16 size=4096 file_device=7:0 "    \
	"inode=13 offset=0x0 call=0 flags=call,file,continues\n"                            \
	"request time=6000 duration=100 device=7:0 sector=9000 size=4096 file_device=7:0 "  \
	"inode=12 offset=0x700000 flags=exec,file\n"                                        \
	"request time=6500 duration=50 pid=0 device=7:0 sector=90 size=512\n"

#define TRACE EVENTS "summary\n"

// A second request in the midst of it; sync(), which did not wait, as the one behind it did; and
// posix_fadvise(), which writes nothing.
#define FLUSHES                                                                                 \
	EVENTS                                                                                  \
	"pause pid=10 tid=10 time=7100 woken=7400 back=7450 call=75 for=storage\n"              \
	"request time=7200 duration=50 device=7:0 sector=8 size=4096 file_device=7:0 inode=12 " \
	"offset=0x1000 call=0 flags=call,file\n"                                                \
	"pause pid=10 tid=10 time=7450 woken=7500 back=7550 call=75 for=storage\n"              \
	"flush pid=10 tid=10 time=7600 duration=600 call=75 device=7:0 inode=13\n"              \
	"flush pid=10 tid=10 time=7700 duration=50 call=162\n"                                  \
	"flush pid=10 tid=10 time=7800 duration=50 call=221 device=7:0 inode=13\n"              \
	"pause pid=10 tid=10 time=7850 woken=7880 back=7890 call=162\n"                         \
	"summary\n"

CLEANUP_POINTER(filter_destroy, struct filter)

static struct model *answer_where(const char *condition)
{
	CLEANUP(filter_destroyp) struct filter *filter = condition ? filter_create() : NULL;
	struct err err;

	if (condition)
		assert_true(filter_add(filter, condition, &err));
	return correlate_text(TRACE, &(struct correlate_options){ .needs = NEED_TABLES | NEED_IO,
								  .filter = filter });
}

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(operations_add_up_to_storage)
{
	CLEANUP(model_closep) struct model *model = answer_where(NULL);
	const struct model_storage *storage = model->storage;
	uint64_t bytes = 0, causes[MODEL_STORAGE_CAUSES] = { 0 }, waits = 0;

	assert_int_equal(model->ios->count, 6);
	vec_foreach (io, model->ios) {
		bytes += io->bytes;
		causes[io->cause] += io->bytes;
		waits += io->wait_ns;
	}
	assert_int_equal(bytes, storage->device_bytes);
	assert_memory_equal(causes, storage->by_cause, sizeof(causes));
	assert_int_equal(waits, storage->files[0].wait_ns + storage->files[1].wait_ns);
	assert_int_equal(model->ios->items[5].request + 1, storage->requests);
}

TEST(sums_by_fields_add_up)
{
	CLEANUP(model_closep) struct model *model = answer_where(NULL);
	struct pivot_fields fields;
	struct err err;
	uint64_t bytes = 0, waits = 0;

	assert_true(pivot_fields_parse("cause,object", &fields, &err));
	CLEANUP(pivot_destroyp) struct pivot *pivot = pivot_create_io(model, &fields);

	assert_true(pivot->is_of_io);
	for (size_t i = 0; i < pivot->row_count; i++) {
		const struct pivot_row *row = &pivot->rows[i];

		bytes += row->io.bytes;
		waits += row->io.wait_ns;
		assert_true(i == 0 || row->io.wait_ns <= row[-1].io.wait_ns);
	}
	assert_int_equal(bytes, model->storage->device_bytes);
	assert_int_equal(bytes, pivot->io_total.bytes);
	assert_int_equal(waits, pivot->io_total.wait_ns);
	assert_int_equal(pivot->io_total.requests, model->storage->requests);
	assert_int_equal(pivot->io_total.operations, model->ios->count);
	// A file that was never mapped has its name.
	bool is_named = false;
	for (size_t i = 0; i < pivot->axes[1].value_count; i++)
		is_named |= pivot->axes[1].values[i].name &&
			    strcmp(pivot->axes[1].values[i].name, "/no/b") == 0;
	assert_true(is_named);
}

TEST(parts_of_one_request_have_its_number)
{
	CLEANUP(model_closep) struct model *model = answer_where(NULL);
	const struct model_io *io = model->ios->items;

	assert_int_equal(io[2].request, io[3].request);
	assert_int_equal(io[3].request + 1, io[4].request);
}

TEST(read_ahead_names_the_fault_that_started_it)
{
	CLEANUP(model_closep) struct model *model = answer_where(NULL);
	const struct model_io *io = model->ios->items;
	size_t count;

	for (size_t i = 0; i < 2; i++) {
		assert_true(io[i].has_fault);
		assert_int_equal(io[i].fault_seq, 1);
		assert_int_equal(io[i].fault_ns, 2000);
		assert_int_equal(io[i].at_fault.offset, 0x2010);
	}
	assert_int_equal(io[0].wait_ns, 500);
	assert_int_equal(io[1].cause, MODEL_STORAGE_READAHEAD);
	assert_int_equal(io[1].wait_ns, 0);
	assert_false(io[2].has_fault);
	const uint32_t *list = model_ios_of_fault(model->ios, &model->faults[1], &count);

	assert_int_equal(count, 2);
	assert_int_equal(list[0], 0);
	assert_int_equal(list[1], 1);
	model_ios_of_fault(model->ios, &model->faults[0], &count);
	assert_int_equal(count, 0);
}

TEST(only_pages_that_were_read_count_as_touched)
{
	CLEANUP(model_closep) struct model *model = answer_where(NULL);
	const struct model_io *io = model->ios->items;

	assert_true(io[0].has_uses);
	assert_int_equal(io[0].touched, 4096);
	assert_int_equal(io[1].touched, 0);
	assert_false(io[3].has_uses); // never mapped
}

TEST(direction_is_from_the_operation_before_in_the_file)
{
	CLEANUP(model_closep) struct model *model = answer_where(NULL);
	const struct model_io *io = model->ios->items;

	assert_int_equal(io[0].direction, MODEL_DIRECTION_NONE);
	assert_int_equal(io[1].direction, MODEL_DIRECTION_FORWARD);
	assert_int_equal(io[2].direction, MODEL_DIRECTION_BACKWARD);
	assert_int_equal(io[3].direction, MODEL_DIRECTION_NONE);
	assert_int_equal(io[4].direction, MODEL_DIRECTION_RANDOM);
	assert_int_equal(io[5].direction, MODEL_DIRECTION_NONE);
}

TEST(files_that_were_never_mapped_have_a_name)
{
	CLEANUP(model_closep) struct model *model = answer_where(NULL);
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = model_io_view(model, &arena);
	const struct model_io *io = model->ios->items;

	assert_string_equal(view.objects[io[0].what.at.object].path, "/no/a");
	assert_string_equal(view.objects[io[3].what.at.object].path, "/no/b");
	assert_int_equal(io[5].what.at.object, MODEL_NONE);
	assert_int_equal(view.threads[io[4].what.thread].tid, 10);
	assert_int_equal(view.threads[io[5].what.thread].tid, MODEL_NONE);
	assert_string_equal(model->ios->calls[io[2].call], "read");
}

/** Assert that @condition leaves the operations whose letters @expected has: a is the first. */
static void assert_left(const char *condition, const char *expected)
{
	CLEANUP(model_closep) struct model *model = answer_where(condition);
	char left[8] = "", *at = left;

	for (size_t i = 0; i < model->ios->count; i++)
		if (!model->ios->items[i].is_left_out)
			*at++ = (char)('a' + i);
	*at = '\0';
	assert_string_equal(left, expected);
}

TEST(conditions_select_operations)
{
	assert_left("cause=readahead", "b");
	assert_left("call=read", "cd");
	assert_left("call=null,initiator=exec", "e");
	assert_left("direction=backward|random", "ce");
	assert_left("object=b", "d");
	assert_left("tid=10,object=a", "abce");
	assert_left("pid=null", "f");
}

TEST(flushes_are_operations_without_bytes)
{
	answer_text(FLUSHES, &(struct correlate_options){ .needs = NEED_TABLES | NEED_IO });
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = model_io_view(model, &arena);
	const struct model_io *io = &model->ios->items[6], *sync = &io[2];
	const struct iosum sum = iosum_of(model);

	assert_int_equal(model->ios->count, 9);
	assert_int_equal(io->cause, MODEL_STORAGE_FLUSH);
	assert_string_equal(model->ios->calls[io->call], "fdatasync");
	assert_string_equal(view.objects[io->what.at.object].path, "/no/b");
	assert_int_equal(io->what.time_ns, 6000);
	assert_int_equal(io->what.duration_ns, 600);
	assert_int_equal(io->wait_ns, 300 + 50);
	assert_int_equal(io->direction, MODEL_DIRECTION_NONE);
	assert_int_equal(io[1].cause, MODEL_STORAGE_READ);
	assert_int_equal(io[1].request, io[-1].request + 1);
	assert_string_equal(model->ios->calls[sync->call], "sync");
	assert_int_equal(sync->what.at.object, MODEL_NONE);
	assert_int_equal(sync->wait_ns, 0);
	assert_int_equal(sum.flushes, 2);
	assert_int_equal(sum.requests, model->storage->requests);
	assert_int_equal(sum.bytes, model->storage->device_bytes);
	assert_int_equal(model->storage->flushes, 2);
	assert_int_equal(model->storage->flush_ns, 350);
}

// A journal is deleted and created anew; both were written while somebody waited.
TEST(files_that_follow_each_other_under_a_path_are_one)
{
	answer_text(EVENTS
		    "path device=7:0 inode=20 path=\"/no/journal\" size=512\n"
		    "path device=7:0 inode=21 path=\"/no/journal\" size=1024\n"
		    "path device=7:0 inode=22 path=\"/no/other\"\n"
		    "flush pid=10 tid=10 time=7600 duration=100 call=75 device=7:0 inode=20\n"
		    "flush pid=10 tid=10 time=7800 duration=100 call=75 device=7:0 inode=21\n"
		    "flush pid=10 tid=10 time=8000 duration=100 call=75 device=7:0 inode=22\n"
		    "summary\n",
		    &(struct correlate_options){ .needs = NEED_TABLES | NEED_IO });
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = model_io_view(model, &arena);
	const struct model_io *io = &model->ios->items[6];

	assert_int_equal(model->ios->count, 9);
	assert_string_equal(view.objects[io[0].what.at.object].path, "/no/journal");
	assert_int_equal(io[1].what.at.object, io[0].what.at.object);
	assert_string_equal(view.objects[io[2].what.at.object].path, "/no/other");
}
