// SPDX-License-Identifier: Apache-2.0
// The answer of `elfault bench`. Each function returns false with errno set if @out failed.
#pragma once

#include "compare/bench.h"
#include "render/terminal.h"

#include <stdbool.h>
#include <stdio.h>

bool render_bench_text(const struct bench *bench, const struct terminal *terminal, FILE *out);

/** One document, docs/schema/bench.schema.json. */
bool render_bench_json(const struct bench *bench, FILE *out);
