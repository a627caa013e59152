// SPDX-License-Identifier: Apache-2.0
// Built without SQLite: says so.
#include "export/export.h"

export_tool_writer export_sqlite;

bool export_sqlite(const struct model *model, const struct export_tool_options *options, FILE *out,
		   struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED,
		       "this elfault was built without SQLite (libsqlite3-dev)");
}
