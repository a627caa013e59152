// SPDX-License-Identifier: Apache-2.0
#include "budget/file.h"

#include "base/cleanup.h"

#include <fcntl.h>

bool file_read(const char *path, size_t limit, struct strbuf *ret_text, struct err *err)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char bytes[1 << 14];

	if (fd < 0)
		return err_os(err, "%s", path);
	for (;;) {
		ssize_t count = read(fd, bytes, sizeof(bytes));

		if (count < 0)
			return err_os(err, "%s", path);
		if (count == 0)
			return true;
		strbuf_add(ret_text, bytes, (size_t)count);
		if (ret_text->length > limit)
			return err_set(err, ERR_INPUT, "%s: larger than %zu MiB", path,
				       limit >> 20);
	}
}
