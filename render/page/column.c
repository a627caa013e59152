// SPDX-License-Identifier: Apache-2.0
#include "render/page/faults.h"

const char *column_encoding_name(enum column_encoding encoding)
{
	static const char *const words[] = { "plain", "delta", "zigzag", "recent" };

	return words[encoding];
}

const char *column_type_name(const struct column *column)
{
	return column->width == 1 ? "u8" : column->width == 2 ? "u16" : "u32";
}

/** The numbers that stand for the values; free() them. */
static uint32_t *encode(const struct column *column)
{
	uint32_t *numbers = xcalloc(column->values.count, sizeof(*numbers));
	uint32_t before = 0, next = 0;

	for (size_t i = 0; i < column->values.count; i++) {
		uint32_t value = column->values.items[i];

		switch (column->encoding) {
		case COLUMN_PLAIN:
			numbers[i] = value;
			break;
		case COLUMN_DELTA:
			numbers[i] = value - before;
			break;
		case COLUMN_ZIGZAG: {
			uint32_t difference = value - before;

			numbers[i] = difference << 1 ^ (difference >> 31 ? UINT32_MAX : 0);
			break;
		}
		case COLUMN_RECENT:
			numbers[i] = value == next ? 0 : next - value;
			if (value >= next)
				next = value + 1;
			break;
		}
		before = value;
	}
	return numbers;
}

void column_write(const struct column *column, struct strbuf *out)
{
	uint32_t *numbers = encode(column);

	// Byte planes: gzip finds more in a run of high bytes than in whole numbers.
	for (unsigned plane = 0; plane < column->width; plane++)
		for (size_t i = 0; i < column->values.count; i++)
			strbuf_putc(out, (char)(numbers[i] >> 8 * plane & 0xff));
	free(numbers);
}

uint32_t short_duration(uint64_t ns)
{
	enum { EXACT = 1024, STEPS = 512 };
	uint32_t exponent = 0;

	if (ns < EXACT)
		return (uint32_t)ns;
	while (ns >> (exponent + 1) >= EXACT)
		exponent++;
	// Rounded up, the last step of an exponent becomes the first of the next.
	const uint64_t steps = (ns >> (exponent + 1)) + (ns >> exponent & 1) - STEPS;
	const uint64_t code = EXACT + STEPS * (uint64_t)exponent + steps;

	return code < UINT16_MAX ? (uint32_t)code : UINT16_MAX - 1;
}

uint32_t exact_duration(uint64_t ns)
{
	const uint64_t coarse = ns >> DURATION_COARSE;

	if (ns < DURATION_EXACT)
		return (uint32_t)ns;
	return DURATION_EXACT |
	       (coarse < DURATION_EXACT - 1 ? (uint32_t)coarse : DURATION_EXACT - 2);
}

uint64_t exact_duration_ns(uint32_t code)
{
	return code < DURATION_EXACT ? code : (uint64_t)(code - DURATION_EXACT) << DURATION_COARSE;
}

void column_deinit(struct column *column)
{
	vec_deinit(&column->values);
}

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
