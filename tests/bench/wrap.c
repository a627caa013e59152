// SPDX-License-Identifier: Apache-2.0
// Runs a command and writes how long it took (ns), its processor time (us) and its page faults, so
// that a tracer's own start and end stay outside the measurement: TRACER wrap FILE COMMAND [ARG...]
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;

	if (argc < 3) {
		fputs("usage: wrap FILE COMMAND [ARG...]\n", stderr);
		return 2;
	}
	uint64_t start = now_ns();
	pid_t child = vfork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child) {
		perror("wrap");
		return 1;
	}
	uint64_t elapsed = now_ns() - start;

	FILE *out = fopen(argv[1], "we");
	uint64_t cpu_us = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
			  (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	if (!out ||
	    fprintf(out, "%llu %llu %ld\n", (unsigned long long)elapsed, (unsigned long long)cpu_us,
		    usage.ru_minflt + usage.ru_majflt) < 0 ||
	    fclose(out) != 0) {
		perror(argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
