// SPDX-License-Identifier: Apache-2.0
// Grammar of conditions: a row for each way to write one, and for each that is refused.
#include "base/cleanup.h"
#include "record/until/condition.h"
#include "tests/support/test.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_same(const char *text, const char *found, const char *expected)
{
	if (!found != !expected || (found && strcmp(found, expected) != 0))
		fail_msg("%s: %s is not %s", text, found ? found : "none",
			 expected ? expected : "none");
}

TEST(each_kind_has_its_argument)
{
	static const struct {
		const char *text, *name;
		struct condition expected;
	} rows[] = {
		{ "listen", "listen", { CONDITION_LISTEN } },
		{ "listen:1", "listen", { CONDITION_LISTEN, .argument = "1", .port = 1 } },
		{ "listen:65535",
		  "listen",
		  { CONDITION_LISTEN, .argument = "65535", .port = 65535 } },
		{ "listen:./socket", "listen", { CONDITION_LISTEN, .argument = "./socket" } },
		{ "listen:8080/x", "listen", { CONDITION_LISTEN, .argument = "8080/x" } },
		{ "listen:@name", "listen", { CONDITION_LISTEN, .argument = "@name" } },
		{ "output~^ready [0-9]+$",
		  "output",
		  { CONDITION_OUTPUT, .argument = "^ready [0-9]+$" } },
		{ "file:a:b", "file", { CONDITION_FILE, .argument = "a:b" } },
		{ "file:a+created",
		  "file",
		  { CONDITION_FILE, .argument = "a", .is_created = true } },
		{ "file:+created", "file", { CONDITION_FILE, .argument = "+created" } },
		{ "file:a+created/b", "file", { CONDITION_FILE, .argument = "a+created/b" } },
		{ "exec:sh", "exec", { CONDITION_EXEC, .argument = "sh" } },
		{ "function:main", "function", { CONDITION_FUNCTION, .argument = "main" } },
		{ "function:libfoo.so:foo_open",
		  "function",
		  { CONDITION_FUNCTION, .argument = "foo_open", .object = "libfoo.so" } },
		{ "function:foo::open",
		  "function",
		  { CONDITION_FUNCTION, .argument = "foo::open" } },
		{ "notify", "notify", { CONDITION_NOTIFY } },
		{ "window", "window", { CONDITION_WINDOW } },
		{ "quiet:300", "quiet", { CONDITION_QUIET, .argument = "300", .ns = 300000000 } },
		{ "quiet:0.5", "quiet", { CONDITION_QUIET, .argument = "0.5", .ns = 500000 } },
		{ "quiet:1000000000",
		  "quiet",
		  { CONDITION_QUIET, .argument = "1000000000", .ns = 1000000000000000 } },
		{ "mark:ready", "ready", { CONDITION_MARK, .argument = "ready" } },
		{ "5s", "5s", { CONDITION_AFTER, .ns = 5000000000 } },
		{ "1.5s", "1.5s", { CONDITION_AFTER, .ns = 1500000000 } },
		{ "200ms", "200ms", { CONDITION_AFTER, .ns = 200000000 } },
		{ "signal", "signal", { CONDITION_SIGNAL } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct condition *expected = &rows[i].expected;
		CLEANUP(condition_deinit) struct condition condition = { 0 };
		struct err err = { 0 };

		if (!condition_parse(rows[i].text, &condition, &err))
			fail_msg("%s", err.message);
		CLEANUP(freep) char *name = condition_name(&condition);

		// As it was given, whatever the argument is taken from.
		assert_string_equal(condition.text, rows[i].text);
		assert_int_equal(condition.kind, expected->kind);
		assert_same(rows[i].text, condition.argument, expected->argument);
		assert_same(rows[i].text, condition.object, expected->object);
		assert_int_equal(condition.port, expected->port);
		assert_int_equal(condition.ns, expected->ns);
		assert_int_equal(condition.is_created, expected->is_created);
		assert_string_equal(name, rows[i].name);
	}
}

TEST(output_is_an_extended_expression)
{
	CLEANUP(condition_deinit) struct condition condition = { 0 };
	struct err err = { 0 };

	assert_true(condition_parse("output~^ready [0-9]+$", &condition, &err));
	assert_int_equal(regexec(&condition.regex, "ready 8080", 0, NULL, 0), 0);
	assert_int_equal(regexec(&condition.regex, "not ready 8080", 0, NULL, 0), REG_NOMATCH);
}

#define CONDITIONS                                                                    \
	"listen[:PORT|PATH], output~REGEX, file:PATH[+created], exec:NAME, function:" \
	"[OBJECT:]NAME, notify, window, quiet:MS, mark:NAME, 5s, signal"
#define NO_PORT "is neither a port (1 to 65535) nor the path of a socket (with a /, or @NAME)"
#define NONE(text)                                                             \
	{                                                                      \
		text, "'" text "' is no condition; conditions are " CONDITIONS \
	}

TEST(what_is_none_is_refused_with_the_reason)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		NONE(""),
		NONE("lissen:80"),
		NONE("listener"),
		NONE("Listen"),
		NONE("5"),
		NONE("0s"),
		NONE("-1s"),
		NONE("5m"),
		NONE(" 5s"),
		NONE("10000000000s"),
		{ "listen:", "listen:: expected listen[:PORT|PATH]" },
		{ "listen~80", "listen~80: expected listen[:PORT|PATH]" },
		{ "listen:0", "listen:0: '0' " NO_PORT },
		{ "listen:65536", "listen:65536: '65536' " NO_PORT },
		{ "listen:-1", "listen:-1: '-1' " NO_PORT },
		{ "listen: 1", "listen: 1: ' 1' " NO_PORT },
		{ "listen:80x", "listen:80x: '80x' " NO_PORT },
		{ "listen:http", "listen:http: 'http' " NO_PORT },
		{ "output", "output: expected output~REGEX" },
		{ "output:x", "output:x: expected output~REGEX" },
		{ "output~", "output~: expected output~REGEX" },
		{ "output~(", "output~(: Unmatched ( or \\(" },
		{ "file", "file: expected file:PATH[+created]" },
		{ "file:", "file:: expected file:PATH[+created]" },
		{ "exec", "exec: expected exec:NAME" },
		{ "exec~sh", "exec~sh: expected exec:NAME" },
		{ "function", "function: expected function:[OBJECT:]NAME" },
		{ "function:libfoo.so:", "function:libfoo.so:: the function has no name" },
		{ "notify:x", "notify:x: expected notify" },
		{ "window:x", "window:x: expected window" },
		{ "quiet", "quiet: expected quiet:MS" },
		{ "quiet:0", "quiet:0: '0' is no number of milliseconds" },
		{ "quiet:-5", "quiet:-5: '-5' is no number of milliseconds" },
		{ "quiet:5ms", "quiet:5ms: '5ms' is no number of milliseconds" },
		{ "quiet:1000000001",
		  "quiet:1000000001: '1000000001' is no number of milliseconds" },
		{ "mark", "mark: expected mark:NAME" },
		{ "mark:", "mark:: expected mark:NAME" },
		{ "signal:9", "signal:9: expected signal" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct condition condition;
		struct err err = { 0 };

		assert_false(condition_parse(rows[i].text, &condition, &err));
		assert_int_equal(err.code, ERR_INPUT);
		assert_string_equal(err.message, rows[i].message);
	}
}
