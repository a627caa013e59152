// SPDX-License-Identifier: Apache-2.0
// When processes execute a program: from its beginning until the first instruction that is known to
// have run, the registers of a thread say nothing. Rings are read one behind the other, so what
// happened then may be asked for when it is over.
#include "record/perf/private.h"

static struct execspan *find(const struct execspans *spans, uint32_t pid)
{
	const uint32_t *index = u64map_get(&spans->by_pid, pid);

	return index ? &spans->list.items[*index] : NULL;
}

void execspans_begin(struct execspans *spans, uint32_t pid, uint64_t time_ns)
{
	const struct execspan begun = { .begin_ns = time_ns, .end_ns = UINT64_MAX };
	struct execspan *known = find(spans, pid);

	if (known) {
		*known = begun;
		return;
	}
	*u64map_put(&spans->by_pid, pid, NULL) = (uint32_t)spans->list.count;
	vec_push(&spans->list, begun);
}

void execspans_end(struct execspans *spans, uint32_t pid, uint64_t time_ns)
{
	struct execspan *span = find(spans, pid);

	if (span && span->end_ns == UINT64_MAX)
		span->end_ns = time_ns;
}

bool execspans_is_open(const struct execspans *spans, uint32_t pid)
{
	const struct execspan *span = find(spans, pid);

	return span && span->end_ns == UINT64_MAX;
}

bool execspans_has(const struct execspans *spans, uint32_t pid, uint64_t time_ns)
{
	const struct execspan *span = find(spans, pid);

	return span && time_ns >= span->begin_ns && time_ns < span->end_ns;
}

void execspans_deinit(struct execspans *spans)
{
	u64map_deinit(&spans->by_pid);
	vec_deinit(&spans->list);
}
