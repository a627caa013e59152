// SPDX-License-Identifier: Apache-2.0
#include "base/filelimit.h"

#include <sys/resource.h>

void filelimit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit); // if not, opening says so
}
