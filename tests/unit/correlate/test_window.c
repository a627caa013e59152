// SPDX-License-Identifier: Apache-2.0
// Windows of a recording: what is counted in them, and that those on both sides of any moment add
// up to the whole.
#include "tests/support/answers.h"

#include "base/strbuf.h"
#include "model/account.h"
#include "model/io.h"
#include "model/moments.h"
#include "model/storage.h"
#include "model/waits.h"

#include <inttypes.h>

enum { NEEDS = NEED_TABLES | NEED_SOURCES | NEED_MOMENTS | NEED_IO };

/** Of the trace at @path; @from and @until: NULL or durations. */
static struct model *model_of(const char *path, const char *from, const char *until)
{
	CLEANUP(trace_closep) struct trace *trace = read_trace(path);
	const struct correlate_options options = { .needs = NEEDS, .from = from, .until = until };
	struct model *model = NULL;
	struct err err = { 0 };

	if (!correlate(trace, &options, &model, &err))
		fail_msg("%s", err.message);
	return model;
}

#define ASSERT_SUM(member)                                                                 \
	if (first->member + second->member != whole->member)                               \
	fail_msg("%s: %s at %s: %" PRIu64 " + %" PRIu64 " != %" PRIu64, path, #member, at, \
		 (uint64_t)first->member, (uint64_t)second->member, (uint64_t)whole->member)

static void assert_times(const char *path, const char *at, const char *what,
			 const struct model_times *first, const struct model_times *second,
			 const struct model_times *whole)
{
	for (enum model_state i = 0; i < MODEL_STATES; i++)
		if (first->ns[i] + second->ns[i] != whole->ns[i])
			fail_msg("%s: %s %s at %s: %" PRIu64 " + %" PRIu64 " != %" PRIu64, path,
				 what, model_state_name(i), at, first->ns[i], second->ns[i],
				 whole->ns[i]);
}

static void assert_account(const char *path, const char *at, const struct model_account *first,
			   const struct model_account *second, const struct model_account *whole)
{
	ASSERT_SUM(wall_ns);
	ASSERT_SUM(samples);
	assert_times(path, at, "main", &first->main, &second->main, &whole->main);
	assert_times(path, at, "all", &first->all, &second->all, &whole->all);
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		assert_times(path, at, model_initiator_name(i), &first->by_initiator[i],
			     &second->by_initiator[i], &whole->by_initiator[i]);
		assert_times(path, at, model_initiator_name(i), &first->main_by_initiator[i],
			     &second->main_by_initiator[i], &whole->main_by_initiator[i]);
	}
	for (enum model_wait i = 0; i < MODEL_WAITS; i++) {
		ASSERT_SUM(waiting->all.wait_ns[i]);
		ASSERT_SUM(waiting->all.file_io_ns[i]);
	}
	assert_int_equal(first->process_count, whole->process_count);
	for (size_t i = 0; i < whole->process_count; i++)
		assert_times(path, at, "process", &first->processes[i].all,
			     &second->processes[i].all, &whole->processes[i].all);
}

static void assert_storage(const char *path, const char *at, const struct model_storage *first,
			   const struct model_storage *second, const struct model_storage *whole)
{
	ASSERT_SUM(device_bytes);
	ASSERT_SUM(requests);
	ASSERT_SUM(other_requests);
	ASSERT_SUM(request_ns);
	ASSERT_SUM(forward);
	ASSERT_SUM(backward);
	ASSERT_SUM(random);
	for (size_t i = 0; i < MODEL_STORAGE_CAUSES; i++)
		ASSERT_SUM(by_cause[i]);
	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		ASSERT_SUM(by_initiator[i]);
}

/** The states of a window add up to it, as those of the run do, and its moments to its states. */
static void assert_within(const struct model *model)
{
	const struct model_account *account = model->account;
	uint64_t cpu = 0, waits = 0, unplaced = 0, spots = 0;

	assert_int_equal(model_times_sum(&account->main), account->wall_ns);
	assert_true(account->wall_ns <= model->window.until_ns - model->window.from_ns);
	array_foreach (moment, model->moments->items, model->moments->count) {
		assert_true(moment->time_ns >= model->window.from_ns);
		assert_true(moment->back_ns <= model->window.until_ns);
		if (moment->is_sample) {
			cpu += moment->ns;
		} else if (model_state_waits(moment->state)) {
			waits += moment->ns;
			unplaced += moment->thread == MODEL_NONE ? moment->ns : 0;
		}
	}
	assert_int_equal(cpu + model->moments->unsampled_ns, account->all.ns[MODEL_STATE_CPU]);
	assert_int_equal(unplaced, model->moments->unplaced_ns);
	assert_int_equal(waits,
			 account->all.ns[MODEL_STATE_WAIT] + account->all.ns[MODEL_STATE_FILE_IO]);
	array_foreach (spot, account->spots, account->spot_count)
		spots += spot->state == MODEL_STATE_CPU ? spot->ns : 0;
	assert_int_equal(spots, account->all.ns[MODEL_STATE_CPU]);
	if (account->critical) {
		uint64_t critical = 0;

		array_foreach (part, account->critical->parts, account->critical->part_count)
			critical += model_times_sum(&part->times);
		assert_int_equal(critical, account->wall_ns);
	}
}

static void assert_sums(const char *path, const char *at, const struct model *whole)
{
	struct model *first = model_of(path, NULL, at), *second = model_of(path, at, NULL);

	ASSERT_SUM(counts.recorded);
	ASSERT_SUM(counts.attributed);
	ASSERT_SUM(counts.minor);
	ASSERT_SUM(counts.major);
	ASSERT_SUM(counts.in_elf);
	ASSERT_SUM(counts.read_bytes);
	ASSERT_SUM(counts.read_again_bytes);
	ASSERT_SUM(counts.without_stack);
	ASSERT_SUM(counts.call_unsampled);
	ASSERT_SUM(total.faults);
	ASSERT_SUM(total.own_ns);
	ASSERT_SUM(fault_count);
	assert_int_equal(first->object_count, whole->object_count);
	for (size_t o = 0; o < whole->object_count; o++)
		for (size_t i = 0; i < MODEL_INITIATORS; i++)
			ASSERT_SUM(objects[o].by_initiator[i]);
	for (size_t i = 0; i < whole->fault_count; i++) {
		const struct model_fault *fault = i < first->fault_count
							  ? &first->faults[i]
							  : &second->faults[i - first->fault_count];

		assert_int_equal(fault->time_ns, whole->faults[i].time_ns);
		assert_int_equal(fault->initiator, whole->faults[i].initiator);
		assert_int_equal(fault->mechanism, whole->faults[i].mechanism);
	}
	if (whole->account) {
		assert_account(path, at, first->account, second->account, whole->account);
		assert_within(first);
		assert_within(second);
	}
	if (whole->storage)
		assert_storage(path, at, first->storage, second->storage, whole->storage);
	if (whole->ios)
		ASSERT_SUM(ios->count);
	assert_null(first->trace.plain);
	assert_false(first->counts.has_rusage);
	model_close(first);
	model_close(second);
}

static uint64_t seed;

static uint64_t random_below(uint64_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % limit;
}

static void cut_at_random(const char *path, unsigned cuts)
{
	CLEANUP(model_closep) struct model *whole = model_of(path, NULL, NULL);

	for (unsigned i = 0; i < cuts && whole->trace.duration_ns > 2; i++) {
		char at[32];

		snprintf(at, sizeof(at), "%" PRIu64 "ns",
			 1 + random_below(whole->trace.duration_ns - 1));
		assert_sums(path, at, whole);
	}
}

TEST(both_sides_of_any_moment_add_up)
{
	static const char *const traces[] = { "time",	   "time-user", "time-slower",	"waits",
					      "start",	   "storage",	"storage-more", "busy",
					      "busy-disk", "prefault",	"restart",	"small" };

	seed = 20261127;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/traces/%s.txt", FIXTURES, traces[i]);
		cut_at_random(path, 40);
	}
}

/** Add what thread @tid of process 10 does from @time_ns on; some of it overlaps. */
static void make_thread(struct strbuf *text, unsigned tid, uint64_t time_ns)
{
	for (unsigned i = 0; i < 60; i++) {
		const uint64_t length = 1 + random_below(4000);

		time_ns += random_below(3000);
		switch (random_below(4)) {
		case 0:
			strbuf_printf(text,
				      "fault time=%" PRIu64 " pid=10 tid=%u addr=0x1000 ip=0x2000 "
				      "duration=%" PRIu64 "\n",
				      time_ns, tid, length);
			break;
		case 1:
			strbuf_printf(text,
				      "pause time=%" PRIu64 " pid=10 tid=%u woken=%" PRIu64
				      " back=%" PRIu64 " waker_pid=10 waker_tid=%" PRIu64 " %s\n",
				      time_ns, tid, time_ns + random_below(length + 1),
				      time_ns + length, 10 + random_below(3),
				      random_below(2) ? "for=storage" : "call=202");
			time_ns += random_below(2) ? length : 0;
			break;
		case 2:
			strbuf_printf(text,
				      "sample time=%" PRIu64 " pid=10 tid=%u period=%" PRIu64 "\n",
				      time_ns, tid, random_below(1000));
			break;
		default:
			strbuf_printf(text,
				      "call time=%" PRIu64 " pid=10 tid=%u call=1 count=%" PRIu64
				      " duration=100\n",
				      time_ns, tid, random_below(9));
		}
	}
	strbuf_printf(text, "pause time=%" PRIu64 " pid=10 tid=%u ends=thread\n", time_ns, tid);
}

TEST(made_up_lives_add_up)
{
	seed = 42;
	for (unsigned i = 0; i < 30; i++) {
		CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

		strbuf_puts(&text, "elfault-trace-text 1\n"
				   "meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd "
				   "samples=yes calls=yes costs=yes cost_fault=30 "
				   "cost_fault_within=20 cost_sample=100 cost_call=7 cost_pause=11 "
				   "cost_mapping=13\n"
				   "exec time=2000 pid=10 comm=cmd\n"
				   "fork time=9000 pid=10 tid=11 parent_pid=10\n"
				   "fork time=19000 pid=10 tid=12 parent_pid=10\n");
		for (unsigned tid = 10; tid < 13; tid++)
			make_thread(&text, tid, 2000 + 10000 * (tid - 10));
		strbuf_puts(&text, "summary end=200000\n");

		struct memory_file file = memory_file_create(text.text, text.length);

		cut_at_random(file.path, 40);
		close(file.fd);
	}
}

#define TRACE                                                          \
	"elfault-trace-text 1\n"                                       \
	"meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd\n" \
	"exec time=2000 pid=10 comm=cmd\n"                             \
	"fault time=3000 addr=0x1000 duration=500\n"                   \
	"fault time=4000 addr=0x1000 duration=900 kind=major\n"        \
	"pause time=4100 woken=4600 back=4700 in=fault for=storage\n"  \
	"pause time=6000 woken=6070 back=6077 call=202\n"              \
	"pause time=9000 ends=thread\n"                                \
	"summary end=9999 rusage_minor=1 rusage_major=1\n"

TEST(parts_of_lives_that_cross_an_edge_count)
{
	const struct correlate_options options = { .needs = NEEDS,
						   .from = "3.3us",
						   .until = "5.05us" };
	CLEANUP(model_closep) struct model *model = correlate_text(TRACE, &options);
	const struct model_account *account = model->account;

	// From 4300 to 6050 of the trace's clock: 300 of the wait for storage, 50 of the last.
	assert_int_equal(account->wall_ns, 1750);
	assert_int_equal(account->main.ns[MODEL_STATE_FAULT_IO], 300);
	assert_int_equal(account->main.ns[MODEL_STATE_RUNNABLE], 100);
	assert_int_equal(account->main.ns[MODEL_STATE_FAULT], 200);
	assert_int_equal(account->main.ns[MODEL_STATE_WAIT], 50);
	assert_int_equal(account->main.ns[MODEL_STATE_CPU], 1750 - 650);
	// A fault counts where it began.
	assert_int_equal(model->counts.recorded, 0);
	assert_int_equal(model->window.from_ns, 3300);
	assert_int_equal(model->window.until_ns, 5050);
}

static void refuse(const char *text, const char *from, const char *until, const char *message)
{
	CLEANUP(trace_closep) struct trace *trace = read_text(text);
	const struct correlate_options options = { .needs = NEEDS, .from = from, .until = until };
	struct model *model = NULL;
	struct err err = { 0 };

	assert_false(correlate(trace, &options, &model, &err));
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
}

TEST(windows_that_are_none_are_refused)
{
	refuse(TRACE, "9us", NULL, "--from 9us is not within the recording, which lasts 8.999 us");
	refuse(TRACE, "3us", "3us", "--until 3us is not after --from 3us");
	refuse(TRACE, "3us", "2us", "the window is empty");
	refuse(TRACE, NULL, "0", "the window is empty: --until 0 is not after --from 0");
	refuse(TRACE, "1", NULL, "--from 1: not a time since the start");
	refuse(TRACE, NULL, "-1s", "--until -1s: not a time since the start");
	refuse(TRACE, NULL, "1e3s", "not a time");
}

TEST(one_that_goes_on_ends_with_the_recording)
{
	const struct correlate_options options = { .needs = NEEDS, .until = "1s" };
	CLEANUP(model_closep) struct model *model = correlate_text(TRACE, &options);

	assert_true(model->window.is_to_end);
	assert_int_equal(model->window.until_ns, 8999);
	assert_int_equal(model->counts.recorded, 2);
	assert_int_equal(model->account->wall_ns, 7000);
}

#define MARKS                                                 \
	"mark time=4000 name=ready condition=listen pid=10\n" \
	"mark time=6010 name=ready condition=listen pid=10\n" \
	"mark time=0 name=late condition=output held=never\n"

TEST(marks_are_edges)
{
	const struct correlate_options options = { .needs = NEEDS, .from = "ready" };
	struct model *model = correlate_text(TRACE MARKS, &options);

	// The first of the name.
	assert_int_equal(model->window.from_ns, 3000);
	assert_string_equal(model->window.from, "ready");
	assert_int_equal(model->counts.recorded, 1);
	model_close(model);
	refuse(TRACE MARKS, "late", NULL, "--from late: the condition of this mark never held");
	refuse(TRACE MARKS, "raedy", NULL, "nor a mark of the trace, which has ready, ready");
	refuse(TRACE, "ready", NULL, "which has none");
}
