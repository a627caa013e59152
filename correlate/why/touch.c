// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/touch.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/** Facts about a section, once asked for. */
struct known {
	enum touch touch;
	bool is_known;
};

struct touches {
	const struct objects *objects;
	const struct model_section *rows;
	const struct row_source *sources; // of names
	VEC(struct known) sections;	  // beside rows
};

struct touches *touches_create(const struct objects *objects, const struct model_section *sections,
			       const struct row_source *sources)
{
	struct touches *touches = xcalloc(1, sizeof(*touches));

	touches->objects = objects;
	touches->rows = sections;
	touches->sources = sources;
	return touches;
}

void touches_destroy(struct touches *touches)
{
	if (!touches)
		return;
	vec_deinit(&touches->sections);
	free(touches);
}

static enum touch of_section_name(const char *name)
{
	static const struct {
		const char *name;
		enum touch touch;
	} sections[] = {
		{ ".gnu.hash", TOUCH_LOOKUP },
		{ ".hash", TOUCH_LOOKUP },
		{ ".dynsym", TOUCH_LOOKUP },
		{ ".gnu.version", TOUCH_LOOKUP },
		{ ".dynstr", TOUCH_NAMES },
		{ ".gnu.version_r", TOUCH_NAMES },
		{ ".gnu.version_d", TOUCH_NAMES },
		{ ".rela.plt", TOUCH_PLT_RELOCATION },
		{ ".rel.plt", TOUCH_PLT_RELOCATION },
		{ ".rela.dyn", TOUCH_RELOCATION },
		{ ".rel.dyn", TOUCH_RELOCATION },
		{ ".relr.dyn", TOUCH_RELOCATION },
		{ ".eh_frame_hdr", TOUCH_UNWIND },
		{ ".eh_frame", TOUCH_UNWIND },
		{ ".gcc_except_table", TOUCH_UNWIND },
		{ ".tdata", TOUCH_TLS_IMAGE },
	};

	for (size_t i = 0; name && i < sizeof(sections) / sizeof(sections[0]); i++)
		if (strcmp(name, sections[i].name) == 0)
			return sections[i].touch;
	return TOUCH_OTHER;
}

static enum touch of_section(struct touches *touches, uint32_t section)
{
	while (touches->sections.count <= section)
		vec_push(&touches->sections, (struct known){ 0 });
	struct known *known = &touches->sections.items[section];
	if (!known->is_known)
		*known = (struct known){
			of_section_name(touches->rows[section].name),
			true,
		};
	return known->touch;
}

static enum touch of_entry(struct touches *touches, const struct model_fault *fault)
{
	const struct row_source *source;

	if (fault->at.name == MODEL_NONE)
		return TOUCH_OTHER;
	source = &touches->sources[fault->at.name];
	if (source->symbol)
		return TOUCH_OTHER;
	switch (source->entry.kind) {
	case ELFMAP_ENTRY_DYNSYM:
	case ELFMAP_ENTRY_VERSYM:
	case ELFMAP_ENTRY_HASH:
		return TOUCH_LOOKUP;
	case ELFMAP_ENTRY_DYNSTR:
	case ELFMAP_ENTRY_VERSION:
		return TOUCH_NAMES;
	case ELFMAP_ENTRY_RELOCATION:
		return TOUCH_RELOCATION;
	case ELFMAP_ENTRY_EH_FRAME:
	case ELFMAP_ENTRY_EH_FRAME_HDR:
	case ELFMAP_ENTRY_EXCEPT_TABLE:
		return TOUCH_UNWIND;
	default:
		return TOUCH_OTHER;
	}
}

static bool is_tls_image(struct elfmap *map, uint64_t vaddr)
{
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);

	for (size_t i = 0; i < count; i++)
		if (segments[i].type == PT_TLS && vaddr - segments[i].vaddr < segments[i].file_size)
			return true;
	return false;
}

static enum touch of_slot(struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_relocation *relocation = elfmap_relocation_at(map, vaddr);

	if (!relocation)
		return TOUCH_OTHER;
	switch (relocation->class) {
	case ELFMAP_RELOCATION_JUMP_SLOT:
		return TOUCH_PLT_SLOT;
	case ELFMAP_RELOCATION_COPY: // the variable itself, which others write as well
		return TOUCH_OTHER;
	default:
		return TOUCH_SLOT;
	}
}

/**
 * True if a fault of the TLS image relocates it. It is copied once its slots are relocated: what
 * maps their page before does so, even if the processor, as an emulator does, reads first.
 */
static bool relocates_tls_image(struct elfmap *map, const struct model_fault *fault)
{
	return (fault->access == MODEL_ACCESS_WRITE || fault->mechanism == MODEL_FILE_MAP ||
		fault->mechanism == MODEL_REFAULT) &&
	       elfmap_relocation_at(map, fault->at.vaddr);
}

enum touch touches_of(struct touches *touches, const struct model_fault *fault)
{
	struct elfmap *map;
	enum touch touch = TOUCH_OTHER;

	if (fault->at.object == MODEL_NONE)
		return TOUCH_OTHER;
	map = objects_opened(touches->objects, fault->at.object);
	if (!map)
		return TOUCH_OTHER;
	if (fault->at.has_vaddr && is_tls_image(map, fault->at.vaddr))
		return relocates_tls_image(map, fault) ? TOUCH_SLOT : TOUCH_TLS_IMAGE;
	if (fault->at.section != MODEL_NONE)
		touch = of_section(touches, fault->at.section);
	if (touch == TOUCH_OTHER)
		touch = of_entry(touches, fault);
	if (touch == TOUCH_OTHER && fault->at.has_vaddr && fault->access != MODEL_ACCESS_EXEC)
		touch = of_slot(map, fault->at.vaddr);
	return touch;
}
