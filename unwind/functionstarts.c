// SPDX-License-Identifier: Apache-2.0
#include "unwind/functionstarts.h"

#include "base/order.h"
#include "base/range.h"
#include "base/search.h"

#include <gelf.h>
#include <string.h>

/** The file's arrays of initializers and finalizers. */
struct arrays {
	VEC(struct range) list;
};

static void add(struct image *image, uint64_t vaddr)
{
	uint64_t before, after;

	if (image_code(image, vaddr, &before, &after))
		vec_push(&image->starts, vaddr);
}

static void add_symbols(struct image *image, Elf_Data *data)
{
	GElf_Sym symbol;

	for (int i = 1; data && gelf_getsym(data, i, &symbol); i++)
		if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
			add(image, symbol.st_value);
}

/** Add what stands in an array itself, where relocations only add the load bias to it. */
static void add_array(struct image *image, const Elf_Data *data)
{
	uint64_t vaddr;

	for (size_t at = 0; data && data->d_buf && data->d_size - at >= sizeof(vaddr);
	     at += sizeof(vaddr)) {
		memcpy(&vaddr, (const char *)data->d_buf + at, sizeof(vaddr));
		add(image, vaddr);
	}
}

static void add_relocated(struct image *image, const struct arrays *arrays, Elf_Data *data)
{
	GElf_Rela relocation;

	for (int i = 0; data && gelf_getrela(data, i, &relocation); i++)
		vec_foreach (array, &arrays->list)
			if (relocation.r_offset >= array->start && relocation.r_offset < array->end)
				add(image, (uint64_t)relocation.r_addend);
}

static void read_starts(struct image *image)
{
	struct arrays arrays = { 0 };
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(image->elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
			add_symbols(image, elf_getdata(section, NULL));
		if (header.sh_type != SHT_INIT_ARRAY && header.sh_type != SHT_FINI_ARRAY &&
		    header.sh_type != SHT_PREINIT_ARRAY)
			continue;
		add_array(image, elf_getdata(section, NULL));
		vec_push(&arrays.list,
			 (struct range){ header.sh_addr, header.sh_addr + header.sh_size });
	}
	while ((section = elf_nextscn(image->elf, section)))
		if (arrays.list.count && gelf_getshdr(section, &header) &&
		    header.sh_type == SHT_RELA)
			add_relocated(image, &arrays, elf_getdata(section, NULL));
	vec_deinit(&arrays.list);
	vec_sort(&image->starts, order_u64);
}

bool functionstarts_find(struct image *image, uint64_t vaddr, uint64_t *ret_start)
{
	if (!image->has_starts)
		read_starts(image);
	image->has_starts = true;

	const uint64_t *starts = image->starts.items;
	size_t behind = search_first(image->starts.count, i, starts[i] > vaddr);

	if (behind == 0)
		return false;
	*ret_start = starts[behind - 1];
	return true;
}
