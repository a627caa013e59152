// SPDX-License-Identifier: Apache-2.0
// The owner of the build that a file comes from: those who build the program, or others.
#pragma once

#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Is @object a library that the system has for all programs, such as libcrypto.so.3 in
 * /usr/lib/x86_64-linux-gnu? False of those in a folder that an executable of the run lies in as
 * well, such as /usr/lib/firefox, and of all others: beside the program, below /opt, /usr/local or
 * a home. O(objects).
 */
bool owner_is_system(const struct model *model, uint32_t object);
