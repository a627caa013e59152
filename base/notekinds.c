// SPDX-License-Identifier: Apache-2.0
// Notes of one kind as one line: what they say of several files, and of how many.
#include "base/notes.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "base/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 3 };

/** A note taken apart. Notes with the same @says are of one kind. */
struct parsed {
	const struct note *note;
	const char *file; // the path that it begins with, or NULL
	const char *says; // what it says, without file, figures and details
	bool is_sum;	  // of several files, by its own figures
	uint64_t rest;	  // of so many files that are not named: "19 more files ..."
};

/** Beginnings of what notes say that change little; all others change the answer. */
static const struct {
	const char *says;
	enum note_effect effect;
} effects[] = {
	{ NOTES_NO_CALLERS, NOTE_DETAIL },
	{ "a fault came without the processor", NOTE_REMARK }, // 's error code
	{ "a fault belongs to a process that was never waited for", NOTE_REMARK },
	{ "a window:", NOTE_REMARK },
	{ "cold:", NOTE_REMARK },
	{ "imported from ", NOTE_REMARK },
	{ "mapped, but not in the former trace", NOTE_REMARK },
	{ "of the ", NOTE_REMARK },
	{ "recorded by perf", NOTE_REMARK },
	{ "this kernel does not report ", NOTE_REMARK },
	{ "what recording added to the time is not known", NOTE_REMARK },
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/** Skip "2.6 MiB of 99.6 MiB ", "19 more files ". */
static const char *skip_figures(const char *text)
{
	static const char *const words[] = { "B ",    "KiB ",  "MiB ",	"GiB ",
					     "more ", "file ", "files " };

	while (isdigit((unsigned char)*text)) {
		text += strspn(text, "0123456789.,");
		text += *text == ' ';
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (begins(text, words[i]))
				text += strlen(words[i]);
		if (begins(text, "of ") && isdigit((unsigned char)text[3]))
			text += 3;
	}
	return text;
}

/** Cut @text where details begin; all of it where hardly anything would be left. */
static const char *without_details(struct arena *arena, const char *text)
{
	enum { FEWEST_BLANKS = 2 };
	size_t length = strcspn(text, ":;('0123456789"), blanks = 0;

	while (length > 0 && text[length - 1] == ' ')
		length--;
	for (size_t i = 0; i < length; i++)
		blanks += text[i] == ' ';
	return blanks < FEWEST_BLANKS ? text : arena_strndup(arena, text, length);
}

static struct parsed parse(struct arena *arena, const struct note *note)
{
	struct parsed parsed = { .note = note };
	const char *text = note->text;

	if (begins(text, NOTES_NOT_COLD))
		text += strlen(NOTES_NOT_COLD);
	if (*text == '/') {
		size_t length = strcspn(text, " ");
		size_t colon = length > 0 && text[length - 1] == ':';

		parsed.file = arena_strndup(arena, text, length - colon);
		text += length + (text[length] == ' ');
	} else if (isdigit((unsigned char)*text)) {
		const char *after = skip_figures(text);

		if (strstr(text, " more ") && strstr(text, " more ") < after)
			parsed.rest = strtoull(text, NULL, 10);
		parsed.is_sum = true;
		text = after;
	}
	text += begins(text, "was ") ? 4 : begins(text, "were ") ? 5 : 0;
	parsed.says = without_details(arena, text);
	return parsed;
}

static enum note_effect effect_of(const struct parsed *parsed)
{
	if (begins(parsed->note->text, NOTES_NOT_COLD))
		return NOTE_ALERT;
	for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++)
		if (begins(parsed->says, effects[i].says))
			return effects[i].effect;
	return NOTE_ANSWER;
}

static const char *alone(struct arena *arena, const struct note *note)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	note_print(note, &buf);
	return arena_strdup(arena, strbuf_text(&buf));
}

/** "stayed in memory: libc.so.6, libm.so.6, 19 more", of @count notes of one kind. */
static const char *together(struct arena *arena, const struct parsed *const *notes, size_t count)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	uint64_t files = 0, times = 0;

	for (size_t i = 0; i < count; i++) {
		if (notes[i]->is_sum && notes[i]->rest == 0)
			return alone(arena, notes[i]->note);
		times += notes[i]->note->count;
	}
	strbuf_puts(&buf, notes[0]->says);
	for (size_t i = 0; i < count; i++) {
		if (notes[i]->file && files < NAMED)
			strbuf_printf(&buf, "%s %s", files > 0 ? "," : ":",
				      path_file_name(notes[i]->file));
		files += notes[i]->file ? 1 : notes[i]->rest;
	}
	if (files > NAMED)
		strbuf_printf(&buf, ", %s more", figure_number(arena, files - NAMED));
	if (files == 0)
		strbuf_printf(&buf, " (%s times)", figure_number(arena, times));
	return arena_strdup(arena, strbuf_text(&buf));
}

void notes_sort(struct notes *notes)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const size_t count = notes->list.count;
	struct note *sorted = arena_array(&arena, count, sizeof(*sorted));
	size_t done = 0;

	for (enum note_effect effect = NOTE_ALERT; effect <= NOTE_DETAIL; effect++) {
		vec_foreach (note, &notes->list) {
			const struct parsed parsed = parse(&arena, note);

			if (effect_of(&parsed) == effect)
				sorted[done++] = *note;
		}
	}
	if (count > 0)
		memcpy(notes->list.items, sorted, count * sizeof(*sorted));
}

ORDER_OF(compare_kinds, note_kind, ORDER(x->effect, y->effect) ?: ORDER(x->first, y->first))

const struct note_kind *notes_kinds(const struct notes *notes, struct arena *arena,
				    size_t *ret_count)
{
	const size_t count = notes->list.count;
	struct parsed *parsed = arena_array(arena, count, sizeof(*parsed));
	struct note_kind *kinds = arena_array(arena, count, sizeof(*kinds));
	const struct parsed **same = arena_array(arena, count, sizeof(*same));
	size_t kind_count = 0;

	for (size_t i = 0; i < count; i++)
		parsed[i] = parse(arena, &notes->list.items[i]);
	for (size_t i = 0; i < count; i++) {
		size_t found = 0;

		if (!parsed[i].note)
			continue;
		for (size_t other = i; other < count; other++) {
			if (!parsed[other].note || strcmp(parsed[other].says, parsed[i].says) != 0)
				continue;
			same[found++] = &parsed[other];
		}
		struct note_kind *kind = &kinds[kind_count++];

		*kind = (struct note_kind){ .first = i, .notes = found, .effect = NOTE_DETAIL };
		for (size_t k = 0; k < found; k++)
			if (effect_of(same[k]) < kind->effect)
				kind->effect = effect_of(same[k]);
		kind->text =
			found == 1 ? alone(arena, same[0]->note) : together(arena, same, found);
		for (size_t k = 0; k < found; k++)
			parsed[same[k] - parsed].note = NULL;
	}
	if (kind_count > 0)
		qsort(kinds, kind_count, sizeof(*kinds), compare_kinds);
	*ret_count = kind_count;
	return kinds;
}
