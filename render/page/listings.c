// SPDX-License-Identifier: Apache-2.0
// Code of the dearest functions, for the header of a report page: the page itself works out what
// each line and instruction costs of what is selected.
#include "model/listing.h"

#include "render/columns/node.h"
#include "render/page/data.h"
#include "render/page/parts.h"

#include <string.h>

/** Bytes of lines and instructions in a page. */
enum { TEXT_BYTES = 200 << 10 };

static size_t text_size(const struct model_listing *listing)
{
	size_t size = 0;

	array_foreach (line, listing->lines, listing->line_count)
		size += (line->text ? strlen(line->text) : 0) +
			(line->function ? strlen(line->function) : 0);
	array_foreach (row, listing->instructions, listing->instruction_count)
		size += row->text ? strlen(row->text) : 0;
	return size;
}

static struct json_object *number_or_null(bool is_known, uint64_t number)
{
	return is_known ? json_object_new_uint64(number) : NULL;
}

/** [file, number, inlined function, text]; each may be null. */
static struct json_object *line_new(const struct model_listing_line *line)
{
	struct json_object *list = node_array();

	node_append(list, number_or_null(line->file != MODEL_NONE, line->file));
	node_append(list, number_or_null(line->number > 0, line->number));
	node_append(list, node_text(line->function));
	node_append(list, node_text(line->text));
	return list;
}

/** [offset in the function, text or null, line or null, 1 if it follows the one before]. */
static struct json_object *instruction_new(const struct model_listing *listing,
					   const struct model_listing_instruction *row)
{
	struct json_object *list = node_array();

	node_append(list, json_object_new_uint64(row->vaddr - listing->vaddr));
	node_append(list, node_text(row->text));
	node_append(list, number_or_null(row->line != MODEL_NONE, row->line));
	node_append(list, json_object_new_int(row->follows));
	return list;
}

static struct json_object *listing_new(const struct model_listing *listing)
{
	struct json_object *object = node_object(), *files = node_array(), *lines = node_array(),
			   *code = node_array();

	array_foreach (file, listing->files, listing->file_count) {
		struct json_object *pair = node_array();

		node_append(pair, node_text(file->path));
		node_append(pair, node_text(file->problem));
		node_append(files, pair);
	}
	array_foreach (line, listing->lines, listing->line_count)
		node_append(lines, line_new(line));
	array_foreach (row, listing->instructions, listing->instruction_count)
		node_append(code, instruction_new(listing, row));
	node_add_number(object, "function", listing->function);
	node_add(object, "files", files);
	node_add(object, "lines", lines);
	node_add(object, "code", code);
	return object;
}

struct json_object *pageheader_listings(const struct model *model)
{
	struct json_object *list = node_array();
	size_t size = 0;

	// A large function leaves room for smaller ones that cost less.
	array_foreach (listing, model->listings, model->listing_count) {
		const size_t more = text_size(listing);

		if (listing->instruction_count == 0 || size + more > TEXT_BYTES)
			continue;
		size += more;
		node_append(list, listing_new(listing));
	}
	return list;
}
