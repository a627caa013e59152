// SPDX-License-Identifier: Apache-2.0
// A run drawn by hand that spends time and reads from storage.
#pragma once

#include "model/account.h"
#include "model/storage.h"
#include "tests/support/sketch.h"

/** Amounts that a run spends. */
struct spending {
	uint64_t cpu_ms;      // in program, which samples tell to 1 ms
	uint64_t fault_io_ms; // in relocation
	uint64_t runnable_ms;
	uint64_t thread_ms;  // another thread computes in static-init
	uint64_t data_bytes; // read() in program: of /data, which nobody maps
	uint64_t text_bytes; // read by faults in relocation: of .text in libx.so
};

SKETCH_USED static void spend_time(struct model_times *times, struct model_times *by_initiator,
				   enum model_initiator initiator, enum model_state state,
				   uint64_t ms)
{
	times->ns[state] += ms * 1000000;
	by_initiator[initiator].ns[state] += ms * 1000000;
}

SKETCH_USED static const struct model_account *spend_account(struct model *model,
							     const struct spending *spending)
{
	struct model_account *account = arena_array(&model->arena, 1, sizeof(*account));

	spend_time(&account->main, account->main_by_initiator, MODEL_PROGRAM, MODEL_STATE_CPU,
		   spending->cpu_ms);
	spend_time(&account->main, account->main_by_initiator, MODEL_RELOCATION,
		   MODEL_STATE_FAULT_IO, spending->fault_io_ms);
	spend_time(&account->main, account->main_by_initiator, MODEL_PROGRAM, MODEL_STATE_RUNNABLE,
		   spending->runnable_ms);
	account->wall_ns = model_times_sum(&account->main);
	account->all = account->main;
	memcpy(account->by_initiator, account->main_by_initiator, sizeof(account->by_initiator));
	spend_time(&account->all, account->by_initiator, MODEL_STATIC_INIT, MODEL_STATE_CPU,
		   spending->thread_ms);
	account->main_cpu_error_ns[MODEL_PROGRAM] = 1000000;
	account->cpu_error_ns[MODEL_PROGRAM] = 1000000;
	account->samples = 100;
	account->complete = true;
	return account;
}

SKETCH_USED static const struct model_storage *spend_storage(struct model *model,
							     const struct spending *spending)
{
	struct model_storage *storage = arena_array(&model->arena, 1, sizeof(*storage));
	struct model_storage_part *parts = arena_array(&model->arena, 3, sizeof(*parts));

	if (spending->data_bytes > 0)
		parts[storage->part_count++] =
			(struct model_storage_part){ .path = "/data",
						     .object = MODEL_NONE,
						     .cause = MODEL_STORAGE_READ,
						     .initiator = MODEL_PROGRAM,
						     .bytes = spending->data_bytes };
	if (spending->text_bytes > 0)
		parts[storage->part_count++] =
			(struct model_storage_part){ .path = "/a/libx.so",
						     .section = ".text",
						     .object = 0,
						     .cause = MODEL_STORAGE_FAULT,
						     .initiator = MODEL_RELOCATION,
						     .bytes = spending->text_bytes };
	parts[storage->part_count++] =
		(struct model_storage_part){ .object = MODEL_NONE,
					     .cause = MODEL_STORAGE_OTHERS,
					     .initiator = MODEL_INITIATOR_UNKNOWN,
					     .bytes = 1 << 20 };
	for (size_t i = 0; i < storage->part_count; i++) {
		storage->device_bytes += parts[i].bytes;
		storage->by_cause[parts[i].cause] += parts[i].bytes;
		if (parts[i].cause != MODEL_STORAGE_OTHERS)
			storage->by_initiator[parts[i].initiator] += parts[i].bytes;
	}
	storage->parts = parts;
	storage->complete = true;
	return storage;
}

/** A run with one library and a fault on it. */
SKETCH_USED static struct model *spend(const struct spending *spending)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/a/libx.so");
	struct model_fault *fault =
		sketch_fault(&sketch, sketch_section(&sketch, lib, ".text", 4096), MODEL_PROGRAM);

	fault->has_duration = true;
	fault->duration_ns = 1000;
	struct model *model = sketch_end(&sketch);

	model->account = spend_account(model, spending);
	model->storage = spend_storage(model, spending);
	model->trace.has_reads = true;
	model->trace.path = "trace";
	model->trace.backend = "bpf";
	model->trace.complete = true;
	return model;
}
