// SPDX-License-Identifier: Apache-2.0
#include "advice/trace/rule.h"

#include "model/layout.h"

#include <string.h>

/** The part of @path behind a folder that the libraries of all packages are in; NULL: none. */
static const char *behind_shared_folder(const char *path)
{
	static const char *const folders[] = { "/usr/lib/",   "/usr/lib64/", "/usr/lib32/",
					       "/lib/",	      "/lib64/",     "/lib32/",
					       "/nix/store/", "/gnu/store/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *rest = path + strlen(folders[i]);

		if (strncmp(path, folders[i], strlen(folders[i])) != 0)
			continue;
		// "x86_64-linux-gnu/", of Debian and what comes from it.
		const char *slash = strchr(rest, '/'), *triple = strstr(rest, "-linux-");

		return slash && triple && triple < slash ? slash + 1 : rest;
	}
	return NULL;
}

static bool is_executable(const struct model_object *row)
{
	return row->is_elf && row->layout && !row->layout->is_library;
}

bool owner_is_system(const struct model *model, uint32_t object)
{
	const char *path = model->objects[object].path;
	const char *rest = behind_shared_folder(path);
	const char *slash = rest ? strchr(rest, '/') : NULL;

	if (!rest || is_executable(&model->objects[object]))
		return false;
	if (!slash)
		return true;
	// A folder of one package: "firefox/", "llvm-14/".
	const size_t length = (size_t)(slash + 1 - path);

	for (size_t i = 0; i < model->object_count; i++)
		if (is_executable(&model->objects[i]) &&
		    strncmp(model->objects[i].path, path, length) == 0)
			return false;
	return true;
}
