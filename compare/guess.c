// SPDX-License-Identifier: Apache-2.0
// Files of different names that are compared as two builds of one file: the programs that both runs
// are about, and libraries with similar names.
#include "compare/gather.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "derive/executables.h"
#include "model/account.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** The program that the account is about, into model.programs; without one the first executed. */
static uint32_t subject_of(const struct model *model)
{
	const struct model_account *account = model->account;

	if (account && account->subject.is_known) {
		const struct model_process_times *row =
			&account->processes[account->subject.process];
		size_t later = 0; // programs that the process executed after it

		for (size_t i = account->subject.process + 1; i < account->process_count; i++)
			later += account->processes[i].pid == row->pid;
		for (uint32_t i = (uint32_t)model->program_count; i-- > 0;)
			if (model->programs[i].pid == row->pid && later-- == 0)
				return i;
	}
	for (uint32_t i = 0; i < model->program_count; i++)
		if (model->programs[i].has_exec)
			return i;
	return model->program_count > 0 ? 0 : MODEL_NONE;
}

uint32_t guess_program(const struct model *model)
{
	CLEANUP(freep) uint32_t *executables = executables_find(model);
	uint32_t program = subject_of(model);

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
	program = subject_of(model);
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
