// SPDX-License-Identifier: Apache-2.0
// Names made safe: UTF-8, terminal, JSON and CSV.
#include "render/escape.h"
#include "tests/support/test.h"

#include <string.h>

#define REPLACED "\xef\xbf\xbd"

static void expect(void (*escape)(struct strbuf *, const char *), const char *text,
		   const char *expected)
{
	struct strbuf buf = { 0 };

	escape(&buf, text);
	assert_string_equal(strbuf_text(&buf), expected);
	strbuf_deinit(&buf);
}

TEST(valid_utf8_stays_as_it_is)
{
	expect(escape_utf8, "", "");
	expect(escape_utf8, "main\x7f\n", "main\x7f\n");
	expect(escape_utf8, "\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80",
	       "\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80");
	expect(escape_utf8, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(each_byte_that_is_not_utf8_is_replaced)
{
	expect(escape_utf8,
	       "a\xff"
	       "b",
	       "a" REPLACED "b");
	expect(escape_utf8, "\x80", REPLACED);
	expect(escape_utf8, "cut \xe2\x82", "cut " REPLACED REPLACED);
	expect(escape_utf8, "\xc0\xaf", REPLACED REPLACED);		 // overlong
	expect(escape_utf8, "\xe0\x9f\xbf", REPLACED REPLACED REPLACED); // overlong
	expect(escape_utf8, "\xed\xa0\x80", REPLACED REPLACED REPLACED); // surrogate
	expect(escape_utf8, "\xf4\x90\x80\x80", REPLACED REPLACED REPLACED REPLACED);
	expect(escape_utf8, "\xf8\x88\x80\x80\x80", REPLACED REPLACED REPLACED REPLACED REPLACED);
}

TEST(a_terminal_sees_no_control_characters)
{
	expect(escape_terminal, "\x1b[31mred\x07\x7f", "\\x1b[31mred\\x07\\x7f");
	expect(escape_terminal, "two\nlines\ttab", "two\\x0alines\\x09tab");
	expect(escape_terminal,
	       "\xc2\x9b"
	       "1m",
	       "\\u009b1m");
	expect(escape_terminal,
	       "\xe2\x80\xae"
	       "cod\xe2\x81\xa6",
	       "\\u202ecod\\u2066");
	expect(escape_terminal, "\xff", "\\xff");
	expect(escape_terminal, "caf\xc3\xa9 \\n", "caf\xc3\xa9 \\n");
}

TEST(a_json_string_has_quotes_and_escapes)
{
	expect(escape_json, "", "\"\"");
	expect(escape_json, "a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
	expect(escape_json, "\n\r\t\x01\x1b\x7f", "\"\\n\\r\\t\\u0001\\u001b\\u007f\"");
	expect(escape_json_document, "{\"a\tb\\n\":\"\x7f\xff\xc2\x85\xe2\x80\xae\xc3\xa9\"}",
	       "{\"a\tb\\n\":\"\\u007f" REPLACED "\\u0085\\u202e\xc3\xa9\"}");
	expect(escape_json, "\xff\xe2\x82\xac\xc2\x85", "\"" REPLACED "\xe2\x82\xac\\u0085\"");
}

TEST(a_csv_field_is_no_formula_and_acts_on_nobody)
{
	expect(escape_csv, "=1+1", "'=1+1");
	expect(escape_csv, "+[Foo bar]", "'+[Foo bar]");
	expect(escape_csv, "-bash", "'-bash");
	expect(escape_csv, "@sum", "'@sum");
	expect(escape_csv, "  =HYPERLINK(\"x\",1)", "\"'  =HYPERLINK(\"\"x\"\",1)\"");
	expect(escape_csv, "a=b", "a=b");
	expect(escape_csv, "\t=1", "\\x09=1");
	expect(escape_csv, "\xe2\x80\xae\x1b[31m", "\\u202e\\x1b[31m");
}

TEST(a_csv_field_is_quoted_only_where_needed)
{
	expect(escape_csv, "plain name", "plain name");
	expect(escape_csv, "f(int, char)", "\"f(int, char)\"");
	expect(escape_csv, "say \"no\"", "\"say \"\"no\"\"\"");
	expect(escape_csv, "a\r\nb\xff", "a\\x0d\\x0ab" REPLACED);
	expect(escape_csv, " edge", "\" edge\"");
	expect(escape_csv, "", "");
}

TEST(xml_has_no_foreign_markup_or_control_characters)
{
	expect(escape_xml, "f(int&, char) <T> \"x\" 'y'",
	       "f(int&amp;, char) &lt;T&gt; &quot;x&quot; &#39;y&#39;");
	expect(escape_xml, "a\x1b[31m\r\n\tb\x7f", "a[31mb");
	expect(escape_xml,
	       "\xe2\x80\xae"
	       "abc\xc2\x85",
	       "abc");
	expect(escape_xml, "\xef\xbf\xbe\xef\xbf\xbf\xff", REPLACED REPLACED REPLACED);
	expect(escape_xml, "\xc3\xbc \xf0\x9f\x98\x80", "\xc3\xbc \xf0\x9f\x98\x80");
}
