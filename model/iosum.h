// SPDX-License-Identifier: Apache-2.0
// Sums of operations of storage.
#pragma once

#include "model/io.h"

struct iosum {
	uint64_t operations, requests, flushes, bytes, latency_ns, wait_ns;
	uint64_t by_direction[MODEL_DIRECTIONS];
	uint64_t last_request; // the number of the last one, plus 1
};

/** Add @io to @sum; in their order, so that each request counts once. */
static inline void iosum_add(struct iosum *sum, const struct model_io *io)
{
	sum->operations++;
	if (model_io_is_request(io)) {
		sum->requests += sum->last_request != io->request + 1;
		sum->last_request = io->request + 1;
	} else {
		sum->flushes++;
	}
	sum->bytes += io->bytes;
	sum->latency_ns += io->what.duration_ns;
	sum->wait_ns += io->wait_ns;
	sum->by_direction[io->direction]++;
}

/** The sum of all that are shown. */
static inline struct iosum iosum_of(const struct model *model)
{
	struct iosum sum = { 0 };

	for (size_t i = 0; i < model->ios->count; i++)
		if (!model->ios->items[i].is_left_out)
			iosum_add(&sum, &model->ios->items[i]);
	return sum;
}
