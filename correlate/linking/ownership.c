// SPDX-License-Identifier: Apache-2.0
// The objects in whose bytes an object's slots lie, with the faults of relocation on their pages.
#include "correlate/linking/relocation.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"
#include "elfmap/owners.h"

/** Time of the faults of relocation that wrote a page. */
struct written {
	uint64_t page; // number
	uint64_t own_ns;
};

ORDER_OF(compare_written, written, ORDER(x->page, y->page))

/** An owner's place in what elfmap_relocation_owners() gives, and its part of the written pages. */
struct share {
	uint32_t owner;
	uint64_t relocations;
	uint64_t pages;
	double own_ns;
};

ORDER_OF(compare_shares, share, ORDER(y->own_ns, x->own_ns) ?: ORDER(y->relocations, x->relocations) ?: ORDER(x->owner, y->owner))

/**
 * Divide each written page among those who have slots on it, by the number of these. @uses: sorted
 * by page.
 */
static void divide(const struct elfmap_owners *owners, const struct written *written, size_t count,
		   struct share *shares)
{
	for (size_t i = 0, end, at = 0; i < owners->use_count; i = end) {
		const uint64_t page = owners->uses[i].page;
		uint64_t slots = 0;
		double own_ns = 0;
		bool is_written = false;

		for (end = i; end < owners->use_count && owners->uses[end].page == page; end++)
			slots += owners->uses[end].slots;
		for (; at < count && written[at].page <= page; at++) {
			is_written |= written[at].page == page;
			own_ns += written[at].page == page ? (double)written[at].own_ns : 0;
		}
		for (size_t n = i; is_written && n < end; n++) {
			struct share *share = &shares[owners->uses[n].owner];

			share->pages++;
			share->own_ns += own_ns * (double)owners->uses[n].slots / (double)slots;
		}
	}
}

static struct model_owner row_new(const struct relocation_count *count,
				  const struct elfmap_owner *from, const struct share *share)
{
	struct arena *arena = &count->rows->model->arena;
	const char *name = !from->symbol	   ? NULL
			   : count->rows->demangle ? elfmap_symbol_display(count->map, from->symbol)
						   : from->symbol->name;

	return (struct model_owner){
		.kind = elfmap_owner_word(from->kind),
		.name = arena_strdup(arena, name),
		.scope = arena_strdup(arena, from->scope),
		.source = arena_strdup(arena, from->source),
		.section = arena_strdup(arena, from->section),
		.relocations = from->relocations,
		.pages = from->pages,
		.pages_alone = from->pages_alone,
		.pages_written = share->pages,
		.own_ns = (uint64_t)share->own_ns,
	};
}

void ownership_fill(const struct relocation_count *count)
{
	enum { LISTED = 20 };
	struct model_relocation *to = count->to;
	CLEANUP(vec_release) VEC(struct written) written = { 0 };

	if (!count->rows->has_owners || to->written_count == 0)
		return;
	vec_foreach (index, &count->faults->indexes) {
		const struct model_fault *fault = &count->faults->all[*index];

		if (objectfaults_is_copy(count->faults, fault))
			vec_push(&written, (struct written){ fault->at.vaddr / count->page_size,
							     model_fault_own(fault) });
	}
	vec_sort(&written, compare_written);
	const struct elfmap_owners owners = elfmap_relocation_owners(
		count->map, count->page_size, count->rows->has_owner_sources);
	CLEANUP(freep) struct share *shares = xcalloc(owners.owner_count + 1, sizeof(*shares));

	for (size_t i = 0; i < owners.owner_count; i++)
		shares[i] = (struct share){ .owner = (uint32_t)i,
					    .relocations = owners.owners[i].relocations };
	divide(&owners, written.items, written.count, shares);
	if (owners.owner_count)
		qsort(shares, owners.owner_count, sizeof(*shares), compare_shares);
	const size_t listed = owners.owner_count < LISTED ? owners.owner_count : LISTED;
	struct model_owner *rows = arena_array(&count->rows->model->arena, listed, sizeof(*rows));

	for (size_t i = 0; i < listed; i++)
		rows[i] = row_new(count, &owners.owners[shares[i].owner], &shares[i]);
	to->owners = rows;
	to->owner_count = listed;
	to->owners_left_out = owners.owner_count - listed;
}
