// SPDX-License-Identifier: Apache-2.0
// A list of places in files, "FILE OFFSET" per line, as other scripts leave it. The name may have
// blanks; the offset is the last word. Each touched page gets a mapping of its own, so that the
// place in the file is all that decides what it is: an address would be made up.
#include "import/imported.h"

#include "base/checked.h"
#include "base/range.h"
#include "base/strbuf.h"
#include "import/scan.h"

enum { STEP_NS = 1000 }; // between two lines: times only say what came first

/** Addresses of one file: far from those of others, and of the first page. */
static const uint64_t space_per_file = UINT64_C(1) << 40;
enum { FILES_MAX = 1 << 15 };

struct place {
	const char *name;
	size_t name_length;
	uint64_t offset;
};

static bool parse(const struct text_line *line, struct place *ret_place)
{
	const char *last = line->text + line->length;
	struct scan scan;

	while (last > line->text && (last[-1] == ' ' || last[-1] == '\t'))
		last--;
	scan.end = last;
	while (last > line->text && last[-1] != ' ' && last[-1] != '\t')
		last--;
	scan.at = last;
	if (!scan_c_number(&scan, &ret_place->offset) || !scan_is_end(&scan))
		return false;
	while (last > line->text && (last[-1] == ' ' || last[-1] == '\t'))
		last--;
	ret_place->name = line->text;
	ret_place->name_length = (size_t)(last - line->text);
	return ret_place->name_length > 0;
}

static bool is_comment(const struct text_line *line)
{
	return line->length == 0 || line->text[0] == '#';
}

bool offsets_is(const struct text_line *line)
{
	struct place place;

	return !is_comment(line) && parse(line, &place);
}

struct list {
	struct imported *to;
	struct u64map by_name; // address of the interned path -> number of the file
	struct u64map pages;   // of all files, by address
	uint64_t relative;     // names
};

static const char *path_of(struct list *list, const struct place *place)
{
	CLEANUP(strbuf_deinit) struct strbuf path = { 0 };

	if (place->name[0] == '/')
		return imported_string(list->to, place->name, place->name_length);
	strbuf_printf(&path, "%s/", strcmp(list->to->folder, "/") == 0 ? "" : list->to->folder);
	strbuf_add(&path, place->name, place->name_length);
	list->relative++;
	return imported_string(list->to, path.text, path.length);
}

static bool take(struct list *list, const struct text_line *line, const struct place *place)
{
	struct imported *to = list->to;
	const uint64_t page = to->meta.page_size;
	const char *path = path_of(list, place);
	bool is_new;
	uint32_t *file = u64map_put(&list->by_name, (uintptr_t)path, &is_new);

	if (is_new)
		*file = (uint32_t)list->by_name.count;
	if (place->offset >= space_per_file - page || *file >= FILES_MAX)
		return false;

	uint64_t addr = *file * space_per_file + place->offset;
	uint64_t time_ns = line->number * STEP_NS;
	if (u64map_add(&list->pages, align_down(addr, page)) &&
	    !imported_map(to, (struct trace_mapping){
				      .time_ns = time_ns,
				      .addr = align_down(addr, page),
				      .size = page,
				      .offset = align_down(place->offset, page),
				      .path = path,
				      .pid = to->meta.root_pid,
				      .tid = to->meta.root_pid,
				      .protection = IMPORTED_ANY,
			      }))
		return false;
	vec_push(&to->faults, (struct trace_fault){
				      .time_ns = time_ns,
				      .addr = addr,
				      .pid = to->meta.root_pid,
				      .tid = to->meta.root_pid,
				      .flags = TRACE_FAULT_IP_UNKNOWN,
			      });
	return true;
}

static void note(const struct list *list)
{
	struct imported *to = list->to;

	notes_add(
		&to->notes,
		"imported from a list of file offsets (%s): each line counts as a fault; process, "
		"addresses, access, minor or major, times, durations, stacks, who touched and why "
		"are unknown; addresses shown are made up and kind shows as minor",
		to->source);
	notes_add_counted(&to->notes, list->relative > 0,
			  "%s: names without a folder in front are taken relative to %s",
			  to->source, to->folder);
}

bool offsets_read(struct imported *imported, struct lines *lines, struct err *err)
{
	struct list list = { .to = imported };
	struct text_line line;
	struct place place;

	imported->meta.times_are_order = imported->meta.kinds_unknown = true;
	while (imported_next(imported, lines, &line)) {
		if (!line.is_damaged && is_comment(&line))
			continue;
		if (line.is_damaged || !parse(&line, &place))
			imported_count_odd(&imported->odd, &line);
		else if (!take(&list, &line, &place))
			imported_count_odd(&imported->odd_faults, &line);
	}
	note(&list);
	u64map_deinit(&list.by_name);
	u64map_deinit(&list.pages);
	return true;
}
