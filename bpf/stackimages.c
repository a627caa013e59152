// SPDX-License-Identifier: Apache-2.0
#include "bpf/stackimages.h"

#include "base/range.h"
#include "machine/page.h"

#include <string.h>

/** Room for @size bytes, the outer @kept_size of which stay. */
static bool make_room(struct stackimage *image, size_t size, size_t kept_size)
{
	struct secretblock before = image->block, block;

	if (size <= before.size)
		return true;
	if (!secretblock_map(&block, align_up(size, MACHINE_PAGE)))
		return false;
	block.used = block.size;
	if (kept_size > 0)
		memcpy(block.bytes + block.size - kept_size, before.bytes + before.size - kept_size,
		       kept_size);
	image->block = block;
	secretblock_unmap(&before);
	return true;
}

/** The image of @tid, which may be new. */
static struct stackimage *image_of(struct stackimages *images, uint32_t tid)
{
	uint32_t *place = u64map_put(&images->of_tasks, tid, NULL);

	if (*place == 0 && images->unused.count > 0) {
		*place = images->unused.items[--images->unused.count] + 1;
	} else if (*place == 0) {
		vec_push(&images->list, (struct stackimage){ 0 });
		*place = (uint32_t)images->list.count; // as many as tasks
	}
	return &images->list.items[*place - 1];
}

const uint8_t *stackimages_put(struct stackimages *images, uint32_t tid, uint64_t time_ns,
			       uint64_t end, const uint8_t *bytes, uint32_t size,
			       uint32_t equal_size)
{
	struct stackimage *image = image_of(images, tid);
	const size_t all = (size_t)size + equal_size;

	if (equal_size > 0 && (image->end != end || image->size < equal_size))
		return NULL;
	if (!make_room(image, all, equal_size))
		return NULL;

	uint8_t *start = image->block.bytes + image->block.size - all;

	if (size > 0)
		memcpy(start, bytes, size);
	image->time_ns = time_ns;
	image->end = end;
	image->size = size + equal_size;
	return start;
}

void stackimages_end(struct stackimages *images, uint32_t tid, uint64_t time_ns)
{
	vec_push(&images->ended, (struct stackimage_ended){ time_ns, tid });
}

void stackimages_forget_ended(struct stackimages *images)
{
	vec_foreach (ended, &images->ended) {
		uint32_t *place = u64map_put(&images->of_tasks, ended->tid, NULL);

		// A later stack is another task's.
		if (*place == 0 || images->list.items[*place - 1].time_ns > ended->time_ns)
			continue;
		secretblock_unmap(&images->list.items[*place - 1].block);
		images->list.items[*place - 1] = (struct stackimage){ 0 };
		vec_push(&images->unused, *place - 1);
		*place = 0;
	}
	images->ended.count = 0;
}

void stackimages_deinit(struct stackimages *images)
{
	vec_foreach (image, &images->list)
		secretblock_unmap(&image->block);
	vec_deinit(&images->list);
	vec_deinit(&images->ended);
	vec_deinit(&images->unused);
	u64map_deinit(&images->of_tasks);
}
