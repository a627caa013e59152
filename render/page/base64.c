// SPDX-License-Identifier: Apache-2.0
#include "render/page/base64.h"

void base64_add(struct strbuf *out, const uint8_t *bytes, size_t size)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t group = (uint32_t)bytes[i] << 16 |
				 (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (left > 2 ? bytes[i + 2] : 0u);
		const char text[] = {
			letters[group >> 18],
			letters[group >> 12 & 63],
			left > 1 ? letters[group >> 6 & 63] : '=',
			left > 2 ? letters[group & 63] : '=',
		};

		strbuf_add(out, text, sizeof(text));
	}
}
