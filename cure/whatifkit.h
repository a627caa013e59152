// SPDX-License-Identifier: Apache-2.0
// Shared parts of the predictions: the run, the programs that are executed, sums of what vanishes.
#pragma once

#include "base/vec.h"
#include "cure/whatif.h"
#include "model/account.h"

/** The run that is predicted from. */
struct whatif_kit {
	const struct model *model;
	const struct whatif_options *options;
	struct whatif_answer *answer;
	struct arena *arena; // of the answer
	uint64_t page_size;
	double own[MODEL_KINDS];     // of the time of a fault what no other program took
	const uint32_t *executables; // by program: into model.objects, MODEL_NONE: not known
	VEC(struct whatif) list;
};

/** Changes that a cure makes to the run. */
struct whatif_change {
	double faults; // gone, less those that are new
	uint64_t major, read_bytes;
	uint64_t fault_ns; // of the faults gone
	uint64_t cpu_ns;   // computing that is spared
	double variance;   // of cpu_ns, by sampling
};

/** The whole of @fault is gone. */
void whatif_drop(struct whatif_change *change, const struct whatif_kit *kit,
		 const struct model_fault *fault);

/** Add @row, whose after is the run less @change. */
void whatif_add(struct whatif_kit *kit, struct whatif row, const struct whatif_change *change);

/** Add @row as one that does not apply, for @reason. */
void whatif_refuse(struct whatif_kit *kit, struct whatif row, const char *reason);

/** Is @object, an index of model.objects, among those asked for? */
bool whatif_is_asked(const struct whatif_kit *kit, uint32_t object);

/** Computing of all threads by @initiator, in ns; 0 where it is not known. */
uint64_t whatif_cpu(const struct whatif_kit *kit, enum model_initiator initiator);

/** @part, from 0 to 1, of what @initiator computed is spared. */
void whatif_spare(struct whatif_change *change, const struct whatif_kit *kit,
		  enum model_initiator initiator, double part);

/** Does @fault read a file's page that the process had not mapped? Then neighbours come with it. */
static inline bool whatif_maps_around(const struct model_fault *fault)
{
	return fault->mechanism == MODEL_FILE_MAP && fault->access != MODEL_ACCESS_WRITE;
}

/** "12 files", "libfoo.so". */
const char *whatif_files(struct whatif_kit *kit, const uint32_t *objects, size_t count);

// The cures, each in a file of its name; in the order of the answer.
void whatif_relr(struct whatif_kit *kit);
void whatif_link(struct whatif_kit *kit);
void whatif_order(struct whatif_kit *kit);
void whatif_around(struct whatif_kit *kit);
void whatif_huge(struct whatif_kit *kit);
void whatif_readahead(struct whatif_kit *kit);
