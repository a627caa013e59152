// SPDX-License-Identifier: Apache-2.0
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	const char *folders = getenv("LD_LIBRARY_PATH");

	puts(folders ? folders : "(none)");
	return is_weak ? 0 : 1;
}
