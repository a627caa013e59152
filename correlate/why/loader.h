// SPDX-License-Identifier: Apache-2.0
// The part of an object in starting a process: the program, the dynamic linker, or neither.
#pragma once

#include "correlate/replay/objects.h"
#include "correlate/replay/process.h"

enum part {
	PART_OTHER,
	PART_PROGRAM,	      // has an entry point that the kernel or the dynamic linker jumps to
	PART_LOADER,	      // the dynamic linker and no more, as glibc's
	PART_LOADER_AND_LIBC, // the dynamic linker is libc, too, as musl's
};

/**
 * The part of every object of @objects, as an array to be freed with free().
 *
 * A dynamic linker is what some program's PT_INTERP names: by path, by where that path leads on
 * this machine, or by the soname; or the second file that the exec of a program with PT_INTERP
 * mapped. Its own symbols are not needed. Objects that were not opened are PART_OTHER.
 */
enum part *loader_find_parts(struct objects *objects, const struct processes *processes);
