// SPDX-License-Identifier: Apache-2.0
// Built without graphviz: no graphs.
#include "render/graph/graphviz.h"

#include <errno.h>

const bool graphviz_is_there = false;

bool graphviz_write(const struct graph *graph, FILE *out)
{
	errno = ENOSYS;
	return false;
}

bool graphviz_layout(const struct graph *graph, const struct graph_box *sizes, FILE *out)
{
	return graphviz_write(graph, out);
}
