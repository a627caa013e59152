// SPDX-License-Identifier: Apache-2.0
// The rights with which a command reads files.
#pragma once

#include "base/privilege.h"

#include <stdbool.h>

/**
 * Give up root's rights for good where someone else called sudo: traces and ELF files may come from
 * anyone, and are never parsed with root's rights when there is someone whose rights will do. Says
 * so if that fails; then nothing may be read.
 */
bool caller_take_rights(const struct caller *caller);
