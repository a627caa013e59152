// SPDX-License-Identifier: Apache-2.0
// All that is asked of graphviz; nographviz.c answers where it was not there at build time.
#pragma once

#include "render/graph/layout.h"

#include <stdio.h>

/** Whether this program was built with it. */
extern const bool graphviz_is_there;

/** Write @graph in the language of dot; false with errno set if @out failed. */
bool graphviz_write(const struct graph *graph, FILE *out);

/**
 * Lay out @graph, whose nodes have the width and height of @sizes, and write doubles to @out: width
 * and height of all; the centre of each node, as x and y; of each edge the number of its points,
 * then their x and y. y grows upwards. May use up what there is: to be called in a process with
 * limits.
 */
bool graphviz_layout(const struct graph *graph, const struct graph_box *sizes, FILE *out);
