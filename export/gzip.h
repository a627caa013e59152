// SPDX-License-Identifier: Apache-2.0
// A compressed file, written as it comes.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

struct gzip {
	z_stream stream;
	FILE *out;
	bool failed; // once and for all
};

/** Begin; to be ended with gzip_end(). */
void gzip_begin(struct gzip *gzip, FILE *out);

/** Write what is in @buf, and empty it. */
void gzip_drain(struct gzip *gzip, struct strbuf *buf);

/** Write what is left and release all. @err: ERR_OS if anything failed. */
bool gzip_end(struct gzip *gzip, struct err *err);
