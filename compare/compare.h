// SPDX-License-Identifier: Apache-2.0
// Compares two sides, each a trace or its repeats. Plain data for renderers, which owns everything
// that it points to.
#pragma once

#include "base/cleanup.h"
#include "base/runnotes.h"
#include "derive/locality.h"
#include "derive/windows.h"
#include "model/model.h"
#include "model/relocation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum compare_side { COMPARE_BEFORE, COMPARE_AFTER, COMPARE_SIDES };

enum compare_metric {
	COMPARE_FAULTS,
	COMPARE_MAJOR,
	COMPARE_PAGES, // distinct pages that faulted
	COMPARE_DURATION,
	COMPARE_OWN,  // of COMPARE_DURATION: running, or waiting for storage
	COMPARE_READ, // bytes that faults read from storage; see comparison.has_reads
	COMPARE_METRICS,
};

/** "faults", "major", "pages", "duration_ns", "own_ns", "read_bytes". */
const char *compare_metric_name(enum compare_metric metric);

/** The verdict on a difference. */
enum compare_verdict {
	COMPARE_SAME,	 // every run of both sides gave the same
	COMPARE_UNKNOWN, // too few runs to tell a difference from noise
	COMPARE_NOISE,	 // the runs of one side differ as much
	COMPARE_REAL,
};

/** "same", "unknown", "noise", "real". */
const char *compare_verdict_name(enum compare_verdict verdict);

/** The rule of docs/diff.md that a difference within noise breaks; the first of them. */
enum compare_doubt {
	COMPARE_DOUBT_RANK,    // p exceeds 5 %
	COMPARE_DOUBT_SPREAD,  // the medians differ by no more than a side's interquartile range
	COMPARE_DOUBT_NEAR,    // the nearest runs differ by no more than two steps
	COMPARE_DOUBT_SCATTER, // or by no more than the whole range of a side
	COMPARE_DOUBT_ROWS,    // p is not small enough for so many rows
};

/** One number on both sides. */
struct compare_figure {
	enum compare_metric metric; // of a row's numbers: what it counts
	double median[COMPARE_SIDES];
	double spread[COMPARE_SIDES]; // interquartile range
	double difference;	      // of the medians
	double p;		      // Mann-Whitney, 1 where nothing was to be tested
	enum compare_verdict verdict;
	enum compare_doubt doubt; // why the verdict is COMPARE_NOISE
	const uint64_t *runs;	  // what it was judged by: of before, then of after
	size_t stride;		  // from one run to the next
};

/** True if the sides differ, as far as is known by more than noise. */
static inline bool compare_figure_differs(const struct compare_figure *figure)
{
	return figure->difference != 0 && figure->verdict != COMPARE_NOISE;
}

/** The rows of each table count every fault once: their differences add up to the total's. */
enum compare_table {
	COMPARE_BY_INITIATOR,
	COMPARE_BY_MECHANISM,
	COMPARE_BY_OBJECT,
	COMPARE_BY_SECTION,
	COMPARE_BY_FUNCTION,
	COMPARE_BY_SYMBOL,
	COMPARE_BY_INITIALIZER,
	COMPARE_BY_CAUSE, // an initiator on a section of an object
	COMPARE_TABLES,
};

/** "initiator", "mechanism" … "cause". */
const char *compare_table_name(enum compare_table table);

struct compare_row {
	uint32_t object;    // into comparison.objects; MODEL_NONE: none, or not of this table
	const char *name;   // the word, section, function or symbol; NULL: none
	uint32_t initiator; // enum model_initiator, of causes; else MODEL_NONE
	const char *source; // of initializers, where known
	const char *build;  // build-id of the only build in which @name means this; NULL: of any
	uint64_t *runs;	    // [run][metric]: the runs of before, then those of after
	struct compare_figure figures[COMPARE_METRICS];
};

/** A section in the layouts of both sides. */
struct compare_section {
	const char *name;
	bool is_there[COMPARE_SIDES];
	uint64_t size[COMPARE_SIDES]; // bytes in memory, in the file for what is not loaded
};

/** The layout of one side's file, from its first run: it may explain a change in faults. */
struct compare_layout {
	bool is_known;
	bool is_unread;	      // an ELF file that faulted and could not be read
	const char *build_id; // NULL
	const char *soname;   // NULL
	uint64_t size;
	bool has_relocation;
	uint64_t relocations[MODEL_RELOCATION_CLASSES];
	const char *encoding; // "rela", "rel", "relr", "mixed"; NULL: no relocations
	uint64_t table_bytes;
	uint64_t pages_holding; // pages that hold a slot
	uint64_t lookups_at_load;
	bool bind_now;
	bool uses_relr;
	uint64_t functions, named_functions, function_names; // as in struct model_layout
	const char *symbols; // where their names are from, the contract's word; NULL: not known
	uint64_t initializers;
	uint64_t merged_initializers; // of these: that link-time optimisation made of several
	bool is_library, is_fixed, is_symbolic; // as in struct model_layout
	const char *const *needed;		// names of DT_NEEDED
	size_t needed_count;
	const char *toolchain; // compilers and linkers, as struct model_layout; NULL: unknown
};

/** Relocations of all classes. */
static inline uint64_t compare_layout_relocations(const struct compare_layout *layout)
{
	uint64_t sum = 0;

	for (int i = 0; i < MODEL_RELOCATION_CLASSES; i++)
		sum += layout->relocations[i];
	return sum;
}

/** How an object of one side was matched with one of the other. */
enum compare_pairing {
	COMPARE_UNPAIRED, // it is on one side only
	COMPARE_BY_PATH,
	COMPARE_BY_SONAME,
	COMPARE_BY_FILE_NAME,
	COMPARE_AS_ASKED,
	COMPARE_AS_PROGRAM, // each is the program that its side is about
	COMPARE_BY_GUESS,   // their names are alike
};

/** "path", "soname", "name", "pair", "program", "guess"; NULL for COMPARE_UNPAIRED. */
const char *compare_pairing_name(enum compare_pairing pairing);

/** How close together the touched parts of a file are: see docs/diff.md. */
enum compare_locality_metric {
	COMPARE_FUNCTIONS,  // seen to run
	COMPARE_CODE_PAGES, // that they span
	COMPARE_CODE_BYTES,
	COMPARE_AREA, // under the curve of code pages over functions by first use
	COMPARE_LEAST_AREA,
	COMPARE_STEP_SAME, // faults of the file by where the one before lay
	COMPARE_STEP_NEXT,
	COMPARE_STEP_FORWARD,
	COMPARE_STEP_BACKWARD,
	COMPARE_STEP_RANDOM, // forward or backward
	COMPARE_LOCALITY_METRICS,
};

struct compare_locality;

/**
 * The least area in shares of the area, of medians: 1 where the functions lie side by side by first
 * use, 0.5 where, on average, twice as many pages are touched as needed. False: no functions.
 */
bool compare_packing(const struct compare_locality *locality, enum compare_side side,
		     double *ret_packing);

/** Code pages per function, from medians. False: no functions. */
bool compare_pages_per_function(const struct compare_locality *locality, enum compare_side side,
				double *ret_pages);

/** Both curves of one run, the one with the median area. */
struct compare_curves {
	const struct locality_point *code; // code pages; count is of functions by first use
	size_t code_count;
	const struct locality_point *file; // pages that faulted; count is of faults
	size_t file_count;
	size_t run; // of its side
};

/** A function seen to run on both sides. */
struct compare_move {
	const char *name;
	bool is_moved;			    // against others, or to another section
	const char *section[COMPARE_SIDES]; // NULL: unknown
	uint64_t vaddr[COMPARE_SIDES];
	uint64_t size[COMPARE_SIDES];
	uint64_t page[COMPARE_SIDES];	 // of vaddr
	uint64_t place[COMPARE_SIDES];	 // by address, among the functions matched, from 1
	double first_use[COMPARE_SIDES]; // which by first use, from 1: the median
	double faults[COMPARE_SIDES];	 // that mapped its code to run it: the median
};

/**
 * Order two functions: one that moved, the larger difference in faults, then in place, then by
 * name. For qsort().
 */
int compare_moves(const void *a, const void *b);

/** The order of a file's code and of its faults on both sides. */
struct compare_locality {
	uint64_t *runs; // [run][metric]: the runs of before, then those of after
	struct compare_figure figures[COMPARE_LOCALITY_METRICS];
	struct compare_curves curves[COMPARE_SIDES];
	const struct compare_move *moves; // by compare_moves()
	size_t move_count;
	size_t moved_count;
	// Of the functions matched alone, each side's by its own first uses: a side whose faults
	// show fewer functions has less area, too, whatever its order.
	struct locality_area common[COMPARE_SIDES];
	uint64_t only[COMPARE_SIDES];	 // functions seen on this side only
	uint64_t unclear[COMPARE_SIDES]; // functions whose name others of the side have, too
};

struct compare_object {
	const char *path[COMPARE_SIDES]; // NULL: it is not there
	const char *label;		 // file name, path where another has the same
	bool is_file;
	enum compare_pairing pairing;
	struct compare_layout layout[COMPARE_SIDES];
	const struct compare_section *sections; // by name
	size_t section_count;
	const struct compare_locality *locality; // NULL: not a file
};

/** One trace. */
struct compare_run {
	const char *path;
	const char *command;	 // words joined by blanks, or model_trace.process
	const char *arguments;	 // the same without the first, the program
	const char *judged;	 // the program whose time is compared; NULL: it is the command's
	uint64_t arguments_hash; // as of model_trace
	bool complete;
	uint64_t duration_ns;	   // of the recording
	bool has_reads;		   // what its faults read is known
	bool has_account;	   // where its time went
	bool has_fault_time;	   // and how much of it in faults, which else counts as computing
	bool has_storage;	   // what storage delivered
	struct windows windows;	   // how much its faults mapped at once
	uint64_t lost;		   // faults whose events were dropped
	uint64_t missing;	   // faults that are not in it: these and others
	const char *imported_from; // the format of a log; NULL: elfault recorded it. Static
};

/** Not a state: own time, which is computing, faults, and waiting for storage, of all initiators.
 */
enum { COMPARE_TIME_OWN = MODEL_NONE - 1u };

/** Time of the account (model/account.h), in one state or all, on one initiator or all. */
struct compare_time {
	bool is_main; // of the first thread of what is compared; else of all threads
	// enum model_state; COMPARE_TIME_OWN; MODEL_NONE: all, which is wall time of the first
	uint32_t state;
	uint32_t initiator;		// enum model_initiator; MODEL_NONE: all
	const uint64_t *runs;		// [run]: the runs of before, then those of after
	double error_ns[COMPARE_SIDES]; // of cpu by initiator: as samples tell it, median
	struct compare_figure figure;
};

/** A condition that recordings were asked to watch (model/marks.h), by its name. */
struct compare_mark {
	const char *name;
	size_t watched[COMPARE_SIDES]; // runs that were asked to
	size_t held[COMPARE_SIDES];    // runs in which it held
	bool is_compared;	       // it held in every run of both sides: there is a figure
	struct compare_figure figure;  // nanoseconds since the command's program began
};

/** Divisions of the bytes that storage delivered. */
enum compare_bytes_by {
	COMPARE_BYTES_ALL,
	COMPARE_BYTES_BY_CAUSE,
	COMPARE_BYTES_BY_INITIATOR,
	COMPARE_BYTES_BY_FILE,
	COMPARE_BYTES_BY_SECTION,
};

/** "all", "cause", "initiator", "file", "section". */
const char *compare_bytes_by_name(enum compare_bytes_by by);

/** Bytes that storage delivered for the command (model/storage.h), not for other processes. */
struct compare_bytes {
	enum compare_bytes_by by;
	uint32_t object; // of files and sections: into comparison.objects; MODEL_NONE: never mapped
	const char *path; // of a file that was never mapped; NULL: no file, or unknown
	const char *name; // cause, initiator or section; NULL: none
	uint64_t *runs;	  // [run]
	struct compare_figure figure;
};

/** A conclusion of advice/change/: a property of builds or runs that explains a difference. */
struct compare_finding {
	const char *id;	   // "initializers-merged": stable, for scripts
	const char *title; // a sentence with its numbers, without a full stop
	uint32_t object;   // that it concerns, MODEL_NONE: all
	// The faults it speaks of are among those that this condition of `elfault analyze --where`
	// leaves in either trace; NULL: no condition tells them from others.
	const char *where;
	struct compare_figure figure; // real, or unknown where there are too few runs
	bool is_cause; // the layouts show that it makes the difference; false: it goes with it
	const char *evidence;
	const char *advice; // what to change; NULL: nothing became worse
};

struct comparison {
	struct arena arena;
	const struct compare_run *runs; // those of before, then those of after
	size_t run_count[COMPARE_SIDES];
	bool can_tell;	// there are runs enough for a test to ever say that a difference is real
	bool has_reads; // COMPARE_READ is known: of every run
	struct compare_row total;
	// Real before noise, then largest difference first, in faults, of which a major one counts
	// as 100, then by name.
	const struct compare_row *rows[COMPARE_TABLES];
	size_t row_count[COMPARE_TABLES];
	// Times are of the account's subject, since all runs of a side have the same one, not of
	// the command's first program.
	bool is_of_subject;
	// Of its first thread, then of all: own time, the whole, the states, then those of each
	// initiator, without those that took none. None where a run does not tell.
	const struct compare_time *times;
	size_t time_count;
	// Those of the first run as they held, then those that only later runs have.
	const struct compare_mark *marks;
	size_t mark_count;
	// By what they are divided by; then as rows are. The rows of each add up to the first.
	const struct compare_bytes *bytes;
	size_t bytes_count;
	const struct compare_object *objects;
	size_t object_count;
	uint32_t program; // that the first run is about, into objects; MODEL_NONE: not known
	const struct compare_finding *findings; // largest difference first
	size_t finding_count;
	struct runnotes run_notes[COMPARE_SIDES]; // what the runs themselves say
	struct notes notes;			  // of the comparison, then those of the runs
};

/** --pair OLD=NEW: paths, file names or sonames. */
struct compare_pair {
	const char *before, *after;
};

/** Models being added, one at a time, so that only one is in memory. */
struct compare;

struct compare *compare_create(const size_t run_count[COMPARE_SIDES],
			       const struct compare_pair *pairs, size_t pair_count);

/** Pair files of different names, too, and say so in a note: programs, and similar libraries. */
void compare_allow_guesses(struct compare *compare);

/**
 * Count a model: those of before first, and in all as many as were announced. @model is not kept.
 * Time O(faults + frames + rows).
 */
void compare_add(struct compare *compare, enum compare_side side, const struct model *model);

/** The first pair that named no object, and on which side; NULL: all were found. */
const struct compare_pair *compare_unmatched(const struct compare *compare,
					     enum compare_side *ret_side);

/** Compare the added models, once; release with comparison_close(). */
struct comparison *compare_finish(struct compare *compare);

/**
 * The run of @side to show where one must stand for all: the first of those whose number of faults
 * is nearest to the median. An index into comparison.runs.
 */
size_t compare_median_run(const struct comparison *comparison, enum compare_side side);

/**
 * Places of a model's items in a comparison; MODEL_NONE: none, since they have no fault. The rows
 * of a table are by slot: of words, objects, sections, functions, symbols and initializers by their
 * index in the model; behind it by that of its object what has no name, the last one for what has
 * no object either; causes by the slot of their section, and for each by initiator.
 */
struct compare_links {
	uint32_t *objects;		// by index of model.objects: into comparison.objects
	uint32_t *rows[COMPARE_TABLES]; // by slot: into the comparison's
	size_t row_count[COMPARE_TABLES];
	const struct compare_finding *findings; // the comparison's
	size_t finding_count;
};

/**
 * Find where the things of @model stand, which is run @run, read again. Only after compare_finish()
 * and while its @comparison is open. False and nothing to release if @model is not what was
 * counted. O(rows + things).
 */
bool compare_link(struct compare *compare, const struct comparison *comparison, size_t run,
		  const struct model *model, struct compare_links *ret_links);

void compare_links_deinit(struct compare_links *links);

/**
 * Judge @runs, [run][metric] as in a row, by itself: the sum of some rows, for instance.
 * @ret_figures is by metric.
 */
void compare_judge(const struct comparison *comparison, const uint64_t *runs,
		   struct compare_figure *ret_figures);

/** Release @compare, which may be NULL. */
void compare_destroy(struct compare *compare);

void comparison_close(struct comparison *comparison);

CLEANUP_POINTER(compare_destroy, struct compare)

CLEANUP_POINTER(comparison_close, struct comparison)

/**
 * Describe the layout changes that accompany the difference of @row, which is of COMPARE_BY_CAUSE:
 * sizes, relocations, initializers. NULL: nothing did, as far as it is known. In @arena.
 */
const char *compare_explain(const struct comparison *comparison, const struct compare_row *row,
			    struct arena *arena);
