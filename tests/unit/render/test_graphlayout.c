// SPDX-License-Identifier: Apache-2.0
// Placement of graphs.
#include "render/graph/graph.h"
#include "render/graph/layout.h"
#include "render/graph/graphviz.h"

#include "base/cleanup.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

#include <string.h>
#include <sys/resource.h>

static int need_graphviz(void **state)
{
	if (!graphviz_is_there)
		skip();
	return 0;
}

static bool overlap(const struct graph_box *a, const struct graph_box *b)
{
	return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
	       b->y < a->y + a->height;
}

/** Whether @point lies on the border of @box, or nearly. */
static bool is_at(const struct graph_point *point, const struct graph_box *box)
{
	return point->x >= box->x - 2 && point->x <= box->x + box->width + 2 &&
	       point->y >= box->y - 2 && point->y <= box->y + box->height + 2;
}

TEST(boxes_stand_apart_and_edges_join_them)
{
	static const uint32_t needed[] = { 1 };
	CLEANUP(model_closep) struct model *model = models_sample();
	struct model_object *objects = (struct model_object *)model->objects;

	need_graphviz(state);
	objects[0].needed = needed;
	objects[0].needed_count = 1;
	for (unsigned kind = 0; kind < GRAPH_KINDS; kind++) {
		CLEANUP(graph_deinit) struct graph graph;
		CLEANUP(graph_layout_deinit) struct graph_layout layout;
		struct err err;

		graph_build(&graph, model, (enum graph_kind)kind, &(struct graph_options){ 0 });
		if (!graph_layout_init(&layout, &graph, &err))
			fail_msg("%s", err.message);
		assert_true(graph.node_count > 2 && graph.edge_count > 0);
		for (size_t i = 0; i < graph.node_count; i++) {
			const struct graph_box *box = &layout.boxes[i];

			assert_true(box->x >= -1 && box->x + box->width <= layout.width + 1);
			assert_true(box->y >= -1 && box->y + box->height <= layout.height + 1);
			for (size_t j = 0; j < i; j++)
				assert_false(overlap(box, &layout.boxes[j]));
		}
		for (size_t i = 0; i < graph.edge_count; i++) {
			const struct graph_path *path = &layout.paths[i];

			assert_true(path->count >= 4 && path->count % 3 == 1);
			assert_true(is_at(&path->points[0], &layout.boxes[graph.edges[i].from]));
			assert_true(is_at(&path->points[path->count - 1],
					  &layout.boxes[graph.edges[i].to]));
		}
	}
}

TEST(a_layout_that_fails_is_an_error)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	CLEANUP(graph_deinit) struct graph graph;
	CLEANUP(graph_layout_deinit) struct graph_layout layout;
	struct rlimit before, none;
	struct err err = { 0 };

	need_graphviz(state);
	graph_build(&graph, model, GRAPH_CAUSES, &(struct graph_options){ 0 });
	// The child takes this limit over: it cannot read a single file.
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 5; // the pipe's ends and no more
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	bool ok = graph_layout_init(&layout, &graph, &err);

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_false(ok);
	assert_true(strlen(err.message) > 0);
}
