// SPDX-License-Identifier: Apache-2.0
// An answer in the formats of other tools: a writer per file or folder, see tools.def.
#pragma once

#include "base/err.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** The weight of a fault in a format that has one number per stack. */
enum export_weight {
	EXPORT_FAULTS,
	EXPORT_TIME,  // nanoseconds in the fault, where its duration is known
	EXPORT_BYTES, // brought into the page cache by it
	EXPORT_WEIGHTS,
};

/** All that writers ask for; each takes its part. */
struct export_tool_options {
	enum export_weight weight;
	bool causes;		   // what was touched, and why, as the innermost frames
	const char *version;	   // "elfault 0.1.0": what writes it
	const char *const *labels; // "key=value": over those of the trace with the same key
	size_t label_count;
};

/** Writes one export. @err: ERR_OS if @out failed. */
typedef bool export_tool_writer(const struct model *model,
				const struct export_tool_options *options, FILE *out,
				struct err *err);

/** The name of a thread. @comm: into model.comms, or MODEL_NONE for one without a name. */
static inline const char *export_comm(const struct model *model, uint32_t comm)
{
	return comm == MODEL_NONE ? "[unknown]" : model->comms[comm];
}

/** The word for @weight: "faults", "time", "bytes". */
const char *export_weight_name(enum export_weight weight);

/** Return the weight of @fault. */
uint64_t export_weigh(const struct model *model, const struct model_fault *fault,
		      enum export_weight weight);
