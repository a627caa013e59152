// SPDX-License-Identifier: Apache-2.0
// x86-64 instructions: where they end and jump to, and what they do with rbp and rsp.
// Source: Intel SDM vol. 2 app. A "Opcode Map"; AMD APM vol. 3 app. A for XOP.
#include "machine/processors.h"

#include "machine/unwinding.h"

#include <string.h>

enum {
	SIZE_MAX_X86 = 15,
	REX_B = 1,
	REX_X = 2,
	REX_R = 4,
	REX_W = 8,
	SP = 4,
	RM_SIB = 4,
	RM_RBP = 5
};

/** Maps of opcodes; VEX, EVEX and XOP name them by these numbers. */
enum {
	MAP_ONE_BYTE,
	MAP_0F,
	MAP_0F38,
	MAP_0F3A,
	MAP_FP16_5 = 5,
	MAP_FP16_6,
	MAP_XOP_8 = 8,
	MAP_XOP_9,
	MAP_XOP_A
};

/** Forms: what follows an opcode. */
enum {
	M = 1,	// ModRM
	B = 2,	// a byte
	W = 4,	// two bytes
	Z = 8,	// four; two with an operand-size prefix
	V = 16, // four; two with that, eight with REX.W
	A = 32, // an address
	R = 64, // four, whatever the prefixes: a distance
	X = 128
}; // no instruction

// clang-format off
static const uint8_t one_byte[256] = {
	/* 00 */ M, M, M, M, B, Z, X, X,  M, M, M, M, B, Z, X, X,
	/* 10 */ M, M, M, M, B, Z, X, X,  M, M, M, M, B, Z, X, X,
	/* 20 */ M, M, M, M, B, Z, X, X,  M, M, M, M, B, Z, X, X,
	/* 30 */ M, M, M, M, B, Z, X, X,  M, M, M, M, B, Z, X, X,
	/* 40 */ X, X, X, X, X, X, X, X,  X, X, X, X, X, X, X, X,
	/* 50 */ 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
	/* 60 */ X, X, X, M, X, X, X, X,  Z, M | Z, B, M | B, 0, 0, 0, 0,
	/* 70 */ B, B, B, B, B, B, B, B,  B, B, B, B, B, B, B, B,
	/* 80 */ M | B, M | Z, X, M | B, M, M, M, M,  M, M, M, M, M, M, M, M,
	/* 90 */ 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, X, 0, 0, 0, 0, 0,
	/* a0 */ A, A, A, A, 0, 0, 0, 0,  B, Z, 0, 0, 0, 0, 0, 0,
	/* b0 */ B, B, B, B, B, B, B, B,  V, V, V, V, V, V, V, V,
	/* c0 */ M | B, M | B, W, 0, X, X, M | B, M | Z,  W | B, 0, W, 0, 0, B, X, 0,
	/* d0 */ M, M, M, M, X, X, X, 0,  M, M, M, M, M, M, M, M,
	/* e0 */ B, B, B, B, B, B, B, B,  R, R, X, B, 0, 0, 0, 0,
	/* f0 */ X, 0, X, X, 0, 0, M, M,  0, 0, 0, 0, 0, 0, M, M,
};

static const uint8_t two_bytes[256] = {
	/* 00 */ M, M, M, M, X, 0, 0, 0,  0, 0, X, 0, X, M, 0, M | B,
	/* 10 */ M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
	/* 20 */ M, M, M, M, X, X, X, X,  M, M, M, M, M, M, M, M,
	/* 30 */ 0, 0, 0, 0, 0, 0, X, 0,  X, X, X, X, X, X, X, X,
	/* 40 */ M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
	/* 50 */ M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
	/* 60 */ M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
	/* 70 */ M | B, M | B, M | B, M | B, M, M, M, 0,  M, M, M, M, M, M, M, M,
	/* 80 */ R, R, R, R, R, R, R, R,  R, R, R, R, R, R, R, R,
	/* 90 */ M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
	/* a0 */ 0, 0, 0, M, M | B, M, X, X,  0, 0, 0, M, M | B, M, M, M,
	/* b0 */ M, M, M, M, M, M, M, M,  M, M, M | B, M, M, M, M, M,
	/* c0 */ M, M, M | B, M, M | B, M | B, M | B, M,  0, 0, 0, 0, 0, 0, 0, 0,
	/* d0 */ M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
	/* e0 */ M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
	/* f0 */ M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
};
// clang-format on

/** An instruction half read. */
struct decoding {
	const uint8_t *bytes;
	size_t size, at;
	bool has_operand_size, has_address_size;
	uint8_t rex; // of VEX and the others as well
	uint8_t map;
	uint8_t opcode;
	uint8_t modrm;
	bool is_extended; // VEX, EVEX or XOP
	bool addresses_rbp;
	bool has_index; // the operand in memory
};

/** The next byte; 0 past the end, which the last check of x86_read() finds. */
static uint8_t next(struct decoding *decoding)
{
	size_t at = decoding->at++;

	return at < decoding->size ? decoding->bytes[at] : 0;
}

static uint8_t peek(const struct decoding *decoding)
{
	return decoding->at < decoding->size ? decoding->bytes[decoding->at] : 0;
}

static void read_prefixes(struct decoding *decoding)
{
	for (;; decoding->at++) {
		uint8_t byte = peek(decoding);

		if (decoding->at >= SIZE_MAX_X86)
			return;
		if (byte == 0x66)
			decoding->has_operand_size = true;
		else if (byte == 0x67)
			decoding->has_address_size = true;
		else if (byte != 0xf0 && byte != 0xf2 && byte != 0xf3 && byte != 0x2e &&
			 byte != 0x36 && byte != 0x3e && byte != 0x26 && byte != 0x64 &&
			 byte != 0x65)
			break;
	}
	if ((peek(decoding) & 0xf0) == 0x40)
		decoding->rex = next(decoding);
}

/** VEX, EVEX and XOP: prefixes that name the map. Inverted bits take the place of REX. */
static bool read_extension(struct decoding *decoding)
{
	uint8_t byte = peek(decoding), first;
	uint8_t second = decoding->at + 1 < decoding->size ? decoding->bytes[decoding->at + 1] : 0;

	if (byte != 0xc4 && byte != 0xc5 && byte != 0x62 && !(byte == 0x8f && (second & 0x1f) >= 8))
		return false;
	decoding->at++;
	first = next(decoding);
	decoding->is_extended = true;
	decoding->map = MAP_0F;
	if (byte != 0xc5) {
		decoding->map = first & (byte == 0x62 ? 0x07 : 0x1f);
		decoding->rex = first & 0x20 ? 0 : REX_B;
		decoding->at += byte == 0x62 ? 2 : 1;
	}
	return true;
}

static void read_opcode(struct decoding *decoding)
{
	read_prefixes(decoding);
	if (!read_extension(decoding) && peek(decoding) == 0x0f) {
		decoding->at++;
		decoding->map = MAP_0F;
		if (peek(decoding) == 0x38 || peek(decoding) == 0x3a)
			decoding->map = next(decoding) == 0x38 ? MAP_0F38 : MAP_0F3A;
	}
	decoding->opcode = next(decoding);
}

/** Return the form of what follows the opcode. */
static uint8_t form_of(const struct decoding *decoding)
{
	switch (decoding->map) {
	case MAP_ONE_BYTE:
		return one_byte[decoding->opcode];
	case MAP_0F:
		return two_bytes[decoding->opcode];
	case MAP_0F38:
	case MAP_FP16_5:
	case MAP_FP16_6:
	case MAP_XOP_9:
		return M;
	case MAP_0F3A:
	case MAP_XOP_8:
		return M | B;
	case MAP_XOP_A:
		return M | R;
	default:
		return X;
	}
}

static void read_modrm(struct decoding *decoding)
{
	uint8_t modrm = decoding->modrm = next(decoding);
	uint8_t mode = modrm >> 6, base = modrm & 7;

	if (mode == 3)
		return;
	if (base == RM_SIB) {
		base = next(decoding);
		decoding->has_index = (base >> 3 & 7) != RM_SIB || (decoding->rex & REX_X);
		base &= 7;
		if (mode == 0 && base == RM_RBP)
			decoding->at += 4;
	} else if (mode == 0 && base == RM_RBP) {
		decoding->at += 4; // from the ip
	}
	if (mode == 1)
		decoding->at += 1;
	if (mode == 2)
		decoding->at += 4;
	decoding->addresses_rbp = mode != 0 && base == RM_RBP && !(decoding->rex & REX_B);
}

static void skip_immediate(struct decoding *decoding, uint8_t form)
{
	size_t word = decoding->has_operand_size && !(decoding->rex & REX_W) ? 2 : 4;
	uint8_t reg = (decoding->modrm >> 3) & 7;

	// test has one where its siblings have none.
	if (decoding->map == MAP_ONE_BYTE && reg < 2 && decoding->opcode == 0xf6)
		form |= B;
	if (decoding->map == MAP_ONE_BYTE && reg < 2 && decoding->opcode == 0xf7)
		form |= Z;
	if (form & B)
		decoding->at += 1;
	if (form & W)
		decoding->at += 2;
	if (form & Z)
		decoding->at += word;
	if (form & V)
		decoding->at += decoding->rex & REX_W ? 8 : word;
	if (form & A)
		decoding->at += decoding->has_address_size ? 4 : 8;
	if (form & R)
		decoding->at += 4;
}

/** The distance that a direct jump ends with, from its first byte. */
static int64_t distance(const struct decoding *decoding, uint8_t form)
{
	int64_t size = (int64_t)decoding->at; // at most SIZE_MAX_X86
	int32_t far;

	if (form & B)
		return size + (int8_t)decoding->bytes[size - 1];
	memcpy(&far, decoding->bytes + size - 4, sizeof(far));
	return size + far;
}

static enum machine_flow flow_of(const struct decoding *decoding)
{
	uint8_t opcode = decoding->opcode, reg = (decoding->modrm >> 3) & 7;

	if (decoding->is_extended)
		return MACHINE_GOES_ON;
	if (decoding->map == MAP_0F) {
		if (opcode >= 0x80 && opcode <= 0x8f)
			return MACHINE_MAY_JUMP;
		return opcode == 0x0b || opcode == 0xb9 || opcode == 0xff ? MACHINE_ENDS
									  : MACHINE_GOES_ON;
	}
	if (decoding->map != MAP_ONE_BYTE)
		return MACHINE_GOES_ON;
	if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3))
		return MACHINE_MAY_JUMP;
	switch (opcode) {
	case 0xc2: // ret
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcc: // int3
	case 0xcf:
	case 0xf4: // hlt
		return MACHINE_ENDS;
	case 0xe9:
	case 0xeb:
		return MACHINE_JUMPS;
	case 0xff:
		return reg == 4 || reg == 5 ? MACHINE_JUMPS_ANYWHERE : MACHINE_GOES_ON;
	default:
		return MACHINE_GOES_ON;
	}
}

/** push, pop, leave and all that may have sp for its result: rather one too many. */
static bool moves_sp(const struct decoding *decoding, uint8_t form)
{
	uint8_t opcode = decoding->opcode, reg = (decoding->modrm >> 3) & 7;

	if (decoding->map != MAP_ONE_BYTE || decoding->is_extended)
		return false;
	if ((opcode >= 0x50 && opcode <= 0x5f) || opcode == 0x68 || opcode == 0x6a ||
	    opcode == 0x8f || opcode == 0x9c || opcode == 0x9d || opcode == 0xc8 ||
	    opcode == 0xc9 || (opcode == 0xff && reg == 6))
		return true;
	return (form & M) && ((decoding->modrm >= 0xc0 && (decoding->modrm & 7) == SP &&
			       !(decoding->rex & REX_B)) ||
			      (reg == SP && !(decoding->rex & REX_R) && opcode < 0x90 &&
			       (opcode < 0x80 || opcode > 0x83)));
}

/** Read what becomes of a pointer. */
static void read_pointer(const struct decoding *decoding, struct machine_instruction *instruction)
{
	bool is_register = decoding->modrm >= 0xc0;
	uint8_t reg = (decoding->modrm >> 3 & 7) + (decoding->rex & REX_R ? 8 : 0);
	uint8_t operand = (decoding->modrm & 7) + (decoding->rex & REX_B ? 8 : 0);

	if (decoding->map != MAP_ONE_BYTE || decoding->is_extended)
		return;
	if (decoding->opcode == 0x8b && !is_register && !decoding->has_index &&
	    (decoding->rex & REX_W))
		instruction->loads_pointer = reg + 1;
	if (instruction->flow != MACHINE_JUMPS_ANYWHERE)
		return;
	if (is_register)
		instruction->jumps_to = operand + 1;
	else
		instruction->jumps_by_pointer = !decoding->has_index;
}

bool x86_read(const uint8_t *bytes, size_t size, struct machine_instruction *ret_instruction)
{
	struct decoding decoding = { .bytes = bytes, .size = size };
	struct machine_instruction found = { 0 };
	uint8_t form;

	read_opcode(&decoding);
	form = form_of(&decoding);
	if (form & X)
		return false;
	if (form & M)
		read_modrm(&decoding);
	skip_immediate(&decoding, form);
	if (decoding.at > size || decoding.at > SIZE_MAX_X86)
		return false;

	bool is_plain = decoding.map == MAP_ONE_BYTE && !decoding.is_extended && !decoding.rex;

	found.size = (uint8_t)decoding.at; // at most SIZE_MAX_X86
	found.flow = flow_of(&decoding);
	if (found.flow == MACHINE_MAY_JUMP || found.flow == MACHINE_JUMPS)
		found.target = distance(&decoding, form);
	found.pushes_frame = is_plain && decoding.opcode == 0x55;
	found.restores_frame = is_plain && (decoding.opcode == 0x5d || decoding.opcode == 0xc9);
	found.addresses_frame = decoding.addresses_rbp;
	found.moves_sp = moves_sp(&decoding, form);
	read_pointer(&decoding, &found);
	*ret_instruction = found;
	return true;
}
