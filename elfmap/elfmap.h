// SPDX-License-Identifier: Apache-2.0
// One ELF file: segments, sections, symbols, relocations, initializers, and names for every byte.
// The only public header of elfmap/; nothing here knows about processes or traces.
//
// Every number is one of two kinds: `vaddr`, an address as written in the file, or `offset`, a byte
// position in the file. All ranges are half-open.
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/notes.h"
#include "base/range.h"
#include "depot/depot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * One opened ELF file. Everything returned by the functions below is owned by it and valid until
 * elfmap_close(), unless said otherwise. Not thread safe: lookups build tables on first use.
 */
struct elfmap;

/** Sources of function and object names; later ones are better. */
enum elfmap_symbols {
	ELFMAP_SYMBOLS_NONE,
	ELFMAP_SYMBOLS_EH_FRAME, // only function ranges, named fn@0x<vaddr>
	ELFMAP_SYMBOLS_DYNSYM,
	ELFMAP_SYMBOLS_GO,	   // functions of .gopclntab
	ELFMAP_SYMBOLS_DEBUG_FILE, // .symtab of a separate debug file
	ELFMAP_SYMBOLS_SYMTAB,
};

/** "none", "eh-frame", "dynsym", "gopclntab", "debug-file", "symtab". */
const char *elfmap_symbols_word(enum elfmap_symbols symbols);

/** How to open a file. Zero-initialised is the usual way. */
struct elfmap_options {
	bool no_debug_files;   // do not look for separate debug files
	bool is_debug_file;    // it may be one itself: its symbols and no bytes
	const char *debug_dir; // instead of /usr/lib/debug; borrowed for the call
	struct depot *depot;   // where debug files are looked for; borrowed until elfmap_close()
};

/** Bytes of a file at an offset. */
struct elfmap_part {
	uint64_t offset;
	uint64_t size;
	const uint8_t *bytes;
};

/** A file that is not there, of which some parts are known. Borrowed for the call. */
struct elfmap_parts {
	const char *path; // its name
	uint64_t file_size;
	const struct elfmap_part *parts; // in any order, also overlapping
	size_t count;
};

enum { ELFMAP_BUILD_ID_MAX = 64 };

/** Facts about the whole file. */
struct elfmap_info {
	const char *path;
	uint64_t size; // bytes of the file
	bool is_64bit;
	bool big_endian;
	uint16_t type;		 // ET_EXEC, ET_DYN, ...
	uint16_t machine;	 // EM_X86_64, ...
	uint64_t entry;		 // vaddr
	const char *soname;	 // DT_SONAME or NULL
	const char *interpreter; // PT_INTERP or NULL
	uint8_t build_id[ELFMAP_BUILD_ID_MAX];
	uint32_t build_id_size; // 0: none
	bool static_pie;	// ET_DYN, DF_1_PIE or an entry point, no PT_INTERP, no DT_NEEDED
	bool bind_now;		// DF_BIND_NOW or DF_1_NOW
	enum elfmap_symbols symbols; // the best source that was found
	const char *debug_file;	     // path of the separate debug file used, or NULL
};

/** A program header. */
struct elfmap_segment {
	uint32_t index;
	uint32_t type;	// PT_LOAD, ...
	uint32_t flags; // PF_R | PF_W | PF_X
	uint64_t offset;
	uint64_t file_size;
	uint64_t vaddr;
	uint64_t memory_size;
	uint64_t align;
};

/** A section header. Sections that are not loaded (no SHF_ALLOC) have segment -1. */
struct elfmap_section {
	uint32_t index; // in the section header table
	const char *name;
	uint32_t type;	// SHT_PROGBITS, ...
	uint64_t flags; // SHF_ALLOC, ...
	uint64_t offset;
	uint64_t size;
	uint64_t vaddr;
	uint64_t entry_size;
	uint32_t link;	 // sh_link
	bool has_bytes;	 // false: SHT_NOBITS
	int32_t segment; // index of the PT_LOAD that holds it, or -1
};

/** A function or object: from a symbol table, or a function range of .eh_frame. */
struct elfmap_symbol {
	const char *name; // as in the file, mangled; "fn@0x<vaddr>" for a range of .eh_frame
	uint64_t vaddr;
	uint64_t size;	  // what it covers: elfmap_symbol_at() says how 0 in the file is extended
	uint32_t section; // section index, 0 where unknown
	uint8_t type;	  // STT_FUNC, STT_OBJECT, STT_TLS, STT_GNU_IFUNC, STT_NOTYPE
	uint8_t binding;  // STB_LOCAL, STB_GLOBAL, STB_WEAK
	enum elfmap_symbols source;
};

/** The beginning of a function, and the symbols that begin there as well. */
struct elfmap_function {
	uint64_t vaddr;
	uint64_t offset;
	uint64_t size; // of the largest of its symbols
	// Whatever they are: elfmap_is_function() tells; within elfmap_symbols().
	const struct elfmap_symbol *symbols;
	size_t symbol_count;
	bool has_name; // false: only a range of .eh_frame begins here
};

/** True if @symbol is typed as a function. */
static inline bool elfmap_is_function(const struct elfmap_symbol *symbol)
{
	enum { FUNCTION = 2, RESOLVER = 10 }; // STT_FUNC, STT_GNU_IFUNC

	return symbol->type == FUNCTION || symbol->type == RESOLVER;
}

enum elfmap_relocation_class {
	ELFMAP_RELOCATION_RELATIVE,
	ELFMAP_RELOCATION_SYMBOLIC,
	ELFMAP_RELOCATION_IRELATIVE,
	ELFMAP_RELOCATION_TLS,
	ELFMAP_RELOCATION_COPY,
	ELFMAP_RELOCATION_JUMP_SLOT,
	ELFMAP_RELOCATION_CLASSES,
};

enum elfmap_relocation_encoding {
	ELFMAP_ENCODING_REL,
	ELFMAP_ENCODING_RELA,
	ELFMAP_ENCODING_RELR,
};

/** One table of dynamic relocations. */
struct elfmap_relocation_table {
	const char *name; // its section's name, or "[DT_RELA]" and the like without sections
	enum elfmap_relocation_encoding encoding;
	bool is_plt;	 // DT_JMPREL
	uint64_t vaddr;	 // of the table
	uint64_t offset; // of the table
	uint64_t size;
	bool is_packed;		   // Android's: its entries have no size of their own
	uint64_t entry_size;	   // 1: none
	uint64_t relocation_count; // RELR: the slots that it encodes
};

/** One slot that the dynamic linker writes. */
struct elfmap_relocation {
	uint64_t vaddr;	 // of the slot written
	uint64_t value;	 // RELATIVE, IRELATIVE: the vaddr stored there; otherwise the addend
	uint32_t type;	 // R_X86_64_...; RELR: the machine's relative type
	uint32_t symbol; // index into .dynsym, 0: none
	uint32_t table;	 // index into elfmap_relocation_tables()
	uint32_t entry;	 // index of the entry in that table; RELR: of the word that encodes it
	enum elfmap_relocation_class class;
};

/** A symbol of .dynsym, which relocations refer to. */
struct elfmap_dynamic_symbol {
	const char *name;   // "" where it has none
	uint8_t type;	    // STT_FUNC, ...
	uint8_t binding;    // STB_LOCAL, ...
	uint8_t visibility; // STV_DEFAULT, ...
	bool is_defined;    // in this file
	uint64_t vaddr;	    // where, unless it is STT_TLS
};

/** How the file was linked, as far as it decides what relocating takes. */
struct elfmap_linkage {
	bool is_library;  // not a program: any process may load it
	bool is_pie;	  // a program at any address
	bool is_symbolic; // DF_SYMBOLIC or DT_SYMBOLIC
	bool has_hash, has_gnu_hash;
};

/** A function that runs before main; of Go all those of a package, of OCaml and D of a module. */
struct elfmap_initializer {
	uint32_t index;	   // within its array
	const char *array; // ".preinit_array", ".init", ".init_array", ".ctors"; Go's "inittasks";
			   // OCaml's and D's "modules"
	uint64_t slot_vaddr; // of the array's entry; for .init the function itself; Go's task
	uint64_t vaddr;	     // of the function, a package's first
	bool has_offset;
	uint64_t offset;		    // of the function
	const struct elfmap_symbol *symbol; // NULL if none covers it
	// NULL if unknown. The compilation unit from DWARF; "a.cc, b.cc and 3 more" where LTO made
	// one of several; without DWARF the file's name as .symtab has it, without its folder.
	const char *source;
	const char *package;	   // Go's, or a module's name; NULL: it is none
	const uint64_t *functions; // of the package: their vaddrs, in the order they run
	uint64_t function_count;
};

/** A compile unit of DWARF that has code. */
struct elfmap_unit {
	const char *name;    // as DW_AT_name has it
	uint64_t code_bytes; // a byte that several units claim is the first one's
};

/** Bits of elfmap_role.bits. */
enum elfmap_role_bit {
	ELFMAP_ROLE_ENTRY = 1 << 0, // e_entry
	ELFMAP_ROLE_MAIN = 1 << 1,
	ELFMAP_ROLE_INITIALIZER = 1 << 2, // in .preinit_array, .init, .init_array, .ctors, or Go's
	ELFMAP_ROLE_FINALIZER = 1 << 3,	  // in .fini, .fini_array, .dtors
	ELFMAP_ROLE_RESOLVER = 1 << 4,	  // of an IFUNC
};

/** The role of a function in the life of a process. */
struct elfmap_role {
	uint32_t bits;
	uint32_t initializer; // index into elfmap_initializers(), with its bit
};

/** A jump or call, followed through the PLT. */
struct elfmap_branch {
	bool is_call;
	bool has_vaddr; // it goes to @vaddr of this file, unless a symbol of @name stands in the
			// way
	uint64_t vaddr;
	const char *name; // of the symbol that the dynamic linker binds it to; NULL: to none
};

/** One mmap that the kernel or dynamic linker will do, without the load bias. */
struct elfmap_mmap {
	uint64_t vaddr;	 // page aligned
	uint64_t size;	 // page aligned
	bool has_offset; // false: anonymous pages (.bss)
	uint64_t offset;
	uint32_t protection; // PROT_READ | PROT_WRITE | PROT_EXEC
};

/** Cost of loading this file. */
struct elfmap_load {
	const struct elfmap_mmap *mmaps; // in the order they are made
	size_t mmap_count;
	uint64_t relocation_counts[ELFMAP_RELOCATION_CLASSES];
	bool uses_rel, uses_rela, uses_relr;
	uint64_t relocation_table_bytes;
	uint64_t pages_written_by_relocation; // distinct pages that hold a slot
	uint64_t relro_bytes;		      // PT_GNU_RELRO, 0: none
	bool bind_now;
};

/** Kinds of named entries of tables. Each has one spelling, see elfmap_entry_name(). */
enum elfmap_entry_kind {
	ELFMAP_ENTRY_NONE,
	ELFMAP_ENTRY_GOT,	   // got:malloc
	ELFMAP_ENTRY_PLT,	   // plt:malloc
	ELFMAP_ENTRY_DYNSYM,	   // dynsym:printf
	ELFMAP_ENTRY_DYNSTR,	   // dynstr:printf
	ELFMAP_ENTRY_RELOCATION,   // rela.dyn[1234], rel.plt[3], relr.dyn[7]
	ELFMAP_ENTRY_EH_FRAME,	   // eh_frame:main
	ELFMAP_ENTRY_EH_FRAME_HDR, // eh_frame_hdr:main
	ELFMAP_ENTRY_EXCEPT_TABLE, // gcc_except_table:main
	ELFMAP_ENTRY_VERSYM,	   // gnu.version:printf
	ELFMAP_ENTRY_VERSION, // gnu.version_r, gnu.version_d: the section's name without the dot
	ELFMAP_ENTRY_HASH, // gnu.hash:header, gnu.hash:bloom, gnu.hash:bucket[7], gnu.hash:chain[9]
	ELFMAP_ENTRY_DYNAMIC,	 // dynamic:DT_NEEDED
	ELFMAP_ENTRY_NOTE,	 // note:.note.gnu.build-id
	ELFMAP_ENTRY_INTERP,	 // interp
	ELFMAP_ENTRY_INIT_ARRAY, // init_array[3]
	ELFMAP_ENTRY_HEADER,	 // elf-header, program-header[2]
	ELFMAP_ENTRY_INIT,	 // _init, _fini of a stripped file
	ELFMAP_ENTRY_STRING,	 // string:"usage: %s": a literal among constant data
	ELFMAP_ENTRY_DATA,	 // data@0x<vaddr>: where a pointer points to, at most 4 KiB before
	ELFMAP_ENTRY_POINTEE,	 // &llvm::Foo::bar: a relocated slot outside the tables above
};

/** A named entry: cheap to compare and to count by (kind, index, start). */
struct elfmap_entry {
	enum elfmap_entry_kind kind;
	uint32_t section; // section index or 0
	uint64_t index;	  // meaning depends on kind; unique with kind and section
	uint64_t vaddr;	  // first byte of the entry
	uint64_t size;
};

/** Everything that is known of one byte. */
struct elfmap_place {
	bool has_vaddr;
	uint64_t vaddr;
	bool has_offset; // false in .bss
	uint64_t offset;
	const struct elfmap_segment *segment; // the PT_LOAD, or NULL (padding beyond a segment)
	const struct elfmap_section *section; // or NULL
	const char *section_name; // never NULL: the section's, or [elf-header], [program-headers],
				  // [section-headers], [padding]
	const struct elfmap_symbol *symbol; // or NULL
	struct elfmap_entry entry;	    // looked for only where no symbol covers the byte
};

/** A function whose body the compiler put into another's. */
struct elfmap_inlined {
	const char *function; // the linkage name, else the plain one; NULL: DWARF does not say
	const char *source;   // where it was called, as in elfmap_code; NULL: unknown
};

/** Origin of an instruction. */
struct elfmap_code {
	// "file:line", or "file:?" for an instruction that stands for no line. The file is as DWARF
	// has it, with its folder and, where that is relative, the compiler's.
	const char *source;
	const struct elfmap_inlined *inlined; // innermost first; none: not inlined, or not known
	size_t inlined_count;
};

/**
 * Open @path and read its headers.
 *
 * @options: NULL for the usual
 * @err:     ERR_OS, ERR_INPUT (not ELF, cut, an archive, a directory, a FIFO, an empty file, a core
 *           file: each said so) or ERR_UNSUPPORTED (a relocatable object)
 * Returns:  true and *@ret_map, to be closed with elfmap_close(); on false *@ret_map is untouched.
 *
 * Never blocks on a FIFO or device. Relocations, initializers and .eh_frame are read on first use.
 */
bool elfmap_open(const char *path, const struct elfmap_options *options, struct elfmap **ret_map,
		 struct err *err);

/**
 * The same for an open file, whose descriptor the caller keeps and may close. @path: its name in
 * messages, and where its debug file is looked for.
 */
bool elfmap_open_fd(int fd, const char *path, const struct elfmap_options *options,
		    struct elfmap **ret_map, struct err *err);

/**
 * The same for a file that was found, which is called @path whatever its place. Takes the
 * descriptor of @found, which can be read, also on failure.
 */
bool elfmap_open_found(const char *path, struct depot_file *found,
		       const struct elfmap_options *options, struct elfmap **ret_map,
		       struct err *err);

/**
 * The same for a file of which only @from is known. What lies outside it reads as what lies outside
 * a file does: it has no code there, no DWARF, no name. Its headers have to be known. Memory is
 * bounded by the size of the parts, but for address space.
 */
bool elfmap_open_parts(const struct elfmap_parts *from, const struct elfmap_options *options,
		       struct elfmap **ret_map, struct err *err);

/** Release @map, which may be NULL, and everything it handed out. */
void elfmap_close(struct elfmap *map);

/** Cleanup form of elfmap_close(). */
CLEANUP_POINTER(elfmap_close, struct elfmap)

const struct elfmap_info *elfmap_info(const struct elfmap *map);

/** The file's status when it was opened. */
const struct stat *elfmap_status(const struct elfmap *map);

/** Return the descriptor through which the file is read: whoever else reads states the offset. */
int elfmap_descriptor(const struct elfmap *map);

/** A file that was opened, and which bytes of it were read. */
struct elfmap_read {
	const struct elfmap_info *info; // NULL: there is none
	const struct stat *status;
	int fd;
	const struct range *ranges; // in the arena that was given; sorted, not touching each other
	size_t range_count;
};

/** A file, its separate debug file, and the file that has a part of the DWARF of either (dwz). */
struct elfmap_reads {
	struct elfmap_read program, debug, shared;
	bool is_shared_by_debug; // and not by the program
};

/**
 * List the bytes that were read for @map until now; @is_whole: all of each file. With no more than
 * this everything that was asked of @map has the same answer. False if @map is no file that lies
 * somewhere whole.
 */
bool elfmap_reads(struct elfmap *map, bool is_whole, struct arena *arena,
		  struct elfmap_reads *ret_reads);

/** The name of the file's machine as `uname -m` has it; NULL if it is not known. */
const char *elfmap_machine_name(const struct elfmap_info *info);

/** Oddities met so far; grows with use. */
const struct notes *elfmap_notes(const struct elfmap *map);

/**
 * Read .eh_frame whole, so that elfmap_notes() tells of all its damage: lookups read only the parts
 * they need. Not needed for anything else.
 */
void elfmap_check_frames(struct elfmap *map);

/** Program headers in file order. */
const struct elfmap_segment *elfmap_segments(const struct elfmap *map, size_t *ret_count);

/** Section headers in file order, the first (index 0, SHT_NULL) included; none in a section-less
 * file. */
const struct elfmap_section *elfmap_sections(const struct elfmap *map, size_t *ret_count);

/** The section of this name, or NULL; the first of several. */
const struct elfmap_section *elfmap_section_named(const struct elfmap *map, const char *name);

/** The section that holds @vaddr in memory, or NULL. O(log sections). */
const struct elfmap_section *elfmap_section_at(const struct elfmap *map, uint64_t vaddr);

/**
 * vaddr and offset of each other, by PT_LOAD.
 * Returns: false if no PT_LOAD holds it (elfmap_vaddr_to_offset: also within .bss).
 * Where two segments map the same byte of the file, the first in file order wins.
 * O(log segments).
 */
bool elfmap_vaddr_to_offset(const struct elfmap *map, uint64_t vaddr, uint64_t *ret_offset);
bool elfmap_offset_to_vaddr(const struct elfmap *map, uint64_t offset, uint64_t *ret_vaddr);

/**
 * Copy up to @size bytes of the file as they would be at @vaddr into @ret_bytes.
 * Returns: how many there are before the end of the segment's file part; 0 if none.
 */
size_t elfmap_read(struct elfmap *map, uint64_t vaddr, void *ret_bytes, size_t size);

/** Functions and objects of all sources, merged, sorted by vaddr, then name. TLS symbols excluded.
 */
const struct elfmap_symbol *elfmap_symbols(struct elfmap *map, size_t *ret_count);

/** True if the extent of @symbol, of elfmap_symbols(), is inferred: it has no size in the file. */
bool elfmap_symbol_is_a_guess(struct elfmap *map, const struct elfmap_symbol *symbol);

/**
 * Functions sorted by vaddr, each place once: where a symbol of a function or a FDE begins in
 * executable code that has bytes. So an instruction begins at each. PLT stubs are left out, and
 * places that an object's symbol claims.
 */
const struct elfmap_function *elfmap_functions(struct elfmap *map, size_t *ret_count);

/**
 * Find the symbol that covers @vaddr; NULL if none does.
 *
 * Of symbols covering one address the innermost wins, then others before STT_GNU_IFUNC, then global
 * before weak before local, then a named one before fn@0x…, then the first by name. A symbol of
 * size 0 reaches to the next symbol or its section's end; in one that states a size it covers
 * nothing. O(log n). Source: gABI ch. 4 "Symbol Table".
 *
 * Finds few without making the list of all: the result is within elfmap_symbols() only if that was
 * called before the first lookup. One symbol always has one address.
 */
const struct elfmap_symbol *elfmap_symbol_at(struct elfmap *map, uint64_t vaddr);

/** The STT_GNU_IFUNC symbol whose resolver starts at @vaddr; NULL if there is none. O(log n). */
const struct elfmap_symbol *elfmap_ifunc_at(struct elfmap *map, uint64_t vaddr);

/**
 * The first piece of @within that a symbol with a name covers, and that symbol, as
 * elfmap_symbol_at() would find it; ranges of .eh_frame are passed over. The piece may reach out of
 * @within on both sides. NULL: none. O(log n + what is passed over).
 */
const struct elfmap_symbol *elfmap_symbol_next(struct elfmap *map, struct range within,
					       struct range *ret_piece);

/**
 * The name for people: demangled (C++, Rust legacy and v0) and without a version suffix. The
 * mangled length is capped at 4 KiB and the output at 16 KiB; past either cap the raw name is
 * returned.
 */
const char *elfmap_symbol_display(struct elfmap *map, const struct elfmap_symbol *symbol);

/** Demangle any name; returns @name itself if it is not mangled. Result owned by @map. */
const char *elfmap_demangle(struct elfmap *map, const char *name);

/** Tables of dynamic relocations, in the order DT_RELR, DT_REL, DT_RELA, Android's, DT_JMPREL. */
const struct elfmap_relocation_table *elfmap_relocation_tables(struct elfmap *map,
							       size_t *ret_count);

/** Every slot the dynamic linker writes, sorted by vaddr. */
const struct elfmap_relocation *elfmap_relocations(struct elfmap *map, size_t *ret_count);

/** The relocation whose slot (of the machine's word size) covers @vaddr, or NULL. O(log n). */
const struct elfmap_relocation *elfmap_relocation_at(struct elfmap *map, uint64_t vaddr);

/** Bytes that @relocation writes: a word, or for COPY the object; 0 outside every PT_LOAD. */
uint64_t elfmap_relocation_size(struct elfmap *map, const struct elfmap_relocation *relocation);

/** Symbol @index of .dynsym; false past its end. */
bool elfmap_dynamic_symbol(struct elfmap *map, uint64_t index,
			   struct elfmap_dynamic_symbol *ret_symbol);

/**
 * The symbol of @name that the file defines, as a dynamic linker finds it by hash; the first of
 * several versions. False if there is none.
 */
bool elfmap_dynamic_symbol_named(struct elfmap *map, const char *name,
				 struct elfmap_dynamic_symbol *ret_symbol);

/** Entries of .dynsym, the first (empty) one included. */
uint64_t elfmap_dynamic_symbol_count(struct elfmap *map);

struct elfmap_linkage elfmap_linkage(const struct elfmap *map);

/**
 * The names of DT_NEEDED, in file order, as they are written there; of a name past the end of
 * .dynstr a note tells.
 */
const char *const *elfmap_needed(struct elfmap *map, size_t *ret_count);

/**
 * The folders in which the dynamic linker looks for what the file needs, with ":" between them and
 * with $ORIGIN as it stands: DT_RUNPATH or, without it, DT_RPATH, which also serves libraries that
 * the file brings. NULL: neither.
 */
const char *elfmap_runpath(struct elfmap *map, bool *ret_is_rpath);

/**
 * The compilers and linkers that left their names in .comment, sorted and joined by commas; NULL:
 * none did. Owned by @map.
 */
const char *elfmap_toolchain(struct elfmap *map);

/**
 * Initializers in the order they run: .preinit_array, .init, .init_array, .ctors (backwards), Go's
 * packages.
 */
const struct elfmap_initializer *elfmap_initializers(struct elfmap *map, size_t *ret_count);

/** The same without looking for their sources: every .source may still be NULL. */
const struct elfmap_initializer *elfmap_initializers_without_source(struct elfmap *map,
								    size_t *ret_count);

/**
 * Functions that run at exit or when the file is unloaded, as vaddrs, in file order: .fini,
 * .fini_array, .dtors. An entry whose function the file does not say is left out.
 */
const uint64_t *elfmap_finalizers(struct elfmap *map, size_t *ret_count);

/**
 * Find main: by what the code at the entry point hands to __libc_start_main(), else by its
 * symbol. False if neither tells.
 */
bool elfmap_main(struct elfmap *map, uint64_t *ret_vaddr);

/**
 * Return the role of the function at @vaddr, its first byte, in the life of a process. O(1) but for
 * the first.
 */
struct elfmap_role elfmap_role_at(struct elfmap *map, uint64_t vaddr);

/**
 * Find the target of the direct call whose last byte is at @last_byte. False if no such call stands
 * there, or the machine is unknown (machine/machine.h).
 */
bool elfmap_call_target(struct elfmap *map, uint64_t last_byte, uint64_t *ret_vaddr);

/**
 * True if the call whose last byte is at @last_byte takes its target from where a register points:
 * `call *(%rax)`, `call *(%rbx,%rcx,8)`. So loops call what an array holds. False
 * where the machine is unknown.
 */
bool elfmap_calls_by_pointer(struct elfmap *map, uint64_t last_byte);

/**
 * True if the indirect call whose last byte is at @last_byte is followed by a direct one that gets
 * its result as first argument: `exit(main(...))`. @ret_branch: that call. False where the
 * machine is unknown.
 */
bool elfmap_result_passed_to(struct elfmap *map, uint64_t last_byte,
			     struct elfmap_branch *ret_branch);

/**
 * The next jump or call in *@code (vaddrs), which is moved to behind its first byte; false if there
 * is none. Followed are direct ones, those to PLT stubs, and those through a slot at a fixed place
 * (-fno-plt); conditional ones with 32 bits as well. Every byte is taken for the first of an
 * instruction, so that some of what is found is none: what counts is where it goes. None where the
 * machine is unknown.
 *
 * Give it pieces of at most some 64 KiB: each call looks at what is left of the whole piece.
 */
bool elfmap_branch_next(struct elfmap *map, struct range *code, struct elfmap_branch *ret_branch);

/**
 * True if @code (vaddrs), a function of at most 4 KiB, sets its thread's pointer to TLS by a system
 * call or instruction of its own, as __libc_setup_tls() of static programs does. False where the
 * machine is unknown.
 */
bool elfmap_sets_thread_pointer(struct elfmap *map, struct range code);

/**
 * True if @code (vaddrs), a function of at most 16 KiB, begins to hash a name as .gnu.hash wants
 * it, as a dynamic linker does where it looks a symbol up. False where the machine is unknown.
 */
bool elfmap_hashes_names(struct elfmap *map, struct range code);

/**
 * True if @code (vaddrs), a function of at most 16 KiB, has the kernel make a thread, as
 * pthread_create() of static programs does: it calls a function that does little more than the
 * system call, or one that does by one or two small ones. posix_spawn() does the same. False, with
 * a note, where the machine is unknown.
 */
bool elfmap_makes_threads(struct elfmap *map, struct range code);

/**
 * True if the function at @vaddr leaves by __builtin_eh_return(), as those of GCC's unwinder do
 * that throw and resume, and no others: its FDE says that it keeps the registers in which a landing
 * pad gets what was thrown. False where these are unknown. O(log n). Source: psABI "Exception
 * Handling".
 */
bool elfmap_leaves_by_eh_return(struct elfmap *map, uint64_t vaddr);

/** True if a jump in the first 4 KiB of @code goes to @target, as elfmap_branch_next() follows it.
 */
bool elfmap_jumps_to(struct elfmap *map, struct range code, uint64_t target);

/**
 * True if the function @code may jump where elfmap_branch_next() cannot follow: by a register, or
 * by memory that is no slot. True where the machine is unknown.
 */
bool elfmap_jumps_unseen(struct elfmap *map, struct range code);

/** Return the cost of loading, for pages of @page_size bytes. */
const struct elfmap_load *elfmap_load(struct elfmap *map, uint64_t page_size);

/** Fill @ret_place for a vaddr. A vaddr outside every PT_LOAD gives section_name "[padding]". */
void elfmap_locate(struct elfmap *map, uint64_t vaddr, struct elfmap_place *ret_place);

/**
 * Fill @ret_place for a byte of the file as a mapping of the file shows it. For bytes outside every
 * PT_LOAD (mapped because pages are whole) vaddr is absent; sections and headers are still found.
 */
void elfmap_locate_offset(struct elfmap *map, uint64_t offset, struct elfmap_place *ret_place);

/** The spelling of an entry; "" for ELFMAP_ENTRY_NONE. Owned by @map, cached. */
const char *elfmap_entry_name(struct elfmap *map, const struct elfmap_entry *entry, bool demangle);

/**
 * Find the origin of the instruction at @vaddr, by the DWARF of the file or its separate debug
 * file; NULL if that does not state it. Owned by @map, cached.
 *
 * @source is the line that addr2line prints; with -i it prints the functions and lines of @inlined
 * too, and the function that the symbol table knows last. Parts in .dwo files are not read: a note
 * says so, and nothing is known to be inlined. The DWARF is opened at the first call and read unit
 * by unit as needed; work on it is limited by its size.
 */
const struct elfmap_code *elfmap_code_at(struct elfmap *map, uint64_t vaddr);

/**
 * Compile units that have code, in the order of DWARF, by that of the file or its separate debug
 * file; NULL where there is none. O(n log n) in ranges, limited by the size of the DWARF.
 */
const struct elfmap_unit *elfmap_units(struct elfmap *map, size_t *ret_count);
