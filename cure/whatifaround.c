// SPDX-License-Identifier: Apache-2.0
// Another size of fault-around: a fault on a file's page maps the pages of the same aligned window
// that are in memory. With larger windows, later faults within them do not happen.
#include "base/cleanup.h"
#include "base/figure.h"
#include "base/u64map.h"
#include "cure/whatifkit.h"

static const uint64_t sizes[] = { UINT64_C(4) << 10,   UINT64_C(16) << 10, UINT64_C(64) << 10,
				  UINT64_C(256) << 10, UINT64_C(1) << 20,  UINT64_C(2) << 20 };

/** The window of @bytes that holds what @fault touched, in its mapping. */
static uint64_t window_of(const struct whatif_kit *kit, const struct model_fault *fault,
			  uint64_t bytes)
{
	const struct model *model = kit->model;
	int32_t segment = model_fault_segment(model, fault);
	uint64_t program = model_thread(model, fault)->program;
	// Headers are in no section, but in the first segment.
	uint64_t key =
		(program << 20 ^ fault->at.object) << 8 ^ (uint64_t)(segment < 0 ? 0 : segment);

	key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
	return (key ^ key >> 27) ^ (fault->addr / bytes) * 0x94d049bb133111eb;
}

static void predict(struct whatif_kit *kit, uint64_t bytes)
{
	const struct model *model = kit->model;
	const struct whatif_answer *answer = kit->answer;
	const char *size = figure_size(kit->arena, bytes);
	CLEANUP(u64map_deinit) struct u64map mapped = { 0 };
	struct whatif_change change = { 0 };
	struct whatif row = {
		.group = WHATIF_SYSTEM,
		.cure = arena_printf(kit->arena, "fault-around-%luk", bytes >> 10),
		.title = arena_printf(kit->arena, "fault-around %s", size),
		.how = arena_printf(kit->arena, "echo %lu > /sys/kernel/debug/fault_around_bytes",
				    bytes),
		.has_time = true,
		.error_percent = 5, // git; of larger programs 1
		.saves.is = bytes < answer->around ? MODEL_AT_MOST : MODEL_PREDICTION,
		.reason = bytes < answer->around
				  ? "which of the pages that came along were used is not known"
			  : answer->was_cold ? "for a start with its files in memory"
					     : NULL,
	};

	if (bytes == answer->around)
		return;
	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->at.object == MODEL_NONE || !whatif_maps_around(fault))
			continue;
		if (!u64map_add(&mapped, window_of(kit, fault, bytes)) && bytes > answer->around)
			whatif_drop(&change, kit, fault);
	}
	// Whatever was read in a cold start, and waited for, is in memory in the start it is of.
	if (answer->was_cold) {
		change.major = answer->before.major;
		change.read_bytes = answer->before.read_bytes;
		row.has_time = false;
	}
	whatif_add(kit, row, &change);
}

void whatif_around(struct whatif_kit *kit)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] >= kit->page_size)
			predict(kit, sizes[i]);
}
