// SPDX-License-Identifier: Apache-2.0
#include "cli/lists/make.h"

#include "base/cleanup.h"
#include "base/companion.h"
#include "base/err.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "base/homepath.h"
#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/answer/traceset.h"
#include "cli/version.h"
#include "correlate/correlate.h"
#include "cure/launcher.h"
#include "cure/prefetch.h"
#include "model/fileuses.h"
#include "prefetch/start.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOTES_SHOWN = 10 };

/** Move a list into the arena of @ret_list. */
static void keep(struct prefetch_list *list, struct prefetchlist *ret_list)
{
	struct arena *arena = &ret_list->arena;

	ret_list->list = *list;
	ret_list->list.files =
		arena_copy(arena, list->files, list->file_count * sizeof(*list->files));
	ret_list->list.ranges =
		arena_copy(arena, list->ranges, list->range_count * sizeof(*list->ranges));
	prefetch_list_deinit(list);
}

bool prefetchlist_read(const char *path, struct prefetchlist *ret_list)
{
	static const struct prefetch_how how = { "elfault", STDERR_FILENO, -1 };
	struct prefetch_list list;

	if (!prefetch_list_read(path, &how, &list, &ret_list->text))
		return false;
	struct arena *arena = &ret_list->arena;

	ret_list->list = list;
	ret_list->list.files = arena_copy(arena, list.files, list.file_count * sizeof(*list.files));
	ret_list->list.ranges =
		arena_copy(arena, list.ranges, list.range_count * sizeof(*list.ranges));
	prefetch_list_deinit(&list);
	return true;
}

/** "TRACE: COMMAND, recorded with read-ahead off" */
static void add_comment(struct prefetchlist *list, const struct model *model,
			const struct model_shown *shown)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 }, safe = { 0 };

	strbuf_printf(&text, "from %s:", model->trace.path);
	for (size_t i = 0; i < model->trace.command_count; i++)
		strbuf_printf(&text, " %s", model->trace.command[i]);
	if (model->trace.process)
		strbuf_printf(&text, " %s", model->trace.process);
	if (model->file_uses->is_exact)
		strbuf_puts(&text, " (exact pages)");
	if (!shown->full_paths)
		homepath_shorten(&safe, text.text);
	vec_push(&list->comments,
		 arena_strdup(&list->arena, shown->full_paths ? text.text : safe.text));
}

/** Add what the trace at @path shows. */
static bool add_trace(struct prefetchlist *list, struct prefetch_maker *maker, const char *path,
		      const struct option_values *shared)
{
	struct correlate_options options = option_correlate(shared);
	CLEANUP(trace_closep) struct trace *trace = NULL;
	CLEANUP(model_closep) struct model *model = NULL;
	struct err err;

	options.force = false;
	options.shown.full_paths = true; // the files are looked at
	options.needs = NEED_FILE_USES;
	if (!answer_allow_memory(path, shared))
		return false;
	if (!trace_read(path, &trace, &err) || !correlate(trace, &options, &model, &err))
		return message_fail(&err);
	list->is_complete = answer_is_complete(model, shared->allow_truncated) && list->is_complete;
	prefetch_maker_add(maker, model);
	add_comment(list, model, &shared->shown);
	return true;
}

static uint64_t choose_gap(const struct prefetch_maker *maker,
			   const struct prefetch_request *request, const char **ret_source)
{
	const char *largest = prefetch_maker_largest(maker);

	*ret_source = "as given";
	if (request->gap_is_given)
		return request->gap;
	*ret_source = "by default";
	if (!largest)
		return DEVICEGAP_DEFAULT;
	CLEANUP(strbuf_deinit) struct strbuf said = { 0 };
	uint64_t gap = devicegap_of(largest, request->measures, ret_source, &said);

	if (said.length > 0)
		message_print("%s", said.text);
	return gap;
}

bool prefetchlist_make(const char *const *traces, size_t count,
		       const struct prefetch_request *request, const struct option_values *shared,
		       struct prefetchlist *ret_list)
{
	CLEANUP(traceset_deinit) struct traceset set = { 0 };
	CLEANUP(prefetch_maker_destroyp)
	struct prefetch_maker *maker = prefetch_maker_create(request->keeps_all);

	vec_push(&ret_list->comments, arena_printf(&ret_list->arena, "made by %s", version_line));
	ret_list->is_complete = true;
	if (!traceset_add_all(&set, traces, count))
		return false;
	vec_foreach (path, &set.paths)
		if (!add_trace(ret_list, maker, *path, shared))
			return false;

	prefetch_maker_limit(maker, request->held, request->held_count);
	if (request->held_count > 0 && !add_trace(ret_list, maker, request->warm, shared))
		return false;
	prefetch_maker_limit(maker, NULL, 0);
	prefetch_maker_add_opened(maker, request->opened, request->opened_count);

	const char *source;
	uint64_t gap = choose_gap(maker, request, &source);

	ret_list->list = prefetch_maker_finish(maker, gap, &ret_list->arena, &ret_list->notes);
	vec_push(&ret_list->comments,
		 arena_printf(&ret_list->arena, "gaps of up to %s are read as well, %s",
			      figure_size(&ret_list->arena, gap), source));
	if (ret_list->list.range_count > 0)
		return true;
	message_print("%s: no file was used that can be prefetched", set.paths.items[0]);
	return false;
}

/** In the other process: the list of @from as text to @fd. */
static bool send_list(const char *from, const struct prefetch_request *request,
		      const struct option_values *shared, int fd)
{
	CLEANUP(prefetchlist_deinit) struct prefetchlist list = { 0 };
	struct caller caller = caller_find();

	if (!caller_take_rights(&caller))
		return false;
	if (!(launcher_is_list(from) ? prefetchlist_read(from, &list)
				     : prefetchlist_make(&from, 1, request, shared, &list)))
		return false;
	FILE *out = fdopen(fd, "w");

	return out && prefetch_write(&list.list, NULL, 0, NULL, out);
}

bool prefetchlist_make_apart(const char *from, const struct prefetch_request *request,
			     const struct option_values *shared, struct prefetchlist *ret_list)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	struct prefetch_error error;
	struct prefetch_list list;
	int ends[2], status = -1;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		message_print("pipe: %s", err_text(errno));
		return false;
	}
	pid_t child = fork();

	if (child == 0) {
		close(ends[0]);
		_exit(send_list(from, request, shared, ends[1]) ? 0 : 1);
	}
	close(ends[1]);
	bool is_read =
		child > 0 && strbuf_read(&text, ends[0], PREFETCH_TEXT_MAX) && text.length > 0;

	close(ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (!is_read || status != 0)
		return false; // it has said why
	ret_list->text = TAKE(text.text);
	if (!prefetch_list_parse(ret_list->text, text.length, &list, &error)) {
		message_print("%s: line %zu: %s", from, error.line, error.message);
		return false;
	}
	keep(&list, ret_list);
	return true;
}

static void say_notes(const struct prefetchlist *list)
{
	size_t shown = 0;

	vec_foreach (note, &list->notes.list) {
		CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

		if (shown++ == NOTES_SHOWN) {
			message_print("note: %zu more such notes",
				      list->notes.list.count - NOTES_SHOWN);
			return;
		}
		note_print(note, &text);
		message_print("note: %s", strbuf_text(&text));
	}
}

bool prefetchlist_write(const struct prefetchlist *list, const char *home, const char *path)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf word = { 0 };
	struct output output;
	struct err err = { 0 };

	if (!output_start(&output, path))
		return false;
	bool ok = prefetch_write(&list->list, list->comments.items, list->comments.count, home,
				 output.file) ||
		  err_os(&err, "writing");

	if (!output_finish(&output, ok, &err))
		return false;
	say_notes(list);
	strbuf_put_word(&word, path);
	message_print(
		"%s: %s in %s range%s of %s file%s; next: %s %s -- COMMAND", path,
		figure_size(&arena, prefetch_bytes(&list->list)),
		figure_number(&arena, list->list.range_count),
		figure_plural(list->list.range_count), figure_number(&arena, list->list.file_count),
		figure_plural(list->list.file_count),
		companion_prefetch(&arena).word ?: "elfault prefetch --from", strbuf_text(&word));
	return true;
}

void prefetchlist_deinit(struct prefetchlist *list)
{
	vec_deinit(&list->comments);
	notes_deinit(&list->notes);
	arena_deinit(&list->arena);
	free(list->text);
}
