// SPDX-License-Identifier: Apache-2.0
#include "render/markdown.h"

#include "base/cleanup.h"
#include "render/escape.h"

void markdown_code(FILE *out, const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	escape_terminal(&buf, text);
	fputc('`', out);
	for (const char *c = strbuf_text(&buf); *c; c++) {
		if (*c == '|')
			fputc('\\', out);
		fputc(*c == '`' ? '\'' : *c, out); // a backtick would end the span
	}
	fputc('`', out);
}
