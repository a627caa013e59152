// SPDX-License-Identifier: Apache-2.0
// Shared parts of the rules on a trace: the description of a rule, its answer, sums over it.
#pragma once

#include "advice/kit.h"
#include "base/vec.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/** A cost is worth a finding from this share of faults or of time on, unless either is tiny. */
enum { RULE_MIN_FAULTS = 32, RULE_MIN_NS = 500000, RULE_MIN_PERCENT = 1 };

/** The faults on one section, by who caused them. */
struct rule_section {
	struct model_count by[MODEL_INITIATORS];
};

/** How many faults are shown of each sort: most rules see here that they have nothing to look for.
 */
struct rule_totals {
	uint64_t by_initiator[MODEL_INITIATORS];
	uint64_t ns_by_initiator[MODEL_INITIATORS]; // own time of these
	uint64_t by_mechanism[MODEL_MECHANISMS];
};

struct codeuse;
struct findings;

/** A way to follow the advice; the text as that of struct kit_prose. */
struct rule_cure {
	enum model_for who;
	const char *text;
	const char *where; // of what it is true, for the documentation; NULL: always
};

enum { RULE_CURES_MAX = 6, RULE_ALL_CURES = 0 };

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
	struct rule_cure cures[RULE_CURES_MAX]; // instead of prose.fix; ended by a NULL text
	enum model_for who;			// can do prose.fix
	bool needs_all_faults;			// silent where faults are left out
	// The fix also saves what storage was waited for: the pages need not be read, or not by
	// faults. Without it whatever touches them first would wait instead.
	bool saves_storage;
	// Silent on the C library and the dynamic linker: nobody links them anew for a program.
	bool relinks;
	bool rebuilds;	  // what is built and linked otherwise is the object; so also where relinks
	bool saves_waits; // not faults, but that they wait for storage
	// Of what is saved, as measured: it is predicted. 0: so much at most.
	unsigned error_percent;
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

/** The result of a rule. */
struct rule_found {
	uint32_t object; // MODEL_NONE: it is of the run
	struct model_count cost;
	uint64_t pages;
	uint64_t saves;			// faults at most
	double share;			// of the cost that this is; 0: what those faults are of it
	const struct model_count *gone; // instead of saves where that is more than the cost
	uint64_t cpu_ns, cpu_error_ns;	// of the same cause, outside faults
	unsigned cures;			// bit by index of rule.cures: those that apply; 0: all
	const struct model_saving *predicted; // NULL: what follows from saves
	const char *names;		      // as model_finding.names
};

/**
 * Are the faults of @cost at least RULE_MIN_FAULTS and RULE_MIN_PERCENT of those shown, or is the
 * time that the current rule's fix saves of them, and @cpu_ns of the same cause outside faults, at
 * least RULE_MIN_NS and RULE_MIN_PERCENT of the time that all threads used? Where faults are left
 * out, of the time of those shown. Of @cpu_ns only what exceeds @cpu_error_ns counts, so that no
 * few samples decide.
 */
bool rule_is_worth(const struct findings *findings, const struct model_count *cost, uint64_t cpu_ns,
		   uint64_t cpu_error_ns);

/** The time that threads of the run used; where faults are left out, that of the faults shown. */
uint64_t rule_time_used(const struct findings *findings);

/**
 * Add a finding of the current rule, on @object or, with MODEL_NONE, on the run. @saves: the faults
 * that the fix saves at most.
 */
void rule_add(struct findings *findings, uint32_t object, const struct model_count *cost,
	      uint64_t pages, uint64_t saves, const struct kit_value *values);

/**
 * The same with all that may be known. {trace}, {run}, the command line, and {prefetch}, which
 * asks for a list, have values in every rule, {object} where there is one: its path, unless it is
 * the first of @values.
 */
void rule_add_found(struct findings *findings, const struct rule_found *found,
		    const struct kit_value *values);

/**
 * Return the computing of all threads because of @initiator outside faults, by samples, with its
 * error; 0 if it is not known, or faults are left out.
 */
uint64_t rule_computing(const struct findings *findings, enum model_initiator initiator,
			uint64_t *ret_error_ns);

/**
 * Return the computing that loading @object took: its share of relocating and looking names up, by
 * numbers of relocations and of names, and its initializers.
 */
uint64_t rule_loading(const struct findings *findings, uint32_t object);

/** The share of relocating all files that @relocations of these have. */
uint64_t rule_relocating(const struct findings *findings, uint64_t relocations);

struct model_relink;

/** Linking @object with @option, NULL where that would change nothing, or nothing is known of it.
 */
const struct model_relink *rule_relink(const struct model_object *object, const char *option);

/** Is the C library glibc, whose GLIBC_TUNABLES these are? */
bool rule_has_glibc(const struct findings *findings);

/** The error of @ns, which samples found of what all threads computed. */
uint64_t rule_error(const struct findings *findings, uint64_t ns);

/** The faults by @initiator on the section of @object with this name. */
struct model_count rule_on_section(const struct findings *findings,
				   const struct model_object *object, const char *section,
				   enum model_initiator initiator);

// Texts in findings->arena.

/** " They read 12.3 MiB.", of the faults of @count; "" where nothing was read, as far as known. */
const char *rule_read(struct findings *findings, const struct model_count *count);

/** "43.8 us", "12.3 ms". */
const char *rule_time(struct findings *findings, uint64_t ns);

/** The file name of an object, its path where another object has the same file name. */
const char *rule_label(struct findings *findings, uint32_t object);

/** @name, its middle left out where it is very long; "(no name)" for NULL. */
const char *rule_name(struct findings *findings, const char *name);

/** The name of the command with most of @counts, which is by index of model.comms. */
const char *rule_command(struct findings *findings, const uint64_t *counts);

/** " Most happened in find_key(), 12." of @words "Most happened in"; "" if all @by_function are 0.
 */
const char *rule_busiest(struct findings *findings, const char *words, const uint64_t *by_function);

/**
 * The objects with most of @counts, which is by index of model.objects, as "libfoo.so 12, bar 3";
 * at most @most of them, "nothing" if all are 0.
 */
const char *rule_most(struct findings *findings, const uint64_t *counts, size_t most);

/**
 * Is @object a library that the system has for all programs, such as libcrypto.so.3 in
 * /usr/lib/x86_64-linux-gnu? False of those in a folder that an executable of the run lies in as
 * well, such as /usr/lib/firefox, and of all others: beside the program, below /opt, /usr/local or
 * a home. O(objects).
 */
bool owner_is_system(const struct model *model, uint32_t object);
