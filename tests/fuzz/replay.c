// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target where libFuzzer is not: over every file of a corpus and over its prefixes.
// Usage: replay FILE-OR-DIRECTORY...   Exit: 0 if all came back, 1 if nothing was there to run.
#include "base/arena.h"
#include "base/cleanup.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Prefixes of a file larger than this are taken in steps: the corpus is replayed at every build.
enum { PREFIXES_MAX = 1024 };

static size_t runs;

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
	size_t step = size / PREFIXES_MAX + 1;
	for (size_t length = 0; length < size; length += step)
		run_once(bytes, length);
	run_once(bytes, size);
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
	for (int i = 1; i < argc; i++) {
		struct stat status;
		bool is_directory = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);

		if (!(is_directory ? replay_directory(argv[i]) : replay_file(argv[i])))
			return 1;
	}
	printf("%zu inputs\n", runs);
	return runs > 0 ? 0 : 1;
}
