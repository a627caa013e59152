// SPDX-License-Identifier: Apache-2.0
#include "render/page/data.h"

#include "base/cleanup.h"
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

static void add_link(struct pagefaults *page, const char *name, const uint32_t *rows, size_t count)
{
	struct column *column = &page->columns[page->column_count++];

	*column = (struct column){ name, 4, COLUMN_PLAIN, { 0 } };
	for (size_t i = 0; i < count; i++)
		column_push(column, rows[i] + 1); // MODEL_NONE becomes 0
}

/** @rows of symbols in the order of the page, which has those that were touched. */
static const uint32_t *order_symbols(const struct pagefaults *page, const struct model *model,
				     const uint32_t *rows, struct arena *arena, size_t *ret_count)
{
	const size_t nameless = model->object_count + 1;
	uint32_t *ordered = arena_array(arena, page->symbols.count + nameless, sizeof(*ordered));

	for (size_t i = 0; i < page->symbols.count; i++)
		ordered[i] = rows[page->symbols.items[i]];
	memcpy(ordered + page->symbols.count, rows + model->symbol_count, nameless * sizeof(*rows));
	*ret_count = page->symbols.count + nameless;
	return ordered;
}

/** Add the places of the model's items in a comparison, numbered as the page numbers them. */
static void add_links(struct pagefaults *page, const struct model *model,
		      const struct compare_links *links, struct arena *arena)
{
	_Static_assert(PAGEFAULTS_LINKS == 1 + COMPARE_TABLES, "each has room");
	page->is_side = true;
	add_link(page, "link_object", links->objects, model->object_count);
	for (enum compare_table table = 0; table < COMPARE_TABLES; table++) {
		const uint32_t *rows = links->rows[table];
		size_t count = links->row_count[table];

		if (table == COMPARE_BY_SYMBOL)
			rows = order_symbols(page, model, rows, arena, &count);
		add_link(page, arena_printf(arena, "row_%s", compare_table_name(table)), rows,
			 count);
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

/** The conditions of all findings: of the model, or of the comparison that it is a side of. */
static const char *const *wheres_of(const struct model *model, const struct compare_links *links,
				    struct arena *arena, size_t *ret_count)
{
	const size_t count = links ? links->finding_count : model->finding_count;
	const char **wheres = arena_array(arena, count + 1, sizeof(*wheres));

	for (size_t i = 0; i < count; i++)
		wheres[i] = links ? links->findings[i].where : model->findings[i].where;
	*ret_count = count;
	return wheres;
}

void pagedata_add(struct strbuf *out, const struct model *model,
		  const struct pagedata_options *options)
{
	CLEANUP(strbuf_deinit) struct strbuf raw = { 0 };
	CLEANUP(pagefaults_deinit) struct pagefaults page;
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t where_count;
	const char *const *wheres = wheres_of(model, options->links, &arena, &where_count);

	pagefaults_init(&page, model, options->merge_above, wheres, where_count);
	if (options->links)
		add_links(&page, model, options->links, &arena);
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
