// SPDX-License-Identifier: Apache-2.0
// Libraries of a language or of the system: which can be linked in, and how.
#pragma once

#include "model/model.h"

enum model_library {
	MODEL_LIBRARY_OTHER,
	MODEL_LIBRARY_CXX,    // -static-libstdc++ -static-libgcc link it in
	MODEL_LIBRARY_SYSTEM, // of the C library: only -static does
	MODEL_LIBRARY_LOADER, // the dynamic linker
};

/** By the soname, else the file name, of glibc, musl, libstdc++, libgcc and libc++. */
enum model_library model_library_of(const struct model_object *object);
