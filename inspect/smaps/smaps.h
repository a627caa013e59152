// SPDX-License-Identifier: Apache-2.0
// Memory of processes, from /proc or a copy of smaps, by file and ELF section. The only public
// header of smaps/.
//
// What processes have is opened first, with whatever right there is; files that anyone may have
// written are read by smaps_finish(), for which privilege can be given up.
#pragma once

#include "base/err.h"
#include "model/smaps.h"

#include <sys/types.h>

struct smaps;

/** @source: what was asked for, for the answer. */
struct smaps *smaps_create(const char *source);

/** Accepts NULL. */
void smaps_destroy(struct smaps *smaps);

static inline void smaps_destroyp(struct smaps **smaps)
{
	smaps_destroy(*smaps);
}

/** Whether there is no page table, since it is a copy. */
bool smaps_is_copy(const struct smaps *smaps);

/** Add a copy of smaps, which smaps_finish() reads. @path is borrowed. */
void smaps_add_file(struct smaps *smaps, const char *path);

/** Add a process: open its smaps and, where allowed, its page table. @err: ERR_INPUT, ERR_OS. */
bool smaps_add_process(struct smaps *smaps, pid_t pid, struct err *err);

/**
 * The processes of this name, *@ret_count of them, to be freed: by their name (comm), their program
 * or the first word of their command line, each without folders. None, with errno 0: there is none;
 * else why it is not known.
 */
pid_t *smaps_find_processes(const char *name, size_t *ret_count);

struct smaps_options {
	bool is_forced; // take the file at a path even if it is not the mapped one
	bool no_pages;	// do as if there were no page tables, to compare with a copy
};

/** Read everything and attribute it. @err: ERR_OS, ERR_INPUT with file and line. */
bool smaps_finish(struct smaps *smaps, const struct smaps_options *options,
		  struct smaps_model **ret_model, struct err *err);
