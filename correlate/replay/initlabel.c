// SPDX-License-Identifier: Apache-2.0
// Names for people of the functions that compilers make to construct a file's globals, and of Go's
// packages.
#include "correlate/replay/builder.h"

#include "base/path.h"

#include <string.h>

/** Skip "_00101" or ".00101", the priority of constructors. */
static const char *skip_priority(const char *name)
{
	enum { DIGITS = 5 };

	if ((*name == '.' || *name == '_') && strspn(name + 1, "0123456789") == DIGITS &&
	    name[1 + DIGITS] == '_')
		return name + 1 + DIGITS;
	return name;
}

/**
 * Return the file or symbol that @name is keyed to; "" for names that LTO merged; NULL: it is no
 * such name.
 */
static const char *keyed_to(const char *name)
{
	static const char *const prefixes[] = { "_GLOBAL__sub_I", "_GLOBAL__I" };
	static const char merged[] = "_sub_I";

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t length = strlen(prefixes[i]);

		if (strncmp(name, prefixes[i], length) != 0)
			continue;
		const char *rest = skip_priority(name + length);

		if (rest[0] == '_' && rest[1])
			return rest + 1;
	}
	if (strncmp(name, merged, sizeof(merged) - 1) == 0 &&
	    skip_priority(name + sizeof(merged) - 1) != name + sizeof(merged) - 1)
		return "";
	return NULL;
}

const char *initlabel(struct arena *arena, bool demangle, struct elfmap *map,
		      const struct elfmap_initializer *from)
{
	const char *key = from->symbol && from->symbol->vaddr == from->vaddr
				  ? keyed_to(from->symbol->name)
				  : NULL;

	if (from->package)
		return arena_strdup(arena, from->package);
	if (!key || !demangle)
		return NULL;
	if (from->source && !strstr(from->source, ", "))
		return arena_printf(arena, "globals of %s", path_file_name(from->source));
	if (!*key)
		return from->source ? "globals of several files" : NULL;
	return arena_printf(arena, "globals beside %s", elfmap_demangle(map, key));
}
