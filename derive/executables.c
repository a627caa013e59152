// SPDX-License-Identifier: Apache-2.0
#include "derive/executables.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "model/account.h"
#include "model/layout.h"
#include "model/library.h"

#include <string.h>

/** The first program file that each program touched is its own: the kernel or ld.so reads it. */
uint32_t *executables_find(const struct model *model)
{
	uint32_t *executables = xcalloc(model->program_count + 1, sizeof(*executables));

	for (size_t i = 0; i < model->program_count; i++)
		executables[i] = MODEL_NONE;
	array_foreach (fault, model->faults, model->fault_count) {
		uint32_t program = model_thread(model, fault)->program, object = fault->at.object;

		if (program == MODEL_NONE || executables[program] != MODEL_NONE ||
		    object == MODEL_NONE)
			continue;
		const struct model_object *row = &model->objects[object];

		if (row->is_elf && row->layout && !row->layout->is_library &&
		    model_library_of(row) != MODEL_LIBRARY_LOADER)
			executables[program] = object;
	}
	return executables;
}

uint32_t executables_first(const struct model *model)
{
	for (uint32_t i = 0; i < model->program_count; i++)
		if (model->programs[i].has_exec)
			return i;
	return model->program_count > 0 ? 0 : MODEL_NONE;
}

uint32_t executables_subject(const struct model *model)
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
	return executables_first(model);
}

static bool is_shell(const char *name)
{
	static const char *const names[] = { "ash",   "bash", "busybox", "dash",    "fish",
					     "ksh",   "mksh", "posh",	 "rbash",   "sh",
					     "ksh93", "yash", "zsh",	 "zsh-beta" };

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/** Return the file of program @at; NULL: it is not known. */
static const char *file_of(const struct model *model, const uint32_t *executables, size_t at)
{
	if (model->programs[at].executable)
		return path_file_name(model->programs[at].executable);
	return executables[at] == MODEL_NONE ? NULL
					     : model_object_name(&model->objects[executables[at]]);
}

bool *executables_find_shells(const struct model *model)
{
	bool *are_shells = xcalloc(model->program_count + 1, sizeof(*are_shells));
	CLEANUP(freep) uint32_t *executables = executables_find(model);

	for (size_t i = 0; i < model->program_count; i++)
		are_shells[i] = is_shell(file_of(model, executables, i));
	array_foreach (thread, model->threads, model->thread_count) {
		// Until an exec is done, the name is that of the program before.
		if (thread->program != MODEL_NONE && thread->comm != MODEL_NONE &&
		    !model->programs[thread->program].has_exec &&
		    !file_of(model, executables, thread->program))
			are_shells[thread->program] |= is_shell(model->comms[thread->comm]);
	}
	return are_shells;
}
