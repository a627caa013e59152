// SPDX-License-Identifier: Apache-2.0
// From mappings to sections: a mapping's amounts go to the one section it holds, or to several as
// far as the page table shows which page has what.
#pragma once

#include "inspect/smaps/pages.h"
#include "inspect/smaps/text.h"

struct smaps_attribution;

struct smaps_attribution *smaps_attribution_create(const char *source, bool is_forced);
void smaps_attribution_destroy(struct smaps_attribution *attribution);

/** Notes for the answer. */
struct notes *smaps_attribution_notes(struct smaps_attribution *attribution);

/** Add the processes of @text. @err: ERR_INPUT: the sums are more than any machine has. */
bool smaps_attribution_add(struct smaps_attribution *attribution, const struct smaps_text *text,
			   struct err *err);

/** The answer; the attribution is of no further use. */
struct smaps_model *smaps_attribution_finish(struct smaps_attribution *attribution);
