// SPDX-License-Identifier: Apache-2.0
// The least cost of a fault, in ns, of three kinds: new memory, a file's pages with 16 mapped at
// once, a file's page copied. The least of many short batches hardly depends on other load.
//   faults FILE STACK OUTPUT     below frames that take STACK bytes together
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, COUNT = 500, BATCHES = 200, FRAME = 256, AROUND = 16 };

struct kind {
	int flags, protection;
	int step; // pages from one touch to the next
	uint64_t least_ns;
};

static struct kind kinds[] = {
	{ MAP_PRIVATE | MAP_ANONYMOUS, PROT_READ | PROT_WRITE, 1, UINT64_MAX },
	{ MAP_PRIVATE, PROT_READ, AROUND, UINT64_MAX },
	{ MAP_PRIVATE, PROT_READ | PROT_WRITE, 1, UINT64_MAX },
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void touch(struct kind *kind, int file)
{
	size_t size = (size_t)COUNT * PAGE * (size_t)kind->step;
	volatile char *memory = mmap(NULL, size, kind->protection, kind->flags,
				     kind->flags & MAP_ANONYMOUS ? -1 : file, 0);

	if (memory == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	madvise((void *)memory, size, MADV_NOHUGEPAGE);

	uint64_t start = now_ns();

	for (size_t at = 0; at < size; at += (size_t)PAGE * (size_t)kind->step) {
		if (kind->protection & PROT_WRITE)
			memory[at] = 1;
		else
			(void)memory[at];
	}

	uint64_t took = (now_ns() - start) / COUNT;

	if (took < kind->least_ns)
		kind->least_ns = took;
	munmap((void *)memory, size);
}

static int below(long stack, int file)
{
	volatile char frame[FRAME];

	frame[0] = 0;
	if (stack >= FRAME)
		return below(stack - FRAME, file) + frame[0];
	for (int batch = 0; batch < BATCHES; batch++)
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			touch(&kinds[i], file);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: faults FILE STACK OUTPUT\n");
		return 2;
	}

	int file = open(argv[1], O_RDWR | O_CREAT, 0600);

	if (file < 0 || ftruncate(file, (off_t)COUNT * PAGE * AROUND) != 0) {
		perror(argv[1]);
		return 1;
	}
	// In the page cache, page by page: a hole's pages are not there before they are written.
	static char page[PAGE];

	for (int i = 0; i < COUNT * AROUND; i++) {
		if (write(file, page, PAGE) != PAGE) {
			perror(argv[1]);
			return 1;
		}
	}
	below(atol(argv[2]), file);

	FILE *out = fopen(argv[3], "w");

	if (!out) {
		perror(argv[3]);
		return 1;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		fprintf(out, "%llu\n", (unsigned long long)kinds[i].least_ns);
	return fclose(out) == 0 ? 0 : 1;
}
