// SPDX-License-Identifier: Apache-2.0
// First touches of one object's .bss and .data: which page, for which symbol, beside which others.
// Part of the model: plain data.
#pragma once

#include "correlate/model.h"

/** Why a page of data was copied or made. */
enum model_data_cause {
	MODEL_DATA_ZEROED_TAIL, // the end of .data's last page was zeroed for .bss: by kernel or
				// ld.so
	MODEL_DATA_RELOCATED,	// relocation wrote it
	MODEL_DATA_FIRST_TOUCH, // .bss: the first touch of the page
	MODEL_DATA_WRITTEN, // .data: the program wrote a variable on it, and the page was copied
	MODEL_DATA_READ,    // only read: mapped, not copied
	MODEL_DATA_CAUSES,
};

/** "zeroed-tail", "relocated", "first-touch", "written", "read". */
const char *model_data_cause_name(enum model_data_cause cause);

/** A symbol that lies on a page. */
struct model_data_symbol {
	const char *name; // demangled, unless asked not to
	uint64_t vaddr;
	uint64_t size;
	uint64_t faults; // that touched it
	uint64_t writes; // of these: that wrote it
};

/** One page of .data, .bss and the like that faulted, in all processes. */
struct model_data_page {
	uint64_t vaddr;		     // of its first byte
	const char *section;	     // of the byte that faulted first
	enum model_data_cause cause; // of its first copy, else of its first fault
	struct model_count count;
	uint64_t relocations;			 // slots on it
	const struct model_data_symbol *symbols; // those that faults touched first, then by vaddr
	size_t symbol_count;			 // listed, at most 16
	size_t symbols_on_page;			 // all
};

/** The data of one object. */
struct model_data {
	const struct model_data_page *pages; // by vaddr
	size_t page_count;
	uint64_t faults[MODEL_DATA_CAUSES];
	uint64_t pages_of[MODEL_DATA_CAUSES];
	uint64_t bss_size, bss_pages; // bytes and pages of .bss
	uint64_t bss_pages_touched;
	bool tail_is_shared; // .data ends within a page that .bss goes on with, so that it is
			     // zeroed
	uint64_t tail_vaddr; // where .data ends
	uint64_t tail_bytes; // zeroed
};
