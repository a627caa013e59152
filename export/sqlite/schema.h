// SPDX-License-Identifier: Apache-2.0
// The tables, indexes and views of `export --to sqlite`: docs/export.md describes them. Serves
// sqlite*.c.
#pragma once

#include "export/sqlite/database.h"
#include "model/model.h"

/** Statements; indexes are made when the tables are full. */
extern const char sqlite_tables[], sqlite_indexes[], sqlite_views[];

/** Fields whose words are rows of the table "words". */
enum sqlite_field {
	SQLITE_KIND,
	SQLITE_ACCESS,
	SQLITE_MODE,
	SQLITE_MECHANISM,
	SQLITE_INITIATOR,
	SQLITE_CERTAINTY,
	SQLITE_STEP,
	SQLITE_SYMBOL_KIND,
	SQLITE_STATE,
	SQLITE_WAIT,
	SQLITE_WAKER,
	SQLITE_STORAGE_CAUSE,
	SQLITE_FOR,
	SQLITE_BOUND,
	SQLITE_FIELDS,
};

/** The row of a word. */
static inline uint32_t sqlite_word(enum sqlite_field field, unsigned value)
{
	return (uint32_t)field * 100 + value;
}

/** Fill the tables of each. */
void sqlite_words(struct database *base);
void sqlite_trace(struct database *base, const struct model *model);
void sqlite_places(struct database *base, const struct model *model);
void sqlite_faults(struct database *base, const struct model *model);
void sqlite_findings(struct database *base, const struct model *model);
void sqlite_account(struct database *base, const struct model *model);
void sqlite_storage(struct database *base, const struct model *model);
