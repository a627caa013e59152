// SPDX-License-Identifier: Apache-2.0
// Blame for a fault: the faulting ip is often memset, memcpy or malloc, and the answer is their
// caller.
#pragma once

#include "base/cleanup.h"
#include "correlate/replay/rows.h"

#include <stdbool.h>

/**
 * True if a file is one that every program brings along: libc with libm, libpthread, libdl and
 * librt, libstdc++, libgcc_s, libc++, libc++abi, libunwind, and the dynamic linkers of glibc, musl,
 * uClibc and bionic. By the file's name, also with a version in it (libc-2.31.so), or the soname.
 *
 * @path:   of the file
 * @soname: NULL where not known
 */
bool blame_is_runtime(const char *path, const char *soname);

/** Whom to blame on each stack. */
struct blame;

/** @rows is borrowed. */
struct blame *blame_learn(const struct rows *rows);
void blame_destroy(struct blame *blame);
CLEANUP_POINTER(blame_destroy, struct blame)

/**
 * The function to blame for @fault, or for what a thread did at a moment; see blame_faults().
 * *@ret_frame, which may be NULL: the frame that has it; NULL: it is that of the ip, or none.
 */
uint32_t blame_of(const struct blame *blame, const struct model_fault *fault,
		  const struct model_frame **ret_frame);

/**
 * Fill .blame of @faults, which may be moments outside faults: the function of the innermost frame
 * outside the runtime, the vdso and memory that is not code; without a stack the function of the
 * faulting ip, if it is outside these. MODEL_NONE where there is no such frame, as while the
 * dynamic linker starts a program.
 *
 * In a static program libc is part of the program's own file, and its functions are blamed as the
 * program's: nothing in the file tells them apart but their names, which any program may use.
 * Each distinct stack is looked at once.
 */
void blame_faults(const struct blame *blame, struct model_fault *faults, size_t count);
