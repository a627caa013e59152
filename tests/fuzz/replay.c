// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target where libFuzzer is not: over every file of a corpus, over its prefixes, and
// over the file with bytes changed at seeded places. Usage: replay FILE-OR-DIRECTORY...   Exit: 0
// if all came back, 1 if nothing was there to run. --steps N: as many prefixes and changes of each
// file, where a target does much.
#include "base/arena.h"
#include "base/cleanup.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Call a target's initializer, if it has one. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

// Prefixes of a file larger than this are taken in steps: the corpus is replayed at every build.
enum { STEPS = 1024, SEED = 1 };

static size_t runs, steps = STEPS;

static void run_once(const uint8_t *bytes, size_t size)
{
	// A copy of exactly this size, so that a sanitizer sees the first byte read too far.
	uint8_t *copy = xcalloc(size, 1);

	if (size > 0)
		memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	runs++;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/** Change one to four bytes, run, and put them back. */
static void run_changed(uint8_t *bytes, size_t size, uint32_t *random)
{
	size_t count = next_random(random) % 4 + 1, places[4];
	uint8_t before[4];

	for (size_t i = 0; i < count; i++) {
		static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };

		// Headers and tables decide more than what stands behind them.
		places[i] = next_random(random) % (i % 2 && size > 512 ? 512 : size);
		before[i] = bytes[places[i]];
		bytes[places[i]] = next_random(random) % 2
					   ? (uint8_t)next_random(random)
					   : values[next_random(random) % sizeof(values)];
	}
	run_once(bytes, size);
	while (count-- > 0)
		bytes[places[count]] = before[count];
}

static bool replay_file(const char *path)
{
	CLEANUP(file_closep) FILE *in = fopen(path, "rb");
	struct stat status;

	if (!in || fstat(fileno(in), &status) < 0) {
		perror(path);
		return false;
	}
	size_t size = (size_t)status.st_size;
	CLEANUP(freep) uint8_t *bytes = xcalloc(size, 1);
	if (fread(bytes, 1, size, in) != size) {
		perror(path);
		return false;
	}
	size_t step = size / steps + 1;
	for (size_t length = 0; length < size; length += step)
		run_once(bytes, length);
	run_once(bytes, size);
	uint32_t random = SEED;
	for (size_t i = 0; size > 0 && i < steps; i++)
		run_changed(bytes, size, &random);
	return true;
}

static bool replay_directory(const char *path)
{
	DIR *directory = opendir(path);
	bool is_good = true;

	if (!directory) {
		perror(path);
		return false;
	}
	for (struct dirent *entry; is_good && (entry = readdir(directory));) {
		if (entry->d_name[0] == '.')
			continue;
		char name[4096];

		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		is_good = replay_file(name);
	}
	closedir(directory);
	return is_good;
}

int main(int argc, char **argv)
{
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	int first = 1;

	if (argc > 2 && strcmp(argv[1], "--steps") == 0) {
		steps = strtoul(argv[2], NULL, 10);
		first = 3;
	}
	for (int i = first; i < argc; i++) {
		struct stat status;
		bool is_directory = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);

		if (!(is_directory ? replay_directory(argv[i]) : replay_file(argv[i])))
			return 1;
	}
	printf("%zu inputs, seed %d\n", runs, SEED);
	return runs > 0 ? 0 : 1;
}
