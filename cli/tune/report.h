// SPDX-License-Identifier: Apache-2.0
// One screen: what was tried, predicted, measured, kept.
#pragma once

#include "cli/tune/folder.h"
#include "cli/tune/measure.h"
#include "model/shown.h"

struct tunereport {
	uint64_t predicted_faults;   // that stand-ins save
	const char *differs;	     // what a start with stand-ins does otherwise; NULL: nothing
	bool has_standins, has_list; // measured
	bool keeps_standins, keeps_list;
	struct tunemeasure standins; // warm, without a list
	struct tunemeasure cold;     // all that is kept, and the list
	struct tunemeasure warm;     // the same
	uint64_t list_bytes;
};

/** Print it. @command: as it was given, of which @shown says what may be shown. */
void tunereport_print(const struct tunereport *report, const struct tunefolder *folder,
		      char *const *command, const struct model_shown *shown);
