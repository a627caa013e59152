// SPDX-License-Identifier: Apache-2.0
// A comparison as one JSON document, a row at a time: there may be a hundred thousand.
#include "render/diff/diff.h"

#include "render/columns/columns.h"
#include "render/columns/node.h"

#include <string.h>

/** `"key":[` and a row to a line. */
static void print_rows(const char *key, const char *row, const void *rows, size_t count,
		       size_t stride, const struct comparison *comparison, FILE *out)
{
	fprintf(out, ",\n\"%s\":[", key);
	for (size_t i = 0; !ferror(out) && i < count; i++) {
		fputs(i > 0 ? ",\n" : "\n", out);
		node_print(columns_new(row, (const char *)rows + i * stride, comparison), out);
	}
	fputs("]", out);
}

static void print_side(const struct comparison *comparison, enum compare_side side, FILE *out)
{
	size_t first = side == COMPARE_BEFORE ? 0 : comparison->run_count[COMPARE_BEFORE];

	fprintf(out, ",\"%s\":", side == COMPARE_BEFORE ? "before" : "after");
	node_print(columns_list("diff_run", comparison->runs + first, comparison->run_count[side],
				sizeof(*comparison->runs), NULL),
		   out);
}

bool render_diff_json(const struct comparison *comparison,
		      const struct render_diff_options *options, FILE *out)
{
	fputs("{\"schema\":\"elfault.diff/1\"", out);
	print_side(comparison, COMPARE_BEFORE, out);
	print_side(comparison, COMPARE_AFTER, out);
	fprintf(out, ",\"can_tell\":%s,\"total\":", comparison->can_tell ? "true" : "false");
	node_print(columns_new("diff_figures", &comparison->total, comparison), out);
	fputs(",\n\"account\":", out);
	node_print(columns_new("diff_account", comparison->time_count > 0 ? comparison : NULL,
			       comparison),
		   out);
	print_rows("marks", "diff_mark", comparison->marks, comparison->mark_count,
		   sizeof(*comparison->marks), comparison, out);
	fputs(",\n\"storage\":", out);
	node_print(columns_new("diff_storage", comparison->bytes_count > 0 ? comparison : NULL,
			       comparison),
		   out);
	print_rows("findings", "diff_finding", comparison->findings, comparison->finding_count,
		   sizeof(*comparison->findings), comparison, out);
	for (int table = 0; table < COMPARE_TABLES; table++) {
		char row[sizeof("diff_by_") + 16];

		snprintf(row, sizeof(row), "diff_by_%s",
			 compare_table_name((enum compare_table)table));
		print_rows(row + strlen("diff_"), row, comparison->rows[table],
			   comparison->row_count[table], sizeof(**comparison->rows), comparison,
			   out);
	}
	print_rows("objects", "diff_object", comparison->objects, comparison->object_count,
		   sizeof(*comparison->objects), comparison, out);
	struct json_object *notes = node_array();

	vec_foreach (note, &comparison->notes.list)
		node_append(notes, node_text(note->text));
	fputs(",\n\"notes\":", out);
	node_print(notes, out);
	fputs(",\n\"run_notes\":", out);
	node_print(columns_new("diff_run_notes", comparison, NULL), out);
	fputs("}\n", out);
	return fflush(out) == 0 && !ferror(out);
}
