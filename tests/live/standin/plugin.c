// SPDX-License-Identifier: Apache-2.0
// A library that needs the library.
#include "kinds.h"

int64_t plugin(void);

int64_t plugin(void)
{
	return number_007(2, 3);
}
