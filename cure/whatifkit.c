// SPDX-License-Identifier: Apache-2.0
#include "cure/whatifkit.h"

#include "base/checked.h"
#include "base/figure.h"

#include <math.h>

void whatif_drop(struct whatif_change *change, const struct whatif_kit *kit,
		 const struct model_fault *fault)
{
	change->faults++;
	change->major += fault->kind == MODEL_MAJOR;
	change->read_bytes += model_read_pages(fault) * kit->page_size;
	change->fault_ns += model_fault_own(fault);
}

/** The error was measured as a share of the faults that are left; their time has it as well. */
static void add_error(struct model_saving *saves, const struct whatif *row,
		      const struct whatif_change *change)
{
	double faults = (double)row->after.faults * row->error_percent / 100;
	double each = change->faults >= 1 ? (double)change->fault_ns / change->faults : 0;

	saves->error_faults = figure_whole(ceil(faults));
	if (row->has_time)
		saves->error_ns =
			figure_whole(sqrt(faults * each * faults * each + change->variance));
}

void whatif_add(struct whatif_kit *kit, struct whatif row, const struct whatif_change *change)
{
	const struct whatif_sum *before = &kit->answer->before;
	double faults = (double)before->faults - change->faults;
	uint64_t spared = change->fault_ns + change->cpu_ns;

	row.applies = true;
	row.after = (struct whatif_sum){
		.faults = figure_whole(faults + 0.5),
		.major = checked_rest(before->major, change->major),
		.read_bytes = checked_rest(before->read_bytes, change->read_bytes),
		.duration_ns = checked_rest(before->duration_ns, spared),
	};

	row.has_time = row.has_time && kit->answer->has_time;
	row.saves.faults = checked_rest(before->faults, row.after.faults);
	row.saves.read_bytes = checked_rest(before->read_bytes, row.after.read_bytes);
	row.saves.duration_ns =
		row.has_time ? checked_rest(before->duration_ns, row.after.duration_ns) : 0;
	if (row.saves.is == MODEL_PREDICTION)
		add_error(&row.saves, &row, change);
	vec_push(&kit->list, row);
}

void whatif_refuse(struct whatif_kit *kit, struct whatif row, const char *reason)
{
	row.applies = false;
	row.reason = reason;
	row.has_time = false;
	row.saves.is = MODEL_PREDICTION;
	vec_push(&kit->list, row);
}

bool whatif_is_asked(const struct whatif_kit *kit, uint32_t object)
{
	return !kit->options->objects || (object != MODEL_NONE && kit->options->objects[object]);
}

uint64_t whatif_cpu(const struct whatif_kit *kit, enum model_initiator initiator)
{
	const struct model_account *account = kit->model->account;

	return account ? account->by_initiator[initiator].ns[MODEL_STATE_CPU] : 0;
}

void whatif_spare(struct whatif_change *change, const struct whatif_kit *kit,
		  enum model_initiator initiator, double part)
{
	const struct model_account *account = kit->model->account;
	const double error = account ? (double)account->cpu_error_ns[initiator] * part : 0;

	change->cpu_ns += (uint64_t)((double)whatif_cpu(kit, initiator) * part);
	change->variance += error * error;
}

const char *whatif_files(struct whatif_kit *kit, const uint32_t *objects, size_t count)
{
	if (count == 1)
		return model_object_name(&kit->model->objects[objects[0]]);
	return arena_printf(kit->arena, "%s files", figure_number(kit->arena, count));
}
