// SPDX-License-Identifier: Apache-2.0
// Predictions of runs drawn by hand, cure by cure.
#include "cure/whatif.h"

#include "base/cleanup.h"
#include "model/account.h"
#include "model/layout.h"
#include "model/packing.h"
#include "model/relocation.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

enum { AROUND = 16 };

static const struct model_layout pie = { 0 }, fixed = { .is_fixed = true },
				 library = { .is_library = true };

/** A fault that read a page of @section and mapped a whole window. */
static struct model_fault *read_page(struct sketch *sketch, uint32_t section,
				     enum model_initiator initiator, uint64_t page)
{
	struct model_fault *fault = sketch_fault(sketch, section, initiator);

	fault->addr = fault->at.vaddr = fault->at.offset = page * SKETCH_PAGE;
	fault->has_around = true;
	SKETCH_EXTENT(fault)->around_pages = AROUND;
	return fault;
}

static void write_page(struct sketch *sketch, uint32_t section, enum model_initiator initiator,
		       uint64_t page)
{
	struct model_fault *fault = sketch_fault(sketch, section, initiator);

	fault->addr = fault->at.vaddr = fault->at.offset = page * SKETCH_PAGE;
	fault->mechanism = MODEL_PRIVATE_WRITE;
	fault->access = MODEL_ACCESS_WRITE;
}

static const struct whatif *find(const struct whatif_answer *answer, const char *cure)
{
	const struct whatif *row = whatif_named(answer, cure);

	assert_non_null(row);
	return row;
}

// ---- RELR -----------------------------------------------------------------------------------

static const struct model_relocation_table rela[] = { { .name = ".rela.dyn", .size = 0x30000 } };
static const struct model_layout_section rela_section[] = { {
	.name = ".rela.dyn",
	.has_bytes = true,
	.is_loaded = true,
	.offset = 0x10000,
	.file_size = 0x30000,
} };

TEST(relr_leaves_the_windows_of_what_is_left_of_the_table)
{
	static const struct model_layout layout = { .sections = rela_section, .section_count = 1 };
	// 0x30000 bytes less 0x28000 and 0x800 packed: up to 0x18800, in the first of 3 windows.
	const struct model_relocation relocation = {
		.tables = rela, .table_count = 1, .relative_bytes = 0x28000, .packed_bytes = 0x800
	};
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");
	uint32_t table = sketch_section(&sketch, app, ".rela.dyn", 0x30000);
	uint32_t data = sketch_section(&sketch, app, ".data.rel.ro", 0x10000);

	sketch.objects.items[app].layout = &layout;
	sketch.objects.items[app].relocation = &relocation;
	read_page(&sketch, table, MODEL_RELOCATION, 0x10);
	read_page(&sketch, table, MODEL_RELOCATION, 0x20);
	read_page(&sketch, table, MODEL_RELOCATION, 0x30);
	write_page(&sketch, data, MODEL_RELOCATION, 0x50);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	assert_true(find(answer, "relr")->applies);
	assert_int_equal(answer->before.faults, 4);
	assert_int_equal(find(answer, "relr")->after.faults, 2);
	assert_string_equal(find(answer, "relr")->object, "/bin/app");
}

TEST(relr_does_not_apply_where_nothing_would_shrink)
{
	const struct model_relocation packed = { .uses_relr = true, .relative_bytes = 0x28000 };
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");

	sketch.objects.items[app].layout = &pie;
	sketch.objects.items[app].relocation = &packed;
	read_page(&sketch, sketch_section(&sketch, app, ".text", 0x10000), MODEL_PROGRAM, 1);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	assert_false(find(answer, "relr")->applies);
	assert_non_null(find(answer, "relr")->reason);
}

// ---- Links ----------------------------------------------------------------------------------

enum { APP, FOO, CXX, LIBC, LDSO };

static const char *const paths[] = { "/bin/app", "/lib/libfoo.so", "/lib/libstdc++.so.6",
				     "/lib/libc.so.6", "/lib/ld-linux-x86-64.so.2" };
static const uint32_t app_needs[] = { FOO, CXX, LIBC }, lib_needs[] = { LIBC },
		      libc_needs[] = { LDSO };

/** Pages that relocation wrote: relative; with names of libstdc++; with names of libc. */
static const struct model_written_page written[] = {
	{ 0x20000, 1 << MODEL_TARGET_SELF },
	{ 0x21000, 1 << MODEL_TARGET_SELF | 1 << MODEL_TARGET_CXX },
	{ 0x22000, 1 << MODEL_TARGET_SYSTEM },
};

/** A program with a library of its own, libstdc++ and libc; each but ld.so has these 3 pages. */
static struct model *draw_written(const char *section, const struct model_layout *layout,
				  bool calls_dlopen)
{
	static struct model_relocation relocation;
	struct sketch sketch = sketch_start();

	relocation = (struct model_relocation){ .written = written,
						.written_count = 3,
						.calls_dlopen = calls_dlopen,
						.targets.slots = { 9, 0, 9, 9 } };
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t object = sketch_object(&sketch, paths[i]);
		struct model_object *row = &sketch.objects.items[object];

		row->layout = object == APP ? layout : &library;
		row->relocation = object == LDSO ? NULL : &relocation;
		row->needed = object == APP ? app_needs : object == LIBC ? libc_needs : lib_needs;
		row->needed_count = object == APP ? 3 : object == LDSO ? 0 : 1;
	}
	for (uint32_t object = APP; object <= LDSO; object++) {
		uint32_t text = sketch_section(&sketch, object, ".text", 0x10000);
		uint32_t data = sketch_section(&sketch, object, section, 0x10000);

		read_page(&sketch, text, object == LDSO ? MODEL_LOADER : MODEL_PROGRAM, 1);
		read_page(&sketch, data, MODEL_LOADER, 2);
		for (size_t i = 0; object != LDSO && i < 3; i++)
			write_page(&sketch, data, MODEL_RELOCATION, written[i].vaddr / SKETCH_PAGE);
	}
	return sketch_end(&sketch);
}

static struct model *draw_linked(const struct model_layout *layout, bool calls_dlopen)
{
	return draw_written(".data.rel.ro", layout, calls_dlopen);
}

TEST(what_a_program_may_write_itself_makes_a_bound)
{
	CLEANUP(model_closep) struct model *model = draw_written(".data", &pie, false);
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	// With libraries in it too, it is the other bound, which both doubts are part of: the two
	// pages that are gone may be written.
	assert_int_equal(find(answer, "no-pie")->saves.is, MODEL_AT_LEAST);
	assert_int_equal(find(answer, "no-pie")->after.faults, 22 - 3 + 2 + 8 + 2);
	assert_non_null(strstr(find(answer, "no-pie")->reason, "2 pages of .data"));
	assert_int_equal(find(answer, "no-pie")->archives_missing, 1);
}

/** Computing of a run of 50 ms beside 10 ms for the loader, give or take @error_ns. */
struct computed {
	uint64_t error_ns, exit_ns, fini_ns, ifunc_ns;
};

/** The cure in a run that computes @more. */
static struct model_saving saved_by(const char *cure, struct computed more)
{
	const struct model_account account = {
		.subject = { .wall_ns = 50000000, .times.ns[MODEL_STATE_CPU] = 50000000 },
		.samples = 100,
		.by_initiator[MODEL_LOADER].ns[MODEL_STATE_CPU] = 10000000,
		.by_initiator[MODEL_STATIC_FINI].ns[MODEL_STATE_CPU] = more.fini_ns,
		.by_initiator[MODEL_IFUNC].ns[MODEL_STATE_CPU] = more.ifunc_ns,
		.cpu_error_ns[MODEL_LOADER] = more.error_ns,
		.exit_ns = more.exit_ns,
	};
	CLEANUP(model_closep) struct model *model = draw_linked(&pie, false);

	model->account = &account;
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	assert_true(find(answer, cure)->has_time);
	model->account = NULL;
	return find(answer, cure)->saves;
}

static struct model_saving saved_with(const char *cure, uint64_t error_ns)
{
	return saved_by(cure, (struct computed){ .error_ns = error_ns });
}

TEST(the_exit_takes_less_as_fewer_faults_map_memory)
{
	const struct model_saving without = saved_with("static-libstdc++", 0);
	const struct model_saving with =
		saved_by("static-libstdc++", (struct computed){ .exit_ns = 2200000 });

	assert_int_equal(with.faults, without.faults);
	assert_true(with.faults > 0);
	// 100 us for each of 22 faults.
	assert_int_equal(with.duration_ns, without.duration_ns + with.faults * 100000);
}

TEST(a_file_less_is_not_finalized_and_binds_no_ifunc)
{
	const struct computed more = { .fini_ns = 5000000, .ifunc_ns = 500000 };
	const uint64_t without = saved_with("static-libstdc++", 0).duration_ns;

	const uint64_t whole = saved_with("static", 0).duration_ns;
	const uint64_t saved = saved_by("static-libstdc++", more).duration_ns;

	// One file of five is gone, of a static program all; that resolves its own all the same.
	// It is a bound, of which the error is taken off.
	assert_in_range(saved, without + 1099990, without + 1100000);
	assert_in_range(saved_by("static", more).duration_ns, whole + 2999990, whole + 3000000);
}

TEST(a_bound_of_time_holds_though_samples_err)
{
	const struct model_saving sure = saved_with("no-pie", 0),
				  unsure = saved_with("no-pie", 3000000);

	assert_int_equal(sure.is, MODEL_AT_LEAST);
	assert_int_equal(sure.error_ns, 0);
	assert_true(sure.duration_ns > unsure.duration_ns);
	assert_true(unsure.duration_ns > 0);
}

TEST(a_predicted_time_has_an_error)
{
	const struct model_saving sure = saved_with("static-libstdc++", 0);
	const struct model_saving unsure = saved_with("static-libstdc++", 3000000);

	assert_int_equal(sure.is, MODEL_PREDICTION);
	assert_int_equal(sure.duration_ns, unsure.duration_ns);
	assert_int_equal(sure.error_ns, sure.duration_ns * 2 / 5); // as measured
	assert_true(unsure.error_ns > sure.error_ns);
}

TEST(each_link_leaves_what_it_cannot_bind)
{
	CLEANUP(model_closep) struct model *model = draw_linked(&pie, false);
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	assert_int_equal(answer->program, APP);
	assert_int_equal(answer->before.faults, 22);
	// The relative page of app and libfoo, and libfoo's loader; 1 window of each file's data
	// is read by the program instead. Then a margin of 8.
	assert_int_equal(find(answer, "no-pie")->after.faults, 22 - 3 + 2 + 8);
	// libstdc++'s loader; in a PIE, its pages and those that name it are written as before.
	assert_int_equal(find(answer, "static-libstdc++")->after.faults, 22 - 1);
	// Two pages each of app, libfoo and libstdc++, and two loaders. Then a margin, of what is
	// left on the libraries.
	assert_int_equal(find(answer, "no-pie-static-libstdc++")->after.faults, 22 - 8 + 3 + 1 + 8);
	// The code, constant data that is read now, and 2 of a static start.
	assert_int_equal(find(answer, "static")->after.faults, 4 + 4 + 2 + 8);
	assert_string_equal(find(answer, "static")->how, "-static");
	assert_string_equal(find(answer, "no-pie")->how, "-no-pie, libraries as .a");
	// Of an archive only what is needed is linked in.
	assert_int_equal(find(answer, "no-pie")->saves.is, MODEL_AT_LEAST);
	assert_int_equal(find(answer, "static-libstdc++")->saves.is, MODEL_PREDICTION);
}

TEST(each_language_has_its_own_option)
{
	static const struct model_layout rust = { .toolchain = "GCC: (Debian), rustc version 1.8" };
	CLEANUP(model_closep) struct model *model = draw_linked(&rust, false);
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	assert_string_equal(find(answer, "static")->how,
			    "-static, of Rust -C target-feature=+crt-static "
			    "-C relocation-model=static");
	assert_string_equal(find(answer, "no-pie")->how,
			    "-no-pie, of Rust -C relocation-model=static, libraries as .a");
}

TEST(a_fixed_address_is_not_made_again)
{
	CLEANUP(model_closep) struct model *model = draw_linked(&fixed, false);
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	array_foreach (row, answer->items, answer->count)
		assert_true(!row->how || !strstr(row->how, "-no-pie"));
	// Now libstdc++ in it makes its addresses known.
	assert_int_equal(find(answer, "static-libstdc++")->after.faults, 22 - 1 - 2 - 2 + 2);
}

TEST(libstdcxx_stays_while_a_library_needs_it)
{
	static const uint32_t needs_cxx[] = { CXX, LIBC };
	CLEANUP(model_closep) struct model *model = draw_linked(&pie, false);
	struct model_object *foo = (struct model_object *)&model->objects[FOO];

	foo->needed = needs_cxx;
	foo->needed_count = 2;
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	assert_false(find(answer, "static-libstdc++")->applies);
	assert_string_equal(find(answer, "static-libstdc++")->reason,
			    "a library needs libstdc++ or libgcc as well");
	assert_true(find(answer, "no-pie-static-libstdc++")->applies);
}

TEST(what_opens_plugins_is_never_static)
{
	CLEANUP(model_closep) struct model *model = draw_linked(&pie, true);
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	assert_false(find(answer, "static")->applies);
	assert_string_equal(find(answer, "static")->reason,
			    "app calls dlopen: its plugins would not load any more");
	assert_true(find(answer, "no-pie")->applies);
}

TEST(what_was_opened_by_name_in_this_run_is_named)
{
	CLEANUP(model_closep) struct model *model = draw_linked(&pie, false);
	struct model_object *app = (struct model_object *)&model->objects[APP];

	app->needed_count = 2;
	app->needed = &app_needs[1]; // libfoo.so came by dlopen
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	assert_false(find(answer, "static")->applies);
	assert_non_null(
		strstr(find(answer, "static")->reason, "app opens libfoo.so while it runs"));
	assert_string_equal(find(answer, "no-pie")->how, "-no-pie");
}

// ---- Settings -------------------------------------------------------------------------------

TEST(larger_windows_swallow_later_faults_of_the_mapping)
{
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");
	uint32_t text = sketch_section(&sketch, app, ".text", 1 << 22);
	uint32_t rodata = sketch_section(&sketch, app, ".rodata", 1 << 22);

	sketch.sections.items[rodata].segment = 2;
	sketch.objects.items[app].layout = &pie;
	read_page(&sketch, text, MODEL_PROGRAM, 512);
	read_page(&sketch, text, MODEL_PROGRAM, 512 + 16); // in 256 KiB
	read_page(&sketch, text, MODEL_PROGRAM, 512 + 64); // in 1 MiB
	read_page(&sketch, rodata, MODEL_PROGRAM, 512 + 32);
	write_page(&sketch, text, MODEL_PROGRAM, 512 + 17); // copied whatever is mapped
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	assert_int_equal(answer->around, 65536);
	assert_int_equal(find(answer, "fault-around-256k")->after.faults, 4);
	assert_int_equal(find(answer, "fault-around-1024k")->after.faults, 3);
	assert_int_equal(find(answer, "fault-around-2048k")->after.faults, 3);
	assert_int_equal(find(answer, "fault-around-2048k")->saves.is, MODEL_PREDICTION);
	// Which of the 16 pages were used is not known.
	assert_int_equal(find(answer, "fault-around-4k")->after.faults, 5);
	assert_int_equal(find(answer, "fault-around-4k")->saves.is, MODEL_AT_MOST);
	assert_null(whatif_named(answer, "fault-around-64k"));
}

TEST(windows_of_one_page_raise_no_event)
{
	for (int shows = 0; shows < 2; shows++) {
		struct sketch sketch = sketch_start();
		uint32_t app = sketch_object(&sketch, "/bin/app");
		uint32_t text = sketch_section(&sketch, app, ".text", 1 << 22);

		sketch.objects.items[app].layout = &pie;
		sketch.model->trace.backend = "bpf";
		sketch.model->trace.kernel = shows ? "6.12.1" : "6.11.1";
		for (uint32_t page = 0; page < 16; page++)
			read_page(&sketch, text, MODEL_PROGRAM, page)->has_around = false;
		CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
		CLEANUP(whatif_destroyp)
		struct whatif_answer *answer = whatif_predict(model, NULL);

		if (shows) {
			assert_null(whatif_named(answer, "fault-around-4k"));
			assert_int_equal(find(answer, "fault-around-64k")->after.faults, 1);
			assert_int_equal(find(answer, "fault-around-64k")->saves.is,
					 MODEL_PREDICTION);
		} else {
			assert_int_equal(find(answer, "fault-around-4k")->saves.is, MODEL_AT_MOST);
			assert_null(whatif_named(answer, "fault-around-64k"));
		}
	}
}

TEST(read_around_makes_majors_of_what_lies_far_apart)
{
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");
	uint32_t text = sketch_section(&sketch, app, ".text", 1 << 22);

	sketch.objects.items[app].layout = &pie;
	sketch.objects.items[app].size = 400 * SKETCH_PAGE;
	read_page(&sketch, text, MODEL_PROGRAM, 1); // exec read it
	read_page(&sketch, text, MODEL_PROGRAM, 100);
	read_page(&sketch, text, MODEL_PROGRAM, 115); // of 84 to 116
	read_page(&sketch, text, MODEL_PROGRAM, 300);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);

	assert_int_equal(find(answer, "read-ahead-128k")->after.major, 2);
	assert_int_equal(find(answer, "read-ahead-128k")->after.read_bytes, 64 * SKETCH_PAGE);
	// All of the file but the four pages of exec.
	assert_int_equal(find(answer, "read-ahead-8192k")->after.major, 1);
	assert_int_equal(find(answer, "read-ahead-8192k")->after.read_bytes, 396 * SKETCH_PAGE);
	assert_int_equal(find(answer, "read-ahead-0k")->saves.is, MODEL_AT_MOST);
}

TEST(linux_6_18_reads_code_from_the_page_on)
{
	static const struct model_layout_section sections[] = { {
		.name = ".text",
		.has_bytes = true,
		.is_loaded = true,
		.is_code = true,
		.offset = 100 * SKETCH_PAGE,
		.file_size = 200 * SKETCH_PAGE,
	} };
	static const struct model_layout layout = { .sections = sections, .section_count = 1 };
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");
	uint32_t text = sketch_section(&sketch, app, ".text", 1 << 22);

	sketch.objects.items[app].layout = &layout;
	sketch.objects.items[app].size = 400 * SKETCH_PAGE;
	read_page(&sketch, text, MODEL_PROGRAM, 200);
	read_page(&sketch, text, MODEL_PROGRAM, 231); // the last of 32
	read_page(&sketch, text, MODEL_PROGRAM, 199); // before it
	read_page(&sketch, text, MODEL_PROGRAM, 298); // and up to the end of the mapping
	sketch.model->trace.kernel = "6.18.44";
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, NULL);
	const struct whatif *row = find(answer, "read-ahead-128k");

	assert_int_equal(row->after.major, 3);
	assert_int_equal(row->after.read_bytes, (32 + 1 + 2) * SKETCH_PAGE);
	assert_true(row->is_major_bound);
}

TEST(an_order_packs_the_code_of_its_functions)
{
	const struct model_packing packing = { .names = 9, .functions = 8, .bytes = 17 * 4096 };
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");
	uint32_t text = sketch_section(&sketch, app, ".text", 1 << 22);

	sketch.objects.items[app].layout = &pie;
	sketch.objects.items[app].packing = &packing;
	for (uint64_t i = 0; i < 20; i++)
		read_page(&sketch, text, MODEL_PROGRAM, 100 + 16 * i);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	CLEANUP(whatif_destroyp)
	struct whatif_answer *answer =
		whatif_predict(model, &(struct whatif_options){ .order = true });

	assert_int_equal(find(answer, "order")->after.faults, 2); // 17 pages, 16 a window
}
