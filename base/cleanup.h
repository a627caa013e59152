// SPDX-License-Identifier: Apache-2.0
// Scope-bound release of resources through the compiler's cleanup attribute.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Run @func on the address of the variable when it leaves scope, though nothing else uses it. */
#define CLEANUP(func) __attribute__((cleanup(func), unused))

/** Move the value out of pointer @ptr: its cleanup then sees NULL. */
#define TAKE(ptr)                               \
	({                                      \
		__typeof__(ptr) taken_ = (ptr); \
		(ptr) = NULL;                   \
		taken_;                         \
	})

/** Define @release ## p(), which a pointer to @type is released by when it leaves scope. */
#define CLEANUP_POINTER(release, type)                \
	static inline void release##p(type **pointer) \
	{                                             \
		release(*pointer);                    \
	}

/** Cleanup for a heap pointer. */
static inline void freep(void *ptr_to_ptr)
{
	free(*(void **)ptr_to_ptr);
}

/** Cleanup for a file descriptor; a negative one is left alone. */
static inline void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/** Cleanup for a stdio stream; NULL is left alone. */
static inline void file_closep(FILE **file)
{
	if (*file)
		fclose(*file);
}
