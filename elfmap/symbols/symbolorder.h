// SPDX-License-Identifier: Apache-2.0
// The two orders of symbols: in the list, and of those that cover one byte, which one names it.
#pragma once

#include "elfmap/private.h"

/** Compare names without their version: foo@@V2 in .symtab is foo in .dynsym. */
int symbolorder_names(const struct elfmap_symbol *a, const struct elfmap_symbol *b);

/** The order of elfmap_symbols(), for qsort: equal symbols of a better source come first. */
int symbolorder_compare(const void *left, const void *right);

/** The rule of elfmap_symbol_at() as far as names do not matter: below 0 if @a wins. */
int symbolorder_ranks(const struct elfmap_symbol *a, const struct elfmap_symbol *b);

/** The rule of elfmap_symbol_at(), as rangemap_beats(); @context: an array of symbols. */
bool symbolorder_beats(const void *context, uint32_t left, uint32_t right);
