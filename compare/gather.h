// SPDX-License-Identifier: Apache-2.0
// Parts of a comparison that grow while traces are added: objects paired, faults counted into
// common rows, amounts, localities; and the notes on all.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "compare/compare.h"
#include "model/account.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An object while traces are added. */
struct paired {
	struct compare_object row;
	const char *soname[COMPARE_SIDES];
	const char *root[COMPARE_SIDES];  // NULL: the recorder's
	uint64_t identity[COMPARE_SIDES]; // a hash of path, build-id and which of several such
	uint32_t seen_in;		  // the run that had it last, counted from 1
};

/** Zero-initialise, except for the arena, the notes and the pairs. */
struct pairing {
	struct arena *arena;
	struct notes *notes; // where oddities go
	const struct compare_pair *pairs;
	size_t pair_count;
	bool *is_found[COMPARE_SIDES]; // by pair
	bool guesses;		       // files of different names may be paired, too
	uint32_t runs;
	uint32_t program; // as in struct comparison
	VEC(struct paired) objects;
};

/**
 * Find or add each object of @model. *@ret_ids, by index of model.objects, is to be freed. In this
 * order: as --pair asks, the same path and build-id, the same path, the same soname, the same file
 * name; the last three only where one object alone has it; then, if it guesses, the programs that
 * the runs are about, and libraries by guess_likeness(). O(objects).
 */
void pairing_add(struct pairing *pairing, enum compare_side side, const struct model *model,
		 uint32_t **ret_ids);

/** Give each object its label. */
void pairing_label(struct pairing *pairing);

/** Add a note that names the objects that were paired by guess. After pairing_label(). */
void pairing_note_guesses(const struct pairing *pairing);

/** The executable of the program that @model is about, into model.objects; MODEL_NONE: unknown. */
uint32_t guess_program(const struct model *model);

/**
 * Tell in percent how alike the names of two libraries are, by the letters between "lib" and ".so";
 * 0 if less than four fifths of the longer name are in both.
 */
unsigned guess_likeness(const char *one, const char *other);

/** A fault on a page that has several. */
struct sharedpages_fault {
	uint32_t page; // a number that the faults of one page have in common
	uint32_t fault;
};

/** Zero-initialise; release with sharedpages_deinit(). */
struct sharedpages {
	bool *is_shared;		  // by fault: are there others on its page?
	struct sharedpages_fault *faults; // those that share theirs: page by page, then in time
	size_t fault_count;
	uint32_t page_count; // of all pages
};

/** A page of a file is the same for all processes; memory of no file is of one process. */
void sharedpages_find(struct sharedpages *pages, const struct model *model);
void sharedpages_deinit(struct sharedpages *pages);

/** A row being counted, and what distinguishes it from others with the same hash. */
struct tally_row {
	struct compare_row row;
	const char *name, *build; // the row's own, which it loses if others are merged into it
	enum compare_table table;
	uint32_t next; // row of the same hash, MODEL_NONE: none
	uint32_t into; // row that this one went into, MODEL_NONE: none
	uint32_t last_page;
};

/** Zero-initialise, except for the arena and the number of runs. */
struct tally {
	struct arena *arena;
	size_t run_count; // of both sides
	struct u64map by_hash;
	VEC(struct tally_row) rows;
	uint64_t *total; // as compare_row.runs
};

/** Count the faults of @model, which is number @run; @object_ids as pairing_add() gave them. */
void tally_add(struct tally *tally, size_t run, const struct model *model,
	       const uint32_t *object_ids);

/**
 * The rows of @table that things of a counted @model are in, by slot: see struct compare_links.
 * MODEL_NONE: in none, as they have no fault. *@ret_rows, of which there are *@ret_count, is to be
 * freed. O(things).
 */
void tally_find(struct tally *tally, enum compare_table table, const struct model *model,
		const uint32_t *object_ids, uint32_t **ret_rows, size_t *ret_count);

void tally_deinit(struct tally *tally);

struct amounts_bytes {
	struct compare_bytes row;
	uint32_t next; // row of the same hash, MODEL_NONE: none
};

/**
 * The times that are added up: of the command, or a program that was asked for; of the account's
 * subject; of all threads.
 */
enum amounts_scope { AMOUNTS_COMMAND, AMOUNTS_SUBJECT, AMOUNTS_ALL, AMOUNTS_SCOPES };

/** Zero-initialise, except for the arena and the number of runs. */
struct amounts {
	struct arena *arena;
	size_t run_count; // of both sides
	// [scope][one, or all][one, all, or own][run]; NULL: none was spent.
	uint64_t *times[AMOUNTS_SCOPES][MODEL_INITIATORS + 1][MODEL_STATES + 2];
	uint64_t *errors[AMOUNTS_SCOPES][MODEL_INITIATORS]; // of cpu
	struct u64map by_hash;
	VEC(struct amounts_bytes) bytes;
};

/** Add what @model has, which is number @run; @object_ids as pairing_add() gave them. */
void amounts_add(struct amounts *amounts, size_t run, const struct model *model,
		 const uint32_t *object_ids);

/** Judge all that every run of @comparison knows and hand it over. */
void amounts_finish(struct amounts *amounts, struct comparison *comparison);

void amounts_deinit(struct amounts *amounts);

/** A mark while traces are added. */
struct markruns_row {
	struct compare_mark mark;
	uint64_t *runs; // by run: nanoseconds; 0: it did not hold
	bool *seen_in;	// by run
};

/** Zero-initialise, except for the arena and the number of runs. */
struct markruns {
	struct arena *arena;
	size_t run_count; // of both sides
	VEC(struct markruns_row) rows;
};

/** Add the marks of @model, which is number @run and of @side. */
void markruns_add(struct markruns *marks, enum compare_side side, size_t run,
		  const struct model *model);

/** Judge the marks that held in every run, and hand all over. */
void markruns_finish(struct markruns *marks, struct comparison *comparison);

/** A function seen to run on one side. */
struct placed {
	const char *name;
	const char *section; // NULL: unknown
	uint64_t vaddr, size;
	double first_use; // as in compare_move
	double faults;
};

/** The functions of one side: each address once, in any order. */
struct placed_side {
	struct placed *functions;
	size_t count;
};

/**
 * Fill what @locality has on moves from both sides' functions. Those are one that have the same
 * name, then, of what is left, the same name without what compilers append; a name that several
 * functions of a side have matches nothing, nor, unless @is_one_build, does one that is an address.
 * Of the functions matched, the largest number whose order
 * by address is the same on both sides stayed; the others moved. O(n log n).
 */
void moves_find(struct compare_locality *locality, struct placed_side sides[COMPARE_SIDES],
		bool is_one_build, uint64_t page_size, struct arena *arena);

/** A function of one side in its runs. */
struct gathered_function {
	const char *name, *section;
	uint64_t vaddr, size;
	uint64_t *first_uses; // by run of all: which by first use, from 1; 0: not seen
	uint64_t *faults;     // by run of all
};

/** One side of an object. */
struct gathered_side {
	bool is_there;
	const char *build_id; // of the first run; functions of another build lie elsewhere
	VEC(struct gathered_function) functions;
	struct u64map by_vaddr; // -> index of functions
};

/** An object. */
struct gathered {
	struct compare_locality row;
	struct compare_curves *curves; // by run
	struct gathered_side sides[COMPARE_SIDES];
};

/** Zero-initialise, except for the arena and the numbers of runs. */
struct gathering {
	struct arena *arena;
	const size_t *run_count; // by side
	uint64_t page_size;
	VEC(struct gathered) objects; // by id
};

/**
 * Gather from @model, which is number @run of all; @object_ids as pairing_add() gave them. Time
 * O(faults + frames).
 */
void locality_add(struct gathering *gathering, enum compare_side side, size_t run,
		  const struct model *model, const uint32_t *object_ids);

/** Judge all, and set the locality of each file among @objects. */
void locality_finish(struct gathering *gathering, struct compare_object *objects, size_t count);

void gathering_deinit(struct gathering *gathering);

/** Add notes about the runs and the runs' own, merged per side; call it when all runs are known. */
void comparison_note_runs(struct comparison *comparison);
