// SPDX-License-Identifier: Apache-2.0
#include "derive/initspans.h"

#include "base/cleanup.h"
#include "base/u64map.h"
#include "model/io.h"
#include "model/moments.h"

/** The runs of initializers in progress. */
struct running {
	const struct model *model;
	struct initspans *spans;
	struct u64map rounds; // tid -> how often the thread was seen outside of initializers
	struct u64map last;   // tid and initializer -> index of the last span
};

/** A thread was seen at some code. */
struct seen {
	uint32_t thread, initializer; // into the model's; initializer: or MODEL_NONE
	enum model_initiator initiator;
	uint64_t start_ns, end_ns;
	uint64_t read_bytes;
};

static uint64_t key_of(uint32_t tid, uint32_t initializer)
{
	return (uint64_t)tid << 32 | initializer;
}

static void take(struct running *running, const struct seen *seen)
{
	const uint32_t tid = running->model->threads[seen->thread].tid;
	uint32_t *round = u64map_put(&running->rounds, tid, NULL);

	if (seen->initializer == MODEL_NONE) {
		*round += seen->initiator != MODEL_INITIATOR_UNKNOWN;
		return;
	}
	const uint32_t this_round = *round;
	bool is_new;
	uint32_t *index = u64map_put(&running->last, key_of(tid, seen->initializer), &is_new);

	if (is_new || running->spans->list.items[*index].round != this_round) {
		*index = (uint32_t)running->spans->list.count; // at most one for each seen
		vec_push(&running->spans->list, (struct initspan){
							.initializer = seen->initializer,
							.thread = seen->thread,
							.tid = tid,
							.round = this_round,
							.first_ns = seen->start_ns,
							.end_ns = seen->end_ns,
						});
	}
	struct initspan *span = &running->spans->list.items[*index];

	span->read_bytes += seen->read_bytes;
	if (seen->end_ns > span->end_ns)
		span->end_ns = seen->end_ns;
}

static void take_fault(struct running *running, const struct model_fault *fault)
{
	take(running,
	     &(struct seen){
		     .thread = fault->thread,
		     .initializer = fault->initializer,
		     .initiator = fault->initiator,
		     .start_ns = fault->time_ns,
		     .end_ns = model_fault_end(fault),
		     .read_bytes = running->model->ios ? 0
						       : (uint64_t)model_read_pages(fault) *
								 running->model->trace.page_size,
	     });
}

static void take_moment(struct running *running, const struct model_moment *moment)
{
	if (moment->thread != MODEL_NONE)
		take(running, &(struct seen){
				      .thread = moment->thread,
				      .initializer = moment->initializer,
				      .initiator = moment->initiator,
				      .start_ns = moment->time_ns,
				      .end_ns = moment->back_ns,
			      });
}

/** Add what storage delivered for each run. */
static void add_reads(struct running *running)
{
	const struct model_ios *ios = running->model->ios;

	for (size_t i = 0; ios && i < ios->count; i++) {
		const struct model_io *io = &ios->items[i];
		const struct model_fault *what = &io->what;

		if (what->initializer == MODEL_NONE || io->is_left_out ||
		    what->thread >= running->model->thread_count)
			continue;
		const uint32_t *index =
			u64map_get(&running->last, key_of(running->model->threads[what->thread].tid,
							  what->initializer));

		// The last one: it hardly ever runs twice, and then not from storage.
		if (index)
			running->spans->list.items[*index].read_bytes += io->bytes;
	}
}

/** Count the runs around each, which end later in the same thread. */
static void find_depths(struct initspans *spans)
{
	CLEANUP(u64map_deinit) struct u64map around = { 0 }; // tid -> the innermost run, plus 1
	CLEANUP(freep) uint32_t *outer = xcalloc(spans->list.count + 1, sizeof(*outer));

	for (size_t i = 0; i < spans->list.count; i++) {
		struct initspan *span = &spans->list.items[i];
		uint32_t *innermost = u64map_put(&around, span->tid, NULL);

		while (*innermost > 0 && spans->list.items[*innermost - 1].end_ns < span->end_ns)
			*innermost = outer[*innermost - 1];
		outer[i] = *innermost;
		span->depth = *innermost > 0 ? spans->list.items[*innermost - 1].depth + 1 : 0;
		*innermost = (uint32_t)i + 1;
	}
}

void initspans_init(struct initspans *spans, const struct model *model)
{
	struct running running = { .model = model, .spans = spans };
	const size_t moments = model->moments ? model->moments->count : 0;
	size_t fault = 0, moment = 0;

	*spans = (struct initspans){ 0 };
	while (model->initializer_count > 0 && (fault < model->fault_count || moment < moments)) {
		const bool is_fault =
			moment == moments ||
			(fault < model->fault_count &&
			 model->faults[fault].time_ns <= model->moments->items[moment].time_ns);

		if (is_fault)
			take_fault(&running, &model->faults[fault++]);
		else
			take_moment(&running, &model->moments->items[moment++]);
	}
	add_reads(&running);
	find_depths(spans);
	u64map_deinit(&running.rounds);
	u64map_deinit(&running.last);
}

void initspans_deinit(struct initspans *spans)
{
	vec_deinit(&spans->list);
}
