// SPDX-License-Identifier: Apache-2.0
// The options that several commands have: a row of a command names one (option_row.shared). To add
// one: its key in option.h, its value in option_values, its row here.
#pragma once

#include "cli/option/option.h"

/** @row with what it leaves to the shared option that it is, if it is one. */
struct option_row sharedoption_complete(const struct option_row *row);

/** The values that rows of shared options have taken. */
struct option_values sharedoption_values(void);

/** Release what @values, which sharedoption_values() returned, own. */
void sharedoption_release(struct option_values *values);
