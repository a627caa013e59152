// SPDX-License-Identifier: Apache-2.0
// The inside of an open file, and how every function but those that open and close asks it.
#pragma once

#include "elfmap/elfmap.h"
#include "libelfmap/elfmap.h"

struct elfmap_file {
	struct elfmap *map;
	bool keeps_mangled;
	// Memory ran out in a call: what it was building is incomplete, and only good for closing.
	bool is_spent;
};

/** One question to an open file. */
struct question {
	struct elfmap_file *file;
	uint64_t at;  // an index, an offset or a vaddr
	void *answer; // what the operation fills
	enum elfmap_status status;
};

/** Have @operation, which gets a struct question, answer it. Returns its status. */
enum elfmap_status question_ask(struct elfmap_file *file, void (*operation)(void *question),
				uint64_t at, void *answer);
