// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a log, as what they look like and as each format. What can be read keeps what
// the rest relies on, and becomes a trace that is read back.
#include "import/import.h"

#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_trace(struct imported *imported)
{
	const struct import_figures figures = import_figures(imported);
	CLEANUP(fd_close) int fd = memfd_create("trace", MFD_CLOEXEC);
	CLEANUP(trace_closep) struct trace *trace = NULL;
	struct err err = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!import_write(imported, "fuzz", fd, &err) || !trace_read(path, &trace, &err) ||
	    !trace->complete || trace->faults.count != figures.faults ||
	    trace->mappings.count != figures.mappings || trace->summary.lost != figures.lost)
		abort();
	vec_foreach (mapping, &trace->mappings)
		if (mapping->size == 0 || mapping->addr + mapping->size < mapping->addr)
			abort();
	vec_foreach (fault, &trace->faults) {
		bool has_ip = fault->flags & TRACE_FAULT_HAS_USER_IP;

		if ((has_ip && (fault->flags & TRACE_FAULT_IP_UNKNOWN)) ||
		    (fault->stack && (!has_ip || !trace_stack_by_id(trace, fault->stack))))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct import_source source = {
		.name = "log", .fd = -1, .bytes = (const char *)data, .size = size, .folder = "/"
	};

	for (enum import_format format = 0; format <= IMPORT_FORMATS; format++) {
		struct imported *imported = NULL;
		struct err err = { 0 };
		bool done = import_read(&source, format, &imported, &err);

		if (done != (err.code == ERR_NONE) || done != (imported != NULL))
			abort();
		// Writing takes longer than all that is tested here.
		if (done && format == IMPORT_FORMATS)
			check_trace(imported);
		import_close(imported);
	}
	return 0;
}
