// SPDX-License-Identifier: Apache-2.0
// The recorder's own priority: while it drains the rings, whatever the machine runs must not keep
// it from a processor.
#include "record/session.h"

#include <errno.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Not real time: a thread of that kind wakes up where it last ran, in place of the program if that
// runs there; an ordinary one goes to a processor that is idle.
enum { NICE_MOST = -20 };

static const uint64_t slice_ns = 100000; // the least that the kernel takes

/** As sched_setattr(2) has it; glibc declares it since 2.41. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

static bool get_attributes(struct attributes *ret_attributes)
{
	return syscall(SYS_sched_getattr, 0, ret_attributes, sizeof(*ret_attributes), 0) == 0;
}

static bool set_attributes(struct attributes *attributes)
{
	return syscall(SYS_sched_setattr, 0, attributes, 0) == 0;
}

/**
 * Of two that may run, the one with the shorter slice goes first, and after it has slept it takes
 * the processor from one with a longer slice. Needs no privilege. Since Linux 6.12, "sched/eevdf:
 * Use sched_attr::sched_runtime to set request/slice suggestion"; earlier ones pass over it.
 */
static void shorten_slice(struct priority *priority)
{
	struct attributes attributes;

	if (!get_attributes(&attributes))
		return;
	priority->slice_before_ns = attributes.runtime_ns;
	attributes.runtime_ns = slice_ns;
	priority->has_slice = set_attributes(&attributes);
}

static void restore_slice(const struct priority *priority)
{
	struct attributes attributes;

	if (!get_attributes(&attributes))
		return;
	attributes.runtime_ns = priority->slice_before_ns;
	set_attributes(&attributes);
}

void priority_raise(struct priority *priority)
{
	*priority = (struct priority){ 0 };
	shorten_slice(priority);
	errno = 0;

	int before = getpriority(PRIO_PROCESS, 0);

	if (errno != 0 || setpriority(PRIO_PROCESS, 0, NICE_MOST) != 0)
		return;
	priority->is_raised = true;
	priority->before = before;
}

void priority_restore(struct priority *priority)
{
	if (priority->is_raised)
		setpriority(PRIO_PROCESS, 0, priority->before);
	if (priority->has_slice)
		restore_slice(priority);
	*priority = (struct priority){ 0 };
}
