// SPDX-License-Identifier: Apache-2.0
// The stand-ins of x86-64: the code is x86standin.S.
#include "machine/standin.h"

#include <elf.h>
#include <string.h>

extern const uint8_t machine_standin_code[];
extern const struct machine_standin_places machine_standin_places;

/** In the order of x86standin.S. Version 2.34 of glibc has all of them in libc. */
static const struct machine_standin_import imports[] = {
	{ "dlopen", "GLIBC_2.34" },
	{ "dlsym", "GLIBC_2.34" },
	{ "dlvsym", "GLIBC_2.34" },
	{ "dlerror", "GLIBC_2.34" },
	{ "__errno_location", "GLIBC_2.2.5" },
	{ "dlclose", "GLIBC_2.34" },
};

static void put_number(uint8_t *bytes, int64_t number)
{
	const int32_t narrow = (int32_t)number; // files of 2 GiB are not written

	memcpy(bytes, &narrow, sizeof(narrow));
}

static void write_entry(uint8_t *ret_bytes, uint32_t number, int64_t head, int64_t slot)
{
	const uint32_t enter = machine_standin_places.enter;
	static const uint8_t code[STANDIN_ENTRY_BYTES] = {
		0x4c, 0x8d, 0x1d, 0,	0,    0, 0, // lea head(%rip), %r11
		0x4c, 0x03, 0x1d, 0,	0,    0, 0, // add slot(%rip), %r11
		0x41, 0xff, 0xe3,		    // jmp *%r11
		0x68, 0,    0,	  0,	0,	    // push $number
		0xe9, 0,    0,	  0,	0,	    // jmp enter
		0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
	};

	memcpy(ret_bytes, code, sizeof(code));
	put_number(ret_bytes + 3, head - 7);
	put_number(ret_bytes + 10, slot - 14);
	memcpy(ret_bytes + 18, &number, sizeof(number));
	put_number(ret_bytes + 23, head + enter - 27);
}

// ---- Unwinding -------------------------------------------------------------------------------

enum { RBX = 3, RBP = 6, RSP = 7, R12 = 12, R13, R14, R15, RETURN = 16 };

/** DW_CFA_...: advance by bytes, a register saved so many words below the CFA. */
#define ADVANCE(bytes)	     0x40 | (bytes)
#define SAVED(number, words) 0x80 | (number), words
#define CFA_OFFSET(bytes)    0x0e, bytes
#define CFA_REGISTER(number) 0x0d, number

static const uint8_t cie[] = {
	0,
	0,
	0,
	0,
	1,
	'z',
	'R',
	0,
	1,
	0x78 /* -8 */,
	RETURN,
	1,
	0x1b /* pcrel, sdata4 */,
	0x0c,
	RSP,
	8,
	SAVED(RETURN, 1),
};
/** CFA = %rsp + 8, and 8 more behind the push of the entry's second part. */
static const uint8_t of_entries[] = {
	0x0f,
	11,
	0x77,
	8,
	0x80,
	0,
	0x4f /* lit31 */,
	0x1a /* and */,
	0x46 /* lit22 */,
	0x2a /* ge */,
	0x33 /* lit3 */,
	0x24 /* shl */,
	0x22 /* plus */,
};
static const uint8_t of_enter[] = {
	CFA_OFFSET(16),	   ADVANCE(1),	CFA_OFFSET(24), SAVED(RBP, 3), ADVANCE(3),
	CFA_REGISTER(RBP), ADVANCE(12), SAVED(RBX, 12), ADVANCE(2),    SAVED(R12, 13),
};
static const uint8_t of_resolve[] = {
	ADVANCE(1),	CFA_OFFSET(16), SAVED(RBX, 2),	ADVANCE(2),	CFA_OFFSET(24),
	SAVED(R12, 3),	ADVANCE(2),	CFA_OFFSET(32), SAVED(R13, 4),	ADVANCE(2),
	CFA_OFFSET(40), SAVED(R14, 5),	ADVANCE(2),	CFA_OFFSET(48), SAVED(R15, 6),
};
static const uint8_t of_start[] = { ADVANCE(1), CFA_OFFSET(16), SAVED(RBX, 2) };
static const uint8_t of_leaf[] = { 0 };
static const uint8_t of_finish[] = { ADVANCE(1), CFA_OFFSET(16) };

struct frames {
	uint8_t *bytes;
	size_t size;
	int32_t (*starts)[2];
	size_t count;
};

/** Append @size bytes and zeros, which mean nothing, as a record of a multiple of 8 bytes. */
static void add_record(struct frames *frames, const uint8_t *from, size_t size)
{
	const size_t whole = (4 + size + 7) / 8 * 8;

	memset(frames->bytes + frames->size, 0, whole);
	put_number(frames->bytes + frames->size, (int64_t)whole - 4);
	memcpy(frames->bytes + frames->size + 4, from, size);
	frames->size += whole;
}

/** @start: distance of the code from .eh_frame. */
static void add_frame(struct frames *frames, int64_t start, size_t length, const uint8_t *rules,
		      size_t size)
{
	const size_t at = frames->size;
	uint8_t record[64] = { 0 };

	put_number(record, (int64_t)at + 4);		   // back to the CIE
	put_number(record + 4, start - (int64_t)(at + 8)); // from here
	put_number(record + 8, (int64_t)length);
	memcpy(record + 13, rules, size); // record[12]: no augmentation
	frames->starts[frames->count][0] = (int32_t)start;
	frames->starts[frames->count++][1] = (int32_t)at;
	add_record(frames, record, 13 + size);
}

static size_t write_frames(uint8_t *ret_bytes, int64_t code, int64_t entries, size_t count,
			   int32_t (*ret_starts)[2], size_t *ret_count)
{
	const struct machine_standin_places *at = &machine_standin_places;
	struct frames frames = { .bytes = ret_bytes, .starts = ret_starts };
	const struct {
		uint32_t start, end;
		const uint8_t *rules;
		size_t size;
	} parts[] = {
		{ at->enter, at->resolve, of_enter, sizeof(of_enter) },
		{ at->resolve, at->resolve_end, of_resolve, sizeof(of_resolve) },
		{ at->start, at->leave_environment, of_start, sizeof(of_start) },
		{ at->leave_environment, at->finish, of_leaf, sizeof(of_leaf) },
		{ at->finish, at->size, of_finish, sizeof(of_finish) },
	};

	add_record(&frames, cie, sizeof(cie));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		add_frame(&frames, code + parts[i].start, parts[i].end - parts[i].start,
			  parts[i].rules, parts[i].size);
	add_frame(&frames, entries, count * STANDIN_ENTRY_BYTES, of_entries, sizeof(of_entries));
	memset(ret_bytes + frames.size, 0, 4); // its end
	*ret_count = frames.count;
	return frames.size + 4;
}

const struct machine_standin *machine_standin(void)
{
	static const struct machine_standin standin = {
		.elf = EM_X86_64,
		.code = machine_standin_code,
		.places = &machine_standin_places,
		.imports = imports,
		.import_count = sizeof(imports) / sizeof(imports[0]),
		.jump_slot = R_X86_64_JUMP_SLOT,
		.write_entry = write_entry,
		.write_frames = write_frames,
	};

	return &standin;
}
