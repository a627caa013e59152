// SPDX-License-Identifier: Apache-2.0
// usage: schemas FOLDER/NAME.schema.json... Writes the schema of each document.
#include "base/arena.h"
#include "base/cleanup.h"
#include "render/columns/columns.h"

#include <stdio.h>
#include <string.h>

static bool write_schema(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	CLEANUP(freep) char *name = xstrdup(file);
	CLEANUP(file_closep) FILE *out = fopen(path, "w");
	bool is_known = true;

	name[strcspn(name, ".")] = '\0';
	if (out && render_schema(name, out, &is_known))
		return true;
	if (is_known)
		perror(path);
	else
		fprintf(stderr, "%s: no such document\n", path);
	return false;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!write_schema(argv[i]))
			return 1;
	return 0;
}
