// SPDX-License-Identifier: Apache-2.0
// Prints what is at byte offsets of an ELF file: offset, section, name and the distance from its
// first byte. Build and run:
//
//	cc atoffset.c -o atoffset $(pkg-config --cflags --libs libelfmap)
//	./atoffset /lib/x86_64-linux-gnu/libc.so.6 0x29d90 4096
//
// Without offsets it lists the file's sections.
#include <elfmap.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int list_sections(struct elfmap_file *file)
{
	struct elfmap_file_section section;
	enum elfmap_status status;

	for (size_t i = 0; (status = elfmap_file_section(file, i, &section)) == ELFMAP_OK; i++)
		printf("%#" PRIx64 " %#" PRIx64 " %s\n", section.offset, section.size,
		       section.name);
	return status == ELFMAP_NONE ? 0 : 1; // the end, or a failure
}

static int print_place(struct elfmap_file *file, uint64_t offset)
{
	struct elfmap_file_place place;
	enum elfmap_status status = elfmap_file_at_offset(file, offset, &place);

	if (status != ELFMAP_OK) {
		fprintf(stderr, "%#" PRIx64 ": %s\n", offset, elfmap_file_status_text(status));
		return 1;
	}
	printf("%#" PRIx64 " %s", offset, place.section_name);
	if (place.name_kind != ELFMAP_NAME_NONE)
		printf(" %s", place.name);
	if (place.name_kind != ELFMAP_NAME_NONE && place.has_vaddr)
		printf("+%#" PRIx64, place.vaddr - place.name_vaddr);
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	struct elfmap_file *file;
	struct elfmap_error error;
	int status = 0;

	if (argc < 2) {
		fputs("usage: atoffset FILE [OFFSET...]\n", stderr);
		return 2;
	}
	if (elfmap_file_open(argv[1], NULL, &file, &error) != ELFMAP_OK) {
		fprintf(stderr, "%s\n", error.message);
		return 1;
	}
	if (argc == 2)
		status = list_sections(file);
	for (int i = 2; i < argc; i++)
		status |= print_place(file, strtoull(argv[i], NULL, 0));
	elfmap_file_close(file);
	return status;
}
