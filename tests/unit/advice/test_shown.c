// SPDX-License-Identifier: Apache-2.0
// Facts that a model shows of a recording if nothing more was asked for.
#include "model/shown.h"

#include "model/account.h"
#include "model/layout.h"
#include "model/naming.h"
#include "model/storage.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

static const char *command[] = { "/home/ada/bin/app", "--token=secret", "-v", "/home/ada/word" };
static const char *source = "/home/ada/src/a.c:7";
static struct model_spot spots[] = { { 0 }, { 0 } };
static struct model_storage_file files[] = { { .path = "/home/ada/data" } };
static const char *needed[] = { "/home/ada/lib/b.so", "libc.so.6" };
static struct model_code codes[1];

static struct model *a_model(struct sketch *sketch, struct model_account *account,
			     struct model_storage *storage, struct model_layout *layout)
{
	*sketch = sketch_start();
	uint32_t lib = sketch_object(sketch, "/home/ada/lib/a.so");
	uint32_t rodata = sketch_section(sketch, lib, ".rodata", SKETCH_PAGE);

	sketch_symbol(sketch, rodata, "string:\"/home/ada/x\"", 8);
	sketch_initializer(sketch, lib, "main");
	*layout = (struct model_layout){ .needed = needed, .needed_count = 2 };
	sketch->objects.items[lib].layout = layout;
	struct model *model = sketch_end(sketch);

	spots[0].source = spots[1].source = codes[0].source = source;
	*account = (struct model_account){ .spots = spots, .spot_count = 2 };
	*storage = (struct model_storage){ .files = files, .file_count = 1 };
	model->account = account;
	model->storage = storage;
	model->codes = codes;
	model->code_count = 1;
	model->trace.command = command;
	model->trace.command_count = 4;
	model->trace.path = "/home/ada/a.trace";
	model->trace.host = "lovelace";
	notes_add(&model->notes, "/home/ada/lib/a.so: is strange");
	return model;
}

TEST(arguments_homes_and_host_are_left_out)
{
	struct sketch sketch;
	struct model_account account;
	struct model_storage storage;
	struct model_layout layout;
	CLEANUP(model_closep) struct model *model = a_model(&sketch, &account, &storage, &layout);

	model_show(model, &(struct model_shown){ 0 });
	assert_int_equal(model->trace.command_count, 4);
	assert_string_equal(model->trace.command[0], "~/bin/app");
	assert_string_equal(model->trace.command[1], "--token=\u2026");
	assert_string_equal(model->trace.command[2], "-v");
	assert_string_equal(model->trace.command[3], "\u2026");
	assert_null(model->trace.host);
	assert_string_equal(model->trace.path, "~/a.trace");
	assert_string_equal(model->objects[0].path, "~/lib/a.so");
	assert_string_equal(model->objects[0].layout->needed[0], "~/lib/b.so");
	assert_string_equal(model->objects[0].layout->needed[1], "libc.so.6");
	assert_string_equal(model->symbols[0].name, "string:\"~/x\"");
	assert_string_equal(model->storage->files[0].path, "~/data");
	assert_string_equal(model->notes.list.items[0].text, "~/lib/a.so: is strange");
	// Those that were one are one: spots of a line are told so.
	assert_string_equal(model->account->spots[0].source, "~/src/a.c:7");
	assert_ptr_equal(model->account->spots[0].source, model->account->spots[1].source);
	assert_ptr_equal(model->account->spots[0].source, model->codes[0].source);
	assert_true(naming_is_object(&model->objects[0], "/home/ada/lib/a.so"));
	assert_true(naming_is_object(&model->objects[0], "~/lib/a.so"));
	assert_false(naming_is_object(&model->objects[0], "/srv/lib/a.so"));
}

TEST(what_is_asked_for_is_shown)
{
	const struct model_shown all = { true, true, true };
	struct sketch sketch;
	struct model_account account;
	struct model_storage storage;
	struct model_layout layout;

	files[0].path = "/home/ada/data";
	needed[0] = "/home/ada/lib/b.so";
	CLEANUP(model_closep) struct model *model = a_model(&sketch, &account, &storage, &layout);

	model_show(model, &all);
	assert_ptr_equal(model->trace.command, command);
	assert_string_equal(model->trace.host, "lovelace");
	assert_string_equal(model->objects[0].path, "/home/ada/lib/a.so");
	assert_string_equal(model->notes.list.items[0].text, "/home/ada/lib/a.so: is strange");
}

TEST(arguments_that_are_hidden_still_differ)
{
	static const char *const lines[][3] = { { "app", "--key=a", "x" },
						{ "app", "--key=b", "x" },
						{ "app", "--key=a", "x" } };
	struct model models[3] = { 0 };

	for (size_t i = 0; i < 3; i++) {
		models[i].trace.command = lines[i];
		models[i].trace.command_count = 3;
		model_show(&models[i], &(struct model_shown){ 0 });
		assert_string_equal(models[i].trace.command[1], "--key=\u2026");
	}
	assert_true(models[0].trace.arguments_hash != models[1].trace.arguments_hash);
	assert_true(models[0].trace.arguments_hash == models[2].trace.arguments_hash);
	for (size_t i = 0; i < 3; i++)
		arena_deinit(&models[i].arena);
}
