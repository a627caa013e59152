// SPDX-License-Identifier: Apache-2.0
#include "render/json/data.h"

static struct json_object *causes_new(const struct model_data *data)
{
	struct json_object *object = node_object();

	for (enum model_data_cause i = 0; i < MODEL_DATA_CAUSES; i++) {
		struct json_object *cause = node_object();

		node_add_number(cause, "pages", data->pages_of[i]);
		node_add_number(cause, "faults", data->faults[i]);
		node_add(object, model_data_cause_name(i), cause);
	}
	return object;
}

static struct json_object *bss_new(const struct model_data *data)
{
	struct json_object *object;

	if (data->bss_size == 0)
		return NULL; // JSON's null
	object = node_object();
	node_add_number(object, "size", data->bss_size);
	node_add_number(object, "pages", data->bss_pages);
	node_add_number(object, "pages_touched", data->bss_pages_touched);
	return object;
}

static struct json_object *tail_new(const struct model_data *data)
{
	struct json_object *object;

	if (!data->tail_is_shared)
		return NULL; // JSON's null
	object = node_object();
	node_add_address(object, "vaddr", true, data->tail_vaddr);
	node_add_number(object, "bytes", data->tail_bytes);
	return object;
}

static struct json_object *symbols_new(const struct model_data_page *page)
{
	struct json_object *list = node_array();

	array_foreach (symbol, page->symbols, page->symbol_count) {
		struct json_object *object = node_object();

		node_add_text(object, "symbol", symbol->name);
		node_add_address(object, "vaddr", true, symbol->vaddr);
		node_add_number(object, "size", symbol->size);
		node_add_number(object, "faults", symbol->faults);
		node_add_number(object, "writes", symbol->writes);
		node_append(list, object);
	}
	return list;
}

static struct json_object *pages_new(const struct model_data *data)
{
	struct json_object *list = node_array();

	array_foreach (page, data->pages, data->page_count) {
		struct json_object *object = node_object();

		node_add_address(object, "vaddr", true, page->vaddr);
		node_add_text(object, "section", page->section);
		node_add_text(object, "cause", model_data_cause_name(page->cause));
		node_add_number(object, "faults", page->count.faults);
		node_add_number(object, "major", page->count.major);
		node_add_number(object, "relocations", page->relocations);
		node_add_number(object, "symbols_on_page", page->symbols_on_page);
		node_add(object, "symbols", symbols_new(page));
		node_append(list, object);
	}
	return list;
}

struct json_object *datajson_new(const struct model_data *data)
{
	struct json_object *object;

	if (!data)
		return NULL; // JSON's null
	object = node_object();
	node_add(object, "causes", causes_new(data));
	node_add(object, "bss", bss_new(data));
	node_add(object, "tail", tail_new(data));
	node_add_number(object, "pages_left_out", data->pages_left_out);
	node_add(object, "pages", pages_new(data));
	return object;
}
