// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK_BYTES = 64 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t capacity;
	_Alignas(max_align_t) unsigned char bytes[];
};

void *xcalloc(size_t count, size_t size)
{
	size_t bytes;

	if (!__builtin_mul_overflow(count, size, &bytes) && !memory_take(bytes))
		oom();
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		oom();
	return memory;
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	size_t bytes, had = malloc_usable_size(old);

	if (!__builtin_mul_overflow(count, size, &bytes) && bytes > had &&
	    !memory_take(bytes - had))
		oom();
	void *memory = reallocarray(old, count ? count : 1, size ? size : 1);

	if (!memory)
		oom();
	return memory;
}

char *xstrdup(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		oom();
	return copy;
}

void advise_huge_pages(void *memory, size_t size)
{
	enum { HUGE_PAGE_BYTES = 2 * 1024 * 1024 };
	size_t skip = -(uintptr_t)memory % HUGE_PAGE_BYTES;

	// Only advice: where the kernel has no huge pages nothing is lost.
	if (size >= HUGE_PAGE_BYTES && skip <= size - HUGE_PAGE_BYTES)
		madvise((char *)memory + skip, (size - skip) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES,
			MADV_HUGEPAGE);
}

static struct arena_block *block_create(size_t capacity)
{
	if (capacity > SIZE_MAX - sizeof(struct arena_block))
		oom();
	struct arena_block *block = xcalloc(1, sizeof(*block) + capacity);
	block->capacity = capacity;
	advise_huge_pages(block, sizeof(*block) + capacity);
	return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	enum { ALIGN = _Alignof(max_align_t) };

	if (size > SIZE_MAX - ALIGN)
		oom();
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);

	// A large piece gets a block of its own behind the first, so that the first stays in use.
	if (size > BLOCK_BYTES / 4) {
		struct arena_block *block = block_create(size);

		block->used = size;
		if (arena->blocks) {
			block->next = arena->blocks->next;
			arena->blocks->next = block;
		} else {
			arena->blocks = block;
		}
		return block->bytes;
	}
	if (!arena->blocks || arena->blocks->capacity - arena->blocks->used < size) {
		struct arena_block *block = block_create(BLOCK_BYTES);

		block->next = arena->blocks;
		arena->blocks = block;
	}
	void *memory = arena->blocks->bytes + arena->blocks->used;
	arena->blocks->used += size;
	return memory;
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
	void *copy = arena_alloc(arena, size);

	return size > 0 ? memcpy(copy, bytes, size) : copy;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		oom();
	return arena_alloc(arena, bytes);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return text ? arena_strndup(arena, text, strlen(text)) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		oom();

	char *text = arena_alloc(arena, (size_t)length + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

void arena_deinit(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
	*arena = (struct arena){ 0 };
}
