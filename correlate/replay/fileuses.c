// SPDX-License-Identifier: Apache-2.0
// Uses of files that faults show, while they are replayed.
#include "correlate/replay/replay.h"

#include "base/cleanup.h"
#include "base/range.h"
#include "base/u64map.h"

#include <string.h>

bool fileuses_is_exact(const struct trace *trace)
{
	vec_foreach (note, &trace->notes.list)
		if (strncmp(note->text, TRACE_NOTE_EXACT, strlen(TRACE_NOTE_EXACT)) == 0)
			return true;
	return false;
}

void fileuses_fault(struct fileuses *uses, struct aspace *aspace, const struct trace_fault *fault,
		    uint64_t page_size, uint64_t start_ns)
{
	struct model_file_use use = { .time_ns = trace_since(fault->time_ns, start_ns) };
	struct aspace_place at;

	// The mechanism does not matter: a page that was copied was read as well.
	if (!aspace_find(aspace, fault->addr, &at) || !at.has_offset)
		return;
	use.file = at.object;
	use.offset = align_down(at.offset, page_size);
	use.size = page_size;
	use.use = MODEL_USE_FAULT;
	vec_push(&uses->list, use);
	if (!(fault->flags & TRACE_FAULT_HAS_AROUND) || uses->is_exact)
		return;
	use.offset = fault->around_offset;
	use.size = fault->around_pages * page_size;
	use.use = MODEL_USE_AROUND;
	vec_push(&uses->list, use);
}

void fileuses_headers(struct fileuses *uses, struct objects *objects, const struct trace *trace)
{
	CLEANUP(u64map_deinit) struct u64map seen = { 0 };

	if (trace->meta.attached)
		return;
	vec_foreach (mapping, &trace->mappings) {
		struct model_file_use use = { .time_ns = trace_since(mapping->time_ns,
								     trace->meta.start_ns),
					      .size = trace->meta.page_size,
					      .use = MODEL_USE_READ };

		if (!(mapping->protection & TRACE_PROTECTION_EXEC) || mapping->path[0] != '/')
			continue;
		use.file = objects_of_mapping(objects, mapping);
		if (u64map_add(&seen, use.file))
			vec_push(&uses->list, use);
	}
}
