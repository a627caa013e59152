// SPDX-License-Identifier: Apache-2.0
// Whether a backend really works here: one fault of our own, recorded.
#pragma once

#include "base/err.h"

/** Record a page fault of this process through BPF. @err says what did not work. */
bool trial_bpf(struct err *err);

/** The same through perf events. */
bool trial_perf(struct err *err);
