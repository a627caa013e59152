// SPDX-License-Identifier: Apache-2.0
// The files that a trace's requests are of: found by device and inode, joined to the objects that
// its mappings show. Serves correlate/storage/storage.c.
#pragma once

#include "base/rangeset.h"
#include "base/u64map.h"
#include "correlate/replay/objects.h"
#include "correlate/replay/rows.h"
#include "model/storage.h"
#include "trace/trace.h"

/** Bytes of a file that one request delivered. */
struct storage_piece {
	uint64_t offset, size;
	enum model_storage_cause cause;
	enum model_initiator initiator;
};

struct storage_file {
	struct model_storage_file row;
	VEC(struct storage_piece) pieces;
	struct rangeset read, mapped, touched; // bytes of the file
	struct rangeset faulted;	       // of these: read by faults, also ahead of them
	struct u64map waits;		       // tid -> place in ends
	VEC(uint64_t) ends;		       // when the thread's last request completed
	bool is_wanted;			       // it belongs into the answer
};

struct storage_files {
	VEC(struct storage_file) list;
	struct u64map by_inode;	 // hash of (device, inode) -> place in list + 1
	struct u64map by_object; // object -> place in list + 1
	struct u64map objects;	 // hash of (device, inode) -> object + 1
	struct u64map paths;	 // hash of a path -> object + 1
	struct u64map names;	 // hash of (device, inode) -> place in trace->paths + 1
	struct u64map by_fault;	 // the same -> place in trace->reads + 1 of the first by a fault
	const struct trace *trace;
	const struct rows *rows;
	const struct all_faults *faults;
};

void storage_files_init(struct storage_files *files, const struct rows *rows,
			const struct trace *trace, const struct all_faults *faults);
void storage_files_deinit(struct storage_files *files);

/** The file with this inode, added when new. Moves the list. */
struct storage_file *storage_files_find(struct storage_files *files, uint64_t device,
					uint64_t inode);

/** The file that this object shows, added when new. Moves the list. */
struct storage_file *storage_files_of_object(struct storage_files *files, uint32_t object);
