// SPDX-License-Identifier: Apache-2.0
// Opens a library, so that strace can watch how it is mapped.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	if (argc == 2 && dlopen(argv[1], RTLD_LAZY))
		return 0;
	fprintf(stderr, "%s\n", dlerror());
	return 1;
}
