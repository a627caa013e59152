// SPDX-License-Identifier: Apache-2.0
// Read-ahead of devices at 0 for a run, and back whatever happens. What it was stands in a file of
// /run/elfault, which each recorder that wants it at 0 holds locked. A recorder that is killed
// loses its lock, and the next one finds a file that nobody holds.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "base/privilege.h"
#include "base/vec.h"
#include "record/record.h"

/** A device whose read-ahead is 0 for us. */
struct readahead_hold {
	char *folder; // of sysfs
	int fd;	      // of the file with its former value
};

/** Zero-initialise to use. */
struct readahead {
	VEC(struct readahead_hold) holds;
};

/**
 * Set the read-ahead of all devices that hold options->files to 0. Of files whose device is not
 * known @notes tells.
 * @err: ERR_DENIED, ERR_OS. What was done until then readahead_restore() takes back.
 */
bool readahead_stop(struct readahead *readahead, const struct record_options *options,
		    const struct caller *caller, struct notes *notes, struct err *err);

/** Set back what nobody else holds at 0. Needs the rights that readahead_stop() had. */
void readahead_restore(struct readahead *readahead, struct notes *notes);

/** Set back what a recorder that was killed has left. Nothing for whom may not. */
void readahead_recover(struct notes *notes);

/** A device whose read-ahead is 0. */
struct readahead_zero {
	char name[64];	  // "254:0"
	char folder[256]; // of sysfs
	uint64_t kb;	  // what it was; 0: not known
	bool is_held;	  // by a recorder that runs
};

/** All of them; *@ret_zeros is to be freed. Only root is told what it was, and who holds it. */
size_t readahead_list(struct readahead_zero **ret_zeros);
