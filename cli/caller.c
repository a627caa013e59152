// SPDX-License-Identifier: Apache-2.0
#include "cli/caller.h"

#include "cli/message.h"

#include <stdlib.h>

bool caller_take_rights(const struct caller *caller)
{
	struct err err;

	if (!caller->under_sudo)
		return true;
	if (privilege_drop(caller, &err)) {
		// The home that answers leave out, and that lists of files are relative to.
		if (caller->home)
			setenv("HOME", caller->home, 1);
		return true;
	}
	message_print("cannot drop root privileges: %s", err.message);
	return false;
}
