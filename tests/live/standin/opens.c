// SPDX-License-Identifier: Apache-2.0
// Opens the plugin and closes it, twice.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 0; i < 2; i++) {
		void *handle = dlopen(argv[argc - 1], RTLD_NOW);
		int64_t (*plugin)(void) = handle ? (int64_t(*)(void))dlsym(handle, "plugin") : NULL;

		if (!plugin) {
			puts(dlerror());
			return 1;
		}
		printf("%ld\n", (long)plugin());
		fflush(stdout);
		dlclose(handle);
		fputs("closed\n", stderr);
	}
}
