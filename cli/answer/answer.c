// SPDX-License-Identifier: Apache-2.0
#include "cli/answer/answer.h"

#include "advice/dbgsym.h"
#include "advice/findings.h"
#include "base/cleanup.h"
#include "base/filelimit.h"
#include "base/figure.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/answer/traceset.h"
#include "depot/depot.h"
#include "depot/pack.h"
#include "derive/locality.h"
#include "derive/mainobject.h"
#include "derive/runset.h"
#include "elfmap/headers/elfheaders.h"
#include "model/naming.h"
#include "model/set.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** Does the file at @path start as an ELF file does? */
static bool is_elf(const char *path)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd >= 0 && elfheaders_is_elf_file(fd);
}

/** The objects asked about: all arguments but the trace. */
struct objects {
	VEC(const char *) names;
};

/** Say why @path was not read, and what was probably meant. */
static void say_why_not(const char *command, const char *const *names, size_t count,
			const char *path, const struct caller *caller, const struct err *err)
{
	if (is_elf(path)) {
		message_print(
			"%s is an ELF file, not a trace; the trace comes last: elfault %s %s %s",
			path, command, path, count > 1 ? names[0] : DEFAULT_TRACE);
		return;
	}
	message_print("%s", err->message);
	if (err->code == ERR_OS && err->os_errno == ENOENT)
		message_print("the last argument is the trace: elfault %s [OBJECT...] TRACE",
			      command);
	if (err->code == ERR_OS && err->os_errno == EACCES && caller->under_sudo)
		message_print("under sudo, traces are read as %s, not as root; change the trace's "
			      "owner with chown",
			      caller->name ? caller->name : "the caller");
}

/**
 * Read the trace among @names, which is the last one; where that is none, people put the trace
 * before the objects. *@ret_at is its index.
 */
static bool read_trace(const char *const *names, size_t count, struct trace **ret_trace,
		       size_t *ret_at, struct err *err)
{
	struct err other;

	*ret_at = count - 1;
	if (trace_read(names[count - 1], ret_trace, err))
		return true;
	for (size_t i = 0; i + 1 < count; i++) {
		*ret_at = i;
		if (trace_read(names[i], ret_trace, &other))
			return true;
	}
	return false;
}

bool answer_start_depot(struct depot *depot, const struct caller *caller)
{
	CLEANUP(strbuf_deinit) struct strbuf cache = { 0 };
	struct err err;

	if (!depot)
		return true;
	// HOME may still be root's.
	strbuf_printf(&cache, "%s/.cache/debuginfod_client", caller->home ? caller->home : "");
	if (caller->under_sudo && caller->home)
		setenv("DEBUGINFOD_CACHE_PATH", strbuf_text(&cache), 0);
	if (isatty(STDERR_FILENO))
		depot_show_progress(depot, stderr);
	if (depot_start(depot, &err))
		return true;
	return message_fail(&err);
}

void answer_limit_memory(const struct option_values *shared)
{
	const uint64_t memory = shared->memory;
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	static char name[96];
	uint64_t free_bytes = memory_free();
	uint64_t limit = memory ? memory : free_bytes / 2;

	if (!memory && free_bytes == UINT64_MAX)
		return;
	snprintf(name, sizeof(name), "the %s %s", figure_size(&arena, limit),
		 memory ? "that --memory allows" : "allowed by default, half of what was free");
	memory_limit(limit ? limit : 1, name);
}

bool answer_allow_memory(const char *path, const struct option_values *shared)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct trace_size size;
	struct err err;

	if (!memory_limit_name())
		answer_limit_memory(shared);
	if (!trace_measure(path, &size, &err))
		return true; // trace_read() says why
	uint64_t needed = correlate_memory(&size);
	if (needed == 0 || memory_allows(needed)) // a text says no sizes
		return true;
	message_print("%s: %s faults and %s other records need at least %s of memory, more than "
		      "%s; --memory SIZE allows more, a shorter recording needs less",
		      path, figure_number(&arena, size.faults),
		      figure_number(&arena, size.stacks + size.mappings + size.others),
		      figure_size(&arena, needed), memory_limit_name());
	return false;
}

/** If the trace at @path is in a pack, take files from the pack. */
static bool take_pack(const char *path, const struct option_values *shared)
{
	struct pack *pack = NULL;
	struct err err;

	if (!shared->depot)
		return true;
	if (pack_is_at(path) && !pack_open(path, &pack, &err))
		return message_fail(&err);
	depot_set_pack(shared->depot, pack);
	return true;
}

/** answer_find() of one trace; @runs: of which it is the nearest to the median, or NULL. */
static bool find_one(const char *command, const char *const *names, size_t count,
		     const struct option_values *shared, unsigned needs, const struct runset *runs,
		     struct model **ret_model)
{
	struct correlate_options options = option_correlate(shared);
	struct caller caller = caller_find();
	size_t at;
	struct err err;

	if (!caller_take_rights(&caller))
		return false;
	filelimit_raise(); // files stay open
	if (!answer_start_depot(shared->depot, &caller))
		return false;

	const char *last = names[count - 1];
	if (!answer_allow_memory(last, shared))
		return false;

	CLEANUP(trace_closep) struct trace *trace = NULL;
	if (!read_trace(names, count, &trace, &at, &err)) {
		say_why_not(command, names, count, last, &caller, &err);
		return false;
	}

	if (!take_pack(names[at], shared))
		return false;

	CLEANUP(vec_release) struct objects objects = { 0 };
	for (size_t i = 0; i < count; i++)
		if (i != at)
			vec_push(&objects.names, names[i]);

	struct model *model;
	options.objects = objects.names.items;
	options.object_count = objects.names.count;
	options.needs = needs;
	// Another file by force has its own findings; conditions leave out faults of the objects.
	bool asks_whole =
		needs & NEED_WHOLE && options.object_count > 0 && !options.filter && !options.force;
	CLEANUP(analysis_destroyp) struct analysis *analysis = NULL;
	if (!analysis_create(trace, &options, &analysis, &err))
		return message_fail(&err);
	if (asks_whole) {
		struct model *whole = analysis_whole(analysis);

		if (runs)
			runset_tell(runs, whole);
		findings_find_apart(whole);
		whole->orders = localities_orders(whole);
	}
	model = analysis_take(analysis);
	// The model stands alone; a large trace is worth freeing.
	analysis_destroy(TAKE(analysis));
	trace_close(TAKE(trace));
	if (runs)
		runset_tell(runs, model);
	if (asks_whole) {
		findings_narrow(model);
		findings_join(model);
	} else if (needs & NEED_FINDINGS) {
		findings_find(model);
	}
	*ret_model = model;
	return true;
}

/** The index of the last of @names that is a directory, @count if there is none. */
static size_t find_folder(const char *const *names, size_t count)
{
	for (size_t i = count; i > 0; i--)
		if (traceset_is(names[i - 1]))
			return i - 1;
	return count;
}

/** Add each run of a set, one model in memory at a time. */
static bool add_runs(struct runset *runs, const char *command, const struct traceset *traces,
		     const struct option_values *shared)
{
	struct err err;

	vec_foreach (path, &traces->paths) {
		CLEANUP(model_closep) struct model *model = NULL;

		if (!find_one(command, path, 1, shared, 0, NULL, &model))
			return false;
		if (runset_add(runs, model, &err))
			continue;
		return message_fail(&err);
	}
	return true;
}

/** answer_find() where @names[@at] is a directory: of its run that is nearest to the median. */
static bool find_of_set(const char *command, const char *const *names, size_t count, size_t at,
			const struct option_values *shared, unsigned needs,
			struct model **ret_model)
{
	CLEANUP(traceset_deinit) struct traceset traces = { 0 };
	CLEANUP(runset_destroyp) struct runset *runs = runset_create(names[at]);
	CLEANUP(freep) const char **of_run = xcalloc(count, sizeof(*of_run));
	struct model *model;
	size_t kept = 0;

	if (!traceset_add(&traces, names[at]) || !add_runs(runs, command, &traces, shared))
		return false;
	for (size_t i = 0; i < count; i++)
		if (i != at)
			of_run[kept++] = names[i];
	const size_t nearest = runset_nearest(runs);

	of_run[kept] = traces.paths.items[nearest];
	if (!find_one(command, of_run, count, shared, needs, runs, &model))
		return false;
	notes_add(&model->notes, "of the %zu runs in %s this is %s, the nearest to their median",
		  model->set->count, names[at], path_file_name(of_run[kept]));
	*ret_model = model;
	return true;
}

bool answer_find(const char *command, const char *const *names, size_t count,
		 const struct option_values *shared, unsigned needs, struct model **ret_model)
{
	const size_t at = find_folder(names, count);

	return at < count ? find_of_set(command, names, count, at, shared, needs, ret_model)
			  : find_one(command, names, count, shared, needs, NULL, ret_model);
}

void answer_hint_set(const struct model *model)
{
	if (model->set)
		message_print("%s: %zu runs; %s, the nearest to the median, is shown",
			      model->set->path, model->set->count, model->set->shown);
}

struct option_choice answer_format(unsigned what, size_t index)
{
	const struct exporter *exporter = exporter_at((enum export_what)what, index);

	return exporter ? (struct option_choice){ exporter->name, exporter->meaning }
			: (struct option_choice){ 0 };
}

void answer_hint_names(const struct model *model, const struct option_values *shared)
{
	CLEANUP(strbuf_deinit) struct strbuf hint = { 0 };

	if (!depot_has_others(shared->depot) && dbgsym_hint(model, &hint))
		message_print("hint: %s", hint.text);
}

bool answer_print(const struct exporter *exporter, const struct export_subject *of,
		  const struct export_options *options)
{
	struct err err = { 0 };
	bool is_written = exporter->write(of, options, stdout, &err);

	if (is_written || ferror(stdout) || !err.message[0])
		return message_output(is_written);
	return message_fail(&err); // not of what happened to standard output
}

bool answer_accepts(const char *trace, bool is_complete, bool allow_truncated)
{
	if (is_complete)
		return true;
	message_print("%s: incomplete trace%s", trace,
		      allow_truncated ? "" : "; the notes say why; --allow-truncated accepts it");
	return allow_truncated;
}

bool answer_is_complete(const struct model *model, bool allow_truncated)
{
	return answer_accepts(model_trace_file(&model->trace), model->trace.complete,
			      allow_truncated);
}

bool answer_choose_object(const struct model *model, const char *name, uint32_t *ret_object)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count = 0;

	*ret_object = name ? MODEL_NONE : mainobject_find(model);
	if (!name)
		return true;
	for (size_t i = 0; i < model->shown_count; i++)
		if (naming_is_object(&model->objects[model->shown[i]], name) && count++ == 0)
			*ret_object = model->shown[i];
	if (count == 0) {
		message_print(
			"no object named %s has faults; `elfault analyze` lists the objects that "
			"have",
			name);
		return false;
	}
	const char *several = naming_several(&arena, name, count, model->objects[*ret_object].path);
	if (several)
		message_print("%s", several);
	return true;
}
