// SPDX-License-Identifier: Apache-2.0
// libelfmap: which segment, section and symbol a byte of an ELF file belongs to, and what the file
// consists of. Installed as <elfmap.h>; see docs/libelfmap.md.
//
// Every number is one of two kinds: `offset`, a byte position in the file, or `vaddr`, an address
// as written in the file. For the address of a running process subtract the load bias first.
//
// Nothing here prints, exits or aborts. Functions return a status; what they fill is only to be
// read if that is ELFMAP_OK. Strings and arrays that they hand out belong to the file and are valid
// until elfmap_file_close().
//
// Threads may use different files at the same time. One file is for one thread at a time: its
// tables are built when first needed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The outcome of a call. Values are never changed, only added. */
enum elfmap_status {
	ELFMAP_OK = 0,
	ELFMAP_NONE = 1,	      // nothing is there: the index is past the last one, the place
				      // is outside the file
	ELFMAP_ERROR_OS = 2,	      // a system call failed: elfmap_error.os_errno
	ELFMAP_ERROR_FORMAT = 3,      // not an ELF file, or damaged, or a core file
	ELFMAP_ERROR_UNSUPPORTED = 4, // a relocatable object (.o), which is never loaded
	ELFMAP_ERROR_MEMORY = 5	      // out of memory: the file can only be closed from here on
};

/** Why opening failed. Lives where the caller wants, owns nothing. */
struct elfmap_error {
	enum elfmap_status status;
	int os_errno;	    // of ELFMAP_ERROR_OS, else 0
	char message[2048]; // names the file, what is wrong and what to do; one line
};

/** An open ELF file: a program, a shared library or a static executable of any machine. */
struct elfmap_file;

/** How to open a file. All zero is the usual way. */
struct elfmap_file_options {
	bool no_debug_files;	     // do not look for a separate debug file
	bool no_demangle;	     // names in elfmap_file_place as the file has them
	const char *debug_directory; // instead of /usr/lib/debug; borrowed for the call
};

/** Sources of names; a later one is better. */
enum elfmap_symbol_source {
	ELFMAP_SOURCE_NONE = 0,
	ELFMAP_SOURCE_EH_FRAME = 1,   // only ranges of functions, which are named fn@0xVADDR
	ELFMAP_SOURCE_DYNSYM = 2,     // .dynsym
	ELFMAP_SOURCE_GO = 3,	      // .gopclntab of Go programs
	ELFMAP_SOURCE_DEBUG_FILE = 4, // .symtab of a separate debug file
	ELFMAP_SOURCE_SYMTAB = 5      // .symtab
};

/** Facts about the whole file. Constants such as EM_X86_64 are those of <elf.h>. */
struct elfmap_file_info {
	const char *path;
	uint64_t size;	  // bytes of the file
	uint16_t type;	  // ET_EXEC or ET_DYN
	uint16_t machine; // EM_...
	bool is_64bit;
	bool is_big_endian;
	uint64_t entry;		 // vaddr
	const char *soname;	 // DT_SONAME or NULL
	const char *interpreter; // PT_INTERP or NULL
	const uint8_t *build_id; // NULL: none
	size_t build_id_size;
	enum elfmap_symbol_source symbols; // the best source of names
	const char *debug_file;		   // path of the separate debug file in use, or NULL
};

/** A program header. */
struct elfmap_file_segment {
	uint32_t type;	// PT_LOAD, ...
	uint32_t flags; // PF_R | PF_W | PF_X
	uint64_t offset;
	uint64_t file_size;
	uint64_t vaddr;
	uint64_t memory_size;
	uint64_t align;
};

/** A section header. */
struct elfmap_file_section {
	const char *name; // never NULL
	uint32_t type;	  // SHT_PROGBITS, ...
	uint64_t flags;	  // SHF_ALLOC, ...
	uint64_t offset;
	uint64_t size;
	uint64_t vaddr;
	uint64_t entry_size;
	bool has_bytes;	  // false: no part of the file, such as .bss
	bool has_segment; // false: not loaded
	uint32_t segment; // index of the PT_LOAD that holds it
};

/** A function or object of a symbol table, or a function of .eh_frame that no symbol names. */
struct elfmap_file_symbol {
	const char *name; // as in the file, mangled; see elfmap_file_demangle()
	uint64_t vaddr;
	uint64_t size; // what it covers: of a symbol without a size, up to the next one
	bool has_section;
	uint32_t section; // index
	uint8_t type;	  // STT_FUNC, ...
	uint8_t binding;  // STB_GLOBAL, ...
	enum elfmap_symbol_source source;
};

/** A function that runs before main. */
struct elfmap_file_initializer {
	const char *array; // ".preinit_array", ".init", ".init_array", ".ctors"; Go's "inittasks",
			   // "modules" of OCaml and D
	uint32_t index;	   // within the array
	uint64_t slot_vaddr; // of the array's entry; for .init of the function itself
	uint64_t vaddr;	     // of the function
	bool has_offset;
	uint64_t offset;      // of the function
	const char *function; // as in the file, mangled; NULL: no symbol covers it
};

/** Kinds of elfmap_file_place.name. */
enum elfmap_name_kind {
	ELFMAP_NAME_NONE = 0,
	ELFMAP_NAME_SYMBOL = 1, // a function or object
	ELFMAP_NAME_ENTRY = 2,	// an entry of a table: got:malloc, dynsym:printf, rela.dyn[1234]
	ELFMAP_NAME_POINTEE = 3 // a slot that relocation writes, by what it points to: &foo
};

/** Kinds of tables, with an example of an entry's name. */
enum elfmap_table {
	ELFMAP_TABLE_NONE = 0,
	ELFMAP_TABLE_GOT = 1,	       // got:malloc
	ELFMAP_TABLE_PLT = 2,	       // plt:malloc
	ELFMAP_TABLE_DYNSYM = 3,       // dynsym:printf
	ELFMAP_TABLE_DYNSTR = 4,       // dynstr:printf
	ELFMAP_TABLE_RELOCATIONS = 5,  // rela.dyn[1234], relr.dyn[7]
	ELFMAP_TABLE_EH_FRAME = 6,     // eh_frame:main
	ELFMAP_TABLE_EH_FRAME_HDR = 7, // eh_frame_hdr:main
	ELFMAP_TABLE_EXCEPT_TABLE = 8, // gcc_except_table:main
	ELFMAP_TABLE_VERSYM = 9,       // gnu.version:printf
	ELFMAP_TABLE_VERSIONS = 10,    // gnu.version_r
	ELFMAP_TABLE_HASH = 11,	       // gnu.hash:bucket[7]
	ELFMAP_TABLE_DYNAMIC = 12,     // dynamic:DT_NEEDED
	ELFMAP_TABLE_NOTE = 13,	       // note:.note.gnu.build-id
	ELFMAP_TABLE_INTERP = 14,      // interp
	ELFMAP_TABLE_INIT_ARRAY = 15,  // init_array[3]
	ELFMAP_TABLE_HEADERS = 16,     // elf-header, program-header[2]
	ELFMAP_TABLE_INIT = 17,	       // _init, _fini of a stripped file
	ELFMAP_TABLE_STRINGS = 18,     // string:"usage: %s": a literal
	ELFMAP_TABLE_DATA = 19	       // data@0xVADDR: where a pointer of the file points to
};

/** Everything that is known of one byte. */
struct elfmap_file_place {
	bool has_offset; // false: no byte of the file, as in .bss
	bool has_vaddr;	 // false: not loaded
	bool has_segment;
	bool has_section;
	uint64_t offset;
	uint64_t vaddr;
	uint32_t segment; // index of the PT_LOAD
	uint32_t section; // index
	// Never NULL: the section's name, or [elf-header], [program-headers], [section-headers],
	// [padding]. In a file without section headers: the name it must have had, where known.
	const char *section_name;
	enum elfmap_name_kind name_kind;
	enum elfmap_table table; // of ELFMAP_NAME_ENTRY
	const char *name;    // for people: demangled, without a version; "" for ELFMAP_NAME_NONE
	const char *symbol;  // of ELFMAP_NAME_SYMBOL: the name in the file; otherwise NULL
	uint64_t name_vaddr; // the first byte of what is named; only with has_vaddr
	uint64_t name_size;
};

/** The version of the library that runs, such as "0.1.0". */
const char *elfmap_file_version(void);

/** A status in words, such as "out of memory"; never NULL. */
const char *elfmap_file_status_text(enum elfmap_status status);

/**
 * Open the ELF file at @path and read its headers.
 *
 * @options:   NULL for the usual
 * @ret_file:  to be closed with elfmap_file_close(); untouched on failure
 * @ret_error: why it failed; may be NULL
 *
 * Never blocks on a FIFO or a device. The file may be of anyone: damage is an error here or a note
 * (elfmap_file_note()), never a crash, and what it makes the library allocate is bounded by its
 * size. A file that is changed or cut while open gives wrong names and a note, no signal.
 */
enum elfmap_status elfmap_file_open(const char *path, const struct elfmap_file_options *options,
				    struct elfmap_file **ret_file, struct elfmap_error *ret_error);

/**
 * The same for the file that @fd is open on. @fd is duplicated, stays the caller's and is not
 * moved. @path: its name in messages, and where its debug file is looked for; NULL: as the kernel
 * has it.
 */
enum elfmap_status elfmap_file_open_fd(int fd, const char *path,
				       const struct elfmap_file_options *options,
				       struct elfmap_file **ret_file,
				       struct elfmap_error *ret_error);

/** Release @file, which may be NULL, and everything it handed out. */
void elfmap_file_close(struct elfmap_file *file);

/** Facts about the whole file. */
enum elfmap_status elfmap_file_info(struct elfmap_file *file, struct elfmap_file_info *ret_info);

/**
 * The @index-th of the file's segments and sections in file order, symbols by vaddr, initializers
 * in the order they run. ELFMAP_NONE past the last one. Section 0 is the empty one that every table
 * begins with.
 *
 *	for (size_t i = 0; elfmap_file_section(file, i, &section) == ELFMAP_OK; i++)
 *
 * The first symbol and the first initializer make the list of all.
 */
enum elfmap_status elfmap_file_segment(struct elfmap_file *file, size_t index,
				       struct elfmap_file_segment *ret_segment);
enum elfmap_status elfmap_file_section(struct elfmap_file *file, size_t index,
				       struct elfmap_file_section *ret_section);
enum elfmap_status elfmap_file_symbol(struct elfmap_file *file, size_t index,
				      struct elfmap_file_symbol *ret_symbol);
enum elfmap_status elfmap_file_initializer(struct elfmap_file *file, size_t index,
					   struct elfmap_file_initializer *ret_initializer);

/** The @index-th oddity met so far, as a sentence; there may be more after any call. */
enum elfmap_status elfmap_file_note(struct elfmap_file *file, size_t index, const char **ret_text);

/**
 * Find the place of a byte of the file, or of an address of the file as it is loaded. ELFMAP_NONE:
 * @offset is past the end of the file, @vaddr in no PT_LOAD segment.
 *
 * Of symbols that cover the byte the innermost wins, then global before weak before local. Bytes
 * outside every PT_LOAD have no vaddr; sections and headers are still found. Where two segments map
 * the same byte, the first one in file order wins.
 */
enum elfmap_status elfmap_file_at_offset(struct elfmap_file *file, uint64_t offset,
					 struct elfmap_file_place *ret_place);
enum elfmap_status elfmap_file_at_vaddr(struct elfmap_file *file, uint64_t vaddr,
					struct elfmap_file_place *ret_place);

/**
 * @name for people: C++ and Rust demangled. *@ret_name is @name itself if there is nothing to
 * demangle, or the result would exceed 16 KiB.
 */
enum elfmap_status elfmap_file_demangle(struct elfmap_file *file, const char *name,
					const char **ret_name);

#ifdef __cplusplus
}
#endif
