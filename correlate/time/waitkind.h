// SPDX-License-Identifier: Apache-2.0
// What a thread waited for, as far as its system call says it.
#pragma once

#include "model/waits.h"
#include "trace/trace.h"

enum model_wait waitkind_of(const struct trace *trace, const struct trace_pause *pause);
