// SPDX-License-Identifier: Apache-2.0
// Opens the libraries that its arguments name, and calls through every one.
#include <dlfcn.h>
#include <stdio.h>

extern int data;
int plain(void), middle(void);
int (*symbolic(void))(void), (*inlined(void))(void), (*firmly(void))(void);

int replaced(void)
{
	return 6;
}

__attribute__((weak)) int vague(void)
{
	return 1;
}

__attribute__((weak)) int firm(void)
{
	return 2;
}

int main(int argc, char **argv)
{
	int sum = middle() + inlined()() + firmly()();

	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_LAZY);

		if (!library)
			return 1;
		int (*plugin)(void) = (int (*)(void))dlsym(library, "plugin");

		if (plugin)
			sum += plugin();
	}
	printf("%d %p %d %d\n", data, (void *)plain, sum, symbolic()());
	return 0;
}
