// SPDX-License-Identifier: Apache-2.0
// Which initializer ran where several may have: they run one after the other.
#pragma once

#include "correlate/why/context.h"
#include "correlate/replay/rows.h"

/**
 * Fill the initializer, or only its object, of the faults whose stacks leave more than one, where
 * the faults before and after them in initializers of the same process leave but one. @contexts are
 * of @rows. O(faults in initializers × (log of these + what each may be in)).
 */
void initorder_name(const struct rows *rows, const struct contexts *contexts,
		    struct all_faults *faults);
