// SPDX-License-Identifier: Apache-2.0
// Sums of the runs of a set: medians, how far runs spread, the run nearest to the median.
#pragma once

#include "base/cleanup.h"
#include "base/err.h"
#include "model/model.h"
#include "model/set.h"

/** A set of runs under way. */
struct runset;

/** @path: the directory of their traces */
struct runset *runset_create(const char *path);
void runset_destroy(struct runset *set);
CLEANUP_POINTER(runset_destroy, struct runset)

/**
 * Add a run; it is not kept. @err: ERR_INPUT: it is of another command than those before, so that a
 * median would mean nothing.
 */
bool runset_add(struct runset *set, const struct model *model, struct err *err);

/**
 * The index of the run whose own time is nearest to the median, of runs without times whose faults
 * are. There is at least one.
 */
size_t runset_nearest(const struct runset *set);

/** Make @model, which shows the nearest run again, tell of the set: model.set. */
void runset_tell(const struct runset *set, struct model *model);
