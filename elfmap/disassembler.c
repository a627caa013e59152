// SPDX-License-Identifier: Apache-2.0
#include "elfmap/disassembler.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

#define NAME_OF(version)  NAME_OF_(version)
#define NAME_OF_(version) "libcapstone.so." #version

/** As POSIX asks for it: what dlsym() returns is a pointer to an object. */
static bool find(void *library, const char *name, void *ret_function)
{
	*(void **)ret_function = dlsym(library, name);
	return *(void **)ret_function;
}

static bool load(struct disassembler *to)
{
	// The version whose headers elfault was built with: another's structures differ.
	void *library = dlopen(NAME_OF(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);

	return library && find(library, "cs_open", &to->open) &&
	       find(library, "cs_close", &to->close) && find(library, "cs_option", &to->option) &&
	       find(library, "cs_malloc", &to->malloc) && find(library, "cs_disasm", &to->disasm) &&
	       find(library, "cs_disasm_iter", &to->disasm_iter) &&
	       find(library, "cs_free", &to->free) && find(library, "cs_version", &to->version);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

/** State after the first call of disassembler_get(). */
static struct {
	bool is_there;
	struct disassembler functions;
	const char *why; // NULL: it was not needed, or is there
} state;

static void load_once(void)
{
	state.is_there = load(&state.functions);
	if (!state.is_there)
		state.why = dlerror();
}

const struct disassembler *disassembler_get(void)
{
	pthread_once(&once, load_once);
	return state.is_there ? &state.functions : NULL;
}

const char *disassembler_missing(void)
{
	return state.why;
}
