// SPDX-License-Identifier: Apache-2.0

#include "base/cleanup.h"
#include "base/order.h"
#include "base/symbolname.h"
#include "base/hash.h"
#include "compare/gather.h"

#include <string.h>

/**
 * One model being counted. A fault's place in a table is a slot: an index of the model's own table,
 * or one behind its end for what has none; the row of a slot is looked up once. Faults are counted
 * by slot first, which is quick, and only for the tables that do not follow from another.
 */
struct counting {
	struct tally *tally;
	const struct model *model;
	const uint32_t *object_ids;
	size_t run;
	size_t slot_count[COMPARE_TABLES];
	uint32_t *rows[COMPARE_TABLES]; // by slot; MODEL_NONE: not looked up yet
	uint64_t *sums[COMPARE_TABLES]; // [slot][metric]; NULL: from those of causes
};

/** The key of a row. */
struct key {
	enum compare_table table;
	uint32_t object, initiator;
	const char *name; // NULL: none
	size_t length;
	const char *build, *source;
};

static bool is_row(const struct tally_row *row, const struct key *key)
{
	const struct compare_row *known = &row->row;

	return row->table == key->table && known->object == key->object &&
	       known->initiator == key->initiator && !row->name == !key->name &&
	       (!key->name || (strncmp(row->name, key->name, key->length) == 0 &&
			       row->name[key->length] == '\0')) &&
	       is_same_text(row->build, key->build);
}

static uint64_t hash_key(const struct key *key)
{
	uint64_t hash = hash_number(key->table, (uint64_t)key->object << 32 | key->initiator);

	if (key->name)
		hash = hash_bytes(hash, key->name, key->length);
	if (key->build)
		hash = hash_text(hash, key->build);
	return hash;
}

/** The row of @key from @first on, MODEL_NONE: there is none. */
static uint32_t row_from(const struct tally *tally, uint32_t first, const struct key *key)
{
	uint32_t i = first;

	while (i != MODEL_NONE && !is_row(&tally->rows.items[i], key))
		i = tally->rows.items[i].next;
	return i;
}

static uint32_t find_row(struct tally *tally, const struct key *key)
{
	bool is_new;
	uint32_t *first = u64map_put(&tally->by_hash, hash_key(key), &is_new);

	if (is_new)
		*first = MODEL_NONE;
	uint32_t found = row_from(tally, *first, key);
	if (found != MODEL_NONE)
		return found;

	struct tally_row row = {
		.row = { .object = key->object,
			 .name = key->name ? arena_strndup(tally->arena, key->name, key->length)
					   : NULL,
			 .initiator = key->initiator,
			 .source = arena_strdup(tally->arena, key->source),
			 .build = arena_strdup(tally->arena, key->build),
			 .runs = arena_array(tally->arena, tally->run_count * COMPARE_METRICS,
					     sizeof(uint64_t)) },
		.table = key->table,
		.next = *first,
		.into = MODEL_NONE,
		.last_page = MODEL_NONE,
	};
	row.name = row.row.name;
	row.build = row.row.build;
	*first = (uint32_t)tally->rows.count;
	vec_push(&tally->rows, row);
	return *first;
}

static uint32_t object_id(const struct counting *counting, uint32_t object)
{
	return object == MODEL_NONE ? MODEL_NONE : counting->object_ids[object];
}

static void set_name(struct key *key, const char *name, size_t length)
{
	key->name = name;
	key->length = length;
}

/** The name of a symbol or function, which may be one that says nothing about another build. */
static void set_symbol(const struct counting *counting, struct key *key, const char *name,
		       uint32_t object)
{
	if (!name)
		return;
	set_name(key, name, symbolname_length(name));
	if (symbolname_is_address(name) && object != MODEL_NONE)
		key->build = counting->model->objects[object].build_id;
}

/** The object of a slot behind the end of a table of @count rows: the last one stands for none. */
static uint32_t beyond(const struct counting *counting, size_t slot, size_t count)
{
	size_t object = slot - count;

	return object < counting->model->object_count ? (uint32_t)object : MODEL_NONE;
}

static void set_section(const struct counting *counting, struct key *key, size_t slot)
{
	const struct model *model = counting->model;
	uint32_t object;

	if (slot < model->section_count) {
		object = model->sections[slot].object;
		const char *name = model->sections[slot].name;

		if (name)
			set_name(key, name, strlen(name));
	} else {
		object = beyond(counting, slot, model->section_count);
	}
	key->object = object_id(counting, object);
}

/** Return the key of the row of @slot. */
static struct key describe(const struct counting *counting, enum compare_table table, size_t slot)
{
	const struct model *model = counting->model;
	struct key key = { .table = table, .object = MODEL_NONE, .initiator = MODEL_NONE };
	uint32_t object = MODEL_NONE;
	const char *word;

	switch (table) {
	case COMPARE_BY_INITIATOR:
		word = model_initiator_name((enum model_initiator)slot);
		set_name(&key, word, strlen(word));
		break;
	case COMPARE_BY_MECHANISM:
		word = model_mechanism_name((enum model_mechanism)slot);
		set_name(&key, word, strlen(word));
		break;
	case COMPARE_BY_OBJECT:
		key.object = object_id(counting, beyond(counting, slot, 0));
		break;
	case COMPARE_BY_SECTION:
		set_section(counting, &key, slot);
		break;
	case COMPARE_BY_FUNCTION:
		if (slot < model->function_count) {
			object = model->functions[slot].object;
			set_symbol(counting, &key, model->functions[slot].name, object);
		} else {
			object = beyond(counting, slot, model->function_count);
		}
		key.object = object_id(counting, object);
		break;
	case COMPARE_BY_SYMBOL:
		if (slot < model->symbol_count) {
			const struct model_symbol *symbol = &model->symbols[slot];

			object = symbol->object;
			set_symbol(counting, &key, symbol->name, object);
			if (key.name && symbol->kind == MODEL_ENTRY)
				key.length = symbolname_entry_length(symbol->name);
		} else {
			object = beyond(counting, slot, model->symbol_count);
		}
		key.object = object_id(counting, object);
		break;
	case COMPARE_BY_INITIALIZER:
		if (slot < model->initializer_count) {
			const struct model_initializer *row = &model->initializers[slot];

			object = row->object;
			set_symbol(counting, &key, row->function, object);
			key.source = row->source;
		}
		key.object = object_id(counting, object);
		break;
	case COMPARE_BY_CAUSE:
		set_section(counting, &key, slot / MODEL_INITIATORS);
		key.initiator = (uint32_t)(slot % MODEL_INITIATORS);
		break;
	case COMPARE_TABLES:
		break;
	}
	return key;
}

static size_t or_object(const struct counting *counting, uint32_t index, size_t count,
			uint32_t object)
{
	if (index != MODEL_NONE)
		return index;
	return count + (object != MODEL_NONE ? object : counting->model->object_count);
}

static size_t slot_of(const struct counting *counting, enum compare_table table,
		      const struct model_fault *fault)
{
	const struct model *model = counting->model;

	switch (table) {
	case COMPARE_BY_INITIATOR:
		return fault->initiator;
	case COMPARE_BY_MECHANISM:
		return fault->mechanism;
	case COMPARE_BY_OBJECT:
		return or_object(counting, fault->at.object, 0, MODEL_NONE);
	case COMPARE_BY_SECTION:
		return or_object(counting, fault->at.section, model->section_count,
				 fault->at.object);
	case COMPARE_BY_FUNCTION:
		return or_object(counting, fault->by->name, model->function_count,
				 fault->by->object);
	case COMPARE_BY_SYMBOL:
		return or_object(counting, fault->at.name, model->symbol_count, fault->at.object);
	case COMPARE_BY_INITIALIZER:
		return fault->initializer != MODEL_NONE ? fault->initializer
							: model->initializer_count;
	case COMPARE_BY_CAUSE:
		return slot_of(counting, COMPARE_BY_SECTION, fault) * MODEL_INITIATORS +
		       fault->initiator;
	case COMPARE_TABLES:
		break;
	}
	return 0;
}

static uint32_t row_of(struct counting *counting, enum compare_table table, size_t slot)
{
	uint32_t *row = &counting->rows[table][slot];

	if (*row == MODEL_NONE) {
		const struct key key = describe(counting, table, slot);

		*row = find_row(counting->tally, &key);
	}
	return *row;
}

static uint64_t *counts_of(struct counting *counting, uint32_t row)
{
	return counting->tally->rows.items[row].row.runs + counting->run * COMPARE_METRICS;
}

static void add(uint64_t *counts, const struct model *model, const struct model_fault *fault,
		bool is_new_page)
{
	counts[COMPARE_FAULTS]++;
	counts[COMPARE_MAJOR] += fault->kind == MODEL_MAJOR;
	counts[COMPARE_PAGES] += is_new_page;
	counts[COMPARE_DURATION] += fault->has_duration ? fault->duration_ns : 0;
	counts[COMPARE_OWN] += model_fault_own(fault);
	if (fault->has_read)
		counts[COMPARE_READ] += (uint64_t)model_read_pages(fault) * model->trace.page_size;
}

/** Are both in the same rows of all tables? */
static bool is_alike(const struct model_fault *a, const struct model_fault *b)
{
	return a->at.section == b->at.section && a->at.name == b->at.name &&
	       a->by->name == b->by->name && a->initiator == b->initiator &&
	       a->mechanism == b->mechanism && a->initializer == b->initializer &&
	       a->at.object == b->at.object && a->by->object == b->by->object;
}

/** Count the pages that have several faults: once in each row. */
static void count_shared(struct counting *counting, const struct sharedpages *pages)
{
	const struct model_fault *faults = counting->model->faults;
	const struct sharedpages_fault *list = pages->faults;

	for (size_t i = 0; i < pages->fault_count; i++) {
		const struct model_fault *fault = &faults[list[i].fault];

		// Processes of one program fault alike on its pages.
		if (i > 0 && list[i - 1].page == list[i].page &&
		    is_alike(&faults[list[i - 1].fault], fault))
			continue;
		for (int table = 0; table < COMPARE_TABLES; table++) {
			uint32_t row = row_of(counting, (enum compare_table)table,
					      slot_of(counting, (enum compare_table)table, fault));
			struct tally_row *counted = &counting->tally->rows.items[row];

			if (counted->last_page == list[i].page)
				continue;
			counted->last_page = list[i].page;
			counts_of(counting, row)[COMPARE_PAGES]++;
		}
	}
	vec_foreach (row, &counting->tally->rows)
		row->last_page = MODEL_NONE;
}

static void count_slots(struct counting *counting)
{
	const struct model *model = counting->model;
	size_t objects = model->object_count + 1;
	const size_t counts[COMPARE_TABLES] = {
		[COMPARE_BY_INITIATOR] = MODEL_INITIATORS,
		[COMPARE_BY_MECHANISM] = MODEL_MECHANISMS,
		[COMPARE_BY_OBJECT] = objects,
		[COMPARE_BY_SECTION] = model->section_count + objects,
		[COMPARE_BY_FUNCTION] = model->function_count + objects,
		[COMPARE_BY_SYMBOL] = model->symbol_count + objects,
		[COMPARE_BY_INITIALIZER] = model->initializer_count + 1,
		[COMPARE_BY_CAUSE] = (model->section_count + objects) * MODEL_INITIATORS,
	};

	memcpy(counting->slot_count, counts, sizeof(counts));
}

static void make_slots(struct counting *counting)
{
	static const enum compare_table counted[] = { COMPARE_BY_CAUSE, COMPARE_BY_MECHANISM,
						      COMPARE_BY_FUNCTION, COMPARE_BY_SYMBOL,
						      COMPARE_BY_INITIALIZER };
	const size_t *counts = counting->slot_count;

	count_slots(counting);
	for (int table = 0; table < COMPARE_TABLES; table++) {
		counting->rows[table] = xcalloc(counts[table], sizeof(uint32_t));
		for (size_t i = 0; i < counts[table]; i++)
			counting->rows[table][i] = MODEL_NONE;
	}
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		counting->sums[counted[i]] =
			xcalloc(counts[counted[i]] * COMPARE_METRICS, sizeof(uint64_t));
}

static void free_slots(struct counting *counting)
{
	for (int table = 0; table < COMPARE_TABLES; table++) {
		free(counting->rows[table]);
		free(counting->sums[table]);
	}
}

static void add_sums(uint64_t *counts, const uint64_t *sums)
{
	for (int metric = 0; metric < COMPARE_METRICS; metric++)
		counts[metric] += sums[metric];
}

static void add_to_row(struct counting *counting, enum compare_table table, size_t slot,
		       const uint64_t *sums)
{
	add_sums(counts_of(counting, row_of(counting, table, slot)), sums);
}

/** A cause is an initiator on a section, which is of one object. */
static void add_cause(struct counting *counting, size_t slot, const uint64_t *sums)
{
	const struct model *model = counting->model;
	size_t section = slot / MODEL_INITIATORS;
	size_t object = section < model->section_count ? model->sections[section].object
						       : section - model->section_count;

	add_to_row(counting, COMPARE_BY_INITIATOR, slot % MODEL_INITIATORS, sums);
	add_to_row(counting, COMPARE_BY_SECTION, section, sums);
	add_to_row(counting, COMPARE_BY_OBJECT, object, sums);
	add_sums(counting->tally->total + counting->run * COMPARE_METRICS, sums);
}

/** From slots to rows, to those of other tables and to the total. */
static void add_slots(struct counting *counting)
{
	for (int table = 0; table < COMPARE_TABLES; table++)
		for (size_t slot = 0; counting->sums[table] && slot < counting->slot_count[table];
		     slot++) {
			const uint64_t *sums = counting->sums[table] + slot * COMPARE_METRICS;

			if (sums[COMPARE_FAULTS] == 0)
				continue;
			add_to_row(counting, (enum compare_table)table, slot, sums);
			if (table == COMPARE_BY_CAUSE)
				add_cause(counting, slot, sums);
		}
}

void tally_add(struct tally *tally, size_t run, const struct model *model,
	       const uint32_t *object_ids)
{
	struct counting counting = {
		.tally = tally, .model = model, .object_ids = object_ids, .run = run
	};
	CLEANUP(sharedpages_deinit) struct sharedpages pages = { 0 };

	sharedpages_find(&pages, model);
	make_slots(&counting);
	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		bool is_only = !pages.is_shared[i];

		for (int table = 0; table < COMPARE_TABLES; table++)
			if (counting.sums[table])
				add(counting.sums[table] +
					    slot_of(&counting, (enum compare_table)table, fault) *
						    COMPARE_METRICS,
				    model, fault, is_only);
	}
	add_slots(&counting);
	tally->total[run * COMPARE_METRICS + COMPARE_PAGES] = pages.page_count;
	count_shared(&counting, &pages);
	free_slots(&counting);
}

void tally_find(struct tally *tally, enum compare_table table, const struct model *model,
		const uint32_t *object_ids, uint32_t **ret_rows, size_t *ret_count)
{
	struct counting counting = { .tally = tally, .model = model, .object_ids = object_ids };

	count_slots(&counting);
	const size_t count = counting.slot_count[table];
	uint32_t *rows = xcalloc(count, sizeof(*rows));

	for (size_t i = 0; i < count; i++) {
		const struct key key = describe(&counting, table, i);
		const uint32_t *first = u64map_get(&tally->by_hash, hash_key(&key));

		rows[i] = first ? row_from(tally, *first, &key) : MODEL_NONE;
	}
	*ret_rows = rows;
	*ret_count = count;
}

void tally_deinit(struct tally *tally)
{
	u64map_deinit(&tally->by_hash);
	vec_deinit(&tally->rows);
}
