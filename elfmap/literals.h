// SPDX-License-Identifier: Apache-2.0
// Names for bytes that no symbol and no table covers, as stripped files leave most of their data:
// the string literal they are part of, or the last address before them that something points to.
#pragma once

#include "elfmap/private.h"

#include "base/strbuf.h"

/** Fill @ret_entry for @place, which has a vaddr; false if there is nothing to go by. */
bool elfmap_literal_at(struct elfmap *map, const struct elfmap_place *place,
		       struct elfmap_entry *ret_entry);

/** Append string:"…", the bytes escaped as in C and cut at 60. */
void elfmap_literal_spell(struct elfmap *map, const struct elfmap_entry *entry, struct strbuf *out);
