// SPDX-License-Identifier: Apache-2.0
#include "render/pagedata.h"

#include "base/cleanup.h"
#include "render/base64.h"
#include "render/node.h"
#include "render/pageheader.h"

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

void pagedata_add(struct strbuf *out, const struct model *model, bool full_paths,
		  size_t merge_above)
{
	CLEANUP(strbuf_deinit) struct strbuf raw = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf packed = { 0 };
	CLEANUP(pagefaults_deinit) struct pagefaults page;

	pagefaults_init(&page, model, merge_above);
	CLEANUP(node_putp) struct json_object *header = pageheader_new(model, &page, full_paths);
	const char *text = json_object_to_json_string_ext(header, JSON_C_TO_STRING_PLAIN);
	if (!text)
		oom();
	size_t length = strlen(text);
	for (unsigned shift = 0; shift < 32; shift += 8)
		strbuf_putc(&raw, (char)(length >> shift & 0xff));
	strbuf_add(&raw, text, length);
	for (size_t i = 0; i < page.column_count; i++)
		column_write(&page.columns[i], &raw);
	compress_into(&packed, &raw);
	base64_add(out, (const uint8_t *)packed.text, packed.length);
}
