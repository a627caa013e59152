// SPDX-License-Identifier: Apache-2.0
// Tuned starts, one per line.
#include "render/tune/tune.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "render/table/table.h"

/** "-73%", of what was measured last. */
static const char *change_of(struct arena *arena, const struct tunedstart_measure *measure)
{
	return measure->is_known ? arena_printf(arena, "%+.0f%%", 100 * measure->own.change) : "";
}

bool render_tune_list(const struct tunedstarts *starts, const struct terminal *terminal, FILE *out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(table_destroyp) struct table *table = table_create(terminal);

	vec_foreach (start, starts) {
		table_begin_row(table);
		table_cell(table, "name", TABLE_LEFT, start->name);
		table_cell(table, "warm", TABLE_RIGHT,
			   change_of(&arena,
				     start->keeps_list ? &start->warm : &start->with_standins));
		table_cell(table, "cold", TABLE_RIGHT,
			   start->keeps_list ? change_of(&arena, &start->cold) : "");
		table_cell(table, "starts", TABLE_LEFT, start->plainly ? "plainly" : "tuned");
		table_cell(table, "", TABLE_LEFT, start->plainly ?: start->program);
	}
	if (starts->count > 0)
		table_print(table, out);
	return !ferror(out);
}
