// SPDX-License-Identifier: Apache-2.0
// Code of each object that was seen to run: in faulting instructions and in the stacks above them.
#pragma once

#include "model/model.h"

/** The code of one object. What ran without being seen in a fault is not in it. */
struct codeuse {
	uint64_t pages;	      // distinct
	uint64_t named_pages; // of these: where a function is known that ran
	uint64_t functions;   // distinct
	uint64_t bytes;	      // of these functions
	bool is_entered; // some ran outside the object's own initializers and finalizers, and not
			 // to resolve an IFUNC: in a fault, a sample or a pause
	bool starts_threads;	    // a whole stack begins in it: the program, libc or ld.so
	struct model_count fetches; // faults that mapped its code to run it
	uint64_t spaces;	    // address spaces that have such faults
	uint32_t around;	    // most pages that one of them mapped, at least 1
};

/** By index of model.objects; release with free(). */
struct codeuse *codeuse_find(const struct model *model);
