// SPDX-License-Identifier: Apache-2.0
// Facts of each object beyond the counts of its faults: relocation and data pages, what it needs of
// others, room for functions of a list.
#pragma once

#include "correlate/replay/process.h"
#include "correlate/replay/rows.h"

/**
 * Set relocation and data of every object that faulted; the ELF files are open. Of @faults those in
 * the window are counted. @page_size: a power of two.
 */
void costs_fill(struct rows *rows, const struct all_faults *faults, uint64_t page_size);

/**
 * Fill archive of every library that was opened: lib*.a of the same name beside it, where
 * development packages put it, if there is one. Looks for one file for each library.
 */
void archives_fill(struct rows *rows);

/**
 * Fill needed and needed_count of every object whose file was opened. A name
 * means the object with this soname, else the one with this file name, or with this path where it
 * has a slash; of several the first that the trace maps. O(objects + names).
 *
 * used counts the names of .dynsym that the object leaves undefined and the other defines, weak
 * ones as well; of a program also its copies of the other's data. Versions of names are not
 * compared. O(symbols of those needed).
 */
void dependencies_fill(struct rows *rows);

/**
 * Say of every row of model.searches why the linker looked there, and count them. The libraries
 * that faulted are open. Strings lie in the model's arena. O(searches * folders of search paths).
 */
void searches_fill(struct rows *rows, const struct process_program *programs);

/**
 * Fill model.bindings. @wants_list: each name as well. Reads the tables of names of every file that
 * a program loads. O(names * files) of programs that differ.
 */
void bindings_fill(struct rows *rows, const struct processes *processes, bool wants_list);

/** Set packing of every object that was opened. @names: as in the symbol table, versions do not
 * count. O(symbols). */
void packing_fill(struct rows *rows, const char *const *names, size_t count);
