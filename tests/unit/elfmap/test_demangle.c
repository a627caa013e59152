// SPDX-License-Identifier: Apache-2.0
// Names for people, and the bounds that keep a hostile name cheap.
#include "elfmap/elfmap.h"

#include "base/strbuf.h"
#include "tests/support/elffile.h"

#include <sys/resource.h>
#include <time.h>

/** End the test after so many seconds of the processor's time from now; the machine may be busy. 0:
 * never. */
static void limit_time(unsigned int seconds)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_CPU, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	if (seconds)
		limit.rlim_cur = (rlim_t)(clock() / CLOCKS_PER_SEC) + seconds;
	assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
}

static struct elfmap *open_self(void)
{
	static const struct elfmap_options options = { .no_debug_files = true };
	struct elfmap *map = NULL;
	struct err err;

	if (!elfmap_open("/proc/self/exe", &options, &map, &err))
		fail_msg("%s", err.message);
	return map;
}

TEST(names_of_cxx_and_rust_become_readable)
{
	static const struct {
		const char *mangled, *plain;
	} names[] = {
		{ "_ZN4llvm3Foo3barEi", "llvm::Foo::bar(int)" },
		{ "_ZTV3Foo", "vtable for Foo" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
		  "std::vector<int, std::allocator<int> >::push_back(int const&)" },
		{ "_ZN3foo3barEv.cold", "foo::bar() [clone .cold]" },
		{ "_ZN6codecsL5tableE.lto_priv.0", "codecs::table [clone .lto_priv.0]" },
		{ "_ZTV3Foo.localalias", "vtable for Foo [clone .localalias]" },
		{ "_GLOBAL__I__Z3foov", "global constructors keyed to foo()" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
	};

	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(elfmap_demangle(map, names[i].mangled), names[i].plain);
}

TEST(a_name_that_is_not_mangled_is_itself)
{
	static const char *const names[] = { "main",
					     "",
					     "_",
					     "_Z",
					     "_Znot-mangled",
					     "_R",
					     "_start",
					     "zlib",
					     "i",
					     "_ZN4llvm3Foo3barEi trailing",
					     "_Znot-mangled.cold",
					     "_ZTV3Foo.a b",
					     ".cold" };

	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			assert_ptr_equal(elfmap_demangle(map, names[i]), names[i]);
}

TEST(the_same_name_is_demangled_once)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	char one[] = "_ZN3foo3barEv", two[] = "_ZN3foo3barEv";
	const char *first = elfmap_demangle(map, one);

	assert_string_equal(first, "foo::bar()");
	memset(one, 'x', sizeof(one) - 1); // the cache must not lean on the caller's memory
	assert_ptr_equal(elfmap_demangle(map, two), first);
}

TEST(versions_are_cut_off)
{
	static const struct {
		const char *name, *display;
	} names[] = {
		{ "printf@GLIBC_2.2.5", "printf" },
		{ "printf@@GLIBC_2.2.5", "printf" },
		{ "_ZN3foo3barEv@@V1", "foo::bar()" },
		{ "_Znot@V1", "_Znot" },
		{ "@odd", "@odd" },
		{ "plain", "plain" },
	};

	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			struct elfmap_symbol symbol = { .name = names[i].name,
							.source = ELFMAP_SYMBOLS_SYMTAB };

			assert_string_equal(elfmap_symbol_display(map, &symbol), names[i].display);
		}
	}
	struct elfmap_symbol frame = { .name = "fn@0x1", .source = ELFMAP_SYMBOLS_EH_FRAME };
	assert_string_equal(elfmap_symbol_display(map, &frame), "fn@0x1");
}

/** A name whose every template argument holds the one before it twice. */
static void doubling_name(struct strbuf *name, int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	strbuf_puts(name, "_Z1f1AIiiE");
	for (int i = 0; i < levels; i++)
		strbuf_printf(name, "S_IS%c_S%c_E", digits[i], digits[i]);
}

TEST(a_short_name_that_would_demangle_to_gigabytes_stays_raw)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	CLEANUP(strbuf_deinit) struct strbuf small = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf large = { 0 };

	doubling_name(&small, 3);
	assert_string_not_equal(elfmap_demangle(map, small.text), small.text);
	doubling_name(&large, 30);
	assert_true(large.length < 400);
	limit_time(20); // gigabytes of output would take longer
	assert_ptr_equal(elfmap_demangle(map, large.text), large.text);
	assert_ptr_equal(elfmap_demangle(map, large.text), large.text);
	limit_time(0);
}

TEST(a_mangled_name_past_four_kibibytes_stays_raw)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 };

	// One identifier of 4,089 letters: "_Z", its length and "v" make it 4,096.
	strbuf_puts(&name, "_Z4089");
	while (name.length < 4095)
		strbuf_putc(&name, 'x');
	strbuf_putc(&name, 'v');
	assert_int_equal(strlen(elfmap_demangle(map, name.text)), 4089 + strlen("()"));
	memcpy(name.text + 2, "4090", 4); // one letter more
	strbuf_putc(&name, 'v');
	name.text[name.length - 2] = 'x';
	assert_ptr_equal(elfmap_demangle(map, name.text), name.text);
}

TEST(deep_nesting_does_not_run_out_of_stack)
{
	static const char *const nests[] = { "P",	    "1AI",    "1AIX", "1AIJ", "1AIXcv",
					     "DT",	    "FvP",    "A_",   "M1A",  "Dp",
					     "1AIXadL_Z1f", "1AIXps", "Z1f" };

	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	for (size_t i = 0; i < sizeof(nests) / sizeof(nests[0]); i++) {
		CLEANUP(strbuf_deinit) struct strbuf name = { 0 };

		strbuf_puts(&name, "_Z1f");
		while (name.length < 4000)
			strbuf_puts(&name, nests[i]);
		strbuf_putc(&name, 'i');
		const char *plain = elfmap_demangle(map, name.text);
		assert_true(plain == name.text || strncmp(plain, "f", 1) == 0);
	}
}

TEST(a_rust_name_that_refers_to_itself_ends)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_self();
	static const char *const names[] = { "_RB_", "_RNvB_3foo", "_RNvNtB_3foo3bar" };

	limit_time(10);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_ptr_equal(elfmap_demangle(map, names[i]), names[i]);
	limit_time(0);
}
