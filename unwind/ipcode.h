// SPDX-License-Identifier: Apache-2.0
// The instructions around an ip.
#pragma once

#include "unwind/imageset.h"

#include <stdint.h>

struct ipcode {
	const struct module *module;
	uint64_t vaddr; // of the ip
	struct machine_code code;
	uint8_t bytes[MACHINE_CODE_BEFORE + MACHINE_CODE_AFTER];
};

/** Read the code around @ip, an address in @module. */
void ipcode_read(struct ipcode *code, const struct module *module, uint64_t ip);
