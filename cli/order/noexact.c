// SPDX-License-Identifier: Apache-2.0
// Built for a processor whose tasks follow/ does not know: says so.
#include "cli/order/order.h"

#include "cli/message.h"
#include "cli/recording/recorded.h"

int orderexact_run(const struct order_arguments *arguments)
{
	message_print("--exact is not supported on this processor yet, only on x86-64; make the "
		      "order from a trace");
	return RECORDED_FAILED;
}
