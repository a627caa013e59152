// SPDX-License-Identifier: Apache-2.0
// What analysis needs of an ELF file that nobody will find later: its headers, tables and data, but
// no debug information and no large code, copied into the trace. Reads hostile files: only after
// privilege has gone, with every number checked, and by no library.
#pragma once

#include "trace/trace.h"

/** Zero-initialise; one for all files of a trace. */
struct embed_budget {
	uint64_t used; // bytes
};

/**
 * Copy parts of the ELF file at @fd, whose size is @size, into the trace as content of file @id:
 * tables before data before code, each section whole or not at all, as far as the limits allow (32
 * MiB a file, 128 MiB a trace).
 * Returns: false if it is no ELF file of this machine's byte order, or not even its headers fit.
 */
bool embed_file(int fd, uint64_t size, uint32_t id, struct embed_budget *budget,
		struct trace_writer *writer);

/** The build-id of the ELF file at @fd, as the kernel finds it: 0 bytes where there is none. */
uint32_t embed_build_id(int fd, uint64_t size, uint8_t ret_bytes[static TRACE_BUILD_ID_MAX]);
