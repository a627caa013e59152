// SPDX-License-Identifier: Apache-2.0
// When processes execute a program: from its beginning until the first instruction that is known to
// have run, the registers of a thread say nothing. Rings are read one behind the other, so what
// happened then may be asked for when it is over.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct execspan {
	uint64_t begin_ns, end_ns; // end_ns UINT64_MAX: no instruction is known to have run
};

/** The last of each process. Zero-initialise; release with execspans_deinit(). */
struct execspans {
	struct u64map by_pid; // -> list
	VEC(struct execspan) list;
};

void execspans_begin(struct execspans *spans, uint32_t pid, uint64_t time_ns);

/** Process @pid ran an instruction of its program at @time_ns. O(1). */
void execspans_end(struct execspans *spans, uint32_t pid, uint64_t time_ns);

/** Whether the exec of process @pid has not ended. O(1). */
bool execspans_is_open(const struct execspans *spans, uint32_t pid);

/** Whether @time_ns is within the last exec of process @pid. O(1). */
bool execspans_has(const struct execspans *spans, uint32_t pid, uint64_t time_ns);

void execspans_deinit(struct execspans *spans);
