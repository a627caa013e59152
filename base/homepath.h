// SPDX-License-Identifier: Apache-2.0
// Removes home directories from text that leaves the machine.
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "base/vec.h"

#include <stdbool.h>

/**
 * Stands for the home of whoever reads it in the paths of a trace that was redacted; other homes
 * have a number behind it. It is a home directory like /home/NAME, so that answers show "~" for it.
 */
#define HOMEPATH_REDACTED "/home/~"

/** Finds the home directories in a text. Zero-initialise but for rest, which is the text. */
struct homepath_search {
	const char *rest; // what was not searched yet
	const char *home; // the last that was found
	size_t length;	  // its bytes
	char before;	  // the byte before rest
	bool is_option;
};

/** Find the next home directory, as homepath_shorten() takes them; false if there is no other. */
bool homepath_next(struct homepath_search *search);

/** Tell whether @length bytes of @home are the caller's own home ($HOME). */
bool homepath_is_own(const char *home, size_t length);

/**
 * The path on this machine of a file that a trace names @path: where it is below
 * HOMEPATH_REDACTED, below $HOME. Returns @path, or a text of @buf.
 */
const char *homepath_here(struct strbuf *buf, const char *path);

/**
 * Append @text with every home directory in it written as "~": the caller's own ($HOME), /root,
 * /home/NAME and /var/home/NAME. A path is taken to begin at the start of @text or behind anything
 * but a letter, a digit or one of "/._-".
 */
void homepath_shorten(struct strbuf *buf, const char *text);

/** The same as a text of @arena. */
const char *homepath_shortened(struct arena *arena, const char *text);

/** True if @shortened, which has a "~", is what homepath_shorten() makes of @text. */
bool homepath_is_short_for(const char *shortened, const char *text);

/** Shortened texts by the address of the text. Release with homepaths_deinit(). */
struct homepaths {
	struct arena *arena; // of the shortened texts
	struct u64map known;
	VEC(const char *) shortened;
};

/**
 * @text shortened, itself where it has no home directory; NULL for NULL. The same address gives the
 * same one: texts that are one stay one.
 */
const char *homepaths_get(struct homepaths *paths, const char *text);
void homepaths_deinit(struct homepaths *paths);
