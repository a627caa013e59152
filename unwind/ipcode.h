// SPDX-License-Identifier: Apache-2.0
// x86 instructions around an ip, of code without unwinding data: those that tell where the return
// address lies.
#pragma once

#include "unwind/imageset.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	IPCODE_BEFORE = 256, // bytes of code looked at before the ip
	IPCODE_AFTER = 64,   // and from the ip on
};

/** Bytes that the file does not have are 0, which is in no pattern alone. */
struct ipcode {
	const struct module *module;
	uint64_t vaddr; // of the ip
	uint8_t bytes[IPCODE_BEFORE + IPCODE_AFTER];
	const uint8_t *at; // the ip's, within bytes
};

/** True if the instructions from @offset (negative: before the ip) on are those. */
#define IPCODE_IS(code, offset, ...)                                      \
	(!memcmp((code)->at + (offset), (const uint8_t[]){ __VA_ARGS__ }, \
		 sizeof((const uint8_t[]){ __VA_ARGS__ })))

/** Read the code around @ip, an address in @module. */
void ipcode_read(struct ipcode *code, const struct module *module, uint64_t ip);

/**
 * Words between sp and the return address, where the instructions at the ip tell; else -1.
 * @is_call: the ip is behind a call
 */
int ipcode_words(const struct ipcode *code, bool is_call, bool is_32bit);
