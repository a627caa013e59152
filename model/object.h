// SPDX-License-Identifier: Apache-2.0
// A file or memory that was touched, with its sections, symbols, functions and initializers.
#pragma once

#include "base/arena.h"
#include "base/range.h"
#include "model/count.h"

#include <stddef.h>

/** A section of an object, or [heap] and the like for memory outside files. */
struct model_section {
	uint32_t object;
	const char *name; // NULL where the file could not be read
	struct model_count count;
	uint64_t pages;	 // distinct pages that faulted
	uint64_t size;	 // bytes of the section in memory, 0 where it has no section header
	int32_t segment; // index of the PT_LOAD, -1: none
};

/** Something with a name that was touched: a symbol, a table's entry or a pointee. */
struct model_symbol {
	uint32_t object;
	uint32_t section; // index into model.sections
	enum model_symbol_kind kind;
	const char *name; // demangled, unless asked not to
	bool has_offset;
	uint64_t offset; // of its first byte in the file
	uint64_t vaddr;
	uint64_t size;
	struct model_count count;
};

/** A function that executed: of a fault's ip or of a stack frame. */
struct model_function {
	uint32_t object;	  // index into model.objects
	const char *name;	  // demangled, unless asked not to; NULL: code without a name
	const char *section;	  // NULL: unknown
	struct model_count count; // as the function of the faulting ip
	uint64_t size;		  // bytes, 0: unknown
};

/** How often one function touched one object. */
struct model_toucher {
	uint32_t function; // index into model.functions
	struct model_count count;
};

/** A function that runs before main, or all those of a Go package or of a
 * module of OCaml or D, and the faults inside it, as far
 * as they are shown. */
struct model_initializer {
	uint32_t object; // index into model.objects
	uint32_t index;
	const char *array;
	const char *function; // NULL: no name covers it
	const char *symbol;   // function as the symbol table has it; NULL: the same, or none
	bool has_offset;
	uint64_t offset;
	uint64_t vaddr;
	const char *source;	    // NULL: unknown
	const char *package;	    // Go's, or a module; NULL: it is none
	struct model_count count;   // inside it, whatever it touched; initializers that it runs
				    // itself, by dlopen, count for themselves
	uint64_t lazy_binding;	    // of count.faults: PLT entries bound at their first call
	uint64_t pages;		    // distinct pages that faulted inside it
	uint64_t code_pages;	    // distinct pages that ran inside it, seen in ips and stacks
	uint64_t code_pages_only;   // of these: pages that were seen to run nowhere else; another
				    // initializer is elsewhere
	uint64_t first_ns, last_ns; // its first and last fault, since the start of the recording
	// A name for people, "globals of foo.cc", a Go package; NULL: as function says.
	const char *label;
	// Inside it and outside its faults: processor time, by samples; waiting for something else
	// than a processor, where stacks tell.
	uint64_t cpu_ns, wait_ns;
	uint64_t storage_bytes; // that storage delivered for it, where model.storage is known
};

/** Its name; code without one is called as its array. */
static inline const char *model_initializer_name(const struct model_initializer *row)
{
	return row->function ? row->function : row->array;
}

struct model_relocation;
struct model_data;
struct model_layout;
struct model_packing;

/**
 * Symbols that a file uses of one that it needs: names that it leaves open and the other defines.
 */
struct model_used {
	uint64_t names;
	const char *examples; // "foo, bar": a few of them; NULL: none
	uint64_t data;	      // of names: not functions, such as variables and vtables
	const char *datum;    // one of these; NULL: none
};

/** A file, or memory outside files ([heap], [stack], [anon], [vdso] ...). */
struct model_object {
	const char *path;
	const char
		*root; // that path is in, "/srv/chroot" or "container 1f0c…"; NULL: the recorder's
	bool is_file;
	bool is_elf;
	bool was_read;	    // false: an ELF file that is gone, unreadable or changed; see the notes
	bool is_forced;	    // --force: its build-id is not the recorded one
	const char *soname; // NULL
	const char *build_id; // hex, NULL
	uint64_t size;	      // bytes of the file, 0: unknown
	// Its code from the first to the last byte that the program copied to memory, as vaddrs,
	// and how many bytes in all programs.
	struct range copied;
	uint64_t copied_bytes;
	const char *symbols; // the contract's word
	struct model_count count;
	uint64_t by_initiator[MODEL_INITIATORS];
	uint64_t by_mechanism[MODEL_MECHANISMS];
	uint64_t by_access[MODEL_ACCESSES];

	// Rows of this object as indexes, sorted by faults (most first), then name.
	const uint32_t *sections; // into model.sections
	size_t section_count;
	const uint32_t *symbols_touched; // into model.symbols
	size_t symbol_count;
	const struct model_toucher *touchers;
	size_t toucher_count;
	const struct model_toucher *blamed; // by blame, see model_fault
	size_t blamed_count;
	uint32_t first_initializer; // into model.initializers
	size_t initializer_count;
	// NULL: there is nothing to tell, or the faults were filtered.
	const struct model_relocation *relocation; // model/relocation.h
	const struct model_data *data;		   // model/data.h
	const uint32_t *needed; // into model.objects: those that DT_NEEDED names, in its order
	size_t needed_count;
	const struct model_used *used; // beside needed; NULL: unknown
	const char *archive;	       // of a library: the path of its lib*.a; NULL: none was found
	const char *source_of_symbols; // path of a separate debug file, NULL
	const struct model_layout *layout;   // model/layout.h; NULL: not read
	const struct model_packing *packing; // model/packing.h; NULL: no list was given
};

/** How close together the code of a file lies that was seen to run: derive/locality.h. */
struct model_order {
	uint64_t function_count, code_pages, area, least_area, random_steps;
};

/** The file name of @object; the whole path of memory outside files. Points into the path. */
const char *model_object_name(const struct model_object *object);

/** @name, which is @object's, with the root that it is in: "libc.so.6 of /srv/chroot". */
const char *model_rooted_name(struct arena *arena, const char *name,
			      const struct model_object *object);
