// SPDX-License-Identifier: Apache-2.0
#include "machine/disassembler.h"

#include "base/arena.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME_OF(version)  NAME_OF_(version)
#define NAME_OF_(version) "libcapstone.so." #version

/** The functions of capstone that are used, under their names without "cs_". */
static struct {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_disasm_iter) *disasm_iter;
	__typeof__(cs_free) *free;
	__typeof__(cs_version) *version;

	bool is_loaded;
	const char *why_missing; // NULL: it was not needed, or is loaded
} capstone;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/** As POSIX asks for it: what dlsym() returns is a pointer to an object. */
static bool find(void *library, const char *name, void *ret_function)
{
	*(void **)ret_function = dlsym(library, name);
	return *(void **)ret_function;
}

static void load(void)
{
	// The version whose headers elfault was built with: another's structures differ.
	void *library = dlopen(NAME_OF(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);

	capstone.is_loaded = library && find(library, "cs_open", &capstone.open) &&
			     find(library, "cs_close", &capstone.close) &&
			     find(library, "cs_option", &capstone.option) &&
			     find(library, "cs_malloc", &capstone.malloc) &&
			     find(library, "cs_disasm_iter", &capstone.disasm_iter) &&
			     find(library, "cs_free", &capstone.free) &&
			     find(library, "cs_version", &capstone.version);
	if (!capstone.is_loaded)
		capstone.why_missing = dlerror();
}

static bool is_loaded(void)
{
	pthread_once(&once, load);
	return capstone.is_loaded;
}

const char *disassembler_missing(void)
{
	return capstone.why_missing;
}

const char *disassembler_version(void)
{
	static char text[32];
	int major, minor;

	if (!is_loaded())
		return NULL;
	capstone.version(&major, &minor);
	snprintf(text, sizeof(text), "%d.%d", major, minor);
	return text;
}

struct disassembler {
	const struct machine_operands *operands;
	csh handle;
	cs_insn *instruction;
};

struct disassembler *disassembler_create(const struct machine *machine, bool with_operands)
{
	const struct machine_operands *operands = machine->operands;
	cs_err error;

	if (!operands || !is_loaded())
		return NULL;
	CLEANUP(disassembler_destroyp) struct disassembler *by = xcalloc(1, sizeof(*by));
	by->operands = operands;
	error = capstone.open((cs_arch)operands->arch, (cs_mode)operands->mode, &by->handle);
	if (error == CS_ERR_MEM)
		oom();
	if (error != CS_ERR_OK)
		return NULL;
	if (with_operands)
		capstone.option(by->handle, CS_OPT_DETAIL, CS_OPT_ON);
	by->instruction = capstone.malloc(by->handle);
	if (!by->instruction)
		oom();
	return TAKE(by);
}

void disassembler_destroy(struct disassembler *by)
{
	if (!by)
		return;
	if (by->instruction)
		capstone.free(by->instruction, 1);
	if (by->handle)
		capstone.close(&by->handle);
	free(by);
}

bool disassembler_next(struct disassembler *by, const uint8_t **code, size_t *size, uint64_t *vaddr)
{
	return *size && capstone.disasm_iter(by->handle, code, size, vaddr, by->instruction);
}

const char *disassembler_text(const struct disassembler *by, struct arena *arena)
{
	const cs_insn *instruction = by->instruction;

	return arena_printf(arena, "%s%s%s", instruction->mnemonic,
			    instruction->op_str[0] ? " " : "", instruction->op_str);
}

struct machine_touches disassembler_touches(const struct disassembler *by)
{
	return by->operands->touches(by->instruction);
}

size_t disassembler_references(const struct disassembler *by,
			       struct machine_reference ret[static MACHINE_REFERENCES])
{
	return by->operands->references ? by->operands->references(by->instruction, ret) : 0;
}
