// SPDX-License-Identifier: Apache-2.0
// Tests whether a backend works here by recording one fault of this process.
#pragma once

#include "base/err.h"

/** Record a page fault of this process through BPF. @err says what failed. */
bool trial_bpf(struct err *err);

/** The same through perf events. */
bool trial_perf(struct err *err);
