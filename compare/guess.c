// SPDX-License-Identifier: Apache-2.0
// Files of different names that are compared as two builds of one file: the programs that both runs
// are about, and libraries with similar names.
#include "compare/gather.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "derive/executables.h"

#include <ctype.h>
#include <string.h>

uint32_t guess_program(const struct model *model)
{
	CLEANUP(freep) uint32_t *executables = executables_find(model);
	uint32_t program = executables_subject(model);

	// A forked process executes what its parent does. Parents of a damaged trace may be a
	// circle.
	for (size_t i = 0; i < model->program_count && program != MODEL_NONE &&
			   executables[program] == MODEL_NONE;
	     i++)
		program = model->programs[program].parent;
	if (program != MODEL_NONE && executables[program] == MODEL_NONE)
		program = MODEL_NONE;
	if (program != MODEL_NONE)
		return executables[program];
	// A file that cannot be read is only known by its path.
	program = executables_subject(model);
	for (uint32_t i = 0; program != MODEL_NONE && i < model->object_count; i++)
		if (model->objects[i].is_elf &&
		    is_same_text(model->objects[i].path, model->programs[program].executable))
			return i;
	return MODEL_NONE;
}

/** The letters of a library's name between "lib" and ".so": versions say nothing of kinship. */
static void letters_of(struct strbuf *text, const char *path)
{
	const char *name = path_file_name(path);
	const char *end = strstr(name, ".so");

	name += strncmp(name, "lib", 3) == 0 ? 3 : 0;
	for (const char *at = name; *at && at != end; at++)
		if (isalpha((unsigned char)*at))
			strbuf_putc(text, *at);
}

unsigned guess_likeness(const char *one, const char *other)
{
	enum { LEAST_PERCENT = 80 };
	CLEANUP(strbuf_deinit) struct strbuf a = { 0 }, b = { 0 };

	letters_of(&a, one);
	letters_of(&b, other);
	const char *x = strbuf_text(&a), *y = strbuf_text(&b);
	size_t least = strlen(x) < strlen(y) ? strlen(x) : strlen(y);
	size_t most = strlen(x) + strlen(y) - least, start = 0, end = 0;

	while (start < least && x[start] == y[start])
		start++;
	while (end < least - start && x[strlen(x) - 1 - end] == y[strlen(y) - 1 - end])
		end++;
	unsigned percent = most > 0 ? (unsigned)((start + end) * 100 / most) : 0;
	return percent >= LEAST_PERCENT ? percent : 0;
}
