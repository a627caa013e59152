// SPDX-License-Identifier: Apache-2.0
#include "bpf/kerneltypes.h"

#include "base/cleanup.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>

struct btf *kerneltypes_load(void)
{
	struct btf *types = btf__load_vmlinux_btf();
	int code = errno;

	if (types)
		return types;
	// libbpf tries other files after this one, and says that the last does not exist.
	CLEANUP(fd_close) int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);

	errno = fd < 0 ? errno : code;
	return NULL;
}
