// SPDX-License-Identifier: Apache-2.0
// Bytes in hexadecimal, as build-ids are written.
#pragma once

#include <stddef.h>
#include <stdint.h>

/** Write two digits per byte and a NUL into @ret_text (2 * @size + 1 bytes). Returns @ret_text. */
static inline char *hex_text(const uint8_t *bytes, size_t size, char *ret_text)
{
	for (size_t i = 0; i < size; i++) {
		ret_text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		ret_text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	ret_text[2 * size] = '\0';
	return ret_text;
}
