// SPDX-License-Identifier: Apache-2.0
// What each sample of the processor stands for: its part of what its thread computed.
#pragma once

#include "correlate/time/lives.h"

/** Set part.ns of each of @lives' samples; those of one life make up its divided_ns. */
void samplepart_fill(struct lives *lives, const struct trace *trace);
