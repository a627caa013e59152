// SPDX-License-Identifier: Apache-2.0
// `elfault order --exact`: every function that a command enters, by breakpoints.
#include "cli/order/order.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/homepath.h"
#include "base/privilege.h"
#include "cli/message.h"
#include "cli/order/object.h"
#include "cli/output.h"
#include "cli/recording/recorded.h"
#include "follow/entries.h"
#include "render/escape.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

CLEANUP_POINTER(entries_close, struct entries)

/** The objects of a run, by their number in entries_file. */
struct objects {
	VEC(struct order_object) list;
};

static void objects_deinit(struct objects *objects)
{
	vec_foreach (object, &objects->list)
		orderobject_close(object);
	vec_deinit(&objects->list);
}

static void add_file(struct objects *objects, struct entries *entries,
		     const struct entries_file *file, const struct order_arguments *arguments)
{
	struct order_object object;
	struct err err;

	while (objects->list.count < file->file) // those that could not be opened
		vec_push(&objects->list, (struct order_object){ 0 });
	if (!orderobject_open(&object, file->path, file->open_path, arguments->shared->debug_dir,
			      &err)) {
		if (err.code != ERR_INPUT) // code that is no ELF file is somebody's own
			message_print("note: %s", err.message);
	} else if (!arguments->object || orderobject_is_called(&object, arguments->object)) {
		entries_arm(entries, file->file, object.offsets, object.offset_count);
	} else {
		orderobject_close(&object);
	}
	vec_push(&objects->list, object);
}

static void collect(const struct entries *entries, struct objects *objects, struct order *order)
{
	size_t count;
	const struct entries_hit *hits = entries_hits(entries, &count);

	for (const struct entries_hit *hit = hits; objects->list.items && hit < hits + count;
	     hit++) {
		struct order_object *object = &objects->list.items[hit->file];

		orderobject_add(object, &object->functions[object->by_offset[hit->entry]], order);
	}
}

/** Write the origin of the order file into it. */
static void describe(const struct objects *objects, bool full_paths, struct strbuf *comment)
{
	CLEANUP(strbuf_deinit) struct strbuf path = { 0 };

	strbuf_puts(comment, "functions in order of first entry, by breakpoints\n");
	vec_foreach (object, &objects->list) {
		if (!object->entered)
			continue;
		strbuf_printf(comment, "%zu of %zu: ", object->entered, object->count);
		strbuf_clear(&path);
		if (full_paths)
			strbuf_puts(&path, object->path);
		else
			homepath_shorten(&path, object->path);
		escape_terminal(comment, strbuf_text(&path));
		strbuf_putc(comment, '\n');
	}
}

static bool write_order(const struct order *order, const struct order_arguments *arguments,
			const char *comment, struct output *output)
{
	struct err err = { 0 };
	bool is_written = order->names.count > 0 &&
			  (order_write(order, arguments->format, comment, output->file) ||
			   err_os(&err, "writing"));

	return output_finish(output, is_written, &err);
}

static void print_notes(const struct entries_result *result)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	vec_foreach (note, &result->notes.list)
		recorded_print_note(note->text);
	if (result->left)
		message_print("note: tasks of the command that still ran at its end: %s; they go "
			      "on, and what they enter from there on was not seen",
			      figure_number(&arena, result->left));
}

static void print_objects(const struct objects *objects)
{
	struct order_rest rest = { 0 };
	bool is_nameless = false;
	size_t all = 0;

	vec_foreach (object, &objects->list)
		all += object->entered;
	vec_foreach (object, &objects->list) {
		if (object->path &&
		    (object->is_go || !orderobject_is_rest(object->entered, all, &rest)))
			orderobject_print(object);
		is_nameless |= object->nameless > 0;
	}
	orderobject_print_rest(&rest);
	if (is_nameless)
		message_print("note: a function without a name cannot be ordered: run a build that "
			      "is not stripped, or install its debug symbols");
}

/** Write the file and say what is in it. */
static bool finish(const struct entries *entries, struct objects *objects,
		   const struct order_arguments *arguments, struct output *output)
{
	CLEANUP(order_deinit) struct order order = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf comment = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	collect(entries, objects, &order);
	describe(objects, arguments->shared->shown.full_paths, &comment);
	print_notes(entries_result(entries));
	orderobject_print_refused(&order);
	if (!write_order(&order, arguments, strbuf_text(&comment), output)) {
		print_objects(objects);
		if (order.names.count == 0)
			message_print("%s: not written, since no function with a name was entered%s"
				      "%s",
				      arguments->output, arguments->object ? " of " : "",
				      arguments->object ? arguments->object : "");
		return false;
	}
	message_print("%s: %s names, in order of first entry", arguments->output,
		      figure_number(&arena, order.names.count));
	print_objects(objects);
	orderobject_print_next(arguments->output, arguments->format);
	return true;
}

/** Run the command to its end. */
static bool follow(struct entries *entries, struct objects *objects,
		   const struct order_arguments *arguments, struct err *err)
{
	struct entries_file file;
	enum entries_step step;

	while ((step = entries_next(entries, &file, err)) == ENTRIES_FILE)
		add_file(objects, entries, &file, arguments);
	return step == ENTRIES_END;
}

/**
 * From here on all is the caller's: the command, its files that are read, the output. The kernel
 * lets nobody but root trace who was root before; nothing of root's was read that could be seen so.
 */
static bool become_caller(const struct caller *caller, struct err *err)
{
	return !caller->under_sudo ||
	       (privilege_become(caller, err) &&
		(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 || err_os(err, "prctl")));
}

int orderexact_run(const struct order_arguments *arguments)
{
	struct caller caller = caller_find();
	struct err err = { 0 };
	struct output output;

	if (!become_caller(&caller, &err)) {
		message_print("%s", err.message);
		return RECORDED_FAILED;
	}
	if (!output_start(&output, arguments->output))
		return RECORDED_FAILED;

	CLEANUP(entries_closep) struct entries *entries = NULL;
	CLEANUP(objects_deinit) struct objects objects = { 0 };

	if (!entries_open(arguments->command, &caller, &entries, &err) ||
	    !follow(entries, &objects, arguments, &err)) {
		message_print_lines(err.message);
		err = (struct err){ 0 };
		output_finish(&output, false, &err);
		int status = entries ? entries_result(entries)->exit_status : 0;

		return status ? status : RECORDED_FAILED;
	}
	return finish(entries, &objects, arguments, &output) ? entries_result(entries)->exit_status
							     : RECORDED_FAILED;
}
