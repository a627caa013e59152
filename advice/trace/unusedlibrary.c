// SPDX-License-Identifier: Apache-2.0
// Libraries were mapped and relocated, but none of their code was seen to run outside their own
// initializers. What only such a library brings along goes with it.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "derive/codeuse.h"

enum { USERS_NAMED = 3, BROUGHT_NAMED = 4 };

/** By index of the rule's cures. */
enum {
	CURE_AS_NEEDED = 1 << 0,
	CURE_TUNE = 1 << 1,
	CURE_DLOPEN = 1 << 2,
	CURE_LATER = 1 << 3,
	CURE_PACKAGE = 1 << 4,
};

/** A search for libraries that are loaded for nothing, and for the files that load them. */
struct search {
	struct findings *findings;
	const struct model *model;
	bool *is_unused; // by object
	bool *is_needed; // by another object's DT_NEEDED
	bool *is_kept;	 // loaded even without the library that is looked at
	uint32_t *queue;
};

static uint64_t loading_faults(const struct model_object *object)
{
	const uint64_t *by = object->by_initiator;

	return by[MODEL_LOADER] + by[MODEL_RELOCATION] + by[MODEL_SYMBOL_LOOKUP];
}

static bool is_unused(const struct findings *findings, uint32_t id)
{
	const struct model_object *object = &findings->model->objects[id];
	const struct codeuse *use = &findings->codeuse[id];

	// A file without faults of loading was mapped for its data: by a debugger, a linker.
	return object->is_elf && object->was_read && object->soname && !use->starts_threads &&
	       !use->is_entered && loading_faults(object) > 0;
}

static void keep(struct search *search, uint32_t id, uint32_t without, size_t *count)
{
	if (id == without || search->is_kept[id])
		return;
	search->is_kept[id] = true;
	search->queue[(*count)++] = id;
}

/** Mark what is loaded without @without: what is used, or needed by nothing, and all it needs. */
static void keep_without(struct search *search, uint32_t without)
{
	const struct model *model = search->model;
	size_t count = 0;

	for (uint32_t i = 0; i < model->object_count; i++)
		search->is_kept[i] = false;
	for (uint32_t i = 0; i < model->object_count; i++)
		if (!search->is_unused[i] || !search->is_needed[i])
			keep(search, i, without, &count);
	for (size_t next = 0; next < count; next++) {
		const struct model_object *object = &model->objects[search->queue[next]];

		for (size_t n = 0; n < object->needed_count; n++)
			keep(search, object->needed[n], without, &count);
	}
}

/** The library and what it alone brings. */
struct chain {
	uint32_t top;
	struct model_count cost; // of all
	struct model_count gone; // and what their initializers fault elsewhere
	uint64_t brought, pages, cpu_ns;
	const char *paths; // for --where
	const char *names; // of those that it brings; NULL: none
};

/** By search->is_kept. */
static struct chain sum_up(const struct search *search, uint32_t top)
{
	const struct model *model = search->model;
	struct findings *findings = search->findings;
	struct chain chain = { .top = top };

	for (uint32_t i = 0; i < model->object_count; i++) {
		const struct model_object *object = &model->objects[i];

		if (search->is_kept[i])
			continue;
		if (i != top && chain.brought++ < BROUGHT_NAMED)
			chain.names = kit_append(findings->arena, chain.names, ", ",
						 rule_label(findings, i));
		model_count_add(&chain.cost, &object->count);
		chain.cpu_ns += rule_loading(findings, i);
		chain.paths = kit_append(findings->arena, chain.paths, "|",
					 kit_escape(findings->arena, object->path));
		for (size_t s = 0; s < object->section_count; s++)
			chain.pages += model->sections[object->sections[s]].pages;
	}
	chain.gone = chain.cost;
	array_foreach (fault, model->faults, model->fault_count) {
		uint32_t by = fault->initializer == MODEL_NONE
				      ? MODEL_NONE
				      : model->initializers[fault->initializer].object;
		bool is_elsewhere =
			fault->at.object == MODEL_NONE || search->is_kept[fault->at.object];

		if (by != MODEL_NONE && !search->is_kept[by] && is_elsewhere)
			model_count_fault(&chain.gone, fault);
	}
	return chain;
}

/** Is @id itself brought by another library that is loaded for nothing? */
static bool is_brought(struct search *search, uint32_t id)
{
	const struct model *model = search->model;

	for (uint32_t i = 0; i < model->object_count; i++) {
		if (i == id || !search->is_unused[i])
			continue;
		keep_without(search, i);
		if (!search->is_kept[id])
			return true;
	}
	return false;
}

/** The files that need a library, and the symbols they take from it. */
struct users {
	const char *list; // "gdb, libfoo.so"; NULL: none
	const char *examples;
	uint64_t names;
	uint64_t data; // of names
	const char *datum;
	size_t count;
	bool are_known;
};

static struct users users_of(struct search *search, uint32_t id)
{
	struct findings *findings = search->findings;
	struct users users = { .are_known = true };

	for (uint32_t i = 0; i < search->model->object_count; i++) {
		const struct model_object *object = &search->model->objects[i];

		for (size_t n = 0; n < object->needed_count; n++) {
			if (object->needed[n] != id)
				continue;
			if (users.count++ < USERS_NAMED)
				users.list = kit_append(findings->arena, users.list, ", ",
							rule_label(findings, i));
			if (!object->used) {
				users.are_known = false;
				continue;
			}
			users.names += object->used[n].names;
			users.data += object->used[n].data;
			if (object->used[n].datum && !users.datum)
				users.datum = object->used[n].datum;
			if (object->used[n].examples && !users.examples)
				users.examples = object->used[n].examples;
		}
	}
	if (users.count > USERS_NAMED)
		users.list = arena_printf(
			findings->arena, "%s and %s", users.list,
			kit_plural(findings->arena, users.count - USERS_NAMED, "other"));
	return users;
}

/** ", 1 of them data (vtable for Foo)" */
static const char *describe_data(struct search *search, const struct users *users)
{
	if (users->data == 0)
		return "";
	return arena_printf(search->findings->arena, ", %s of them data, as %s",
			    figure_number(search->findings->arena, users->data),
			    rule_name(search->findings, users->datum));
}

/** "Needed by gdb, which uses 3 of its symbols (foo, bar), 1 of them data, as bar." */
static const char *describe_users(struct search *search, const struct users *users)
{
	struct arena *arena = search->findings->arena;
	const char *verb = users->count == 1 ? "uses" : "use";

	if (users->count == 0)
		return "No file needs it by name: it was opened with dlopen() or preloaded.";
	if (!users->are_known)
		return arena_printf(arena, "Needed by %s.", users->list);
	if (users->names == 0)
		return arena_printf(arena, "Needed by %s, which %s none of its symbols.",
				    users->list, verb);
	return arena_printf(arena, "Needed by %s, which %s %s of it%s%s%s%s.", users->list, verb,
			    kit_plural(arena, users->names, "symbol"), users->examples ? " (" : "",
			    users->examples ? rule_name(search->findings, users->examples) : "",
			    users->examples ? ")" : "", describe_data(search, users));
}

/** " It alone brings 26 libraries, with 353 faults on them, 466 in all." */
static const char *describe_chain(struct search *search, const struct chain *chain)
{
	const struct model_object *top = &search->model->objects[chain->top];
	struct arena *arena = search->findings->arena;
	uint64_t others = chain->cost.faults - top->count.faults;

	if (chain->brought == 0)
		return "";
	return arena_printf(arena, " It alone brings %s, unused as well, with %s on %s, %s in all.",
			    chain->brought == 1
				    ? "1 more library"
				    : arena_printf(arena, "%s more libraries",
						   figure_number(arena, chain->brought)),
			    kit_plural(arena, others, "fault"), chain->brought == 1 ? "it" : "them",
			    figure_number(arena, chain->cost.faults));
}

/** dlopen(), and so a stand-in library, can stand in for calls; the linker alone can bind data. */
static unsigned cures_for(const struct users *users)
{
	if (users->count == 0)
		return CURE_LATER;
	if (!users->are_known)
		return CURE_PACKAGE;
	if (users->names == 0)
		return CURE_AS_NEEDED | CURE_TUNE;
	return users->data > 0 ? CURE_PACKAGE : CURE_TUNE | CURE_DLOPEN | CURE_PACKAGE;
}

/** "libxml2.so.2 brings libicuuc.so.72, liblzma.so.5"; NULL: it brings nothing. */
static const char *name_all(struct search *search, const struct chain *chain)
{
	struct arena *arena = search->findings->arena;

	if (chain->brought == 0)
		return NULL;
	return arena_printf(
		arena, "%s brings %s%s", rule_label(search->findings, chain->top), chain->names,
		chain->brought <= BROUGHT_NAMED
			? ""
			: arena_printf(arena, " and %s more",
				       figure_number(arena, chain->brought - BROUGHT_NAMED)));
}

static void add(struct search *search, const struct chain *chain)
{
	struct findings *findings = search->findings;
	const struct model_object *object = &search->model->objects[chain->top];
	const struct users users = users_of(search, chain->top);
	struct arena *arena = findings->arena;

	rule_add_found(
		findings,
		&(struct rule_found){
			.object = chain->top,
			.cost = chain->cost,
			.pages = chain->pages,
			.gone = &chain->gone,
			.cpu_ns = chain->cpu_ns,
			.cpu_error_ns = rule_error(findings, chain->cpu_ns),
			.cures = cures_for(&users),
			.names = name_all(search, chain),
		},
		KIT_VALUES({ "object", chain->paths }, { "needed", describe_users(search, &users) },
			   { "chain", describe_chain(search, chain) },
			   { "loading", figure_number(arena, loading_faults(object)) },
			   { "own", figure_number(arena, object->count.faults) },
			   { "initializers",
			     figure_number(arena, object->by_initiator[MODEL_STATIC_INIT]) }));
}

static void look_at_all(struct search *search)
{
	const struct model *model = search->model;

	for (uint32_t i = 0; i < model->object_count; i++) {
		search->is_unused[i] = is_unused(search->findings, i);
		for (size_t n = 0; n < model->objects[i].needed_count; n++)
			search->is_needed[model->objects[i].needed[n]] = true;
	}
	for (size_t i = 0; i < model->shown_count; i++) {
		uint32_t id = model->shown[i];

		if (!search->is_unused[id])
			continue;
		keep_without(search, id);
		const struct chain chain = sum_up(search, id);

		if (rule_is_worth(search->findings, &chain.cost, chain.cpu_ns,
				  rule_error(search->findings, chain.cpu_ns)) &&
		    !is_brought(search, id))
			add(search, &chain);
	}
}

static void find(struct findings *findings)
{
	const size_t count = findings->model->object_count + 1;
	CLEANUP(freep) bool *flags = xcalloc(3 * count, sizeof(*flags));
	CLEANUP(freep) uint32_t *queue = xcalloc(count, sizeof(*queue));
	struct search search = {
		.findings = findings,
		.model = findings->model,
		.is_unused = flags,
		.is_needed = flags + count,
		.is_kept = flags + 2 * count,
		.queue = queue,
	};

	// Without stacks it is not known what ran.
	if (findings->model->trace.has_stacks)
		look_at_all(&search);
}

const struct rule rule_unusedlibrary = {
	.prose = {
		.id = "hardly-used-library",
		.title = "Loaded, but not seen to be used",
		.evidence = "{needed} Loading and relocation cause {loading} of its {own} faults, "
			    "static initializers {initializers}; apart from these, nothing of it was "
			    "seen to run.{chain}",
	},
	.cures = {
		{ MODEL_FOR_LINK, "Link what needs it with `-Wl,--as-needed` before it: it is dropped, since "
				  "nothing uses a symbol of it.",
		  "if no file that needs it uses one of its symbols" },
		{ MODEL_FOR_RUN, "`elfault tune -- {run}` tries a stand-in, which opens it when one of its functions is called, measures, and keeps what pays; nothing is built, and --undo takes it back.",
		  "if no data of it is used" },
		{ MODEL_FOR_BUILD, "In the files that need it, open it with `dlopen()` when it is first "
				   "needed: they use only functions of it. `-Wl,--as-needed` keeps a "
				   "library of which a symbol is used.",
		  "if functions of it are used and nothing else" },
		{ MODEL_FOR_BUILD, "Open it when it is first used: nothing of it was, so far.",
		  "if it was opened with dlopen() or preloaded" },
		{ MODEL_FOR_PACKAGE, "Build what needs it without the feature that it is for, or with "
				     "that as a plugin.",
		  "if its symbols are used" },
	},
	.about = "A library was loaded and relocated, but none of its code was seen to run. What only such libraries need is loaded with it, and counts with it.",
	.when = "Reported for an object with a soname when all faults on it, and on the unused "
		"libraries that would not be loaded without it, reach the threshold and no "
		"function of them was seen to run outside their own initializers, finalizers and "
		"IFUNC resolvers: in a fault or its stack, a sample or a pause.",
	.details = "Who needs it is read from DT_NEEDED, how many symbols from `.dynsym`: "
		   "`--as-needed` drops a library only if that is none. Where one is data (a "
		   "variable, a vtable, typeinfo, a thread-local variable, or what a program has a "
		   "copy of), `dlopen()` is not advised: it stands in for calls alone. Its computing is the share "
		   "of relocation and lookup that its relocations and names have by their number, "
		   "and that of its initializers, whose faults on other memory are saved as well.",
	.limits = "Code that ran without a fault is not seen, nor data that was read. Faults from "
		  "looking up its names in other files are not included. Call stacks are required.",
	.where = "object={object}",
	.saves_storage = true,
	.needs_all_faults = true,
	.error_percent = 3, // FileCheck-14: 81 predicted, 83 saved; elfault: 373, 371
	.find = find,
};
