// SPDX-License-Identifier: Apache-2.0
// Requests under way: joins their issue and their completion, as the kernel side tells them, to
// what is written. Serves the BPF backend.
#pragma once

#include "bpf/sink.h"
#include "bpf/storage_event.h"

/** A request that was issued, and of which @done bytes have come. */
struct request_under_way {
	struct request_event event;
	uint64_t done_ns;
	uint32_t done;
};

/** Zero-initialise; release with vec_deinit() of .list. */
struct requests {
	VEC(struct request_under_way) list;
};

/**
 * A request was issued: keep it. One that is under way already was given back by its device, and is
 * another now: others may have been merged with it, or it with them.
 */
void requests_issue(struct requests *requests, const struct request_event *event);

/** Bytes have come: of the last of a request, write it. Of one that nobody saw issued, likewise. */
void requests_done(struct requests *requests, const struct done_event *event, struct sink *sink);

/** Nothing more is told: write of each request under way the bytes that have come. */
void requests_end(struct requests *requests, struct sink *sink);
