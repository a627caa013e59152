// SPDX-License-Identifier: Apache-2.0
// The tables, indexes and views of `export --to sqlite`: docs/export.md describes them. Serves
// sqlite*.c.
#pragma once

#include "base/strbuf.h"
#include "export/sqlite/database.h"
#include "model/columns.h"
#include "model/model.h"

/** Statements; indexes are made when the tables are full. */
extern const char sqlite_tables[], sqlite_indexes[], sqlite_views[];

/** Append the table "faults", or the view "fault", of the columns in model/columns.def. */
void sqlite_fault_table(struct strbuf *sql);
void sqlite_fault_view(struct strbuf *sql);

/** The row of a word. */
static inline uint32_t sqlite_word(enum word_list_id list, unsigned value)
{
	return (uint32_t)list * 100 + value;
}

static inline struct cell cell_word(enum word_list_id list, unsigned value)
{
	return cell_number(sqlite_word(list, value));
}

/** Fill the tables of each. */
void sqlite_places(struct database *base, const struct model *model);
void sqlite_faults(struct database *base, const struct model *model);
void sqlite_findings(struct database *base, const struct model *model);
void sqlite_account(struct database *base, const struct model *model);
void sqlite_storage(struct database *base, const struct model *model);
