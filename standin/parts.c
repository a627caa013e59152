// SPDX-License-Identifier: Apache-2.0
#include "standin/parts.h"

#include "base/cleanup.h"
#include "base/range.h"
#include "machine/page.h"

#include <gelf.h>
#include <string.h>
#include <xxhash.h>

enum { SEGMENTS = 7, BUILD_ID_BYTES = 16 };

/** Without bytes. */
static const struct standin_part kinds[PARTS] = {
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

void part_init(struct standin_part *parts)
{
	static const char unknown[BUILD_ID_BYTES];

	memcpy(parts, kinds, sizeof(kinds));
	part_add_note(parts, BUILD_ID, "GNU", NT_GNU_BUILD_ID, unknown, sizeof(unknown));
}

void part_deinit(struct standin_part *parts)
{
	for (size_t i = 0; i < PARTS; i++)
		strbuf_deinit(&parts[i].bytes);
}

void part_add(struct standin_part *parts, enum standin_part_id part, const void *bytes, size_t size)
{
	strbuf_add(&parts[part].bytes, bytes, size);
}

void part_add_zeros(struct standin_part *parts, enum standin_part_id part, size_t size)
{
	for (size_t i = 0; i < size; i++)
		strbuf_putc(&parts[part].bytes, '\0');
}

size_t part_size(const struct standin_part *parts, enum standin_part_id part)
{
	return parts[part].bytes.length;
}

uint32_t part_add_string(struct standin_part *parts, enum standin_part_id part, const char *text)
{
	const size_t at = part_size(parts, part);

	part_add(parts, part, text, strlen(text) + 1);
	return (uint32_t)at;
}

void part_add_note(struct standin_part *parts, enum standin_part_id part, const char *owner,
		   uint32_t type, const char *bytes, size_t size)
{
	const uint32_t length = (uint32_t)strlen(owner) + 1;

	PART_ADD(parts, part, (Elf64_Nhdr){ length, (uint32_t)size, type });
	part_add(parts, part, owner, length);
	part_add_zeros(parts, part, (4 - length % 4) % 4);
	part_add(parts, part, bytes, size);
	part_add_zeros(parts, part, (4 - size % 4) % 4);
}

void part_place(struct standin_part *parts)
{
	uint64_t at = sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr);

	for (size_t i = 1; i < PARTS; i++) {
		struct standin_part *part = &parts[i];

		part->size = part->bytes.length;
		at = align_up(at, part->align);
		part->offset = at;
		// The segment that is written is a page further on in memory.
		if (part->flags & SHF_ALLOC)
			part->vaddr = i >= DYNAMIC ? at + MACHINE_PAGE : at;
		at += part->size;
	}
}

/** The build-id is made of all bytes, with none in its place. */
static void fill_build_id(struct standin_part *parts)
{
	struct standin_part *part = &parts[BUILD_ID];
	XXH3_state_t *state = XXH3_createState();

	XXH3_128bits_reset(state);
	for (size_t i = 0; i < PARTS; i++)
		XXH3_128bits_update(state, parts[i].bytes.text, parts[i].bytes.length);
	const XXH128_hash_t hash = XXH3_128bits_digest(state);

	XXH3_freeState(state);
	memcpy(part->bytes.text + part->size - BUILD_ID_BYTES, &hash, BUILD_ID_BYTES);
}

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

static Elf64_Phdr segment_of(const struct standin_part *parts, uint32_t type,
			     enum standin_part_id part)
{
	const struct standin_part *from = &parts[part];

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

static void fill_segments(const struct standin_part *parts, Elf64_Phdr *segments)
{
	Elf64_Phdr code = segment_of(parts, PT_LOAD, RODATA),
		   data = segment_of(parts, PT_LOAD, DYNAMIC);

	code.p_filesz = code.p_memsz = code.p_offset + code.p_filesz;
	code.p_offset = code.p_vaddr = code.p_paddr = 0;
	code.p_flags |= PF_X;
	data.p_filesz = data.p_memsz = parts[DATA].offset + parts[DATA].size - data.p_offset;
	code.p_align = data.p_align = MACHINE_PAGE;
	segments[0] = code;
	segments[1] = data;
	segments[2] = segment_of(parts, PT_DYNAMIC, DYNAMIC);
	segments[3] = segment_of(parts, PT_NOTE, BUILD_ID);
	segments[4] = segment_of(parts, PT_NOTE, ABOUT);
	segments[5] = segment_of(parts, PT_GNU_EH_FRAME, FRAMES_HEADER);
	segments[6] = (Elf64_Phdr){ .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16 };
}

/** Give @elf a section for each part that has bytes. False: libelf failed. */
static bool add_sections(const struct standin_part *parts, Elf *elf)
{
	uint32_t name = 1;

	for (size_t i = 1; i < PARTS; name += (uint32_t)strlen(parts[i++].name) + 1) {
		const struct standin_part *part = &parts[i];
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

static bool write_file(const struct standin_part *parts, uint16_t machine, int fd)
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
	header->e_machine = machine;
	header->e_version = EV_CURRENT;
	header->e_phoff = sizeof(*header);
	header->e_shoff = align_up(parts[SHSTRTAB].offset + parts[SHSTRTAB].size, 8);
	header->e_shstrndx = SHSTRTAB;
	fill_segments(parts, segments);
	return add_sections(parts, elf) && elf_update(elf, ELF_C_WRITE) >= 0;
}

bool part_write(struct standin_part *parts, uint16_t machine, int fd, struct err *err)
{
	elf_version(EV_CURRENT);
	fill_build_id(parts);
	return write_file(parts, machine, fd) ||
	       err_set(err, ERR_OS, "writing: %s", elf_errmsg(-1));
}
