// SPDX-License-Identifier: Apache-2.0
// DT_NEEDED between the objects of a trace.
#include "correlate/correlate.h"

#include "base/path.h"

#include "tests/support/answers.h"
#include "tests/support/elffile.h"

enum { SONAME = 1, IMPORTED = 17, EXPORTED = 26, UNSIZED = 35 }; // names in the fixture's .dynstr

/** Entry @index of the fixture's .dynamic becomes @tag. */
static void set_entry(const struct elffile *file, size_t index, int64_t tag, uint64_t value)
{
	Elf64_Dyn *entries =
		(Elf64_Dyn *)(file->bytes + elffile_section_named(file, ".dynamic")->sh_offset);

	entries[index] = (Elf64_Dyn){ .d_tag = tag, .d_un.d_val = value };
}

/** A folder of files for one test. */
struct folder {
	char path[64];
	struct elffile file; // the fixture, as it was last written
};

static void folder_init(struct folder *folder)
{
	folder->file = elffile_fixture("le64-dyn");
	set_entry(&folder->file, 6, DT_DEBUG, 0);
	set_entry(&folder->file, 7, DT_DEBUG, 0);
	snprintf(folder->path, sizeof(folder->path), "/tmp/elfault-dependency-XXXXXX");
	assert_non_null(mkdtemp(folder->path));
}

static void folder_write(struct folder *folder, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	elffile_write(&folder->file, path);
}

static void folder_remove(struct folder *folder, const char *const *names, size_t count)
{
	char path[128];

	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder->path, names[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(folder->path), 0);
	elffile_deinit(&folder->file);
}

/** Every one of @names is mapped, in this order, and faults once. */
static struct model *answer(const struct folder *folder, const char *const *names, size_t count)
{
	char text[4096];
	size_t length = (size_t)snprintf(
		text, sizeof(text),
		"elfault-trace-text 1\n"
		"meta arg=\"prog\" backend=\"bpf\" machine=\"x86_64\" page_size=4096 root_pid=10 "
		"start=1000\n"
		"exec pid=10 tid=10 time=1000 comm=\"prog\"\n");

	for (size_t i = 0; i < count; i++)
		length += (size_t)snprintf(
			text + length, sizeof(text) - length,
			"map pid=10 tid=10 time=2000 addr=0x%zx0000 size=0x1000 prot=r--p "
			"path=\"%s/%s\"\n"
			"fault pid=10 tid=10 time=3000 addr=0x%zx0010 ip=0x1 error=user\n",
			i + 1, folder->path, names[i], i + 1);
	struct model *model = correlate_text(text, NULL);
	assert_true(model->object_count >= count);
	return model;
}

TEST(a_name_leads_to_a_soname_then_to_a_file)
{
	static const char *const names[] = { "app", "exported", "named", "unsized_export" };
	struct folder folder;

	folder_init(&folder);
	set_entry(&folder.file, 0, DT_DEBUG, 0);
	folder_write(&folder, "exported"); // not meant: "named" has this soname
	folder_write(&folder, "unsized_export");
	set_entry(&folder.file, 0, DT_SONAME, EXPORTED);
	folder_write(&folder, "named");
	set_entry(&folder.file, 0, DT_NEEDED, UNSIZED);
	set_entry(&folder.file, 6, DT_NEEDED, IMPORTED); // nothing in the trace is called so
	set_entry(&folder.file, 7, DT_NEEDED, EXPORTED);
	folder_write(&folder, "app");
	CLEANUP(model_closep) struct model *model = answer(&folder, names, 4);
	const struct model_object *app = &model->objects[0];

	assert_string_equal(strrchr(app->path, '/'), "/app");
	assert_int_equal(app->needed_count, 2);
	assert_string_equal(strrchr(model->objects[app->needed[0]].path, '/'), "/unsized_export");
	assert_string_equal(strrchr(model->objects[app->needed[1]].path, '/'), "/named");
	for (size_t i = 1; i < 4; i++)
		assert_int_equal(model->objects[i].needed_count, 0);
	folder_remove(&folder, names, 4);
}

TEST(no_object_is_listed_twice_or_needs_itself)
{
	static const char *const names[] = { "app", "exported" };
	struct folder folder;

	folder_init(&folder);
	set_entry(&folder.file, 0, DT_NEEDED, EXPORTED);
	set_entry(&folder.file, 6, DT_NEEDED, EXPORTED);
	folder_write(&folder, "app");
	folder_write(&folder, "exported");
	CLEANUP(model_closep) struct model *model = answer(&folder, names, 2);

	assert_int_equal(model->objects[0].needed_count, 1);
	assert_int_equal(model->objects[0].needed[0], 1);
	assert_int_equal(model->objects[1].needed_count, 0);
	folder_remove(&folder, names, 2);
}

TEST(a_path_leads_to_the_file_whose_path_ends_like_it)
{
	static const char *const names[] = { "app", "exported", "named" };
	struct folder folder;

	folder_init(&folder);
	set_entry(&folder.file, 0, DT_DEBUG, 0);
	folder_write(&folder, "exported");
	folder_write(&folder, "named");
	// Linked as ./named, in whatever folder that was.
	memcpy(folder.file.bytes + elffile_section_named(&folder.file, ".dynstr")->sh_offset +
		       IMPORTED,
	       "./named", sizeof("./named"));
	set_entry(&folder.file, 0, DT_NEEDED, IMPORTED);
	folder_write(&folder, "app");
	CLEANUP(model_closep) struct model *model = answer(&folder, names, 3);
	const struct model_object *app = &model->objects[0];

	assert_int_equal(app->needed_count, 1);
	assert_string_equal(strrchr(model->objects[app->needed[0]].path, '/'), "/named");
	folder_remove(&folder, names, 3);
}

enum { UNDEFINED = 0xff }; // no type of a symbol

/** The app needs a library that defines what it imports, with this @type, or nothing of it. */
static void expect_used(uint8_t type, uint64_t used, const char *examples, const char *datum)
{
	static const char *const names[] = { "app", "exported" };
	struct folder folder;

	folder_init(&folder);
	set_entry(&folder.file, 0, DT_NEEDED, EXPORTED);
	folder_write(&folder, "app");
	set_entry(&folder.file, 0, DT_DEBUG, 0);
	// Its first symbol is the import.
	Elf64_Sym *symbols =
		(Elf64_Sym *)(folder.file.bytes +
			      elffile_section_named(&folder.file, ".dynsym")->sh_offset);
	assert_int_equal(symbols[1].st_name, IMPORTED);
	if (type != UNDEFINED) {
		symbols[1].st_shndx = 1;
		symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, type);
	}
	folder_write(&folder, "exported");
	CLEANUP(model_closep) struct model *model = answer(&folder, names, 2);
	const struct model_object *app = &model->objects[0];

	assert_int_equal(app->needed_count, 1);
	assert_non_null(app->used);
	assert_int_equal(app->used[0].names, used);
	if (examples)
		assert_string_equal(app->used[0].examples, examples);
	else
		assert_null(app->used[0].examples);
	assert_int_equal(app->used[0].data, datum ? 1 : 0);
	if (datum)
		assert_string_equal(app->used[0].datum, datum);
	folder_remove(&folder, names, 2);
}

TEST(names_that_one_leaves_open_and_the_other_defines_are_used)
{
	expect_used(STT_FUNC, 1, "imported", NULL);
	// Both define "exported": that is no use of it.
	expect_used(UNDEFINED, 0, NULL, NULL);
}

TEST(what_is_no_function_is_data)
{
	expect_used(STT_GNU_IFUNC, 1, "imported", NULL);
	expect_used(STT_OBJECT, 1, "imported", "imported");
	expect_used(STT_TLS, 1, "imported", "imported");
	// At vaddr 0, outside code.
	expect_used(STT_NOTYPE, 1, "imported", "imported");
}

TEST(an_archive_lies_beside_its_library)
{
	static const char *const names[] = { "libx.so.1", "liby.so.2", "libx.a" };
	struct folder folder;

	folder_init(&folder);
	set_entry(&folder.file, 0, DT_DEBUG, 0);
	for (size_t i = 0; i < 3; i++)
		folder_write(&folder, names[i]); // what is in an archive does not matter
	CLEANUP(model_closep) struct model *model = answer(&folder, names, 2);

	assert_string_equal(path_file_name(model->objects[0].archive), "libx.a");
	assert_null(model->objects[1].archive);
	folder_remove(&folder, names, 3);
}
