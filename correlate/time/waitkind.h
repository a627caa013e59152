// SPDX-License-Identifier: Apache-2.0
// Kinds of waits, as far as the system call shows them.
#pragma once

#include "model/waits.h"
#include "trace/trace.h"

enum model_wait waitkind_of(const struct trace *trace, const struct trace_pause *pause);
