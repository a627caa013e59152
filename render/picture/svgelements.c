// SPDX-License-Identifier: Apache-2.0
// Elements that every part of the SVG draws with: names, texts cut to their room, rectangles.
#include "render/picture/svg.h"

#include "base/text.h"
#include "render/escape.h"

#include <stdio.h>
#include <string.h>

const struct terminal svg_terminal = { .has_utf8 = true };

void svg_name(struct svg *svg, const char *text, size_t limit)
{
	size_t length = 0;
	uint32_t code;

	for (size_t count = 0; text[length] && count < limit; count++) {
		size_t bytes = escape_decode(text + length, &code);

		length += bytes > 0 ? bytes : 1;
	}
	if (!text[length]) {
		escape_xml(&svg->buf, text);
		return;
	}
	CLEANUP(freep) char *head = strndup(text, length);

	if (!head)
		oom();
	escape_xml(&svg->buf, head);
	strbuf_puts(&svg->buf, "\xe2\x80\xa6");
}

/** Thousandths of its size that a character is wide, on the wide side of common fonts. */
enum { CHARACTER_WIDTH = 580 };

unsigned svg_width(const char *text, unsigned size)
{
	return (unsigned)text_letters(text) * size * CHARACTER_WIDTH / 1000; // texts are short
}

void svg_text(struct svg *svg, unsigned x, unsigned y, const char *class, unsigned size,
	      unsigned room, const char *text)
{
	unsigned limit = room * 1000 / (size * CHARACTER_WIDTH);

	strbuf_printf(&svg->buf, "<text x=\"%u\" y=\"%u\" class=\"%s\" font-size=\"%u\">", x, y,
		      class, size);
	svg_name(svg, text, text_letters(text) > limit && limit > 1 ? limit - 1 : limit);
	strbuf_puts(&svg->buf, "</text>\n");
}

void svg_rect(struct svg *svg, const struct svg_box *box, const char *class, const char *title)
{
	strbuf_printf(&svg->buf, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" class=\"%s\"",
		      box->x, box->y, box->width, box->height, class);
	if (!title) {
		strbuf_puts(&svg->buf, "/>\n");
		return;
	}
	strbuf_puts(&svg->buf, "><title>");
	svg_name(svg, title, 2 * SVG_NAME_MAX);
	strbuf_puts(&svg->buf, "</title></rect>\n");
}

void svg_state(struct svg *svg, const struct svg_box *box, enum model_initiator cause,
	       enum model_state state, const char *title)
{
	char class[8] = "late";

	if (state == MODEL_STATE_WAIT)
		strcpy(class, "wait");
	else if (state != MODEL_STATE_RUNNABLE && state != MODEL_STATE_RECORDING)
		snprintf(class, sizeof(class), "c%u", (unsigned)cause);
	svg_rect(svg, box, class, title);
	if (state == MODEL_STATE_FAULT)
		svg_rect(svg, box, "dots", NULL);
	else if (state == MODEL_STATE_FAULT_IO || state == MODEL_STATE_FILE_IO)
		svg_rect(svg, box, "hatch", NULL);
}
