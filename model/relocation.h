// SPDX-License-Identifier: Apache-2.0
// The cost of relocating one object in this run, and its cost if linked in another way. Part of the
// model: plain data.
//
// Table reads and target writes are kept apart throughout: RELR makes tables small and leaves the
// pages that are written as they are.
#pragma once

#include "model/model.h"

/** The classes of elfmap_relocation_class, in its order. */
enum model_relocation_class {
	MODEL_RELOCATION_RELATIVE,
	MODEL_RELOCATION_SYMBOLIC,
	MODEL_RELOCATION_IRELATIVE,
	MODEL_RELOCATION_TLS,
	MODEL_RELOCATION_COPY,
	MODEL_RELOCATION_JUMP_SLOT,
	MODEL_RELOCATION_CLASSES,
};

/** "relative", "symbolic" … as `elfault map` spells them. */
const char *model_relocation_class_name(enum model_relocation_class class);

/**
 * A section that relocations write to. A page that two sections share counts in both, so that the
 * rows may add up to more than the object's own counts.
 */
struct model_relocated_section {
	const char *name;
	uint64_t relocations;	// slots in it
	uint64_t pages_holding; // distinct pages that hold one of its slots
	uint64_t pages_written; // of these: see model_relocation
	uint64_t size;		// bytes
	uint64_t copies;	// of relocations: COPY relocations, which hold no pointer
};

/** A table that relocating reads: relocations, symbols, strings, hashes, versions. */
struct model_relocation_table {
	const char *name;      // ".rela.dyn"
	bool is_lookup;	       // read to look names up; otherwise it holds relocations
	uint64_t size;	       // bytes
	uint64_t pages;	       // that it lies on
	uint64_t faults;       // of relocation or symbol-lookup on it
	uint64_t pages_mapped; // of these pages: that a fault of relocation or symbol-lookup
			       // anywhere in the object touched or brought along (fault-around)
};

/** A name that was being looked up when a fault happened: `dynsym:` and `dynstr:` entries. */
struct model_lookup {
	const char *name;
	uint64_t faults;
};

/**
 * The target that a slot is bound to: the file to link in before it needs no relocation any more.
 */
enum model_target {
	MODEL_TARGET_SELF,    // a relative relocation
	MODEL_TARGET_OWN,     // a symbol that the object itself defines, by name
	MODEL_TARGET_CXX,     // libstdc++ and the like: model/library.h
	MODEL_TARGET_SYSTEM,  // the C library or the dynamic linker
	MODEL_TARGET_LIBRARY, // any other file
	MODEL_TARGET_CHOSEN,  // an IFUNC of the object itself
	MODEL_TARGETS,
};

/** A page that relocation wrote, and what the slots on it are bound to. */
struct model_written_page {
	uint64_t vaddr;	 // of its first byte
	uint8_t targets; // bits, 1 << enum model_target; 0: no slot, or only COPY relocations
};

/** How many relocations are bound to each target. */
struct model_targets {
	uint64_t slots[MODEL_TARGETS];	 // jump slots included
	uint64_t lookups[MODEL_TARGETS]; // names looked up for them
};

/** One way to link that would change these numbers. */
struct model_relink {
	const char *option; // "-z pack-relative-relocs", "-Bsymbolic", "-fno-plt", "-z now" …
	bool applies; // false: the object is linked so already, or has nothing that it changes
	uint64_t relocations;  // that it would change or spare, 0 where it does not apply
	int64_t table_bytes;   // change in the size of relocation tables
	int64_t table_pages;   // and the pages that they lie on
	int64_t written_pages; // change in pages that relocation writes
	int64_t lookups;       // change in names looked up when the object is loaded
	const char *reason;    // one sentence: why so, or why it does not apply
	// "m replaces setting_of_3 and 2 others": does not apply, as it would change what the
	// program does; NULL otherwise.
	const char *replaced;
};

/** An object in whose bytes relocated slots lie, or all unnamed ones of a kind in a section. */
struct model_owner {
	const char *kind; // "symbol", "vtables" … as `elfault map --relocations` spells them
	const char *name; // of the symbol; NULL: unnamed
	const char *scope, *source, *section; // NULL: unknown
	uint64_t relocations;
	uint64_t pages;		// that hold a slot of it
	uint64_t pages_alone;	// of these: that hold no slot of another
	uint64_t pages_written; // of pages: copied by a fault of relocation
	// Of these faults: each page's is divided among its owners by the number of their slots.
	uint64_t own_ns;
};

/**
 * Relocation of one object. Counted over all processes; a page of the file counts once.
 *
 * pages_written counts the pages that hold a slot and of which relocation caused the copy: a fault
 * with that initiator wrote to it. It is less than pages_holding where the page was written before,
 * for whatever reason (it does not fault again then), and where relocation did not come: the file
 * was mapped but not loaded, or the recording began later.
 */
struct model_relocation {
	uint64_t counts[MODEL_RELOCATION_CLASSES];
	bool uses_rel, uses_rela, uses_relr;
	bool bind_now;
	uint64_t relro_bytes;	      // 0: none
	uint64_t relro_pages;	      // that it lies on
	uint64_t relro_pages_written; // pages of RELRO that relocation wrote
	uint64_t table_bytes;	      // of all relocation tables
	uint64_t lookups_at_load; // names that relocating looks up, not counting PLT entries that
				  // are bound at their first call
	uint64_t pages_holding;	  // distinct pages that hold a slot
	uint64_t pages_written;	  // of these: copied by a fault of relocation
	struct model_count relocation; // faults of this object with that initiator
	struct model_count lookup;     // the same for symbol-lookup

	const struct model_relocated_section *sections; // most pages written first, then name
	size_t section_count;
	const struct model_relocation_table *tables; // in file order
	size_t table_count;
	const struct model_lookup *lookups; // most faults first, then name
	size_t lookup_count;
	const struct model_relink *relinks;
	size_t relink_count;

	const struct model_owner
		*owners; // most own_ns first, then relocations; NULL: not asked for
	size_t owner_count;
	uint64_t owners_left_out;

	const struct model_written_page *written; // by vaddr
	size_t written_count;
	struct model_targets targets;
	// Of relative relocations that RELR can hold, now and packed; tables of RELR included.
	uint64_t relative_bytes, packed_bytes;
	// It calls what opens further files by name, which a static program cannot.
	bool calls_dlopen;
	bool calls_nss; // names of users, groups and hosts
};
