// SPDX-License-Identifier: Apache-2.0
// What the rules share: the answer they look at, sums over it, and the list they add to.
#pragma once

#include "base/arena.h"
#include "base/vec.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/** Below either, a cost is not worth a finding. */
enum { RULE_MIN_FAULTS = 32, RULE_MIN_PERCENT = 1 };

/** The faults on one section, by who caused them. */
struct rule_section {
	struct model_count by[MODEL_INITIATORS];
};

/** How many faults are shown of each sort: most rules see here that they have nothing to look for.
 */
struct rule_totals {
	uint64_t by_initiator[MODEL_INITIATORS];
	uint64_t by_mechanism[MODEL_MECHANISMS];
	uint64_t in_initializers;
};

struct codeuse;

/** Findings being made. */
struct findings {
	const struct model *model;
	struct arena *arena;		       // the model's: what is added lives there
	bool is_partial;		       // faults are left out: the answer was narrowed
	const struct rule_section *by_section; // by index of model.sections
	struct rule_totals totals;
	const struct codeuse *codeuse; // by index of model.objects; NULL where is_partial
	VEC(struct model_finding) list;
};

/** A rule looks at the model and adds what it finds. Each one is a file of its own name. */
typedef void rule_function(struct findings *findings);

rule_function rule_backward;
rule_function rule_coldstart;
rule_function rule_forkcopies;
rule_function rule_initializers;
rule_function rule_lazybinding;
rule_function rule_lookupscope;
rule_function rule_manyprograms;
rule_function rule_relocateddata;
rule_function rule_relr;
rule_function rule_returnedmemory;
rule_function rule_scatteredbss;
rule_function rule_sparsecode;
rule_function rule_symboltables;
rule_function rule_unusedlibrary;
rule_function rule_unwinding;
rule_function rule_zeroedtail;

/** Are @faults at least RULE_MIN_FAULTS and RULE_MIN_PERCENT of those shown? */
bool rule_is_worth(const struct findings *findings, uint64_t faults);

/** Is @part at least @percent of @whole? False of nothing. */
bool rule_is_share(uint64_t part, uint64_t whole, unsigned percent);

/** Add a copy of @finding, whose strings live as long as the model. */
void rule_add(struct findings *findings, const struct model_finding *finding);

/** Add @from to @count. */
/** " They read 12.3 MiB.", of the faults of @count; "" where nothing was read, as far as known. */
const char *rule_read(struct findings *findings, const struct model_count *count);

void rule_sum(struct model_count *count, const struct model_count *from);

/** The faults by @initiator on the section of @object with this name. */
struct model_count rule_on_section(const struct findings *findings,
				   const struct model_object *object, const char *section,
				   enum model_initiator initiator);

/** The file name of an object, its path where another object has the same file name. */
const char *rule_label(struct findings *findings, uint32_t object);

// Texts in findings->arena.

/** @name, its middle left out where it is very long; "(no name)" for NULL. */
const char *rule_name(struct findings *findings, const char *name);
/**
 * The condition that @word, a word for files, is @object, and that @rest ("word=value,…"; "":
 * nothing more) holds.
 */
const char *rule_where(struct findings *findings, const char *word, uint32_t object,
		       const char *rest);
/** "1,234". */
const char *rule_number(struct findings *findings, uint64_t number);
/** "1 fault", "1,234 faults". */
const char *rule_plural(struct findings *findings, uint64_t count, const char *one,
			const char *many);

/** Formats a text into findings->arena. */
#define rule_text(findings, ...) arena_printf((findings)->arena, __VA_ARGS__)

/**
 * The objects with most of @counts, which is by index of model.objects, as "libfoo.so 12, bar 3";
 * at most @most of them, "nothing" if all are 0.
 */
const char *rule_most(struct findings *findings, const uint64_t *counts, size_t most);
