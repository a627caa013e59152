// SPDX-License-Identifier: Apache-2.0
#include "cli/caller.h"

#include "cli/message.h"

bool caller_take_rights(const struct caller *caller)
{
	struct err err;

	if (!caller->under_sudo || privilege_drop(caller, &err))
		return true;
	message_print("cannot drop root privileges: %s", err.message);
	return false;
}
