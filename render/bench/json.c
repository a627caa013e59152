// SPDX-License-Identifier: Apache-2.0
#include "render/bench/bench.h"

#include "render/columns/columns.h"

bool render_bench_json(const struct bench *bench, FILE *out)
{
	return columns_print("bench", bench, NULL, out);
}
