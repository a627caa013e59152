// SPDX-License-Identifier: Apache-2.0
// The columns of a report page while they are made. Its parts each have a file: faults.c, stacks.c,
// threads.c, moments.c, operations.c.
#pragma once

#include "base/u64map.h"
#include "derive/lifetime.h"
#include "render/page/faults.h"

#include <stdint.h>

/** Indexes into pagefaults.columns. */
enum {
#define COLUMN(identifier, ...) PAGE_##identifier,
#include "render/page/columns.def"
	PAGE_COLUMNS,
};

/** State while the columns are made. */
struct making {
	struct pagefaults *page;
	const struct model *model;
	uint64_t *memory_pages; // sorted, distinct
	size_t memory_page_count;
	uint32_t *node_of_stack;   // model stack -> node + 1, 0: not made yet
	uint32_t *symbol_of_model; // model symbol -> index + 1 in the page, 0: not used yet
	uint64_t *object_pages;	   // pages of each object, for merging
	struct u64map combinations, nodes, frames, cells;
	uint64_t cell_moment;
	uint32_t *finding_set; // by fault: index + 1 into page->finding_sets, 0: none speaks of it

	// threads.c
	struct lifetimes lifetimes;
	struct u64map threads; // pid, tid, name and process -> page->threads
	struct u64map by_life; // tid and process -> the last of these rows
	uint32_t *place;       // account.processes -> page->processes
};

static inline void push(struct making *making, size_t column, uint64_t value)
{
	column_push(&making->page->columns[column], (uint32_t)value); // what does not fit is cut
}

static inline size_t count_of(const struct making *making, size_t column)
{
	return making->page->columns[column].values.count;
}

/** @time_ns in units of the page. */
static inline uint64_t making_units(const struct making *making, uint64_t time_ns)
{
	return time_ns / making->page->time_unit_ns;
}

/** A duration in units of the page, rounded. */
static inline uint64_t making_rounded(const struct making *making, uint64_t ns)
{
	const uint64_t unit = making->page->time_unit_ns;

	return ns / unit + (ns % unit >= unit - ns % unit);
}

/** Values that faults, moments and operations share with others, as columns C_… have them. */
struct making_combination {
	uint32_t object; // UINT16_MAX: no mapping is known; MAKING_NO_OBJECT: it is of none
	uint32_t section, lane, kind, access, mode, mechanism, initiator, certainty, dlopen, step,
		thread, initializer, blame, findings;
};

enum { MAKING_NO_OBJECT = UINT16_MAX - 1 };
enum lane { LANE_FILE, LANE_BSS, LANE_MEMORY, LANE_UNMAPPED };

/** Of what is no fault: it has none of the words of one. */
#define MAKING_NO_FAULT                                                                   \
	.lane = LANE_UNMAPPED, .kind = UINT8_MAX, .access = UINT8_MAX, .mode = UINT8_MAX, \
	.mechanism = UINT8_MAX

/** The row of @what. */
uint32_t making_combine(struct making *making, const struct making_combination *what);

/** Find which of @count findings speak of each fault; @wheres: by finding, NULL: of all. */
void making_find_findings(struct making *making, const char *const *wheres, size_t count);

/** Put the processes in order, for the rows of threads. */
void making_order_processes(struct making *making);

/** The row of @thread as it was at @time_ns, in the program that it ran then. */
uint32_t making_thread(struct making *making, const struct model_thread *thread, uint64_t time_ns);

/** The row of thread @tid of process @pid within the account's @process. */
uint32_t making_thread_of(struct making *making, uint32_t pid, uint32_t tid, uint32_t process);

void making_deinit_threads(struct making *making);

/**
 * The node of the innermost frame of @stack, index + 1; without a stack of @by alone. 0: neither is
 * known. @by: NULL: unknown.
 */
uint32_t making_stack(struct making *making, uint32_t stack, const struct model_ip *by);

/** Add samples, pauses and the lives of threads. */
void making_add_moments(struct making *making);

/** Add waits of calls for storage: those of faults are theirs. */
void making_add_operations(struct making *making);

/** Add the runs of initializers. */
void making_add_runs(struct making *making);
