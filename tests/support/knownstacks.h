// SPDX-License-Identifier: Apache-2.0
// Made-up stacks through fixtures/elf/linked.s and its dynamic linker, of which each address is
// known.
#pragma once

#include "elfmap/elfmap.h"
#include "tests/support/stacks.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t KNOWN_LINKER_BIAS = 0x7ffff7fc0000;

/** Open the fixture @name; skips the test where it was not built. */
static inline struct elfmap *open_known(const char *name)
{
	const char *folder = getenv("ELF_FIXTURES");
	char path[512];
	struct elfmap *map = NULL;
	struct err err;

	snprintf(path, sizeof(path), "%s/%s", folder ? folder : "", name);
	if (!folder || !elfmap_open(path, NULL, &map, &err))
		skip();
	return map;
}

/** Return the address behind the call of function @symbol of the fixture @name. */
static inline uintptr_t in_known(const char *name, const char *symbol, uint64_t bias)
{
	enum { RETURN = 9 }; // push, mov, call
	CLEANUP(elfmap_closep) struct elfmap *map = open_known(name);
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(symbols[i].name, symbol) == 0)
			return (uintptr_t)(symbols[i].vaddr + bias + RETURN);
	fail_msg("%s: no %s", name, symbol);
	return 0;
}

static inline uintptr_t in_program(const char *symbol)
{
	return in_known("linked.elf", symbol, 0);
}

static inline uintptr_t in_linker(const char *symbol)
{
	return in_known("linker.elf", symbol, KNOWN_LINKER_BIAS);
}

/** Return the run-time address of a byte of section @section of the fixture @name. */
static inline const void *in_section(const char *name, const char *section, uint64_t bias,
				     uint64_t offset)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_known(name);
	size_t count;
	const struct elfmap_section *sections = elfmap_sections(map, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(sections[i].name, section) == 0)
			return (const void *)(uintptr_t)(sections[i].vaddr + bias + offset);
	fail_msg("%s: no %s", name, section);
	return NULL;
}

/** Add the mappings of the fixture @name as lines of a trace. */
static inline void map_known(struct strbuf *text, const char *name, uint32_t pid, uint64_t bias)
{
	const uint64_t page = 4096;
	CLEANUP(elfmap_closep) struct elfmap *map = open_known(name);
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);

	array_foreach (segment, segments, count) {
		const uint64_t before = segment->vaddr % page;

		if (segment->type == PT_LOAD)
			strbuf_printf(
				text,
				"map pid=%u tid=%u time=2000 addr=0x%" PRIx64 " size=0x%" PRIx64
				" offset=0x%" PRIx64 " prot=r%c%cp path=\"%s/%s\"\n",
				pid, pid, bias + segment->vaddr - before,
				(before + segment->file_size + page - 1) / page * page,
				segment->offset - before, segment->flags & PF_W ? 'w' : '-',
				segment->flags & PF_X ? 'x' : '-', getenv("ELF_FIXTURES"), name);
	}
}

/** Begin a trace of one program. */
static inline void begin_known(struct strbuf *text)
{
	strbuf_puts(text, "elfault-trace-text 1\n"
			  "meta arg=\"known\" backend=\"bpf\" machine=\"x86_64\" page_size=4096 "
			  "root_pid=10 start=1000 stacks=yes opens=yes\n"
			  "exec pid=10 tid=10 time=1000 comm=\"known\"\n");
}

/** Answer for the events of a program and its dynamic linker. */
static inline void answer_of_known(const char *program, const char *linker)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	begin_known(&text);
	map_known(&text, program, 10, 0);
	map_known(&text, linker, 10, KNOWN_LINKER_BIAS);
	strbuf_puts(&text, strbuf_text(&events));
	answer_text(strbuf_text(&text), NULL);
}
