// SPDX-License-Identifier: Apache-2.0
// capstone, loaded when the first instruction is read: its tables of pointers are two thirds of the
// page faults of a start of elfault, and record, prefetch and smaps read no instruction.
#pragma once

#include <capstone/capstone.h>

/** The functions of capstone that are used, under their names without "cs_". */
struct disassembler {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_disasm) *disasm;
	__typeof__(cs_disasm_iter) *disasm_iter;
	__typeof__(cs_free) *free;
	__typeof__(cs_version) *version;
};

/** NULL: it could not be loaded, which disassembler_missing() explains. */
const struct disassembler *disassembler_get(void);

/** Why there was none when it was asked for: the dynamic linker's words; NULL: that was not so. */
const char *disassembler_missing(void);
