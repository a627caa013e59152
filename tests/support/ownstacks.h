// SPDX-License-Identifier: Apache-2.0
// Made-up stacks through real files: this test, its libc and its dynamic linker, at the addresses
// that they have in this process. ownstacks_find() runs before all tests.
#pragma once

#include "elfmap/elfmap.h"
#include "tests/support/stacks.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int main(int argc, char **argv);

// Different, or the compiler would make one function of them.
static volatile int ran;

__attribute__((constructor, noinline)) static void construct(void)
{
	ran = 1;
}

__attribute__((noinline, unused)) static int one(void)
{
	return 1;
}

__attribute__((noinline, unused)) static int two(void)
{
	return 2;
}

static char linker_path[512]; // of the dynamic linker
static uintptr_t linker_bias;
static uintptr_t linker_code; // in a function of it that it does not export
static uintptr_t libc_code;   // behind a call in libc
static uintptr_t libc_loop;   // behind a call in libc's start of a function that a table has
static uintptr_t linker_loop; // the same in the dynamic linker

/** One past the first byte: a return address into the function. */
static inline uintptr_t in(const void *function)
{
	return (uintptr_t)function + 1;
}

/** The same of libc's function @name: a sanitizer puts some of its own before libc's. */
static inline uintptr_t in_libc(const char *name)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	const uintptr_t found = in(dlsym(libc, name));

	dlclose(libc);
	return found;
}

enum which { PROGRAM, LINKER, OTHERS };

static inline void print_some(struct strbuf *text, enum which wanted)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[1024], protection[8], path[512], program[512];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	uint64_t start, end, offset;

	assert_non_null(maps);
	assert_true(length > 0);
	program[length] = '\0';
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %511s", &start,
			   &end, protection, &offset, path) != 5 ||
		    path[0] != '/')
			continue;
		enum which which = strcmp(path, program) == 0 ? PROGRAM
				   : strstr(path, "/ld-")     ? LINKER
							      : OTHERS;
		if (which != wanted)
			continue;
		strbuf_printf(text,
			      "map pid=10 tid=10 time=2000 addr=0x%" PRIx64 " size=0x%" PRIx64
			      " offset=0x%" PRIx64 " prot=%s path=\"%s\"\n",
			      start, end - start, offset, protection, path);
		if (which == LINKER && !linker_path[0]) {
			strcpy(linker_path, path);
			linker_bias = start;
		}
	}
	fclose(maps);
}

/** The mappings of this process as lines of a trace, in the order in which exec makes them. */
static inline void print_mappings(struct strbuf *text)
{
	print_some(text, PROGRAM);
	print_some(text, LINKER);
	print_some(text, OTHERS);
}

/** A function of the dynamic linker that nobody can call by name. */
static inline void find_linker_code(void)
{
	struct elfmap *map;
	struct err err;
	size_t count;

	if (!elfmap_open(linker_path, NULL, &map, &err))
		fail_msg("%s", err.message);
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);
	for (size_t i = 0; i < count && !linker_code; i++)
		if (symbols[i].type == 2 /* STT_FUNC */ && symbols[i].size > 64 &&
		    (symbols[i].binding == 0 /* STB_LOCAL */ ||
		     symbols[i].source == ELFMAP_SYMBOLS_EH_FRAME))
			linker_code = linker_bias + (uintptr_t)symbols[i].vaddr + 8;
	elfmap_close(map);
	assert_true(linker_code);
}

/** Return the first place from @start on, @size bytes, behind a call by a pointer; 0: none. */
static inline uintptr_t behind_call_by_pointer(struct elfmap *map, uint64_t start, uint64_t size)
{
	for (uint64_t last = start + 8; last < start + size; last++)
		if (elfmap_calls_by_pointer(map, last))
			return (uintptr_t)last + 1;
	return 0;
}

static inline void find_loops(void)
{
	struct elfmap *map;
	struct err err;
	size_t count;
	Dl_info libc;

	assert_true(dladdr(dlsym(RTLD_DEFAULT, "__libc_start_main"), &libc));
	assert_true(elfmap_open(libc.dli_fname, NULL, &map, &err));
	const uintptr_t bias = (uintptr_t)libc.dli_fbase;
	const struct elfmap_symbol *start = elfmap_symbol_at(map, (uintptr_t)libc.dli_saddr - bias);
	assert_non_null(start);
	libc_loop = behind_call_by_pointer(map, start->vaddr, start->size);
	libc_loop += libc_loop ? bias : 0;
	elfmap_close(map);

	assert_true(elfmap_open(linker_path, NULL, &map, &err));
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);
	for (size_t i = 0; i < count && !linker_loop; i++)
		if (symbols[i].type == 2 /* STT_FUNC */)
			linker_loop =
				behind_call_by_pointer(map, symbols[i].vaddr, symbols[i].size);
	linker_loop += linker_loop ? linker_bias : 0;
	elfmap_close(map);
}

/** Answer for the events, which follow those of this process. @meta: more of the trace. */
static inline void answer_of(const char *meta, const struct correlate_options *options)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	strbuf_printf(&text,
		      "elfault-trace-text 1\n"
		      "meta arg=\"prog\" backend=\"bpf\" machine=\"x86_64\" page_size=4096 "
		      "root_pid=10 start=1000 stacks=yes%s\n"
		      "exec pid=10 tid=10 time=1000 comm=\"prog\"\n",
		      meta);
	print_mappings(&text);
	strbuf_puts(&text, strbuf_text(&events));
	answer_text(strbuf_text(&text), options);
}

static inline void answer(void)
{
	answer_of("", NULL);
}

static inline uintptr_t entry(void)
{
	return getauxval(AT_ENTRY) + 16; // behind its first instructions
}

static char data[64];

/** Add a fault of the first thread that writes data below these frames. */
#define WRITE(...) ADD(10, data, "write", __VA_ARGS__)

/** Find the places above. */
static inline int ownstacks_find(void **state)
{
	CLEANUP(strbuf_deinit) struct strbuf ignored = { 0 };

	print_mappings(&ignored);
	find_linker_code();
	find_loops();
	libc_code = in(dlsym(RTLD_DEFAULT, "__libc_start_main"));
	return 0;
}
