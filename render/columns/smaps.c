// SPDX-License-Identifier: Apache-2.0
// The documents of `smaps`.
#include "render/columns/columns.h"

#include "model/smaps.h"
#include "render/columns/head.h"
#include "render/columns/node.h"

static struct json_object *amounts_new(const void *row, const void *context)
{
	struct json_object *object = node_object();

	for (enum smaps_key key = 0; key < SMAPS_KEYS; key++) {
		uint64_t bytes;
		bool is_known = smaps_amount(row, key, &bytes);

		node_add_known(object, smaps_key_word(key), is_known, bytes);
	}
	return object;
}

/** Of one side of a pair; null where it is not there. */
static struct json_object *side_amounts(const void *row, const void *context)
{
	const struct smaps_amounts *amounts = *(const struct smaps_amounts *const *)row;

	return amounts ? amounts_new(amounts, context) : NULL;
}

static struct json_object *change_new(const void *row, const void *context)
{
	struct json_object *object = node_object();

	for (enum smaps_key key = 0; key < SMAPS_KEYS; key++) {
		int64_t change;
		bool is_known = smaps_pair_change(row, key, &change);

		node_add(object, smaps_key_word(key),
			 is_known ? json_object_new_int64(change) : NULL);
	}
	return object;
}

VALUE_IN(notes_new, headjson_notes(row))

// clang-format off
const struct row_column smaps_columns[] = {
	CLOSED_ROW("smaps_amounts",
	    "bytes; null where it is not known which section of a mapping has them"),
	{ "size", "number?", "address space" },
	{ "rss", "number?" },
	{ "pss", "number?", "proportional: each page divided by how often it is mapped" },
	{ "private_clean", "number?" },
	{ "private_dirty", "number?" },
	{ "shared_clean", "number?" },
	{ "shared_dirty", "number?" },
	{ "anonymous", "number?" },
	{ "swap", "number?" },
	{ "swap_pss", "number?" },
	{ "huge", "number?", "mapped by upper levels of the page table, and hugetlbfs" },
	{ "private", "number?", "private_clean + private_dirty" },
	{ "shared", "number?", "shared_clean + shared_dirty" },
	{ "clean", "number?", "private_clean + shared_clean" },
	{ "dirty", "number?", "private_dirty + shared_dirty" },

	CLOSED_ROW("smaps_process", NULL),
	{ "pid", "number>0?", "null where a copy does not say", AT_NONZERO(smaps_process, pid) },
	{ "name", "text", "of its program: the first file that it maps", AT(smaps_process, name) },
	{ "mappings", "number", NULL, AT(smaps_process, mapping_count) },
	{ "amounts", "smaps_amounts", NULL, BY_AT(smaps_process, amounts, amounts_new) },

	CLOSED_ROW("smaps_section", NULL),
	{ "section", "text",
	  "its name; of grain segment the first and last name, as in \".init to .fini\"; "
	  "[elf-header], [program-headers], [padding], [file]", AT(smaps_section, name) },
	{ "grain", "page|mapping|segment",
	  "page: by the page table; mapping: its mappings hold nothing else; segment: several "
	  "sections that cannot be told apart", WORD_AT(smaps_section, grain, smaps_grain_word) },
	{ "amounts", "smaps_amounts", NULL, BY_AT(smaps_section, amounts, amounts_new) },

	CLOSED_ROW("smaps_object", NULL),
	{ "path", "text",
	  "a file, or [heap], [stack], [anon] and the like; .bss counts for its file",
	  AT(smaps_object, path) },
	{ "mappings", "number", NULL, AT(smaps_object, mapping_count) },
	{ "amounts", "smaps_amounts", NULL, BY_AT(smaps_object, amounts, amounts_new) },
	{ "sections", "[smaps_section]", NULL, LIST_AT(smaps_object, sections, section_count) },

	CLOSED_DOCUMENT("smaps", "elfault smaps --format json",
		 "Memory of processes by file and section, in bytes. Objects and sections are "
		 "sorted by the key of -t, the largest first."),
	{ "schema", "elfault.smaps/1" },
	{ "source", "text", "the PID, name or file that was asked for", AT(smaps_model, source) },
	{ "by_page", "bool", "page tables were read", AT(smaps_model, has_pages) },
	{ "mappings", "number", NULL, AT(smaps_model, mapping_count) },
	{ "amounts", "smaps_amounts", NULL, BY_AT(smaps_model, amounts, amounts_new) },
	{ "processes", "[smaps_process]", NULL, LIST_AT(smaps_model, processes, process_count) },
	{ "objects", "[smaps_object]", NULL, LIST_AT(smaps_model, objects, object_count) },
	{ "notes", "[text]", NULL, BY_AT(smaps_model, notes, notes_new) },

	CLOSED_ROW("smaps_diff_side", NULL),
	{ "source", "text", NULL, AT(smaps_model, source) },
	{ "by_page", "bool", NULL, AT(smaps_model, has_pages) },
	{ "mappings", "number", NULL, AT(smaps_model, mapping_count) },
	{ "amounts", "smaps_amounts", NULL, BY_AT(smaps_model, amounts, amounts_new) },
	{ "processes", "[smaps_process]", NULL, LIST_AT(smaps_model, processes, process_count) },
	{ "notes", "[text]", NULL, BY_AT(smaps_model, notes, notes_new) },

	CLOSED_ROW("smaps_diff_change",
	    "how much more afterwards, in bytes; null where one side is not known"),
	{ "size", "integer?" },
	{ "rss", "integer?" },
	{ "pss", "integer?" },
	{ "private_clean", "integer?" },
	{ "private_dirty", "integer?" },
	{ "shared_clean", "integer?" },
	{ "shared_dirty", "integer?" },
	{ "anonymous", "integer?" },
	{ "swap", "integer?" },
	{ "swap_pss", "integer?" },
	{ "huge", "integer?" },
	{ "private", "integer?" },
	{ "shared", "integer?" },
	{ "clean", "integer?" },
	{ "dirty", "integer?" },

	CLOSED_ROW("smaps_diff_object", NULL),
	{ "path", "text", NULL, AT(smaps_pair, object) },
	{ "before", "smaps_amounts?", NULL, BY_AT(smaps_pair, before, side_amounts) },
	{ "after", "smaps_amounts?", NULL, BY_AT(smaps_pair, after, side_amounts) },
	{ "change", "smaps_diff_change", NULL, BY(change_new) },

	CLOSED_ROW("smaps_diff_section", NULL),
	{ "path", "text", NULL, AT(smaps_pair, object) },
	{ "section", "text", NULL, AT(smaps_pair, section) },
	{ "before", "smaps_amounts?", NULL, BY_AT(smaps_pair, before, side_amounts) },
	{ "after", "smaps_amounts?", NULL, BY_AT(smaps_pair, after, side_amounts) },
	{ "change", "smaps_diff_change", NULL, BY(change_new) },

	CLOSED_DOCUMENT("smaps-diff", "elfault smaps --format json BEFORE AFTER",
		 "Memory of two sides by file and section, in bytes. What changed most by the "
		 "key of -t comes first; before or after is null of what only the other side "
		 "has."),
	{ "schema", "elfault.smaps-diff/1" },
	{ "before", "smaps_diff_side", NULL, POINTER_AT(smaps_comparison, before) },
	{ "after", "smaps_diff_side", NULL, POINTER_AT(smaps_comparison, after) },
	{ "objects", "[smaps_diff_object]", NULL,
	  LIST_AT(smaps_comparison, objects, object_count) },
	{ "sections", "[smaps_diff_section]", NULL,
	  LIST_AT(smaps_comparison, sections, section_count) },
	{ 0 },
};
// clang-format on
