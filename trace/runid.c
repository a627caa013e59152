// SPDX-License-Identifier: Apache-2.0
// The number of a recording, so that one that is counted twice is seen to be one.
#include "trace/trace.h"

#include "base/strbuf.h"

#include <inttypes.h>
#include <xxhash.h>

/** Append @text so that neither it nor its end can be taken for what is beside it. */
static void add_text(struct strbuf *buf, const char *text)
{
	strbuf_printf(buf, " %zu:%s", text ? strlen(text) : 0, text ? text : "");
}

static void add_fault(struct strbuf *buf, const struct trace_fault *fault)
{
	strbuf_printf(buf, " %" PRIu64 " %" PRIx64 " %" PRIx64, fault->time_ns, fault->addr,
		      fault->ip);
}

uint64_t trace_run_id(const struct trace *trace)
{
	const struct trace_meta *meta = &trace->meta;
	CLEANUP(strbuf_deinit) struct strbuf facts = { 0 };

	strbuf_printf(&facts, "%" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu64 " %zu %zu",
		      meta->start_unix_ns, meta->start_ns, meta->root_pid, trace->summary.end_ns,
		      trace->faults.count, trace->mappings.count);
	add_text(&facts, meta->kernel);
	add_text(&facts, meta->machine);
	// Addresses are random where the kernel makes them so.
	if (trace->faults.count > 0) {
		add_fault(&facts, &trace->faults.items[0]);
		add_fault(&facts, &trace->faults.items[trace->faults.count - 1]);
	}
	return XXH64(strbuf_text(&facts), facts.length, 0);
}
