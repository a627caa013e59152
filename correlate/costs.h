// SPDX-License-Identifier: Apache-2.0
// What is worked out for each object beyond counting its faults: relocation and data pages.
#pragma once

#include "correlate/builder.h"

/**
 * Set relocation and data of every object that faulted. When initiators are decided and
 * builder_name() and builder_count() are done; the ELF files are open. @page_size: a power of two.
 */
void costs_fill(struct builder *builder, uint64_t page_size);
