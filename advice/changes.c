// SPDX-License-Identifier: Apache-2.0
// Tries every rule and puts what they found in order.
#include "advice/findings.h"

#include "base/order.h"
#include "advice/change/rule.h"
#include "advice/rules.h"
#include "machine/page.h"

#include <math.h>
#include <string.h>

#define DECLARE(name) extern const struct change_rule change_##name;
#define ADDRESS(name) &change_##name,
CHANGE_RULES(DECLARE)
const struct change_rule *const change_rules[] = { CHANGE_RULES(ADDRESS) NULL };

/** The difference in faults, in pages that were read, or in us, about what a minor fault takes. */
static double size_of(const struct compare_finding *finding)
{
	double difference = fabs(finding->figure.difference);

	switch (finding->figure.metric) {
	case COMPARE_READ:
		return difference / MACHINE_PAGE;
	case COMPARE_OWN:
		return difference / 1e3;
	default:
		return difference;
	}
}

/** Largest difference first, then by name and object. */
ORDER_OF(compare, compare_finding, ORDER(size_of(y), size_of(x)) ?: strcmp(x->id, y->id) ?:
	 ORDER(x->object, y->object))

static void try_rule(struct changes *changes, const struct change_rule *rule)
{
	changes->rule = rule;
	if (rule->find)
		rule->find(changes);
	for (uint32_t i = 0; rule->find_in && i < changes->comparison->object_count; i++)
		rule->find_in(changes, i);
}

/**
 * Whether all runs were recorded by the same tool. What one of two tools does not tell, such as
 * which faults are major, would be taken for a change.
 */
static bool are_alike(const struct comparison *comparison)
{
	size_t count = comparison->run_count[COMPARE_BEFORE] + comparison->run_count[COMPARE_AFTER];

	for (size_t i = 1; i < count; i++)
		if (comparison->runs[i].imported_from != comparison->runs[0].imported_from)
			return false;
	return true;
}

void changes_find(struct comparison *comparison)
{
	struct changes changes = { .comparison = comparison, .arena = &comparison->arena };

	if (!are_alike(comparison)) {
		notes_add(
			&comparison->notes,
			"different tools recorded the sides: what one of them does not tell shows "
			"as a difference, and no reasons are given");
		return;
	}
	for (const struct change_rule *const *rule = change_rules; *rule; rule++)
		try_rule(&changes, *rule);

	comparison->finding_count = changes.list.count;
	comparison->findings =
		kit_sorted(&comparison->arena, changes.list.items, changes.list.count,
			   sizeof(*comparison->findings), compare);
	vec_deinit(&changes.list);
}
