// SPDX-License-Identifier: Apache-2.0
// The common head of all records of the rings.
#pragma once

#include "base/strbuf.h"
#include "bpf/fault_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/sysmacros.h>

/** Copy the @wanted bytes that a record begins with; false if it has fewer. */
static inline bool record_copy(void *to, size_t wanted, const void *data, size_t size)
{
	if (size < wanted)
		return false;
	memcpy(to, data, wanted);
	return true;
}

/** As makedev(3) has it; the kernel writes the major number above 20 bits of minor. */
static inline uint64_t record_device(uint32_t device)
{
	return makedev(device >> 20, device & 0xfffff);
}

/** Add "/usr/bin/su" of "su", "bin", "usr", each FAULT_EVENT_NAME_BYTES long. */
static inline void record_add_path(struct strbuf *path, const char *names, uint32_t count)
{
	for (uint32_t i = count; i > 0; i--) {
		const char *name = names + (size_t)(i - 1) * FAULT_EVENT_NAME_BYTES;

		if (!*name)
			continue; // where one file system is mounted in another
		strbuf_putc(path, '/');
		strbuf_add(path, name, strnlen(name, FAULT_EVENT_NAME_BYTES));
	}
}
