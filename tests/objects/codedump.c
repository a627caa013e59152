// SPDX-License-Identifier: Apache-2.0
// Prints where instructions came from as addr2line -a -i -f does, for code.py: the address, then a
// line with a function and one with its place, innermost first. Reads addresses, one a line.
#include "elfmap/elfmap.h"

#include "base/cleanup.h"

#include <inttypes.h>
#include <stdio.h>

static const char *or_unknown(const char *text, const char *unknown)
{
	return text ? text : unknown;
}

static void print_code(struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_code *code = elfmap_code_at(map, vaddr);
	const struct elfmap_symbol *symbol = elfmap_symbol_at(map, vaddr);
	const char *source = code ? code->source : NULL;

	printf("0x%" PRIx64 "\n", vaddr);
	for (size_t i = 0; code && i < code->inlined_count; i++) {
		printf("%s\n%s\n", or_unknown(code->inlined[i].function, "??"),
		       or_unknown(source, "??:0"));
		source = code->inlined[i].source;
	}
	printf("%s\n%s\n", symbol ? symbol->name : "??", or_unknown(source, "??:0"));
}

int main(int argc, char **argv)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct err err;
	uint64_t vaddr;

	if (argc != 2)
		return 2;
	if (!elfmap_open(argv[1], NULL, &map, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	while (scanf("%" SCNx64, &vaddr) == 1)
		print_code(map, vaddr);
	vec_foreach (note, &elfmap_notes(map)->list)
		fprintf(stderr, "note: %s\n", note->text);
	return 0;
}
