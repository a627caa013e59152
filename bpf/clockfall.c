// SPDX-License-Identifier: Apache-2.0
#include "bpf/clockfall.h"

#include "base/clock.h"

void clockfall_start(struct clockfall *fall)
{
	fall->look_ns = clock_now_ns() + CLOCKFALL_NS;
}

bool clockfall_is_due(struct clockfall *fall, uint64_t (*ran)(const void *of), const void *of)
{
	enum { AGAIN_NS = 10000000 };
	uint64_t now, ran_ns;

	if (fall->look_ns == 0 || (now = clock_now_ns()) < fall->look_ns)
		return false;
	ran_ns = ran(of);
	fall->look_ns = ran_ns < CLOCKFALL_NS ? now + AGAIN_NS + (CLOCKFALL_NS - ran_ns) : 0;
	return fall->look_ns == 0;
}
