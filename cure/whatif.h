// SPDX-License-Identifier: Apache-2.0
// Predictions of the recorded run after each cure, from the model, file by file and page by page.
// docs/whatif.md says how, and compares with what was measured.
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "model/model.h"

/** Predicted sums of a run. */
struct whatif_sum {
	uint64_t faults, major;
	uint64_t read_bytes;  // brought into the page cache by faults
	uint64_t duration_ns; // of the command, without waiting for a processor
};

enum whatif_group {
	WHATIF_LINK,	  // the program, or some of its files, linked in another way
	WHATIF_SYSTEM,	  // another setting of the kernel
	WHATIF_COLD_START // a start with none of its files in memory: faults are not predicted
};

/** "link", "system", "cold-start". */
const char *whatif_group_name(enum whatif_group group);

/** One cure of the run. */
struct whatif {
	enum whatif_group group;
	const char *cure;    // "relr", "fault-around-64k": stable, for scripts
	const char *title;   // for a person
	const char *how;     // what to type
	const char *object;  // the file that it changes; NULL: several, or none
	const char *reason;  // why it does not apply; or what it would break, or limits it; or NULL
	bool applies;	     // false: nothing is predicted
	bool is_major_bound; // majors are at least these, though the rest is no bound
	bool has_time;
	unsigned error_percent; // of faults; of a cold start, of bytes: as measured
	struct whatif_sum after;
	struct model_saving
		saves;	     // against the run as it was; of a cold start only how it is known
	uint64_t file_count; // that it changes
	// Of a link: the archives (lib*.a) that it takes beside those of the compiler, and how many
	// more libraries of which none was found.
	const char *archives; // "libfoo.a, libbar.a"; NULL: none
	uint64_t archive_count, archives_missing;
};

/** Of one file, what its pages that relocation wrote are bound to. */
struct whatif_file {
	uint32_t object;
	uint64_t relative, cxx, other; // pages: relative slots only, names of libstdc++ only, rest
};

/** Loader, relocation, lookup, IFUNC and lazy binding of the whole run. */
struct whatif_linking {
	struct whatif_sum sum;		 // duration_ns: of the faults and of computing
	const struct whatif_file *files; // most pages first, then path
	size_t file_count;
};

struct whatif_answer {
	struct arena arena;
	struct whatif_sum before;
	bool has_time;	  // of the run: else all of duration_ns is 0
	bool has_reads;	  // what faults read is known
	bool was_cold;	  // at least one fault in twenty waited for storage
	uint64_t around;  // bytes that one fault mapped, as far as was seen
	uint32_t program; // the executable that links are about: into model.objects, or MODEL_NONE
	struct whatif_linking linking;
	const struct whatif *items; // in the order of the documentation
	size_t count;
};

/** The cures to predict. */
struct whatif_options {
	const bool *objects; // by index of model.objects: only links of these; NULL: all
	bool order;	     // model_object.packing is there
	bool links_only;     // neither settings of the kernel nor cold starts
};

/**
 * Predict every cure of @model, which shows all faults. Never fails: a cure that does not apply
 * says why. Release with whatif_destroy().
 */
struct whatif_answer *whatif_predict(const struct model *model,
				     const struct whatif_options *options);
void whatif_destroy(struct whatif_answer *answer);

/** Is it work that another link spares: loader, lookup, relocation, IFUNC, lazy binding? */
bool whatif_is_linking(enum model_initiator initiator);

/** The cure with this name; NULL: there is none. */
const struct whatif *whatif_named(const struct whatif_answer *answer, const char *cure);

CLEANUP_POINTER(whatif_destroy, struct whatif_answer)
