// SPDX-License-Identifier: Apache-2.0
// libelfmap where memory runs out: each allocation of a session fails once, also those of libelf.
// The answer is then the one of a machine with memory, or ELFMAP_ERROR_MEMORY, or
// has a note (a debug file was too large); afterwards nothing is left over. This program's malloc()
// stands before libc's.
#include "libelfmap/elfmap.h"
#include "tests/support/test.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static struct {
	bool is_counting;
	long asked;    // allocations so far
	long fails_at; // the one that fails, from 0; negative: none
	bool fails_on; // all behind it fail as well
	long live;     // blocks
} heap = { .fails_at = -1 };

/** Whether the next allocation fails. */
static bool fails(void)
{
	if (!heap.is_counting)
		return false;
	long number = heap.asked++;

	if (number != heap.fails_at &&
	    (!heap.fails_on || heap.fails_at < 0 || number < heap.fails_at))
		return false;
	errno = ENOMEM;
	return true;
}

static void *count(void *memory)
{
	if (heap.is_counting && memory)
		heap.live++;
	return memory;
}

void *malloc(size_t size)
{
	return fails() ? NULL : count(__libc_malloc(size));
}

void *calloc(size_t items, size_t size)
{
	return fails() ? NULL : count(__libc_calloc(items, size));
}

void *realloc(void *memory, size_t size)
{
	if (fails())
		return NULL;
	return memory ? __libc_realloc(memory, size) : count(__libc_malloc(size));
}

void *reallocarray(void *memory, size_t items, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(items, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(memory, bytes);
}

void free(void *memory)
{
	if (heap.is_counting && memory)
		heap.live--;
	__libc_free(memory);
}

__attribute__((constructor)) static void construct(void)
{
	__asm__ volatile("");
}

/** The outcome of a session. */
struct session {
	enum elfmap_status status; // ELFMAP_OK: all was answered
	uint64_t sum;		   // of the answers
	bool is_noted;		   // a note says that memory was short
};

static void add(struct session *session, const char *text, uint64_t number)
{
	session->sum = (session->sum ^ number) * 0x100000001b3;
	while (text && *text)
		session->sum = (session->sum ^ (unsigned char)*text++) * 0x100000001b3;
}

/** Whether there is an answer. Once memory has run out there is no other. */
static bool is_answered(struct session *session, enum elfmap_status status)
{
	if (session->status == ELFMAP_ERROR_MEMORY)
		assert_int_equal(status, ELFMAP_ERROR_MEMORY);
	else if (status == ELFMAP_ERROR_MEMORY)
		session->status = status;
	else
		assert_true(status == ELFMAP_OK || status == ELFMAP_NONE);
	return status == ELFMAP_OK;
}

static void ask_places(struct session *session, struct elfmap_file *file, uint64_t size)
{
	enum { PLACES = 200 };
	struct elfmap_file_place place;

	for (uint64_t offset = 0; offset < size; offset += size / PLACES + 1) {
		if (!is_answered(session, elfmap_file_at_offset(file, offset, &place)))
			continue;
		add(session, place.section_name, place.name_kind);
		add(session, place.name, place.vaddr);
	}
}

static void ask_everything(struct session *session, struct elfmap_file *file)
{
	struct elfmap_file_info info = { 0 };
	struct elfmap_file_section section;
	struct elfmap_file_symbol symbol;
	struct elfmap_file_initializer initializer;
	const char *text;

	if (is_answered(session, elfmap_file_info(file, &info)))
		add(session, info.debug_file, info.symbols);
	for (size_t i = 0; is_answered(session, elfmap_file_section(file, i, &section)); i++)
		add(session, section.name, section.offset);
	ask_places(session, file,
		   info.size); // before the list of all symbols: looked up one by one
	for (size_t i = 0; is_answered(session, elfmap_file_symbol(file, i, &symbol)); i++)
		add(session, symbol.name, symbol.size);
	for (size_t i = 0; is_answered(session, elfmap_file_initializer(file, i, &initializer));
	     i++)
		add(session, initializer.function, initializer.vaddr);
	if (is_answered(session, elfmap_file_demangle(file, "_ZN4llvm3Foo3barEi", &text)))
		add(session, text, 0);
	for (size_t i = 0; is_answered(session, elfmap_file_note(file, i, &text)); i++) {
		add(session, text, i);
		session->is_noted |= strstr(text, "Cannot allocate memory") != NULL;
	}
}

/** The lowest free descriptor: the same before and after where none leaks. */
static int lowest_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

/** Open @path and ask for everything, with the @fails_at-th allocation failing. */
static struct session hold_session(const char *path, long fails_at, bool fails_on)
{
	struct session session = { .status = ELFMAP_OK };
	struct elfmap_file *file = NULL;
	struct elfmap_error error;
	int descriptor = lowest_descriptor();

	heap.asked = heap.live = 0;
	heap.fails_at = fails_at;
	heap.fails_on = fails_on;
	heap.is_counting = true;
	session.status = elfmap_file_open(path, NULL, &file, &error);
	if (session.status == ELFMAP_OK)
		ask_everything(&session, file);
	else
		assert_int_equal(error.status, session.status);
	elfmap_file_close(file);
	heap.is_counting = false;
	if (heap.live != 0)
		fail_msg("%s: allocation %ld failed: %ld blocks leak", path, fails_at, heap.live);
	assert_int_equal(lowest_descriptor(), descriptor);
	return session;
}

static void fail_each(const char *path)
{
	struct session usual = hold_session(path, -1, false);
	long allocations = heap.asked;

	assert_int_equal(usual.status, ELFMAP_OK);
	for (long i = 0; i < allocations; i++) {
		for (int fails_on = 0; fails_on < 2; fails_on++) {
			struct session session = hold_session(path, i, fails_on);

			if (session.status == ELFMAP_ERROR_MEMORY || session.is_noted)
				continue;
			if (session.status != ELFMAP_OK || session.sum != usual.sum)
				fail_msg("%s: allocation %ld of %ld failed: another answer", path,
					 i, allocations);
		}
	}
	print_message("# %s: %ld allocations failed, twice each\n", path, allocations);
}

TEST(each_allocation_for_a_program_may_fail)
{
	fail_each("/proc/self/exe");
}

TEST(each_allocation_for_a_library_with_a_debug_file_may_fail)
{
	Dl_info info;

	assert_int_not_equal(dladdr((void *)(uintptr_t)printf, &info), 0);
	fail_each(info.dli_fname);
}

TEST(each_allocation_for_a_stripped_file_may_fail)
{
	static const char *const names[] = { "no-sections", "relocations64", "literals-exec" };
	const char *directory = getenv("ELF_FIXTURES");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s.elf", directory ? directory : "", names[i]);
		if (access(path, R_OK) < 0)
			skip();
		fail_each(path);
	}
}
