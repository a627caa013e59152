// SPDX-License-Identifier: Apache-2.0
#include "derive/hot.h"

#include "base/order.h"
#include "base/u64map.h"

#include <stdlib.h>
#include <string.h>

/** Sums of parts of rows, of which each row keeps the largest. */
struct parts {
	struct u64map index;
	VEC(uint64_t) sums;
};

struct adding {
	const struct model *model;
	const struct hot_question *question;
	struct hot *hot;
	struct u64map index; // what a row stands for -> list
	struct parts sources, others;
};

static void parts_deinit(struct parts *parts)
{
	u64map_deinit(&parts->index);
	vec_deinit(&parts->sums);
}

/** Add @ns to part @part of row @row. Returns its sum. */
static uint64_t add_part(struct parts *parts, uint32_t row, uint64_t part, uint64_t ns)
{
	// Odd factors, so that few pairs have the same key.
	uint64_t key = part * 0x9e3779b97f4a7c15 ^ (row + UINT64_C(1)) * 0xc2b2ae3d27d4eb4f;
	uint32_t index = u64map_row(&parts->index, key, &parts->sums, 0);

	return parts->sums.items[index] += ns;
}

static bool is_asked_for(const struct hot_question *question, const struct model_spot *spot)
{
	return model_state_waits(spot->state) == question->waits &&
	       (spot->is_subject || !question->subject_only);
}

/** The row that @spot belongs to. */
static uint32_t row_of(struct adding *adding, const struct model_spot *spot)
{
	const struct hot_question *question = adding->question;
	uint64_t function = question->by == HOT_BY_BLAME ? MODEL_NONE : spot->function;
	uint64_t blame = question->by == HOT_BY_FUNCTION ? MODEL_NONE : spot->blame;
	uint64_t key = function << 32 | blame;

	// Nothing else is known of it, but whether it was seen at all, and else if it was the
	// kernel.
	if (key == UINT64_MAX)
		key -= ((uint64_t)spot->initiator + 1) * 4 +
		       (spot->moments > 0 ? 0 : 1 + spot->is_kernel);
	return u64map_row(&adding->index, key, &adding->hot->list,
			  (struct hot_row){
				  .function = (uint32_t)function,
				  .blame = (uint32_t)blame,
			  });
}

static void add_spot(struct adding *adding, const struct model_spot *spot)
{
	const struct hot_question *question = adding->question;
	uint32_t index = row_of(adding, spot);
	struct hot_row *row = &adding->hot->list.items[index];
	const char *source = question->by == HOT_BY_FUNCTION ? spot->source : spot->blame_source;
	uint32_t other = question->by == HOT_BY_FUNCTION ? spot->blame : spot->function;

	row->ns += spot->ns;
	row->main_ns += spot->is_main ? spot->ns : 0;
	row->subject_ns += spot->is_subject ? spot->ns : 0;
	row->kernel_ns += spot->is_kernel ? spot->ns : 0;
	row->shown_ns += spot->is_left_out ? 0 : spot->ns;
	row->storage_ns += spot->state == MODEL_STATE_FILE_IO ? spot->ns : 0;
	row->moments += spot->moments;
	row->squares += spot->squares;
	row->by_initiator[spot->initiator] += spot->ns;
	if (row->by_initiator[spot->initiator] > row->by_initiator[row->initiator])
		row->initiator = spot->initiator;
	if (source) {
		uint64_t sum = add_part(&adding->sources, index, (uintptr_t)source, spot->ns);

		if (sum > row->source_ns) {
			row->source_ns = sum;
			row->source = source;
		}
	}
	uint64_t sum = add_part(&adding->others, index, other, spot->ns);

	if (question->by != HOT_BY_BOTH && sum > row->other_ns) {
		row->other_ns = sum;
		*(question->by == HOT_BY_FUNCTION ? &row->blame : &row->function) = other;
	}
	adding->hot->ns += spot->ns;
	adding->hot->moments += spot->moments;
}

/**
 * Of a binomial sample, as if each row had one sample more: one that was never met may still be
 * there; the account's error is the same. Of samples that do not all stand for the same time the
 * sum of squares says how much.
 */
static uint64_t error_of(const struct hot_row *row, const struct hot *hot)
{
	if (row->moments == 0 || hot->whole_ns == 0)
		return 0;
	double count = (double)hot->whole_moments;
	double share = (double)row->ns / (double)hot->whole_ns;
	double likely = (share * count + 1) / (count + 2);
	double shrunk = count / (count + 2); // what one stands for, among two more
	double squares = (row->squares + row->squares / (double)row->moments) * shrunk * shrunk;

	return model_error_ns(squares * (1 - likely));
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct model *model = context;
	const struct hot_row *a = left, *b = right;

	return ORDER(b->ns, a->ns)
		?: strcmp(model_function_name(model, a->function) ?: "",
			 model_function_name(model, b->function) ?: "")
		?: ORDER(a->function, b->function)
		?: ORDER(a->blame, b->blame)
		?: ORDER(a->initiator, b->initiator)
		?: ORDER(b->kernel_ns, a->kernel_ns);
}

void hot_init(struct hot *hot, const struct model *model, const struct hot_question *question)
{
	struct adding adding = { .model = model, .question = question, .hot = hot };
	const struct model_account *account = model->account;

	*hot = (struct hot){ 0 };
	for (size_t i = 0; account && i < account->spot_count; i++) {
		const struct model_spot *spot = &account->spots[i];

		if (!is_asked_for(question, spot))
			continue;
		// An exit has time and no samples: it says nothing of what they stand for.
		hot->whole_ns += spot->moments > 0 ? spot->ns : 0;
		hot->whole_moments += spot->moments;
		if (!question->shown_only || !spot->is_left_out)
			add_spot(&adding, spot);
	}
	vec_foreach (row, &hot->list)
		row->error_ns = error_of(row, hot);
	if (hot->list.count > 0)
		qsort_r(hot->list.items, hot->list.count, sizeof(*hot->list.items), compare_rows,
			(void *)model);
	u64map_deinit(&adding.index);
	parts_deinit(&adding.sources);
	parts_deinit(&adding.others);
}

void hot_deinit(struct hot *hot)
{
	vec_deinit(&hot->list);
}
