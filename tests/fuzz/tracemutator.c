// SPDX-License-Identifier: Apache-2.0
// Changes traces so that most of them are still traces: texts by lines, words and values, binary
// ones as libFuzzer does, with chunks stored as they are and all hashes right afterwards. Only
// libFuzzer calls this.
#include "base/cleanup.h"
#include "tests/fuzz/tracebytes.h"
#include "trace/format.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
				 size_t size2, uint8_t *out, size_t max_out_size, unsigned seed);

/** Bytes at random; the numbers of libFuzzer's own choice are only for whole inputs. */
static uint64_t random_state;

static size_t below(size_t bound)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return bound ? (size_t)(random_state >> 33) % bound : 0;
}

/** Part of a buffer. */
struct part {
	size_t start, end;
};

/** Bytes that are changed; room for @capacity bytes. */
struct bytes {
	uint8_t *data;
	size_t size, capacity;
};

/** Put @length bytes at @text, which are not in @bytes, in place of @part; nothing if too large. */
static void put(struct bytes *bytes, struct part part, const void *text, size_t length)
{
	size_t after = bytes->size - (part.end - part.start) + length;

	if (after > bytes->capacity)
		return;
	memmove(bytes->data + part.start + length, bytes->data + part.end, bytes->size - part.end);
	memcpy(bytes->data + part.start, text, length);
	bytes->size = after;
}

// ---- Texts ----------------------------------------------------------------------------------

/** The line that a place at random lies in, with its end. */
static struct part some_line(const uint8_t *data, size_t size)
{
	struct part line;

	line.start = line.end = below(size);
	while (line.start > 0 && data[line.start - 1] != '\n')
		line.start--;
	while (line.end < size && data[line.end] != '\n')
		line.end++;
	line.end += line.end < size;
	return line;
}

/** A word of @line, with the blank before it; empty: it has one word. */
static struct part some_word(const uint8_t *data, struct part line)
{
	struct part word = { line.end, line.end };

	for (size_t i = line.start, seen = 0; i < line.end; i++)
		if (data[i] == ' ' && below(++seen) == 0)
			word.start = i;
	word.end = word.start + (word.start < line.end);
	while (word.end < line.end && data[word.end] != ' ' && data[word.end] != '\n')
		word.end++;
	return word;
}

/** Return the part behind the = of @word. */
static struct part value_of(const uint8_t *data, struct part word)
{
	while (word.start < word.end && data[word.start] != '=')
		word.start++;
	word.start += word.start < word.end;
	return word;
}

/** Text of @part, which the caller frees. */
static uint8_t *copy_of(const uint8_t *data, struct part part)
{
	uint8_t *copy = xcalloc(part.end - part.start + 1, 1);

	memcpy(copy, data + part.start, part.end - part.start);
	return copy;
}

/** A number near the one that @value is, or near a limit. */
static void change_number(struct bytes *bytes, struct part value)
{
	static const uint64_t limits[] = { 0,
					   1,
					   4096,
					   INT32_MAX,
					   UINT32_MAX,
					   (uint64_t)UINT32_MAX + 1,
					   (uint64_t)1 << 47,
					   INT64_MAX,
					   UINT64_MAX };
	CLEANUP(freep) uint8_t *old = copy_of(bytes->data, value);
	char text[32];
	uint64_t number = below(2) ? limits[below(sizeof(limits) / sizeof(limits[0]))]
				   : strtoull((const char *)old, NULL, 0);

	number += (uint64_t)below(below(2) ? 5 : 10000) - (below(2) ? 2 : 0);
	snprintf(text, sizeof(text), old[0] == '0' && old[1] == 'x' ? "%#" PRIx64 : "%" PRIu64,
		 number);
	put(bytes, value, text, strlen(text));
}

/** Change one thing in a text. @from: a text to take words and lines from. */
static void change_text(struct bytes *bytes, const uint8_t *from, size_t from_size)
{
	struct part line = some_line(bytes->data, bytes->size);
	struct part word = some_word(bytes->data, line);
	struct part other_line = some_line(from, from_size);
	struct part other = some_word(from, other_line);
	CLEANUP(freep) uint8_t *taken = NULL;

	switch (below(8)) {
	case 0:
		put(bytes, line, "", 0);
		break;
	case 1:
	case 2: // a line behind another
		taken = copy_of(from, other_line);
		put(bytes, (struct part){ line.end, line.end }, taken,
		    other_line.end - other_line.start);
		break;
	case 3:
		put(bytes, word, "", 0);
		break;
	case 4: // one more word
		taken = copy_of(from, other);
		put(bytes, (struct part){ word.start, word.start }, taken, other.end - other.start);
		break;
	case 5: // the same word with another value
		other = value_of(from, other);
		taken = copy_of(from, other);
		put(bytes, value_of(bytes->data, word), taken, other.end - other.start);
		break;
	default:
		word = value_of(bytes->data, word);
		if (word.start < word.end && isdigit(bytes->data[word.start]))
			change_number(bytes, word);
		break;
	}
}

// ---- Binary traces --------------------------------------------------------------------------

/** The chunk at *@at, header and content; false: there is no whole one. Moves *@at behind it. */
static bool next_chunk(const uint8_t *data, size_t size, size_t *at,
		       struct disk_chunk_header *ret_header, struct part *ret_content)
{
	if (*at > size || size - *at < sizeof(*ret_header))
		return false;
	memcpy(ret_header, data + *at, sizeof(*ret_header));
	ret_content->start = *at + sizeof(*ret_header);
	if (le32toh(ret_header->stored_size) > size - ret_content->start)
		return false;
	*at = ret_content->end = ret_content->start + le32toh(ret_header->stored_size);
	return true;
}

/** Store what is packed as it is, so that its bytes can be changed. */
static void unpack(struct bytes *bytes)
{
	size_t at = sizeof(struct disk_file_header);
	struct disk_chunk_header header;
	struct part content;

	while (next_chunk(bytes->data, bytes->size, &at, &header, &content)) {
		size_t raw_size = le32toh(header.raw_size);

		if (!(le32toh(header.flags) & DISK_CHUNK_ZSTD) || raw_size > bytes->capacity)
			continue;
		CLEANUP(freep) uint8_t *raw = xcalloc(raw_size + 1, 1);
		size_t got = ZSTD_decompress(raw, raw_size, bytes->data + content.start,
					     content.end - content.start);

		if (ZSTD_isError(got) || got != raw_size ||
		    bytes->size - (content.end - content.start) + raw_size > bytes->capacity)
			continue;
		put(bytes, content, raw, raw_size);
		header.flags &= htole32(~(uint32_t)DISK_CHUNK_ZSTD);
		header.stored_size = header.raw_size;
		memcpy(bytes->data + content.start - sizeof(header), &header, sizeof(header));
		at = content.start + raw_size;
	}
}

/** A chunk at random, with its header; empty: there is none. */
static struct part some_chunk(const uint8_t *data, size_t size)
{
	size_t at = sizeof(struct disk_file_header), seen = 0;
	struct part content, found = { size, size };
	struct disk_chunk_header header;

	while (next_chunk(data, size, &at, &header, &content))
		if (below(++seen) == 0)
			found = (struct part){ content.start - sizeof(header), content.end };
	return found;
}

/** Change bytes of a chunk's content, or let it be there twice, or not at all. */
static void change_binary(struct bytes *bytes)
{
	struct part chunk = some_chunk(bytes->data, bytes->size);
	CLEANUP(freep) uint8_t *copy = copy_of(bytes->data, chunk);
	size_t size = chunk.end - chunk.start, header = sizeof(struct disk_chunk_header);

	switch (below(16)) {
	case 0:
		put(bytes, chunk, "", 0);
		break;
	case 1:
		put(bytes, (struct part){ chunk.end, chunk.end }, copy, size);
		break;
	case 2:
		bytes->size = LLVMFuzzerMutate(bytes->data, bytes->size, bytes->capacity);
		break;
	default: // of the same size: else the header is wrong
		if (size > header)
			LLVMFuzzerMutate(bytes->data + chunk.start + header, size - header,
					 size - header);
		break;
	}
}

// ---- What libFuzzer calls -------------------------------------------------------------------

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct bytes bytes = { data, size, max_size };

	random_state = seed;
	if (size == 0 || below(16) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	if (tracebytes_is_binary(data, size)) {
		unpack(&bytes);
		for (size_t i = below(4) + 1; i > 0; i--)
			change_binary(&bytes);
		tracebytes_repair(data, bytes.size);
		return bytes.size;
	}
	for (size_t i = below(8) + 1; i > 0 && bytes.size > 0; i--) {
		CLEANUP(freep) uint8_t *from = copy_of(data, (struct part){ 0, bytes.size });

		change_text(&bytes, from, bytes.size);
	}
	return bytes.size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
				 size_t size2, uint8_t *out, size_t max_out_size, unsigned seed)
{
	struct bytes bytes = { out, size1 < max_out_size ? size1 : max_out_size, max_out_size };
	bool is_binary = tracebytes_is_binary(data1, size1);

	random_state = seed;
	memcpy(out, data1, bytes.size);
	if (is_binary != tracebytes_is_binary(data2, size2) || bytes.size == 0 || size2 == 0)
		return bytes.size;
	if (is_binary) {
		struct part chunk = some_chunk(data2, size2);
		size_t to = some_chunk(out, bytes.size).end;

		put(&bytes, (struct part){ to, to }, data2 + chunk.start, chunk.end - chunk.start);
		tracebytes_repair(out, bytes.size);
	} else if (below(4) == 0) { // two traces, to be compared
		put(&bytes, (struct part){ bytes.size, bytes.size }, data2, size2);
	} else {
		for (size_t i = below(16) + 1; i > 0 && bytes.size > 0; i--)
			change_text(&bytes, data2, size2);
	}
	return bytes.size;
}
