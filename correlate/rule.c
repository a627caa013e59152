// SPDX-License-Identifier: Apache-2.0
#include "correlate/rule.h"

#include <elf.h>

/** Bytes of a hash table's head, which is read when its object is mapped, not only by lookups. */
enum { HASH_HEAD = 16 };

/** Whether binding PLT entries writes slots of this object that relocation left alone. */
static bool may_be_bound_late(const struct builder *builder, const struct model_fault *fault)
{
	struct elfmap *map = objects_opened(builder->objects, fault->at_object);

	// Elsewhere each slot gets the load bias added at relocation, so that is its first write.
	return !map || elfmap_info(map)->type == ET_EXEC;
}

static bool is_hash_head(const struct builder *builder, const struct model_fault *fault)
{
	const struct builder_symbol *source;

	if (fault->at_symbol == MODEL_NONE)
		return false;
	source = &builder->symbol_sources.items[fault->at_symbol];
	return !source->symbol && source->entry.kind == ELFMAP_ENTRY_HASH &&
	       fault->at_vaddr - source->entry.vaddr < HASH_HEAD && source->entry.index == 0;
}

/** What ld.so did, in a process that may still be starting. */
static enum model_initiator of_loader(const struct builder *builder, const struct phase *phase,
				      const struct model_fault *fault, enum touch touch)
{
	// A page that it had for itself before the fork may be written again for any reason.
	bool is_first_write =
		fault->access == MODEL_ACCESS_WRITE && fault->mechanism != MODEL_FORK_COW;

	switch (touch) {
	case TOUCH_RELOCATION:
		return MODEL_RELOCATION;
	case TOUCH_PLT_RELOCATION: // lazy binding reads it, too
		return phase->has_left_loader ? MODEL_INITIATOR_UNKNOWN : MODEL_RELOCATION;
	case TOUCH_SLOT:
		return is_first_write ? MODEL_RELOCATION : MODEL_INITIATOR_UNKNOWN;
	case TOUCH_PLT_SLOT:
		return is_first_write && !may_be_bound_late(builder, fault) &&
				       !phase->has_left_loader
			       ? MODEL_RELOCATION
			       : MODEL_INITIATOR_UNKNOWN;
	case TOUCH_LOOKUP:
		// Afterwards it may be lazy binding that looks up.
		return phase->has_left_loader || is_hash_head(builder, fault)
			       ? MODEL_INITIATOR_UNKNOWN
			       : MODEL_SYMBOL_LOOKUP;
	case TOUCH_TLS_IMAGE:
		return fault->access == MODEL_ACCESS_READ ? MODEL_TLS_SETUP
							  : MODEL_INITIATOR_UNKNOWN;
	default:
		return MODEL_INITIATOR_UNKNOWN;
	}
}

enum model_initiator rule_decide(const struct builder *builder, struct roles *roles,
				 const struct linking *linking, const struct phase *phase,
				 const struct model_fault *fault, enum touch touch)
{
	uint32_t by = roles_of(roles, fault->by_function);
	bool is_loader =
		(by & ROLE_LOADER) && (!(by & ROLE_LIBC_LOADER) || !phase->has_left_loader);

	if (by & ROLE_RESOLVER)
		return MODEL_IFUNC;
	if (is_loader)
		return of_loader(builder, phase, fault, touch);
	if (by & ROLE_MAIN)
		return MODEL_PROGRAM;
	if (by & ROLE_ENTRY)
		return MODEL_STARTUP;
	if ((by & ROLE_INITIALIZER) && !phase->was_in_main && !phase->has_entered)
		return MODEL_STATIC_INIT;
	if ((by & ROLE_PROGRAM) && !phase->was_in_main &&
	    linking_relocates_itself(linking, fault, touch))
		return MODEL_RELOCATION;
	return MODEL_INITIATOR_UNKNOWN;
}
