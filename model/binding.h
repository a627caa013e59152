// SPDX-License-Identifier: Apache-2.0
// Names that the dynamic linker binds when it loads files: which file looks up what, in how many
// files it is searched, and which one has it. Part of the model: plain data. Computed from the
// files, in the order in which the trace shows them loaded.
#pragma once

#include "model/model.h"

/** A name that a file looks up. */
struct model_binding {
	uint32_t from;	     // object that looks it up
	uint32_t to;	     // object that has it; MODEL_NONE: none has
	const char *name;    // as in the file
	const char *version; // that is wanted; NULL: any
	uint32_t searched;   // files, the one that has it included
	uint32_t filtered;   // of these: whose Bloom filter said no
	uint32_t in_vain;    // of these: where a bucket was looked into for nothing
	bool is_lazy;	     // a PLT entry, which may be bound at its first call, or never
	bool is_weak;	     // the program runs without it
	bool is_unsure; // a file opened before may have it, if it was opened for all (RTLD_GLOBAL)
};

/** Searches added up, of names that are bound at load. A search looks into one file. */
struct model_searched {
	uint64_t names;	   // looked up, as often as the linker does
	uint64_t searches; // filtered, in vain, or found
	uint64_t filtered;
	uint64_t in_vain;
	uint64_t found;
};

/** A file of a program, as one that looks up and as one that is searched. */
struct model_bound_file {
	uint32_t object;
	bool is_opened;		       // by dlopen(); otherwise loaded with the program
	bool has_gnu_hash;	       // otherwise only .hash, which has no Bloom filter
	bool binds_now;		       // its PLT entries as well
	uint64_t lazy;		       // its PLT entries, bound at their first calls
	uint64_t own;		       // of looking.found: it has these itself
	struct model_searched looking; // for its names, in all files
	struct model_searched in;      // in it, for the names of all files; names: all
	// Spared by binding its own names at link time: functions (-Bsymbolic-functions), all.
	uint64_t own_functions, own_function_searches, own_searches;
};

/** How many names one file binds to another at load. */
struct model_bound_pair {
	uint32_t from, to; // objects
	uint64_t names;
};

/** The files of one program, and of others that load the same in the same order. */
struct model_loading {
	uint32_t program;		      // into model.programs, the first of them
	uint64_t programs;		      // how many
	const char *unknown;		      // why nothing is known; NULL: it is
	const struct model_bound_file *files; // in the order in which they are searched
	size_t file_count;
	struct model_searched sum;
	uint64_t lazy, unsure;
	uint64_t without;    // of sum.names: no file has them
	uint64_t best_order; // searches spared if files came by the number of names that they have
	const struct model_bound_pair *pairs; // most names first, then in order of files
	size_t pair_count;
	const struct model_binding
		*list; // NULL: not asked for; by file, then as the linker comes to them
	size_t count;
};

/** NULL in a model of which none is known. */
struct model_bindings {
	const struct model_loading *loadings; // most names first
	size_t count;
};
