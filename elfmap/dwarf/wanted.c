// SPDX-License-Identifier: Apache-2.0
#include "elfmap/dwarf/wanted.h"

#include "base/order.h"
#include "base/search.h"

#include <stdlib.h>

ORDER_OF(compare, wanted, ORDER(x->vaddr, y->vaddr))

struct wanted *wanted_sort(struct elfmap_initializer *initializers, size_t count, size_t *ret_count)
{
	struct wanted *wanted = xcalloc(count, sizeof(*wanted));
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (!initializers[i].source && initializers[i].vaddr)
			wanted[found++] =
				(struct wanted){ initializers[i].vaddr, &initializers[i] };
	qsort(wanted, found, sizeof(*wanted), compare);
	*ret_count = found;
	return wanted;
}

size_t wanted_first(const struct wanted *wanted, size_t count, uint64_t vaddr)
{
	return search_first(count, i, wanted[i].vaddr >= vaddr);
}
