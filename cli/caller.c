// SPDX-License-Identifier: Apache-2.0
#include "cli/caller.h"

#include <stdio.h>

bool caller_take_rights(const struct caller *caller)
{
	struct err err;

	if (!caller->under_sudo || privilege_drop(caller, &err))
		return true;
	fprintf(stderr, "elfault: cannot give up root's rights: %s\n", err.message);
	return false;
}
