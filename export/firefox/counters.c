// SPDX-License-Identifier: Apache-2.0
// Faults and bytes read over time, of each process, in equal steps.
#include "export/firefox/firefox.h"

#include "base/cleanup.h"
#include "export/export.h"
#include "export/jsontext.h"
#include "render/emit.h"

enum { STEPS = 1000, SHORTEST_NS = 1000 };

/** A counter of the profile. */
struct counter {
	enum export_weight weight;
	const char *head; // how it is shown
};

static const struct counter counters[] = {
	{ EXPORT_FAULTS,
	  "\"name\":\"faults\",\"category\":\"Faults\",\"description\":\"Page faults\","
	  "\"display\":{\"graphType\":\"line-rate\",\"unit\":\"\",\"color\":\"red\","
	  "\"markerSchemaLocation\":null,\"sortWeight\":10,\"label\":\"Faults\",\"tooltipRows\":["
	  "{\"type\":\"value\",\"source\":\"count\",\"format\":{\"unit\":\"number\"},"
	  "\"label\":\"faults in this step\"},"
	  "{\"type\":\"value\",\"source\":\"committed-range-total\","
	  "\"format\":{\"unit\":\"number\"},\"label\":\"faults in the visible range\"},"
	  "{\"type\":\"value\",\"source\":\"selection-total\",\"format\":{\"unit\":\"number\"},"
	  "\"label\":\"faults in the selection\",\"requiresPreviewSelection\":true}]}" },
	{ EXPORT_BYTES,
	  "\"name\":\"bytes read\",\"category\":\"Reads\","
	  "\"description\":\"Bytes that faults brought into memory\","
	  "\"display\":{\"graphType\":\"line-accumulated\",\"unit\":\"bytes\",\"color\":\"blue\","
	  "\"markerSchemaLocation\":null,\"sortWeight\":20,\"label\":\"Bytes read\","
	  "\"tooltipRows\":["
	  "{\"type\":\"value\",\"source\":\"accumulated\",\"format\":{\"unit\":\"bytes\"},"
	  "\"label\":\"read up to this time\"},"
	  "{\"type\":\"value\",\"source\":\"count-range\",\"format\":{\"unit\":\"bytes\"},"
	  "\"label\":\"read in the visible range\"}]}" },
};

/** The faults of the process whose tracks are @first and the @count from there. */
static uint64_t count_steps(const struct firefox *to, size_t first, size_t count,
			    enum export_weight weight, uint64_t step_ns, uint64_t *steps)
{
	uint64_t sum = 0;

	for (size_t t = first; t < first + count; t++) {
		const struct track *track = &to->tracks.list.items[t];

		for (uint64_t i = 0; i < track->fault_count; i++) {
			const struct model_fault *fault =
				&to->model->faults[to->tracks.faults[track->first_fault + i]];
			uint64_t step = fault->time_ns / step_ns;
			uint64_t weighs = export_weigh(to->model, fault, weight);

			steps[step < STEPS ? step : STEPS - 1] += weighs;
			sum += weighs;
		}
	}
	return sum;
}

/** Steps at which something happened, and those beside them, so that the line comes down. */
static bool is_drawn(const uint64_t *steps, size_t i)
{
	return steps[i] > 0 || i == STEPS - 1 || (i > 0 && steps[i - 1] > 0) || steps[i + 1] > 0;
}

static void add_samples(struct firefox *to, const uint64_t *steps, uint64_t step_ns)
{
	size_t length = 1;

	// Front ends take the first for a count that began earlier.
	emit_literal(&to->buf, ",\"samples\":{\"time\":[0");
	for (size_t i = 0; i < STEPS; i++) {
		if (!is_drawn(steps, i))
			continue;
		strbuf_putc(&to->buf, ',');
		jsontext_ms(&to->buf, (i + 1) * step_ns);
		length++;
	}
	emit_literal(&to->buf, "],\"count\":[0");
	for (size_t i = 0; i < STEPS; i++) {
		if (!is_drawn(steps, i))
			continue;
		strbuf_putc(&to->buf, ',');
		emit_number(&to->buf, steps[i]);
	}
	emit_literal(&to->buf, "],\"length\":");
	emit_number(&to->buf, length);
	emit_literal(&to->buf, "}}");
	firefox_drain(to);
}

void firefox_add_counters(struct firefox *to)
{
	const struct tracks *tracks = &to->tracks;
	uint64_t step_ns = to->model->trace.duration_ns / STEPS + 1;
	const char *mark = "";

	step_ns = step_ns < SHORTEST_NS ? SHORTEST_NS : step_ns;
	emit_literal(&to->buf, "\n\"counters\":[");
	for (size_t first = 0, count; first < tracks->list.count; first += count) {
		count = tracks_of_process(tracks, first);
		array_foreach (counter, counters, sizeof(counters) / sizeof(counters[0])) {
			uint64_t steps[STEPS] = { 0 };

			if (!count_steps(to, first, count, counter->weight, step_ns, steps))
				continue;
			strbuf_printf(&to->buf, "%s{%s,\"pid\":\"%u\",\"mainThreadIndex\":%zu",
				      mark, counter->head, tracks->list.items[first].pid, first);
			add_samples(to, steps, step_ns);
			mark = ",";
		}
	}
	emit_literal(&to->buf, "],");
}
