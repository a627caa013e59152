// SPDX-License-Identifier: Apache-2.0
#include "cli/order/object.h"

#include "base/figure.h"
#include "base/strbuf.h"
#include "base/order.h"
#include "cli/message.h"
#include "model/naming.h"

#include <stdlib.h>
#include <string.h>

/** One function, to be sorted by where it is in the file. */
struct place {
	uint64_t offset;
	uint32_t function;
};

ORDER_OF(compare_places, place, ORDER(x->offset, y->offset) ?: ORDER(x->function, y->function))

static void sort_by_offset(struct order_object *object)
{
	CLEANUP(freep) struct place *places = xcalloc(object->count, sizeof(*places));

	for (size_t i = 0; i < object->count; i++)
		places[i] = (struct place){ object->functions[i].offset, (uint32_t)i };
	for (size_t i = 1; i < object->count; i++) {
		if (compare_places(&places[i - 1], &places[i]) > 0) { // hardly ever
			qsort(places, object->count, sizeof(*places), compare_places);
			break;
		}
	}
	object->offsets = xcalloc(object->count, sizeof(*object->offsets));
	object->by_offset = xcalloc(object->count, sizeof(*object->by_offset));
	for (size_t i = 0; i < object->count; i++) {
		size_t kept = object->offset_count;

		if (kept && object->offsets[kept - 1] == places[i].offset)
			continue;
		object->offsets[kept] = places[i].offset;
		object->by_offset[kept] = places[i].function;
		object->offset_count++;
	}
}

/** Fill @object, whose file was opened if @is_open. Returns @is_open. */
static bool fill(struct order_object *object, bool is_open)
{
	if (!is_open) {
		orderobject_close(object);
		return false;
	}
	object->is_go = elfmap_section_named(object->map, ".gopclntab") ||
			elfmap_section_named(object->map, ".go.buildinfo");
	if (!object->is_go)
		object->functions = elfmap_functions(object->map, &object->count);
	sort_by_offset(object);
	return true;
}

bool orderobject_open(struct order_object *object, const char *path, const char *open_path,
		      const char *debug_dir, struct err *err)
{
	const struct elfmap_options options = { .debug_dir = debug_dir };

	*object = (struct order_object){ .path = xstrdup(path) };
	return fill(object, elfmap_open(open_path, &options, &object->map, err));
}

bool orderobject_open_found(struct order_object *object, const char *path, struct depot_file *found,
			    const struct elfmap_options *how, struct err *err)
{
	*object = (struct order_object){ .path = xstrdup(path) };
	return fill(object, elfmap_open_found(path, found, how, &object->map, err));
}

bool orderobject_is_called(const struct order_object *object, const char *name)
{
	return naming_is_file(object->path, elfmap_info(object->map)->soname, name);
}

void orderobject_add(struct order_object *object, const struct elfmap_function *function,
		     struct order *order)
{
	// Folded functions (ICF) have the names of all of them: a few stand for the rest, which
	// would otherwise come along where nothing is folded.
	enum { NAMES_MAX = 8 };
	size_t names = 0;

	object->entered++;
	object->nameless += !function->has_name;
	array_foreach (symbol, function->symbols, function->symbol_count) {
		if (!elfmap_is_function(symbol) || symbol->source == ELFMAP_SYMBOLS_EH_FRAME)
			continue;
		if (names++ == NAMES_MAX)
			break;
		order_add(order, symbol->name);
	}
}

bool orderobject_is_rest(size_t entered, size_t all, struct order_rest *rest)
{
	if (entered >= all / 100)
		return false;
	rest->functions += entered;
	rest->files += entered > 0;
	return true;
}

void orderobject_print_rest(const struct order_rest *rest)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (rest->files > 0)
		message_print("  %s of %s other %s", figure_number(&arena, rest->functions),
			      figure_number(&arena, rest->files),
			      rest->files == 1 ? "file" : "files");
}

void orderobject_print(const struct order_object *object)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (object->is_go) {
		message_print("note: %s was linked by Go, whose linker takes no order file: its "
			      "functions are left out",
			      object->path);
		return;
	}
	if (object->entered == 0)
		return;
	const char *entered = figure_number(&arena, object->entered);
	const char *count = figure_number(&arena, object->count);

	if (object->nameless)
		message_print("  %s of %s functions of %s; %s have no name in it", entered, count,
			      object->path, figure_number(&arena, object->nameless));
	else
		message_print("  %s of %s functions of %s", entered, count, object->path);
}

void orderobject_print_refused(const struct order *order)
{
	if (order->refused.count > 0)
		message_print("%zu name%s left out that no line can hold, for control characters, "
			      "blanks at an end or # at the start",
			      order->refused.count, figure_plural(order->refused.count));
}

void orderobject_print_next(const char *path, enum order_format format)
{
	CLEANUP(strbuf_deinit) struct strbuf word = { 0 };

	strbuf_put_word(&word, path);
	path = strbuf_text(&word);
	switch (format) {
	case ORDER_LLD:
		message_print("next: compile with -ffunction-sections, link with -fuse-ld=lld "
			      "-Wl,--symbol-ordering-file=%s -Wl,--no-warn-symbol-ordering",
			      path);
		break;
	case ORDER_GOLD:
		message_print("next: compile with -ffunction-sections, link with -fuse-ld=gold "
			      "-Wl,--section-ordering-file=%s",
			      path);
		break;
	case ORDER_PROFDATA:
		message_print(
			"next: link with ld.lld 20 or later and --irpgo-profile=%s "
			"--bp-startup-sort=function, or `llvm-profdata order %s` for an order "
			"file",
			path, path);
		break;
	case ORDER_BOLT:
		message_print("next: link with -Wl,--emit-relocs, then llvm-bolt PROGRAM -o "
			      "ORDERED --reorder-functions=user --function-order=%s",
			      path);
	}
}

void orderobject_close(struct order_object *object)
{
	elfmap_close(object->map);
	free(object->path);
	free(object->offsets);
	free(object->by_offset);
	*object = (struct order_object){ 0 };
}
