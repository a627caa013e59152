// SPDX-License-Identifier: Apache-2.0
// connects PORT|PATH: a client that knows nothing of elfault. It tries to connect every 50 us until
// that works, and prints the begin of the last attempt that failed and the end of the first that
// did not, in nanoseconds of CLOCK_MONOTONIC.
#include <inttypes.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_NS = 50000 };

static const uint64_t patience_ns = 120000000000;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool connects(const char *place)
{
	const bool is_path = strchr(place, '/');
	struct sockaddr_un path = { .sun_family = AF_UNIX };
	const struct sockaddr_in port = { .sin_family = AF_INET,
					  .sin_port = htons((uint16_t)atoi(place)),
					  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	const int fd = socket(is_path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);

	strncpy(path.sun_path, place, sizeof(path.sun_path) - 1);
	const bool done = fd >= 0 && connect(fd,
					     is_path ? (const struct sockaddr *)&path
						     : (const struct sockaddr *)&port,
					     is_path ? sizeof(path) : sizeof(port)) == 0;

	if (fd >= 0)
		close(fd);
	return done;
}

int main(int argc, char **argv)
{
	const uint64_t start_ns = now_ns();
	uint64_t before_ns = start_ns;

	if (argc != 2)
		return 2;
	// Else each pause is 50 us longer.
	prctl(PR_SET_TIMERSLACK, 1);
	while (now_ns() - start_ns < patience_ns) {
		const uint64_t begin_ns = now_ns();

		if (connects(argv[1])) {
			printf("%" PRIu64 " %" PRIu64 "\n", before_ns, now_ns());
			return 0;
		}
		before_ns = begin_ns;
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
	return 1;
}
