// SPDX-License-Identifier: Apache-2.0
// Facts about the program and the dynamic linker in a process's memory.
#include "follow/private.h"

#include "base/cleanup.h"
#include "base/range.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

enum { SEGMENTS_MAX = 256, DYNAMIC_MAX = 256, NAMESPACES_MAX = 64, SYMBOLS_MAX = 16 * 1024 };

/** Since version 2 (glibc 2.35) there is one for each namespace of dlmopen(). */
struct debug_extended {
	struct r_debug base;
	uint64_t next;
};

static bool read_memory(pid_t pid, uint64_t addr, void *bytes, size_t size)
{
	struct iovec here = { bytes, size }, there = { (void *)(uintptr_t)addr, size };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool entryloader_program(pid_t pid, struct entry_program *ret_program)
{
	char path[64];
	Elf64_auxv_t value;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	CLEANUP(file_closep) FILE *file = fopen(path, "re");
	*ret_program = (struct entry_program){ 0 };
	while (file && fread(&value, sizeof(value), 1, file) == 1) {
		if (value.a_type == AT_ENTRY)
			ret_program->start = value.a_un.a_val;
		else if (value.a_type == AT_BASE)
			ret_program->linker_base = value.a_un.a_val;
		else if (value.a_type == AT_PHDR)
			ret_program->headers = value.a_un.a_val;
		else if (value.a_type == AT_PHNUM)
			ret_program->header_count = value.a_un.a_val;
	}
	return ret_program->start != 0;
}

/**
 * Find the program's dynamic section and bias, from the place of its headers, which begin the file
 * where no segment states it, as in the dynamic linker itself.
 */
static bool find_dynamic(pid_t pid, const struct entry_program *program, uint64_t *ret_bias,
			 struct range *ret_dynamic)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	const Elf64_Phdr *headers = NULL, *dynamic = NULL, *first = NULL;
	size_t count = program->header_count;

	if (count > SEGMENTS_MAX ||
	    !read_memory(pid, program->headers, segments, count * sizeof(segments[0])))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type == PT_PHDR)
			headers = &segments[i];
		else if (segments[i].p_type == PT_DYNAMIC)
			dynamic = &segments[i];
		else if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0)
			first = &segments[i];
	}
	if (!dynamic || (!headers && !first))
		return false;
	*ret_bias = program->headers -
		    (headers ? headers->p_vaddr : first->p_vaddr + sizeof(Elf64_Ehdr));
	ret_dynamic->start = *ret_bias + dynamic->p_vaddr;
	ret_dynamic->end = ret_dynamic->start + dynamic->p_memsz;
	return ret_dynamic->end >= ret_dynamic->start;
}

/** The value of the first entry @tag of the dynamic section; false if there is none. */
static bool find_entry(pid_t pid, struct range dynamic, int64_t tag, uint64_t *ret_value)
{
	Elf64_Dyn entry;

	for (size_t i = 0; i < DYNAMIC_MAX; i++) {
		uint64_t addr = dynamic.start + i * sizeof(entry);

		if (addr >= dynamic.end || !read_memory(pid, addr, &entry, sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag != tag)
			continue;
		*ret_value = entry.d_un.d_val;
		return true;
	}
	return false;
}

bool entryloader_debug(pid_t pid, const struct entry_program *program, uint64_t *ret_debug,
		       uint64_t *ret_brk)
{
	struct range dynamic;
	struct r_debug debug;
	uint64_t bias;

	if (!find_dynamic(pid, program, &bias, &dynamic) ||
	    !find_entry(pid, dynamic, DT_DEBUG, ret_debug) || !*ret_debug ||
	    !read_memory(pid, *ret_debug, &debug, sizeof(debug)))
		return false;
	*ret_brk = debug.r_brk;
	return *ret_brk != 0;
}

/** Whether the string at @addr is @name. */
static bool is_named(pid_t pid, uint64_t addr, const char *name)
{
	char text[32];
	size_t size = strlen(name) + 1;

	return size <= sizeof(text) && read_memory(pid, addr, text, size) &&
	       memcmp(text, name, size) == 0;
}

bool entryloader_is_program(pid_t pid, const struct entry_program *program, uint64_t *ret_debug,
			    uint64_t *ret_brk)
{
	struct range dynamic;
	uint64_t bias, symbols, names;

	*ret_debug = *ret_brk = 0;
	// Strings follow the symbols in what every linker writes; nothing is relocated yet.
	if (program->linker_base || !find_dynamic(pid, program, &bias, &dynamic) ||
	    !find_entry(pid, dynamic, DT_SYMTAB, &symbols) ||
	    !find_entry(pid, dynamic, DT_STRTAB, &names) || names <= symbols)
		return false;
	size_t count = (names - symbols) / sizeof(Elf64_Sym);
	for (size_t i = 1; i < count && i < SYMBOLS_MAX; i++) {
		Elf64_Sym symbol;

		if (!read_memory(pid, bias + symbols + i * sizeof(symbol), &symbol, sizeof(symbol)))
			return false;
		if (symbol.st_shndx == SHN_UNDEF)
			continue;
		if (is_named(pid, bias + names + symbol.st_name, "_dl_debug_state"))
			*ret_brk = bias + symbol.st_value;
		else if (is_named(pid, bias + names + symbol.st_name, "_r_debug"))
			*ret_debug = bias + symbol.st_value;
	}
	return *ret_brk != 0;
}

bool entryloader_is_busy(pid_t pid, uint64_t debug)
{
	for (size_t i = 0; i < NAMESPACES_MAX && debug; i++) {
		struct debug_extended state;

		if (!read_memory(pid, debug, &state.base, sizeof(state.base)))
			return false;
		if (state.base.r_state != RT_CONSISTENT)
			return true;
		if (state.base.r_version < 2 || !read_memory(pid, debug, &state, sizeof(state)))
			return false;
		debug = state.next;
	}
	return false;
}
