// SPDX-License-Identifier: Apache-2.0
// `elfault order --verify`: what linked files have of an order file.
#include "cli/order/order.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/order/object.h"

#include <unistd.h>

static bool check_object(const struct order_arguments *arguments, const struct order *order,
			 const char *path, uint64_t page_size, struct order_check *ret_check)
{
	struct order_object object;
	struct err err;
	VEC(struct order_place) places = { 0 };

	if (!orderobject_open(&object, path, path, arguments->shared->debug_dir, &err))
		return message_fail(&err);
	array_foreach (function, object.functions, object.count) {
		array_foreach (symbol, function->symbols, function->symbol_count) {
			struct range code = { symbol->vaddr, symbol->vaddr + symbol->size };

			if (elfmap_is_function(symbol) && symbol->size > 0 &&
			    symbol->source != ELFMAP_SYMBOLS_EH_FRAME)
				vec_push(&places, (struct order_place){ symbol->name, code });
		}
	}
	if (object.is_go || places.count == 0)
		message_print("%s %s", path,
			      object.is_go ? "was linked by Go, whose linker takes no order file"
					   : "has no names of functions (it is stripped): link it "
					     "without -s, and compare before stripping");
	order_verify(order, places.items, places.count, page_size, ret_check);
	bool has_names = !object.is_go && places.count > 0;

	vec_deinit(&places);
	orderobject_close(&object);
	return has_names;
}

static const char *shown_path(struct arena *arena, const struct order_arguments *arguments,
			      const char *path)
{
	return arguments->shared->shown.full_paths ? path : homepath_shortened(arena, path);
}

int orderverify_run(const struct order_arguments *arguments, bool is_json)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(order_deinit) struct order order = { 0 };
	struct render_order_object objects[ORDER_OBJECTS_MAX] = { 0 };
	struct caller caller = caller_find();
	const uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE); // never fails on Linux
	bool ok = true;
	struct err err;

	if (!caller_take_rights(&caller))
		return 1;
	if (!order_read(&order, arguments->verified, &err)) {
		message_print("%s", err.message);
		return 1;
	}
	if (order.names.count == 0) {
		message_print("%s: no names", arguments->verified);
		return 1;
	}
	for (size_t i = 0; i < arguments->inputs.count; i++) {
		objects[i].path = shown_path(&arena, arguments, arguments->inputs.items[i]);
		ok &= check_object(arguments, &order, arguments->inputs.items[i], page_size,
				   &objects[i].check);
	}
	if (!ok)
		return 1;
	message_ignore_sigpipe();
	const struct render_order answer = {
		.path = shown_path(&arena, arguments, arguments->verified),
		.name_count = order.names.count,
		.page_size = page_size,
		.objects = objects,
		.object_count = arguments->inputs.count,
	};
	const struct exporter *exporter = exporter_named(EXPORT_ORDER, is_json ? "json" : "text");

	return answer_print(exporter, &(struct export_subject){ .order = &answer },
			    &(struct export_options){ 0 })
		       ? 0
		       : 1;
}
