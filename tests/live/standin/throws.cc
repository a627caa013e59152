// SPDX-License-Identifier: Apache-2.0
// An exception passes through the library at the first call of a function of it.
#include "kinds.h"

#include <cstdio>
#include <stdexcept>

static void fail(void *)
{
	throw std::runtime_error("through the library");
}

int main()
{
	for (int i = 0; i < 2; i++)
		try {
			calls_back(fail, nullptr);
		} catch (const std::exception &error) {
			std::printf("caught %s\n", error.what());
		}
}
