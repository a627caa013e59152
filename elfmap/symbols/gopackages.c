// SPDX-License-Identifier: Apache-2.0
// Go's tasks of initializers, one per package. No table says where they are in a stripped file:
// they are known by their form, and by the names of the functions that they hold.
#include "elfmap/symbols/gosymbols.h"

#include "base/order.h"
#include "base/u64map.h"

enum {
	WORD = 8,
	FUNCTIONS_MAX = 1 << 16,
	PACKAGES_MAX = 1 << 16,
	NESTED_MAX = 1000, // packages that import each other
	ROUNDS_MAX = 16,
};

/** Knowledge of the file, while it is searched. */
struct search {
	struct elfmap *map;
	struct u64map functions_at; // by vaddr of a function: 1 it is an initializer, 2 it is not
	struct u64map listed;	    // tasks in the list
	struct module_starts *list;
	uint64_t left; // pointers that may still be read: lists that overlap make no more work
};

static uint64_t number(const struct search *search, const uint8_t *bytes)
{
	return elfmap_u64(search->map, bytes);
}

/** A task, whichever Go made it. */
struct task {
	uint64_t first_dependency, dependency_count; // vaddr of pointers to tasks
	uint64_t first_function, function_count;     // vaddr of pointers to functions
};

/** Return the length of the package in the name of one of its initializers; 0: it is none. */
static size_t package_length(const char *name)
{
	static const char init[] = ".init";
	const char *slash = strrchr(name, '/');
	const char *dot = strchr(slash ? slash : name, '.');

	if (!dot || dot == name || strncmp(dot, init, sizeof(init) - 1) != 0 ||
	    (dot[sizeof(init) - 1] != '\0' && dot[sizeof(init) - 1] != '.'))
		return 0;
	return (size_t)(dot - name);
}

static uint64_t pointer_at(struct search *search, uint64_t vaddr)
{
	const uint8_t *bytes = search->left ? elfmap_bytes(search->map, vaddr, WORD) : NULL;

	search->left -= search->left > 0;
	return bytes ? elfmap_slot_value(search->map, vaddr, bytes) : 0;
}

static bool is_initializer(struct search *search, uint64_t vaddr)
{
	enum { IS = 1, IS_NOT };
	uint32_t *known;

	if (vaddr == 0 || !elfmap_load_at(search->map, vaddr))
		return false;
	known = u64map_put(&search->functions_at, vaddr, NULL);
	if (!*known) {
		const struct elfmap_symbol *symbol = elfmap_symbol_at(search->map, vaddr);

		*known = symbol && symbol->vaddr == vaddr && package_length(symbol->name) > 0
				 ? IS
				 : IS_NOT;
	}
	return *known == IS;
}

/** Tell whether all @count pointers at @vaddr are to initializers. */
static bool are_initializers(struct search *search, uint64_t vaddr, uint64_t count)
{
	if (count > FUNCTIONS_MAX || !elfmap_has_bytes(search->map, vaddr, count * WORD))
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (!is_initializer(search, pointer_at(search, vaddr + i * WORD)))
			return false;
	return true;
}

/** Read a task of Go 1.21 or later: a state of 0, a number of functions, the functions. */
static bool read_new(struct search *search, uint64_t vaddr, struct task *ret_task)
{
	const uint8_t *bytes = vaddr % WORD == 0 ? elfmap_bytes(search->map, vaddr, WORD) : NULL;
	uint64_t head = bytes ? number(search, bytes) : 0;

	*ret_task = (struct task){ .first_function = vaddr + WORD, .function_count = head >> 32 };
	return head && (uint32_t)head == 0 &&
	       are_initializers(search, ret_task->first_function, ret_task->function_count);
}

/**
 * Read a task of an earlier Go: a state of 0, the numbers of tasks that run before and of
 * functions, the tasks, the functions. One without functions only looks like a task.
 */
static bool read_old(struct search *search, uint64_t vaddr, struct task *ret_task)
{
	const uint8_t *bytes =
		vaddr % WORD == 0 ? elfmap_bytes(search->map, vaddr, 3 * WORD) : NULL;
	uint64_t dependencies = bytes ? number(search, bytes + WORD) : 0;
	uint64_t functions = bytes ? number(search, bytes + 2 * WORD) : 0;
	uint64_t first = vaddr + 3 * WORD;

	if (dependencies + functions == 0 || dependencies > PACKAGES_MAX || number(search, bytes) ||
	    !elfmap_has_bytes(search->map, first, dependencies * WORD))
		return false;
	*ret_task = (struct task){ first, dependencies, first + dependencies * WORD, functions };
	return are_initializers(search, ret_task->first_function, functions);
}

/** Append a task to the list, once. */
static void list_task(struct search *search, uint64_t vaddr, const struct task *task)
{
	uint64_t function;
	const struct elfmap_symbol *symbol;
	struct module_start package = { .slot = vaddr, .count = task->function_count };
	uint64_t *functions;

	if (task->function_count == 0 || !u64map_add(&search->listed, vaddr))
		return;
	functions = arena_array(&search->map->arena, package.count, sizeof(*functions));
	for (uint64_t i = 0; i < package.count; i++)
		functions[i] = pointer_at(search, task->first_function + i * WORD);
	function = functions[0];
	symbol = elfmap_symbol_at(search->map, function);
	package.functions = functions;
	package.name =
		arena_strndup(&search->map->arena, symbol->name, package_length(symbol->name));
	vec_push(search->list, package);
}

/** Pointers to the tasks that run, in their order. */
struct task_list {
	uint64_t vaddr, count;
	bool has_runtime;
};

static bool is_runtimes(struct search *search, const struct task *task)
{
	static const char runtime[] = "runtime.init";
	const struct elfmap_symbol *symbol =
		elfmap_symbol_at(search->map, pointer_at(search, task->first_function));

	return symbol && strncmp(symbol->name, runtime, sizeof(runtime) - 1) == 0;
}

/** True if the slice at @vaddr, a pointer and its length twice, is of tasks. */
static bool read_list(struct search *search, uint64_t vaddr, const uint8_t *bytes,
		      struct task_list *ret_list)
{
	struct task_list list = { .count = number(search, bytes + WORD) };
	struct task task;

	if (list.count == 0 || list.count > PACKAGES_MAX ||
	    list.count != number(search, bytes + 2 * WORD))
		return false;
	list.vaddr = elfmap_slot_value(search->map, vaddr, bytes);
	if (list.vaddr % WORD || !elfmap_has_bytes(search->map, list.vaddr, list.count * WORD))
		return false;
	for (uint64_t i = 0; i < list.count; i++) {
		if (!read_new(search, pointer_at(search, list.vaddr + i * WORD), &task))
			return false;
		list.has_runtime = list.has_runtime || is_runtimes(search, &task);
	}
	*ret_list = list;
	return true;
}

static void add_list(struct search *search, const struct task_list *list)
{
	struct task task;

	for (uint64_t i = 0; i < list->count; i++) {
		uint64_t vaddr = pointer_at(search, list->vaddr + i * WORD);

		if (read_new(search, vaddr, &task))
			list_task(search, vaddr, &task);
	}
}

/** The section behind @after, NULL: the first, of data that Go initialized; NULL: none. */
static const struct elfmap_section *next_data(struct elfmap *map,
					      const struct elfmap_section *after)
{
	const struct elfmap_section *end = map->sections + map->section_count;

	for (after = after ? after + 1 : map->sections; after < end; after++)
		if ((after->flags & SHF_ALLOC) && (after->flags & SHF_WRITE) && after->has_bytes &&
		    elfmap_has_bytes(map, after->vaddr, after->size))
			return after;
	return NULL;
}

/** The runtime's list runs before the program's, which names the runtime's tasks again. */
ORDER_OF(compare_lists, task_list,
	 ORDER(y->has_runtime, x->has_runtime) ?: ORDER(x->count, y->count))

/** Find the slices of runtime.runtime_inittasks and of moduledata.inittasks: Go 1.21. */
static void list_by_slices(struct search *search)
{
	CLEANUP(vec_release) VEC(struct task_list) lists = { 0 };
	const struct elfmap_section *section = NULL;
	struct task_list list;

	while ((section = next_data(search->map, section))) {
		const uint8_t *bytes = elfmap_bytes(search->map, section->vaddr, section->size);

		for (uint64_t at = 0; at + 3 * WORD <= section->size; at += WORD)
			if (read_list(search, section->vaddr + at, bytes + at, &list))
				vec_push(&lists, list);
	}
	vec_sort(&lists, compare_lists);
	vec_foreach (item, &lists)
		add_list(search, item);
}

/** The tasks of a Go before 1.21, which name each other. */
struct graph {
	VEC(uint64_t) tasks;
	struct u64map known; // tasks
	struct u64map named; // those that others run before themselves
	struct u64map done;  // on the way down
	uint64_t runtime;    // 0: not found
};

static void add_task(struct search *search, struct graph *graph, uint64_t vaddr,
		     const struct task *task)
{
	if (!u64map_add(&graph->known, vaddr))
		return;
	vec_push(&graph->tasks, vaddr);
	for (uint64_t i = 0; i < task->dependency_count; i++)
		u64map_add(&graph->named, pointer_at(search, task->first_dependency + i * WORD));
	if (task->function_count > 0 && is_runtimes(search, task))
		graph->runtime = vaddr;
}

static bool names_known(struct search *search, const struct graph *graph, const struct task *task)
{
	for (uint64_t i = 0; i < task->dependency_count; i++)
		if (!u64map_get(&graph->known,
				pointer_at(search, task->first_dependency + i * WORD)))
			return false;
	return true;
}

/** Add the tasks with functions; or those without whose dependencies are all known. */
static void find_tasks(struct search *search, struct graph *graph, bool with_functions)
{
	const struct elfmap_section *section = NULL;
	struct task task;

	while ((section = next_data(search->map, section)))
		for (uint64_t at = 0; at + 3 * WORD <= section->size; at += WORD)
			if (read_old(search, section->vaddr + at, &task) &&
			    (with_functions ? task.function_count > 0
					    : names_known(search, graph, &task)))
				add_task(search, graph, section->vaddr + at, &task);
}

static void run_task(struct search *search, struct graph *graph, uint64_t vaddr, unsigned depth)
{
	struct task task;

	if (depth > NESTED_MAX || !u64map_get(&graph->known, vaddr) ||
	    !u64map_add(&graph->done, vaddr) || !read_old(search, vaddr, &task))
		return;
	for (uint64_t i = 0; i < task.dependency_count; i++)
		run_task(search, graph, pointer_at(search, task.first_dependency + i * WORD),
			 depth + 1);
	list_task(search, vaddr, &task);
}

/** Go down the tasks as runtime.doInit() did: from the runtime's, then from main's. */
static void list_by_graph(struct search *search)
{
	struct graph graph = { 0 };
	size_t before;

	find_tasks(search, &graph, true);
	for (unsigned i = 0; i < ROUNDS_MAX && graph.tasks.count > 0; i++) {
		before = graph.tasks.count;
		find_tasks(search, &graph, false);
		if (graph.tasks.count == before)
			break;
	}
	run_task(search, &graph, graph.runtime, 0);
	vec_foreach (task, &graph.tasks)
		if (!u64map_get(&graph.named, *task))
			run_task(search, &graph, *task, 0);
	vec_deinit(&graph.tasks);
	u64map_deinit(&graph.known);
	u64map_deinit(&graph.named);
	u64map_deinit(&graph.done);
}

/** True if Go made any of it: where C's linker did the rest, its table of functions has no section.
 */
static bool is_of_go(struct elfmap *map)
{
	return elfmap_section_named(map, ".go.buildinfo") ||
	       elfmap_section_named(map, ".note.go.buildid") || gosymbols_are_there(map);
}

void gopackages_list(struct elfmap *map, struct module_starts *ret_packages)
{
	struct search search = {
		.map = map,
		.list = ret_packages,
		.left = elfmap_info(map)->size,
	};

	*ret_packages = (struct module_starts){ 0 };
	if (elfmap_word_size(map) != WORD || !is_of_go(map))
		return;
	list_by_slices(&search);
	if (ret_packages->count == 0)
		list_by_graph(&search);
	u64map_deinit(&search.functions_at);
	u64map_deinit(&search.listed);
}
