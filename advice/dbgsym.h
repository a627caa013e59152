// SPDX-License-Identifier: Apache-2.0
// The Debian package with the names that a stripped file lacks.
#pragma once

#include "base/strbuf.h"
#include "model/model.h"

#include <stdbool.h>

/**
 * The package that installed the file at @path, by the lists in @lists, /var/lib/dpkg/info or a
 * folder like it; false if none did.
 */
bool dbgsym_package(const char *lists, const char *path, struct strbuf *ret_package);

/**
 * Write a hint if many of the faults of @model come from functions without names, in stripped files
 * of packages whose names can be installed. False: there is nothing to say.
 */
bool dbgsym_hint(const struct model *model, struct strbuf *ret_hint);
