// SPDX-License-Identifier: Apache-2.0
#include "derive/pages.h"

#include "base/checked.h"
#include "base/order.h"
#include "base/range.h"
#include "base/search.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdlib.h>

/** Changes of some pages by one fault. */
struct touch {
	struct range pages;
	enum page_state state;
};

struct touches {
	VEC(struct touch) list;
};

const char *page_state_name(enum page_state state)
{
	static const char *const names[PAGE_STATES] = {
		[PAGE_COLD] = "cold",
		[PAGE_AROUND] = "mapped around",
		[PAGE_FAULTED] = "faulted",
		[PAGE_WRITTEN] = "written",
	};

	return names[state];
}

static bool is_write(const struct model_fault *fault)
{
	return fault->access == MODEL_ACCESS_WRITE || fault->mechanism == MODEL_PRIVATE_WRITE ||
	       fault->mechanism == MODEL_COW_BREAK;
}

/** By first page; the hottest of those that begin there first. */
ORDER_OF(compare_touches, touch, ORDER(x->pages.start, y->pages.start) ?: ORDER(y->state, x->state))

static void list_touches(const struct model *model, uint32_t object, const struct pages *pages,
			 struct touches *touches, struct touches *arounds)
{
	uint64_t page_count = pages->size / pages->page_size;

	array_foreach (fault, model->faults, model->fault_count) {
		uint64_t page = fault->at.offset / pages->page_size;
		uint64_t around = model_around_offset(fault) / pages->page_size, end;

		if (fault->at.object != object || !fault->at.has_offset)
			continue;
		if (page < page_count)
			vec_push(&touches->list,
				 (struct touch){ { page, page + 1 },
						 is_write(fault) ? PAGE_WRITTEN : PAGE_FAULTED });
		if (!fault->has_around || around >= page_count ||
		    !checked_add(around, model_around_pages(fault), &end))
			continue;
		vec_push(&arounds->list,
			 (struct touch){ { around, end < page_count ? end : page_count },
					 PAGE_AROUND });
	}
	vec_sort(&touches->list, compare_touches);
	vec_sort(&arounds->list, compare_touches);
}

/** Append a run, as part of the last one where it goes on with it. */
static void add_run(struct pages *pages, size_t *capacity, struct range range,
		    enum page_state state)
{
	struct page_run *last = pages->count > 0 ? &pages->runs[pages->count - 1] : NULL;

	if (range.start >= range.end)
		return;
	pages->totals[state] += range_size(range);
	pages->totals[PAGE_COLD] -= range_size(range);
	if (last && last->end == range.start && last->state == state) {
		last->end = range.end;
		return;
	}
	if (pages->count == *capacity) {
		*capacity = *capacity > 0 ? 2 * *capacity : 64;
		pages->runs = xreallocarray(pages->runs, *capacity, sizeof(*pages->runs));
	}
	// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the first run makes room
	pages->runs[pages->count++] = (struct page_run){ range.start, range.end, state };
}

uint64_t pages_file_end(const struct model *model, uint32_t object)
{
	uint64_t end = model->objects[object].size;

	if (end > 0)
		return end;
	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->at.object == object && fault->at.has_offset && fault->at.offset >= end &&
		    fault->at.offset < UINT64_MAX)
			end = fault->at.offset + 1;
	}
	return end;
}

void pages_init(struct pages *pages, const struct model *model, uint32_t object)
{
	uint64_t page_size = model_page_size(model);
	uint64_t size = pages_file_end(model, object);
	struct touches touches = { 0 }, arounds = { 0 };
	size_t capacity = 0, next_around = 0;
	uint64_t done = 0; // pages before it are in runs, or cold

	*pages = (struct pages){ .page_size = page_size };
	pages->size = size > UINT64_MAX - page_size
			      ? size / page_size * page_size
			      : (size + page_size - 1) / page_size * page_size;
	pages->totals[PAGE_COLD] = pages->size / page_size;
	list_touches(model, object, pages, &touches, &arounds);

	for (size_t i = 0; i <= touches.list.count; i++) {
		bool is_end = i == touches.list.count;
		uint64_t page =
			is_end ? pages->size / page_size : touches.list.items[i].pages.start;

		// First what was mapped around before this page; then the page.
		while (next_around < arounds.list.count &&
		       arounds.list.items[next_around].pages.start < page) {
			struct range range = arounds.list.items[next_around].pages;

			if (range.start < done)
				range.start = done;
			if (range.end > page)
				range.end = page;
			add_run(pages, &capacity, range, PAGE_AROUND);
			if (range.end > done)
				done = range.end;
			if (arounds.list.items[next_around].pages.end > page)
				break; // it goes on after the page
			next_around++;
		}
		if (is_end || page < done)
			continue;
		add_run(pages, &capacity, touches.list.items[i].pages, touches.list.items[i].state);
		done = page + 1;
	}
	vec_deinit(&touches.list);
	vec_deinit(&arounds.list);
}

void pages_deinit(struct pages *pages)
{
	free(pages->runs);
	*pages = (struct pages){ 0 };
}

/** The first run that ends after @page. */
static size_t first_run(const struct pages *pages, double page)
{
	return search_first(pages->count, i, (double)pages->runs[i].end > page);
}

void pages_shares(const struct pages *pages, double start, double length,
		  double ret_shares[PAGE_STATES])
{
	double from = start / (double)pages->page_size;
	double to = (start + length) / (double)pages->page_size;

	for (unsigned i = 0; i < PAGE_STATES; i++)
		ret_shares[i] = 0;
	ret_shares[PAGE_COLD] = 1;
	if (!(to > from))
		return;
	for (size_t i = first_run(pages, from);
	     i < pages->count && (double)pages->runs[i].first < to; i++) {
		double first = (double)pages->runs[i].first, end = (double)pages->runs[i].end;
		double share =
			((end < to ? end : to) - (first > from ? first : from)) / (to - from);

		ret_shares[pages->runs[i].state] += share;
		ret_shares[PAGE_COLD] -= share;
	}
	if (ret_shares[PAGE_COLD] < 0)
		ret_shares[PAGE_COLD] = 0; // what is left of rounding
}

enum page_state pages_state(const double shares[PAGE_STATES])
{
	double warm = shares[PAGE_AROUND] + shares[PAGE_FAULTED] + shares[PAGE_WRITTEN];

	if (warm <= 0)
		return PAGE_COLD;
	for (enum page_state state = PAGE_WRITTEN; state > PAGE_COLD; state--)
		if (shares[state] >= 0.1 * warm)
			return state;
	return PAGE_AROUND;
}
