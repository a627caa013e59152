// SPDX-License-Identifier: Apache-2.0
// Files of today taken for the recorded one, and the message about one that is not.
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "correlate/correlate.h"
#include "depot/depot.h"
#include "tests/support/answers.h"
#include "tests/support/elffile.h"

#include <inttypes.h>

/** An ELF file that tests may change, and what is true of it. */
struct subject {
	struct memory_file file;
	struct trace_identity identity;
};

static struct subject subject_create(void)
{
	struct elffile content = elffile_read("/proc/self/exe");
	struct subject subject = { 0 };
	struct stat status;

	subject.file = memory_file_create(content.bytes, content.size);
	elffile_deinit(&content);
	assert_int_equal(fstat(subject.file.fd, &status), 0);
	trace_identity_stat(&subject.identity, &status);
	assert_true(trace_identity_hash(&subject.identity, subject.file.fd));
	return subject;
}

/** The answer to a trace with one fault on the file, recorded as @identity; NULL: as nothing. */
static struct model *answer(const struct subject *subject, const struct trace_identity *identity,
			    const char *build_id, const struct correlate_options *options)
{
	char file[256] = "", text[1024];

	if (identity && (identity->flags & TRACE_FILE_KNOWN))
		snprintf(file, sizeof(file),
			 "file id=1 device=%" PRIu64 " inode=%" PRIu64 " size=%" PRIu64
			 " mtime=%" PRIu64 " hash=%" PRIu64 "%s\n",
			 identity->device, identity->inode, identity->size, identity->mtime_ns,
			 identity->hash,
			 identity->flags & TRACE_FILE_ELSEWHERE ? " place=elsewhere" : "");
	else if (identity)
		strcpy(file, "file id=1 place=elsewhere\n");
	snprintf(text, sizeof(text),
		 "elfault-trace-text 1\n"
		 "meta arg=prog page_size=4096 root_pid=10 start=1000\n%s"
		 "exec comm=prog\n"
		 "map addr=0x10000 size=0x1000 path=\"%s\" file=1%s\n"
		 "fault addr=0x10000\n"
		 "summary\n",
		 file, subject->file.path, build_id);
	return correlate_text(text, options);
}

static bool has_note(const struct model *model, const char *part)
{
	vec_foreach (note, &model->notes.list)
		if (strstr(note->text, part))
			return true;
	return false;
}

/** @note: a part of the one that is expected; NULL: none */
static void check(const struct subject *subject, const struct trace_identity *identity,
		  const char *build_id, bool was_read, const char *note)
{
	CLEANUP(model_closep) struct model *model = answer(subject, identity, build_id, NULL);

	assert_int_equal(model->object_count, 1);
	assert_int_equal(model->objects[0].was_read, was_read);
	if (note && !has_note(model, note))
		fail_msg("no note '%s'", note);
	static const char *const said[] = { "unavailable", "not used", "taken for" };
	for (size_t i = 0; !note && i < 3; i++)
		if (has_note(model, said[i]))
			fail_msg("a note says '%s'", said[i]);
}

TEST(a_file_is_the_recorded_one_by_size_time_and_hash)
{
	struct subject subject = subject_create();
	const struct trace_identity same = subject.identity;
	struct trace_identity other;

	check(&subject, &same, "", true, NULL);
	check(&subject, NULL, "", true, NULL); // an older trace
	other = same;
	other.size++;
	check(&subject, &other, "", false, "changed since recording (recorded size");
	other = same;
	other.mtime_ns--;
	check(&subject, &other, "", false, "changed since recording (recorded modification time");
	other = same;
	other.hash++;
	check(&subject, &other, "", false, "changed since recording (recorded hash");
	other = same;
	other.inode++;
	check(&subject, &other, "", true, "taken for the recorded file: its inode differs");
	other = same;
	other.mtime_ns -= other.mtime_ns % 1000000000; // as an archive keeps it
	check(&subject, &other, "", true, NULL);
	other = same;
	other.device++; // the same disk after another boot
	check(&subject, &other, "", true, NULL);
	close(subject.file.fd);
}

TEST(a_build_id_decides_alone)
{
	struct subject subject = subject_create();
	const struct trace_identity same = subject.identity;

	check(&subject, &same, " build_id=abcd", false, "(recorded build-id abcd, now ");
	close(subject.file.fd);
}

TEST(data_that_was_elsewhere_deserves_no_note)
{
	CLEANUP(model_closep)
	struct model *model = correlate_text("elfault-trace-text 1\n"
					     "meta arg=prog page_size=4096 root_pid=10 start=1000\n"
					     "file id=1 inode=5 size=64 place=elsewhere\n"
					     "exec comm=prog\n"
					     "map addr=0x10000 size=0x1000 path=/no/data file=1\n"
					     "fault addr=0x10000 error=user\n"
					     "summary\n",
					     NULL);

	assert_int_equal(model->notes.list.count, 0);
}

TEST(what_was_elsewhere_is_never_taken_from_its_path)
{
	struct subject subject = subject_create();
	struct trace_identity elsewhere = { .id = 1, .flags = TRACE_FILE_ELSEWHERE };

	check(&subject, &elsewhere, "", false, "in another root or mount namespace");
	check(&subject, &elsewhere, " build_id=abcd", false, "in another root or mount namespace");
	elsewhere = subject.identity;
	elsewhere.flags |= TRACE_FILE_ELSEWHERE;
	elsewhere.size++;
	check(&subject, &elsewhere, "", false, "in another root or mount namespace");
	close(subject.file.fd);
}

/** A trace that has all of the file as content, which is @size bytes large. */
static struct model *answer_from_content(const struct elffile *content, uint64_t size,
					 const char *build_id)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	strbuf_printf(&text,
		      "elfault-trace-text 1\n"
		      "meta arg=prog page_size=4096 root_pid=10 start=1000\n"
		      "file id=1 inode=5 size=%" PRIu64 " hash=1 place=elsewhere\n"
		      "content file=1 offset=0 bytes=",
		      size);
	for (size_t i = 0; i < content->size; i++)
		strbuf_printf(&text, "%02x", content->bytes[i]);
	strbuf_printf(&text,
		      "\nexec comm=prog\n"
		      "map addr=0x10000 size=0x1000 path=\"/memfd:x (deleted)\" file=1%s\n"
		      "fault addr=0x10000\n"
		      "summary\n",
		      build_id);
	return correlate_text(strbuf_text(&text), NULL);
}

TEST(what_is_nowhere_is_read_from_the_trace)
{
	CLEANUP(elffile_deinit) struct elffile content = elffile_fixture("relocations64");

	CLEANUP(model_closep) struct model *model = answer_from_content(&content, content.size, "");
	assert_true(model->objects[0].was_read);
	assert_int_equal(model->objects[0].size, content.size);
	assert_false(has_note(model, "unavailable") || has_note(model, "not used"));

	CLEANUP(model_closep)
	struct model *other = answer_from_content(&content, content.size, " build_id=abcd");
	assert_false(other->objects[0].was_read);
	assert_true(has_note(other, "changed since recording (recorded build-id abcd"));

	CLEANUP(model_closep) struct model *contradicts = answer_from_content(&content, 64, "");
	assert_false(contradicts->objects[0].was_read);
	assert_true(has_note(contradicts, "the trace has bytes past the end of it (in the trace)"));
}

TEST(a_file_no_longer_exists_only_if_it_did)
{
	struct subject subject = subject_create();

	close(subject.file.fd);
	check(&subject, NULL, "", false, "file does not exist here");
	check(&subject, &subject.identity, "", false, "file no longer exists");
}

TEST(a_file_that_was_named_is_compared_too)
{
	struct subject subject = subject_create();
	struct trace_identity other = subject.identity;
	const char *names[] = { subject.file.path };
	struct correlate_options options = { .objects = names,
					     .object_count = 1,
					     .needs = NEED_TABLES | NEED_SOURCES,
					     .force = true };

	other.mtime_ns += 1000000000;
	CLEANUP(model_closep) struct model *model = answer(&subject, &other, "", &options);
	assert_true(model->objects[0].is_forced);
	assert_true(has_note(model, "(--force): its modification time is "));

	other = (struct trace_identity){ .flags = TRACE_FILE_ELSEWHERE };
	CLEANUP(model_closep) struct model *unknown = answer(&subject, &other, "", &options);
	assert_false(unknown->objects[0].is_forced);
	assert_true(has_note(unknown, "nothing was recorded that tells"));
	options.force = false;
	CLEANUP(model_closep)
	struct model *same = answer(&subject, &subject.identity, "", &options);
	assert_false(has_note(same, "nothing was recorded that tells"));
	close(subject.file.fd);
}

TEST(two_files_of_one_path_are_two_objects)
{
	CLEANUP(model_closep)
	struct model *model = correlate_text(
		"elfault-trace-text 1\n"
		"meta arg=prog page_size=4096 root_pid=10 start=1000\n"
		"file id=1 device=8:1 inode=5 size=4096 mtime=7\n"
		"file id=2 device=8:1 inode=6 size=4096 mtime=7\n"
		"file id=3 device=8:1 inode=6 size=4096 mtime=7\n" // its build-id was not found
		"file id=4 place=elsewhere\n"
		"exec comm=prog\n"
		"map addr=0x10000 size=0x1000 path=/no/a file=1\n"
		"map addr=0x20000 size=0x1000 path=/no/a file=2 build_id=ab\n"
		"map addr=0x30000 size=0x1000 path=/no/a file=3\n"
		"map addr=0x40000 size=0x1000 path=/no/a file=4\n"
		"fault addr=0x10000\n"
		"fault addr=0x20000\n"
		"fault addr=0x30000\n"
		"fault addr=0x40000\n"
		"summary\n",
		NULL);

	assert_int_equal(model->object_count, 3);
	assert_int_not_equal(model->faults[0].at.object, model->faults[1].at.object);
	assert_int_equal(model->faults[1].at.object, model->faults[2].at.object);
	assert_int_not_equal(model->faults[3].at.object, model->faults[0].at.object);
	assert_int_not_equal(model->faults[3].at.object, model->faults[1].at.object);
}

/** A folder that holds the fixture le64-dyn as lib/x.so, and nothing else. */
struct copy {
	char path[64];
	struct depot *depot;
};

static struct copy copy_create(void)
{
	struct copy copy = { .path = "/tmp/elfault-copy.XXXXXX", .depot = depot_create() };
	struct elffile content = elffile_fixture("le64-dyn");
	char path[128];
	struct err err;

	assert_non_null(mkdtemp(copy.path));
	snprintf(path, sizeof(path), "%s/lib", copy.path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/lib/x.so", copy.path);
	elffile_write(&content, path);
	elffile_deinit(&content);
	depot_add_sysroot(copy.depot, copy.path);
	assert_true(depot_start(copy.depot, &err));
	return copy;
}

static void copy_deinit(struct copy *copy)
{
	char command[128];

	depot_destroy(copy->depot);
	snprintf(command, sizeof(command), "rm -r '%s'", copy->path);
	assert_int_equal(system(command), 0);
}

/** A trace of @path, recorded with @facts, is answered from the copy if @was_read; @note: or NULL.
 */
static void check_copy(const struct copy *copy, const char *facts, bool was_read, const char *note)
{
	const struct correlate_options options = { .needs = NEED_TABLES | NEED_SOURCES,
						   .depot = copy->depot };
	char text[512];

	snprintf(text, sizeof(text),
		 "elfault-trace-text 1\n"
		 "meta arg=prog page_size=4096 root_pid=10 start=1000\n"
		 "file id=1 inode=5 size=9 mtime=7\n"
		 "exec comm=prog\n"
		 "map addr=0x10000 size=0x1000 path=/lib/x.so %s\n"
		 "fault addr=0x10000\n"
		 "summary\n",
		 facts);
	CLEANUP(model_closep) struct model *model = correlate_text(text, &options);
	assert_int_equal(model->objects[0].was_read, was_read);
	assert_string_equal(model->objects[0].path, "/lib/x.so");
	if (note && !has_note(model, note))
		fail_msg("no note '%s'", note);
	assert_false(!note && (has_note(model, "not used") || has_note(model, "in place of")));
}

TEST(a_copy_is_taken_by_its_build_id_and_never_silently_without_one)
{
	CLEANUP(copy_deinit) struct copy copy = copy_create();

	check_copy(&copy, "build_id=0123456789abcdef", true, NULL);
	check_copy(&copy, "build_id=abcd", false,
		   "/lib/x.so: not the recorded file (recorded build-id abcd, now "
		   "0123456789abcdef): sections and symbols not used");
	check_copy(&copy, "file=1", false, "not the recorded file (recorded size 9 bytes, now ");
	check_copy(&copy, "", true, "nothing was recorded that tells whether it is the same file");
}

TEST(all_files_that_changed_are_one_note)
{
	CLEANUP(copy_deinit) struct copy copy = copy_create();
	const struct correlate_options options = { .needs = NEED_TABLES | NEED_SOURCES,
						   .depot = copy.depot };
	char text[512];

	snprintf(text, sizeof(text),
		 "elfault-trace-text 1\n"
		 "meta arg=prog page_size=4096 root_pid=10 start=1000\n"
		 "exec comm=prog\n"
		 "map addr=0x10000 size=0x1000 path=/lib/x.so build_id=ab\n"
		 "map addr=0x20000 size=0x1000 path=/lib/../lib/x.so build_id=cd\n"
		 "fault addr=0x10000\n"
		 "fault addr=0x20000\n"
		 "summary\n");
	CLEANUP(model_closep) struct model *model = correlate_text(text, &options);
	assert_true(has_note(model, "2 files are not the recorded ones: "));
	assert_true(has_note(model, "recorded build-id cd, now 0123456789abcdef"));
}
