// SPDX-License-Identifier: Apache-2.0
// The file of a stand-in.
#pragma once

#include "standin/library.h"

/** Input of a stand-in. */
struct standin_image {
	const struct standin_library *library; // that it stands for
	const char *path;		       // where the library is, absolute
	const char *folder; // that a launcher puts before LD_LIBRARY_PATH; NULL: none
	const char *about;  // text for its note: of which files it was made
};

/**
 * Write to @fd, which is open for reading and writing, a library with the name, the versions and
 * all functions of the real one; each function opens that at its first call.
 *
 * @ret_functions: how many. @err: ERR_UNSUPPORTED where this processor has no stand-ins.
 */
bool standinimage_write(const struct standin_image *image, int fd, size_t *ret_functions,
			struct err *err);
