// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/unused.h"

bool unused_find(const struct record_options *start, const struct standin_loaded *loaded,
		 bool *ret_is_used, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "%s: its functions are watched on x86-64 alone",
		       start->command[0]);
}
