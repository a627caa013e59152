// SPDX-License-Identifier: Apache-2.0
#include "model/library.h"

#include "base/vec.h"

#include <string.h>

/** Names up to ".so", in which all versions agree. */
static const struct {
	const char *start;
	enum model_library library;
} rows[] = {
	{ "ld-linux", MODEL_LIBRARY_LOADER },	 { "ld-musl", MODEL_LIBRARY_LOADER },
	{ "ld64.so", MODEL_LIBRARY_LOADER },	 { "ld.so", MODEL_LIBRARY_LOADER },
	{ "libstdc++.so", MODEL_LIBRARY_CXX },	 { "libgcc_s.so", MODEL_LIBRARY_CXX },
	{ "libc++.so", MODEL_LIBRARY_CXX },	 { "libc++abi.so", MODEL_LIBRARY_CXX },
	{ "libunwind.so.1", MODEL_LIBRARY_CXX }, { "libc.so", MODEL_LIBRARY_SYSTEM },
	{ "libc.musl-", MODEL_LIBRARY_SYSTEM },	 { "libm.so", MODEL_LIBRARY_SYSTEM },
	{ "libmvec.so", MODEL_LIBRARY_SYSTEM },	 { "libpthread.so", MODEL_LIBRARY_SYSTEM },
	{ "libdl.so", MODEL_LIBRARY_SYSTEM },	 { "librt.so", MODEL_LIBRARY_SYSTEM },
	{ "libutil.so", MODEL_LIBRARY_SYSTEM },	 { "libresolv.so", MODEL_LIBRARY_SYSTEM },
	{ "libanl.so", MODEL_LIBRARY_SYSTEM },	 { "libnss_", MODEL_LIBRARY_SYSTEM },
};

enum model_library model_library_of(const struct model_object *object)
{
	const char *name = object->soname ? object->soname : model_object_name(object);

	if (!object->is_elf)
		return MODEL_LIBRARY_OTHER;
	array_foreach (row, rows, sizeof(rows) / sizeof(rows[0]))
		if (strncmp(name, row->start, strlen(row->start)) == 0)
			return row->library;
	return MODEL_LIBRARY_OTHER;
}
