// SPDX-License-Identifier: Apache-2.0
#include "standin/judge.h"

#include "base/hash.h"
#include "base/path.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "elfmap/elfmap.h"
#include "machine/standin.h"

#include <elf.h>
#include <string.h>

/** Libraries that stay: parts of the C library, and what stand-ins themselves rest on. */
static const char *const basic[] = {
	"libc.so.6",	"libm.so.6",   "libdl.so.2",	 "libpthread.so.0", "librt.so.1",
	"libutil.so.1", "libanl.so.1", "libresolv.so.2", "libgcc_s.so.1",   "ld-linux-x86-64.so.2",
};

/** Functions of the C library by which an initializer changes what all of the process shares. */
static const char *const sharing[] = {
	"signal", "sigaction", "setlocale", "setenv", "putenv", "unsetenv",
	"umask",  "chdir",     "setrlimit", "prctl",  "dlopen", "pthread_create",
};

static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

#define IS_AMONG(name, names) is_among(name, names, sizeof(names) / sizeof(*(names)))

// ---- What others need of it ---------------------------------------------------------------------

static bool is_function(const struct standin_symbol *symbol)
{
	return symbol->type == STT_FUNC;
}

/** True if the dynamic linker may bind a need of @symbol to @definition. */
static bool binds(const struct standin_symbol *symbol, const struct standin_symbol *definition)
{
	return definition->is_defined && !definition->is_copied &&
	       definition->binding != STB_LOCAL && strcmp(symbol->name, definition->name) == 0 &&
	       (!symbol->version || !definition->version ||
		strcmp(symbol->version, definition->version) == 0);
}

static const struct standin_symbol *find(const struct standin_library *library,
					 const struct standin_symbol *need)
{
	array_foreach (symbol, library->symbols, library->symbol_count)
		if (binds(need, symbol))
			return symbol;
	return NULL;
}

/** True if a library that is loaded before @library has it. */
static bool is_found_before(const struct standin_loaded *loaded,
			    const struct standin_library *library,
			    const struct standin_symbol *need)
{
	for (size_t i = 0; i < loaded->count && loaded->items[i] != library; i++)
		if (find(loaded->items[i], need))
			return true;
	return false;
}

static const char *kind_of(const struct standin_symbol *symbol)
{
	if (strncmp(symbol->name, "_ZTV", 4) == 0)
		return "a table of virtual functions";
	if (strncmp(symbol->name, "_ZTI", 4) == 0 || strncmp(symbol->name, "_ZTS", 4) == 0)
		return "type information";
	switch (symbol->type) {
	case STT_TLS:
		return "a thread-local variable";
	case STT_GNU_IFUNC:
		return "a function that is chosen at loading (IFUNC)";
	case STT_OBJECT:
	case STT_COMMON:
		return "a variable";
	default:
		return "a symbol without a type";
	}
}

/** Find a need of @user of @library beside functions; NULL: none. @names: of what that has there.
 */
static const char *needs_of(const struct standin_loaded *loaded,
			    const struct standin_library *library,
			    const struct standin_library *user, const struct u64map *names,
			    struct arena *arena)
{
	array_foreach (symbol, user->symbols, user->symbol_count) {
		if (!symbol->name[0] || (symbol->is_defined && !symbol->is_copied) ||
		    !u64map_get(names, hash_text(0, symbol->name)))
			continue;
		const struct standin_symbol *definition = find(library, symbol);

		if (definition && !is_function(definition) &&
		    !is_found_before(loaded, library, symbol))
			return arena_printf(arena, "%s needs %s of it, %s%s",
					    path_file_name(user->path), symbol->name,
					    kind_of(definition),
					    symbol->is_copied ? " that is copied" : "");
	}
	return NULL;
}

static const char *refuse_by_users(const struct standin_loaded *loaded,
				   const struct standin_library *library, const bool *stays,
				   struct arena *arena)
{
	struct u64map names = { 0 };
	const char *why = NULL;

	array_foreach (symbol, library->symbols, library->symbol_count)
		if (symbol->is_defined && symbol->binding != STB_LOCAL && !is_function(symbol))
			u64map_add(&names, hash_text(0, symbol->name));
	for (size_t i = 0; i < loaded->count && !why; i++) {
		const struct standin_library *user = loaded->items[i];

		if (!stays[i])
			continue;
		why = needs_of(loaded, library, user, &names, arena);
		if (!why && standinlibrary_mentions(user->path, library->soname))
			why = arena_printf(
				arena, "%s has its name among its texts: it may open it by itself",
				path_file_name(user->path));
	}
	u64map_deinit(&names);
	return why;
}

// ---- Its initializers ---------------------------------------------------------------------------

enum { FUNCTIONS_MAX = 2000 };

/** Code that is to be read. */
struct reading {
	struct elfmap *map;
	struct u64map seen;
	VEC(uint64_t) left;
};

static void reading_add(struct reading *reading, uint64_t vaddr)
{
	if (reading->left.count < FUNCTIONS_MAX && u64map_add(&reading->seen, vaddr))
		vec_push(&reading->left, vaddr);
}

/** The library that @name is bound to, as far as names tell; NULL: none. */
static const struct standin_library *provider_of(const struct standin_loaded *loaded,
						 const char *name)
{
	const struct standin_symbol need = { .name = name };

	for (size_t i = 0; i < loaded->count; i++)
		if (find(loaded->items[i], &need))
			return loaded->items[i];
	return NULL;
}

/** Why a call of @name by an initializer may be relied on by others; NULL: it may not. */
static const char *refuse_call(const struct standin_loaded *loaded,
			       const struct standin_library *library, const bool *stays,
			       const char *name, struct arena *arena)
{
	const struct standin_library *provider = provider_of(loaded, name);

	if (!provider)
		return NULL;
	if (IS_AMONG(provider->soname, basic))
		return IS_AMONG(name, sharing)
			       ? arena_printf(arena, "its initializer calls %s", name)
			       : NULL;
	for (size_t i = 0; i < loaded->count; i++)
		if (loaded->items[i] == provider && stays[i] && provider != library &&
		    strcmp(provider->soname, "libstdc++.so.6") != 0)
			return arena_printf(
				arena, "its initializer calls %s of %s, which others may rely on",
				name, provider->soname);
	return NULL;
}

static const char *refuse_by_initializers(const struct standin_loaded *loaded,
					  const struct standin_library *library,
					  const struct standin_library *of, const bool *stays,
					  struct arena *arena)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct reading reading = { 0 };
	const char *why = NULL;
	size_t count;

	if (!elfmap_open(of->path, &(struct elfmap_options){ 0 }, &map, NULL))
		return "its code cannot be read";
	const struct elfmap_initializer *initializers =
		elfmap_initializers_without_source(map, &count);

	for (size_t i = 0; i < count; i++)
		reading_add(&reading, initializers[i].vaddr);
	for (size_t i = 0; i < reading.left.count && !why; i++) {
		const struct elfmap_symbol *function = elfmap_symbol_at(map, reading.left.items[i]);
		struct elfmap_branch branch;

		if (!function)
			continue;
		struct range code = { reading.left.items[i], function->vaddr + function->size };

		while (!why && elfmap_branch_next(map, &code, &branch)) {
			if (branch.has_vaddr)
				reading_add(&reading, branch.vaddr);
			if (branch.name)
				why = refuse_call(loaded, library, stays, branch.name, arena);
		}
	}
	u64map_deinit(&reading.seen);
	vec_deinit(&reading.left);
	if (why && of != library)
		why = arena_printf(arena, "of %s, which it brings: %s", of->soname, why);
	return why;
}

const char *standin_refusal(const struct standin_loaded *loaded,
			    const struct standin_library *library, struct arena *arena)
{
	const struct machine_standin *machine = machine_standin();
	const struct standin_library *program = loaded->items[0];
	const char *why = NULL;

	if (!machine || library->machine != machine->elf)
		return "stand-ins are written for x86-64 alone";
	if (program->is_privileged)
		return "the program runs with rights that its starter has not: it takes no library "
		       "from elsewhere";
	if (IS_AMONG(library->soname, basic))
		return "it is a part of the C library";
	if (library == program)
		return "it is the program";
	CLEANUP(freep) bool *stays = xcalloc(loaded->count, sizeof(*stays));

	standinloaded_without(loaded, library, stays);
	why = refuse_by_users(loaded, library, stays, arena);
	for (size_t i = 0; i < loaded->count && !why; i++)
		if (!stays[i])
			why = refuse_by_initializers(loaded, library, loaded->items[i], stays,
						     arena);
	return why;
}
