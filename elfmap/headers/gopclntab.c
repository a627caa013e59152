// SPDX-License-Identifier: Apache-2.0
#include "elfmap/headers/gopclntab.h"

#include "base/checked.h"
#include "base/search.h"

#include <string.h>

enum {
	MAGIC_1_16 = 0xfffffffa,
	MAGIC_1_18 = 0xfffffff0,
	MAGIC_1_20 = 0xfffffff1,
	WORD = 8,
	HEAD = 8,	// bytes before the words of the head
	VARINT_MAX = 5, // bytes
	DEPTH_MAX = 1 << 30,
};

static bool has(const struct gopclntab *table, uint64_t offset, uint64_t size)
{
	return checked_within(offset, size, table->size);
}

static uint64_t number(const struct gopclntab *table, uint64_t offset, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, table->bytes + offset, size);
	return value;
}

/** Word @index of the head. */
static uint64_t head(const struct gopclntab *table, uint32_t index)
{
	return number(table, HEAD + index * WORD, WORD);
}

bool gopclntab_init(struct gopclntab *ret_table, const uint8_t *bytes, uint64_t size, uint64_t text)
{
	struct gopclntab table = { .bytes = bytes, .size = size };
	uint32_t magic, at = 2; // the number of functions and of files come first
	uint64_t entries;

	if (!has(&table, 0, HEAD + 8 * WORD))
		return false;
	magic = (uint32_t)number(&table, 0, sizeof(magic));
	if ((magic != MAGIC_1_16 && magic != MAGIC_1_18 && magic != MAGIC_1_20) || bytes[4] ||
	    bytes[5] || bytes[6] == 0 || bytes[7] != WORD)
		return false;
	table.quantum = bytes[6];
	table.has_addresses = magic == MAGIC_1_16;
	if (!table.has_addresses)
		table.text = head(&table, at++);
	if (!table.has_addresses && table.text == 0)
		table.text = text;
	table.names = head(&table, at);
	table.deltas = head(&table, at + 3);
	table.functions = head(&table, at + 4);
	// The end of the last follows the pairs of entry and offset.
	if (table.names > size || table.deltas > size || table.functions > size)
		return false;
	entries = (size - table.functions) / (table.has_addresses ? 2 * WORD : WORD);
	if (head(&table, 0) >= entries || entries > UINT32_MAX)
		return false;
	table.count = (uint32_t)head(&table, 0);
	*ret_table = table;
	return true;
}

/** Half of a pair of the list of functions, [0, 2 * count]. */
static uint64_t half(const struct gopclntab *table, uint64_t index)
{
	size_t size = table->has_addresses ? WORD : WORD / 2;

	return number(table, table->functions + index * size, size);
}

static uint64_t entry(const struct gopclntab *table, uint32_t index)
{
	return table->text + half(table, 2 * (uint64_t)index);
}

bool gopclntab_function(const struct gopclntab *table, uint32_t index,
			struct gopclntab_function *ret_function)
{
	// struct _func: an entry, of which 1.16 has 8 bytes, the name's offset, two numbers, the
	// offset of the deltas ...; 1.20 has a line before the bytes of kind and flags.
	uint64_t at = half(table, 2 * (uint64_t)index + 1), name;
	uint32_t entry_size = table->has_addresses ? WORD : WORD / 2;
	bool has_line = number(table, 0, 4) == MAGIC_1_20;
	uint32_t flags = entry_size + 8 * 4 + (has_line ? 4 : 0) + 1;

	if (!checked_add(table->functions, at, &at) || !has(table, at, flags + 1))
		return false;
	ret_function->start = entry(table, index);
	ret_function->end = entry(table, index + 1);
	if (ret_function->start >= ret_function->end)
		return false;
	ret_function->deltas = (uint32_t)number(table, at + entry_size + 3 * 4, 4);
	// Before 1.17 the byte is padding, and 0.
	ret_function->flags = table->bytes[at + flags];
	name = table->names + number(table, at + entry_size, 4);
	if (name >= table->size || !memchr(table->bytes + name, '\0', table->size - name))
		return false;
	ret_function->name = (const char *)table->bytes + name;
	return true;
}

bool gopclntab_find(const struct gopclntab *table, uint64_t vaddr,
		    struct gopclntab_function *ret_function)
{
	// The last that begins at or before it.
	size_t after = search_first(table->count, i, entry(table, (uint32_t)i) > vaddr);

	return after > 0 && gopclntab_function(table, (uint32_t)after - 1, ret_function) &&
	       vaddr >= ret_function->start && vaddr < ret_function->end;
}

static bool read_varint(const struct gopclntab *table, uint64_t *at, uint32_t *ret_value)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < VARINT_MAX && has(table, *at, 1); i++) {
		uint8_t byte = table->bytes[(*at)++];

		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			*ret_value = (uint32_t)value; // as Go cuts it
			return true;
		}
	}
	return false;
}

bool gopclntab_depth(const struct gopclntab *table, const struct gopclntab_function *function,
		     uint64_t vaddr, uint64_t *ret_depth)
{
	uint64_t at = table->deltas + function->deltas, until = function->start;
	int64_t depth = -1;

	// Pairs: what the depth changes by, zigzag, and for how many bytes of code it holds.
	while (function->deltas != 0 && until < function->end) {
		uint32_t change, length;
		bool is_first = until == function->start;

		if (!read_varint(table, &at, &change) || (change == 0 && !is_first) ||
		    !read_varint(table, &at, &length) || length == 0)
			return false;
		depth += change & 1 ? -(int64_t)(change >> 1) - 1 : (int64_t)(change >> 1);
		until += (uint64_t)length * table->quantum;
		if (vaddr < until) {
			*ret_depth = (uint64_t)depth;
			return depth >= 0 && depth < DEPTH_MAX;
		}
	}
	return false;
}
