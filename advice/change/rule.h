// SPDX-License-Identifier: Apache-2.0
// Shared parts of the rules on a comparison: the description of a rule, sums over its rows.
#pragma once

#include "advice/kit.h"
#include "base/vec.h"
#include "compare/compare.h"

#include <stdbool.h>
#include <stdint.h>

/** Below either, a difference is not worth a finding; the share is of all faults, in thousandths.
 */
enum { CHANGE_MIN_FAULTS = 4, CHANGE_MIN_PER_MILLE = 1 };

/** The same for own time; the share is of the time that all threads used. */
enum { CHANGE_MIN_NS = 500000, CHANGE_MIN_PER_MILLE_NS = 10 };

/** The same where no layout says why: sizes and memory differ by a few pages for any reason. */
enum { CHANGE_MIN_PER_MILLE_LOOSE = 10 };

struct changes;

enum { CHANGE_PROSES = 6 };

/**
 * One rule: a file of its own that defines change_<file name>, counting in find() and prose here.
 * The table of docs/diff.md is written from it; what only that prints is Markdown.
 */
struct change_rule {
	// What it can find, ended by one without an id. Without a full stop after the title.
	struct kit_prose prose[CHANGE_PROSES + 1];
	const char *counts;   // which faults
	const char *shown_by; // what the layouts of both sides must say
	const char *cause;    // when the finding is the cause: "yes", "no", "if …"
	// The condition of --where that leaves the faults of a finding in either trace, with
	// "{object}" for the paths of its object; NULL: none tells them from others, or each
	// finding brings its own.
	const char *where;
	// One of both: the whole run, or each object.
	void (*find)(struct changes *changes);
	void (*find_in)(struct changes *changes, uint32_t object);
};

/** All rules, ended by NULL. */
extern const struct change_rule *const change_rules[];

/** Findings being made. */
struct changes {
	const struct comparison *comparison;
	struct arena *arena;		// the comparison's: what is added lives there
	const struct change_rule *rule; // whose turn it is
	VEC(struct compare_finding) list;
};

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

/** Why code runs or data is used, except for the dynamic linker's own work; as --where has it. */
extern const uint32_t change_use;
extern const char *const change_use_words;

/** Tables of relocations, and those that names are looked up in; NULL-ended. */
extern const char *const change_relocation_tables[];
extern const char *const change_lookup_tables[];

/** The faults of the chosen causes, judged as one row. */
struct compare_figure change_faults(const struct changes *changes,
				    const struct change_choice *choice);

/**
 * The faults among them; or, where those are not worth a finding and it is, their own time. Of
 * initiators on any object that is all their time, computed outside faults as well. Time counts
 * only if the difference is real: one run tells nothing of the next one's.
 */
struct compare_figure change_cost(const struct changes *changes,
				  const struct change_choice *choice);

/** The one of them that @metric, faults or own time, says. */
struct compare_figure change_figure(const struct changes *changes,
				    const struct change_choice *choice, enum compare_metric metric);

/** The same as change_cost() of @figures, which are by metric. */
struct compare_figure change_larger_cost(const struct changes *changes,
					 const struct compare_figure *figures);

/** The faults on the objects that @is_chosen says. */
struct compare_figure change_on_objects(const struct changes *changes,
					bool (*is_chosen)(const struct compare_object *object));

/** The larger of both medians. */
double change_larger(const struct compare_figure *figure);

/** May the difference be spoken of at all: is it real, or can that not be known? */
bool change_is_believed(const struct compare_figure *figure);

/** Is it believed, and as large as CHANGE_MIN_FAULTS and CHANGE_MIN_PER_MILLE say; of own time
 * real, and as large as CHANGE_MIN_NS and CHANGE_MIN_PER_MILLE_NS say? */
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

/**
 * Add a finding of the current rule, with its prose of index @prose. The fix is given only where
 * the side after is worse by an amount worth a finding.
 */
void change_add(struct changes *changes, unsigned prose, const struct compare_finding *finding,
		const struct kit_value *values);

// Texts in changes->arena; own time reads as such.

/** "1 fault", "61 faults", "2.1 ms of own time": the difference without its sign. */
const char *change_count(struct changes *changes, const struct compare_figure *figure);
/** "61 fewer faults", "1 more fault", "2.1 ms less own time". */
const char *change_fewer(struct changes *changes, const struct compare_figure *figure);
/** "saved 61 faults", "cost 61 more faults". */
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
