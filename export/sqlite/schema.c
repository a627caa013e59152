// SPDX-License-Identifier: Apache-2.0
#include "export/sqlite/schema.h"

#include <string.h>

// Ids are positions: the same trace gives the same database. REFERENCES are for readers and for
// PRAGMA foreign_key_check.
const char sqlite_tables[] =
	"PRAGMA user_version = 1;\n"
	"CREATE TABLE trace (path TEXT NOT NULL, command TEXT, process TEXT, backend TEXT NOT "
	"NULL,\n"
	"  kernel TEXT NOT NULL, machine TEXT NOT NULL, page_size INTEGER NOT NULL,\n"
	"  start_unix_ns INTEGER, duration_ns INTEGER NOT NULL, complete INTEGER NOT NULL,\n"
	"  has_stacks INTEGER NOT NULL, has_reads INTEGER NOT NULL, condition TEXT);\n"
	"CREATE TABLE counts (recorded INTEGER NOT NULL, attributed INTEGER NOT NULL,\n"
	"  unattributed INTEGER NOT NULL, lost INTEGER NOT NULL, minor INTEGER NOT NULL,\n"
	"  major INTEGER NOT NULL, rusage_minor INTEGER, rusage_major INTEGER, unsampled INTEGER,\n"
	"  before_exec INTEGER NOT NULL, lost_other INTEGER NOT NULL, stacks_lost INTEGER NOT "
	"NULL,\n"
	"  without_stack INTEGER NOT NULL, without_stack_unknown INTEGER NOT NULL,\n"
	"  processes INTEGER NOT NULL, threads INTEGER NOT NULL, programs INTEGER NOT NULL,\n"
	"  read_bytes INTEGER, in_elf INTEGER NOT NULL, in_elf_section INTEGER NOT NULL,\n"
	"  in_elf_symbol INTEGER NOT NULL);\n"
	"CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);\n"
	"CREATE TABLE words (id INTEGER PRIMARY KEY, field TEXT NOT NULL, word TEXT NOT NULL,\n"
	"  meaning TEXT NOT NULL, UNIQUE (field, word));\n"

	"CREATE TABLE objects (id INTEGER PRIMARY KEY, path TEXT NOT NULL, name TEXT NOT NULL,\n"
	"  soname TEXT, build_id TEXT, size INTEGER, is_file INTEGER NOT NULL,\n"
	"  is_elf INTEGER NOT NULL, was_read INTEGER NOT NULL, is_forced INTEGER NOT NULL,\n"
	"  symbols TEXT NOT NULL);\n"
	"CREATE TABLE needed (object INTEGER NOT NULL REFERENCES objects, position INTEGER NOT "
	"NULL,\n"
	"  needs INTEGER NOT NULL REFERENCES objects, names_used INTEGER,\n"
	"  PRIMARY KEY (object, position)) WITHOUT ROWID;\n"
	"CREATE TABLE sections (id INTEGER PRIMARY KEY, object INTEGER REFERENCES objects, name "
	"TEXT,\n"
	"  segment INTEGER, size INTEGER, pages INTEGER NOT NULL);\n"
	"CREATE TABLE symbols (id INTEGER PRIMARY KEY, object INTEGER REFERENCES objects,\n"
	"  section INTEGER REFERENCES sections, kind INTEGER REFERENCES words, name TEXT,\n"
	"  \"offset\" INTEGER, vaddr INTEGER NOT NULL, size INTEGER NOT NULL);\n"
	"CREATE TABLE functions (id INTEGER PRIMARY KEY, object INTEGER REFERENCES objects, name "
	"TEXT,\n"
	"  section TEXT, size INTEGER);\n"
	"CREATE TABLE initializers (id INTEGER PRIMARY KEY,\n"
	"  object INTEGER NOT NULL REFERENCES objects, position INTEGER NOT NULL,\n"
	"  array TEXT NOT NULL, function TEXT, label TEXT, source TEXT, \"offset\" INTEGER,\n"
	"  vaddr INTEGER NOT NULL, faults INTEGER NOT NULL, major INTEGER NOT NULL,\n"
	"  duration_ns INTEGER NOT NULL, own_ns INTEGER NOT NULL, late_ns INTEGER NOT NULL,\n"
	"  read_bytes INTEGER NOT NULL, first_ns INTEGER,\n"
	"  last_ns INTEGER, lazy_binding INTEGER NOT NULL, pages INTEGER NOT NULL,\n"
	"  code_pages INTEGER NOT NULL, code_pages_only INTEGER NOT NULL, cpu_ns INTEGER,\n"
	"  wait_ns INTEGER, storage_bytes INTEGER);\n"

	"CREATE TABLE codes (id INTEGER PRIMARY KEY, source TEXT, instruction TEXT);\n"
	"CREATE TABLE inlined (code INTEGER NOT NULL REFERENCES codes, depth INTEGER NOT NULL,\n"
	"  function TEXT, source TEXT, PRIMARY KEY (code, depth)) WITHOUT ROWID;\n"
	"CREATE TABLE instructions (id INTEGER PRIMARY KEY, ip INTEGER NOT NULL,\n"
	"  object INTEGER REFERENCES objects, function INTEGER REFERENCES functions,\n"
	"  function_offset INTEGER, \"offset\" INTEGER, vaddr INTEGER,\n"
	"  code INTEGER REFERENCES codes);\n"
	"CREATE TABLE frames (id INTEGER PRIMARY KEY, addr INTEGER NOT NULL,\n"
	"  object INTEGER REFERENCES objects, function INTEGER REFERENCES functions,\n"
	"  function_offset INTEGER, \"offset\" INTEGER, vaddr INTEGER,\n"
	"  code INTEGER REFERENCES codes);\n"
	"CREATE TABLE stacks (id INTEGER PRIMARY KEY, \"end\" TEXT NOT NULL);\n"
	"CREATE TABLE stack_frames (stack INTEGER NOT NULL REFERENCES stacks, depth INTEGER NOT "
	"NULL,\n"
	"  frame INTEGER NOT NULL REFERENCES frames, PRIMARY KEY (stack, depth)) WITHOUT ROWID;\n"
	"CREATE TABLE threads (id INTEGER PRIMARY KEY, program INTEGER NOT NULL, pid INTEGER NOT "
	"NULL,\n"
	"  tid INTEGER NOT NULL, comm TEXT);\n"
	"CREATE TABLE findings (id INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL,\n"
	"  object INTEGER REFERENCES objects, condition TEXT, faults INTEGER NOT NULL,\n"
	"  pages INTEGER NOT NULL, duration_ns INTEGER NOT NULL, own_ns INTEGER NOT NULL,\n"
	"  storage_ns INTEGER NOT NULL,\n"
	"  cpu_ns INTEGER NOT NULL, cpu_error_ns INTEGER NOT NULL, saves_faults INTEGER NOT NULL,\n"
	"  saves_read_bytes INTEGER NOT NULL, saves_duration_ns INTEGER NOT NULL,\n"
	"  saves_storage_ns INTEGER NOT NULL, saves_is INTEGER NOT NULL REFERENCES words,\n"
	"  evidence TEXT, advice TEXT);\n"
	"CREATE TABLE cures (finding INTEGER NOT NULL REFERENCES findings, position INTEGER NOT "
	"NULL,\n"
	"  \"for\" INTEGER NOT NULL REFERENCES words, advice TEXT NOT NULL,\n"
	"  PRIMARY KEY (finding, position)) WITHOUT ROWID;\n"
	"CREATE TABLE finding_files (finding INTEGER NOT NULL REFERENCES findings,\n"
	"  object INTEGER NOT NULL REFERENCES objects, faults INTEGER NOT NULL,\n"
	"  pages INTEGER NOT NULL, duration_ns INTEGER NOT NULL, own_ns INTEGER NOT NULL,\n"
	"  saves_faults INTEGER NOT NULL,\n"
	"  saves_duration_ns INTEGER NOT NULL, evidence TEXT,\n"
	"  PRIMARY KEY (finding, object)) WITHOUT ROWID;\n"

	"CREATE TABLE account (complete INTEGER NOT NULL, wall_ns INTEGER NOT NULL,\n"
	"  samples INTEGER NOT NULL, samples_lost INTEGER NOT NULL, pauses_lost INTEGER NOT NULL,\n"
	"  kernel_cpu_ns INTEGER, account_cpu_ns INTEGER, kernel_runnable_ns INTEGER,\n"
	"  account_runnable_ns INTEGER, subject INTEGER REFERENCES processes, subject_wall_ns "
	"INTEGER);\n"
	"CREATE TABLE account_times (scope TEXT NOT NULL, initiator INTEGER NOT NULL REFERENCES "
	"words,\n"
	"  state INTEGER NOT NULL REFERENCES words, ns INTEGER NOT NULL, error_ns INTEGER,\n"
	"  PRIMARY KEY (scope, initiator, state)) WITHOUT ROWID;\n"
	"CREATE TABLE processes (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, parent_pid "
	"INTEGER,\n"
	"  comm TEXT, start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, threads INTEGER NOT "
	"NULL,\n"
	"  faults INTEGER NOT NULL, command TEXT);\n"
	"CREATE TABLE process_times (process INTEGER NOT NULL REFERENCES processes,\n"
	"  scope TEXT NOT NULL, state INTEGER NOT NULL REFERENCES words, ns INTEGER NOT NULL,\n"
	"  PRIMARY KEY (process, scope, state)) WITHOUT ROWID;\n"
	"CREATE TABLE spots (id INTEGER PRIMARY KEY, function INTEGER REFERENCES functions,\n"
	"  source TEXT, blame INTEGER REFERENCES functions, blame_source TEXT,\n"
	"  state INTEGER NOT NULL REFERENCES words, initiator INTEGER NOT NULL REFERENCES words,\n"
	"  is_first_thread INTEGER NOT NULL, is_kernel INTEGER NOT NULL,\n"
	"  is_left_out INTEGER NOT NULL, ns INTEGER NOT NULL, moments INTEGER NOT NULL,\n"
	"  squares REAL NOT NULL);\n"
	"CREATE TABLE waits (id INTEGER PRIMARY KEY, scope TEXT NOT NULL,\n"
	"  process INTEGER REFERENCES processes, wait INTEGER NOT NULL REFERENCES words,\n"
	"  wait_ns INTEGER NOT NULL, file_io_ns INTEGER NOT NULL, count INTEGER NOT NULL);\n"
	"CREATE TABLE awaited (id INTEGER PRIMARY KEY, wait INTEGER NOT NULL REFERENCES words,\n"
	"  state INTEGER NOT NULL REFERENCES words, waker INTEGER NOT NULL REFERENCES words,\n"
	"  process INTEGER REFERENCES processes, call TEXT, count INTEGER NOT NULL,\n"
	"  ns INTEGER NOT NULL);\n"
	"CREATE TABLE critical_steps (id INTEGER PRIMARY KEY,\n"
	"  process INTEGER REFERENCES processes, tid INTEGER NOT NULL, thread TEXT,\n"
	"  start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, ns INTEGER NOT NULL);\n"
	"CREATE TABLE critical_times (step INTEGER NOT NULL REFERENCES critical_steps,\n"
	"  state INTEGER NOT NULL REFERENCES words, ns INTEGER NOT NULL,\n"
	"  PRIMARY KEY (step, state)) WITHOUT ROWID;\n"
	"CREATE TABLE calls (id INTEGER PRIMARY KEY, process INTEGER REFERENCES processes, name "
	"TEXT,\n"
	"  count INTEGER NOT NULL, ns INTEGER NOT NULL, wait_ns INTEGER NOT NULL,\n"
	"  file_io_ns INTEGER NOT NULL, runnable_ns INTEGER NOT NULL, bytes INTEGER NOT NULL);\n"

	"CREATE TABLE storage (complete INTEGER NOT NULL, device_bytes INTEGER NOT NULL,\n"
	"  requests INTEGER NOT NULL, lost INTEGER NOT NULL, request_ns INTEGER NOT NULL,\n"
	"  forward INTEGER NOT NULL, backward INTEGER NOT NULL, random INTEGER NOT NULL,\n"
	"  median_size INTEGER NOT NULL);\n"
	"CREATE TABLE storage_parts (id INTEGER PRIMARY KEY, path TEXT,\n"
	"  object INTEGER REFERENCES objects, section TEXT,\n"
	"  cause INTEGER NOT NULL REFERENCES words, initiator INTEGER NOT NULL REFERENCES words,\n"
	"  bytes INTEGER NOT NULL);\n"
	"CREATE TABLE storage_files (id INTEGER PRIMARY KEY, path TEXT,\n"
	"  object INTEGER REFERENCES objects, size INTEGER, bytes INTEGER NOT NULL,\n"
	"  requests INTEGER NOT NULL, wait_ns INTEGER NOT NULL, read INTEGER NOT NULL,\n"
	"  mapped INTEGER NOT NULL, touched INTEGER NOT NULL, unused INTEGER NOT NULL,\n"
	"  calls INTEGER NOT NULL, call_ns INTEGER NOT NULL);\n"
	"CREATE TABLE storage_sections (id INTEGER PRIMARY KEY, path TEXT,\n"
	"  object INTEGER REFERENCES objects, section TEXT, size INTEGER NOT NULL,\n"
	"  read INTEGER NOT NULL, mapped INTEGER NOT NULL, touched INTEGER NOT NULL);\n"
	"CREATE TABLE storage_calls (id INTEGER PRIMARY KEY, name TEXT, bytes INTEGER NOT NULL,\n"
	"  metadata INTEGER NOT NULL, requests INTEGER NOT NULL);\n"
	"CREATE TABLE storage_devices (id INTEGER PRIMARY KEY, name TEXT, bytes INTEGER NOT NULL,\n"
	"  requests INTEGER NOT NULL, counted_least INTEGER,\n"
	"  counted_most INTEGER);\n"
	"CREATE TABLE operations (id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL,\n"
	"  latency_ns INTEGER NOT NULL, wait_ns INTEGER NOT NULL,\n"
	"  cause INTEGER NOT NULL REFERENCES words, call TEXT, direction INTEGER REFERENCES "
	"words,\n"
	"  path TEXT, object INTEGER REFERENCES objects, section TEXT, \"offset\" INTEGER,\n"
	"  bytes INTEGER NOT NULL, mapped INTEGER, touched INTEGER, request INTEGER,\n"
	"  device INTEGER, sector INTEGER, pid INTEGER, tid INTEGER,\n"
	"  initiator INTEGER NOT NULL REFERENCES words, function INTEGER REFERENCES functions,\n"
	"  blame INTEGER REFERENCES functions, initializer INTEGER REFERENCES initializers,\n"
	"  fault_seq INTEGER, stack INTEGER REFERENCES stacks);\n";

// What faults are looked up by, where few have a value or values are many.
const char sqlite_indexes[] =
	"CREATE INDEX faults_section ON faults (section);\n"
	"CREATE INDEX faults_symbol ON faults (symbol);\n"
	"CREATE INDEX faults_stack ON faults (stack) WHERE stack IS NOT NULL;\n"
	"CREATE INDEX faults_blame ON faults (blame) WHERE blame IS NOT NULL;\n"
	"CREATE INDEX faults_initializer ON faults (initializer) WHERE initializer IS NOT NULL;\n"
	"CREATE INDEX objects_name ON objects (name);\n"
	"CREATE INDEX sections_object ON sections (object);\n"
	"CREATE INDEX symbols_name ON symbols (name);\n"
	"CREATE INDEX functions_name ON functions (name);\n"
	"CREATE INDEX initializers_object ON initializers (object);\n"
	"CREATE INDEX stack_frames_frame ON stack_frames (frame);\n"
	"PRAGMA analysis_limit = 1000; ANALYZE;\n";

#define SUMS                                                                                    \
	"count(*) AS faults, sum(kind.word = 'major') AS major,\n"                              \
	"  ifnull(sum(f.duration_ns), 0) AS duration_ns, ifnull(sum(f.own_ns), 0) AS own_ns,\n" \
	"  ifnull(sum(f.read_bytes), 0) AS read_bytes\n"

const char sqlite_views[] =
	"CREATE VIEW call_path AS SELECT s.stack, s.depth, function.name AS function,\n"
	"  object.path AS object, frame.\"offset\", code.source\n"
	"FROM stack_frames AS s JOIN frames AS frame ON frame.id = s.frame\n"
	"  LEFT JOIN functions AS function ON function.id = frame.function\n"
	"  LEFT JOIN objects AS object ON object.id = frame.object\n"
	"  LEFT JOIN codes AS code ON code.id = frame.code;\n"

	"CREATE VIEW time_by_state AS SELECT t.scope, state.word AS state, sum(t.ns) / 1e6 AS ms,\n"
	"  state.meaning\n"
	"FROM account_times AS t JOIN words AS state ON state.id = t.state\n"
	"GROUP BY t.scope, t.state ORDER BY t.scope DESC, ms DESC;\n"

	"CREATE VIEW time_by_initiator AS SELECT t.scope, initiator.word AS initiator,\n"
	"  sum(t.ns) / 1e6 AS ms,\n"
	"  ifnull(sum(t.ns) FILTER (WHERE state.word IN ('fault', 'fault-io')), 0) / 1e6 AS "
	"fault_ms,\n"
	"  ifnull(sum(t.ns) FILTER (WHERE state.word = 'cpu'), 0) / 1e6 AS cpu_ms,\n"
	"  ifnull(max(t.error_ns), 0) / 1e6 AS cpu_error_ms\n"
	"FROM account_times AS t JOIN words AS state ON state.id = t.state\n"
	"  JOIN words AS initiator ON initiator.id = t.initiator\n"
	"GROUP BY t.scope, t.initiator ORDER BY t.scope DESC, ms DESC;\n"

	"CREATE VIEW faults_by_initiator AS SELECT initiator.word AS initiator, " SUMS
	"FROM faults AS f JOIN words AS kind ON kind.id = f.kind\n"
	"  JOIN words AS initiator ON initiator.id = f.initiator\n"
	"GROUP BY f.initiator ORDER BY own_ns DESC;\n"

	"CREATE VIEW faults_by_mechanism AS SELECT mechanism.word AS mechanism, " SUMS
	"FROM faults AS f JOIN words AS kind ON kind.id = f.kind\n"
	"  JOIN words AS mechanism ON mechanism.id = f.mechanism\n"
	"GROUP BY f.mechanism ORDER BY own_ns DESC;\n"

	"CREATE VIEW faults_by_object AS SELECT object.path AS object, object.build_id, " SUMS
	"FROM faults AS f JOIN words AS kind ON kind.id = f.kind\n"
	"  LEFT JOIN objects AS object ON object.id = f.object\n"
	"GROUP BY f.object ORDER BY own_ns DESC;\n"

	"CREATE VIEW faults_by_section AS SELECT object.path AS object, section.name AS section,\n"
	"  section.pages, section.size, " SUMS
	"FROM faults AS f JOIN words AS kind ON kind.id = f.kind\n"
	"  LEFT JOIN sections AS section ON section.id = f.section\n"
	"  LEFT JOIN objects AS object ON object.id = f.object\n"
	"GROUP BY f.object, f.section ORDER BY faults DESC;\n"

	"CREATE VIEW faults_by_symbol AS SELECT object.path AS object, section.name AS section,\n"
	"  symbol.name AS symbol, symbol.size, " SUMS
	"FROM faults AS f JOIN words AS kind ON kind.id = f.kind\n"
	"  JOIN symbols AS symbol ON symbol.id = f.symbol\n"
	"  LEFT JOIN sections AS section ON section.id = symbol.section\n"
	"  LEFT JOIN objects AS object ON object.id = symbol.object\n"
	"GROUP BY f.symbol ORDER BY faults DESC;\n"

	"CREATE VIEW faults_by_function AS SELECT object.path AS by_object,\n"
	"  function.name AS function, " SUMS
	"FROM faults AS f JOIN words AS kind ON kind.id = f.kind\n"
	"  JOIN instructions AS by ON by.id = f.instruction\n"
	"  LEFT JOIN functions AS function ON function.id = by.function\n"
	"  LEFT JOIN objects AS object ON object.id = by.object\n"
	"GROUP BY by.function, by.object ORDER BY faults DESC;\n"

	"CREATE VIEW faults_by_blame AS SELECT object.path AS object, blame.name AS blame, " SUMS
	"FROM faults AS f JOIN words AS kind ON kind.id = f.kind\n"
	"  JOIN functions AS blame ON blame.id = f.blame\n"
	"  LEFT JOIN objects AS object ON object.id = blame.object\n"
	"GROUP BY f.blame ORDER BY faults DESC;\n"

	"CREATE VIEW faults_by_process AS SELECT thread.pid, thread.comm, " SUMS
	"FROM faults AS f JOIN words AS kind ON kind.id = f.kind\n"
	"  JOIN threads AS thread ON thread.id = f.thread\n"
	"GROUP BY thread.pid, thread.comm ORDER BY own_ns DESC;\n"

	"CREATE VIEW initializer_costs AS SELECT object.name AS object,\n"
	"  ifnull(i.label, ifnull(i.function, i.array || '[' || i.position || ']')) AS "
	"initializer,\n"
	"  i.faults, i.major, i.duration_ns, i.own_ns, i.read_bytes, i.first_ns / 1e6 AS at_ms, "
	"i.cpu_ns,\n"
	"  i.wait_ns, i.storage_bytes, i.pages, i.code_pages, i.code_pages_only, i.source\n"
	"FROM initializers AS i JOIN objects AS object ON object.id = i.object\n"
	"WHERE i.faults > 0 ORDER BY i.own_ns DESC;\n"

	"CREATE VIEW functions_computing AS SELECT object.name AS object, function.name AS "
	"function,\n"
	"  sum(s.ns) / 1e6 AS cpu_ms, sum(s.moments) AS samples,\n"
	"  sum(s.is_first_thread * s.ns) / 1e6 AS first_thread_ms,\n"
	"  sum(s.is_kernel * s.ns) / 1e6 AS kernel_ms\n"
	"FROM spots AS s JOIN words AS state ON state.id = s.state\n"
	"  LEFT JOIN functions AS function ON function.id = s.function\n"
	"  LEFT JOIN objects AS object ON object.id = function.object\n"
	"WHERE state.word = 'cpu' AND NOT s.is_left_out\n"
	"GROUP BY s.function ORDER BY cpu_ms DESC;\n"

	"CREATE VIEW what_to_change AS SELECT finding.title, object.name AS object,\n"
	"  finding.saves_duration_ns / 1e6 AS saves_ms, finding.saves_faults,\n"
	"  saves_is.word AS saves_is, \"for\".word AS \"for\", cure.advice\n"
	"FROM findings AS finding LEFT JOIN objects AS object ON object.id = finding.object\n"
	"  LEFT JOIN words AS saves_is ON saves_is.id = finding.saves_is\n"
	"  LEFT JOIN cures AS cure ON cure.finding = finding.id\n"
	"  LEFT JOIN words AS \"for\" ON \"for\".id = cure.\"for\"\n"
	"ORDER BY finding.id, cure.position;\n"

	"CREATE VIEW does_it_add_up AS SELECT c.recorded, c.attributed, c.unattributed,\n"
	"  c.recorded = c.attributed + c.unattributed AS adds_up, c.lost,\n"
	"  (SELECT count(*) FROM faults) AS faults_here, trace.condition,\n"
	"  c.rusage_minor + c.rusage_major AS rusage, c.unsampled, c.before_exec, trace.complete\n"
	"FROM counts AS c, trace;\n"

	"CREATE VIEW storage_by_cause AS SELECT cause.word AS cause, sum(p.bytes) AS bytes,\n"
	"  cause.meaning\n"
	"FROM storage_parts AS p JOIN words AS cause ON cause.id = p.cause\n"
	"GROUP BY p.cause ORDER BY bytes DESC;\n"

	"CREATE VIEW storage_by_function AS SELECT object.path AS by_object,\n"
	"  function.name AS function, cause.word AS cause, count(*) AS operations,\n"
	"  sum(o.bytes) AS bytes, sum(o.wait_ns) AS wait_ns\n"
	"FROM operations AS o JOIN words AS cause ON cause.id = o.cause\n"
	"  LEFT JOIN functions AS function ON function.id = o.function\n"
	"  LEFT JOIN objects AS object ON object.id = function.object\n"
	"GROUP BY o.function, o.cause ORDER BY wait_ns DESC;\n"

	"CREATE VIEW critical_path AS SELECT s.id, process.comm, process.pid, s.tid, s.thread,\n"
	"  s.start_ns / 1e6 AS start_ms, s.ns / 1e6 AS ms,\n"
	"  (SELECT group_concat(state.word || ' ' || round(t.ns / 1e6, 3), ', ')\n"
	"   FROM critical_times AS t JOIN words AS state ON state.id = t.state\n"
	"   WHERE t.step = s.id) AS did\n"
	"FROM critical_steps AS s LEFT JOIN processes AS process ON process.id = s.process\n"
	"ORDER BY s.id;\n";

/** Whether the table has @column, which the view then need not look for. */
static bool is_own(const struct fault_column *column)
{
	return column->role == FAULT_VALUE && !column->view;
}

void sqlite_fault_table(struct strbuf *sql)
{
	strbuf_puts(sql,
		    "CREATE TABLE faults (seq INTEGER PRIMARY KEY,\n"
		    "  thread INTEGER NOT NULL REFERENCES threads,\n"
		    "  object INTEGER REFERENCES objects, section INTEGER REFERENCES sections,\n"
		    "  symbol INTEGER REFERENCES symbols,\n"
		    "  instruction INTEGER REFERENCES instructions,\n"
		    "  stack INTEGER REFERENCES stacks, blame INTEGER REFERENCES functions,\n"
		    "  initializer INTEGER REFERENCES initializers,\n"
		    "  init_object INTEGER REFERENCES objects, read_bytes INTEGER");
	array_foreach (column, fault_columns, fault_column_count) {
		if (!is_own(column))
			continue;
		strbuf_printf(sql, ",\n  \"%s\" INTEGER", column->flat);
		if (!column->group && !strchr(column->type, '?'))
			strbuf_puts(sql, " NOT NULL");
		if (word_list_find(column->type))
			strbuf_puts(sql, " REFERENCES words");
	}
	strbuf_puts(sql, ");\n");
}

// Joins are left ones: a fault is one row, whatever is unknown of it.
static const char fault_joins[] =
	"  LEFT JOIN threads AS thread ON thread.id = f.thread\n"
	"  LEFT JOIN objects AS object ON object.id = f.object\n"
	"  LEFT JOIN sections AS section ON section.id = f.section\n"
	"  LEFT JOIN symbols AS symbol ON symbol.id = f.symbol\n"
	"  LEFT JOIN words AS symbol_kind ON symbol_kind.id = symbol.kind\n"
	"  LEFT JOIN instructions AS by ON by.id = f.instruction\n"
	"  LEFT JOIN objects AS by_object ON by_object.id = by.object\n"
	"  LEFT JOIN functions AS function ON function.id = by.function\n"
	"  LEFT JOIN codes AS code ON code.id = by.code\n"
	"  LEFT JOIN functions AS blame ON blame.id = f.blame\n"
	"  LEFT JOIN initializers AS initializer ON initializer.id = f.initializer\n"
	"  LEFT JOIN objects AS init_object ON init_object.id = f.init_object\n"
	"  LEFT JOIN objects AS blame_object ON blame_object.id = blame.object\n"
	"  LEFT JOIN stacks AS stack ON stack.id = f.stack";

void sqlite_fault_view(struct strbuf *sql)
{
	strbuf_puts(sql, "CREATE VIEW fault AS SELECT ");
	array_foreach (column, fault_columns, fault_column_count) {
		if (column->role != FAULT_VALUE && column->role != FAULT_STACK)
			continue;
		if (column->view)
			strbuf_puts(sql, column->view);
		else if (word_list_find(column->type))
			strbuf_printf(sql, "%s.word", column->flat);
		else
			strbuf_printf(sql, "f.\"%s\"", column->flat);
		strbuf_printf(sql, " AS \"%s\",\n  ", column->flat);
	}
	// Words first: few faults have the one that is asked for, and only those need other rows.
	strbuf_puts(sql, "f.read_bytes\nFROM faults AS f");
	for (size_t i = 0; i < fault_column_count; i++) {
		const char *name = fault_columns[i].flat;

		if (is_own(&fault_columns[i]) && word_list_find(fault_columns[i].type))
			strbuf_printf(sql, "\n  LEFT JOIN words AS %s ON %s.id = f.%s", name, name,
				      name);
	}
	strbuf_printf(sql, "\n%s;\n", fault_joins);
}
