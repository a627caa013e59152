// SPDX-License-Identifier: Apache-2.0
// Why code ran: one table of rules, the first that holds decides.
#pragma once

#include "correlate/why/bracket.h"
#include "correlate/why/context.h"
#include "correlate/why/frame.h"
#include "correlate/why/linking.h"
#include "correlate/why/touch.h"

/**
 * Evidence that a rule looks at. Bits; a fault without a stack is not asked about EVIDENCE_STACK.
 */
enum evidence {
	EVIDENCE_STACK = 1 << 0,
	EVIDENCE_PLACE = 1 << 1, // whose bytes were touched, and by which function
	EVIDENCE_ORDER = 1 << 2, // what this program, or what other faults, showed before
	EVIDENCE_CODE = 1 << 3,	 // machine code
};

/** How far a program has come, by the faults that it had so far. */
struct phase {
	bool has_entered; // the program's entry point was reached
	bool was_in_main;
	bool has_built_tls;   // its first thread's TLS block, seen in a program without names
	bool has_left_loader; // code other than the dynamic linker's and resolvers' has run
};

/** A fault that is being asked about, and what is known of it. Everything is borrowed. */
struct rule_case {
	const struct rows *rows;
	const struct linking *linking;
	const struct phase *phase;
	const struct model_fault *fault;
	const struct context *context; // what its stack shows; NULL: it has none
	enum touch touch;
	const struct bracket *bracket; // what its thread was in the middle of
	bool is_before_main;	       // as later faults of its program show
	bool has_main_behind;	       // as well
	uint32_t roles;		       // of the function that faulted
};

/** The subject of a rule. */
enum rule_of {
	OF_FAULTS,
	// Each frame of a stack, from the innermost outwards: the first frame with a rule decides,
	// and its row then holds for the faults with this stack.
	OF_FRAMES,
};

/** One rule. */
struct rule {
	const char *name;
	enum model_initiator initiator; // of frames, UNKNOWN: ask the frame behind the run
	enum model_certainty certainty;
	unsigned evidence; // bits of enum evidence
	enum rule_of of;

	// Conditions. Roles are those of the frame, or of the function that faulted.
	uint32_t roles;				      // one of these; 0: any
	uint32_t but_not;			      // none of these
	unsigned touches;			      // one of 1 << enum touch; 0: any
	bool (*frame)(const struct frame *);	      // or NULL: nothing more
	bool (*fault)(const struct rule_case *asked); // or NULL: nothing more

	// Further conclusions, of frames.
	bool is_in_main;
	bool is_in_exit;
	bool is_dlopen;	   // though no dlopen() is on the stack
	bool of_threads;   // it holds only for threads but a process's first
	bool before_entry; // it holds only for faults before the program is entered; the dynamic
			   // linker's run goes to the stack's end
};

/** All rules in order of precedence; docs/initiators.md has the same table. */
const struct rule *rules_all(size_t *ret_count);

/**
 * The rules of frames by the roles they need, as bits by row from the first of them on: few concern
 * any one frame.
 */
struct rule_index {
	uint64_t of_any;
	uint64_t of_role[32]; // by bit of enum role
};

void rule_index_init(struct rule_index *ret_index);

/** The rule that decides why @frame's code ran; NULL: none does. */
const struct rule *rules_of_frame(const struct rule_index *index, const struct frame *frame);

/** The rule that decides why the fault happened; the last one always holds. */
const struct rule *rules_of_fault(const struct rule_case *asked);
