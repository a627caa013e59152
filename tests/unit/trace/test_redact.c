// SPDX-License-Identifier: Apache-2.0
// A trace that is given away: what is not for others is gone, everything else is what it was.
#include "base/homepath.h"
#include "tests/support/traces.h"
#include "trace/private.h"

#define META "elfault-trace-text 1\nmeta page_size=4096 root_pid=1 stacks=no"

/** @text, a trace, after trace_redact(), as text. */
static char *redacted(const char *text, bool hide_labels, struct trace_redacted *ret_redacted)
{
	CLEANUP(trace_closep) struct trace *trace = read_text(text);
	struct trace_redacted found = trace_redact(trace, hide_labels);
	char *after = text_of(trace);

	if (ret_redacted)
		*ret_redacted = found;
	return after;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in:\n%s", part, text);
}

static const char with_all[] =
	META " arg=\"/home/ada/bin/app\" arg=\"--token=secret\" arg=\"-psecret\" arg=\"secret\""
	     " arg=\"-v\" host=\"lovelace\" label=\"release=7\" label=\"of=/home/ada/x\"\n"
	     "map addr=0x1000 size=0x1000 prot=r-xp path=\"/home/ada/bin/app\" inode=7\n"
	     "map addr=0x3000 size=0x1000 prot=r-xp path=\"/srv/own/lib/a.so\"\n"
	     "map addr=0x5000 size=0x1000 prot=r-xp path=\"/root/lib/a.so (deleted)\"\n"
	     "map addr=0x7000 size=0x1000 prot=r-xp path=\"/usr/lib/libc.so.6\"\n"
	     "path device=8:1 inode=7 path=\"/var/home/bob/data\"\n"
	     "argument time=5 pid=1 index=0 word=\"/home/ada/bin/child\"\n"
	     "argument time=5 pid=1 index=1 word=\"--key=secret\"\n"
	     "argument time=5 pid=1 index=2 word=\"secret one\"\n"
	     "argument time=5 pid=1 index=3 word=\"secret two\" kept=cut\n"
	     "argument time=5 pid=2 index=0 word=\"other\"\n"
	     "note text=\"/home/ada/bin/app: is strange, as is /home/bob/x\"\n"
	     "summary end=9\n";

TEST(arguments_homes_and_the_host_are_gone)
{
	static const char *const secrets[] = { "secret", "ada", "bob", "/root", "own", "lovelace" };
	struct trace_redacted counts;

	setenv("HOME", "/srv/own/", 1);
	CLEANUP(freep) char *text = redacted(with_all, false, &counts);

	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
		assert_has_not(text, secrets[i]);
	assert_has(text, "arg=\"/home/~2/bin/app\" arg=\"--token=\\342\\200\\246\" "
			 "arg=\"-p\\342\\200\\246\" arg=\"\\342\\200\\246\" arg=\"-v\"");
	assert_has(text, "path=\"/usr/lib/libc.so.6\"");
	assert_has(text, "index=0 word=\"/home/~2/bin/child\"\n");
	assert_has(text, "index=1 word=\"--key=\\342\\200\\246\"\n");
	assert_has(text, "index=2 word=\"\\342\\200\\246\" kept=cut\n");
	assert_has_not(text, "index=3");
	assert_has(text, "pid=2 index=0 word=\"other\"\n");
	assert_int_equal(counts.words, 3);
	assert_int_equal(counts.homes, 5); // ada's, the own, root's, bob's two
	assert_int_equal(counts.labels, 0);
	assert_true(counts.host);
}

TEST(each_home_has_a_name_and_the_own_one_the_first)
{
	setenv("HOME", "/srv/own/", 1);
	CLEANUP(freep) char *text = redacted(with_all, false, NULL);

	assert_has(text, "path=\"/home/~2/bin/app\"");
	assert_has(text, "path=\"/home/~/lib/a.so\"");
	assert_has(text, "path=\"/home/~3/lib/a.so (deleted)\"");
	assert_has(text, "path=\"/home/~4/data\"");
	assert_has(text, "text=\"/home/~2/bin/app: is strange, as is /home/~5/x\"");
	assert_has(text, "label=\"of=/home/~2/x\"");
}

TEST(labels_stay_unless_they_are_to_go)
{
	struct trace_redacted counts;

	CLEANUP(freep) char *kept = redacted(with_all, false, NULL);
	CLEANUP(freep) char *hidden = redacted(with_all, true, &counts);

	assert_has(kept, "label=\"release=7\"");
	assert_has(hidden, "label=\"release=\\342\\200\\246\" label=\"of=\\342\\200\\246\"");
	assert_int_equal(counts.labels, 2);
}

TEST(what_was_redacted_stays_as_it_is)
{
	struct trace_redacted counts;

	setenv("HOME", "/srv/own/", 1);
	CLEANUP(freep) char *once = redacted(with_all, true, NULL);
	setenv("HOME", "/home/eve", 1);
	CLEANUP(freep) char *twice = redacted(once, true, &counts);

	assert_string_equal(once, twice);
	assert_int_equal(counts.homes, 0);
	assert_false(counts.host);
}

TEST(homes_in_parts_of_files_are_overwritten_in_place)
{
	static const char before[] = "\x7f"
				     "ELF\0/home/ada/a.c\0-I/srv/own/x\0/root/y\0\xff/usr/home/ada";
	static const char after[] = "\x7f"
				    "ELF\0/home/~~~/a.c\0-I/home/~~/x\0/~~~~/y\0\xff/usr/home/ada";
	CLEANUP(trace_closep) struct trace *trace = read_text(META "\nsummary end=9\n");
	uint8_t *bytes = arena_copy(&trace->arena, before, sizeof(before) - 1);

	_Static_assert(sizeof(before) == sizeof(after), "in place");
	setenv("HOME", "/srv/own", 1);
	vec_push(&trace->contents,
		 (struct trace_content){ .size = sizeof(before) - 1, .bytes = bytes });
	trace_redact(trace, false);
	assert_memory_equal(bytes, after, sizeof(after) - 1);
}

TEST(a_trace_and_what_is_made_of_it_are_one_recording)
{
	CLEANUP(trace_closep) struct trace *trace = read_text(with_all);
	uint64_t id = trace_run_id(trace);

	trace_redact(trace, true);
	assert_int_equal(trace_run_id(trace), id);
	trace->meta.start_unix_ns++;
	assert_int_not_equal(trace_run_id(trace), id);
}

static struct trace *written(const struct trace *trace)
{
	struct memory_file file = memory_file_create(NULL, 0);
	struct err err = { 0 };

	if (!trace_write(trace, file.fd, &err))
		fail_msg("%s", err.message);
	struct trace *again = read_trace(file.path);

	close(file.fd);
	return again;
}

TEST(a_trace_that_is_written_is_read_back)
{
	CLEANUP(trace_closep) struct trace *trace = extreme_trace();

	// What the writer does not keep apart.
	trace->complete = true;
	trace->summary.recorded = trace->faults.count;
	CLEANUP(trace_closep) struct trace *again = written(trace);

	trace_sort(trace);
	assert_trace_equal(trace, again);
}

TEST(an_incomplete_trace_stays_incomplete)
{
	struct trace *trace = read_text(META "\nfault addr=0x1000\nincomplete\n");

	CLEANUP(trace_closep) struct trace *again = written(trace);

	assert_false(again->complete);
	assert_int_equal(again->faults.count, 1);
	trace_close(trace);
}

TEST(a_redacted_path_is_found_in_the_home_of_whoever_reads_it)
{
	static const struct {
		const char *home, *path, *here;
	} cases[] = {
		{ "/home/eve", "/home/~/bin/app", "/home/eve/bin/app" },
		{ "/srv/own//", "/home/~/bin/app", "/srv/own/bin/app" },
		{ "/home/eve", "/home/~2/bin/app", "/home/~2/bin/app" },
		{ "/home/eve", "/home/~", "/home/~" },
		{ "/home/eve", "/usr/bin/app", "/usr/bin/app" },
		{ "", "/home/~/bin/app", "/home/~/bin/app" },
		{ "relative", "/home/~/bin/app", "/home/~/bin/app" },
		{ NULL, "/home/~/bin/app", "/home/~/bin/app" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

		if (cases[i].home)
			setenv("HOME", cases[i].home, 1);
		else
			unsetenv("HOME");
		assert_string_equal(homepath_here(&buf, cases[i].path), cases[i].here);
	}
}
