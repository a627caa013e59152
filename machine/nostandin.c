// SPDX-License-Identifier: Apache-2.0
#include "machine/standin.h"

const struct machine_standin *machine_standin(void)
{
	return NULL;
}
