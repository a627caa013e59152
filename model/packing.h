// SPDX-License-Identifier: Apache-2.0
// The functions of a list as one file has them. Part of the model: plain data.
#pragma once

#include <stdint.h>

struct model_packing {
	uint64_t names;	    // in the list
	uint64_t functions; // of the file that it names
	uint64_t bytes;	    // that they take one after the other
};
