// SPDX-License-Identifier: Apache-2.0
// Labels of a run: --label KEY=VALUE of record and export.
#pragma once

#include "base/vec.h"

#include <argp.h>
#include <stddef.h>

#define LABEL_KEY_MEANING "letters, digits, '.', '_' and '-'"

struct labels {
	VEC(const char *) list; // borrowed
};

/** Add what the command line says; of one key the last value stays. Misuse ends the process. */
void labels_parse(struct labels *labels, const char *text, struct argp_state *state);
void labels_deinit(struct labels *labels);
