// SPDX-License-Identifier: Apache-2.0
#include "model/naming.h"

#include "base/cleanup.h"
#include "base/glob.h"
#include "base/homepath.h"
#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct naming *naming, const char *name)
{
	if (name)
		naming->names[naming->count++] = name;
}

void naming_of_file(struct naming *ret_naming, const char *path, const char *soname)
{
	ret_naming->count = 0;
	add(ret_naming, path);
	add(ret_naming, path_file_name(path));
	add(ret_naming, soname);
}

void naming_of_initializer(struct naming *ret_naming, const struct model_initializer *initializer)
{
	ret_naming->count = 0;
	add(ret_naming, initializer->function);
	add(ret_naming, initializer->symbol);
	add(ret_naming, initializer->label);
	add(ret_naming, initializer->array);
	if (!initializer->array)
		return;
	snprintf(ret_naming->place, sizeof(ret_naming->place), "%s[%u]", initializer->array,
		 initializer->index);
	add(ret_naming, ret_naming->place);
}

bool naming_has(const struct naming *naming, const char *name)
{
	for (size_t i = 0; i < naming->count; i++)
		if (strcmp(naming->names[i], name) == 0 ||
		    homepath_is_short_for(naming->names[i], name) ||
		    homepath_is_short_for(name, naming->names[i]))
			return true;
	return false;
}

bool naming_text_matches(const char *text, const char *pattern)
{
	CLEANUP(strbuf_deinit) struct strbuf shown = { 0 };

	if (glob_match(pattern, text))
		return true;
	if (strchr(pattern, '~')) {
		homepath_shorten(&shown, text);
		return glob_match(pattern, strbuf_text(&shown));
	}
	if (!strchr(text, '~') || !strchr(pattern, '/'))
		return false;
	homepath_shorten(&shown, pattern);
	return glob_match(strbuf_text(&shown), text);
}

bool naming_matches(const struct naming *naming, const char *pattern)
{
	for (size_t i = 0; i < naming->count; i++)
		if (naming_text_matches(naming->names[i], pattern))
			return true;
	return false;
}

bool naming_is_file(const char *path, const char *soname, const char *name)
{
	struct naming naming;

	naming_of_file(&naming, path, soname);
	if (naming_has(&naming, name))
		return true;
	CLEANUP(freep) char *real = strchr(name, '/') ? realpath(name, NULL) : NULL;

	return real && naming_has(&naming, real);
}

bool naming_is_object(const struct model_object *object, const char *name)
{
	return naming_is_file(object->path, object->soname, name);
}

const char *naming_several(struct arena *arena, const char *name, size_t count, const char *path)
{
	return count < 2
		       ? NULL
		       : arena_printf(arena,
				      "%s names %zu files; using %s (pass the path to use another)",
				      name, count, path);
}
