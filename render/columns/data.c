// SPDX-License-Identifier: Apache-2.0
// Pages of writable segments: "data" of an object.
#include "render/columns/columns.h"

#include "model/data.h"
#include "render/columns/node.h"

static struct json_object *causes_new(const void *row, const void *context)
{
	const struct model_data *data = row;
	struct json_object *object = node_object();

	for (enum model_data_cause i = 0; i < MODEL_DATA_CAUSES; i++) {
		struct json_object *cause = node_object();

		node_add_number(cause, "pages", data->pages_of[i]);
		node_add_number(cause, "faults", data->faults[i]);
		node_add(object, model_data_cause_name(i), cause);
	}
	return object;
}

KNOWN_OF(has_bss, model_data, row->bss_size > 0)
KNOWN_OF(has_tail, model_data, row->tail_is_shared)

// clang-format off
const struct row_column data_columns[] = {
	ROW("data_cause", NULL),
	{ "pages", "number" },
	{ "faults", "number" },

	ROW("data_causes", NULL),
	{ "zeroed-tail", "data_cause" },
	{ "relocated", "data_cause" },
	{ "first-touch", "data_cause" },
	{ "written", "data_cause" },
	{ "read", "data_cause" },

	ROW("data_bss", "memory past the file's part of the segments, and the whole pages of it"),
	{ "size", "number", NULL, AT(model_data, bss_size) },
	{ "pages", "number", NULL, AT(model_data, bss_pages) },
	{ "pages_touched", "number", NULL, AT(model_data, bss_pages_touched) },

	ROW("data_tail",
	    "where .data ends within a page that .bss goes on with, and the bytes of that page "
	    "that are zeroed"),
	{ "vaddr", "address", NULL, AT(model_data, tail_vaddr) },
	{ "bytes", "number", NULL, AT(model_data, tail_bytes) },

	ROW("data_symbol", NULL),
	{ "symbol", "text", NULL, AT(model_data_symbol, name) },
	{ "vaddr", "address", NULL, AT(model_data_symbol, vaddr) },
	{ "size", "number", NULL, AT(model_data_symbol, size) },
	{ "faults", "number", NULL, AT(model_data_symbol, faults) },
	{ "writes", "number", "of faults", AT(model_data_symbol, writes) },

	ROW("data_page", NULL),
	{ "vaddr", "address", NULL, AT(model_data_page, vaddr) },
	{ "section", "text?", NULL, AT(model_data_page, section) },
	{ "cause", "zeroed-tail|relocated|first-touch|written|read", NULL,
	  WORD_AT(model_data_page, cause, model_data_cause_name) },
	{ "faults", "number", NULL, AT(model_data_page, count.faults) },
	{ "major", "number", NULL, AT(model_data_page, count.major) },
	{ "relocations", "number", "slots on it", AT(model_data_page, relocations) },
	{ "symbols_on_page", "number", NULL, AT(model_data_page, symbols_on_page) },
	{ "symbols", "[data_symbol]",
	  "those that faults touched first, then by vaddr; at most 16",
	  LIST_AT(model_data_page, symbols, symbol_count) },

	ROW("data",
	    "the pages of writable segments that faulted; null if none did, and with --where"),
	{ "causes", "data_causes", NULL, BY(causes_new) },
	{ "bss", "data_bss?",
	  "memory past the file's part of the segments, and the whole pages of it", SAME_WHERE(has_bss) },
	{ "tail", "data_tail?",
	  "where .data ends within a page that .bss goes on with, and the bytes of that page "
	  "that are zeroed", SAME_WHERE(has_tail) },
	{ "pages_left_out", "number", NULL, AT(model_data, pages_left_out) },
	{ "pages", "[data_page]",
	  "by vaddr, without those that relocation copied; the first 1024",
	  LIST_AT(model_data, pages, page_count) },
	{ 0 },
};
// clang-format on
