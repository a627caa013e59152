// SPDX-License-Identifier: Apache-2.0
// Contents of the parts of a stand-in: functions, their names and versions, code, frames.
#include "standin/image.h"

#include "base/order.h"
#include "base/range.h"
#include "base/vec.h"
#include "machine/standin.h"
#include "standin/parts.h"

#include <dwarf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	GOT_WORDS = 3, // of the dynamic linker
	DYNAMIC_MAX = 24,
};

/** A function that is exported. */
struct function {
	const struct standin_symbol *symbol;
	uint32_t hash, bucket;
};

struct making {
	const struct standin_image *image;
	const struct machine_standin *machine;
	struct standin_part parts[PARTS];
	struct function *functions; // sorted by bucket
	size_t count;
	uint32_t buckets;
	uint32_t *names, *versions; // of each function, in .dynstr
	uint32_t path, folder;	    // in .rodata
};

static void making_deinit(struct making *making)
{
	part_deinit(making->parts);
	free(making->functions);
	free(making->names);
	free(making->versions);
}

// ---- Functions and how they are found -----------------------------------------------------------

/** The hash of DT_GNU_HASH. */
static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	return hash;
}

ORDER_OF(by_bucket, function, ORDER(x->bucket, y->bucket) ?: ORDER(x->symbol, y->symbol))

static bool is_exported(const struct standin_symbol *symbol)
{
	return symbol->is_defined && symbol->binding != STB_LOCAL && symbol->version_index != 0 &&
	       (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC);
}

static void list_functions(struct making *making)
{
	const struct standin_library *library = making->image->library;

	making->functions = xcalloc(library->symbol_count + 1, sizeof(*making->functions));
	array_foreach (symbol, library->symbols, library->symbol_count)
		if (is_exported(symbol))
			making->functions[making->count++] =
				(struct function){ symbol, gnu_hash(symbol->name), 0 };
	making->buckets = (uint32_t)(making->count / 3 + 1);
	for (size_t i = 0; i < making->count; i++)
		making->functions[i].bucket = making->functions[i].hash % making->buckets;
	qsort(making->functions, making->count, sizeof(*making->functions), by_bucket);
	making->names = xcalloc(making->count + 1, sizeof(*making->names));
	making->versions = xcalloc(making->count + 1, sizeof(*making->versions));
}

/** The first exported symbol of .dynsym. */
static uint32_t first_export(const struct making *making)
{
	return (uint32_t)(1 + making->machine->import_count);
}

static void add_hash(struct making *making)
{
	enum { SHIFT = 6, WORD = 64 };
	uint32_t words = 1;

	while (words * WORD < making->count * 8)
		words *= 2;
	const uint32_t head[] = { making->buckets, first_export(making), words, SHIFT };
	CLEANUP(freep) uint64_t *bloom = xcalloc(words, sizeof(*bloom));
	CLEANUP(freep) uint32_t *buckets = xcalloc(making->buckets, sizeof(*buckets));

	for (size_t i = making->count; i-- > 0;) {
		const uint32_t hash = making->functions[i].hash;

		bloom[hash / WORD % words] |=
			UINT64_C(1) << hash % WORD | UINT64_C(1) << (hash >> SHIFT) % WORD;
		buckets[making->functions[i].bucket] = first_export(making) + (uint32_t)i;
	}
	part_add(making->parts, GNU_HASH, head, sizeof(head));
	part_add(making->parts, GNU_HASH, bloom, words * sizeof(*bloom));
	part_add(making->parts, GNU_HASH, buckets, making->buckets * sizeof(*buckets));
	for (size_t i = 0; i < making->count; i++) {
		const bool is_last = i + 1 == making->count ||
				     making->functions[i + 1].bucket != making->functions[i].bucket;

		PART_ADD(making->parts, GNU_HASH,
			 (uint32_t)((making->functions[i].hash & ~1U) | is_last));
	}
}

// ---- Versions -----------------------------------------------------------------------------------

static uint16_t highest_version(const struct standin_library *library)
{
	uint16_t highest = 1;

	array_foreach (version, library->versions, library->version_count)
		highest = version->index > highest ? version->index : highest;
	return highest;
}

/** As the real library has them: programs ask for them by name. */
static void add_definitions(struct making *making)
{
	const struct standin_library *library = making->image->library;

	array_foreach (version, library->versions, library->version_count) {
		const bool is_last = version + 1 == library->versions + library->version_count;
		const uint16_t names = version->parent ? 2 : 1;
		const uint32_t size =
			(uint32_t)(sizeof(Elf64_Verdef) + names * sizeof(Elf64_Verdaux));

		PART_ADD(making->parts, VERDEF,
			 (Elf64_Verdef){
				 .vd_version = VER_DEF_CURRENT,
				 .vd_flags = version->flags,
				 .vd_ndx = version->index,
				 .vd_cnt = names,
				 .vd_hash = (Elf64_Word)elf_hash(version->name),
				 .vd_aux = sizeof(Elf64_Verdef),
				 .vd_next = is_last ? 0 : size,
			 });
		PART_ADD(making->parts, VERDEF,
			 (Elf64_Verdaux){
				 .vda_name = part_add_string(making->parts, DYNSTR, version->name),
				 .vda_next = version->parent ? sizeof(Elf64_Verdaux) : 0,
			 });
		if (version->parent)
			PART_ADD(making->parts, VERDEF,
				 (Elf64_Verdaux){ .vda_name = part_add_string(making->parts, DYNSTR,
									      version->parent) });
	}
	making->parts[VERDEF].info = (uint32_t)library->version_count;
}

/** True if import @i is the first of its version. */
static bool is_new_version(const struct making *making, size_t i)
{
	for (size_t before = 0; before < i; before++)
		if (strcmp(making->machine->imports[before].version,
			   making->machine->imports[i].version) == 0)
			return false;
	return true;
}

/** The index of the version of import @i: they count from behind the definitions. */
static uint16_t import_version(const struct making *making, size_t i)
{
	const char *version = making->machine->imports[i].version;
	uint16_t index = highest_version(making->image->library);

	for (size_t at = 0;; at++) {
		index += is_new_version(making, at);
		if (strcmp(making->machine->imports[at].version, version) == 0)
			return index;
	}
}

static void add_needs(struct making *making, uint32_t libc)
{
	uint16_t count = 0;

	for (size_t i = 0; i < making->machine->import_count; i++)
		count += is_new_version(making, i);
	PART_ADD(making->parts, VERNEED,
		 (Elf64_Verneed){
			 .vn_version = VER_NEED_CURRENT,
			 .vn_cnt = count,
			 .vn_file = libc,
			 .vn_aux = sizeof(Elf64_Verneed),
		 });
	for (size_t i = 0; i < making->machine->import_count; i++) {
		const char *name = making->machine->imports[i].version;

		if (is_new_version(making, i))
			PART_ADD(making->parts, VERNEED,
				 (Elf64_Vernaux){
					 .vna_hash = (Elf64_Word)elf_hash(name),
					 .vna_other = import_version(making, i),
					 .vna_name = part_add_string(making->parts, DYNSTR, name),
					 .vna_next = --count ? sizeof(Elf64_Vernaux) : 0,
				 });
	}
}

// ---- Parts whose size is all that is known at first ---------------------------------------------

static void add_symbols(struct making *making)
{
	const uint8_t weak = ELF64_ST_INFO(STB_WEAK, STT_FUNC);
	const uint8_t global = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);

	PART_ADD(making->parts, DYNSYM, (Elf64_Sym){ 0 });
	PART_ADD(making->parts, VERSYM, (uint16_t)0);
	for (size_t i = 0; i < making->machine->import_count; i++) {
		PART_ADD(making->parts, DYNSYM,
			 (Elf64_Sym){
				 .st_name = part_add_string(making->parts, DYNSTR,
							    making->machine->imports[i].name),
				 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			 });
		PART_ADD(making->parts, VERSYM, import_version(making, i));
	}
	for (size_t i = 0; i < making->count; i++) {
		const struct standin_symbol *symbol = making->functions[i].symbol;

		making->names[i] = part_add_string(making->parts, DYNSTR, symbol->name);
		if (symbol->version)
			making->versions[i] =
				part_add_string(making->parts, DYNSTR, symbol->version);
		PART_ADD(making->parts, DYNSYM,
			 (Elf64_Sym){
				 .st_name = making->names[i],
				 .st_info = symbol->binding == STB_WEAK ? weak : global,
				 .st_shndx = TEXT,
				 .st_value = i, // until its place is known
				 .st_size = STANDIN_ENTRY_BYTES,
			 });
		PART_ADD(making->parts, VERSYM, symbol->version_index);
	}
}

static void add_read_only(struct making *making)
{
	const struct standin_image *image = making->image;
	const char *folder = image->folder ? image->folder : "";

	for (size_t i = 0; i < making->count; i++) {
		PART_ADD(making->parts, RODATA, making->names[i]);
		PART_ADD(making->parts, RODATA, making->versions[i]);
	}
	making->path = part_add_string(making->parts, RODATA, image->path);
	making->folder = (uint32_t)part_size(making->parts, RODATA);
	part_add(making->parts, RODATA, "LD_LIBRARY_PATH=", strlen("LD_LIBRARY_PATH="));
	part_add_string(making->parts, RODATA, folder);
}

static void add_parts(struct making *making, uint32_t *ret_soname, uint32_t *ret_libc)
{
	const size_t imports = making->machine->import_count;

	part_add_string(making->parts, DYNSTR, "");
	*ret_soname = part_add_string(making->parts, DYNSTR, making->image->library->soname);
	*ret_libc = part_add_string(making->parts, DYNSTR, "libc.so.6");
	part_add_note(making->parts, ABOUT, "elfault", 1, making->image->about,
		      strlen(making->image->about) + 1);
	add_hash(making);
	add_symbols(making);
	add_definitions(making);
	add_needs(making, *ret_libc);
	part_add_zeros(making->parts, RELA_PLT, imports * sizeof(Elf64_Rela));
	part_add_zeros(making->parts, FRAMES_HEADER, 12 + STANDIN_FRAME_RECORDS * 8);
	part_add_zeros(making->parts, FRAMES, STANDIN_FRAMES_MAX);
	part_add(making->parts, TEXT, making->machine->code, making->machine->places->size);
	part_add_zeros(making->parts, TEXT,
		       align_up(part_size(making->parts, TEXT), STANDIN_ENTRY_BYTES) -
			       part_size(making->parts, TEXT));
	part_add_zeros(making->parts, TEXT, making->count * STANDIN_ENTRY_BYTES);
	add_read_only(making);
	part_add_zeros(making->parts, DYNAMIC, DYNAMIC_MAX * sizeof(Elf64_Dyn));
	part_add_zeros(making->parts, GOT_PLT, (GOT_WORDS + imports) * 8);
	part_add_zeros(making->parts, DATA, 8 + making->count * 8);
	for (size_t i = 0; i < PARTS; i++)
		part_add_string(making->parts, SHSTRTAB, making->parts[i].name);
}

// ---- Places -------------------------------------------------------------------------------------

static uint64_t entries_offset(const struct making *making)
{
	return align_up(making->machine->places->size, STANDIN_ENTRY_BYTES);
}

static void fill_symbols(struct making *making)
{
	Elf64_Sym *symbols = (Elf64_Sym *)making->parts[DYNSYM].bytes.text;
	const uint64_t entries = making->parts[TEXT].vaddr + entries_offset(making);

	for (size_t i = 0; i < making->count; i++)
		symbols[first_export(making) + i].st_value = entries + i * STANDIN_ENTRY_BYTES;
}

static void fill_imports(struct making *making)
{
	const struct machine_standin *machine = making->machine;
	Elf64_Rela *relocations = (Elf64_Rela *)making->parts[RELA_PLT].bytes.text;
	uint64_t *got = (uint64_t *)making->parts[GOT_PLT].bytes.text;

	got[0] = making->parts[DYNAMIC].vaddr;
	for (size_t i = 0; i < machine->import_count; i++) {
		got[GOT_WORDS + i] =
			making->parts[TEXT].vaddr + machine->places->lazy + i * STANDIN_LAZY_BYTES;
		relocations[i] = (Elf64_Rela){
			.r_offset = making->parts[GOT_PLT].vaddr + (GOT_WORDS + i) * 8,
			.r_info = ELF64_R_INFO(1 + i, machine->jump_slot),
		};
	}
}

static void fill_code(struct making *making)
{
	const uint64_t head = making->parts[TEXT].vaddr, entries = head + entries_offset(making);
	const uint64_t slots = making->parts[DATA].vaddr + 8, rodata = making->parts[RODATA].vaddr;
	uint8_t *code = (uint8_t *)making->parts[TEXT].bytes.text;
	uint64_t *data = (uint64_t *)making->parts[DATA].bytes.text;
	const uint64_t fields[STANDIN_FIELDS] = {
		[STANDIN_GOT] = making->parts[GOT_PLT].vaddr - head,
		[STANDIN_SLOTS] = slots - head,
		[STANDIN_HANDLE] = making->parts[DATA].vaddr - head,
		[STANDIN_FUNCTIONS] = rodata - head,
		[STANDIN_STRINGS] = making->parts[DYNSTR].vaddr - head,
		[STANDIN_PATH] = rodata + making->path - head,
		[STANDIN_FOLDER] = making->image->folder ? rodata + making->folder - head : 0,
		[STANDIN_COUNT] = making->count,
	};

	memcpy(code, fields, sizeof(fields));
	for (size_t i = 0; i < making->count; i++) {
		const uint64_t entry = entries + i * STANDIN_ENTRY_BYTES;

		making->machine->write_entry(code + (entry - head), (uint32_t)i,
					     (int64_t)(head - entry),
					     (int64_t)(slots + i * 8 - entry));
		data[1 + i] = entry + STANDIN_ENTRY_FIND - head;
	}
}

static void fill_frames(struct making *making)
{
	const uint64_t header = making->parts[FRAMES_HEADER].vaddr,
		       frames = making->parts[FRAMES].vaddr;
	const uint8_t encodings[] = {
		1,
		DW_EH_PE_pcrel | DW_EH_PE_sdata4,
		DW_EH_PE_udata4,
		DW_EH_PE_datarel | DW_EH_PE_sdata4,
	};
	int32_t starts[STANDIN_FRAME_RECORDS][2];
	int32_t *words = (int32_t *)making->parts[FRAMES_HEADER].bytes.text;
	const int64_t code = (int64_t)(making->parts[TEXT].vaddr - frames);
	size_t count;

	making->machine->write_frames((uint8_t *)making->parts[FRAMES].bytes.text, code,
				      code + (int64_t)entries_offset(making), making->count, starts,
				      &count);
	// Version 1; encodings of .eh_frame's place, of the count, and of the table.
	memcpy(words, encodings, sizeof(encodings));
	words[1] = (int32_t)(frames - (header + 4));
	words[2] = (int32_t)count;
	for (size_t i = 0; i < count; i++) {
		words[3 + 2 * i] = starts[i][0] + (int32_t)(frames - header);
		words[4 + 2 * i] = starts[i][1] + (int32_t)(frames - header);
	}
}

static void fill_dynamic(struct making *making, uint32_t soname, uint32_t libc)
{
	const struct machine_standin_places *places = making->machine->places;
	const struct standin_part *parts = making->parts;
	const uint64_t text = making->parts[TEXT].vaddr;
	const Elf64_Dyn entries[] = {
		{ DT_SONAME, { soname } },
		{ DT_NEEDED, { libc } },
		{ DT_INIT, { text + places->start } },
		{ DT_FINI, { text + places->finish } },
		{ DT_GNU_HASH, { making->parts[GNU_HASH].vaddr } },
		{ DT_STRTAB, { making->parts[DYNSTR].vaddr } },
		{ DT_SYMTAB, { making->parts[DYNSYM].vaddr } },
		{ DT_STRSZ, { parts[DYNSTR].size } },
		{ DT_SYMENT, { sizeof(Elf64_Sym) } },
		{ DT_PLTGOT, { making->parts[GOT_PLT].vaddr } },
		{ DT_PLTRELSZ, { parts[RELA_PLT].size } },
		{ DT_PLTREL, { DT_RELA } },
		{ DT_JMPREL, { making->parts[RELA_PLT].vaddr } },
		{ DT_VERSYM, { making->parts[VERSYM].vaddr } },
		{ DT_VERNEED, { making->parts[VERNEED].vaddr } },
		{ DT_VERNEEDNUM, { 1 } },
		{ DT_VERDEF, { making->parts[VERDEF].vaddr } },
		{ DT_VERDEFNUM, { making->image->library->version_count } },
	};
	const size_t unversioned = making->image->library->version_count ? 0 : 2;

	_Static_assert(sizeof(entries) / sizeof(entries[0]) < DYNAMIC_MAX, "room for DT_NULL");
	memcpy(making->parts[DYNAMIC].bytes.text, entries,
	       sizeof(entries) - unversioned * sizeof(entries[0]));
}

bool standinimage_write(const struct standin_image *image, int fd, size_t *ret_functions,
			struct err *err)
{
	CLEANUP(making_deinit)
	struct making making = { .image = image, .machine = machine_standin() };
	uint32_t soname, libc;

	if (!making.machine || making.machine->elf != image->library->machine)
		return err_set(err, ERR_UNSUPPORTED, "%s: stand-ins are written for x86-64 alone",
			       image->library->path);
	part_init(making.parts);
	list_functions(&making);
	add_parts(&making, &soname, &libc);
	part_place(making.parts);
	fill_symbols(&making);
	fill_imports(&making);
	fill_code(&making);
	fill_frames(&making);
	fill_dynamic(&making, soname, libc);
	if (!part_write(making.parts, making.machine->elf, fd, err))
		return false;
	*ret_functions = making.count;
	return true;
}
