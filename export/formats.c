// SPDX-License-Identifier: Apache-2.0
#include "export/export.h"

#include "render/exporters.h"

exchange_writer exchange_folded;
exchange_writer exchange_firefox;
exchange_writer exchange_speedscope;
exchange_writer exchange_perfetto;
exchange_writer exchange_pprof;
exchange_writer exchange_rows;
exchange_writer exchange_sqlite;

enum { STACKS = NEED_CODES | NEED_FRAME_SOURCES };

const struct exchange_format exchange_formats[] = {
	{ "folded", "one stack per line, as flamegraph.pl and inferno read", false, STACKS,
	  exchange_folded },
	{ "firefox", "a profile for profiler.firefox.com", false, STACKS | NEED_MOMENTS,
	  exchange_firefox },
	{ "speedscope", "JSON for speedscope.app", false, STACKS, exchange_speedscope },
	{ "pprof", "for go tool pprof: faults, time and bytes by call path", true, STACKS,
	  exchange_pprof },
	{ "perfetto", "for ui.perfetto.dev: faults as slices of each thread, counters", true,
	  STACKS | NEED_MOMENTS, exchange_perfetto },
	{ "rows", "sums by cause of many starts for a database, one JSON object per line", false, 0,
	  exchange_rows, true },
	{ "sqlite", "a database: a table per concept, views that answer common questions", true,
	  STACKS | NEED_TABLES | NEED_FINDINGS | NEED_WHOLE | NEED_SOURCES | NEED_TIME_SOURCES,
	  exchange_sqlite },
	{ 0 },
};
