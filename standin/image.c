// SPDX-License-Identifier: Apache-2.0
// One segment that is read and executed, with all tables, and one that is written: the dynamic
// section, the GOT, the handle and the slots, none of which is written before a function is called.
#include "standin/image.h"

#include "base/range.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "machine/page.h"
#include "machine/standin.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/** The sections, in the order of the file. */
enum part_id {
	PART_NONE,
	BUILD_ID,
	ABOUT,
	GNU_HASH,
	DYNSYM,
	DYNSTR,
	VERSYM,
	VERDEF,
	VERNEED,
	RELA_PLT,
	FRAMES_HEADER,
	FRAMES,
	TEXT,
	RODATA,
	DYNAMIC, // here the written segment begins
	GOT_PLT,
	DATA,
	SHSTRTAB,
	PARTS,
};

struct part {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, align, entry_size;
	struct strbuf bytes;
	uint64_t offset, vaddr, size;
};

/** Without bytes. */
static const struct part kinds[PARTS] = {
	[PART_NONE] = { "", SHT_NULL, 0 },
	[BUILD_ID] = { ".note.gnu.build-id", SHT_NOTE, 0, 0, SHF_ALLOC, 4 },
	[ABOUT] = { ".note.elfault.standin", SHT_NOTE, 0, 0, SHF_ALLOC, 4 },
	[GNU_HASH] = { ".gnu.hash", SHT_GNU_HASH, DYNSYM, 0, SHF_ALLOC, 8 },
	[DYNSYM] = { ".dynsym", SHT_DYNSYM, DYNSTR, 1, SHF_ALLOC, 8, sizeof(Elf64_Sym) },
	[DYNSTR] = { ".dynstr", SHT_STRTAB, 0, 0, SHF_ALLOC, 1 },
	[VERSYM] = { ".gnu.version", SHT_GNU_versym, DYNSYM, 0, SHF_ALLOC, 2, 2 },
	[VERDEF] = { ".gnu.version_d", SHT_GNU_verdef, DYNSTR, 0, SHF_ALLOC, 8 },
	[VERNEED] = { ".gnu.version_r", SHT_GNU_verneed, DYNSTR, 1, SHF_ALLOC, 8 },
	[RELA_PLT] = { ".rela.plt", SHT_RELA, DYNSYM, GOT_PLT, SHF_ALLOC | SHF_INFO_LINK, 8,
		       sizeof(Elf64_Rela) },
	[FRAMES_HEADER] = { ".eh_frame_hdr", SHT_PROGBITS, 0, 0, SHF_ALLOC, 4 },
	[FRAMES] = { ".eh_frame", SHT_PROGBITS, 0, 0, SHF_ALLOC, 8 },
	[TEXT] = { ".text", SHT_PROGBITS, 0, 0, SHF_ALLOC | SHF_EXECINSTR, 32 },
	[RODATA] = { ".rodata", SHT_PROGBITS, 0, 0, SHF_ALLOC, 8 },
	[DYNAMIC] = { ".dynamic", SHT_DYNAMIC, DYNSTR, 0, SHF_ALLOC | SHF_WRITE, 8,
		      sizeof(Elf64_Dyn) },
	[GOT_PLT] = { ".got.plt", SHT_PROGBITS, 0, 0, SHF_ALLOC | SHF_WRITE, 8, 8 },
	[DATA] = { ".data", SHT_PROGBITS, 0, 0, SHF_ALLOC | SHF_WRITE, 8 },
	[SHSTRTAB] = { ".shstrtab", SHT_STRTAB, 0, 0, 0, 1 },
};

enum {
	SEGMENTS = 7,
	GOT_WORDS = 3, // of the dynamic linker
	DYNAMIC_MAX = 24,
	BUILD_ID_BYTES = 16,
};

/** A function that is exported. */
struct function {
	const struct standin_symbol *symbol;
	uint32_t hash, bucket;
};

struct making {
	const struct standin_image *image;
	const struct machine_standin *machine;
	struct part parts[PARTS];
	struct function *functions; // sorted by bucket
	size_t count;
	uint32_t buckets;
	uint32_t *names, *versions; // of each function, in .dynstr
	uint32_t path, folder;	    // in .rodata
};

static void making_deinit(struct making *making)
{
	for (size_t i = 0; i < PARTS; i++)
		strbuf_deinit(&making->parts[i].bytes);
	free(making->functions);
	free(making->names);
	free(making->versions);
}

static void add(struct making *making, enum part_id part, const void *bytes, size_t size)
{
	strbuf_add(&making->parts[part].bytes, bytes, size);
}

#define ADD(making, part, ...)                                        \
	do {                                                          \
		const __typeof__(__VA_ARGS__) value_ = (__VA_ARGS__); \
		add(making, part, &value_, sizeof(value_));           \
	} while (0)

static void add_zeros(struct making *making, enum part_id part, size_t size)
{
	for (size_t i = 0; i < size; i++)
		strbuf_putc(&making->parts[part].bytes, '\0');
}

static size_t size_of(const struct making *making, enum part_id part)
{
	return making->parts[part].bytes.length;
}

/** Append @text to a table of strings. Returns: its place there. */
static uint32_t add_string(struct making *making, enum part_id part, const char *text)
{
	const size_t at = size_of(making, part);

	add(making, part, text, strlen(text) + 1);
	return (uint32_t)at;
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

static int by_bucket(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->bucket != y->bucket)
		return x->bucket < y->bucket ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

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
	add(making, GNU_HASH, head, sizeof(head));
	add(making, GNU_HASH, bloom, words * sizeof(*bloom));
	add(making, GNU_HASH, buckets, making->buckets * sizeof(*buckets));
	for (size_t i = 0; i < making->count; i++) {
		const bool is_last = i + 1 == making->count ||
				     making->functions[i + 1].bucket != making->functions[i].bucket;

		ADD(making, GNU_HASH, (uint32_t)((making->functions[i].hash & ~1U) | is_last));
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

		ADD(making, VERDEF,
		    (Elf64_Verdef){
			    .vd_version = VER_DEF_CURRENT,
			    .vd_flags = version->flags,
			    .vd_ndx = version->index,
			    .vd_cnt = names,
			    .vd_hash = (Elf64_Word)elf_hash(version->name),
			    .vd_aux = sizeof(Elf64_Verdef),
			    .vd_next = is_last ? 0 : size,
		    });
		ADD(making, VERDEF,
		    (Elf64_Verdaux){
			    .vda_name = add_string(making, DYNSTR, version->name),
			    .vda_next = version->parent ? sizeof(Elf64_Verdaux) : 0,
		    });
		if (version->parent)
			ADD(making, VERDEF,
			    (Elf64_Verdaux){ .vda_name =
						     add_string(making, DYNSTR, version->parent) });
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
	ADD(making, VERNEED,
	    (Elf64_Verneed){
		    .vn_version = VER_NEED_CURRENT,
		    .vn_cnt = count,
		    .vn_file = libc,
		    .vn_aux = sizeof(Elf64_Verneed),
	    });
	for (size_t i = 0; i < making->machine->import_count; i++) {
		const char *name = making->machine->imports[i].version;

		if (is_new_version(making, i))
			ADD(making, VERNEED,
			    (Elf64_Vernaux){
				    .vna_hash = (Elf64_Word)elf_hash(name),
				    .vna_other = import_version(making, i),
				    .vna_name = add_string(making, DYNSTR, name),
				    .vna_next = --count ? sizeof(Elf64_Vernaux) : 0,
			    });
	}
}

// ---- Parts whose size is all that is known at first ---------------------------------------------

static void add_symbols(struct making *making)
{
	const uint8_t weak = ELF64_ST_INFO(STB_WEAK, STT_FUNC);
	const uint8_t global = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);

	ADD(making, DYNSYM, (Elf64_Sym){ 0 });
	ADD(making, VERSYM, (uint16_t)0);
	for (size_t i = 0; i < making->machine->import_count; i++) {
		ADD(making, DYNSYM,
		    (Elf64_Sym){
			    .st_name = add_string(making, DYNSTR, making->machine->imports[i].name),
			    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		    });
		ADD(making, VERSYM, import_version(making, i));
	}
	for (size_t i = 0; i < making->count; i++) {
		const struct standin_symbol *symbol = making->functions[i].symbol;

		making->names[i] = add_string(making, DYNSTR, symbol->name);
		if (symbol->version)
			making->versions[i] = add_string(making, DYNSTR, symbol->version);
		ADD(making, DYNSYM,
		    (Elf64_Sym){
			    .st_name = making->names[i],
			    .st_info = symbol->binding == STB_WEAK ? weak : global,
			    .st_shndx = TEXT,
			    .st_value = i, // until its place is known
			    .st_size = STANDIN_ENTRY_BYTES,
		    });
		ADD(making, VERSYM, symbol->version_index);
	}
}

static void add_note(struct making *making, enum part_id part, const char *owner, uint32_t type,
		     const char *bytes, size_t size)
{
	const uint32_t length = (uint32_t)strlen(owner) + 1;

	ADD(making, part, (Elf64_Nhdr){ length, (uint32_t)size, type });
	add(making, part, owner, length);
	add_zeros(making, part, (4 - length % 4) % 4);
	add(making, part, bytes, size);
	add_zeros(making, part, (4 - size % 4) % 4);
}

static void add_read_only(struct making *making)
{
	const struct standin_image *image = making->image;
	const char *folder = image->folder ? image->folder : "";

	for (size_t i = 0; i < making->count; i++) {
		ADD(making, RODATA, making->names[i]);
		ADD(making, RODATA, making->versions[i]);
	}
	making->path = add_string(making, RODATA, image->path);
	making->folder = (uint32_t)size_of(making, RODATA);
	add(making, RODATA, "LD_LIBRARY_PATH=", strlen("LD_LIBRARY_PATH="));
	add_string(making, RODATA, folder);
}

static void add_parts(struct making *making, uint32_t *ret_soname, uint32_t *ret_libc)
{
	static const char unknown[BUILD_ID_BYTES];
	const size_t imports = making->machine->import_count;

	add_string(making, DYNSTR, "");
	*ret_soname = add_string(making, DYNSTR, making->image->library->soname);
	*ret_libc = add_string(making, DYNSTR, "libc.so.6");
	add_note(making, BUILD_ID, "GNU", NT_GNU_BUILD_ID, unknown, sizeof(unknown));
	add_note(making, ABOUT, "elfault", 1, making->image->about,
		 strlen(making->image->about) + 1);
	add_hash(making);
	add_symbols(making);
	add_definitions(making);
	add_needs(making, *ret_libc);
	add_zeros(making, RELA_PLT, imports * sizeof(Elf64_Rela));
	add_zeros(making, FRAMES_HEADER, 12 + STANDIN_FRAME_RECORDS * 8);
	add_zeros(making, FRAMES, STANDIN_FRAMES_MAX);
	add(making, TEXT, making->machine->code, making->machine->places->size);
	add_zeros(making, TEXT,
		  align_up(size_of(making, TEXT), STANDIN_ENTRY_BYTES) - size_of(making, TEXT));
	add_zeros(making, TEXT, making->count * STANDIN_ENTRY_BYTES);
	add_read_only(making);
	add_zeros(making, DYNAMIC, DYNAMIC_MAX * sizeof(Elf64_Dyn));
	add_zeros(making, GOT_PLT, (GOT_WORDS + imports) * 8);
	add_zeros(making, DATA, 8 + making->count * 8);
	for (size_t i = 0; i < PARTS; i++)
		add_string(making, SHSTRTAB, making->parts[i].name);
}

// ---- Places -------------------------------------------------------------------------------------

/** Give each part its place: in the file the parts follow one another. Returns: the end. */
static uint64_t place_parts(struct making *making)
{
	uint64_t at = sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr);

	for (size_t i = 1; i < PARTS; i++) {
		struct part *part = &making->parts[i];

		part->size = part->bytes.length;
		at = align_up(at, part->align);
		part->offset = at;
		// The segment that is written is a page further on in memory.
		if (part->flags & SHF_ALLOC)
			part->vaddr = i >= DYNAMIC ? at + MACHINE_PAGE : at;
		at += part->size;
	}
	return at;
}

static uint64_t vaddr_of(const struct making *making, enum part_id part)
{
	return making->parts[part].vaddr;
}

static uint64_t entries_offset(const struct making *making)
{
	return align_up(making->machine->places->size, STANDIN_ENTRY_BYTES);
}

static void fill_symbols(struct making *making)
{
	Elf64_Sym *symbols = (Elf64_Sym *)making->parts[DYNSYM].bytes.text;
	const uint64_t entries = vaddr_of(making, TEXT) + entries_offset(making);

	for (size_t i = 0; i < making->count; i++)
		symbols[first_export(making) + i].st_value = entries + i * STANDIN_ENTRY_BYTES;
}

static void fill_imports(struct making *making)
{
	const struct machine_standin *machine = making->machine;
	Elf64_Rela *relocations = (Elf64_Rela *)making->parts[RELA_PLT].bytes.text;
	uint64_t *got = (uint64_t *)making->parts[GOT_PLT].bytes.text;

	got[0] = vaddr_of(making, DYNAMIC);
	for (size_t i = 0; i < machine->import_count; i++) {
		got[GOT_WORDS + i] =
			vaddr_of(making, TEXT) + machine->places->lazy + i * STANDIN_LAZY_BYTES;
		relocations[i] = (Elf64_Rela){
			.r_offset = vaddr_of(making, GOT_PLT) + (GOT_WORDS + i) * 8,
			.r_info = ELF64_R_INFO(1 + i, machine->jump_slot),
		};
	}
}

static void fill_code(struct making *making)
{
	const uint64_t head = vaddr_of(making, TEXT), entries = head + entries_offset(making);
	const uint64_t slots = vaddr_of(making, DATA) + 8, rodata = vaddr_of(making, RODATA);
	uint8_t *code = (uint8_t *)making->parts[TEXT].bytes.text;
	uint64_t *data = (uint64_t *)making->parts[DATA].bytes.text;
	const uint64_t fields[STANDIN_FIELDS] = {
		[STANDIN_GOT] = vaddr_of(making, GOT_PLT) - head,
		[STANDIN_SLOTS] = slots - head,
		[STANDIN_HANDLE] = vaddr_of(making, DATA) - head,
		[STANDIN_FUNCTIONS] = rodata - head,
		[STANDIN_STRINGS] = vaddr_of(making, DYNSTR) - head,
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
	const uint64_t header = vaddr_of(making, FRAMES_HEADER), frames = vaddr_of(making, FRAMES);
	const uint8_t encodings[] = {
		1,
		DW_EH_PE_pcrel | DW_EH_PE_sdata4,
		DW_EH_PE_udata4,
		DW_EH_PE_datarel | DW_EH_PE_sdata4,
	};
	int32_t starts[STANDIN_FRAME_RECORDS][2];
	int32_t *words = (int32_t *)making->parts[FRAMES_HEADER].bytes.text;
	const int64_t code = (int64_t)(vaddr_of(making, TEXT) - frames);
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
	const struct part *parts = making->parts;
	const uint64_t text = vaddr_of(making, TEXT);
	const Elf64_Dyn entries[] = {
		{ DT_SONAME, { soname } },
		{ DT_NEEDED, { libc } },
		{ DT_INIT, { text + places->start } },
		{ DT_FINI, { text + places->finish } },
		{ DT_GNU_HASH, { vaddr_of(making, GNU_HASH) } },
		{ DT_STRTAB, { vaddr_of(making, DYNSTR) } },
		{ DT_SYMTAB, { vaddr_of(making, DYNSYM) } },
		{ DT_STRSZ, { parts[DYNSTR].size } },
		{ DT_SYMENT, { sizeof(Elf64_Sym) } },
		{ DT_PLTGOT, { vaddr_of(making, GOT_PLT) } },
		{ DT_PLTRELSZ, { parts[RELA_PLT].size } },
		{ DT_PLTREL, { DT_RELA } },
		{ DT_JMPREL, { vaddr_of(making, RELA_PLT) } },
		{ DT_VERSYM, { vaddr_of(making, VERSYM) } },
		{ DT_VERNEED, { vaddr_of(making, VERNEED) } },
		{ DT_VERNEEDNUM, { 1 } },
		{ DT_VERDEF, { vaddr_of(making, VERDEF) } },
		{ DT_VERDEFNUM, { making->image->library->version_count } },
	};
	const size_t unversioned = making->image->library->version_count ? 0 : 2;

	_Static_assert(sizeof(entries) / sizeof(entries[0]) < DYNAMIC_MAX, "room for DT_NULL");
	memcpy(making->parts[DYNAMIC].bytes.text, entries,
	       sizeof(entries) - unversioned * sizeof(entries[0]));
}

/** The build-id is made of all bytes, with none in its place. */
static void fill_build_id(struct making *making)
{
	struct part *part = &making->parts[BUILD_ID];
	XXH3_state_t *state = XXH3_createState();

	XXH3_128bits_reset(state);
	for (size_t i = 0; i < PARTS; i++)
		XXH3_128bits_update(state, making->parts[i].bytes.text,
				    making->parts[i].bytes.length);
	const XXH128_hash_t hash = XXH3_128bits_digest(state);

	XXH3_freeState(state);
	memcpy(part->bytes.text + part->size - BUILD_ID_BYTES, &hash, BUILD_ID_BYTES);
}

// ---- The file -----------------------------------------------------------------------------------

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

static Elf64_Phdr segment_of(const struct making *making, uint32_t type, enum part_id part)
{
	const struct part *from = &making->parts[part];

	return (Elf64_Phdr){
		.p_type = type,
		.p_flags = from->flags & SHF_WRITE ? PF_R | PF_W : PF_R,
		.p_offset = from->offset,
		.p_vaddr = from->vaddr,
		.p_paddr = from->vaddr,
		.p_filesz = from->size,
		.p_memsz = from->size,
		.p_align = from->align,
	};
}

static void fill_segments(const struct making *making, Elf64_Phdr *segments)
{
	const struct part *parts = making->parts;
	Elf64_Phdr code = segment_of(making, PT_LOAD, RODATA),
		   data = segment_of(making, PT_LOAD, DYNAMIC);

	code.p_filesz = code.p_memsz = code.p_offset + code.p_filesz;
	code.p_offset = code.p_vaddr = code.p_paddr = 0;
	code.p_flags |= PF_X;
	data.p_filesz = data.p_memsz = parts[DATA].offset + parts[DATA].size - data.p_offset;
	code.p_align = data.p_align = MACHINE_PAGE;
	segments[0] = code;
	segments[1] = data;
	segments[2] = segment_of(making, PT_DYNAMIC, DYNAMIC);
	segments[3] = segment_of(making, PT_NOTE, BUILD_ID);
	segments[4] = segment_of(making, PT_NOTE, ABOUT);
	segments[5] = segment_of(making, PT_GNU_EH_FRAME, FRAMES_HEADER);
	segments[6] = (Elf64_Phdr){ .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16 };
}

/** Give @elf a section for each part that has bytes. False: libelf failed. */
static bool add_sections(const struct making *making, Elf *elf)
{
	uint32_t name = 1;

	for (size_t i = 1; i < PARTS; name += (uint32_t)strlen(making->parts[i++].name) + 1) {
		const struct part *part = &making->parts[i];
		Elf_Scn *section = elf_newscn(elf);
		Elf_Data *data = section ? elf_newdata(section) : NULL;
		Elf64_Shdr *header = section ? elf64_getshdr(section) : NULL;

		if (!data || !header)
			return false;
		*header = (Elf64_Shdr){
			.sh_name = name,
			.sh_type = part->type,
			.sh_flags = part->flags,
			.sh_addr = part->vaddr,
			.sh_offset = part->offset,
			.sh_size = part->size,
			.sh_link = part->link,
			.sh_info = part->info,
			.sh_addralign = part->align,
			.sh_entsize = part->entry_size,
		};
		*data = (Elf_Data){
			.d_buf = part->bytes.text,
			.d_type = ELF_T_BYTE,
			.d_size = part->size,
			.d_align = part->align,
			.d_version = EV_CURRENT,
		};
	}
	return true;
}

static bool write_file(const struct making *making, uint64_t end, int fd)
{
	CLEANUP(elf_endp) Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	Elf64_Ehdr *header = elf ? elf64_newehdr(elf) : NULL;
	Elf64_Phdr *segments = header ? elf64_newphdr(elf, SEGMENTS) : NULL;

	if (!segments)
		return false;
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_type = ET_DYN;
	header->e_machine = making->machine->elf;
	header->e_version = EV_CURRENT;
	header->e_phoff = sizeof(*header);
	header->e_shoff = align_up(end, 8);
	header->e_shstrndx = SHSTRTAB;
	fill_segments(making, segments);
	return add_sections(making, elf) && elf_update(elf, ELF_C_WRITE) >= 0;
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
	memcpy(making.parts, kinds, sizeof(kinds));
	elf_version(EV_CURRENT);
	list_functions(&making);
	add_parts(&making, &soname, &libc);
	const uint64_t end = place_parts(&making);

	fill_symbols(&making);
	fill_imports(&making);
	fill_code(&making);
	fill_frames(&making);
	fill_dynamic(&making, soname, libc);
	fill_build_id(&making);
	if (!write_file(&making, end, fd))
		return err_set(err, ERR_OS, "writing: %s", elf_errmsg(-1));
	*ret_functions = making.count;
	return true;
}
