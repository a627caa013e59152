// SPDX-License-Identifier: Apache-2.0
// First touches of one object's .bss and .data: which page, for which symbol, beside which others.
// Part of the model: plain data.
#pragma once

#include "model/model.h"

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

/** Limits of the lists below: what is more is counted, not listed. */
enum { MODEL_DATA_PAGES_MAX = 1024, MODEL_DATA_SYMBOLS_MAX = 16 };

/** One page of .data, .bss and the like that faulted, in all processes. */
struct model_data_page {
	uint64_t vaddr;		     // of its first byte
	const char *section;	     // of the byte that decided the cause
	enum model_data_cause cause; // of its first copy, else of its first fault
	struct model_count count;
	uint64_t relocations;			 // slots on it
	const struct model_data_symbol *symbols; // those that faults touched first, then by vaddr
	size_t symbol_count;			 // listed, at most 16
	size_t symbols_on_page;			 // all
};

/** The data of one object: what lies in its writable segments. */
struct model_data {
	// By vaddr. Without those that relocation copied, which struct model_relocation tells of,
	// and the first MODEL_DATA_PAGES_MAX only.
	const struct model_data_page *pages;
	size_t page_count;
	uint64_t pages_left_out;	      // past that limit
	uint64_t faults[MODEL_DATA_CAUSES];   // on the pages of each cause
	uint64_t pages_of[MODEL_DATA_CAUSES]; // all, also those not listed
	// Memory past the file's part of each segment, and the whole pages of it.
	uint64_t bss_size, bss_pages;
	uint64_t bss_pages_touched; // of these
	// .data ends within a page that .bss goes on with, so that the kernel or ld.so zeroes the
	// rest of the page; of the last segment where it is so.
	bool tail_is_shared;
	uint64_t tail_vaddr; // where .data ends
	uint64_t tail_bytes; // zeroed
};
