// SPDX-License-Identifier: Apache-2.0
// Reads of disks: "storage" of an analysis.
#include "render/columns/columns.h"

// clang-format off
const struct column storage_columns[] = {
	ROW("storage_requests",
	    "direction and size are of those of recorded tasks: up to 1 MiB behind or before "
	    "the one before on the device, or elsewhere (random)"),
	{ "count", "number" },
	{ "lost", "number" },
	{ "latency_ns", "number" },
	{ "forward", "number" },
	{ "backward", "number" },
	{ "random", "number" },
	{ "median_size", "number" },

	ROW("storage_device", NULL),
	{ "name", "text" },
	{ "bytes", "number" },
	{ "requests", "number" },
	{ "counted_least", "number" },
	{ "counted_most", "number" },

	ROW("storage_file", NULL),
	{ "path", "text?" },
	{ "size", "number?" },
	{ "bytes", "number" },
	{ "requests", "number" },
	{ "wait_ns", "number", "threads waited for the requests, read-ahead apart" },
	{ "by_fault", "number" },
	{ "by_readahead", "number" },
	{ "by_read", "number" },
	{ "by_exec", "number" },
	{ "by_metadata", "number" },
	{ "by_others", "number" },
	{ "read", "number" },
	{ "mapped", "number" },
	{ "touched", "number" },
	{ "unused", "number" },
	{ "calls", "number",
	  "system calls that brought pages of it into memory, each for the file that it read "
	  "first; 0 where calls were not recorded" },
	{ "call_ns", "number", "how long they took" },

	ROW("storage_section", NULL),
	{ "object", "text?" },
	{ "section", "text?" },
	{ "size", "number" },
	{ "read", "number", "delivered by storage, whatever for" },
	{ "mapped", "number", "in pages that were touched or mapped around one that was" },
	{ "touched", "number", "in pages that faults were seen on" },

	ROW("storage_call", NULL),
	{ "call", "text?", "its name on x86-64; null: unknown, or of 32 bits" },
	{ "bytes", "number" },
	{ "metadata", "number", "of bytes" },
	{ "requests", "number" },

	ROW("storage_part", NULL),
	{ "object", "text?" },
	{ "section", "text?" },
	{ "cause", "storage" },
	{ "initiator", "initiator" },
	{ "bytes", "number>0" },

	ROW("disk_reads",
	    "what disks read while recording, and for what (docs/inside/trace-format.md); null where "
	    "it was not recorded. Of the whole run, whatever is shown. The by_ causes add up "
	    "to device_bytes"),
	{ "complete", "bool",
	  "nothing was lost, and the requests of each device are what the kernel counted" },
	{ "device_bytes", "number" },
	{ "by_fault", "number", "faults, with read-ahead that they waited for" },
	{ "by_readahead", "number", "read ahead while the thread went on; known since Linux 6.18" },
	{ "by_read", "number", "read() and the like, madvise, readahead" },
	{ "by_exec", "number" },
	{ "by_metadata", "number",
	  "directories, inodes and other blocks of the file system, for recorded tasks" },
	{ "by_others", "number", "for tasks that are not recorded" },
	{ "by_initiator", "by_initiator",
	  "bytes: what the thread worked on that asked, the fault's initiator or that of the "
	  "stack where it waited in the call; adds up to device_bytes less by_others" },
	{ "requests", "storage_requests",
	  "direction and size are of those of recorded tasks: up to 1 MiB behind or before the "
	  "one before on the device, or elsewhere (random)" },
	{ "devices", "[storage_device]",
	  "counted_: by how much the kernel's counter grew, at least and at most, as it was "
	  "read before and after recording began and ended" },
	{ "by_file", "[storage_file]",
	  "most bytes first. read, mapped, touched: of its bytes, each once; unused: read by "
	  "faults into no page that was mapped" },
	{ "by_section", "[storage_section]",
	  "most bytes read first. section: null: the whole file; [padding]: what is of no "
	  "section" },
	{ "by_call", "[storage_call]",
	  "what recorded tasks read within system calls, read-ahead and metadata included; "
	  "most bytes first" },
	{ "parts", "[storage_part]",
	  "device_bytes divided by place, cause and initiator, each byte as often as it was "
	  "delivered; most bytes first. object: null: of no file, or of one whose path is "
	  "unknown; section: as in by_section" },
	{ 0 },
};
// clang-format on
