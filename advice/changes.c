// SPDX-License-Identifier: Apache-2.0
// Tries every rule and puts what they found in order.
#include "advice/changes.h"

#include "advice/change/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static change_rule *const rules[] = {
	change_binding,	     change_condition,	 change_data,	 change_hashtable,
	change_initializers, change_libraries,	 change_lookups, change_memory,
	change_order,	     change_relocations, change_relr,	 change_sections,
};

/** The difference in faults, or in pages that were read. */
static double size_of(const struct compare_finding *finding)
{
	enum { PAGE = 4096 };
	double difference = fabs(finding->figure.difference);

	return finding->metric == COMPARE_READ ? difference / PAGE : difference;
}

/** Largest difference first, then by name and object. */
static int compare(const void *a, const void *b)
{
	const struct compare_finding *x = a, *y = b;
	double size = size_of(x), other = size_of(y);

	if (size != other)
		return size > other ? -1 : 1;
	int order = strcmp(x->id, y->id);
	return order != 0 ? order : (x->object > y->object) - (x->object < y->object);
}

void changes_find(struct comparison *comparison)
{
	struct changes changes = { .comparison = comparison, .arena = &comparison->arena };

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		rules[i](&changes);

	size_t count = changes.list.count;
	struct compare_finding *list = arena_array(&comparison->arena, count + 1, sizeof(*list));
	if (count > 0) {
		qsort(changes.list.items, count, sizeof(*list), compare);
		memcpy(list, changes.list.items, count * sizeof(*list));
	}
	comparison->findings = list;
	comparison->finding_count = count;
	vec_deinit(&changes.list);
}
