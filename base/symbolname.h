// SPDX-License-Identifier: Apache-2.0
// A symbol's name that is the same in every build: without suffixes from the compiler.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/**
 * How many bytes of @name stand for the symbol whatever the build: `.cold`, `.part.N`, `.isra.N`,
 * `.constprop.N`, `.lto_priv.N`, `.llvm.HASH`, `.__uniq.HASH` and `[clone …]` at its end are left
 * out, in any order and number. Never 0 for a name that is not empty. O(length).
 */
size_t symbolname_length(const char *name);

/**
 * True if @name, which may be demangled, is what people call @called: without its arguments of
 * templates, parameters, suffixes from the compiler and outer scopes. `foo` and `bar::foo` call
 * `void bar::foo<int>(char) [clone .isra.0]`. O(length).
 */
bool symbolname_is_called(const char *name, const char *called);

/**
 * The same for an entry of a table, `rela.dyn[1234]`: the length before the number's bracket, as
 * entries keep no number from build to build. The whole length for other names.
 */
size_t symbolname_entry_length(const char *name);

/** How many bytes of @name come before its version: foo of foo@@V2, as object files have it. */
size_t symbolname_unversioned_length(const char *name);

/** True if @name is made of an address, which differs between builds: `fn@0x…`. */
bool symbolname_is_address(const char *name);
