// SPDX-License-Identifier: Apache-2.0
#include "export/gzip.h"

#include "base/arena.h"

#include <string.h>

enum { GZIP_WINDOW = 15 + 16, OUTPUT_BYTES = 1 << 15 }; // the largest, with a gzip header

void gzip_begin(struct gzip *gzip, FILE *out)
{
	*gzip = (struct gzip){ .out = out };
	// It fails for want of memory only.
	if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		oom();
}

static void compress_all(struct gzip *gzip, int flush)
{
	unsigned char output[OUTPUT_BYTES];

	do {
		gzip->stream.next_out = output;
		gzip->stream.avail_out = sizeof(output);
		deflate(&gzip->stream, flush);
		size_t size = sizeof(output) - gzip->stream.avail_out;

		if (!gzip->failed && fwrite(output, 1, size, gzip->out) != size)
			gzip->failed = true;
	} while (gzip->stream.avail_out == 0);
}

void gzip_drain(struct gzip *gzip, struct strbuf *buf)
{
	gzip->stream.next_in = (unsigned char *)buf->text;
	gzip->stream.avail_in = (unsigned)buf->length; // callers drain long before 4 GiB
	compress_all(gzip, Z_NO_FLUSH);
	strbuf_clear(buf);
}

bool gzip_end(struct gzip *gzip, struct err *err)
{
	gzip->stream.avail_in = 0;
	compress_all(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
	return (fflush(gzip->out) == 0 && !gzip->failed) || err_os(err, "writing");
}
