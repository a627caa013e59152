// SPDX-License-Identifier: Apache-2.0
// How all parts of a profile are written.
#include "export/firefox/firefox.h"

#include "export/jsontext.h"
#include "render/emit.h"

#include <string.h>

void firefox_drain(struct firefox *to)
{
	to->ok = to->ok && emit_drain(&to->buf, JSONTEXT_DRAIN_BYTES, to->out);
}

uint32_t firefox_string(struct firefox *to, const char *text)
{
	bool is_new;

	return textids_copy(&to->strings, text, strlen(text), &is_new);
}

void firefox_column(struct firefox *to, const char *name)
{
	strbuf_printf(&to->buf, "\"%s\":[", name);
}

void firefox_column_end(struct firefox *to)
{
	emit_literal(&to->buf, "],");
}

void firefox_column_of(struct firefox *to, const char *name, size_t count, const char *value)
{
	FIREFOX_COLUMN(to, name, i, count, strbuf_puts(&to->buf, value));
}
