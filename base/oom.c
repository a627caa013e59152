// SPDX-License-Identifier: Apache-2.0
// The end of a program that has no memory left. A file of its own, since libelfmap has another
// oom(), which comes back to its caller: libelfmap/guard.c.
#include "base/arena.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

int oom_status = 1;

void oom(void)
{
	if (memory_limit_name())
		fprintf(stderr,
			"elfault: more than %s is needed; --memory SIZE allows more, a shorter "
			"recording needs less\n",
			memory_limit_name());
	else
		fputs("elfault: out of memory\n", stderr);
	exit(oom_status);
}
