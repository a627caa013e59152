// SPDX-License-Identifier: Apache-2.0
// Call paths as a tree whose nodes have numbers, each path and each frame once: what formats with
// tables of frames are made of.
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "export/frames.h"

/** Frames that differ in nothing are one. Names are the tree's, or live as long. */
struct calltree_frame {
	const char *name;
	const char *file;  // source file; NULL: unknown
	uint32_t line;	   // in it; 0: unknown
	uint32_t object;   // into model.objects; MODEL_NONE: unknown
	uint32_t depth;	   // how many functions it was inlined through into the outermost
	uint32_t category; // what the caller tells apart; 0: nothing
};

struct calltree_node {
	uint32_t parent; // lower than its own number; MODEL_NONE: a root
	uint32_t frame;
};

/** Zero-initialise but for .model and .is_by_function to use; release with calltree_deinit(). */
struct calltree {
	const struct model *model;
	// The frames of a function are one, at the first of its lines that is seen, without depth:
	// for tools that take what differs in lines for different functions.
	bool is_by_function;
	struct arena arena;
	VEC(struct calltree_frame) frames;
	VEC(struct calltree_node) nodes;

	struct u64map frame_index, node_index;	// hashes -> frames, nodes
	struct u64map of_stack, of_instruction; // below a root -> node, plus one
	struct export_frames path;
	struct strbuf name;
};

void calltree_deinit(struct calltree *tree);

/** The number of @frame, whose strings are copied where it is new. */
uint32_t calltree_frame(struct calltree *tree, const struct calltree_frame *frame);

/** The node of @frame below @parent, which may be MODEL_NONE. */
uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t frame);

/** As @node, its innermost frame with @category. MODEL_NONE stays as it is. */
uint32_t calltree_with_category(struct calltree *tree, uint32_t node, uint32_t category);

/**
 * The node of the innermost frame of @fault's path, the outermost below @root, which may be
 * MODEL_NONE. @root where nothing is known of the path.
 */
uint32_t calltree_path(struct calltree *tree, uint32_t root, const struct model_fault *fault);
