// SPDX-License-Identifier: Apache-2.0
// libelfmap as its users meet it: through <elfmap.h> and the shared library alone.
#include "libelfmap/elfmap.h"
#include "tests/support/test.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char self[] = "/proc/self/exe";
static int zeroed[64];
static volatile int constructed;

__attribute__((constructor, noinline)) static void construct(void)
{
	constructed = 1;
}

__attribute__((noinline)) static int marked(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + constructed;
}

static struct elfmap_file *open_file(const char *path, const struct elfmap_file_options *options)
{
	struct elfmap_file *file = NULL;
	struct elfmap_error error;

	if (elfmap_file_open(path, options, &file, &error) != ELFMAP_OK)
		fail_msg("%s", error.message);
	return file;
}

/** A fixture that yaml2obj built; skips the test where it was not found. */
static const char *fixture(const char *name)
{
	static char path[4096];
	const char *directory = getenv("ELF_FIXTURES");

	snprintf(path, sizeof(path), "%s/%s.elf", directory ? directory : "", name);
	if (access(path, R_OK) < 0)
		skip();
	return path;
}

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; // the first is the program
}

static uint64_t vaddr_of(uintptr_t addr)
{
	uint64_t bias = 0;

	dl_iterate_phdr(take_bias, &bias);
	return addr - bias;
}

static bool find_section(struct elfmap_file *file, const char *name,
			 struct elfmap_file_section *ret_section)
{
	for (size_t i = 0; elfmap_file_section(file, i, ret_section) == ELFMAP_OK; i++)
		if (strcmp(ret_section->name, name) == 0)
			return true;
	return false;
}

TEST(a_file_says_what_it_is)
{
	struct elfmap_file *file = open_file(self, NULL);
	struct elfmap_file_info info;
	struct stat status;

	assert_int_equal(stat(self, &status), 0);
	assert_int_equal(elfmap_file_info(file, &info), ELFMAP_OK);
	assert_string_equal(info.path, self);
	assert_int_equal(info.size, status.st_size);
	assert_true(info.is_64bit == (sizeof(void *) == 8));
	assert_true(info.type == ET_DYN || info.type == ET_EXEC);
	assert_int_equal(info.symbols, ELFMAP_SOURCE_SYMTAB);
	assert_non_null(info.interpreter);
	assert_null(info.soname);
	elfmap_file_close(file);
}

TEST(headers_are_those_of_the_file)
{
	struct elfmap_file *file = open_file(self, NULL);
	struct elfmap_file_segment segment;
	struct elfmap_file_section section;
	ElfW(Ehdr) header;
	int fd = open(self, O_RDONLY);

	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	for (size_t i = 0; i < header.e_phnum; i++) {
		ElfW(Phdr) theirs;

		assert_int_equal(pread(fd, &theirs, sizeof(theirs),
				       (off_t)(header.e_phoff + i * sizeof(theirs))),
				 sizeof(theirs));
		assert_int_equal(elfmap_file_segment(file, i, &segment), ELFMAP_OK);
		assert_int_equal(segment.type, theirs.p_type);
		assert_int_equal(segment.flags, theirs.p_flags);
		assert_int_equal(segment.offset, theirs.p_offset);
		assert_int_equal(segment.vaddr, theirs.p_vaddr);
		assert_int_equal(segment.file_size, theirs.p_filesz);
		assert_int_equal(segment.memory_size, theirs.p_memsz);
		assert_int_equal(segment.align, theirs.p_align);
	}
	assert_int_equal(elfmap_file_segment(file, header.e_phnum, &segment), ELFMAP_NONE);
	for (size_t i = 0; i < header.e_shnum; i++) {
		ElfW(Shdr) theirs;

		assert_int_equal(pread(fd, &theirs, sizeof(theirs),
				       (off_t)(header.e_shoff + i * sizeof(theirs))),
				 sizeof(theirs));
		assert_int_equal(elfmap_file_section(file, i, &section), ELFMAP_OK);
		assert_int_equal(section.type, theirs.sh_type);
		assert_int_equal(section.offset, theirs.sh_offset);
		assert_int_equal(section.size, theirs.sh_size);
		assert_int_equal(section.vaddr, theirs.sh_addr);
		assert_int_equal(section.has_bytes, i > 0 && theirs.sh_type != SHT_NOBITS);
	}
	assert_int_equal(elfmap_file_section(file, header.e_shnum, &section), ELFMAP_NONE);
	close(fd);
	elfmap_file_close(file);
}

TEST(a_function_is_found_by_vaddr_and_offset)
{
	struct elfmap_file *file = open_file(self, NULL);
	uint64_t vaddr = vaddr_of((uintptr_t)marked) + 1;
	struct elfmap_file_place place, again;
	struct elfmap_file_section section;
	struct elfmap_file_segment segment;

	assert_int_equal(elfmap_file_at_vaddr(file, vaddr, &place), ELFMAP_OK);
	assert_int_equal(place.name_kind, ELFMAP_NAME_SYMBOL);
	assert_string_equal(place.name, "marked");
	assert_string_equal(place.symbol, "marked");
	assert_int_equal(place.name_vaddr, vaddr - 1);
	assert_in_range(place.name_size, 2, 4096);
	assert_string_equal(place.section_name, ".text");
	assert_true(place.has_section && place.has_segment && place.has_offset);
	assert_int_equal(elfmap_file_section(file, place.section, &section), ELFMAP_OK);
	assert_string_equal(section.name, ".text");
	assert_true(section.has_segment && section.segment == place.segment);
	assert_int_equal(elfmap_file_segment(file, place.segment, &segment), ELFMAP_OK);
	assert_int_equal(segment.type, PT_LOAD);
	assert_true(segment.flags & PF_X);
	assert_int_equal(place.offset - segment.offset, place.vaddr - segment.vaddr);

	assert_int_equal(elfmap_file_at_offset(file, place.offset, &again), ELFMAP_OK);
	assert_int_equal(again.vaddr, vaddr);
	assert_string_equal(again.name, "marked");
	assert_int_equal(marked(1), 2);
	elfmap_file_close(file);
}

TEST(a_byte_of_bss_has_no_offset)
{
	struct elfmap_file *file = open_file(self, NULL);
	struct elfmap_file_place place;

	assert_int_equal(elfmap_file_at_vaddr(file, vaddr_of((uintptr_t)&zeroed[63]), &place),
			 ELFMAP_OK);
	assert_false(place.has_offset);
	assert_string_equal(place.section_name, ".bss");
	assert_string_equal(place.name, "zeroed");
	assert_int_equal(place.vaddr - place.name_vaddr, 63 * sizeof(int));
	elfmap_file_close(file);
}

TEST(entries_of_tables_have_names_of_their_own)
{
	static const struct {
		const char *section;
		enum elfmap_table table;
		const char *name;
	} tables[] = {
		{ ".interp", ELFMAP_TABLE_INTERP, "interp" },
		{ ".dynamic", ELFMAP_TABLE_DYNAMIC, "dynamic:DT_NEEDED" },
		{ ".dynsym", ELFMAP_TABLE_DYNSYM, "dynsym[0]" },
		{ ".init_array", ELFMAP_TABLE_INIT_ARRAY, "init_array[0]" },
		{ ".rela.dyn", ELFMAP_TABLE_RELOCATIONS, "rela.dyn[0]" },
	};
	struct elfmap_file *file = open_file(self, &(struct elfmap_file_options){ 0 });
	struct elfmap_file_section section;
	struct elfmap_file_place place;

	assert_int_equal(elfmap_file_at_offset(file, 0, &place), ELFMAP_OK);
	assert_string_equal(place.section_name, "[elf-header]");
	assert_string_equal(place.name, "elf-header");
	assert_int_equal(place.name_kind, ELFMAP_NAME_ENTRY);
	assert_int_equal(place.table, ELFMAP_TABLE_HEADERS);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (!find_section(file, tables[i].section, &section))
			continue; // such as .rela.dyn on machines with .rel.dyn
		assert_int_equal(elfmap_file_at_offset(file, section.offset, &place), ELFMAP_OK);
		assert_string_equal(place.section_name, tables[i].section);
		if (place.name_kind == ELFMAP_NAME_SYMBOL)
			continue; // crt1's label at the start of .init_array, or _DYNAMIC
		// lld begins with the path of libraries, others with their names.
		if (strcmp(place.name, "dynamic:DT_RUNPATH") != 0)
			assert_string_equal(place.name, tables[i].name);
		assert_int_equal(place.name_kind, ELFMAP_NAME_ENTRY);
		assert_int_equal(place.table, tables[i].table);
		assert_null(place.symbol);
	}
	elfmap_file_close(file);
}

TEST(a_relocated_slot_is_named_by_what_it_points_to)
{
	struct elfmap_file *file = open_file(fixture("relocations64"), NULL);
	struct elfmap_file_info info;
	struct elfmap_file_place place;
	size_t pointees = 0;

	assert_int_equal(elfmap_file_info(file, &info), ELFMAP_OK);
	for (uint64_t offset = 0; offset < info.size; offset++) {
		assert_int_equal(elfmap_file_at_offset(file, offset, &place), ELFMAP_OK);
		if (place.name_kind != ELFMAP_NAME_POINTEE)
			continue;
		pointees++;
		assert_int_equal(place.name[0], '&');
		assert_int_equal(place.table, ELFMAP_TABLE_NONE);
		assert_in_range(place.vaddr - place.name_vaddr, 0, 7);
	}
	assert_int_not_equal(pointees, 0);
	elfmap_file_close(file);
}

TEST(symbols_come_in_the_order_of_their_addresses)
{
	struct elfmap_file *file = open_file(self, NULL);
	struct elfmap_file_symbol symbol;
	uint64_t before = 0;
	size_t found = 0, i;

	for (i = 0; elfmap_file_symbol(file, i, &symbol) == ELFMAP_OK; i++) {
		assert_true(symbol.vaddr >= before);
		before = symbol.vaddr;
		if (strcmp(symbol.name, "marked") != 0)
			continue;
		found++;
		assert_int_equal(symbol.vaddr, vaddr_of((uintptr_t)marked));
		assert_int_equal(symbol.type, STT_FUNC);
		assert_int_equal(symbol.binding, STB_LOCAL);
		assert_int_equal(symbol.source, ELFMAP_SOURCE_SYMTAB);
	}
	assert_int_equal(found, 1);
	assert_int_equal(elfmap_file_symbol(file, i, &symbol), ELFMAP_NONE);
	elfmap_file_close(file);
}

TEST(initializers_are_listed_with_their_functions)
{
	struct elfmap_file *file = open_file(self, NULL);
	struct elfmap_file_initializer initializer;
	size_t found = 0;

	for (size_t i = 0; elfmap_file_initializer(file, i, &initializer) == ELFMAP_OK; i++) {
		if (!initializer.function || strcmp(initializer.function, "construct") != 0)
			continue;
		found++;
		assert_string_equal(initializer.array, ".init_array");
		assert_int_equal(initializer.vaddr, vaddr_of((uintptr_t)construct));
		assert_true(initializer.has_offset);
	}
	assert_int_equal(found, 1);
	elfmap_file_close(file);
}

TEST(names_are_demangled_unless_told_otherwise)
{
	struct elfmap_file *file = open_file(self, NULL);
	const char *name;

	assert_int_equal(elfmap_file_demangle(file, "_ZN4llvm3Foo3barEi", &name), ELFMAP_OK);
	assert_string_equal(name, "llvm::Foo::bar(int)");
	assert_int_equal(elfmap_file_demangle(file, self, &name), ELFMAP_OK);
	assert_ptr_equal(name, self);
	elfmap_file_close(file);
}

TEST(what_cannot_be_opened_says_why)
{
	static const struct {
		const char *path;
		enum elfmap_status status;
		const char *message;
	} bad[] = {
		{ "/nowhere/at/all", ELFMAP_ERROR_OS, "/nowhere/at/all: No such file" },
		{ "/", ELFMAP_ERROR_FORMAT, "is a directory" },
		{ "/dev/null", ELFMAP_ERROR_FORMAT, "not a regular file" },
		{ "/etc/passwd", ELFMAP_ERROR_FORMAT, "not an ELF file" },
	};
	struct elfmap_file *file = NULL;
	struct elfmap_error error;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(elfmap_file_open(bad[i].path, NULL, &file, &error), bad[i].status);
		assert_int_equal(error.status, bad[i].status);
		assert_non_null(strstr(error.message, bad[i].message));
		assert_int_equal(error.os_errno, bad[i].status == ELFMAP_ERROR_OS ? ENOENT : 0);
		assert_int_equal(elfmap_file_open(bad[i].path, NULL, &file, NULL), bad[i].status);
	}
	assert_int_equal(elfmap_file_open_fd(-1, NULL, NULL, &file, &error), ELFMAP_ERROR_OS);
	assert_int_equal(error.os_errno, EBADF);
	assert_int_equal(elfmap_file_open(fixture("object"), NULL, &file, &error),
			 ELFMAP_ERROR_UNSUPPORTED);
	assert_int_equal(elfmap_file_open(fixture("core"), NULL, &file, &error),
			 ELFMAP_ERROR_FORMAT);
	assert_null(file);
	elfmap_file_close(NULL);
	for (int status = 0; status < 8; status++)
		assert_true(elfmap_file_status_text((enum elfmap_status)status)[0]);
}

TEST(a_descriptor_stays_the_callers)
{
	int fd = open(self, O_RDONLY | O_CLOEXEC);
	struct elfmap_file *file = NULL;
	struct elfmap_file_info info;
	struct elfmap_file_place place;
	char path[4096] = { 0 };

	assert_int_equal(lseek(fd, 7, SEEK_SET), 7);
	assert_int_equal(elfmap_file_open_fd(fd, NULL, NULL, &file, NULL), ELFMAP_OK);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 7);
	assert_int_equal(close(fd), 0);
	assert_int_equal(elfmap_file_at_vaddr(file, vaddr_of((uintptr_t)marked), &place),
			 ELFMAP_OK);
	assert_string_equal(place.name, "marked");
	assert_true(readlink(self, path, sizeof(path) - 1) > 0);
	assert_int_equal(elfmap_file_info(file, &info), ELFMAP_OK);
	assert_string_equal(info.path, path);
	elfmap_file_close(file);
}

TEST(outside_the_file_there_is_nothing)
{
	struct elfmap_file *file = open_file(self, NULL);
	struct elfmap_file_info info;
	struct elfmap_file_place place;
	struct elfmap_file_initializer initializer;
	const char *note;

	errno = EXDEV;
	assert_int_equal(elfmap_file_info(file, &info), ELFMAP_OK);
	assert_int_equal(elfmap_file_at_offset(file, info.size - 1, &place), ELFMAP_OK);
	assert_int_equal(elfmap_file_at_offset(file, info.size, &place), ELFMAP_NONE);
	assert_int_equal(elfmap_file_at_offset(file, UINT64_MAX, &place), ELFMAP_NONE);
	assert_int_equal(elfmap_file_at_vaddr(file, UINT64_MAX, &place), ELFMAP_NONE);
	assert_int_equal(elfmap_file_initializer(file, SIZE_MAX, &initializer), ELFMAP_NONE);
	assert_int_equal(elfmap_file_note(file, SIZE_MAX, &note), ELFMAP_NONE);
	assert_int_equal(errno, EXDEV); // left as it was
	elfmap_file_close(file);
}

static uint64_t add_text(uint64_t sum, const char *text)
{
	while (text && *text)
		sum = (sum ^ (unsigned char)*text++) * 0x100000001b3;
	return sum;
}

/** Ask for everything, of what there may be many for some; a number that depends on all answers. */
static uint64_t ask_everything(struct elfmap_file *file)
{
	enum { MANY = 256 };
	struct elfmap_file_info info;
	struct elfmap_file_segment segment;
	struct elfmap_file_section section;
	struct elfmap_file_symbol symbol;
	struct elfmap_file_initializer initializer;
	struct elfmap_file_place place;
	const char *text;
	uint64_t sum = 0;

	assert_int_equal(elfmap_file_info(file, &info), ELFMAP_OK);
	for (size_t i = 0; elfmap_file_segment(file, i, &segment) == ELFMAP_OK; i++)
		sum += segment.offset;
	for (size_t i = 0; elfmap_file_section(file, i, &section) == ELFMAP_OK; i++)
		sum = add_text(sum + section.offset, section.name);
	for (size_t i = 0; i < MANY && elfmap_file_symbol(file, i, &symbol) == ELFMAP_OK; i++) {
		assert_int_equal(elfmap_file_demangle(file, symbol.name, &text), ELFMAP_OK);
		sum = add_text(sum + symbol.vaddr, text);
		assert_true(symbol.vaddr + symbol.size >= symbol.vaddr);
	}
	for (size_t i = 0; elfmap_file_initializer(file, i, &initializer) == ELFMAP_OK; i++)
		sum = add_text(sum, initializer.function);
	for (uint64_t offset = 0; offset < info.size; offset += info.size / MANY + 1) {
		assert_int_equal(elfmap_file_at_offset(file, offset, &place), ELFMAP_OK);
		assert_true(place.has_offset && place.offset == offset);
		assert_non_null(place.section_name);
		assert_true(!place.name[0] == (place.name_kind == ELFMAP_NAME_NONE) ||
			    place.name_kind == ELFMAP_NAME_SYMBOL);
		sum = add_text(add_text(sum, place.section_name), place.name);
		if (!place.has_vaddr)
			continue;
		assert_int_equal(elfmap_file_at_vaddr(file, place.vaddr, &place), ELFMAP_OK);
		assert_true(place.name_kind != ELFMAP_NAME_SYMBOL ||
			    place.vaddr - place.name_vaddr < place.name_size);
	}
	for (size_t i = 0; elfmap_file_note(file, i, &text) == ELFMAP_OK; i++)
		sum = add_text(sum, text);
	return sum;
}

/** Bytes of a fixture; 0 in @ret_size if there is none. */
static unsigned char *read_fixture(const char *name, size_t *ret_size)
{
	FILE *stream = fopen(fixture(name), "rb");

	assert_non_null(stream);
	fseek(stream, 0, SEEK_END);
	*ret_size = (size_t)ftell(stream);
	rewind(stream);
	unsigned char *bytes = malloc(*ret_size);
	assert_int_equal(fread(bytes, 1, *ret_size, stream), *ret_size);
	fclose(stream);
	return bytes;
}

static void try_bytes(const unsigned char *bytes, size_t size)
{
	static const struct elfmap_file_options options = { .no_debug_files = true };
	int fd = memfd_create("hostile", MFD_CLOEXEC);
	struct elfmap_file *file;
	struct elfmap_error error;

	assert_int_equal(write(fd, bytes, size), size);
	if (elfmap_file_open_fd(fd, "hostile", &options, &file, &error) == ELFMAP_OK) {
		ask_everything(file);
		elfmap_file_close(file);
	} else {
		assert_int_not_equal(error.status, ELFMAP_ERROR_MEMORY);
		assert_non_null(strstr(error.message, "hostile"));
	}
	close(fd);
}

TEST(damaged_files_give_errors_or_answers)
{
	static const char *const names[] = { "be32-exec",     "be64-dyn",      "branches64",
					     "le32-dyn",      "literals-exec", "no-sections",
					     "relocations32", "relocations64", "static-irelative" };
	enum { PREFIXES = 48, CHANGED = 96 };
	unsigned random = 1;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size;
		unsigned char *bytes = read_fixture(names[i], &size);

		for (size_t k = 0; k < PREFIXES; k++)
			try_bytes(bytes, size * k / PREFIXES);
		for (size_t k = 0; k < CHANGED; k++) {
			size_t at[3];
			unsigned char before[3];

			for (size_t c = 0; c < 3; c++) {
				random = random * 1664525 + 1013904223;
				at[c] = (random >> 8) % (c ? size : 512 < size ? 512 : size);
				before[c] = bytes[at[c]];
				bytes[at[c]] = k % 2 ? 0xff : (unsigned char)(random >> 24);
			}
			try_bytes(bytes, size);
			for (size_t c = 3; c-- > 0;)
				bytes[at[c]] = before[c];
		}
		free(bytes);
	}
}

static void *answer_of_a_thread(void *sum)
{
	struct elfmap_file *file;

	if (elfmap_file_open(self, NULL, &file, NULL) == ELFMAP_OK) {
		*(uint64_t *)sum = ask_everything(file);
		elfmap_file_close(file);
	}
	return NULL;
}

TEST(threads_with_files_of_their_own_get_the_same_answers)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	uint64_t sums[THREADS] = { 0 }, alone = 0;

	answer_of_a_thread(&alone);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, answer_of_a_thread, &sums[i]),
				 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_not_equal(alone, 0);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(sums[i], alone);
}
