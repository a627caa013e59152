// SPDX-License-Identifier: Apache-2.0
#include "derive/lifetime.h"

#include "base/order.h"
#include "base/search.h"
#include "model/account.h"

static struct range cover(struct range a, struct range b)
{
	return (struct range){ a.start < b.start ? a.start : b.start,
			       a.end > b.end ? a.end : b.end };
}

/** From the first fault to the end of the last. */
static struct range time_of_faults(const struct model *model)
{
	struct range time = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		const struct range own = { fault->time_ns, model_fault_end(fault) };

		time = fault == model->faults ? own : cover(time, own);
	}
	return time;
}

/** The first process of a command begins first. */
static struct range time_of_first(const struct model_account *account)
{
	const struct model_process_times *first = account->processes;
	struct range time = { first->start_ns, first->end_ns };

	array_foreach (row, account->processes, account->process_count)
		if (row->pid == first->pid)
			time = cover(time, (struct range){ row->start_ns, row->end_ns });
	return time;
}

/** True if the account knows when the command's first process lived. */
static bool knows_first(const struct model_account *account)
{
	return account && account->wall_ns > 0 && account->process_count > 0;
}

struct range lifetime_axis(const struct model *model)
{
	const struct model_window *window = &model->window;

	if (!knows_first(model->account))
		return lifetime_of_command(model);
	struct range time = time_of_first(model->account);

	if (window->is_set) { // programs outside it have a time as well
		const struct range shown = { window->from_ns, model_window_end(window) };

		time = (struct range){ range_clamp(shown, time.start),
				       range_clamp(shown, time.end) };
	}
	return time;
}

struct range lifetime_of_command(const struct model *model)
{
	const struct model_account *account = model->account;
	const struct range faults = time_of_faults(model);
	const uint64_t end = model->trace.duration_ns;

	if (knows_first(account)) {
		const struct range time = time_of_first(account);

		return model->fault_count > 0 ? cover(time, faults) : time;
	}
	return (struct range){ faults.start, end > faults.end ? end : faults.end };
}

ORDER_OF(compare, lifetime, ORDER(x->pid, y->pid) ?: ORDER(x->time.start, y->time.start))

void lifetimes_init(struct lifetimes *lifetimes, const struct model *model)
{
	const struct model_account *account = model->account;

	*lifetimes = (struct lifetimes){ 0 };
	for (size_t i = 0; account && i < account->process_count; i++) {
		const struct model_process_times *row = &account->processes[i];

		if (row->end_ns >= row->start_ns)
			vec_push(&lifetimes->list,
				 (struct lifetime){ .pid = row->pid,
						    .process = (uint32_t)i,
						    .time = { row->start_ns, row->end_ns } });
	}
	vec_sort(&lifetimes->list, compare);
}

void lifetimes_deinit(struct lifetimes *lifetimes)
{
	vec_deinit(&lifetimes->list);
}

const struct lifetime *lifetimes_at(const struct lifetimes *lifetimes, uint32_t pid,
				    uint64_t time_ns)
{
	const struct lifetime *list = lifetimes->list.items;
	const size_t after = search_first(
		lifetimes->list.count, i,
		list[i].pid > pid || (list[i].pid == pid && list[i].time.start > time_ns));

	return after > 0 && list[after - 1].pid == pid ? &list[after - 1] : NULL;
}
