// SPDX-License-Identifier: Apache-2.0
// The cost of relocating a file: "relocation" of an object. Names that the dynamic linker binds:
// "bindings" of the analysis, and the document of `analyze --bindings`; their context is the model.
#include "render/columns/columns.h"

#include "derive/relocating.h"
#include "model/binding.h"
#include "render/columns/objects.h"
#include "render/columns/node.h"

#include <json-c/json.h>

VALUE_OF(holds_new, model_relocation_table, node_text(row->is_lookup ? "names" : "relocations"))

static struct json_object *encodings_new(const void *row, const void *context)
{
	const struct model_relocation *relocation = row;
	struct json_object *list = node_array();

	if (relocation->uses_relr)
		node_append(list, node_text("relr"));
	if (relocation->uses_rel)
		node_append(list, node_text("rel"));
	if (relocation->uses_rela)
		node_append(list, node_text("rela"));
	return list;
}

static struct json_object *owner_computing_new(const void *row, const void *context)
{
	const struct model_owner *owner = row;
	const struct object_context *of = context;
	uint64_t ns;

	return relocating_share(of->model, owner->relocations, &ns) ? json_object_new_uint64(ns)
								    : NULL;
}

KNOWN_OF(has_owners, model_relocation, row->owners)
KNOWN_OF(has_relro, model_relocation, row->relro_bytes > 0)

// clang-format off
const struct row_column relocation_columns[] = {
	ROW("relocation_counts", NULL),
	{ "relative", "number", NULL, AT(model_relocation, counts[MODEL_RELOCATION_RELATIVE]) },
	{ "symbolic", "number", NULL, AT(model_relocation, counts[MODEL_RELOCATION_SYMBOLIC]) },
	{ "irelative", "number", NULL, AT(model_relocation, counts[MODEL_RELOCATION_IRELATIVE]) },
	{ "tls", "number", NULL, AT(model_relocation, counts[MODEL_RELOCATION_TLS]) },
	{ "copy", "number", NULL, AT(model_relocation, counts[MODEL_RELOCATION_COPY]) },
	{ "jump_slot", "number", NULL, AT(model_relocation, counts[MODEL_RELOCATION_JUMP_SLOT]) },

	ROW("relocation_relro", NULL),
	{ "bytes", "number", NULL, AT(model_relocation, relro_bytes) },
	{ "pages", "number", NULL, AT(model_relocation, relro_pages) },
	{ "pages_written", "number", NULL, AT(model_relocation, relro_pages_written) },

	ROW("count", NULL),
	{ "faults", "number", NULL, AT(model_count, faults) },
	{ "major", "number", NULL, AT(model_count, major) },
	{ "duration_ns", "number", NULL, AT(model_count, duration_ns) },
	{ "own_ns", "number", "of duration_ns: running, or waiting for storage",
	  AT(model_count, own_ns) },

	ROW("relocation_section", NULL),
	{ "section", "text", NULL, AT(model_relocated_section, name) },
	{ "relocations", "number", NULL, AT(model_relocated_section, relocations) },
	{ "pages_holding", "number", NULL, AT(model_relocated_section, pages_holding) },
	{ "pages_written", "number", NULL, AT(model_relocated_section, pages_written) },
	{ "size", "number", NULL, AT(model_relocated_section, size) },

	ROW("relocation_table", NULL),
	{ "table", "text", NULL, AT(model_relocation_table, name) },
	{ "holds", "relocations|names", NULL, BY(holds_new) },
	{ "size", "number", NULL, AT(model_relocation_table, size) },
	{ "pages", "number", NULL, AT(model_relocation_table, pages) },
	{ "pages_mapped", "number",
	  "touched or brought along by a fault of relocation or symbol-lookup",
	  AT(model_relocation_table, pages_mapped) },
	{ "faults", "number", "of relocation or symbol-lookup on it",
	  AT(model_relocation_table, faults) },

	ROW("relocation_name", NULL),
	{ "name", "text", NULL, AT(model_lookup, name) },
	{ "faults", "number", NULL, AT(model_lookup, faults) },

	ROW("relocation_owner", NULL),
	{ "kind", "symbol|vtables|type-information|switch-tables|functions|strings|data|imports|"
		  "got|init-arrays",
	  "of an owner without a name: by what its slots point to", AT(model_owner, kind) },
	{ "name", "text?", "of the symbol that covers the slots and states its size; null: of none",
	  AT(model_owner, name) },
	{ "scope", "text?", "the outermost namespace or class in a C++ name",
	  AT(model_owner, scope) },
	{ "source", "text?", "the file that declares it, by DWARF", AT(model_owner, source) },
	{ "section", "text?", NULL, AT(model_owner, section) },
	{ "relocations", "number", NULL, AT(model_owner, relocations) },
	{ "pages", "number", "that hold a slot of it", AT(model_owner, pages) },
	{ "pages_alone", "number", "of these: that hold no slot of another owner",
	  AT(model_owner, pages_alone) },
	{ "pages_written", "number", "of pages: copied by a fault of relocation",
	  AT(model_owner, pages_written) },
	{ "own_ns", "number",
	  "of these faults; a page's is divided among its owners by the number of their slots",
	  AT(model_owner, own_ns) },
	{ "computing_ns", "number?",
	  "of relocating all files, by the number of relocations; null if samples do not tell it",
	  BY(owner_computing_new) },

	ROW("relocation_owners", NULL),
	{ "first", "[relocation_owner]", "20 at most: most own_ns first, then relocations",
	  LIST_AT(model_relocation, owners, owner_count) },
	{ "left_out", "number", "owners that are not listed",
	  AT(model_relocation, owners_left_out) },

	ROW("relink", NULL),
	{ "option", "text", NULL, AT(model_relink, option) },
	{ "applies", "bool", NULL, AT(model_relink, applies) },
	{ "relocations", "number", "that it changes or spares", AT(model_relink, relocations) },
	{ "table_bytes", "integer", "change", AT(model_relink, table_bytes) },
	{ "table_pages", "integer", "change", AT(model_relink, table_pages) },
	{ "written_pages", "integer", "change", AT(model_relink, written_pages) },
	{ "lookups", "integer", "change in lookups_at_load", AT(model_relink, lookups) },
	{ "reason", "text", NULL, AT(model_relink, reason) },

	ROW("relocation",
	    "what relocating the object cost, and what it would cost linked in another way; "
	    "null without relocations and with --where"),
	{ "counts", "relocation_counts", NULL, SAME },
	{ "encodings", "[relr|rel|rela]", NULL, BY(encodings_new) },
	{ "bind_now", "bool", NULL, AT(model_relocation, bind_now) },
	{ "table_bytes", "number", "of all relocation tables", AT(model_relocation, table_bytes) },
	{ "lookups_at_load", "number",
	  "names that relocating looks up, without PLT entries that are bound at their first "
	  "call", AT(model_relocation, lookups_at_load) },
	{ "pages_holding", "number", "pages that hold a relocated slot",
	  AT(model_relocation, pages_holding) },
	{ "pages_written", "number",
	  "of pages_holding: copied by a fault of relocation; a page that was written before "
	  "does not fault again", AT(model_relocation, pages_written) },
	{ "relro", "relocation_relro?", NULL, SAME_WHERE(has_relro) },
	{ "relocation", "count", NULL, ROW_AT(model_relocation, relocation) },
	{ "symbol_lookup", "count", NULL, ROW_AT(model_relocation, lookup) },
	{ "by_section", "[relocation_section]", "a page that two sections share counts in both",
	  LIST_AT(model_relocation, sections, section_count) },
	{ "tables", "[relocation_table]", "in file order",
	  LIST_AT(model_relocation, tables, table_count) },
	{ "names", "[relocation_name]",
	  "that were being looked up when a fault happened in .dynsym or .dynstr",
	  LIST_AT(model_relocation, lookups, lookup_count) },
	{ "owners", "relocation_owners?",
	  "the objects in whose bytes the slots lie; null if relocation wrote no page",
	  SAME_WHERE(has_owners) },
	{ "relinks", "[relink]", "other ways to link, and what they would change",
	  LIST_AT(model_relocation, relinks, relink_count) },
	{ 0 },
};
// clang-format on

VALUE_OF(loading_pid, model_loading,
	 json_object_new_uint64(((const struct model *)context)->programs[row->program].pid))

VALUE_OF(loading_executable, model_loading,
	 node_text(((const struct model *)context)->programs[row->program].executable))

// clang-format off
const struct row_column bindings_columns[] = {
	CLOSED_ROW("searched", "names that are bound at load; a search looks into one file"),
	{ "names", "number", "looked up, as often as the linker does", AT(model_searched, names) },
	{ "searches", "number", NULL, AT(model_searched, searches) },
	{ "filtered", "number", "of these: the Bloom filter of .gnu.hash said no",
	  AT(model_searched, filtered) },
	{ "in_vain", "number", "of these: a bucket was looked into, and its chain walked, for nothing",
	  AT(model_searched, in_vain) },
	{ "found", "number", NULL, AT(model_searched, found) },

	CLOSED_ROW("bound_file", NULL),
	{ "object", "text", NULL, BY_AT(model_bound_file, object, object_path_new) },
	{ "opened", "bool", "by dlopen(); otherwise loaded with the program",
	  AT(model_bound_file, is_opened) },
	{ "gnu_hash", "bool", "otherwise only .hash, which has no Bloom filter",
	  AT(model_bound_file, has_gnu_hash) },
	{ "bind_now", "bool", "its PLT entries are bound at load",
	  AT(model_bound_file, binds_now) },
	{ "lazy", "number", "its PLT entries, which may be bound at their first calls",
	  AT(model_bound_file, lazy) },
	{ "looking", "searched", "for its names, in all files", ROW_AT(model_bound_file, looking) },
	{ "own", "number", "of looking.found: it has these names itself",
	  AT(model_bound_file, own) },
	{ "own_functions", "number", "of these: functions", AT(model_bound_file, own_functions) },
	{ "own_searches", "number", "for its own names", AT(model_bound_file, own_searches) },
	{ "own_function_searches", "number", NULL, AT(model_bound_file, own_function_searches) },
	{ "in", "searched", "in it, for the names of all files; names are those of all",
	  ROW_AT(model_bound_file, in) },

	CLOSED_ROW("bound_pair", "names that one file binds to another at load"),
	{ "from", "text", NULL, BY_AT(model_bound_pair, from, object_path_new) },
	{ "to", "text", NULL, BY_AT(model_bound_pair, to, object_path_new) },
	{ "names", "number", NULL, AT(model_bound_pair, names) },

	ROW("loading", "the files of one program, and of others that load the same in the same order"),
	{ "pid", "number", "of the first of them", BY(loading_pid) },
	{ "executable", "text?", NULL, BY(loading_executable) },
	{ "programs", "number", "how many", AT(model_loading, programs) },
	{ "unknown", "text?", "why nothing is known of them; null: it is", AT(model_loading, unknown) },
	{ "sum", "searched", NULL, ROW_AT(model_loading, sum) },
	{ "without", "number", "of sum.names: no file has them", AT(model_loading, without) },
	{ "lazy", "number", "PLT entries that may be bound at their first calls",
	  AT(model_loading, lazy) },
	{ "unsure", "number",
	  "names that a file opened before has as well, which counts if it was opened for all",
	  AT(model_loading, unsure) },
	{ "spared_by_order", "number",
	  "searches, at least, if files came by the number of names that they have",
	  AT(model_loading, best_order) },
	{ "files", "[bound_file]", "in the order in which they are searched",
	  LIST_AT(model_loading, files, file_count) },
	{ "pairs", "[bound_pair]", "most names first", LIST_AT(model_loading, pairs, pair_count) },

	CLOSED_ROW("binding", "a name that a file looks up"),
	{ "from", "text", NULL, BY_AT(model_binding, from, object_path_new) },
	{ "to", "text?", "the file that has it; null: none has",
	  BY_AT(model_binding, to, object_path_new) },
	{ "name", "text", "as in the file, not demangled", AT(model_binding, name) },
	{ "version", "text?", "that is wanted; null: any", AT(model_binding, version) },
	{ "lazy", "bool", "a PLT entry, which may be bound at its first call, or never",
	  AT(model_binding, is_lazy) },
	{ "weak", "bool", "it may be missing", AT(model_binding, is_weak) },
	{ "unsure", "bool", NULL, AT(model_binding, is_unsure) },
	{ "searched", "number", "files, with the one that has it", AT(model_binding, searched) },
	{ "filtered", "number", NULL, AT(model_binding, filtered) },
	{ "in_vain", "number", NULL, AT(model_binding, in_vain) },

	ROW("named_loading", NULL),
	{ "", "loading", NULL, SAME },
	{ "list", "[binding]", "by file, then as the linker comes to them",
	  LIST_AT(model_loading, list, count) },

	DOCUMENT("bindings", "elfault analyze --bindings --format json",
		 "Who binds to whom: names that the dynamic linker looks up, computed from the "
		 "files in the order in which the trace shows them loaded. Keys may be added."),
	{ "schema", "elfault.bindings/1" },
	{ "loadings", "[named_loading]", "most names first" },
	{ 0 },
};
// clang-format on
