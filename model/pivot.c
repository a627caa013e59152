// SPDX-License-Identifier: Apache-2.0
#include "model/pivot.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/u64map.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

bool pivot_fields_parse(const char *text, struct pivot_fields *ret_fields, struct err *err)
{
	struct pivot_fields fields = { 0 };

	for (const char *at = text;;) {
		size_t length = strcspn(at, ",");

		if (fields.count == PIVOT_AXES_MAX)
			return err_set(err, ERR_INPUT, "%s: at most %d fields", text,
				       PIVOT_AXES_MAX);
		const struct field *field = field_find(at, length, err);

		if (!field)
			return false;
		for (size_t i = 0; i < fields.count; i++)
			if (fields.items[i] == field)
				return err_set(err, ERR_INPUT, "%s: duplicate field %s", text,
					       field->name);
		fields.items[fields.count++] = field;
		if (!at[length])
			break;
		at += length + 1;
	}
	*ret_fields = fields;
	return true;
}

/** An axis that grows: values get their numbers as faults have them. */
struct axis {
	const struct field *field;
	VEC(struct pivot_value) values;
	struct u64map by_key;  // key of the field -> number
	struct u64map by_name; // hash of name and owner -> number
	struct u64map owned;   // hash of the name -> number of the first that has it
	uint32_t last_key;     // few faults differ from the one before
	uint32_t last_value;
};

/** Everything one count needs. */
struct count {
	const struct model *model;
	struct pivot *pivot;
	struct axis axes[PIVOT_AXES_MAX];
	VEC(struct pivot_row) found;
	struct u64map row_index; // of found
	struct u64map row_pages; // (row, page)
	struct u64map all_pages;
	bool without_pages;
};

static void count_deinit(struct count *count)
{
	for (size_t i = 0; i < PIVOT_AXES_MAX; i++) {
		vec_deinit(&count->axes[i].values);
		u64map_deinit(&count->axes[i].by_key);
		u64map_deinit(&count->axes[i].by_name);
		u64map_deinit(&count->axes[i].owned);
	}
	vec_deinit(&count->found);
	u64map_deinit(&count->row_index);
	u64map_deinit(&count->row_pages);
	u64map_deinit(&count->all_pages);
}

static const char *name_of(struct count *count, const struct field *field, uint32_t key)
{
	if (key == MODEL_NONE)
		return NULL;
	switch (field->domain) {
	case FIELD_WORDS:
		return field->word(key);
	case FIELD_ROWS:
		return field->row_name(count->model, key);
	case FIELD_NUMBERS:
		break;
	}
	return arena_printf(&count->pivot->arena, "%u", key);
}

/** Note that @value has the name that hashes to @hash, and whether others had it before. */
static void mark_shared(struct axis *axis, uint64_t hash, uint32_t value)
{
	bool is_new;
	uint32_t *first = u64map_put(&axis->owned, hash, &is_new);

	if (is_new)
		*first = value;
	else
		axis->values.items[*first].is_shared = axis->values.items[value].is_shared = true;
}

/** The value of a key that was not seen yet: a new one, or one that has the same name. */
static uint32_t value_of_new(struct count *count, struct axis *axis, uint32_t key)
{
	const char *name = name_of(count, axis->field, key);
	bool is_new;
	// The seed keeps null and the empty name apart.
	uint64_t hash = XXH3_64bits_withSeed(name ? name : "", name ? strlen(name) : 0, !name);
	uint32_t owner = name && axis->field->row_owner ? axis->field->row_owner(count->model, key)
							: MODEL_NONE;
	uint64_t parts[] = { hash, owner };
	uint32_t *value = u64map_put(&axis->by_name, XXH3_64bits(parts, sizeof(parts)), &is_new);

	if (is_new) {
		*value = (uint32_t)axis->values.count;
		vec_push(&axis->values,
			 (struct pivot_value){
				 .name = name,
				 .key = key,
				 .owner = owner == MODEL_NONE ? NULL
							      : count->model->objects[owner].path,
				 .owner_object = owner,
			 });
		if (owner != MODEL_NONE)
			mark_shared(axis, hash, *value);
	}
	return *value;
}

static uint32_t value_of(struct count *count, struct axis *axis, uint32_t key)
{
	if (axis->values.count > 0 && axis->last_key == key)
		return axis->last_value;

	bool is_new;
	uint32_t *value = u64map_put(&axis->by_key, key, &is_new);

	if (is_new)
		*value = value_of_new(count, axis, key);
	axis->last_key = key;
	axis->last_value = *value;
	return *value;
}

static void count_page(struct count *count, const struct model_fault *fault, uint32_t index)
{
	bool is_of_file;
	uint64_t page = model_page(fault, count->model->trace.page_size, &is_of_file);
	uint64_t parts[] = { page, fault->at.object,
			     is_of_file ? UINT64_MAX : model_thread(count->model, fault)->pid,
			     fault->at.has_vaddr, index };

	count->found.items[index].pages +=
		u64map_add(&count->row_pages, XXH3_64bits(parts, sizeof(parts)));
	parts[4] = 0;
	count->pivot->pages += u64map_add(&count->all_pages, XXH3_64bits(parts, sizeof(parts)));
}

/** The row of what has the same values as @fault. */
static uint32_t find_row(struct count *count, const struct model_fault *fault)
{
	struct pivot_row row = { 0 };

	for (size_t i = 0; i < count->pivot->axis_count; i++) {
		struct axis *axis = &count->axes[i];

		row.values[i] = value_of(count, axis, axis->field->key(count->model, fault));
	}
	return u64map_row(&count->row_index, XXH3_64bits(row.values, sizeof(row.values)),
			  &count->found, row);
}

static void count_fault(struct count *count, const struct model_fault *fault)
{
	uint32_t index = find_row(count, fault);

	for (size_t i = 0; i < count->pivot->axis_count; i++)
		model_count_fault(
			&count->axes[i].values.items[count->found.items[index].values[i]].count,
			fault);
	model_count_fault(&count->found.items[index].count, fault);
	if (!count->without_pages)
		count_page(count, fault, index);
	model_count_fault(&count->pivot->total, fault);
}

static int compare_values(const struct pivot_value *a, const struct pivot_value *b,
			  enum pivot_kind kind)
{
	if (!a->name || !b->name)
		return !a->name - !b->name;
	if (kind == PIVOT_NUMBERS)
		return (a->key > b->key) - (a->key < b->key);
	int order = strcmp(a->name, b->name);

	return order || !a->owner || !b->owner ? order : strcmp(a->owner, b->owner);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct pivot *pivot = context;
	const struct pivot_row *x = a, *y = b;
	int order = ORDER(y->io.wait_ns, x->io.wait_ns) ?: ORDER(y->io.bytes, x->io.bytes)
				   ?: ORDER(y->count.faults, x->count.faults);

	for (size_t i = 0; !order && i < pivot->axis_count; i++)
		order = compare_values(&pivot->axes[i].values[x->values[i]],
				       &pivot->axes[i].values[y->values[i]], pivot->axes[i].kind);
	return order;
}

static enum pivot_kind kind_of(const struct field *field)
{
	switch (field->domain) {
	case FIELD_WORDS:
		return field->is_bool ? PIVOT_TRUTH : PIVOT_WORDS;
	case FIELD_NUMBERS:
		return PIVOT_NUMBERS;
	case FIELD_ROWS:
		break;
	}
	return field->is_object ? PIVOT_OBJECTS : PIVOT_NAMES;
}

static bool has_field(const struct pivot_fields *fields, const char *name)
{
	for (size_t i = 0; i < fields->count; i++)
		if (strcmp(fields->items[i]->name, name) == 0)
			return true;
	return false;
}

static void begin(struct count *count, const struct pivot_fields *fields)
{
	count->pivot->axis_count = fields->count;
	for (size_t i = 0; i < fields->count; i++)
		count->axes[i].field = fields->items[i];
}

/** Hand the axes and rows of @count over to its pivot. */
static void finish(struct count *count, const struct pivot_fields *fields)
{
	struct pivot *pivot = count->pivot;

	for (size_t i = 0; i < fields->count; i++) {
		const struct axis *axis = &count->axes[i];

		pivot->axes[i] = (struct pivot_axis){
			.word = axis->field->name,
			.owner_word = axis->field->row_owner && !has_field(fields, "init_object")
					      ? "init_object"
					      : NULL,
			.kind = kind_of(axis->field),
			.values = arena_copy(&pivot->arena, axis->values.items,
					     axis->values.count * sizeof(*axis->values.items)),
			.value_count = axis->values.count,
		};
	}
	if (count->found.count > 0)
		qsort_r(count->found.items, count->found.count, sizeof(*count->found.items),
			compare_rows, pivot);
	pivot->rows = arena_copy(&pivot->arena, count->found.items,
				 count->found.count * sizeof(*count->found.items));
	pivot->row_count = count->found.count;
}

struct pivot *pivot_create(const struct model *model, const struct pivot_fields *fields)
{
	struct pivot *pivot = xcalloc(1, sizeof(*pivot));

	pivot->has_reads = model->trace.has_reads;
	pivot->page_size = model->trace.page_size;
	CLEANUP(count_deinit)
	struct count count = {
		.model = model,
		.pivot = pivot,
		.without_pages = fields->without_pages,
	};

	begin(&count, fields);
	for (size_t i = 0; i < model->fault_count; i++)
		count_fault(&count, &model->faults[i]);
	finish(&count, fields);
	return pivot;
}

struct pivot *pivot_create_io(const struct model *model, const struct pivot_fields *fields)
{
	struct pivot *pivot = xcalloc(1, sizeof(*pivot));
	const struct model view = model_io_view(model, &pivot->arena);
	CLEANUP(count_deinit) struct count count = { .model = &view, .pivot = pivot };

	pivot->is_of_io = true;
	begin(&count, fields);
	array_foreach (io, view.ios->items, view.ios->count) {
		if (io->is_left_out)
			continue;
		uint32_t row = find_row(&count, &io->what);

		iosum_add(&count.found.items[row].io, io);
		iosum_add(&pivot->io_total, io);
	}
	finish(&count, fields);
	return pivot;
}

void pivot_destroy(struct pivot *pivot)
{
	if (!pivot)
		return;
	arena_deinit(&pivot->arena);
	free(pivot);
}
