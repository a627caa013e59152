// SPDX-License-Identifier: Apache-2.0
#include "record/priority.h"

#include <errno.h>
#include <sys/resource.h>

// Not real time: a thread of that kind wakes up where it last ran, in place of the program if that
// runs there; an ordinary one goes to a processor that is idle.
enum { NICE_MOST = -20 };

void priority_raise(struct priority *priority)
{
	errno = 0;

	int before = getpriority(PRIO_PROCESS, 0);

	if (errno != 0 || setpriority(PRIO_PROCESS, 0, NICE_MOST) != 0)
		return;
	*priority = (struct priority){ .is_raised = true, .before = before };
}

void priority_restore(struct priority *priority)
{
	if (priority->is_raised)
		setpriority(PRIO_PROCESS, 0, priority->before);
	priority->is_raised = false;
}
