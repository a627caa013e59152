// SPDX-License-Identifier: Apache-2.0
// The device that a file's pages are read from, as sysfs has it.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"

/** Directories of sysfs that hold read_ahead_kb, each once; to be freed with filedevice_free(). */
struct filedevices {
	VEC(char *) list;
};

/**
 * Add the devices that the file behind @fd, which may be one of O_PATH, is read from: that of its
 * file system, of an overlay those of all its layers, none where files live in memory.
 *
 * @err: ERR_UNSUPPORTED: its file system has none that can be found; the message names its type.
 */
bool filedevice_add(struct filedevices *devices, int fd, struct err *err);

void filedevice_free(struct filedevices *devices);
