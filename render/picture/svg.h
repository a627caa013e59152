// SPDX-License-Identifier: Apache-2.0
// Shared parts of the SVG picture.
#pragma once

#include "base/strbuf.h"
#include "render/picture/picture.h"
#include "render/picture/scale.h"
#include "render/picture/story.h"

/** A rectangle, in pixels. */
struct svg_box {
	unsigned x, y, width, height;
};

/** One picture being written. */
struct svg {
	struct picture picture;
	const struct render_picture_options *options;
	struct strbuf buf;
	struct svg_box plot;  // where the marks are; bands are placed from its upper edge on
	struct svg_box strip; // the file to scale
	bool has_bars;	      // beside the counts of bands
	struct scale time;
	struct story story;
	bool has_story;		      // time was recorded
	const struct story_row *rows; // of the story, above the phases
	size_t row_count;
};

enum { SVG_SMALL = 11, SVG_NORMAL = 12, SVG_NAME_MAX = 100 };

/** In pixels: around everything, between the strip and the bands, from a line of text to the next.
 */
enum { SVG_MARGIN = 16, SVG_FUNNEL = 26, SVG_LINE = 17 };

/** Numbers are written as for a terminal that shows everything. */
extern const struct terminal svg_terminal;

/** Append @text, at most @limit characters of it, made safe. */
void svg_name(struct svg *svg, const char *text, size_t limit);

/** How wide @text of @size is at most, about: nobody knows the font. */
unsigned svg_width(const char *text, unsigned size);

/** A <text>; @class: words of the style, "" for plain text. It is cut to fit @room pixels. */
void svg_text(struct svg *svg, unsigned x, unsigned y, const char *class, unsigned size,
	      unsigned room, const char *text);

/** A <rect> with this class; @title, which is made safe, may be NULL. */
void svg_rect(struct svg *svg, const struct svg_box *box, const char *class, const char *title);

/** A rectangle in the hue of @cause and the texture of @state; @title as above. */
void svg_state(struct svg *svg, const struct svg_box *box, enum model_initiator cause,
	       enum model_state state, const char *title);

/** Fault-around and marks: as fine and as fully named as @room bytes allow. */
void svg_marks(struct svg *svg, size_t room);

/** The strip, and lines from it to the bands. */
void svg_strip(struct svg *svg);

/** Everything above the plot, from the start of the document on. Returns the y below it. */
unsigned svg_head(struct svg *svg);

/** All that a small picture has above its lane. */
void svg_small(struct svg *svg);
