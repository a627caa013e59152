// SPDX-License-Identifier: Apache-2.0
// This machine's own files: all that elfmap/ needs where there is no depot.
#include "depot/settle.h"

#include "base/cleanup.h"
#include "base/err.h"
#include "base/homepath.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

bool depot_settle(struct depot_file *found, int os_errno)
{
	if (os_errno || !S_ISREG(found->status.st_mode)) {
		fd_close(&found->fd);
		found->fd = -1;
		found->problem = os_errno ? err_text(os_errno) : "not a regular file";
		found->os_errno = os_errno;
	}
	return os_errno != ENOENT && os_errno != ENOTDIR;
}

bool depot_open_here(const char *path, struct depot_file *ret_found)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	const char *here = homepath_here(&buf, path);
	struct depot_file found = { .fd = -1, .place = path, .is_here = true };
	int os_errno = 0;

	if (stat(here, &found.status) != 0) {
		os_errno = errno;
	} else if (S_ISREG(found.status.st_mode)) {
		// Should it be something else by now, its opening must not wait.
		found.fd = open(here, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (found.fd < 0 || fstat(found.fd, &found.status) != 0)
			os_errno = errno;
	}
	bool is_there = depot_settle(&found, os_errno);

	*ret_found = found;
	return is_there;
}
