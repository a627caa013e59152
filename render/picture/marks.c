// SPDX-License-Identifier: Apache-2.0
#include "render/picture/marks.h"

#include "base/order.h"

#include <stdlib.h>

/** One fault and its cell. */
struct mark_key {
	uint16_t band;
	uint16_t row;	// cell within the band
	uint16_t x, y;	// its corner: pictures are less than 65,536 units wide and high
	uint32_t point; // index into bands.points
};

ORDER_OF(compare_keys, mark_key,
	 ORDER(x->band, y->band) ?: ORDER(x->row, y->row) ?: ORDER(x->x, y->x)
		 ?: ORDER(x->point, y->point))

void marks_init(struct marks *marks, const struct model *model, const struct bands *bands,
		const struct scale *time, unsigned cell)
{
	double last = time->length > cell ? time->length - cell : 0;

	*marks = (struct marks){ .model = model, .bands = bands };
	marks->keys = xcalloc(bands->point_count, sizeof(*marks->keys));
	for (size_t i = 0; i < bands->point_count; i++) {
		const struct band_point *point = &bands->points[i];
		const struct band *band = &bands->items[point->band];
		double at = scale_place(time, model->faults[point->fault].time_ns) - time->start;
		unsigned column = (unsigned)((at < last ? at : last) / cell);
		unsigned row = (unsigned)(point->at * (float)band->height) / cell;
		unsigned rows = band->height > cell ? band->height / cell : 1;

		// What whole cells leave over at a band's end would cut marks off.
		if (row >= rows)
			row = rows - 1;

		// Within 16 bits, by the size of pictures.
		marks->keys[i] = (struct mark_key){
			.band = point->band,
			.row = (uint16_t)row,
			.x = (uint16_t)((unsigned)time->start + column * cell),
			.y = (uint16_t)(band->top + row * cell),
			.point = (uint32_t)i,
		};
	}
	if (bands->point_count > 0)
		qsort(marks->keys, bands->point_count, sizeof(*marks->keys), compare_keys);
}

void marks_deinit(struct marks *marks)
{
	free(marks->keys);
	*marks = (struct marks){ 0 };
}

static uint64_t value_of(const struct band *band, const struct model_fault *fault)
{
	return band->kind == BAND_FILE	   ? fault->at.offset
	       : band->kind == BAND_MEMORY ? fault->at.vaddr
					   : fault->addr;
}

static void count(const struct marks *marks, const struct mark_key *key, struct mark *mark)
{
	const struct band_point *point = &marks->bands->points[key->point];
	const struct model_fault *fault = &marks->model->faults[point->fault];
	uint64_t value = value_of(&marks->bands->items[key->band], fault);

	if (mark->faults == 0) {
		// Keys of a cell are in time order.
		mark->first_ns = mark->last_ns = fault->time_ns;
		mark->start = mark->end = value;
	}
	if (fault->time_ns > mark->last_ns)
		mark->last_ns = fault->time_ns;
	if (value < mark->start)
		mark->start = value;
	if (value > mark->end)
		mark->end = value;
	if (mark->faults == 0 || (fault->kind == MODEL_MAJOR && mark->major == 0))
		mark->named = point->fault;
	mark->faults++;
	mark->major += fault->kind == MODEL_MAJOR;
	mark->own_ns += model_fault_own(fault);
	mark->groups[point->group]++;
	if (mark->groups[point->group] > mark->groups[mark->group])
		mark->group = point->group;
}

bool marks_next(struct marks *marks, struct mark *ret_mark)
{
	size_t total = marks->bands->point_count;

	if (marks->next == total)
		return false;
	const struct mark_key *first = &marks->keys[marks->next];

	*ret_mark = (struct mark){ .x = first->x, .y = first->y, .band = first->band };
	for (; marks->next < total; marks->next++) {
		const struct mark_key *key = &marks->keys[marks->next];

		if (key->band != first->band || key->row != first->row || key->x != first->x)
			break;
		count(marks, key, ret_mark);
	}
	return true;
}
