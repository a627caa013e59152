// SPDX-License-Identifier: Apache-2.0
#include "standin/judge.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "elfmap/elfmap.h"
#include "machine/standin.h"
#include "standin/initcode.h"

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

bool standin_is_basic(const struct standin_library *library)
{
	return IS_AMONG(library->soname, basic);
}

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
	CLEANUP(u64map_deinit) struct u64map names = { 0 };
	const char *why = NULL;

	// Names of versions are symbols without a section.
	array_foreach (symbol, library->symbols, library->symbol_count)
		if (symbol->is_defined && !symbol->is_absolute && symbol->binding != STB_LOCAL &&
		    !is_function(symbol))
			u64map_add(&names, hash_text(0, symbol->name));
	for (size_t i = 0; i < loaded->count && !why; i++) {
		const struct standin_library *user = loaded->items[i];

		if (!stays[i])
			continue;
		why = needs_of(loaded, library, user, &names, arena);
		if (!why && names.count > 0 && standinlibrary_mentions(user->path, library->soname))
			why = arena_printf(
				arena, "%s has its name among its texts: it may open it by itself",
				path_file_name(user->path));
	}
	return why;
}

const char *standin_refusal_of_absence(const struct standin_loaded *loaded, const bool *stays,
				       const bool *stands, struct arena *arena)
{
	for (size_t i = 0; i < loaded->count; i++) {
		const struct standin_library *user = loaded->items[i];

		for (size_t k = 0; stays[i] && k < user->symbol_count; k++) {
			const struct standin_symbol *symbol = &user->symbols[k];

			if ((symbol->is_defined && !symbol->is_copied) || !symbol->name[0])
				continue;
			const size_t at = standinloaded_definer(loaded, symbol->name);

			if (at < loaded->count && !stays[at] && !stands[at])
				return arena_printf(arena,
						    "%s needs %s of %s, which it does not name",
						    path_file_name(user->path), symbol->name,
						    loaded->items[at]->soname);
		}
	}
	return NULL;
}

// ---- Its initializers ---------------------------------------------------------------------------

/** Why a call of @name by an initializer may be relied on by others; NULL: it may not. */
static const char *refuse_call(const struct standin_loaded *loaded,
			       const struct standin_library *library, const bool *stays,
			       const char *name, struct arena *arena)
{
	const size_t at = standinloaded_definer(loaded, name);

	if (at == loaded->count)
		return NULL;
	const struct standin_library *provider = loaded->items[at];

	if (standin_is_basic(provider))
		return IS_AMONG(name, sharing)
			       ? arena_printf(arena, "its initializer calls %s", name)
			       : NULL;
	if (!stays[at] || provider == library || strcmp(provider->soname, "libstdc++.so.6") == 0)
		return NULL;
	return arena_printf(arena, "its initializer calls %s of %s, which others may rely on", name,
			    provider->soname);
}

const char *standin_refusal_of_initializers(const struct standin_loaded *loaded,
					    const struct standin_library *of, const bool *stays,
					    struct arena *arena)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct standin_initcode code;
	const char *why = NULL;

	if (!elfmap_open(of->path, &(struct elfmap_options){ 0 }, &map, NULL))
		return "its code cannot be read";
	standin_initcode_init(&code, map, false);
	for (size_t i = 0; i < code.calls.count && !why; i++)
		why = refuse_call(loaded, of, stays, code.calls.items[i], arena);
	standin_initcode_deinit(&code);
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
	if (standin_is_basic(library))
		return "it is a part of the C library";
	if (library == program)
		return "it is the program";
	CLEANUP(freep) bool *stays = xcalloc(loaded->count, sizeof(*stays));
	CLEANUP(freep) bool *stands = xcalloc(loaded->count, sizeof(*stands));

	standinloaded_without_one(loaded, library, stays);
	for (size_t i = 0; i < loaded->count; i++)
		stands[i] = loaded->items[i] == library;
	why = refuse_by_users(loaded, library, stays, arena)
		      ?: standin_refusal_of_absence(loaded, stays, stands, arena);
	for (size_t i = 0; i < loaded->count && !why; i++) {
		const struct standin_library *of = loaded->items[i];

		if (!stays[i])
			why = standin_refusal_of_initializers(loaded, of, stays, arena);
		if (why && of != library)
			why = arena_printf(arena, "of %s, which it brings: %s", of->soname, why);
	}
	return why;
}
