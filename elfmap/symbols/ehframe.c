// SPDX-License-Identifier: Apache-2.0
// .eh_frame: which code each FDE describes, and where its LSDA is. Our own walk, because stripped
// libraries have hundreds of thousands of FDEs and only four numbers of each are wanted. The
// format: LSB Core "Exception Frames", DWARF 5 section 6.4.
#include "elfmap/private.h"

#include "base/checked.h"
#include "base/order.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>

struct elfmap_frames {
	struct elfmap_frame *items;
	size_t count;
};

/** A read position within bytes whose first has address @vaddr; @failed sticks. */
struct cursor {
	struct elfmap *map;
	const uint8_t *bytes;
	uint64_t vaddr;
	uint64_t at, end;
	bool failed;
};

/** Facts of a CIE that an FDE needs. */
struct cie {
	uint64_t at; // where the CIE starts
	bool valid;
	bool has_augmentation_data; // "z..."
	uint8_t code_encoding;
	uint8_t lsda_encoding;
};

/** Bytes of the fixed header of an entry: its length and its CIE id or pointer. */
struct entry {
	uint64_t at;	    // of the entry
	uint64_t id_at;	    // of the id field, behind the length
	uint64_t end;	    // behind the entry
	uint32_t id;	    // 0: a CIE, else the distance back to the CIE
	bool is_terminator; // a length of 0
};

static uint64_t read_fixed(struct cursor *cursor, unsigned width)
{
	if (cursor->failed || cursor->end - cursor->at < width) {
		cursor->failed = true;
		return 0;
	}
	const uint8_t *bytes = cursor->bytes + cursor->at;
	cursor->at += width;
	return width == 1 ? *bytes : elfmap_number(cursor->map, bytes, width);
}

static uint64_t read_leb128(struct cursor *cursor, bool is_signed)
{
	const uint8_t *at = cursor->bytes + cursor->at;
	uint64_t value = 0;

	if (cursor->failed || !elfmap_leb128(&at, cursor->bytes + cursor->end, is_signed, &value)) {
		cursor->failed = true;
		return 0;
	}
	cursor->at = (uint64_t)(at - cursor->bytes);
	return value;
}

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return (value ^ sign) - sign;
}

/** A value in the format of @encoding, without what it is relative to. */
static uint64_t read_value(struct cursor *cursor, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
		return read_fixed(cursor, elfmap_word_size(cursor->map));
	case DW_EH_PE_uleb128:
		return read_leb128(cursor, false);
	case DW_EH_PE_udata2:
		return read_fixed(cursor, 2);
	case DW_EH_PE_udata4:
		return read_fixed(cursor, 4);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return read_fixed(cursor, 8);
	case DW_EH_PE_sleb128:
		return read_leb128(cursor, true);
	case DW_EH_PE_sdata2:
		return sign_extend(read_fixed(cursor, 2), 16);
	case DW_EH_PE_sdata4:
		return sign_extend(read_fixed(cursor, 4), 32);
	default:
		cursor->failed = true;
		return 0;
	}
}

static uint64_t wrap_vaddr(const struct elfmap *map, uint64_t vaddr)
{
	return map->info.is_64bit ? vaddr : (uint32_t)vaddr;
}

/**
 * A pointer; 0 stands for none. @data_base is what DW_EH_PE_datarel counts from. An indirect
 * pointer gives the address of the word that will hold it, which is enough to step over it.
 */
static uint64_t read_pointer(struct cursor *cursor, uint8_t encoding, uint64_t data_base)
{
	uint64_t base = 0;

	if (encoding == DW_EH_PE_omit)
		return 0;
	switch (encoding & 0x70) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		base = cursor->vaddr + cursor->at;
		break;
	case DW_EH_PE_datarel:
		base = data_base;
		break;
	case DW_EH_PE_aligned: {
		uint64_t vaddr = cursor->vaddr + cursor->at;
		uint64_t skip = align_up(vaddr, elfmap_word_size(cursor->map)) - vaddr;

		if (skip > cursor->end - cursor->at) {
			cursor->failed = true;
			return 0;
		}
		cursor->at += skip;
		encoding = DW_EH_PE_absptr;
		break;
	}
	default: // relative to the text or function, which no linker here writes
		cursor->failed = true;
		return 0;
	}
	uint64_t value = read_value(cursor, encoding);
	return value == 0 ? 0 : wrap_vaddr(cursor->map, base + value);
}

/** The entry at cursor->at; false at the end or where its length runs past the end. */
static bool read_entry(struct cursor *cursor, struct entry *ret_entry)
{
	struct entry entry = { .at = cursor->at };
	uint64_t length = read_fixed(cursor, 4);

	if (length == UINT32_MAX)
		length = read_fixed(cursor, 8);
	if (cursor->failed)
		return false;
	entry.id_at = cursor->at;
	if (!checked_within(entry.id_at, length, cursor->end))
		return false;
	entry.end = entry.id_at + length;
	entry.is_terminator = length == 0;
	if (length) {
		// In .eh_frame the id has 4 bytes even behind a length of 8.
		if (length < 4)
			return false;
		entry.id = (uint32_t)read_fixed(cursor, 4); // 4 bytes were asked for
	}
	cursor->at = entry.end;
	*ret_entry = entry;
	return true;
}

/** Read what the letters of the augmentation string announce. */
static void read_augmentation(struct cursor *cursor, const char *letters, struct cie *cie)
{
	for (; *letters && !cursor->failed; letters++) {
		switch (*letters) {
		case 'L':
			cie->lsda_encoding = (uint8_t)read_fixed(cursor, 1);
			break;
		case 'R':
			cie->code_encoding = (uint8_t)read_fixed(cursor, 1);
			break;
		case 'P':
			read_pointer(cursor, (uint8_t)read_fixed(cursor, 1), 0);
			break;
		case 'S': // a signal frame
		case 'B': // arm64: return addresses are signed with key B
		case 'G': // arm64: the frame is tagged
			break;
		default: // the letters after an unknown one cannot be placed
			return;
		}
	}
}

/** Decode the CIE at @at. Its cost is bounded whatever its length. */
static struct cie read_cie(const struct cursor *whole, uint64_t at)
{
	struct cie cie = { .at = at, .lsda_encoding = DW_EH_PE_omit };
	struct cursor cursor = *whole;
	struct entry entry;
	char augmentation[16] = "";
	size_t length = 0;

	cursor.at = at;
	cursor.failed = false;
	if (!read_entry(&cursor, &entry) || entry.is_terminator || entry.id != 0)
		return cie;
	cursor.at = entry.id_at + 4;
	cursor.end = entry.end;
	uint64_t version = read_fixed(&cursor, 1);
	if (version != 1 && version != 3 && version != 4)
		return cie;
	do {
		if (length == sizeof(augmentation))
			return cie;
		augmentation[length] = (char)read_fixed(&cursor, 1);
	} while (augmentation[length++] && !cursor.failed);

	const char *letters = augmentation;
	if (letters[0] == 'e' && letters[1] == 'h') { // gcc 2: a word of its own
		read_fixed(&cursor, elfmap_word_size(cursor.map));
		letters += 2;
	}
	if (version == 4)
		read_fixed(&cursor, 2); // sizes of addresses and segment selectors
	read_leb128(&cursor, false);	// code alignment
	read_leb128(&cursor, true);	// data alignment
	if (version == 1)
		read_fixed(&cursor, 1); // return address register
	else
		read_leb128(&cursor, false);
	if (*letters == 'z') {
		cie.has_augmentation_data = true;
		read_leb128(&cursor, false); // its size
		read_augmentation(&cursor, letters + 1, &cie);
	} else if (*letters) {
		return cie; // without its size nothing behind it can be found
	}
	cie.valid = !cursor.failed;
	return cie;
}

/** Decode an FDE; false if it makes no sense. */
static bool read_fde(const struct cursor *whole, const struct entry *entry, const struct cie *cie,
		     struct elfmap_frame *ret_frame)
{
	struct cursor cursor = *whole;

	cursor.at = entry->id_at + 4;
	cursor.end = entry->end;
	uint64_t start = read_pointer(&cursor, cie->code_encoding, cursor.map->dynamic.pltgot);
	// The length has the format of the address, but is never negative or relative.
	uint64_t length = read_value(&cursor, cie->code_encoding);
	if ((cie->code_encoding & 0x0f) == DW_EH_PE_sdata4)
		length = (uint32_t)length;
	else if ((cie->code_encoding & 0x0f) == DW_EH_PE_sdata2)
		length = (uint16_t)length;

	*ret_frame = (struct elfmap_frame){
		.code.start = start,
		.vaddr = whole->vaddr + entry->at,
		.size = entry->end - entry->at,
	};
	if (cursor.failed || !checked_add(start, length, &ret_frame->code.end))
		return false;
	if (cie->has_augmentation_data) {
		uint64_t size = read_leb128(&cursor, false);
		struct cursor data = cursor;

		ret_frame->lsda =
			read_pointer(&data, cie->lsda_encoding, cursor.map->dynamic.pltgot);
		if (data.failed)
			ret_frame->lsda = 0;
		if (cursor.failed || size > cursor.end - cursor.at)
			return true;
		cursor.at += size;
	}
	ret_frame->instructions = cursor.vaddr + cursor.at;
	return true;
}

/** By PT_GNU_EH_FRAME, which points to .eh_frame_hdr, which points to .eh_frame. */
static bool find_by_header(struct elfmap *map, struct range *ret_range)
{
	array_foreach (segment, map->segments, map->segment_count) {
		if (segment->type != PT_GNU_EH_FRAME)
			continue;
		struct cursor cursor = {
			.map = map,
			.bytes = elfmap_bytes(map, segment->vaddr, segment->file_size),
			.vaddr = segment->vaddr,
			.end = segment->file_size,
		};
		if (!cursor.bytes)
			return false;
		uint64_t version = read_fixed(&cursor, 1);
		uint8_t encoding = (uint8_t)read_fixed(&cursor, 1);
		read_fixed(&cursor, 2); // the encodings of the search table
		uint64_t start = read_pointer(&cursor, encoding, segment->vaddr);
		const struct elfmap_segment *load = elfmap_load_at(map, start);
		if (cursor.failed || version != 1 || !load ||
		    start - load->vaddr >= load->file_size)
			return false;
		*ret_range = (struct range){ start, load->vaddr + load->file_size };
		return true;
	}
	return false;
}

bool elfmap_eh_frame(struct elfmap *map, struct range *ret_range)
{
	const struct elfmap_section *section = elfmap_section_named(map, ".eh_frame");

	if (section && section->has_bytes && (section->flags & SHF_ALLOC) && section->size > 4 &&
	    elfmap_has_bytes(map, section->vaddr, section->size)) {
		*ret_range = (struct range){ section->vaddr, section->vaddr + section->size };
		return true;
	}
	return find_by_header(map, ret_range);
}

static int compare_frames(const void *left, const void *right)
{
	const struct elfmap_frame *a = left, *b = right;

	if (a->code.start != b->code.start) // nearly always, and there are half a million
		return a->code.start < b->code.start ? -1 : 1;
	return ORDER(a->vaddr, b->vaddr);
}

static void sort_frames(struct elfmap_frames *frames)
{
	for (size_t i = 1; i < frames->count; i++) {
		if (compare_frames(&frames->items[i - 1], &frames->items[i]) > 0) {
			qsort(frames->items, frames->count, sizeof(*frames->items), compare_frames);
			return;
		}
	}
}

static bool is_code(const struct elfmap *map, struct range code)
{
	const struct elfmap_segment *load = elfmap_load_at(map, code.start);

	return load && (load->flags & PF_X) && code.start < code.end &&
	       checked_within(code.start - load->vaddr, range_size(code), load->memory_size);
}

/**
 * Read the entry at @at and leave @cursor behind it, as read_entry() does, where only the pieces of
 * the file that were asked for are there: its header is asked for, then all of it.
 */
static bool fetch_entry(struct cursor *cursor, uint64_t at, struct entry *ret_entry)
{
	enum { HEADER_BYTES = 16 }; // a long length and the id
	struct elfmap *map = cursor->map;

	if (at >= cursor->end)
		return false;
	uint64_t room = cursor->end - at;
	cursor->at = at;
	cursor->failed = false;
	return elfmap_bytes(map, cursor->vaddr + at, room < HEADER_BYTES ? room : HEADER_BYTES) &&
	       read_entry(cursor, ret_entry) &&
	       elfmap_bytes(map, cursor->vaddr + at, ret_entry->end - at);
}

bool elfmap_frame_at(struct elfmap *map, struct range eh_frame, uint64_t vaddr,
		     struct elfmap_frame *ret_frame)
{
	struct cursor cursor = {
		.map = map,
		.bytes = elfmap_bytes(map, eh_frame.start, 0),
		.vaddr = eh_frame.start,
		.end = range_size(eh_frame),
	};
	struct entry entry, of_cie;

	if (!cursor.bytes || vaddr < eh_frame.start ||
	    !fetch_entry(&cursor, vaddr - eh_frame.start, &entry) || entry.is_terminator ||
	    entry.id == 0 || entry.id > entry.id_at ||
	    !fetch_entry(&cursor, entry.id_at - entry.id, &of_cie))
		return false;
	struct cie cie = read_cie(&cursor, of_cie.at);
	return cie.valid && read_fde(&cursor, &entry, &cie, ret_frame) &&
	       is_code(map, ret_frame->code);
}

/** Upper bound of the number of FDEs, by their lengths alone. */
static size_t count_entries(struct cursor cursor, bool stop_at_terminator)
{
	struct entry entry;
	size_t count = 0;

	while (cursor.at < cursor.end && read_entry(&cursor, &entry)) {
		if (entry.is_terminator && stop_at_terminator)
			break;
		count += entry.id != 0;
	}
	return count;
}

static void read_frames(struct elfmap *map, struct cursor *cursor, bool stop_at_terminator,
			struct elfmap_frames *frames)
{
	struct cie cie = { .at = UINT64_MAX };
	struct entry entry;
	uint64_t damaged = 0, without_code = 0;

	frames->items = arena_array(&map->arena, count_entries(*cursor, stop_at_terminator),
				    sizeof(*frames->items));
	while (cursor->at < cursor->end) {
		uint64_t at = cursor->at;

		if (!read_entry(cursor, &entry)) {
			notes_add(&map->notes,
				  "%s: .eh_frame is damaged at vaddr %#" PRIx64
				  ": the rest is skipped",
				  map->info.path, cursor->vaddr + at);
			break;
		}
		if (entry.is_terminator && stop_at_terminator)
			break;
		if (entry.id == 0)
			continue; // a CIE is read when an FDE refers to it
		if (entry.id > entry.id_at) {
			damaged++;
			continue;
		}
		if (cie.at != entry.id_at - entry.id)
			cie = read_cie(cursor, entry.id_at - entry.id);

		struct elfmap_frame frame;
		if (!cie.valid || !read_fde(cursor, &entry, &cie, &frame))
			damaged++;
		else if (!is_code(map, frame.code))
			without_code++;
		else
			frames->items[frames->count++] = frame;
	}
	if (damaged)
		notes_add(&map->notes, "%s: %" PRIu64 " damaged entries of .eh_frame skipped",
			  map->info.path, damaged);
	// Linkers zero the address of FDEs whose function was discarded.
	if (without_code)
		notes_add(&map->notes, "%s: %" PRIu64 " entries of .eh_frame describe no code",
			  map->info.path, without_code);
	sort_frames(frames);
}

const struct elfmap_frame *elfmap_frames(struct elfmap *map, size_t *ret_count)
{
	if (!map->frames) {
		struct range range;

		map->frames = arena_alloc(&map->arena, sizeof(*map->frames));
		if (elfmap_eh_frame(map, &range)) {
			struct cursor cursor = {
				.map = map,
				.bytes = elfmap_bytes(map, range.start, range_size(range)),
				.vaddr = range.start,
				.end = range_size(range),
			};
			// Where a section states the size, a terminator in its middle, left by
			// crtend.o, does not end it.
			bool has_section = elfmap_section_at(map, range.start) != NULL;

			if (cursor.bytes)
				read_frames(map, &cursor, !has_section, map->frames);
		}
	}
	*ret_count = map->frames->count;
	return map->frames->items;
}

void elfmap_check_frames(struct elfmap *map)
{
	size_t count;

	elfmap_frames(map, &count);
}
