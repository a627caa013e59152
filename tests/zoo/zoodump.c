// SPDX-License-Identifier: Apache-2.0
// Prints the names of addresses, for zoo.py: reads addresses, one per line, and prints one line for
// each, with tabs between address, section, symbol, source and the functions inlined there. Notes
// go to stderr.
#include "elfmap/elfmap.h"

#include "base/cleanup.h"

#include <inttypes.h>
#include <stdio.h>

static void print_place(struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_code *code = elfmap_code_at(map, vaddr);
	struct elfmap_place place;

	elfmap_locate(map, vaddr, &place);
	printf("%#" PRIx64 "\t%s\t%s\t%s\t", vaddr, place.section_name,
	       place.symbol ? place.symbol->name : "", code && code->source ? code->source : "");
	for (size_t i = 0; code && i < code->inlined_count; i++)
		printf("%s%s", i ? "," : "",
		       code->inlined[i].function ? code->inlined[i].function : "?");
	putchar('\n');
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
		print_place(map, vaddr);
	vec_foreach (note, &elfmap_notes(map)->list)
		fprintf(stderr, "note: %s\n", note->text);
	return 0;
}
