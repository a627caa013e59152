// SPDX-License-Identifier: Apache-2.0
// What the rules share: the comparison they look at, sums over its rows, and the list they add to.
#pragma once

#include "base/vec.h"
#include "compare/compare.h"

#include <stdbool.h>
#include <stdint.h>

/** Below either, a difference is not worth a finding; the share is of all faults, in thousandths.
 */
enum { CHANGE_MIN_FAULTS = 4, CHANGE_MIN_PER_MILLE = 1 };

/** The same where no layout says why: sizes and memory differ by a few pages for any reason. */
enum { CHANGE_MIN_PER_MILLE_LOOSE = 10 };

/** Findings being made. */
struct changes {
	const struct comparison *comparison;
	struct arena *arena; // the comparison's: what is added lives there
	VEC(struct compare_finding) list;
};

/** A rule looks at the comparison and adds what it finds. Each one is a file of its own name. */
typedef void change_rule(struct changes *changes);

change_rule change_binding;
change_rule change_condition;
change_rule change_data;
change_rule change_hashtable;
change_rule change_initializers;
change_rule change_libraries;
change_rule change_lookups;
change_rule change_memory;
change_rule change_order;
change_rule change_relocations;
change_rule change_relr;
change_rule change_sections;

/** Any object, of struct change_choice. */
#define CHANGE_ANY (MODEL_NONE - 1)

/** Rows of causes: those that meet all of it. */
struct change_choice {
	uint32_t object;	     // CHANGE_ANY: of any
	uint32_t initiators;	     // bits, CHANGE_BY(); 0: by any
	const char *const *sections; // NULL-ended; NULL: in any
	bool outside;		     // in any section but these
};

#define CHANGE_BY(initiator) (1u << (initiator))

/** Why code runs or data is used, but for the dynamic linker's own work; as --where has it. */
extern const uint32_t change_use;
extern const char *const change_use_words;

/** Tables of relocations, and those that names are looked up in; NULL-ended. */
extern const char *const change_relocation_tables[];
extern const char *const change_lookup_tables[];

/** The sum of the chosen causes, judged as one row: @ret_figures is by metric. O(causes). */
void change_sum(const struct changes *changes, const struct change_choice *choice,
		struct compare_figure *ret_figures);

/** The faults among them. */
struct compare_figure change_faults(const struct changes *changes,
				    const struct change_choice *choice);

/** The faults on the objects that @is_chosen says. */
struct compare_figure change_on_objects(const struct changes *changes,
					bool (*is_chosen)(const struct compare_object *object));

/** May the difference be spoken of at all: is it real, or can that not be known? */
bool change_is_believed(const struct compare_figure *figure);

/** Is it believed, and as large as CHANGE_MIN_FAULTS and CHANGE_MIN_PER_MILLE say? */
bool change_is_worth(const struct changes *changes, const struct compare_figure *figure);

/** Is it worth a finding, and as large as CHANGE_MIN_PER_MILLE_LOOSE says? */
bool change_is_large(const struct changes *changes, const struct compare_figure *figure);

/** The layouts of a file that both sides have and could read; false: this is none. */
bool change_layouts(const struct compare_object *object, const struct compare_layout **ret_before,
		    const struct compare_layout **ret_after);

/** Have both one build-id? */
bool change_is_same_build(const struct compare_layout *before, const struct compare_layout *after);

/** Bytes of the section of that name; false: that side does not have it. */
bool change_section_size(const struct compare_object *object, const char *name,
			 enum compare_side side, uint64_t *ret_size);

/** Is @name among those of DT_NEEDED? */
bool change_needs(const struct compare_layout *layout, const char *name);

void change_add(struct changes *changes, const struct compare_finding *finding);

// Texts in changes->arena.

/** "1,234", "12.5". */
const char *change_number(struct changes *changes, double number);
/** "1 fault", "61 faults": the difference without its sign. */
const char *change_count(struct changes *changes, const struct compare_figure *figure);
/** "saved 61 faults", "cost 61 faults more". */
const char *change_effect(struct changes *changes, const struct compare_figure *figure);
/** "120 -> 59". */
const char *change_arrow(struct changes *changes, const struct compare_figure *figure);
/** "768.2 KiB -> 120 B". */
const char *change_sizes(struct changes *changes, uint64_t before, uint64_t after);
/** "; @what is unchanged" where @figure shows no difference at all or none beyond noise; else "".
 */
const char *change_unchanged(struct changes *changes, const char *what,
			     const struct compare_figure *figure);
/** " Built by GCC: 12.2.0 before, by clang 14 after.", where both are known and differ; else "". */
const char *change_toolchain(struct changes *changes, uint32_t object);
/**
 * The condition that @word, a word for files, is @object on either side and that @rest
 * ("word=value,…"; "": nothing more) holds.
 */
const char *change_where(struct changes *changes, const char *word, uint32_t object,
			 const char *rest);

/** Formats a text into changes->arena. */
#define change_text(changes, ...) arena_printf((changes)->arena, __VA_ARGS__)
