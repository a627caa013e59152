// SPDX-License-Identifier: Apache-2.0
// Names of symbols without what compilers append.
#include "base/symbolname.h"
#include "tests/support/test.h"

#include <string.h>

static void is_known_as(const char *name, const char *expected)
{
	size_t length = symbolname_length(name);

	if (length != strlen(expected) || strncmp(name, expected, length) != 0)
		fail_msg("%s is known as %.*s, not %s", name, (int)length, name, expected);
}

TEST(suffixes_of_compilers_are_taken_off)
{
	is_known_as("foo", "foo");
	is_known_as("foo.cold", "foo");
	is_known_as("foo.cold.12", "foo");
	is_known_as("foo.part.0", "foo");
	is_known_as("foo.isra.0", "foo");
	is_known_as("foo.constprop.3", "foo");
	is_known_as("foo.lto_priv.0", "foo");
	is_known_as("foo.lto_priv.0.lto_priv.0", "foo");
	is_known_as("foo.llvm.1234567890123", "foo");
	is_known_as("foo.__uniq.98765", "foo");
	is_known_as("foo.constprop.0.isra.0.part.1.cold", "foo");
	is_known_as("_ZN3foo3barEv.cold", "_ZN3foo3barEv");
	is_known_as("foo.part.0.1", "foo");
}

TEST(demangled_clones_are_taken_off)
{
	is_known_as("foo(int) [clone .cold]", "foo(int)");
	is_known_as("foo(int) [clone .isra.0] [clone .part.0]", "foo(int)");
	is_known_as("operator[](int)", "operator[](int)");
	is_known_as("a [clone", "a [clone");
	is_known_as(" [clone .cold]", " [clone .cold]");
}

TEST(other_names_stay)
{
	is_known_as("", "");
	is_known_as("]", "]");
	is_known_as(".cold", ".cold");
	is_known_as("cold", "cold");
	is_known_as("foo.part", "foo.part");
	is_known_as("foo.colder", "foo.colder");
	is_known_as("foocold.1", "foocold.1");
	is_known_as("foo.1", "foo.1");
	is_known_as("foo.llvm.", "foo.llvm.");
	is_known_as("buffer.12.34", "buffer.12.34");
}

TEST(entries_lose_their_number)
{
	assert_int_equal(symbolname_entry_length("rela.dyn[1234]"), 8);
	assert_int_equal(symbolname_entry_length("got[0]"), 3);
	assert_int_equal(symbolname_entry_length("got:malloc"), 10);
	assert_int_equal(symbolname_entry_length("got[]"), 5);
	assert_int_equal(symbolname_entry_length("[12]"), 4);
	assert_int_equal(symbolname_entry_length("12]"), 3);
	assert_int_equal(symbolname_entry_length("]"), 1);
	assert_int_equal(symbolname_entry_length(""), 0);
}

TEST(addresses_are_told_from_names)
{
	assert_true(symbolname_is_address("fn@0x12af"));
	assert_true(symbolname_is_address("data@0x12af"));
	assert_false(symbolname_is_address("memcpy@0x12"));
	assert_false(symbolname_is_address("fn@0x12 (x)"));
	assert_false(symbolname_is_address("main"));
	assert_false(symbolname_is_address("fn@"));
}

TEST(people_call_functions_by_their_last_names)
{
	const char *name = "void ns::list<int, std::less<int> >::fill<char>(main(*)(int)) "
			   "[clone .isra.0]";

	assert_true(symbolname_is_called(name, "fill"));
	assert_true(symbolname_is_called(name, "fill<char>"));
	assert_true(symbolname_is_called(name, name));
	assert_false(symbolname_is_called(name, "less")); // an argument
	assert_false(symbolname_is_called(name, "main")); // a parameter
	assert_false(symbolname_is_called(name, "fil"));
	assert_false(symbolname_is_called(name, "ill"));
	assert_false(symbolname_is_called(name, "list")); // a scope
	assert_false(symbolname_is_called(name, ""));
	assert_true(symbolname_is_called("ns::(anonymous namespace)::run(int)", "run"));
	assert_true(symbolname_is_called("a::operator<(a const&, b)", "operator<"));
	assert_true(symbolname_is_called("a::operator()(int)", "a::operator()"));
	assert_true(symbolname_is_called("work::fill::h0123456789abcdef", "fill"));
	assert_true(symbolname_is_called("fill.cold", "fill"));
	assert_true(symbolname_is_called("fill@@V2", "fill"));
	assert_false(symbolname_is_called("work::fill::helper", "fill"));
	assert_false(symbolname_is_called("", "fill"));
}
