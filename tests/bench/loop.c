// SPDX-License-Identifier: Apache-2.0
// Touches each page of fresh anonymous memory once, in rounds of 64 MiB, below frames that take
// STACK bytes together: loop FAULTS [STACK]
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, ROUND = 16384, FRAME = 256 };

static int touch(long left)
{
	while (left > 0) {
		long pages = left < ROUND ? left : ROUND;
		volatile char *memory = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED) {
			perror("mmap");
			return 1;
		}
		// A huge page would be one fault for 512 of them.
		madvise((void *)memory, (size_t)pages * PAGE, MADV_NOHUGEPAGE);
		for (long i = 0; i < pages; i++)
			memory[i * PAGE] = 1;
		munmap((void *)memory, (size_t)pages * PAGE);
		left -= pages;
	}
	return 0;
}

static int below(long stack, long left)
{
	volatile char frame[FRAME];

	frame[0] = 0;
	return stack < FRAME ? touch(left) : below(stack - FRAME, left) + frame[0];
}

int main(int argc, char **argv)
{
	return below(argc > 2 ? atol(argv[2]) : 0, argc > 1 ? atol(argv[1]) : 500000);
}
