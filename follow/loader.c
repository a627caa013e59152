// SPDX-License-Identifier: Apache-2.0
// Facts about the program and the dynamic linker in a process's memory.
#include "follow/private.h"

#include "base/cleanup.h"
#include "base/range.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/uio.h>

enum { SEGMENTS_MAX = 256, DYNAMIC_MAX = 256, NAMESPACES_MAX = 64 };

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

/** Find the program's dynamic section, its bias taken from the place of its headers. */
static bool find_dynamic(pid_t pid, const struct entry_program *program, struct range *ret_dynamic)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	const Elf64_Phdr *headers = NULL, *dynamic = NULL;
	size_t count = program->header_count;

	if (count > SEGMENTS_MAX ||
	    !read_memory(pid, program->headers, segments, count * sizeof(segments[0])))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type == PT_PHDR)
			headers = &segments[i];
		else if (segments[i].p_type == PT_DYNAMIC)
			dynamic = &segments[i];
	}
	if (!headers || !dynamic)
		return false;
	ret_dynamic->start = program->headers - headers->p_vaddr + dynamic->p_vaddr;
	ret_dynamic->end = ret_dynamic->start + dynamic->p_memsz;
	return ret_dynamic->end >= ret_dynamic->start;
}

bool entryloader_debug(pid_t pid, const struct entry_program *program, uint64_t *ret_debug,
		       uint64_t *ret_brk)
{
	struct range dynamic;
	struct r_debug debug;
	Elf64_Dyn entry;

	if (!find_dynamic(pid, program, &dynamic))
		return false;
	for (size_t i = 0; i < DYNAMIC_MAX; i++) {
		uint64_t addr = dynamic.start + i * sizeof(entry);

		if (addr >= dynamic.end || !read_memory(pid, addr, &entry, sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag != DT_DEBUG)
			continue;
		*ret_debug = entry.d_un.d_ptr;
		if (!*ret_debug || !read_memory(pid, *ret_debug, &debug, sizeof(debug)))
			return false;
		*ret_brk = debug.r_brk;
		return *ret_brk != 0;
	}
	return false;
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
