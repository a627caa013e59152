// SPDX-License-Identifier: Apache-2.0
#include "cure/whatifkit.h"

#include "base/checked.h"
#include "base/figure.h"
#include "model/set.h"

#include <math.h>

void whatif_drop(struct whatif_change *change, const struct whatif_kit *kit,
		 const struct model_fault *fault)
{
	change->faults++;
	change->major += fault->kind == MODEL_MAJOR;
	change->read_bytes += model_read_pages(fault) * kit->page_size;
	change->fault_ns += model_fault_own(fault);
}

/**
 * Of the time that is saved, in 19 of 20 cases, beside what samples and faults say: as measured,
 * docs/measured/promises.md. Destructors and exec, which also take less, are not predicted.
 */
enum { TIME_ERROR_PERCENT = 40 };

/** The error of @spared ns: of the samples, of the faults, whose time has theirs, and what is left.
 */
static uint64_t time_error(const struct whatif *row, const struct whatif_change *change,
			   uint64_t spared)
{
	const double faults = (double)row->after.faults * row->error_percent / 100;
	const double each = change->faults >= 1 ? (double)change->fault_ns / change->faults : 0;
	// What is not predicted only adds to what is saved at least.
	const unsigned percent = row->saves.is == MODEL_AT_LEAST ? 0 : TIME_ERROR_PERCENT;
	const double rest = (double)spared * percent / 100;

	return figure_whole(sqrt(faults * each * faults * each + change->variance + rest * rest));
}

/** A bound of time has to hold although what it is made of has an error. */
static uint64_t bounded(enum model_bound is, uint64_t spared, uint64_t error)
{
	return is == MODEL_AT_MOST    ? spared + error
	       : is == MODEL_AT_LEAST ? checked_rest(spared, error)
				      : spared;
}

/**
 * Return what the exit takes less: the kernel takes down what faults mapped, some 0.5 us for each
 * with what came with it (docs/measured/promises.md).
 */
static uint64_t exit_spared(const struct whatif_kit *kit, double faults)
{
	const struct model_account *account = kit->model->account;
	const double all = (double)kit->answer->before.faults;

	return account && faults > 0 && all > 0
		       ? (uint64_t)((double)account->exit_ns * (faults < all ? faults / all : 1))
		       : 0;
}

void whatif_add(struct whatif_kit *kit, struct whatif row, const struct whatif_change *change)
{
	const struct whatif_sum *before = &kit->answer->before;
	double faults = (double)before->faults - change->faults;
	uint64_t spared = change->fault_ns + change->cpu_ns + exit_spared(kit, change->faults);

	row.applies = true;
	row.has_time = row.has_time && kit->answer->has_time;
	row.after = (struct whatif_sum){
		.faults = figure_whole(faults + 0.5),
		.major = checked_rest(before->major, change->major),
		.read_bytes = checked_rest(before->read_bytes, change->read_bytes),
	};
	const uint64_t error_ns = time_error(&row, change, spared);

	row.after.duration_ns =
		checked_rest(before->duration_ns, bounded(row.saves.is, spared, error_ns));
	row.saves.faults = checked_rest(before->faults, row.after.faults);
	row.saves.read_bytes = checked_rest(before->read_bytes, row.after.read_bytes);
	row.saves.duration_ns =
		row.has_time ? checked_rest(before->duration_ns, row.after.duration_ns) : 0;
	if (row.saves.is == MODEL_PREDICTION) {
		// It was measured as a share of the faults that are left.
		row.saves.error_faults =
			figure_whole(ceil((double)row.after.faults * row.error_percent / 100));
		row.saves.error_ns = row.has_time ? error_ns : 0;
	}
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
	uint64_t error_ns;

	return model_computing(kit->model, initiator, &error_ns);
}

void whatif_spare(struct whatif_change *change, const struct whatif_kit *kit,
		  enum model_initiator initiator, double part)
{
	uint64_t error_ns;
	const uint64_t ns = model_computing(kit->model, initiator, &error_ns);
	const double error = (double)error_ns * part;

	change->cpu_ns += (uint64_t)((double)ns * part);
	change->variance += error * error;
}

const char *whatif_files(struct whatif_kit *kit, const uint32_t *objects, size_t count)
{
	if (count == 1)
		return model_object_name(&kit->model->objects[objects[0]]);
	return arena_printf(kit->arena, "%s files", figure_number(kit->arena, count));
}
