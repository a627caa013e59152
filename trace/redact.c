// SPDX-License-Identifier: Apache-2.0
// Takes out of a trace what is not for others, and keeps what analysis needs of it.
#include "trace/trace.h"

#include "base/homepath.h"
#include "base/shownwords.h"
#include "base/u64map.h"

#include <stdlib.h>
#include <string.h>

/** The home directories of a trace, and each text by its address: equal paths stay one. */
struct homes {
	struct arena *arena;
	VEC(const char *) others; // all but the caller's own
	bool has_own;
	struct u64map known;
	VEC(const char *) texts;
};

static void homes_deinit(struct homes *homes)
{
	vec_deinit(&homes->others);
	vec_deinit(&homes->texts);
	u64map_deinit(&homes->known);
}

/** "~", "~2" and so on were made by an earlier call. */
static bool is_redacted(const char *home, size_t length)
{
	const size_t name = sizeof(HOMEPATH_REDACTED) - 1;

	return length >= name && strncmp(home, HOMEPATH_REDACTED, name) == 0 &&
	       strspn(home + name, "0123456789") >= length - name;
}

static void put_home(struct homes *homes, struct strbuf *buf, const char *home, size_t length)
{
	size_t i = 0;

	if (is_redacted(home, length)) {
		strbuf_add(buf, home, length);
		return;
	}
	strbuf_puts(buf, HOMEPATH_REDACTED);
	if (homepath_is_own(home, length)) {
		homes->has_own = true;
		return;
	}
	while (i < homes->others.count && (strlen(homes->others.items[i]) != length ||
					   strncmp(homes->others.items[i], home, length) != 0))
		i++;
	if (i == homes->others.count)
		vec_push(&homes->others, arena_printf(homes->arena, "%.*s", (int)length, home));
	strbuf_printf(buf, "%zu", i + 2);
}

/** Append @text with every home directory in it replaced; false if it has none. */
static bool put_text(struct homes *homes, struct strbuf *buf, const char *text)
{
	struct homepath_search search = { .rest = text };
	bool has_home = false;

	while (homepath_next(&search)) {
		strbuf_add(buf, text, (size_t)(search.home - text));
		put_home(homes, buf, search.home, search.length);
		text = search.rest;
		has_home = true;
	}
	strbuf_puts(buf, text);
	return has_home;
}

static void redact_text(struct homes *homes, const char **text)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool is_new;

	if (!*text)
		return;
	uint32_t *index = u64map_put(&homes->known, (uintptr_t)*text, &is_new);

	if (is_new) {
		*index = (uint32_t)homes->texts.count;
		vec_push(&homes->texts, put_text(homes, &buf, *text)
						? arena_strdup(homes->arena, strbuf_text(&buf))
						: *text);
	}
	*text = homes->texts.items[*index];
}

/** Replace the homes in @count of @words. */
static const char *const *redact_words(struct homes *homes, const char *const *words, size_t count)
{
	const char **redacted = arena_array(homes->arena, count + 1, sizeof(*redacted));

	for (size_t i = 0; i < count; i++) {
		redacted[i] = words[i];
		redact_text(homes, &redacted[i]);
	}
	return redacted;
}

static void redact_command(struct homes *homes, struct trace_meta *meta,
			   struct trace_redacted *redacted)
{
	const char *const *words = meta->command;
	size_t count = meta->command_count, kept = 0;

	meta->command = shownwords_of(homes->arena, words, count, &meta->command_count);
	for (size_t i = 0; i < meta->command_count; i++)
		kept += strstr(meta->command[i], SHOWNWORDS_HIDDEN) == NULL;
	redacted->words = count - kept;
	meta->command = redact_words(homes, meta->command, meta->command_count);
}

/** The same of the @count words at @first that one process executed; returns how many are left. */
static size_t redact_arguments(struct homes *homes, struct trace_argument *first, size_t count)
{
	const char **words = arena_array(homes->arena, count, sizeof(*words));
	const char *const *shown;
	size_t left;

	for (size_t i = 0; i < count; i++)
		words[i] = first[i].text;
	shown = shownwords_of(homes->arena, words, count, &left);
	shown = redact_words(homes, shown, left);
	for (size_t i = 0; i < left; i++)
		first[i].text = shown[i];
	first[left - 1].flags = first[count - 1].flags;
	return left;
}

static void redact_all_arguments(struct homes *homes, struct trace *trace)
{
	struct trace_argument *words = trace->arguments.items;
	size_t kept = 0, count = 0;

	for (size_t at = 0; at < trace->arguments.count; at += count) {
		count = trace_command_words(&words[at], &words[trace->arguments.count]);

		const size_t left = redact_arguments(homes, &words[at], count);

		memmove(&words[kept], &words[at], left * sizeof(*words));
		kept += left;
	}
	trace->arguments.count = kept;
}

/** "release=7" becomes "release=...". */
static void redact_labels(struct homes *homes, struct trace_meta *meta, bool hide,
			  struct trace_redacted *redacted)
{
	const char **labels = arena_array(homes->arena, meta->label_count + 1, sizeof(*labels));

	for (size_t i = 0; i < meta->label_count; i++) {
		const char *label = meta->labels[i];

		labels[i] = label;
		if (!hide)
			redact_text(homes, &labels[i]);
		else
			labels[i] = arena_printf(homes->arena, "%.*s=" SHOWNWORDS_HIDDEN,
						 (int)strcspn(label, "="), label);
		redacted->labels += hide;
	}
	meta->labels = labels;
}

/** Parts of ELF files, where no byte may move: what names the user is overwritten. */
static void redact_content(const struct trace_content *content)
{
	static const char parent[] = "/home/";
	uint8_t *bytes = (uint8_t *)(uintptr_t)content->bytes; // the trace's own
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	for (size_t at = 0; at < content->size; at += text.length + 1) {
		struct homepath_search search;

		strbuf_clear(&text);
		strbuf_add(&text, (const char *)bytes + at,
			   strnlen((const char *)bytes + at, content->size - at));
		search = (struct homepath_search){ .rest = strbuf_text(&text) };
		while (homepath_next(&search)) {
			size_t start = at + (size_t)(search.home - text.text);
			size_t kept = search.length > sizeof(parent) - 1 ? sizeof(parent) - 1 : 1;

			memcpy(bytes + start, parent, kept);
			memset(bytes + start + kept, '~', search.length - kept);
		}
	}
}

struct trace_redacted trace_redact(struct trace *trace, bool hide_labels)
{
	CLEANUP(homes_deinit) struct homes homes = { .arena = &trace->arena };
	struct trace_redacted redacted = { .host = trace->meta.host && trace->meta.host[0] };

	trace->meta.host = NULL;
	redact_command(&homes, &trace->meta, &redacted);
	redact_all_arguments(&homes, trace);
	redact_labels(&homes, &trace->meta, hide_labels, &redacted);
	vec_foreach (mapping, &trace->mappings)
		redact_text(&homes, &mapping->path);
	vec_foreach (path, &trace->paths)
		redact_text(&homes, &path->path);
	vec_foreach (root, &trace->roots)
		redact_text(&homes, &root->name);
	vec_foreach (open, &trace->opens)
		redact_text(&homes, &open->path);
	vec_foreach (mark, &trace->marks) {
		redact_text(&homes, &mark->name);
		redact_text(&homes, &mark->condition);
	}
	vec_foreach (content, &trace->contents)
		redact_content(content);
	vec_foreach (note, &trace->notes.list) {
		CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

		if (!put_text(&homes, &text, note->text))
			continue;
		free(note->text);
		note->text = xstrdup(strbuf_text(&text));
	}
	redacted.homes = homes.others.count + homes.has_own;
	return redacted;
}
