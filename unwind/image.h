// SPDX-License-Identifier: Apache-2.0
// ELF files for unwinding: opened once, compared with the recorded ones, and placed where
// a process mapped them.
#pragma once

#include "elfmap/headers/gopclntab.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "machine/unwinding.h"
#include "trace/trace.h"

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/** A PT_LOAD. */
struct image_segment {
	uint64_t offset;
	uint64_t file_size;
	uint64_t vaddr;
	bool is_executable;
};

/** One file, or the vdso. Owned by its struct images. */
struct image {
	char *path;
	int fd;	       // -1: none
	Elf *elf;      // NULL: unusable
	char *problem; // why it is unusable, or NULL
	bool is_32bit;
	const struct machine_unwinding *unwinding; // of its processor
	bool is_vdso;
	bool is_data; // not an ELF file: code in it was generated, as Lisp's in its core files
	VEC(struct image_segment) segments;
	uint64_t low_vaddr;  // where libdwfl wants the module to start
	uint64_t high_vaddr; // end of the last PT_LOAD, whole pages
	uint64_t entry_vaddr;
	uint64_t init_vaddr, fini_vaddr;	   // DT_INIT and DT_FINI, 0: none
	struct u64map frame_states, frame_callees; // see framecode.c
	struct gopclntab go;			   // of a Go program
	VEC(uint64_t) starts;			   // see functionstarts.c
	bool has_starts;			   // they have been read
	VEC(uint8_t) marks;			   // see codestarts.c
	uint64_t lost; // stacks that ended at once in it, for want of unwinding data
};

/** An image at an address: what libdwfl calls a module. */
struct module {
	struct image *image;
	uint64_t bias;
	uint64_t start, end; // addresses; of an unusable image only what was mapped
};

/** All files met so far, each once. Zero-initialise to use. */
struct images {
	VEC(struct image *) list; // in the order of first use
	struct image_entry *by_key;
	const struct trace_identity *identities; // by id less 1, borrowed
	const int *fds;				 // likewise; -1: open the path
	size_t identity_count;
};

/**
 * The file of @mapping, opened at its first use. Never NULL; an unusable one says why in problem.
 *
 * Refuses what is not a regular file, and a file that is not the recorded one: by build-id, without
 * one by what stat() says. "[vdso]" is the image that the running kernel gave to this process.
 */
struct image *images_find(struct images *images, const struct trace_mapping *mapping);

/** Close every file. */
void images_deinit(struct images *images);

/**
 * Place @image by @mapping, an executable one.
 * Returns: false if no PT_LOAD holds the mapped offset, or the addresses do not fit.
 */
bool image_place(struct image *image, const struct trace_mapping *mapping,
		 struct module *ret_module);

/** Copy @size bytes of code mapped at @vaddr; false if not all are mapped. */
bool image_read_code(struct image *image, uint64_t vaddr, uint8_t *ret_bytes, size_t size);

/**
 * The code mapped at @vaddr, in the file itself; NULL if there is none.
 * *@ret_before, *@ret_after: bytes of it that precede, and that follow with the first.
 */
const uint8_t *image_code(const struct image *image, uint64_t vaddr, uint64_t *ret_before,
			  uint64_t *ret_after);

/** True if [@start, @end) touches bytes of an executable PT_LOAD of @module. */
bool module_has_code_in(const struct module *module, uint64_t start, uint64_t end);
