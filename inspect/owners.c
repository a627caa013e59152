// SPDX-License-Identifier: Apache-2.0
#include "inspect/owners.h"

#include "elfmap/owners.h"

static const char *name_of(struct elfmap *map, const struct elfmap_owner *owner,
			   const struct map_options *options)
{
	if (!owner->symbol)
		return NULL;
	return options->no_demangle ? owner->symbol->name
				    : elfmap_symbol_display(map, owner->symbol);
}

static struct map_owners rows_new(struct map_model *model, const struct elfmap_owner *from,
				  size_t count)
{
	struct map_owners rows = { arena_array(&model->arena, count + 1, sizeof(*rows.rows)),
				   count };

	for (size_t i = 0; i < count; i++)
		rows.rows[i] = (struct map_owner){
			.name = arena_strdup(&model->arena, from[i].scope ?: from[i].source),
			.vaddr = from[i].vaddr,
			.relocations = from[i].relocations,
			.runs = from[i].runs,
			.pages = from[i].pages,
			.pages_alone = from[i].pages_alone,
		};
	return rows;
}

void owners_copy(struct map_model *model, struct elfmap *map, const struct map_options *options)
{
	const struct elfmap_owners owners = elfmap_relocation_owners(map, model->page_size, true);

	model->has_owners = true;
	model->scopes = rows_new(model, owners.scopes, owners.scope_count);
	model->sources = rows_new(model, owners.sources, owners.source_count);
	model->owners = rows_new(model, owners.owners, owners.owner_count);
	for (size_t i = 0; i < owners.owner_count; i++) {
		const struct elfmap_owner *from = &owners.owners[i];
		struct map_owner *row = &model->owners.rows[i];

		row->kind = elfmap_owner_word(from->kind);
		row->name = arena_strdup(&model->arena, name_of(map, from, options));
		row->scope = arena_strdup(&model->arena, from->scope);
		row->source = arena_strdup(&model->arena, from->source);
		row->section = arena_strdup(&model->arena, from->section);
	}
}
