// SPDX-License-Identifier: Apache-2.0
// Built without SQLite: says so.
#include "export/export.h"

exchange_writer exchange_sqlite;

bool exchange_sqlite(const struct model *model, const struct exchange_options *options, FILE *out,
		     struct err *err)
{
	(void)model;
	(void)options;
	(void)out;
	return err_set(err, ERR_UNSUPPORTED,
		       "this elfault was built without SQLite (libsqlite3-dev)");
}
