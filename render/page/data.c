// SPDX-License-Identifier: Apache-2.0
#include "render/page/data.h"

#include "base/cleanup.h"
#include "render/page/faults.h"
#include "render/columns/node.h"

#include <string.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16 }; // largest, with a gzip header

/** Append @raw, compressed. zlib fails only for want of memory, or if it is called wrongly. */
static void compress_into(struct strbuf *out, const struct strbuf *raw)
{
	z_stream stream = { 0 };
	uint8_t piece[1 << 16];
	size_t left = raw->length;
	int status;

	if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 9,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		oom();
	stream.next_in = (Bytef *)raw->text; // zlib does not write there
	do {
		size_t some = left < (1u << 30) ? left : 1u << 30;

		stream.avail_in = (uInt)some;
		left -= some;
		do {
			stream.next_out = piece;
			stream.avail_out = sizeof(piece);
			status = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
			strbuf_add(out, (const char *)piece, sizeof(piece) - stream.avail_out);
		} while (stream.avail_out == 0);
	} while (left);
	if (status != Z_STREAM_END)
		oom();
	deflateEnd(&stream);
}

/** Add the places of the model's items in a comparison, numbered as the page numbers them. */
static void add_links(struct pagefaults *page, const struct model *model,
		      const struct compare_links *links)
{
	const struct {
		const char *name;
		const uint32_t *rows;
		size_t count;
		const uint32_t *order; // of the page; NULL: as the model has them
	} columns[] = {
		{ "link_object", links->objects, model->object_count, NULL },
		{ "link_section", links->rows[COMPARE_BY_SECTION], model->section_count, NULL },
		{ "link_function", links->rows[COMPARE_BY_FUNCTION], model->function_count, NULL },
		{ "link_symbol", links->rows[COMPARE_BY_SYMBOL], page->symbols.count,
		  page->symbols.items },
		{ "link_initializer", links->rows[COMPARE_BY_INITIALIZER], model->initializer_count,
		  NULL },
	};

	_Static_assert(sizeof(columns) / sizeof(columns[0]) == PAGEFAULTS_LINKS, "each has room");
	page->is_side = true;
	for (size_t c = 0; c < PAGEFAULTS_LINKS; c++) {
		struct column *column = &page->columns[page->column_count++];

		*column = (struct column){ columns[c].name, 4, COLUMN_PLAIN, { 0 } };
		for (size_t i = 0; i < columns[c].count; i++) {
			size_t at = columns[c].order ? columns[c].order[i] : i;

			column_push(column, columns[c].rows[at] + 1); // MODEL_NONE becomes 0
		}
	}
}

/** A length and what is that long: how a block starts. */
static void add_header(struct strbuf *raw, const char *text, size_t length)
{
	for (unsigned shift = 0; shift < 32; shift += 8)
		strbuf_putc(raw, (char)(length >> shift & 0xff));
	strbuf_add(raw, text, length);
}

static void add_packed(struct strbuf *out, const struct strbuf *raw)
{
	CLEANUP(strbuf_deinit) struct strbuf packed = { 0 };

	compress_into(&packed, raw);
	base64_add(out, (const uint8_t *)packed.text, packed.length);
}

void pagedata_add(struct strbuf *out, const struct model *model,
		  const struct pagedata_options *options)
{
	CLEANUP(strbuf_deinit) struct strbuf raw = { 0 };
	CLEANUP(pagefaults_deinit) struct pagefaults page;

	pagefaults_init(&page, model, options->merge_above);
	if (options->links)
		add_links(&page, model, options->links);
	CLEANUP(node_putp)
	struct json_object *header = pageheader_new(model, &page);
	const char *text = json_object_to_json_string_ext(header, JSON_C_TO_STRING_PLAIN);
	if (!text)
		oom();
	add_header(&raw, text, strlen(text));
	for (size_t i = 0; i < page.column_count; i++)
		column_write(&page.columns[i], &raw);
	add_packed(out, &raw);
}

void pagedata_add_text(struct strbuf *out, const char *text, size_t length)
{
	CLEANUP(strbuf_deinit) struct strbuf raw = { 0 };

	add_header(&raw, text, length);
	add_packed(out, &raw);
}
