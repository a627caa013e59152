// SPDX-License-Identifier: Apache-2.0
// The file that each program of a run executes.
#pragma once

#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Find the executable of each program, as far as faults show it.
 *
 * Returns: by index of model.programs an index into model.objects, or MODEL_NONE; release with
 * free().
 */
uint32_t *executables_find(const struct model *model);

/** The first program executed, into model.programs; MODEL_NONE: there is no program at all. */
uint32_t executables_first(const struct model *model);

/** The program that the account is about, likewise; without an account the first executed. */
uint32_t executables_subject(const struct model *model);

/**
 * Find the programs that are shells: their executable is sh, bash or the like, or their name where
 * that is not known. A process that executes a script has the name of the script.
 *
 * Returns: by index of model.programs; release with free().
 */
bool *executables_find_shells(const struct model *model);
