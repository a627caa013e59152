// SPDX-License-Identifier: Apache-2.0
// Functions that run before main, or when a library is loaded, fault.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "derive/pageset.h"

#include <stdlib.h>

enum { NAMED = 3, DEAREST = 2, MIN_PERCENT_CODE = 50 };

/** By index of the rule's cures. */
enum { CURE_ORDER = 1 << 0, CURE_BUILD = 1 << 1, CURE_GO = 1 << 2 };

/** An initializer and the faults inside it, of those shown. */
struct row {
	const struct model_initializer *initializer;
	struct model_count count;
};

/** Of an object's initializers together. */
struct sum {
	uint64_t pages;
	uint64_t code; // faults that fetched code, which lies elsewhere when it is ordered
};

ORDER_OF(compare, row,
	 ORDER(y->count.faults, x->count.faults) ?: ORDER(x->initializer, y->initializer))

static uint64_t time_of(const struct row *row)
{
	return row->count.own_ns + row->initializer->cpu_ns;
}

static int compare_time(const void *a, const void *b)
{
	return ORDER(time_of(b), time_of(a)) ?: compare(a, b);
}

/** "Registry() of registry.cc". */
static const char *name_of(struct findings *findings, const struct model_initializer *initializer)
{
	struct arena *arena = findings->arena;

	if (initializer->label)
		return rule_name(findings, initializer->label);
	const char *name = initializer->function ? rule_name(findings, initializer->function)
						 : arena_printf(arena, "%s[%u]", initializer->array,
								initializer->index);

	if (initializer->source)
		name = arena_printf(arena, "%s of %s", name,
				    rule_name(findings, initializer->source));
	return name;
}

/** "Registry() of registry.cc 12": an initializer and the faults inside it. */
static const char *describe_row(struct findings *findings, const struct row *row)
{
	return arena_printf(findings->arena, "%s %s", name_of(findings, row->initializer),
			    figure_number(findings->arena, row->count.faults));
}

/** "dearest: globals of foo.cc 1.2 ms, Registry() 310.0 us"; NULL: no time is known. */
static const char *dearest(struct findings *findings, struct row *rows, size_t count)
{
	struct arena *arena = findings->arena;
	const char *names = NULL;

	qsort(rows, count, sizeof(*rows), compare_time);
	for (size_t i = 0; i < DEAREST && i < count && time_of(&rows[i]) > 0; i++)
		names = kit_append(arena, names, ", ",
				   arena_printf(arena, "%s %s",
						name_of(findings, rows[i].initializer),
						rule_time(findings, time_of(&rows[i]))));
	return names ? arena_printf(arena, "dearest: %s", names) : NULL;
}

/** @rows: those of the object's initializers; they are sorted here. */
static void look_at(struct findings *findings, uint32_t id, struct row *rows, struct sum sum)
{
	size_t count = findings->model->objects[id].initializer_count;
	struct arena *arena = findings->arena;
	struct model_count cost = { 0 };
	const char *most = NULL;
	uint64_t faulted = 0, cpu_ns = 0, in_packages = 0;

	for (size_t i = 0; i < count; i++) {
		in_packages += rows[i].initializer->package ? rows[i].count.faults : 0;
		cpu_ns += findings->is_partial ? 0 : rows[i].initializer->cpu_ns;
		model_count_add(&cost, &rows[i].count);
		faulted += rows[i].count.faults > 0;
	}
	if (!rule_is_worth(findings, &cost, cpu_ns, rule_error(findings, cpu_ns)))
		return;
	qsort(rows, count, sizeof(*rows), compare);
	for (size_t i = 0; i < NAMED && i < faulted; i++)
		most = kit_append(arena, most ?: "; most: ", most ? ", " : "",
				  describe_row(findings, &rows[i]));
	// Go's linker takes no order.
	bool orders = in_packages == 0 &&
		      kit_is_share((double)sum.code, (double)cost.faults, MIN_PERCENT_CODE);

	rule_add_found(
		findings,
		&(struct rule_found){
			.object = id,
			.cost = cost,
			.pages = sum.pages,
			.saves = cost.faults,
			.cpu_ns = cpu_ns,
			.cpu_error_ns = rule_error(findings, cpu_ns),
			.cures = (in_packages < cost.faults ? CURE_BUILD : 0) |
				 (in_packages > 0 ? CURE_GO : 0) | (orders ? CURE_ORDER : 0),
			.names = dearest(findings, rows, count),
		},
		KIT_VALUES(
			{ "faulted", figure_number(arena, faulted) },
			{ "order", orders ? arena_printf(arena, " %s of these faults fetched code.",
							 figure_number(arena, sum.code))
					  : "" },
			{ "initializers", kit_plural(arena, count, "initializer") },
			{ "major", cost.major == 0
					   ? ""
					   : arena_printf(arena, ", %s with I/O",
							  kit_plural(arena, cost.major, "fault")) },
			{ "most", most ?: "" }));
}

static void find(struct findings *findings)
{
	const struct model *model = findings->model;
	CLEANUP(freep) struct row *rows = xcalloc(model->initializer_count + 1, sizeof(*rows));
	struct sum *sums = xcalloc(model->object_count + 1, sizeof(*sums)); // by object
	CLEANUP(pageset_deinit) struct pageset seen = { 0 };

	for (size_t i = 0; i < model->initializer_count; i++)
		rows[i].initializer = &model->initializers[i];
	// The model's own counts are of all faults, also of those that are not shown.
	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->initializer == MODEL_NONE)
			continue;
		uint32_t object = model->initializers[fault->initializer].object;
		model_count_fault(&rows[fault->initializer].count, fault);
		sums[object].pages += pageset_add_for(&seen, object, model, fault);
		sums[object].code += fault->access == MODEL_ACCESS_EXEC;
	}
	for (uint32_t i = 0; i < model->object_count; i++)
		look_at(findings, i, rows + model->objects[i].first_initializer, sums[i]);
	free(sums);
}

const struct rule rule_initializers = {
	.prose = {
		.id = "costly-initializers",
		.title = "Static initializers take time",
		.evidence = "{faulted} of {initializers} faulted{major}{most}.{order}",
	},
	.cures = {
		{ MODEL_FOR_LINK, "Order first, since most of these faults fetched code: `elfault order --exact -o functions.order -- {run}` finds the functions that run; compile with `-ffunction-sections` and link with `-Wl,--symbol-ordering-file=functions.order` (lld).", "where fetching code is at least half" },
		{ MODEL_FOR_BUILD, "Make these objects `constinit` or `constexpr`, or construct them on first use (a static variable inside a function); clang's `-Wglobal-constructors` finds them. `elfault analyze --initializers {trace}` lists the cost of each.", "of what is not Go's" },
		{ MODEL_FOR_BUILD, "Go initializes each package that is imported, used or not: set up tables and regular expressions at first use (`sync.OnceValue`), and import fewer packages (`go list -deps` lists them). `elfault analyze --initializers {trace}` lists the cost of each package.", "of Go packages" },
	},
	.about = "Constructors of global objects, functions with `__attribute__((constructor))` "
		 "and the like run before `main` or in `dlopen`. Go sets up each imported package before "
		 "`main.main`.",
	.when = "Reported for an object when its initializers, with their faults on any file, reach "
		"the threshold.",
	.limits = "The program might touch the same pages later.",
	.where = "init_object={object}",
	.saves_storage = true,
	.relinks = true,
	.find = find,
};
