// SPDX-License-Identifier: Apache-2.0
// The rules on a trace, in the order in which the documentation has them.
#include "advice/rules.h"
#include "advice/trace/rule.h"

#define DECLARE(name) extern const struct rule rule_##name;
#define ADDRESS(name) &rule_##name,
TRACE_RULES(DECLARE)
const struct rule *const trace_rules[] = { TRACE_RULES(ADDRESS) NULL };
