// SPDX-License-Identifier: Apache-2.0
// Parses smaps as fs/proc/task_mmu.c writes it (show_map_vma(), __show_smap()).
#include "inspect/smaps/text.h"

#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct lines_kind smaps_lines = {
	.name = "a copy of /proc/PID/smaps",
	.line_max = 16 << 10,
	.size_max = 256 << 20,
};

/** The text, and where in it we are. */
struct reader {
	struct smaps_text *into;
	const char *name;
	uint32_t pid;
	uint64_t line; // from 1
	struct err *err;
	bool is_open;  // a mapping has begun
	bool has_size; // and its own lines have
	bool is_apart; // the next mapping belongs to another process
};

static bool fail(const struct reader *reader, const char *what)
{
	return err_set(reader->err, ERR_INPUT, "%s: line %" PRIu64 ": %s", reader->name,
		       reader->line, what);
}

static struct smaps_mapping *last_mapping(struct smaps_text *text)
{
	return &text->mappings.items[text->mappings.count - 1];
}

/** A mapping without details is one of /proc/PID/maps. */
static bool close_mapping(struct reader *reader)
{
	if (!reader->is_open)
		return true;
	smaps_amounts_derive(&last_mapping(reader->into)->amounts);
	return reader->has_size ||
	       fail(reader, "the mapping before has no Rss: copy /proc/PID/smaps, not maps");
}

/** "==> /proc/1234/smaps <==", as tail and head write between files. */
static void begin_space(struct reader *reader, const char *line)
{
	unsigned int pid;

	reader->is_apart = true;
	reader->pid = sscanf(line, "==> /proc/%u/", &pid) == 1 ? pid : 0;
}

/** Begin a mapping: "7f1c0000-7f1c1000 r--p 00000000 fe:00 1234    /usr/lib/libc.so.6". */
static bool begin_mapping(struct reader *reader, const char *line)
{
	struct smaps_text *into = reader->into;
	struct smaps_mapping mapping = { 0 };
	int path_at = -1;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64 "%n",
		   &mapping.start, &mapping.end, mapping.protection, &mapping.offset,
		   &mapping.inode, &path_at) != 5 ||
	    path_at < 0 || strlen(mapping.protection) != 4)
		return fail(reader, "neither a mapping nor 'Key: number kB'");
	if (mapping.start >= mapping.end)
		return fail(reader, "the mapping's end is not above its start");
	mapping.path = line + path_at + strspn(line + path_at, " ");
	if (strcmp(mapping.path, "[rollup]") == 0)
		return fail(reader, "this is smaps_rollup, which has no mappings: copy smaps");
	if (!close_mapping(reader))
		return false;
	mapping.path = arena_strdup(&into->arena, mapping.path);
	mapping.amounts.bytes[SMAPS_SIZE] = mapping.end - mapping.start;
	if (reader->is_apart || mapping.start < last_mapping(into)->end)
		vec_push(&into->spaces,
			 (struct smaps_space){ .pid = reader->is_apart ? reader->pid : 0,
					       .first = into->mappings.count });
	into->spaces.items[into->spaces.count - 1].count++;
	vec_push(&into->mappings, mapping);
	reader->is_apart = false;
	reader->is_open = true;
	reader->has_size = false;
	return true;
}

/** Return the key of a line; SMAPS_KEYS: it is of no interest. */
static enum smaps_key key_of(const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum smaps_key key;
	} known[] = {
		{ "Rss", SMAPS_RSS },
		{ "Pss", SMAPS_PSS },
		{ "Private_Clean", SMAPS_PRIVATE_CLEAN },
		{ "Private_Dirty", SMAPS_PRIVATE_DIRTY },
		{ "Shared_Clean", SMAPS_SHARED_CLEAN },
		{ "Shared_Dirty", SMAPS_SHARED_DIRTY },
		{ "Anonymous", SMAPS_ANONYMOUS },
		{ "Swap", SMAPS_SWAP },
		{ "SwapPss", SMAPS_SWAP_PSS },
		{ "AnonHugePages", SMAPS_HUGE },
		{ "ShmemPmdMapped", SMAPS_HUGE },
		{ "FilePmdMapped", SMAPS_HUGE },
		{ "Shared_Hugetlb", SMAPS_HUGE },
		{ "Private_Hugetlb", SMAPS_HUGE },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0)
			return known[i].key;
	return SMAPS_KEYS;
}

/** "Rss:                 123 kB". */
static bool take_amount(struct reader *reader, const char *line, const char *colon)
{
	enum smaps_key key = key_of(line, (size_t)(colon - line));
	uint64_t kib, bytes;
	int end = -1;

	if (!reader->is_open)
		return fail(reader, "an amount before the first mapping");
	if (key == SMAPS_KEYS)
		return true;
	// scanf() takes a sign.
	if (strchr(colon, '-') || sscanf(colon + 1, " %" SCNu64 " kB%n", &kib, &end) != 1 ||
	    end < 0 || colon[1 + end] != '\0')
		return fail(reader, "the amount is no number of kB");

	struct smaps_amounts *amounts = &last_mapping(reader->into)->amounts;

	if (!checked_mul(kib, 1024, &bytes) || !checked_add(amounts->bytes[key], bytes, &bytes) ||
	    bytes > amounts->bytes[SMAPS_SIZE])
		return fail(reader, "the amount is more than the mapping has room for");
	amounts->bytes[key] = bytes;
	reader->has_size |= key == SMAPS_RSS;
	return true;
}

static bool take_line(struct reader *reader, const char *line)
{
	size_t word = strcspn(line, ": ");

	if (line[0] == '\0')
		return true;
	if (strncmp(line, "==> ", 4) == 0) {
		begin_space(reader, line);
		return true;
	}
	// A device has a colon as well, but a blank comes before.
	if (line[word] == ':' && line[0] >= 'A' && line[0] <= 'Z')
		return take_amount(reader, line, line + word);
	return begin_mapping(reader, line);
}

bool smaps_text_add(struct smaps_text *into, struct lines *lines, uint32_t pid, struct err *err)
{
	struct reader reader = {
		.into = into, .name = lines->name, .pid = pid, .err = err, .is_apart = true
	};
	size_t before = into->mappings.count;
	struct text_line line;

	while (lines_next(lines, &line)) {
		reader.line = line.number;
		if (!take_line(&reader, line.text))
			return false;
	}
	// A process that ends meanwhile has no more.
	if (lines->err.os_errno != ESRCH && !lines_ended(lines, err))
		return false;
	if (!close_mapping(&reader))
		return false;
	return into->mappings.count > before ||
	       err_set(err, ERR_INPUT,
		       "%s: has no mappings (of a kernel thread or a process that has ended, or no "
		       "smaps)",
		       reader.name);
}

void smaps_text_deinit(struct smaps_text *text)
{
	vec_foreach (mapping, &text->mappings)
		free(mapping->pages);
	vec_deinit(&text->mappings);
	vec_deinit(&text->spaces);
	arena_deinit(&text->arena);
}
