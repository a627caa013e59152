// SPDX-License-Identifier: Apache-2.0
// What the rules on a trace share: how a rule is described, the answer it looks at, sums over it.
#pragma once

#include "advice/kit.h"
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
struct findings;

/**
 * One rule: a file of its own that defines rule_<file name>, counting in find() and prose here.
 * docs/findings.md is written from it; what only it prints is Markdown.
 */
struct rule {
	struct kit_prose prose;
	const char *about;   // why it costs
	const char *when;    // the sentence that begins with "Reported when"
	const char *details; // more on the fix, and what the saving means; NULL: nothing
	const char *limits;  // NULL: none
	// The condition of --where that leaves the faults of a finding, with "{object}" for the
	// path of its object; NULL: none tells them from others.
	const char *where;
	bool needs_all_faults; // silent where faults are left out
	// One of both: the whole run, or each object shown.
	void (*find)(struct findings *findings);
	void (*find_in)(struct findings *findings, uint32_t object);
};

/** All rules, ended by NULL. */
extern const struct rule *const trace_rules[];

/** Findings being made. */
struct findings {
	const struct model *model;
	struct arena *arena; // the model's: what is added lives there
	uint64_t page_size;
	bool is_partial;		       // faults are left out: the answer was narrowed
	const struct rule_section *by_section; // by index of model.sections
	struct rule_totals totals;
	const struct codeuse *codeuse; // by index of model.objects; NULL where is_partial
	const struct rule *rule;       // whose turn it is
	VEC(struct model_finding) list;
};

/** Are @faults at least RULE_MIN_FAULTS and RULE_MIN_PERCENT of those shown? */
bool rule_is_worth(const struct findings *findings, uint64_t faults);

/**
 * Add a finding of the current rule, on @object or, with MODEL_NONE, on the run. @saves: the faults
 * that the fix saves at most.
 */
void rule_add(struct findings *findings, uint32_t object, const struct model_count *cost,
	      uint64_t pages, uint64_t saves, const struct kit_value *values);

/** Add @from to @count. */
void rule_sum(struct model_count *count, const struct model_count *from);

/** The faults by @initiator on the section of @object with this name. */
struct model_count rule_on_section(const struct findings *findings,
				   const struct model_object *object, const char *section,
				   enum model_initiator initiator);

// Texts in findings->arena.

/** " They read 12.3 MiB.", of the faults of @count; "" where nothing was read, as far as known. */
const char *rule_read(struct findings *findings, const struct model_count *count);

/** The file name of an object, its path where another object has the same file name. */
const char *rule_label(struct findings *findings, uint32_t object);

/** @name, its middle left out where it is very long; "(no name)" for NULL. */
const char *rule_name(struct findings *findings, const char *name);

/** The name of the command with most of @counts, which is by index of model.comms. */
const char *rule_command(struct findings *findings, const uint64_t *counts);

/**
 * The objects with most of @counts, which is by index of model.objects, as "libfoo.so 12, bar 3";
 * at most @most of them, "nothing" if all are 0.
 */
const char *rule_most(struct findings *findings, const uint64_t *counts, size_t most);
