// SPDX-License-Identifier: Apache-2.0
#include "correlate/attribute.h"

#include "correlate/mechanism.h"

#include <string.h>

/** The byte at @place of the ELF file @map: by vaddr where it is loaded there, else by offset. */
static void locate(struct elfmap *map, const struct aspace_place *place, struct elfmap_place *ret)
{
	if (place->has_vaddr) {
		elfmap_locate(map, place->vaddr, ret);
		if (ret->segment)
			return;
	}
	// A page at a segment's boundary shows bytes of its neighbour, or of no segment.
	if (!place->has_offset)
		return;
	elfmap_locate_offset(map, place->offset, ret);
	if (ret->has_vaddr)
		return; // the neighbour's byte, where the neighbour's own mapping has it
	ret->has_vaddr = place->has_vaddr;
	ret->vaddr = place->vaddr;
}

static const struct model_place nowhere = {
	.object = MODEL_NONE,
	.section = MODEL_NONE,
	.name = MODEL_NONE,
};

static struct model_place place_of(const struct aspace_place *from)
{
	struct model_place place = nowhere;

	place.object = from->object;
	place.has_offset = from->has_offset;
	place.offset = from->offset;
	place.has_vaddr = from->has_vaddr;
	place.vaddr = from->vaddr;
	return place;
}

/** How far @at is behind the first byte of what names it; 0 where nothing does. */
static uint64_t name_offset(const struct elfmap_place *at)
{
	if (at->symbol)
		return at->vaddr - at->symbol->vaddr;
	return at->entry.kind != ELFMAP_ENTRY_NONE ? at->vaddr - at->entry.vaddr : 0;
}

struct model_place attribute_code(struct attribution *attribution, struct process *process,
				  uint64_t addr)
{
	struct aspace_place place;

	if (!aspace_find(process->aspace, addr, &place))
		return nowhere;
	struct model_place code = place_of(&place);
	struct elfmap *map = objects_map(attribution->objects, place.object);
	if (!map || (!place.has_vaddr && !place.has_offset)) {
		code.name = builder_function(attribution->builder, place.object, NULL);
		return code;
	}

	struct elfmap_place at;
	locate(map, &place, &at);
	code.has_vaddr = at.has_vaddr;
	code.vaddr = at.vaddr;
	code.name = builder_function(attribution->builder, place.object, &at);
	code.name_offset = name_offset(&at);
	return code;
}

static enum model_access decide_access(struct attribution *attribution,
				       const struct trace_fault *fault,
				       const struct aspace_place *at, const struct model_place *by)
{
	if (fault->flags & TRACE_FAULT_HAS_ERROR_CODE) {
		if (fault->error_code & TRACE_ERROR_FETCH)
			return MODEL_ACCESS_EXEC;
		return fault->error_code & TRACE_ERROR_WRITE ? MODEL_ACCESS_WRITE
							     : MODEL_ACCESS_READ;
	}
	if (!(fault->flags & TRACE_FAULT_HAS_USER_IP) || (fault->flags & TRACE_FAULT_KERNEL))
		return MODEL_ACCESS_UNKNOWN;
	// The bytes of an instruction may cross into the page that faulted.
	if (fault->addr - fault->ip < 16)
		return MODEL_ACCESS_EXEC;
	if (at->mapping && !(at->mapping->protection & TRACE_PROTECTION_WRITE))
		return MODEL_ACCESS_READ;

	struct elfmap *map = by->object == MODEL_NONE || !by->has_vaddr
				     ? NULL
				     : objects_map(attribution->objects, by->object);
	return map ? access_decode(attribution->decoder, map, by->object, by->vaddr)
		   : MODEL_ACCESS_UNKNOWN;
}

/** Fill @fault->at for an ELF file. */
static void fill_elf(struct attribution *attribution, struct elfmap *map,
		     const struct aspace_place *place, struct model_fault *fault)
{
	struct model_counts *counts = &attribution->builder->rows.model->counts;
	struct elfmap_place at = { 0 };

	locate(map, place, &at);
	fault->at.has_offset = at.has_offset;
	fault->at.offset = at.offset;
	fault->at.has_vaddr = at.has_vaddr;
	fault->at.vaddr = at.vaddr;
	counts->in_elf_section += strcmp(at.section_name, "[padding]") != 0;
	counts->in_elf_symbol += at.symbol || at.entry.kind != ELFMAP_ENTRY_NONE;
	fault->at.section =
		builder_section(attribution->builder, place->object, at.section_name, at.section);
	fault->at.name =
		builder_symbol(attribution->builder, place->object, fault->at.section, &at);
	fault->at.name_offset = name_offset(&at);
}

static void fill_at(struct attribution *attribution, const struct aspace_place *place,
		    struct model_fault *fault)
{
	struct model_counts *counts = &attribution->builder->rows.model->counts;
	struct elfmap *map = objects_map(attribution->objects, place->object);
	size_t count;
	const struct object *object = &objects_all(attribution->objects, &count)[place->object];

	fault->at = place_of(place);
	counts->in_elf += object->is_elf;
	if (map) {
		fill_elf(attribution, map, place, fault);
		return;
	}
	const char *name = !object->is_file ? object->path : object->is_elf ? NULL : "[file]";
	fault->at.section = builder_section(attribution->builder, place->object, name, NULL);
}

static enum model_mechanism decide_mechanism(struct attribution *attribution,
					     struct process *process,
					     const struct trace_fault *fault,
					     const struct aspace_place *at,
					     enum model_access access)
{
	bool is_inferred;
	struct mechanism_page page = { .number = fault->addr / attribution->page_size };

	if (at->mapping) {
		size_t count;

		page.is_file = at->has_offset;
		page.is_shared = at->mapping->is_shared;
		page.is_shared_memory =
			objects_all(attribution->objects, &count)[at->object].is_shared_memory;
	}
	enum model_mechanism mechanism =
		mechanism_decide(fault, access, &page, process->history, &is_inferred);
	attribution->inferred_mechanisms += is_inferred;
	return mechanism;
}

void attribute_fault(struct attribution *attribution, struct process *process,
		     const struct trace_fault *from, struct model_fault *ret_fault)
{
	struct model_counts *counts = &attribution->builder->rows.model->counts;
	struct model_fault fault = {
		.time_ns = from->time_ns - attribution->start_ns,
		.duration_ns = from->duration_ns,
		.has_duration = from->flags & TRACE_FAULT_HAS_DURATION,
		.addr = from->addr,
		.ip = from->ip,
		.has_ip = from->flags & TRACE_FAULT_HAS_USER_IP,
		.pid = from->pid,
		.tid = from->tid,
		.comm = MODEL_NONE,
		.stack = MODEL_NONE,
		.kind = from->flags & TRACE_FAULT_MAJOR ? MODEL_MAJOR : MODEL_MINOR,
		.mode = from->flags & TRACE_FAULT_KERNEL ? MODEL_KERNEL : MODEL_USER,
		.mechanism = MODEL_MECHANISM_OTHER,
		.initiator = MODEL_INITIATOR_UNKNOWN,
		.initializer = MODEL_NONE,
		.blame = MODEL_NONE,
		.by_code = MODEL_NONE,
		.at = nowhere,
		.by = nowhere,
	};
	struct aspace_place at = { .object = MODEL_NONE };
	bool is_attributed = aspace_find(process->aspace, from->addr, &at);

	counts->recorded++;
	counts->attributed += is_attributed;
	counts->unattributed += !is_attributed;
	counts->minor += fault.kind == MODEL_MINOR;
	counts->major += fault.kind == MODEL_MAJOR;
	if (is_attributed)
		fill_at(attribution, &at, &fault);

	if (fault.has_ip)
		fault.by = attribute_code(attribution, process, from->ip);
	enum model_access access = decide_access(attribution, from, &at, &fault.by);
	fault.access = (uint8_t)access; // the model's bytes hold small enums
	if (is_attributed)
		fault.mechanism =
			(uint8_t)decide_mechanism(attribution, process, from, &at, access);

	if (from->flags & TRACE_FAULT_HAS_AROUND) {
		fault.has_around = true;
		fault.around_offset = from->around_offset;
		fault.around_pages = from->around_pages;
	}
	if (from->flags & TRACE_FAULT_HAS_READ) {
		fault.has_read = true;
		fault.read_offset = from->read_offset;
		fault.read_pages = from->read_pages;
		fault.read_span = from->read_span;
		counts->read_bytes += from->read_pages * attribution->page_size;
	}
	*ret_fault = fault;
}
