// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/result.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "cli/tune/folder.h"
#include "prefetch/tuned.h"
#include "render/tune/tune.h"

#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RESULT_MAX = 1 << 20 };

bool tuneresult_write(const struct tunedstart *start, struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct tunedstarts starts = { start, 1 };
	const char *path = arena_printf(&arena, "%s/" TUNEFOLDER_RESULT, start->folder);
	FILE *file = fopen(path, "we");

	if (!file)
		return err_os(err, "%s", path);
	const bool ok = render_tune_json(&starts, file);

	return (fclose(file) == 0 && ok) || err_os(err, "%s", path);
}

// ---- Reading ------------------------------------------------------------------------------------

/** A reader of one object; whatever is not as tune writes it is left out. */
struct reading {
	struct json_object *object;
	struct arena *arena;
};

static struct reading member(const struct reading *of, const char *key)
{
	struct json_object *value = NULL;

	if (json_object_is_type(of->object, json_type_object))
		json_object_object_get_ex(of->object, key, &value);
	return (struct reading){ value, of->arena };
}

static const char *text_of(const struct reading *of, const char *key)
{
	const struct reading text = member(of, key);

	return json_object_is_type(text.object, json_type_string)
		       ? arena_strdup(of->arena, json_object_get_string(text.object))
		       : NULL;
}

static double real_of(const struct reading *of, const char *key)
{
	return json_object_get_double(member(of, key).object);
}

static uint64_t number_of(const struct reading *of, const char *key)
{
	const int64_t number = json_object_get_int64(member(of, key).object);

	return number < 0 ? 0 : (uint64_t)number;
}

static bool truth_of(const struct reading *of, const char *key)
{
	return json_object_get_boolean(member(of, key).object);
}

static size_t count_of(const struct reading *list)
{
	return json_object_is_type(list->object, json_type_array)
		       ? json_object_array_length(list->object)
		       : 0;
}

static struct reading item(const struct reading *list, size_t index)
{
	return (struct reading){ json_object_array_get_idx(list->object, index), list->arena };
}

static const char *const *texts_of(const struct reading *of, const char *key, size_t *ret_count)
{
	const struct reading list = member(of, key);
	const size_t count = count_of(&list);
	// A command ends with NULL.
	const char **texts = arena_array(of->arena, count + 1, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		texts[i] = arena_strdup(of->arena,
					json_object_get_string(item(&list, i).object) ?: "");
	texts[count] = NULL;
	*ret_count = count;
	return texts;
}

static struct bench_difference read_difference(const struct reading *of, const char *key)
{
	const struct reading from = member(of, key);
	const char *verdict = text_of(&from, "verdict");
	struct bench_difference difference = {
		.pairs = number_of(&from, "pairs"),
		.verdict = BENCH_TOO_FEW,
		.change = real_of(&from, "change"),
		.has_limits = member(&from, "low").object,
		.low = real_of(&from, "low"),
		.high = real_of(&from, "high"),
	};

	for (unsigned i = 0; verdict && i <= BENCH_TOO_FEW; i++)
		if (strcmp(verdict, bench_verdict_name((enum bench_verdict)i)) == 0)
			difference.verdict = (enum bench_verdict)i;
	return difference;
}

static struct tunedstart_measure read_measure(const struct reading *of, const char *key)
{
	const struct reading from = member(of, key);

	return (struct tunedstart_measure){
		.is_known = from.object,
		.own_ns = { real_of(&from, "plain_own_ns"), real_of(&from, "tuned_own_ns") },
		.processor_ns = { real_of(&from, "plain_processor_ns"),
				  real_of(&from, "tuned_processor_ns") },
		.faults = { real_of(&from, "plain_faults"), real_of(&from, "tuned_faults") },
		.own = read_difference(&from, "own"),
		.processor = read_difference(&from, "processor"),
	};
}

static void read_refusals(const struct reading *of, struct tunedstart *start)
{
	const struct reading list = member(of, "refusals");
	const size_t count = count_of(&list);
	struct tunedstart_refusal *refusals = arena_array(of->arena, count, sizeof(*refusals));

	for (size_t i = 0; i < count; i++) {
		const struct reading from = item(&list, i);

		refusals[i] = (struct tunedstart_refusal){ text_of(&from, "library") ?: "",
							   text_of(&from, "why") ?: "",
							   number_of(&from, "faults") };
	}
	start->refusals = refusals;
	start->refusal_count = count;
}

static void read_links(const struct reading *of, struct tunedstart *start)
{
	const struct reading list = member(of, "links");
	const size_t count = count_of(&list);
	struct tunedstart_link *links = arena_array(of->arena, count, sizeof(*links));

	for (size_t i = 0; i < count; i++) {
		const struct reading from = item(&list, i);

		links[i] = (struct tunedstart_link){ text_of(&from, "how") ?: "",
						     number_of(&from, "faults"),
						     text_of(&from, "is") ?: "" };
	}
	start->links = links;
	start->link_count = count;
}

static void read_start(const struct reading *from, struct tunedstart *start)
{
	start->program = text_of(from, "program");
	start->directory = text_of(from, "directory");
	start->until = text_of(from, "until");
	start->refreshes = truth_of(from, "refreshes");
	start->is_script = truth_of(from, "is_script");
	start->subject = text_of(from, "dearest");
	start->words = texts_of(from, "command", &start->word_count);
	start->time_s = (int64_t)number_of(from, "time_s");
	start->standins = texts_of(from, "standins", &start->standin_count);
	start->file_count = number_of(from, "files");
	start->away_count = number_of(from, "files_away");
	start->predicted_faults = number_of(from, "predicted_faults");
	start->differs = text_of(from, "differs");
	start->with_standins = read_measure(from, "with_standins");
	start->keeps_standins = truth_of(from, "keeps_standins");
	start->list_bytes = number_of(from, "list_bytes");
	start->cold = read_measure(from, "cold");
	start->warm = read_measure(from, "warm");
	start->keeps_list = truth_of(from, "keeps_list");
	start->unidentified = text_of(from, "unidentified");
	read_refusals(from, start);
	read_links(from, start);
}

static struct json_object *parse_file(const char *path)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || !strbuf_read(&text, fd, RESULT_MAX))
		return NULL;
	return json_tokener_parse(strbuf_text(&text));
}

/** The name that --undo takes. */
static const char *name_of(const char *path, struct arena *arena)
{
	const char *name = path_file_name(path), *usual = tunefolder_path(arena, name);

	return usual && strcmp(usual, path) == 0 ? arena_strdup(arena, name)
						 : arena_strdup(arena, path);
}

void tuneresult_read(const char *path, struct arena *arena, struct tunedstart *ret_start)
{
	char text[2 * PATH_MAX];
	struct json_object *document =
		parse_file(arena_printf(arena, "%s/" TUNEFOLDER_RESULT, path));
	const struct reading whole = { document, arena }, starts = member(&whole, "starts");
	const struct reading first = { count_of(&starts) > 0 ? item(&starts, 0).object : NULL,
				       arena };
	const char *plainly = tuned_find_reason(path, text, sizeof(text));

	*ret_start = (struct tunedstart){ 0 };
	read_start(&first, ret_start);
	json_object_put(document);
	ret_start->folder = arena_strdup(arena, path);
	ret_start->name = name_of(path, arena);
	if (!ret_start->program || ret_start->word_count == 0) {
		ret_start->program = ret_start->program ?: "";
		plainly = plainly
				  ?: "what was measured is not there: it is being tuned, or was "
				     "interrupted";
	}
	ret_start->plainly = plainly ? arena_strdup(arena, plainly) : NULL;
}

void tuneresult_show(struct tunedstart *start, const struct model_shown *shown, struct arena *arena)
{
	start->name = name_of(start->folder, arena);
	if (start->word_count > 0)
		start->words = model_shown_words((char *const *)start->words, arena, shown,
						 &start->word_count);
	if (shown->full_paths)
		return;
	const char **const paths[] = { &start->name,	  &start->folder,	&start->program,
				       &start->directory, &start->unidentified, &start->plainly,
				       &start->subject };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (*paths[i])
			*paths[i] = homepath_shortened(arena, *paths[i]);
}
