// SPDX-License-Identifier: Apache-2.0
// The program linked with its libraries in it, at a fixed address or not: what the dynamic linker
// did for these is gone, what the program does with them stays.
#include "base/cleanup.h"
#include "base/path.h"
#include "base/range.h"
#include "base/search.h"
#include "cure/whatiftables.h"
#include "model/layout.h"
#include "model/library.h"

#include <string.h>

// ---- Fault by fault -------------------------------------------------------------------------

/** A static program reads its IFUNC slots and makes room for TLS, in memory that ld.so had. */
enum { STATIC_FAULTS = 2 };

/**
 * Return the remaining part of a fault: 1 all of it, 0 nothing, between: as many as of those like
 * it.
 */
static double part(uint64_t left, uint64_t all)
{
	return all > 0 ? (double)left / (double)all : 1;
}

/** Code and tables that each file has and a program has once. */
static bool is_of_every_file(const char *section)
{
	static const char *const names[] = { ".init",	    ".fini",	     ".init_array",
					     ".fini_array", ".eh_frame_hdr", NULL };

	for (const char *const *name = names; *name; name++)
		if (strcmp(section, *name) == 0)
			return true;
	return false;
}

/** Slots of names, of which the program has a table of its own; calls within it need none. */
static bool is_of_names(const char *section)
{
	return strcmp(section, ".got") == 0 || strcmp(section, ".got.plt") == 0;
}

static double part_of_relocation(const struct whatif_plan *plan, const struct model_fault *fault)
{
	const struct model_relocation *relocation =
		plan->kit->model->objects[fault->at.object].relocation;
	const struct whatif_table *table = &plan->tables[fault->at.object];
	const uint64_t page = align_down(fault->at.vaddr, plan->kit->page_size);

	if (!relocation)
		return 1;
	size_t at =
		search_first(relocation->written_count, i, relocation->written[i].vaddr >= page);
	if (at < relocation->written_count && relocation->written[at].vaddr == page)
		return whatif_is_page_left(plan, relocation->written[at].targets);
	if (whatif_table_has(table, fault))
		return !whatif_table_drops(plan->kit, table, fault);
	// What a COPY relocation copies, and tables of names.
	return fault->at.object == plan->kit->answer->program;
}

/** Of memory that is in no file of the link: the loader's own, and whatever the program uses. */
static double part_outside(const struct whatif_plan *plan, const struct model_fault *fault)
{
	bool is_of_file = fault->at.object != MODEL_NONE &&
			  plan->kit->model->objects[fault->at.object].is_file;

	if (fault->initiator == MODEL_LOADER || fault->initiator == MODEL_SYMBOL_LOOKUP ||
	    fault->initiator == MODEL_LAZY_BINDING || fault->initiator == MODEL_RELOCATION)
		return is_of_file && !plan->way->all ? 1 : part(plan->objects_left, plan->objects);
	return 1;
}

static double part_of_library(const struct whatif_plan *plan, const struct model_fault *fault)
{
	const char *section = model_section_name(plan->kit->model, fault) ?: "";

	switch ((enum model_initiator)fault->initiator) {
	case MODEL_LOADER:
	case MODEL_SYMBOL_LOOKUP:
	case MODEL_LAZY_BINDING:
		return 0;
	case MODEL_RELOCATION:
		if (is_of_names(section) || is_of_every_file(section))
			return 0;
		return part_of_relocation(plan, fault);
	default:
		return !is_of_every_file(section);
	}
}

static double part_of_program(const struct whatif_plan *plan, const struct model_fault *fault)
{
	if (fault->initiator == MODEL_RELOCATION)
		return part_of_relocation(plan, fault);
	if (plan->way->all &&
	    (fault->initiator == MODEL_LOADER || fault->initiator == MODEL_SYMBOL_LOOKUP ||
	     fault->initiator == MODEL_LAZY_BINDING))
		return 0;
	return 1;
}

static double part_left(const struct whatif_plan *plan, const struct model_fault *fault)
{
	const struct model *model = plan->kit->model;
	uint32_t object = fault->at.object;

	if (object == plan->kit->answer->program)
		return part_of_program(plan, fault);
	if (object == MODEL_NONE || !model->objects[object].is_elf)
		return part_outside(plan, fault);
	if (plan->way->all && model_library_of(&model->objects[object]) == MODEL_LIBRARY_LOADER)
		return 0;
	switch (plan->fates[object]) {
	case FATE_GONE:
		return 0;
	case FATE_MERGED:
		return part_of_library(plan, fault);
	case FATE_STAYS:
		if (fault->initiator == MODEL_SYMBOL_LOOKUP && plan->lookups_left == 0)
			return 0;
		return 1;
	case FATE_OTHER:
		break;
	}
	return 1;
}

/**
 * Constant data that relocation copied was in memory then; what the program reads of it now faults,
 * a window at a time. How much it reads is not known: as much as of the file's code.
 */
static double count_reads_of_relro(const struct whatif_plan *plan, const double *gone_pages)
{
	const struct model *model = plan->kit->model;
	const double window = (double)plan->kit->answer->around / (double)plan->kit->page_size;
	double reads = 0;

	for (uint32_t i = 0; i < model->object_count; i++) {
		const struct model_object *row = &model->objects[i];
		double touched = 0, all = 0;

		if (gone_pages[i] <= 0)
			continue;
		for (size_t s = 0; s < row->section_count; s++) {
			const struct model_section *section = &model->sections[row->sections[s]];

			if (!section->name || strcmp(section->name, ".text") != 0)
				continue;
			touched += (double)section->pages;
			all += (double)section->size / (double)plan->kit->answer->around;
		}
		if (all < touched || all <= 0)
			all = touched > 0 ? touched : 1;
		double windows = gone_pages[i] / (window > 1 ? window : 1);

		windows = (windows < 1 ? 1 : windows) * (touched > 0 ? touched / all : 0);
		// No more than there is code that may read it.
		reads += windows < touched ? windows : touched;
	}
	return reads;
}

/** Reasons that make a prediction a bound. */
struct doubts {
	uint64_t hidden; // pages gone that the program may write, each for a fault
	double moved;	 // faults left, on files that the program has in it then
};

/** Spare what each file takes by itself: it is mapped, binds memcpy and the like, is finalized. */
static void spare_files(const struct whatif_plan *plan, struct whatif_change *change)
{
	const double gone = 1 - part(plan->objects_left, plan->objects);

	whatif_spare(change, plan->kit, MODEL_LOADER, gone);
	whatif_spare(change, plan->kit, MODEL_STATIC_FINI, gone);
	// A static program resolves those of its own at each start.
	whatif_spare(change, plan->kit, MODEL_IFUNC, plan->way->all ? 0 : gone);
}

static struct whatif_change change_of(const struct whatif_plan *plan, struct doubts *doubts)
{
	struct whatif_kit *kit = plan->kit;
	const struct model *model = kit->model;
	struct whatif_change change = { 0 };
	double partial = 0;
	*doubts = (struct doubts){ 0 };
	CLEANUP(freep) double *gone = xcalloc(model->object_count + 1, sizeof(*gone));

	array_foreach (fault, model->faults, model->fault_count) {
		uint32_t program = model_thread(model, fault)->program;

		if (program == MODEL_NONE || kit->executables[program] != kit->answer->program)
			continue;
		double left = part_left(plan, fault);

		if (left <= 0)
			whatif_drop(&change, kit, fault);
		else
			partial += 1 - left;
		if (left <= 0 && fault->initiator == MODEL_RELOCATION &&
		    !whatif_maps_around(fault) && fault->at.object != MODEL_NONE) {
			gone[fault->at.object]++;
			// The program may write it: writes of a page that was copied are not seen.
			doubts->hidden += model_is_in_section(model, fault, ".data");
		}
		if (fault->at.object != MODEL_NONE && plan->fates[fault->at.object] == FATE_MERGED)
			doubts->moved += left;
	}
	change.faults += partial - count_reads_of_relro(plan, gone);
	if (plan->way->all)
		change.faults -= STATIC_FAULTS;
	// A name that is left is searched in fewer files.
	const double lookups = 1 - part(plan->lookups_left, plan->lookups) *
					   part(plan->objects_left, plan->objects);

	whatif_spare(&change, kit, MODEL_RELOCATION, 1 - part(plan->slots_left, plan->slots));
	whatif_spare(&change, kit, MODEL_SYMBOL_LOOKUP, lookups);
	whatif_spare(&change, kit, MODEL_LAZY_BINDING, lookups);
	spare_files(plan, &change);
	return change;
}

// ---- The links ------------------------------------------------------------------------------

/** Files that a link would break: those that the program opens by name while it runs. */
struct opened {
	const char *names; // NULL: none
	bool calls_dlopen, calls_nss;
};

static struct opened find_opened(const struct whatif_plan *plan)
{
	const struct model *model = plan->kit->model;
	uint32_t program = plan->kit->answer->program;
	CLEANUP(freep) bool *is_used = xcalloc(model->object_count + 1, sizeof(*is_used));
	struct opened opened = { 0 };
	size_t count = 0;

	array_foreach (fault, model->faults, model->fault_count) {
		uint32_t of = model_thread(model, fault)->program;

		if (of != MODEL_NONE && plan->kit->executables[of] == program &&
		    fault->at.object != MODEL_NONE &&
		    (fault->initiator == MODEL_RELOCATION || fault->initiator == MODEL_LOADER))
			is_used[fault->at.object] = true;
	}
	for (uint32_t i = 0; i < model->object_count; i++) {
		const struct model_object *row = &model->objects[i];

		if (row->relocation &&
		    (i == program || (plan->fates[i] == FATE_MERGED &&
				      model_library_of(row) == MODEL_LIBRARY_OTHER))) {
			opened.calls_dlopen |= row->relocation->calls_dlopen;
			opened.calls_nss |= row->relocation->calls_nss;
		}
		if (!is_used[i] || i == program || plan->fates[i] != FATE_OTHER || !row->is_elf ||
		    model_library_of(row) == MODEL_LIBRARY_LOADER || !row->layout ||
		    !row->layout->is_library)
			continue;
		count++;
		if (count <= 2)
			opened.names = opened.names
					       ? arena_printf(plan->kit->arena, "%s, %s",
							      opened.names, model_object_name(row))
					       : model_object_name(row);
	}
	if (count > 2)
		opened.names =
			arena_printf(plan->kit->arena, "%s and %zu more", opened.names, count - 2);
	return opened;
}

static bool merges_kind(const struct whatif_plan *plan, enum model_library library)
{
	for (size_t i = 0; i < plan->merged_count; i++)
		if (model_library_of(&plan->kit->model->objects[plan->merged[i]]) == library)
			return true;
	return false;
}

/** Why the program cannot be linked so; NULL: it can. */
static const char *why_not(const struct whatif_plan *plan, const struct opened *opened)
{
	const struct whatif_way *link = plan->way;
	const struct model *model = plan->kit->model;
	uint32_t program = plan->kit->answer->program;
	struct arena *arena = plan->kit->arena;

	if (program == MODEL_NONE)
		return plan->kit->options->objects
			       ? "none of the files named is an executable of this run"
			       : "no executable of this run could be read";
	const struct model_object *row = &model->objects[program];
	const char *name = model_object_name(row);

	if (row->needed_count == 0)
		return arena_printf(arena, "%s needs no library", name);
	if (link->all && opened->names)
		return arena_printf(arena,
				    "%s opens %s while it runs (dlopen, plugins, NSS), which a "
				    "static program cannot",
				    name, opened->names);
	if (link->all && opened->calls_dlopen)
		return arena_printf(arena, "%s calls dlopen: its plugins would not load any more",
				    name);
	if (link->is_fixed && !link->all && row->layout->is_fixed && plan->merged_count == 0)
		return arena_printf(arena, "%s has a fixed address already", name);
	if (plan->needs_cxx)
		return "a library needs libstdc++ or libgcc as well";
	if (link->cxx && !link->all && !merges_kind(plan, MODEL_LIBRARY_CXX))
		return arena_printf(arena, "%s needs neither libstdc++ nor libgcc", name);
	return NULL;
}

/** Return the warning about a link. */
static const char *warning_of(const struct whatif_plan *plan, const struct opened *opened)
{
	struct whatif_kit *kit = plan->kit;
	struct arena *arena = kit->arena;
	const char *name = model_object_name(&kit->model->objects[kit->answer->program]);
	const char *what =
		plan->merged_count == 0
			? arena_printf(arena, "relinks %s", name)
			: arena_printf(arena, "relinks %s with %s in it", name,
				       whatif_files(kit, plan->merged, plan->merged_count));

	if (plan->way->all && opened->calls_nss)
		return arena_printf(arena,
				    "%s; names of users and hosts (NSS) would need the same glibc "
				    "at run time",
				    what);
	if (opened->names && plan->way->libraries)
		return arena_printf(arena, "%s; %s must find its symbols there (-rdynamic)", what,
				    opened->names);
	return what;
}

/** Find the archives of what is linked in; those of the language come with the compiler. */
static void find_archives(const struct whatif_plan *plan, struct whatif *row)
{
	struct arena *arena = plan->kit->arena;

	for (size_t i = 0; i < plan->merged_count; i++) {
		const struct model_object *object = &plan->kit->model->objects[plan->merged[i]];

		if (model_library_of(object) == MODEL_LIBRARY_CXX)
			continue;
		if (!object->archive) {
			row->archives_missing++;
			continue;
		}
		const char *name = path_file_name(object->archive);

		row->archive_count++;
		row->archives =
			row->archives ? arena_printf(arena, "%s, %s", row->archives, name) : name;
	}
}

/** Was code of @object compiled by rustc? Files of other languages may have some. */
static bool has_rust(const struct model_object *object)
{
	return object->layout && object->layout->toolchain &&
	       strstr(object->layout->toolchain, "rustc");
}

/** Does @object hold the runtime of Go, which reads its tables at each start? */
static bool has_go(const struct model *model, const struct model_object *object)
{
	for (size_t i = 0; i < object->section_count; i++) {
		const char *name = model->sections[object->sections[i]].name;

		if (name && strcmp(name, ".gopclntab") == 0)
			return true;
	}
	return false;
}

/**
 * The option of gcc and clang. A linker's -static alone breaks Rust, which then expects a dynamic
 * linker: https://doc.rust-lang.org/reference/linkage.html.
 */
static const char *static_option(const struct whatif_plan *plan)
{
	const struct model *model = plan->kit->model;
	const struct model_object *program = &model->objects[plan->kit->answer->program];

	return has_rust(program)
		       ? "-static, of Rust -C target-feature=+crt-static -C relocation-model=static"
	       : has_go(model, program) ? "-static, of Go CGO_ENABLED=0"
					: "-static";
}

static const char *how_to(const struct whatif_plan *plan)
{
	const struct whatif_way *link = plan->way;
	bool is_fixed_already =
		plan->kit->answer->program != MODEL_NONE &&
		plan->kit->model->objects[plan->kit->answer->program].layout->is_fixed;
	const char *text = NULL;
	struct arena *arena = plan->kit->arena;

	if (link->all)
		return static_option(plan);
	if (link->is_fixed && !is_fixed_already)
		text = has_rust(&plan->kit->model->objects[plan->kit->answer->program])
			       ? "-no-pie, of Rust -C relocation-model=static"
			       : "-no-pie";
	if (link->cxx)
		text = arena_printf(arena, "%s%s-static-libstdc++ -static-libgcc", text ? text : "",
				    text ? " " : "");
	if (link->libraries)
		text = arena_printf(arena, "%s%slibraries as .a", text ? text : "",
				    text ? ", " : "");
	return text;
}

/**
 * So many faults may come on top of those on files that are linked in: of ld.lld with all of LLVM
 * in it 79 of some 600, of small programs up to 8 of 10, since each segment of theirs has grown.
 */
enum { ARCHIVE_MARGIN_PERCENT = 15, ARCHIVE_MARGIN_FAULTS = 8 };

static void predict(struct whatif_kit *kit, const struct whatif_way *link)
{
	CLEANUP(whatif_plan_deinit) struct whatif_plan plan;
	struct whatif row = {
		.group = WHATIF_LINK,
		.cure = link->cure,
		.title = link->title,
		.has_time = true,
		.error_percent = link->error_percent,
	};
	struct opened opened = { 0 };

	if (whatif_plan_init(&plan, kit, link)) {
		struct whatif_way own = *link;

		// Without libraries to link in, the option alone says it all.
		own.libraries &= merges_kind(&plan, MODEL_LIBRARY_OTHER);
		plan.way = &own;
		opened = find_opened(&plan);
		row.how = how_to(&plan);
		row.object = kit->model->objects[kit->answer->program].path;
		row.file_count = 1;
		plan.way = link;
		find_archives(&plan, &row);
	}
	const char *reason = why_not(&plan, &opened);

	if (reason) {
		whatif_refuse(kit, row, reason);
		return;
	}
	struct doubts doubts;
	struct whatif_change change = change_of(&plan, &doubts);
	const double left = (double)kit->answer->before.faults - change.faults;

	row.reason = warning_of(&plan, &opened);
	const bool is_hidden = (double)doubts.hidden * 100 > left * link->error_percent;

	if (is_hidden) {
		row.saves.is = MODEL_AT_MOST;
		row.reason =
			arena_printf(kit->arena,
				     "%s%show many of %llu pages of .data it writes itself was "
				     "not seen",
				     row.reason ? row.reason : "", row.reason ? "; " : "",
				     (unsigned long long)doubts.hidden);
	}
	if (merges_kind(&plan, MODEL_LIBRARY_OTHER)) {
		// Of an archive only what is needed is linked in; where that is all of it, its
		// pages lie otherwise than before. All hidden pages may be written.
		row.saves.is = MODEL_AT_LEAST;
		change.faults -= doubts.moved * ARCHIVE_MARGIN_PERCENT / 100 +
				 ARCHIVE_MARGIN_FAULTS + (is_hidden ? (double)doubts.hidden : 0);
	}
	whatif_add(kit, row, &change);
}

void whatif_link(struct whatif_kit *kit)
{
	static const struct whatif_way links[] = {
		{ .cure = "no-pie",
		  .title = "-no-pie, static libraries",
		  .is_fixed = true,
		  .libraries = true,
		  .error_percent = 5 },
		{ .cure = "static-libstdc++",
		  .title = "static libstdc++",
		  .cxx = true,
		  .error_percent = 5 },
		{ .cure = "no-pie-static-libstdc++",
		  .title = "all but libc static",
		  .is_fixed = true,
		  .libraries = true,
		  .cxx = true,
		  .error_percent = 5 },
		{ .cure = "static",
		  .title = "-static",
		  .is_fixed = true,
		  .libraries = true,
		  .cxx = true,
		  .all = true,
		  .error_percent = 15 },
	};

	array_foreach (link, links, sizeof(links) / sizeof(links[0]))
		predict(kit, link);
}
