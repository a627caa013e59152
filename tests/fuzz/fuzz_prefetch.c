// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a prefetch list. What can be read keeps what asking relies on, and says the
// same again when it is written out.
#include "cure/prefetch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *copy_of(const void *bytes, size_t size)
{
	char *copy = malloc(size + 1);

	if (size > 0)
		memcpy(copy, bytes, size);
	return copy;
}

static void check(const struct prefetch_list *list)
{
	for (size_t i = 0; i < list->file_count; i++)
		if (list->files[i].path[0] != '/' ||
		    strlen(list->files[i].path) >= PREFETCH_PATH_MAX ||
		    list->files[i].size > INT64_MAX || list->files[i].mtime_ns >= 1000000000 ||
		    list->files[i].build_id_size > PREFETCH_BUILD_ID_MAX)
			abort();
	array_foreach (range, list->ranges, list->range_count) {
		if (range->file >= list->file_count || range->length == 0 ||
		    range->offset > list->files[range->file].size ||
		    range->length > list->files[range->file].size - range->offset)
			abort();
	}
}

/** Files without ranges are not written. */
static void check_again(const struct prefetch_list *list)
{
	CLEANUP(prefetch_list_deinit) struct prefetch_list again;
	struct prefetch_error error;
	CLEANUP(freep) char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!prefetch_write(list, NULL, 0, NULL, out) || fclose(out) != 0)
		abort();
	if (!prefetch_list_parse(text, size, &again, &error))
		abort();
	if (again.file_count > list->file_count || again.range_count != list->range_count)
		abort();
	for (size_t i = 0; i < again.range_count; i++)
		if (memcmp(&again.ranges[i], &list->ranges[i], sizeof(again.ranges[i])) != 0)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prefetch_list list;
	struct prefetch_error error = { 0 };
	CLEANUP(freep) char *text = copy_of(data, size);

	if (prefetch_list_parse(text, size, &list, &error)) {
		check(&list);
		check_again(&list);
		prefetch_list_deinit(&list);
	} else if (!error.message) {
		abort();
	}
	return 0;
}
