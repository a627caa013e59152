// SPDX-License-Identifier: Apache-2.0
// Reads of disks: "storage" of an analysis.
#include "render/columns/columns.h"

#include "model/storage.h"

// clang-format off
const struct row_column storage_columns[] = {
	ROW("storage_requests",
	    "direction and size are of those of recorded tasks: up to 1 MiB behind or before "
	    "the one before on the device, or elsewhere (random)"),
	{ "count", "number", NULL, AT(model_storage, requests) },
	{ "lost", "number", NULL, AT(model_storage, lost) },
	{ "latency_ns", "number", NULL, AT(model_storage, request_ns) },
	{ "others", "number", "of count: for tasks that are not recorded",
	  AT(model_storage, other_requests) },
	{ "forward", "number", NULL, AT(model_storage, forward) },
	{ "backward", "number", NULL, AT(model_storage, backward) },
	{ "random", "number", NULL, AT(model_storage, random) },
	{ "median_size", "number", NULL, AT(model_storage, median_size) },

	ROW("storage_device", NULL),
	{ "name", "text", NULL, AT(model_storage_device, name) },
	{ "bytes", "number", NULL, AT(model_storage_device, bytes) },
	{ "requests", "number", NULL, AT(model_storage_device, requests) },
	{ "counted_least", "number?", "null: not looked at, or of a window",
	  AT_IF(model_storage_device, counted_least, has_counted) },
	{ "counted_most", "number?", NULL,
	  AT_IF(model_storage_device, counted_most, has_counted) },

	ROW("storage_file", NULL),
	{ "path", "text?", NULL, AT(model_storage_file, path) },
	{ "size", "number?", NULL, AT_NONZERO(model_storage_file, size) },
	{ "bytes", "number", NULL, AT(model_storage_file, bytes) },
	{ "requests", "number", NULL, AT(model_storage_file, requests) },
	{ "wait_ns", "number", "threads waited for the requests, read-ahead apart",
	  AT(model_storage_file, wait_ns) },
	{ "by_fault", "number", NULL, AT(model_storage_file, by_cause[MODEL_STORAGE_FAULT]) },
	{ "by_readahead", "number", NULL,
	  AT(model_storage_file, by_cause[MODEL_STORAGE_READAHEAD]) },
	{ "by_read", "number", NULL, AT(model_storage_file, by_cause[MODEL_STORAGE_READ]) },
	{ "by_exec", "number", NULL, AT(model_storage_file, by_cause[MODEL_STORAGE_EXEC]) },
	{ "by_metadata", "number", NULL, AT(model_storage_file, by_cause[MODEL_STORAGE_METADATA]) },
	{ "by_others", "number", NULL, AT(model_storage_file, by_cause[MODEL_STORAGE_OTHERS]) },
	{ "read", "number", NULL, AT(model_storage_file, read) },
	{ "mapped", "number", NULL, AT(model_storage_file, mapped) },
	{ "touched", "number", NULL, AT(model_storage_file, touched) },
	{ "unused", "number", NULL, AT(model_storage_file, unused) },
	{ "calls", "number",
	  "system calls that brought pages of it into memory, each for the file that it read "
	  "first; 0 where calls were not recorded", AT(model_storage_file, calls) },
	{ "call_ns", "number", "how long they took", AT(model_storage_file, call_ns) },

	ROW("storage_section", NULL),
	{ "object", "text?", NULL, AT(model_storage_section, path) },
	{ "section", "text?", NULL, AT(model_storage_section, section) },
	{ "size", "number", NULL, AT(model_storage_section, size) },
	{ "read", "number", "delivered by storage, whatever for", AT(model_storage_section, read) },
	{ "mapped", "number", "in pages that were touched or mapped around one that was",
	  AT(model_storage_section, mapped) },
	{ "touched", "number", "in pages that faults were seen on",
	  AT(model_storage_section, touched) },

	ROW("storage_call", NULL),
	{ "call", "text?", "its name on x86-64; null: unknown, or of 32 bits",
	  AT(model_storage_call, name) },
	{ "bytes", "number", NULL, AT(model_storage_call, bytes) },
	{ "metadata", "number", "of bytes", AT(model_storage_call, metadata) },
	{ "requests", "number", NULL, AT(model_storage_call, requests) },

	ROW("storage_part", NULL),
	{ "object", "text?", NULL, AT(model_storage_part, path) },
	{ "section", "text?", NULL, AT(model_storage_part, section) },
	{ "cause", "storage", NULL, WORD_AT(model_storage_part, cause, model_storage_cause_name) },
	{ "initiator", "initiator", NULL,
	  WORD_AT(model_storage_part, initiator, model_initiator_name) },
	{ "bytes", "number>0", NULL, AT(model_storage_part, bytes) },

	ROW("disk_reads",
	    "what disks read while recording, and for what (docs/inside/trace-format.md); null where "
	    "it was not recorded. Of the whole run, whatever is shown. The by_ causes add up "
	    "to device_bytes"),
	{ "complete", "bool",
	  "nothing was lost, and the requests of each device are what the kernel counted",
	  AT(model_storage, complete) },
	{ "device_bytes", "number", NULL, AT(model_storage, device_bytes) },
	{ "by_fault", "number", "faults, with read-ahead that they waited for",
	  AT(model_storage, by_cause[MODEL_STORAGE_FAULT]) },
	{ "by_readahead", "number", "read ahead while the thread went on; known since Linux 6.18",
	  AT(model_storage, by_cause[MODEL_STORAGE_READAHEAD]) },
	{ "by_read", "number", "read() and the like, madvise, readahead",
	  AT(model_storage, by_cause[MODEL_STORAGE_READ]) },
	{ "by_exec", "number", NULL, AT(model_storage, by_cause[MODEL_STORAGE_EXEC]) },
	{ "by_metadata", "number",
	  "directories, inodes and other blocks of the file system, for recorded tasks",
	  AT(model_storage, by_cause[MODEL_STORAGE_METADATA]) },
	{ "by_others", "number", "for tasks that are not recorded",
	  AT(model_storage, by_cause[MODEL_STORAGE_OTHERS]) },
	{ "by_initiator", "by_initiator",
	  "bytes: what the thread worked on that asked, the fault's initiator or that of the "
	  "stack where it waited in the call; adds up to device_bytes less by_others",
	  NUMBERS_AT(model_storage, by_initiator) },
	{ "requests", "storage_requests",
	  "direction and size are of those of recorded tasks: up to 1 MiB behind or before the "
	  "one before on the device, or elsewhere (random)", SAME },
	{ "flushes", "number",
	  "calls that returned when a file was written: fsync, fdatasync, sync, sync_file_range, "
	  "msync, and writes to what was opened with O_SYNC or O_DSYNC", AT(model_storage, flushes) },
	{ "flush_ns", "number", "that threads waited in them", AT(model_storage, flush_ns) },
	{ "devices", "[storage_device]",
	  "counted_: by how much the kernel's counter grew, at least and at most, as it was "
	  "read before and after recording began and ended",
	  LIST_AT(model_storage, devices, device_count) },
	{ "by_file", "[storage_file]",
	  "most bytes first. read, mapped, touched: of its bytes, each once; unused: read by "
	  "faults into no page that was mapped", LIST_AT(model_storage, files, file_count) },
	{ "by_section", "[storage_section]",
	  "most bytes read first. section: null: the whole file; [padding]: what is of no "
	  "section", LIST_AT(model_storage, sections, section_count) },
	{ "by_call", "[storage_call]",
	  "what recorded tasks read within system calls, read-ahead and metadata included; "
	  "most bytes first", LIST_AT(model_storage, calls, call_count) },
	{ "parts", "[storage_part]",
	  "device_bytes divided by place, cause and initiator, each byte as often as it was "
	  "delivered; most bytes first. object: null: of no file, or of one whose path is "
	  "unknown; section: as in by_section", LIST_AT(model_storage, parts, part_count) },
	{ 0 },
};
// clang-format on
