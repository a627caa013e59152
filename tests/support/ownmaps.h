// SPDX-License-Identifier: Apache-2.0
// Mappings of this test, as the recorder would give them, and the sets of modules that come of
// them.
#pragma once

#include "base/arena.h"
#include "unwind/imageset.h"
#include "unwind/unwind.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The process of the recording. */
enum { PID = 100 };

/** The mappings of this process, as the recorder would give them. */
static struct {
	VEC(struct trace_mapping) list;
	uint64_t stack_end;
} maps;

static inline void maps_read(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[4096 + 128];

	vec_foreach (mapping, &maps.list)
		free((char *)mapping->path);
	maps.list.count = 0;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		uint64_t start, end, offset;
		char protection[5];
		int used = 0;

		line[strcspn(line, "\n")] = '\0';
		assert_int_equal(sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*u %n",
					&start, &end, protection, &offset, &used),
				 4);
		if (!strcmp(line + used, "[stack]"))
			maps.stack_end = end;
		vec_push(&maps.list,
			 (struct trace_mapping){
				 .time_ns = 1,
				 .addr = start,
				 .size = end - start,
				 .offset = offset,
				 .path = xstrdup(used && line[used] ? line + used : "//anon"),
				 .pid = PID,
				 .tid = PID,
				 .protection = (protection[0] == 'r' ? 1u : 0) |
					       (protection[1] == 'w' ? 2u : 0) |
					       (protection[2] == 'x' ? 4u : 0),
			 });
	}
	fclose(file);
}

static inline struct unwind_input input_of(struct stackspool *spool)
{
	return (struct unwind_input){
		.mappings = maps.list.items,
		.mapping_count = maps.list.count,
		.spool = spool,
	};
}

/** The executable mapping of this program. */
static inline struct trace_mapping own_code(void)
{
	uintptr_t here = (uintptr_t)own_code;

	vec_foreach (mapping, &maps.list)
		if (here >= mapping->addr && here < mapping->addr + mapping->size)
			return *mapping;
	fail();
	return (struct trace_mapping){ 0 };
}

/** The set of the stack with this id. */
static inline uint32_t set_of(const struct imagesets *sets, uint32_t stack)
{
	for (size_t i = 0; i < sets->stacks.count; i++)
		if (sets->stacks.items[i].stack == stack)
			return sets->stacks.items[i].set;
	fail();
	return 0;
}
