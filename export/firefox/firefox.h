// SPDX-License-Identifier: Apache-2.0
// Shared parts of the processed profile of Firefox Profiler. Version 70 of the format:
// src/types/profile.ts of github.com/firefox-devtools/profiler.
#pragma once

#include "export/calltree.h"
#include "export/textids.h"
#include "export/tracks.h"
#include "model/io.h"

#include <stdio.h>

/**
 * Categories colour samples and markers: of the initiators, then of the two kinds of waits. The
 * category of a frame of calltree, and of a marker.
 */
enum firefox_category {
	FIREFOX_OTHER, // what has no category of its own
	FIREFOX_INITIATORS,
	FIREFOX_WAIT = FIREFOX_INITIATORS + MODEL_INITIATORS,
	FIREFOX_FILE_IO,
};

/** Subcategories of an initiator; those of waits are the words of waits, one higher. */
enum firefox_activity {
	FIREFOX_ANYTHING,
	FIREFOX_CPU,
	FIREFOX_KERNEL,
	FIREFOX_MINOR,
	FIREFOX_MAJOR,
};

/** A profile while it is written: tables that threads refer to come after the threads. */
struct firefox {
	const struct model *model;
	FILE *out;
	bool ok;
	struct strbuf buf;
	struct calltree tree;
	struct tracks tracks;
	struct textids strings;
	struct arena arena;    // of the next
	struct model view;     // of model_io_view()
	struct u64map touched; // hash of what faults touched -> frame of the tree
};

/** Write out what is there, if it is much. */
void firefox_drain(struct firefox *to);

/** The index of @text in the profile's strings. */
uint32_t firefox_string(struct firefox *to, const char *text);

/** A category and its subcategory as one number, for calltree_frame. */
static inline uint32_t firefox_category(uint32_t category, uint32_t subcategory)
{
	return category << 8 | subcategory;
}

/** Append the columns of a table: "name":[value,value ...] */
void firefox_column(struct firefox *to, const char *name);
void firefox_column_end(struct firefox *to);
/** A column of what @put writes for each row @i of @count. */
#define FIREFOX_COLUMN(to, name, i, count, put)        \
	do {                                           \
		firefox_column(to, name);              \
		for (size_t i = 0; i < (count); i++) { \
			firefox_next(to, i == 0);      \
			put;                           \
		}                                      \
		firefox_column_end(to);                \
	} while (0)
/** A column whose @count values are all @value. */
void firefox_column_of(struct firefox *to, const char *name, size_t count, const char *value);
/** Before each value but the first. */
static inline void firefox_next(struct firefox *to, bool is_first)
{
	if (!is_first)
		strbuf_putc(&to->buf, ',');
	firefox_drain(to);
}

/** meta and libs. */
void firefox_add_meta(struct firefox *to);
/** counters: of each process. */
void firefox_add_counters(struct firefox *to);
/** threads: of each track. */
void firefox_add_threads(struct firefox *to);
/** markers: of a thread. */
void firefox_add_markers(struct firefox *to, const struct track *track);
/** shared: what all threads refer to. */
void firefox_add_tables(struct firefox *to);
