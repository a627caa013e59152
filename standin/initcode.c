// SPDX-License-Identifier: Apache-2.0
#include "standin/initcode.h"

enum { FUNCTIONS_MAX = 2000 };

static void add(struct standin_initcode *code, uint64_t vaddr)
{
	if (code->list.count < FUNCTIONS_MAX && u64map_add(&code->functions, vaddr))
		vec_push(&code->list, vaddr);
}

static void follow(struct standin_initcode *code, struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_symbol *function = elfmap_symbol_at(map, vaddr);
	struct elfmap_branch branch;

	if (!function)
		return;
	struct range rest = { vaddr, function->vaddr + function->size };

	while (elfmap_branch_next(map, &rest, &branch)) {
		if (branch.has_vaddr)
			add(code, branch.vaddr);
		if (branch.name)
			vec_push(&code->calls, branch.name);
	}
}

void standin_initcode_init(struct standin_initcode *code, struct elfmap *map, bool has_finalizers)
{
	size_t count;
	const struct elfmap_initializer *initializers =
		elfmap_initializers_without_source(map, &count);

	*code = (struct standin_initcode){ 0 };
	array_foreach (initializer, initializers, count)
		add(code, initializer->vaddr);
	const uint64_t *finalizers = elfmap_finalizers(map, &count);

	for (size_t i = 0; has_finalizers && i < count; i++)
		add(code, finalizers[i]);
	for (size_t i = 0; i < code->list.count; i++)
		follow(code, map, code->list.items[i]);
}

void standin_initcode_deinit(struct standin_initcode *code)
{
	u64map_deinit(&code->functions);
	vec_deinit(&code->list);
	vec_deinit(&code->calls);
}
