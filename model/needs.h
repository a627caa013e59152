// SPDX-License-Identifier: Apache-2.0
// Needs of an output that a model must have: each output states them once (export/exporters.c),
// analysis finds out no more.
#pragma once

/** Parts of a model beside its faults; finding one out for nothing costs time. */
enum model_need {
	NEED_TABLES = 1 << 0, // sums by object, section, symbol, function; initializers; storage
	NEED_FINDINGS = 1 << 1,
	NEED_SOURCES = 1 << 2,	     // source files of initializers and functions: DWARF is read
	NEED_CODES = 1 << 3,	     // the faulting instructions: model_ip.code
	NEED_FRAME_SOURCES = 1 << 4, // with NEED_CODES: source lines of the frames of stacks
	NEED_TIME_SOURCES = 1 << 5,  // source lines of what computed and waited
	NEED_MOMENTS = 1 << 6,	     // single samples and pauses: model.moments
	NEED_FILE_USES = 1 << 7,     // pages of files that were used: model.file_uses
	NEED_WHOLE = 1 << 8,	 // of OBJECT arguments, findings and order as all faults show them
	NEED_FUNCTIONS = 1 << 9, // how many each file has: model_layout.functions
	NEED_IO = 1 << 10,	 // operations of storage: model.ios
	NEED_BINDINGS = 1 << 12, // names that are bound, added up: model.bindings
	NEED_BOUND_NAMES = 1 << 13, // each of them: model_loading.list
	NEED_LISTINGS = 1 << 14, // code of the dearest functions that cost, by line and instruction
	NEED_WHOLE_LISTINGS = 1 << 15, // with NEED_LISTINGS: also of what cost nothing
	NEED_OWNERS = 1 << 11,	       // who owns relocated slots: model_relocation.owners
};
