// SPDX-License-Identifier: Apache-2.0
// What tells a recording from any other, so that one that is counted twice is seen to be one.
#include "trace/trace.h"

#include "base/strbuf.h"

#include <inttypes.h>
#include <xxhash.h>

/** Append @text so that neither it nor its end can be taken for what is beside it. */
static void add_text(struct strbuf *buf, const char *text)
{
	strbuf_printf(buf, " %zu:%s", text ? strlen(text) : 0, text ? text : "");
}

uint64_t trace_run_id(const struct trace *trace)
{
	const struct trace_meta *meta = &trace->meta;
	CLEANUP(strbuf_deinit) struct strbuf facts = { 0 };

	strbuf_printf(&facts, "%" PRIu64 " %" PRIu64 " %" PRIu32, meta->start_unix_ns,
		      meta->start_ns, meta->root_pid);
	add_text(&facts, meta->host);
	add_text(&facts, meta->kernel);
	add_text(&facts, meta->machine);
	for (size_t i = 0; i < meta->command_count; i++)
		add_text(&facts, meta->command[i]);
	// Its addresses are random where the kernel makes them so.
	if (trace->faults.count > 0) {
		const struct trace_fault *first = &trace->faults.items[0];

		strbuf_printf(&facts, " %" PRIu64 " %" PRIx64 " %" PRIx64, first->time_ns,
			      first->addr, first->ip);
	}
	return XXH64(strbuf_text(&facts), facts.length, 0);
}
