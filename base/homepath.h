// SPDX-License-Identifier: Apache-2.0
// Removes home directories from text that leaves the machine.
#pragma once

#include "base/strbuf.h"

/**
 * Append @text with every home directory in it written as "~": the caller's own ($HOME), /root and
 * /home/NAME. A path is taken to begin at the start of @text or behind anything but a letter, a
 * digit or one of "/._-".
 */
void homepath_shorten(struct strbuf *buf, const char *text);
