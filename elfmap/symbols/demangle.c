// SPDX-License-Identifier: Apache-2.0
// Names for people: C++ and Rust demangled by libiberty, within bounds. A name of 250 bytes can
// demangle to 570 MB, so the output is counted as it comes and the demangler left by longjmp.
#include "elfmap/private.h"

#include "base/cleanup.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>

// By this uthash takes back what it began before it tells that memory ran out.
#define HASH_NONFATAL_OOM	  1
#define uthash_nonfatal_oom(item) oom()
#include <uthash.h>

enum { MANGLED_MAX = 4 << 10, DEMANGLED_MAX = 16 * 1024 };

/** One name that was asked for; @display is NULL where there is nothing to demangle. */
struct name_entry {
	const char *name;
	const char *display;
	UT_hash_handle hh;
};

struct elfmap_name_cache {
	struct name_entry *entries; // in the arena; the table beside them is uthash's
};

/** The output so far. */
struct demangling {
	char text[DEMANGLED_MAX + 1];
	size_t length;
	jmp_buf too_long;
};

static void take_piece(const char *piece, size_t length, void *opaque)
{
	struct demangling *demangling = opaque;

	if (length > DEMANGLED_MAX - demangling->length)
		longjmp(demangling->too_long, 1);
	memcpy(demangling->text + demangling->length, piece, length);
	demangling->length += length;
}

/** Demangle into @demangling; false if @name is not mangled or its plain form too long. */
static bool demangle_into(struct demangling *demangling, const char *name)
{
	// The recursion limit of C++ would refuse what is longer than 1 KiB; MANGLED_MAX bounds the
	// depth instead. In Rust's names a reference can lead back to itself: there it is needed.
	enum { RUST = DMGL_PARAMS | DMGL_ANSI, CXX = RUST | DMGL_NO_RECURSE_LIMIT };

	// Neither demangler holds heap memory while it calls back.
	if (setjmp(demangling->too_long))
		return false;
	demangling->length = 0;
	// Rust's older names are C++ names with a hash in them, so Rust is asked first.
	if (rust_demangle_callback(name, RUST, take_piece, demangling))
		return demangling->length > 0;
	demangling->length = 0;
	return cplus_demangle_v3_callback(name, CXX, take_piece, demangling) &&
	       demangling->length > 0;
}

static bool looks_mangled(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0 ||
	       strncmp(name, "__Z", 3) == 0 || strncmp(name, "_GLOBAL_", 8) == 0;
}

static struct name_entry *find_entry(struct elfmap *map, const char *name, size_t length)
{
	struct name_entry *entry;

	if (!map->name_cache)
		map->name_cache = xcalloc(1, sizeof(*map->name_cache));
	HASH_FIND(hh, map->name_cache->entries, name, length, entry);
	return entry;
}

static struct name_entry *add_entry(struct elfmap *map, const char *name, size_t length)
{
	struct name_entry *entry = arena_alloc(&map->arena, sizeof(*entry));

	entry->name = arena_strndup(&map->arena, name, length);
	HASH_ADD_KEYPTR(hh, map->name_cache->entries, entry->name, length, entry);
	return entry;
}

/**
 * @name for people, in @map's arena; NULL if there is nothing to demangle. libiberty knows what
 * compilers append to functions (.cold, .lto_priv.0), but refuses it behind the name of a variable:
 * there, what stands before is demangled, and the rest written as libiberty would.
 */
static const char *display_of(struct elfmap *map, const char *name)
{
	static const char suffix_bytes[] = "._0123456789"
					   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	CLEANUP(freep) struct demangling *demangling = xcalloc(1, sizeof(*demangling));
	const char *suffix = name + strcspn(name, ".");
	char plain[MANGLED_MAX + 1];

	if (demangle_into(demangling, name))
		return arena_strndup(&map->arena, demangling->text, demangling->length);
	if (!*suffix || suffix[strspn(suffix, suffix_bytes)])
		return NULL;
	snprintf(plain, sizeof(plain), "%.*s", (int)(suffix - name), name);
	if (!demangle_into(demangling, plain))
		return NULL;
	return arena_printf(&map->arena, "%.*s [clone %s]", (int)demangling->length,
			    demangling->text, suffix);
}

const char *elfmap_demangle(struct elfmap *map, const char *name)
{
	if (!looks_mangled(name))
		return name;
	// '@' is in no mangled name: what follows is a version.
	size_t length = strcspn(name, "@");
	if (length > MANGLED_MAX)
		return name;
	struct name_entry *entry = find_entry(map, name, length);
	if (!entry) {
		entry = add_entry(map, name, length);
		entry->display = display_of(map, entry->name);
	}
	return entry->display ? entry->display : name;
}

const char *elfmap_symbol_display(struct elfmap *map, const struct elfmap_symbol *symbol)
{
	const char *name = elfmap_demangle(map, symbol->name);
	const char *suffix = strchr(symbol->name, '@');

	// "fn@0x..." is our own spelling, not a version.
	if (name != symbol->name || !suffix || suffix == symbol->name ||
	    symbol->source == ELFMAP_SYMBOLS_EH_FRAME)
		return name;

	size_t length = strlen(name);
	struct name_entry *entry = find_entry(map, name, length);
	if (!entry) {
		entry = add_entry(map, name, length);
		entry->display = arena_strndup(&map->arena, name, (size_t)(suffix - symbol->name));
	}
	return entry->display;
}

void elfmap_name_cache_destroy(struct elfmap_name_cache *cache)
{
	if (!cache)
		return;
	HASH_CLEAR(hh, cache->entries);
	free(cache);
}
