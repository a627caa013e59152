// SPDX-License-Identifier: Apache-2.0
// Memory that lives and dies together with the aggregate that owns it.
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

/** Zero-initialise to use. One owner; not thread safe. */
struct arena {
	struct arena_block *blocks;
};

/** The exit status of oom(): 1 unless a command means something else by that. */
extern int oom_status;

/**
 * Report that memory, or what base/memory.h allows of it, ran out and exit with oom_status. Only
 * cli/ and forked children exit, too. In libelfmap it unwinds the stack instead, which releases
 * what scopes own (base/cleanup.h): code that elfmap/ reaches leaves what it allocates to a scope
 * or to an owner that is destroyed later.
 */
void oom(void) __attribute__((noreturn));

/** Allocate @size zeroed bytes aligned for any object; valid until arena_deinit(). Never NULL. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((malloc));

/** A copy of @size bytes; @bytes may be NULL if there are none. */
void *arena_copy(struct arena *arena, const void *bytes, size_t size) __attribute__((malloc));

/** As arena_alloc() for @count items of @size bytes; an overflow is out of memory. */
void *arena_array(struct arena *arena, size_t count, size_t size) __attribute__((malloc));

/** Copy @length bytes and a terminating NUL. */
char *arena_strndup(struct arena *arena, const char *text, size_t length);

/** Copy a C string; NULL stays NULL. */
char *arena_strdup(struct arena *arena, const char *text);

/** Format into the arena. */
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Release everything; the arena can be used again afterwards. */
void arena_deinit(struct arena *arena);

/**
 * Ask for huge pages for those that lie whole within @size bytes at @memory, which is to be used in
 * full and was not yet: one page fault for 2 MiB instead of 512.
 */
void advise_huge_pages(void *memory, size_t size);

/**
 * malloc family that does not return on failure; release with free(). For the linker two of them
 * have other names: libiberty, which demangles, defines functions of these.
 */
void *xcalloc(size_t count, size_t size) __asm__("base_xcalloc") __attribute__((malloc));
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *text) __asm__("base_xstrdup") __attribute__((malloc));
