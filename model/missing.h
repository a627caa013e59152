// SPDX-License-Identifier: Apache-2.0
// Completeness of an answer, and the text of what is missing.
#pragma once

#include "base/arena.h"
#include "base/missing.h"
#include "model/model.h"

/** Find what @counts lack, see missing_of(). */
struct missing model_missing(const struct model_counts *counts);

/** Faults that the kernel should have counted, by what was found. */
uint64_t model_expected_rusage(const struct model_counts *counts);

/** True if the trace has its end, no fault is missing and no mapping or task record. */
bool model_is_complete(const struct model *model);

/** "61 faults of a program that may not be traced; …": what is missing, in @arena; or NULL. */
const char *model_missing_text(const struct missing *missing, struct arena *arena);
