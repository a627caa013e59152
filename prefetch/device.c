// SPDX-License-Identifier: Apache-2.0
// How much a device takes at once.
#include "prefetch/private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/** KiB in a file of the device's queue, of a partition that of the whole disk; 0: none. */
static uint64_t read_kib(dev_t number, const char *name)
{
	static const char *const folders[] = { "", "/.." };
	char path[96], text[32];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u%s/queue/%s", major(number),
			 minor(number), folders[i], name);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

		if (fd >= 0)
			close(fd);
		if (length <= 0)
			continue;
		text[length] = '\0';
		return strtoull(text, NULL, 10);
	}
	return 0;
}

static uint64_t piece_of(dev_t number)
{
	uint64_t ahead = read_kib(number, "read_ahead_kb");
	uint64_t sectors = read_kib(number, "max_sectors_kb");
	uint64_t kib = ahead > sectors ? ahead : sectors;

	if (kib == 0)
		return PREFETCH_PIECE;
	if (kib >= PREFETCH_PIECE_MAX >> 10)
		return PREFETCH_PIECE_MAX;
	// Pages as large as 64 KiB exist; less than one is never asked for.
	return kib < 64 ? 64 << 10 : kib << 10;
}

struct prefetch_device prefetch_device_of(struct prefetch_devices *devices, dev_t number)
{
	for (size_t i = 0; i < devices->count; i++)
		if (devices->list[i].number == number)
			return devices->list[i];

	const struct prefetch_device device = { number, piece_of(number) };

	if (devices->count < PREFETCH_DEVICES)
		devices->list[devices->count++] = device;
	return device;
}
