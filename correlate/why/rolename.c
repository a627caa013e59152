// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/rolename.h"

#include "base/symbolname.h"
#include "correlate/why/role.h"

#include <elf.h>
#include <string.h>

/**
 * Names that other files may call: they are in .dynsym of stripped libraries, too. Some, internal
 * to static programs or to libc, are only known with a full symbol table; nothing depends on these
 * alone. Where a name counts, in_file() says.
 */
static const struct {
	const char *name;
	uint32_t bits;
} names[] = {
	{ "_start", ROLE_ENTRY }, // where another entry point jumps to it, as BOLT's
	{ "exit", ROLE_EXIT },
	{ "quick_exit", ROLE_EXIT },
	{ "dlopen", ROLE_DLOPEN },
	{ "dlmopen", ROLE_DLOPEN },
	{ "__libc_dlopen_mode", ROLE_DLOPEN },
	{ "dlclose", ROLE_LINKER_CALL },
	{ "dlsym", ROLE_LINKER_CALL | ROLE_BINDS },
	{ "dlvsym", ROLE_LINKER_CALL | ROLE_BINDS },
	{ "dladdr", ROLE_LINKER_CALL },
	{ "dladdr1", ROLE_LINKER_CALL },
	{ "dlinfo", ROLE_LINKER_CALL },
	{ "_Unwind_RaiseException", ROLE_UNWIND },
	{ "_Unwind_Resume", ROLE_UNWIND },
	{ "_Unwind_Resume_or_Rethrow", ROLE_UNWIND },
	{ "_Unwind_ForcedUnwind", ROLE_UNWIND },
	{ "_Unwind_Backtrace", ROLE_UNWIND | ROLE_CALLS_BACK },
	{ "_Unwind_Find_FDE", ROLE_UNWIND },
	{ "_Unwind_DeleteException", ROLE_UNWIND },
	{ "__register_frame_info", ROLE_UNWIND },
	{ "__deregister_frame_info", ROLE_UNWIND },
	{ "__cxa_allocate_exception", ROLE_UNWIND },
	{ "__cxa_throw", ROLE_UNWIND },
	{ "__cxa_rethrow", ROLE_UNWIND },
	{ "__cxa_begin_catch", ROLE_UNWIND },
	{ "__cxa_end_catch", ROLE_UNWIND },
	{ "__gxx_personality_v0", ROLE_UNWIND },
	{ "__gcc_personality_v0", ROLE_UNWIND },
	{ "_dl_allocate_tls", ROLE_TLS },
	{ "_dl_allocate_tls_init", ROLE_TLS },
	{ "__tls_get_addr", ROLE_TLS },
	{ "___tls_get_addr", ROLE_TLS },
	{ "__libc_setup_tls", ROLE_TLS | ROLE_OF_START },
	{ "__init_tls", ROLE_TLS | ROLE_OF_START },
	{ "__copy_tls", ROLE_TLS },
	{ "clone", ROLE_THREAD },
	{ "clone3", ROLE_THREAD },
	{ "__clone", ROLE_THREAD },
	{ "__clone3", ROLE_THREAD },
	{ "_dl_find_object", ROLE_FIND },
	{ "_dl_find_dso_for_object", ROLE_FIND },
	{ "dl_iterate_phdr", ROLE_FIND },
	{ "_dl_relocate_static_pie", ROLE_RELOCATES | ROLE_OF_START },
	{ "apply_irel", ROLE_RELOCATES | ROLE_OF_START },
	{ "init_cpu_features", ROLE_ASKS_PROCESSOR },
	{ "_dl_x86_init_cpu_features", ROLE_ASKS_PROCESSOR },
	{ "update_active", ROLE_ASKS_PROCESSOR },
	{ "get_common_indices", ROLE_ASKS_PROCESSOR },
	{ "get_extended_indices", ROLE_ASKS_PROCESSOR },
	{ "get_common_cache_info", ROLE_ASKS_PROCESSOR },
	{ "dl_init_cacheinfo", ROLE_ASKS_PROCESSOR },
	{ "handle_intel", ROLE_ASKS_PROCESSOR },
	{ "intel_check_word", ROLE_ASKS_PROCESSOR },
	{ "handle_amd", ROLE_ASKS_PROCESSOR },
	{ "handle_zhaoxin", ROLE_ASKS_PROCESSOR },
	{ "malloc", ROLE_ALLOCATES },
	{ "calloc", ROLE_ALLOCATES },
	{ "realloc", ROLE_ALLOCATES },
	{ "free", ROLE_ALLOCATES },
};

/** Roles that a name gives to functions of libc and the dynamic linker alone. */
enum {
	// A program or library may call functions of its own so.
	ROLES_OF_PLAIN_NAMES =
		ROLE_EXIT | ROLE_DLOPEN | ROLE_LINKER_CALL | ROLE_BINDS | ROLE_THREAD,
	ROLES_OF_LIBC = ROLES_OF_PLAIN_NAMES | ROLE_TLS | ROLE_RELOCATES,
};

/** Go's: its entry point jumps to rt0_go, and goroutines begin in goexit. */
static const struct {
	const char *name;
	uint32_t bits;
} go_names[] = {
	{ "main.main", ROLE_MAIN },
	{ "runtime.main", ROLE_ENTRY },
	{ "runtime.doInit", ROLE_PART_OF_INIT | ROLE_RUNS_PACKAGES },
	{ "runtime.doInit1", ROLE_PART_OF_INIT | ROLE_RUNS_PACKAGES },
	{ "_rt0_amd64", ROLE_ENTRY },
	{ "runtime.rt0_go", ROLE_ENTRY },
	{ "runtime.goexit", ROLE_THREAD | ROLE_GOROUTINE },
	{ "runtime.mstart", ROLE_THREAD | ROLE_GOROUTINE },
	{ "runtime.clone", ROLE_THREAD },
	{ "runtime.systemstack", ROLE_OWN_STACK },
	{ "runtime.mcall", ROLE_OWN_STACK },
	{ "runtime.morestack", ROLE_OWN_STACK },
	{ "runtime.asmcgocall", ROLE_OWN_STACK },
	{ "runtime.nanotime1", ROLE_OWN_STACK },
	{ "runtime.walltime", ROLE_OWN_STACK },
	{ "time.now", ROLE_OWN_STACK },
	{ "runtime.sigtramp", ROLE_OWN_STACK },
};

/** The names that compilers give to what an initializer of theirs calls. */
static bool is_part_of_init(const char *name)
{
	static const char *const beginnings[] = {
		"_Z41__static_initialization_and_destruction_0", // GCC
		"__static_initialization_and_destruction_0",
		"__cxx_global_var_init", // clang
		"_GLOBAL__sub_I_",
		"_GLOBAL__I_",
	};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

/** @name as its library exports it: in a full symbol table it may stand there as __GI_exit,
 * exit@@V1, ___dlopen or exit.cold. */
static bool is_named(const char *name, const char *exported)
{
	size_t length, version;

	if (strncmp(name, "__GI_", 5) == 0)
		name += 5;
	if (strncmp(exported, "dl", 2) == 0)
		name += strspn(name, "_");
	if (name[0] != exported[0])
		return false;
	length = symbolname_length(name);
	version = strcspn(name, "@");
	length = version < length ? version : length;
	return strncmp(name, exported, length) == 0 && exported[length] == '\0';
}

static uint32_t bits_of_name(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_named(name, names[i].name))
			return names[i].bits;
	return 0;
}

bool rolename_is_libc(const struct elfmap *map, enum part part)
{
	const char *soname = elfmap_info(map)->soname;

	return part == PART_LOADER_AND_LIBC || (soname && strncmp(soname, "libc.", 5) == 0);
}

/** True if the file is libc or a part of it, or the dynamic linker. */
static bool is_of_libc(const struct elfmap *map, enum part part)
{
	const char *soname = elfmap_info(map)->soname;

	return part == PART_LOADER || rolename_is_libc(map, part) ||
	       (soname && strncmp(soname, "libdl.so", strlen("libdl.so")) == 0);
}

/** True if the file is a program that libc may be linked into. */
static bool is_static_program(const struct elfmap *map, enum part part)
{
	return part == PART_PROGRAM && !elfmap_info(map)->interpreter;
}

/** True if the C standard keeps @name from programs. */
static bool is_reserved(const char *name)
{
	return strncmp(name, "__", 2) == 0;
}

/**
 * True if @symbol of a static program, which has one of @bits by a plain name, is libc's: there
 * these are weak, or beside a reserved name. A program's exit() replaces libc's.
 */
static bool is_linked_in(const struct elfmap_symbol *symbol, uint32_t bits)
{
	return is_reserved(symbol->name) || symbol->binding == STB_WEAK ||
	       ((bits & ROLE_EXIT) && symbol->binding == STB_GLOBAL);
}

/** The roles of @bits, which the name of @symbol gives, that it can have in its file. */
static uint32_t in_file(const struct elfmap *map, enum part part,
			const struct elfmap_symbol *symbol, uint32_t bits)
{
	uint32_t none = 0;

	if (!bits)
		return 0;
	if (is_static_program(map, part))
		none |= is_linked_in(symbol, bits) ? 0 : ROLES_OF_PLAIN_NAMES;
	else if (!is_of_libc(map, part))
		none |= ROLES_OF_LIBC;
	if (part != PART_PROGRAM || symbol->binding == STB_LOCAL)
		none |= ROLE_ENTRY;
	// libc has the same functions for sysconf().
	if (part != PART_LOADER)
		none |= ROLE_ASKS_PROCESSOR;
	// The dynamic linker calls only exported functions by plain names.
	if (symbol->binding == STB_LOCAL && !is_reserved(symbol->name))
		none |= ROLE_ALLOCATES;
	return bits & ~none;
}

uint32_t rolename_bits(const struct elfmap *map, enum part part, const struct elfmap_symbol *symbol)
{
	uint32_t bits = in_file(map, part, symbol, bits_of_name(symbol->name));

	if (!bits && is_part_of_init(symbol->name))
		bits = ROLE_PART_OF_INIT;
	if (symbol->binding != STB_LOCAL && symbol->source > ELFMAP_SYMBOLS_EH_FRAME)
		bits |= ROLE_EXPORTED;
	return bits;
}

bool rolename_is_exit(const char *name)
{
	return bits_of_name(name) & ROLE_EXIT;
}

bool rolename_is_go(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	return strncmp(name, wanted, length) == 0 &&
	       (name[length] == '\0' || strcmp(name + length, ".abi0") == 0);
}

uint32_t rolename_go_bits(const struct elfmap_symbol *symbol, bool is_program)
{
	for (size_t i = 0; i < sizeof(go_names) / sizeof(go_names[0]); i++) {
		if (!rolename_is_go(symbol->name, go_names[i].name))
			continue;
		if (is_program || !(go_names[i].bits & (ROLE_ENTRY | ROLE_MAIN)))
			return go_names[i].bits;
		return go_names[i].bits & ROLE_ENTRY ? ROLE_THREAD : 0;
	}
	return 0;
}
