// SPDX-License-Identifier: Apache-2.0
// What is worked out for each object beyond counting its faults: relocation and data pages.
#pragma once

#include "correlate/replay/rows.h"

/**
 * Set relocation and data of every object that faulted; the ELF files are open. @page_size: a power
 * of two.
 */
void costs_fill(struct rows *rows, const struct shown_faults *shown, uint64_t page_size);
