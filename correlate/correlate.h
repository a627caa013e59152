// SPDX-License-Identifier: Apache-2.0
// The meeting point of trace and ELF files. The only public header of correlate/; it fills model/.
#pragma once

#include "base/err.h"
#include "model/model.h"
#include "model/needs.h"
#include "model/shown.h"
#include "trace/trace.h"

struct filter; // model/filter.h
struct pack_list;
struct depot; // depot/depot.h

/** The options of an answer. Strings are borrowed for the call. */
struct correlate_options {
	const char *const *objects; // paths, file names or sonames to narrow to
	size_t object_count;
	const struct filter *filter; // NULL: every fault of these objects is shown
	// The part of the recording that is counted: durations since its start, or marks; NULL:
	// its edge.
	const char *from, *until;
	const char *program; // the account's subject, by name or process id; NULL: by the rule
	bool force;	     // use a file given by path though its build-id is not the recorded one
	bool no_demangle;
	unsigned needs;		  // enum model_need; what it lacks is not found out
	const char *debug_dir;	  // see elfmap_options
	struct depot *depot;	  // where files are looked for; NULL: on this machine
	struct pack_list *pack;	  // add what was read of files; NULL: do not (depot/pack.h)
	bool keep_trace;	  // it is wanted afterwards: leave it its faults
	struct model_shown shown; // what the model may say

	// Fill model_object.packing with these names of functions; NULL: do not.
	const char *const *order;
	size_t order_count;
};

/**
 * The least memory that reading and attributing a trace of this size takes, beside what the ELF
 * files take.
 */
uint64_t correlate_memory(const struct trace_size *size);

/**
 * A trace that is attributed, before what OBJECT arguments leave out is left out: ELF files are
 * open, every fault is there that meets the conditions.
 */
struct analysis;

/**
 * Attribute every fault of @trace.
 *
 * @err: ERR_MISMATCH (an object given by path has another build-id; both are in the message),
 *       ERR_INPUT (an object or a program that the trace does not have; those it has are named),
 *       or why a file
 *       given by path could not be read.
 * Returns: true and *@ret_analysis. @trace is borrowed, gets pauses for stolen time, and, unless
 * @options->keep_trace, has no faults afterwards: its rows and the model's would take twice the
 * memory. What @options points to is borrowed likewise. Time O(n log n) in events; a million faults
 * take about a second.
 */
bool analysis_create(struct trace *trace, const struct correlate_options *options,
		     struct analysis **ret_analysis, struct err *err);

/**
 * The model of all objects, whatever the OBJECT arguments are, but for model.codes. It is owned by
 * @analysis; what is found in it is kept by analysis_take(). Call at most once.
 */
struct model *analysis_whole(struct analysis *analysis);

/**
 * The model, narrowed to the OBJECT arguments, to be released with model_close(). Rows keep the
 * indexes that they have in the whole. @analysis is of no further use.
 */
struct model *analysis_take(struct analysis *analysis);

/** Release @analysis, which may be NULL. */
void analysis_destroy(struct analysis *analysis);

CLEANUP_POINTER(analysis_destroy, struct analysis)

/** The same at once; @trace is not kept. */
bool correlate(struct trace *trace, const struct correlate_options *options,
	       struct model **ret_model, struct err *err);
