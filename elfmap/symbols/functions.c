// SPDX-License-Identifier: Apache-2.0
// Beginnings of functions: places that are instructions for certain, unlike labels and data in
// code.
#include "elfmap/private.h"

/** PLT stubs are no functions that a linker could move. */
static bool is_stub(const struct elfmap_section *section)
{
	return strncmp(section->name, ".plt", 4) == 0 || strcmp(section->name, ".iplt") == 0;
}

static bool is_code(const struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_section *section = elfmap_section_at(map, vaddr);
	const struct elfmap_segment *load = elfmap_load_at(map, vaddr);

	if (!load || !(load->flags & PF_X))
		return false;
	return !section ||
	       (section->flags & SHF_EXECINSTR && section->has_bytes && !is_stub(section));
}

/** True if a FDE begins at @vaddr; *@at is moved on, addresses come sorted. */
static bool begins_frame(const struct elfmap_frame *frames, size_t count, size_t *at,
			 uint64_t vaddr)
{
	while (*at < count && frames[*at].code.start < vaddr)
		(*at)++;
	return *at < count && frames[*at].code.start == vaddr;
}

/** Find the function that begins at the vaddr of @symbols[0], @count symbols. */
static bool function_of(struct elfmap *map, const struct elfmap_symbol *symbols, size_t count,
			bool is_frame, struct elfmap_function *ret_function)
{
	bool is_function = false;

	*ret_function = (struct elfmap_function){
		.vaddr = symbols[0].vaddr,
		.symbols = symbols,
		.symbol_count = count,
	};
	array_foreach (symbol, symbols, count) {
		if (symbol->type == STT_OBJECT)
			return false; // a table among the code, whatever else begins there
		if (!elfmap_is_function(symbol))
			continue;
		// A range of .eh_frame may be what symbols leave of it.
		if (symbol->source == ELFMAP_SYMBOLS_EH_FRAME && !is_frame)
			continue;
		is_function = true;
		ret_function->has_name |= symbol->source != ELFMAP_SYMBOLS_EH_FRAME;
		if (symbol->size > ret_function->size)
			ret_function->size = symbol->size;
	}
	return is_function && is_code(map, ret_function->vaddr) &&
	       elfmap_vaddr_to_offset(map, ret_function->vaddr, &ret_function->offset);
}

const struct elfmap_function *elfmap_functions(struct elfmap *map, size_t *ret_count)
{
	if (!map->functions) {
		size_t symbol_count, frame_count, same, frame = 0;
		const struct elfmap_symbol *symbols = elfmap_symbols(map, &symbol_count);
		const struct elfmap_frame *frames = elfmap_frames(map, &frame_count);
		CLEANUP(vec_release) VEC(struct elfmap_function) list = { 0 };

		for (size_t i = 0; i < symbol_count; i += same) {
			struct elfmap_function function;

			for (same = 1;
			     i + same < symbol_count && symbols[i + same].vaddr == symbols[i].vaddr;
			     same++)
				;
			bool is_frame = begins_frame(frames, frame_count, &frame, symbols[i].vaddr);

			if (function_of(map, &symbols[i], same, is_frame, &function))
				vec_push(&list, function);
		}
		map->functions = vec_keep_counted(&list, &map->arena, &map->function_count);
	}
	*ret_count = map->function_count;
	return map->functions;
}
