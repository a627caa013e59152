// SPDX-License-Identifier: Apache-2.0
// Faults with their stacks as lines of a trace, and what the answer says of them.
#pragma once

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "tests/support/answers.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** The lines of the test's trace, which the functions below add to. */
static struct strbuf events;

/** For after each test. */
static inline int stacks_forget(void **state)
{
	strbuf_deinit(&events);
	return answer_forget(state);
}

/** Code between two frames of which nothing is known. */
enum { GAP = 0 };

/**
 * Add a fault of process @pid at @addr, which @count frames lead to; the first is its ip. @end: of
 * the stack's line.
 */
static inline void add_of(uint32_t pid, uint32_t tid, const void *addr, const char *access,
			  const uintptr_t *frames, size_t count, const char *end)
{
	static unsigned id;

	strbuf_printf(&events, "stack id=%u frames=", ++id);
	for (size_t i = 0; i < count; i++)
		strbuf_printf(&events, "%s0x%" PRIxPTR, i ? "," : "", frames[i]);
	strbuf_printf(&events,
		      "%s\nfault pid=%u tid=%u time=%u addr=0x%" PRIxPTR " ip=0x%" PRIxPTR
		      " error=%suser stack=%u\n",
		      end, pid, tid, 3000 + id, (uintptr_t)addr, frames[0],
		      strcmp(access, "write") == 0 ? "write," : "", id);
}

/** The same of process 10. */
static inline void add(uint32_t tid, const void *addr, const char *access, const uintptr_t *frames,
		       size_t count, const char *end)
{
	add_of(10, tid, addr, access, frames, count, end);
}

#define ADD_ENDED(tid, addr, access, end, ...)                     \
	add(tid, addr, access, (const uintptr_t[]){ __VA_ARGS__ }, \
	    sizeof((const uintptr_t[]){ __VA_ARGS__ }) / sizeof(uintptr_t), end)
#define ADD(tid, addr, access, ...) ADD_ENDED(tid, addr, access, "", __VA_ARGS__)
#define ADD_COMPLETE(tid, addr, access, ...) \
	ADD_ENDED(tid, addr, access, " complete=yes", __VA_ARGS__)
#define ADD_CUT(tid, addr, access, ...) ADD_ENDED(tid, addr, access, " truncated=yes", __VA_ARGS__)
#define ADD_ELSEWHERE(tid, addr, access, ...) \
	ADD_ENDED(tid, addr, access, " truncated=yes elsewhere=yes", __VA_ARGS__)

/** The time of the fault that is added next. */
static inline long next_time(void)
{
	const char *last = strstr(strbuf_text(&events), " time=");

	for (const char *next = last; next; next = strstr(next + 1, " time="))
		last = next;
	return strtol(last + strlen(" time="), NULL, 10) + 1;
}

/** Add a process that thread @tid of process @parent makes before the fault that is added next. */
static inline void add_process(unsigned pid, unsigned parent, unsigned tid)
{
	strbuf_printf(&events, "fork time=%ld pid=%u parent_pid=%u parent_tid=%u\n", next_time(),
		      pid, parent, tid);
}

/** Add a fault without a stack, by the instruction at @ip. */
static inline void add_alone(uint32_t tid, const void *addr, const char *access, uintptr_t ip)
{
	static unsigned time = 500000; // behind all that have stacks

	strbuf_printf(
		&events,
		"fault pid=10 tid=%u time=%u addr=0x%" PRIxPTR " ip=0x%" PRIxPTR " error=%suser\n",
		tid, ++time, (uintptr_t)addr, ip, strcmp(access, "write") == 0 ? "write," : "");
}

static inline void expect(size_t i, enum model_initiator initiator, enum model_certainty certainty)
{
	assert_true(i < model->fault_count);
	assert_string_equal(model_initiator_name(model->faults[i].initiator),
			    model_initiator_name(initiator));
	assert_int_equal(model->faults[i].certainty, certainty);
}

/** Expect fault @i to be of the initializer @name. */
static inline void expect_initializer(size_t i, const char *name)
{
	expect(i, MODEL_STATIC_INIT, MODEL_STACK);
	assert_true(model->faults[i].initializer < model->initializer_count);
	assert_string_equal(model->initializers[model->faults[i].initializer].function, name);
}
