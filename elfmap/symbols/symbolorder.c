// SPDX-License-Identifier: Apache-2.0
#include "elfmap/symbols/symbolorder.h"

enum { COMPARED_MAX = 4 << 10 }; // of a name, so that long ones made to be alike stay cheap

/** Length of a name without its version, and of long ones no more than is compared. */
static size_t base_length(const char *name)
{
	size_t length = strnlen(name, COMPARED_MAX);
	const char *version = length ? memchr(name + 1, '@', length - 1) : NULL;

	return version ? (size_t)(version - name) : length;
}

int symbolorder_names(const struct elfmap_symbol *a, const struct elfmap_symbol *b)
{
	if (a->name == b->name)
		return 0;
	size_t left = base_length(a->name), right = base_length(b->name);
	int order = memcmp(a->name, b->name, left < right ? left : right);
	if (order || left == right)
		return order;
	return left < right ? -1 : 1;
}

int symbolorder_compare(const void *left, const void *right)
{
	const struct elfmap_symbol *a = left, *b = right;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	int names = symbolorder_names(a, b);
	if (names)
		return names;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	if (a->source != b->source)
		return a->source > b->source ? -1 : 1;
	// One of them is kept, whatever qsort() does to equal ones: name@@VERSION before name@OLD.
	int versions = strncmp(a->name, b->name, COMPARED_MAX);
	if (versions)
		return versions;
	if (a->binding != b->binding)
		return a->binding < b->binding ? -1 : 1;
	return a->type < b->type ? -1 : a->type > b->type;
}

static int binding_rank(const struct elfmap_symbol *symbol)
{
	switch (symbol->binding) {
	case STB_LOCAL:
		return 2;
	case STB_WEAK:
		return 1;
	default: // global, and GNU's unique
		return 0;
	}
}

static bool is_ifunc(const struct elfmap_symbol *symbol)
{
	return symbol->type == STT_GNU_IFUNC;
}

int symbolorder_ranks(const struct elfmap_symbol *a, const struct elfmap_symbol *b)
{
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	// An IFUNC is the name of what its resolver chooses; the code here is the resolver.
	if (is_ifunc(a) != is_ifunc(b))
		return is_ifunc(a) - is_ifunc(b);
	if (binding_rank(a) != binding_rank(b))
		return binding_rank(a) - binding_rank(b);
	return (a->source == ELFMAP_SYMBOLS_EH_FRAME) - (b->source == ELFMAP_SYMBOLS_EH_FRAME);
}

bool symbolorder_beats(const void *context, uint32_t left, uint32_t right)
{
	const struct elfmap_symbol *a = (const struct elfmap_symbol *)context + left;
	const struct elfmap_symbol *b = (const struct elfmap_symbol *)context + right;
	int ranks = symbolorder_ranks(a, b);

	if (ranks)
		return ranks < 0;
	int names = symbolorder_names(a, b);
	return names ? names < 0 : left < right;
}
