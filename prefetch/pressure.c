// SPDX-License-Identifier: Apache-2.0
#include "prefetch/pressure.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool pressure_is_high(const char *path)
{
	enum { HIGH_PERCENT = 10 };
	static const char begin[] = "some avg10=";
	char text[128];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	return strncmp(text, begin, strlen(begin)) == 0 &&
	       strtoul(text + strlen(begin), NULL, 10) >= HIGH_PERCENT;
}
