// SPDX-License-Identifier: Apache-2.0
// `elfault order TRACE...`: the functions that traces show, and other order files merged with them.
#include "cli/order/order.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/hex.h"
#include "base/order.h"
#include "base/search.h"
#include "base/strbuf.h"
#include "base/symbolname.h"
#include "cli/answer/answer.h"
#include "cli/message.h"
#include "cli/order/object.h"
#include "cli/output.h"
#include "cure/ordermerge.h"
#include "derive/locality.h"
#include "model/account.h"
#include "model/shown.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WEIGHT_MAX = 1000000 };

/** A function that a trace shows. */
struct seen {
	uint64_t first_ns; // UINT64_MAX: when is not known
	uint32_t function; // into model.functions
	uint64_t vaddr;
	bool has_vaddr;
};

ORDER_OF(compare_seen, seen, ORDER(x->first_ns, y->first_ns) ?: ORDER(x->function, y->function))

/** The functions of one trace, by first use; the caller frees them. */
static struct seen *find_seen(const struct model *model, const struct localities *localities,
			      size_t *ret_count)
{
	VEC(struct seen) list = { 0 };

	array_foreach (locality, localities->objects, model->object_count) {
		array_foreach (row, locality->functions, locality->function_count)
			vec_push(&list,
				 (struct seen){ row->first_ns, row->function, row->vaddr, true });
	}
	// Samples of the processor say that a function ran, and not when.
	for (size_t i = 0; model->account && i < model->account->spot_count; i++) {
		const struct model_spot *spot = &model->account->spots[i];

		if (spot->function != MODEL_NONE)
			vec_push(&list, (struct seen){ UINT64_MAX, spot->function, 0, false });
	}
	vec_sort(&list, compare_seen);
	*ret_count = list.count;
	return list.items;
}

/** The ELF files of a trace, opened as they are needed. */
struct files {
	struct order_object *objects; // by index of model.objects
	bool *is_tried;
	size_t count;
};

static void files_deinit(struct files *files)
{
	for (size_t i = 0; i < files->count; i++)
		orderobject_close(&files->objects[i]);
	free(files->objects);
	free(files->is_tried);
}

/** Whether the file that is there now is the recorded one. */
static bool is_recorded(const struct order_object *file, const struct model_object *object)
{
	const struct elfmap_info *info = elfmap_info(file->map);
	char hex[2 * ELFMAP_BUILD_ID_MAX + 1];

	hex_text(info->build_id, info->build_id_size, hex);
	return object->build_id ? strcmp(hex, object->build_id) == 0 : info->size == object->size;
}

/** Open the recorded file of @object, which analysis found, in the first place that has it. */
static void open_recorded(struct order_object *file, const struct model_object *object,
			  const struct order_arguments *arguments)
{
	const struct elfmap_options how = { .debug_dir = arguments->shared->debug_dir,
					    .depot = arguments->shared->depot };
	struct depot_file found;
	size_t place = 0;
	struct err err;

	while (!file->map && depot_next(arguments->shared->depot, object->path, &place, &found)) {
		CLEANUP(depot_file_deinit) struct depot_file candidate = found;

		if (candidate.fd >= 0 &&
		    orderobject_open_found(file, object->path, &candidate, &how, &err) &&
		    !is_recorded(file, object))
			orderobject_close(file);
	}
}

static struct order_object *file_of(struct files *files, const struct model *model, uint32_t index,
				    const struct order_arguments *arguments)
{
	const struct model_object *object = &model->objects[index];
	struct order_object *file = &files->objects[index];

	if (!files->is_tried[index]) {
		files->is_tried[index] = true;
		if (object->is_elf && object->was_read)
			open_recorded(file, object, arguments);
	}
	return file->map ? file : NULL;
}

/** Add what is entered by @seen; by all its names where the file can be read. */
static void add_seen(const struct model *model, struct files *files, const struct seen *seen,
		     const struct order_arguments *arguments, struct order *order)
{
	const struct model_function *function = &model->functions[seen->function];
	struct order_object *file = file_of(files, model, function->object, arguments);

	if (file && file->is_go)
		return;
	if (file && seen->has_vaddr) {
		size_t at = search_first(file->count, i, file->functions[i].vaddr >= seen->vaddr);

		if (at < file->count && file->functions[at].vaddr == seen->vaddr) {
			orderobject_add(file, &file->functions[at], order);
			return;
		}
	}
	if (function->name && !symbolname_is_address(function->name))
		order_add(order, function->name);
}

/** Say what share the trace could know of each file. */
static void print_coverage(const struct model *model, const struct files *files,
			   const struct localities *localities)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct order_rest rest = { 0 };
	size_t all = 0;

	for (size_t i = 0; i < model->object_count; i++)
		all += files->objects[i].map ? localities->objects[i].function_count : 0;
	for (size_t i = 0; i < model->object_count; i++) {
		const struct order_object *file = &files->objects[i];
		const struct locality *locality = &localities->objects[i];
		uint64_t near = 0, page_size = model->trace.page_size;
		CLEANUP(freep) uint64_t *pages = xcalloc(locality->function_count, sizeof(*pages));

		if (!file->map || file->count == 0 || locality->function_count == 0 ||
		    orderobject_is_rest(locality->function_count, all, &rest))
			continue;
		for (size_t k = 0; k < locality->function_count; k++)
			pages[k] = locality->functions[k].vaddr / page_size;
		qsort(pages, locality->function_count, sizeof(*pages), order_u64);
		array_foreach (function, file->functions, file->count) {
			uint64_t page = function->vaddr / page_size;
			size_t at = search_first(locality->function_count, n, pages[n] >= page);

			near += at < locality->function_count && pages[at] == page;
		}
		message_print("  %s of %s functions of %s; %s begin on the pages of these",
			      figure_number(&arena, locality->function_count),
			      figure_number(&arena, file->count), file->path,
			      figure_number(&arena, near));
	}
	orderobject_print_rest(&rest);
}

static bool add_trace(const struct order_arguments *arguments, const char *path,
		      struct order *order)
{
	const char *names[] = { arguments->object ? arguments->object : path, path };
	const struct option_values shared = {
		.from = arguments->shared->from,
		.until = arguments->shared->until,
		.no_demangle = true,
		.debug_dir = arguments->shared->debug_dir,
		.depot = arguments->shared->depot,
		.memory = arguments->shared->memory,
		.shown.full_paths = true, // the files are opened
		.shown.arguments = isatty(STDERR_FILENO),
	};
	CLEANUP(model_closep) struct model *model = NULL;
	CLEANUP(localities_closep) struct localities *localities = NULL;
	CLEANUP(files_deinit) struct files files = { 0 };
	size_t count;

	if (!answer_find("order", names + !arguments->object, 1 + !!arguments->object, &shared,
			 NEED_TABLES, &model) ||
	    !answer_is_complete(model, arguments->shared->allow_truncated))
		return false;
	localities = localities_find(model);
	files.count = model->object_count;
	files.objects = xcalloc(files.count, sizeof(*files.objects));
	files.is_tried = xcalloc(files.count, sizeof(*files.is_tried));

	CLEANUP(freep) struct seen *seen = find_seen(model, localities, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t object = model->functions[seen[i].function].object;

		if (object != MODEL_NONE && model->objects[object].is_elf)
			add_seen(model, &files, &seen[i], arguments, order);
	}
	answer_hint_set(model);
	message_print("%s: functions that faults, stacks and samples show", path);
	print_coverage(model, &files, localities);
	CLEANUP(strbuf_deinit) struct strbuf output = { 0 };

	strbuf_put_word(&output, arguments->output);
	message_print("  a trace shows one function of a page, and of those that ran about a "
		      "third; all of them: elfault order --exact -o %s -- %s",
		      strbuf_text(&output), model_command_line(&model->trace, &order->arena));
	return true;
}

/** The starts of the inputs. */
struct starts {
	struct order_start *items;
	size_t count;
};

static void starts_deinit(struct starts *starts)
{
	for (size_t i = 0; i < starts->count; i++)
		order_deinit(&starts->items[i].order);
	free(starts->items);
}

/** Read "10,1" into the starts; false: it is not so, which was said. */
static bool take_weights(const char *weights, struct starts *starts)
{
	const char *text = weights;

	for (size_t i = 0; i < starts->count; i++) {
		char *end;
		const unsigned long weight = text ? strtoul(text, &end, 10) : 1;
		const char last = i + 1 < starts->count ? ',' : '\0';

		if (text && (weight == 0 || weight > WEIGHT_MAX || *end != last)) {
			message_print(
				"--weights %s: one number from 1 to %d is needed for each of the "
				"%zu inputs, with commas",
				weights, WEIGHT_MAX, starts->count);
			return false;
		}
		starts->items[i].weight = (uint32_t)weight;
		text = text ? end + 1 : NULL;
	}
	return true;
}

static bool read_start(const struct order_arguments *arguments, const char *path,
		       struct order *order)
{
	struct err err;

	if (!order_is_file(path))
		return add_trace(arguments, path, order);
	if (order_read(order, path, &err))
		return true;
	return message_fail(&err);
}

static bool read_starts(const struct order_arguments *arguments, struct starts *starts)
{
	starts->count = arguments->inputs.count;
	starts->items = xcalloc(starts->count, sizeof(*starts->items));
	if (!take_weights(arguments->weights, starts))
		return false;
	for (size_t i = 0; i < starts->count; i++) {
		struct order *order = &starts->items[i].order;

		if (!read_start(arguments, arguments->inputs.items[i], order))
			return false;
		orderobject_print_refused(order);
	}
	return true;
}

int ordertrace_run(const struct order_arguments *arguments)
{
	CLEANUP(order_deinit) struct order order = { 0 };
	CLEANUP(starts_deinit) struct starts starts = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct output output;
	struct err err = { 0 };

	if (!read_starts(arguments, &starts))
		return 1;
	if (arguments->weights)
		order_merge(starts.items, starts.count, &order);
	else
		order_add_starts(starts.items, starts.count, &order);
	if (order.names.count == 0) {
		message_print("no function with a name was found: nothing to order");
		return 1;
	}
	if (!output_start(&output, arguments->output))
		return 1;
	bool is_written = (arguments->format == ORDER_PROFDATA
				   ? order_write_profile(starts.items, starts.count, output.file)
				   : order_write(&order, arguments->format, NULL, output.file)) ||
			  err_os(&err, "writing");

	if (!output_finish(&output, is_written, &err))
		return 1;
	message_print("%s: %s names", arguments->output, figure_number(&arena, order.names.count));
	orderobject_print_next(arguments->output, arguments->format);
	return 0;
}
