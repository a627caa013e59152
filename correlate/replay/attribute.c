// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/attribute.h"

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

static const struct model_ip no_code = {
	.object = MODEL_NONE,
	.name = MODEL_NONE,
	.code = MODEL_NONE,
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

struct model_ip attribute_code(struct attribution *attribution, struct process *process,
			       uint64_t addr)
{
	struct aspace_place place;
	struct model_ip code = no_code;

	code.ip = addr;
	if (!aspace_find(process->aspace, addr, &place))
		return code;
	code.object = place.object;
	code.has_offset = place.has_offset;
	code.offset = place.offset;
	code.has_vaddr = place.has_vaddr;
	code.vaddr = place.vaddr;
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
				       const struct aspace_place *at, const struct model_ip *by)
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
	struct elfmap_place at = { .section_name = "[padding]" };

	locate(map, place, &at);
	fault->at.has_offset = at.has_offset && place->has_offset; // a copy of code has none
	fault->at.offset = at.offset;
	fault->at.has_vaddr = at.has_vaddr;
	fault->at.vaddr = at.vaddr;
	fault->at.section =
		builder_section(attribution->builder, place->object, at.section_name, at.section);
	fault->at.name =
		builder_symbol(attribution->builder, place->object, fault->at.section, &at);
}

static void fill_at(struct attribution *attribution, const struct aspace_place *place,
		    struct model_fault *fault)
{
	struct elfmap *map = objects_map(attribution->objects, place->object);
	size_t count;
	const struct object *object = &objects_all(attribution->objects, &count)[place->object];

	fault->at = place_of(place);
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
		if (page.is_file && !page.is_shared_memory)
			page.eviction = filepages_fault(attribution->pages, fault, at);
	}
	enum model_mechanism mechanism =
		mechanism_decide(fault, access, &page, process->history, &is_inferred);
	attribution->inferred_mechanisms += is_inferred;
	return mechanism;
}

_Static_assert(MODEL_MAJOR == 1 && MODEL_KERNEL == 1, "a bit of the trace is the model's");

static void fill_extent(struct attribution *attribution, const struct trace_fault *from,
			struct model_fault *fault)
{
	struct model_extent extent = { 0 };
	uint64_t base = model_extent_base(fault);

	fault->has_around = from->flags & TRACE_FAULT_HAS_AROUND;
	fault->has_read = from->flags & TRACE_FAULT_HAS_READ;
	if (fault->has_around) {
		extent.around = from->around_offset - base;
		extent.around_pages = from->around_pages;
	}
	if (fault->has_read) {
		extent.read = from->read_offset - base;
		extent.read_pages = from->read_pages;
		extent.read_span = from->read_span;
	}
	if (fault->has_around || fault->has_read)
		fault->extent = builder_extent(attribution->builder, &extent);
}

/** Nothing is known of it but when it was, and whether there is an ip. */
static struct model_fault begin_fault(const struct attribution *attribution,
				      const struct trace_fault *from)
{
	return (struct model_fault){
		.time_ns = from->time_ns - attribution->start_ns,
		.has_ip = from->flags & TRACE_FAULT_HAS_USER_IP,
		.is_ip_unknown = from->flags & TRACE_FAULT_IP_UNKNOWN,
		.thread = MODEL_NONE,
		.stack = MODEL_NONE,
		.access = MODEL_ACCESS_UNKNOWN,
		.mechanism = MODEL_MECHANISM_OTHER,
		.initiator = MODEL_INITIATOR_UNKNOWN,
		.initializer = MODEL_NONE,
		.init_object = MODEL_NONE,
		.blame = MODEL_NONE,
		.at = nowhere,
	};
}

/** Fill the place of the instruction at the ip of @fault. */
static void fill_by(struct attribution *attribution, struct process *process, uint64_t ip,
		    struct model_ip *by, struct model_fault *fault)
{
	*by = fault->has_ip ? attribute_code(attribution, process, ip) : no_code;
	fault->by = builder_ip(attribution->builder, by);
}

void attribute_fault(struct attribution *attribution, struct process *process,
		     const struct trace_fault *from, struct model_fault *ret_fault)
{
	struct model_fault fault = begin_fault(attribution, from);
	struct aspace_place at = { .object = MODEL_NONE };
	bool is_attributed = aspace_find(process->aspace, from->addr, &at);

	fault.duration_ns = from->duration_ns;
	fault.has_duration = from->flags & TRACE_FAULT_HAS_DURATION;
	fault.addr = from->addr;
	fault.kind = (from->flags & TRACE_FAULT_MAJOR) != 0;
	fault.mode = (from->flags & TRACE_FAULT_KERNEL) != 0;
	if (is_attributed)
		fill_at(attribution, &at, &fault);

	struct model_ip by;
	fill_by(attribution, process, from->ip, &by, &fault);
	enum model_access access = decide_access(attribution, from, &at, &by);
	fault.access = access & 3; // words fit their fields, as model.h checks
	if (is_attributed)
		fault.mechanism = decide_mechanism(attribution, process, from, &at, access) & 15;
	fill_extent(attribution, from, &fault);
	*ret_fault = fault;
}

void attribute_moment(struct attribution *attribution, struct process *process,
		      const struct trace_fault *from, struct model_fault *ret_moment)
{
	struct model_ip by;

	*ret_moment = begin_fault(attribution, from);
	fill_by(attribution, process, from->ip, &by, ret_moment);
}
