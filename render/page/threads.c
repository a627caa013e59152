// SPDX-License-Identifier: Apache-2.0
// Processes and threads of a report page: the rows that faults and moments refer to.
#include "render/page/making.h"

#include "base/order.h"
#include "model/account.h"

#include <stdlib.h>
#include <xxhash.h>

ORDER_OF_INDEXES(compare_busiest, model_process_times,
		 ORDER(model_times_used(&y->all), model_times_used(&x->all)) ?: ORDER(x, y))

void making_order_processes(struct making *making)
{
	const struct model_account *account = making->model->account;
	struct pagefaults *page = making->page;

	lifetimes_init(&making->lifetimes, making->model);
	if (!account)
		return;
	for (uint32_t i = 0; i < account->process_count; i++)
		if (account->processes[i].thread_count > 0)
			vec_push(&page->processes, i);
	if (page->processes.count > 0)
		qsort_r(page->processes.items, page->processes.count,
			sizeof(*page->processes.items), compare_busiest,
			(void *)(uintptr_t)account->processes);
	making->place = xcalloc(account->process_count + 1, sizeof(*making->place));
	for (size_t i = 0; i < account->process_count; i++)
		making->place[i] = MODEL_NONE;
	for (size_t i = 0; i < page->processes.count; i++)
		making->place[page->processes.items[i]] = (uint32_t)i;
}

static uint32_t thread_row(struct making *making, struct pagefaults_thread thread)
{
	const uint32_t parts[] = { thread.pid, thread.tid, thread.comm, thread.process };
	const uint32_t row = u64map_row(&making->threads, XXH3_64bits(parts, sizeof(parts)),
					&making->page->threads, thread);

	*u64map_put(&making->by_life, (uint64_t)thread.process << 32 | thread.tid, NULL) = row;
	return row;
}

uint32_t making_thread(struct making *making, const struct model_thread *thread, uint64_t time_ns)
{
	const struct lifetime *life = lifetimes_at(&making->lifetimes, thread->pid, time_ns);

	return thread_row(making,
			  (struct pagefaults_thread){
				  .pid = thread->pid,
				  .tid = thread->tid,
				  .comm = thread->comm,
				  .process = life ? making->place[life->process] : MODEL_NONE,
			  });
}

uint32_t making_thread_of(struct making *making, uint32_t pid, uint32_t tid, uint32_t process)
{
	const uint32_t place = making->place[process];
	const uint32_t *row = u64map_get(&making->by_life, (uint64_t)place << 32 | tid);

	if (row)
		return *row;
	// It has neither a fault nor a stack: a first thread is named as its process.
	return thread_row(
		making, (struct pagefaults_thread){
				.pid = pid,
				.tid = tid,
				.comm = pid == tid ? making->model->account->processes[process].comm
						   : MODEL_NONE,
				.process = place,
			});
}

void making_deinit_threads(struct making *making)
{
	lifetimes_deinit(&making->lifetimes);
	u64map_deinit(&making->threads);
	u64map_deinit(&making->by_life);
	free(making->place);
}
