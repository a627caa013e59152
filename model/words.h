// SPDX-License-Identifier: Apache-2.0
// The words of the answer, as numbers and as text: those of contract and documentation, in the
// order of model/words.def.
#pragma once

#include "model/words.def"

enum model_kind { KIND_WORDS(WORD_IDENTIFIER) MODEL_KINDS };
enum model_access { ACCESS_WORDS(WORD_IDENTIFIER) MODEL_ACCESSES };
enum model_mode { MODE_WORDS(WORD_IDENTIFIER) MODEL_MODES };

/** Mechanisms: the needs of the page. */
enum model_mechanism { MECHANISM_WORDS(WORD_IDENTIFIER) MODEL_MECHANISMS };

/** Why the code ran. */
enum model_initiator { INITIATOR_WORDS(WORD_IDENTIFIER) MODEL_INITIATORS };

/** Owners of the work of code. */
enum model_work {
	MODEL_WORK_SYSTEM, // the kernel's, ld.so's, or called by ld.so to bind a name
	MODEL_WORK_PROGRAM,
	MODEL_WORK_UNKNOWN,
};

/**
 * Certainty of the initiator: shown by a call stack, or by address, section and relocations alone.
 */
enum model_certainty { MODEL_CERTAINTY_NONE, CERTAINTY_WORDS(WORD_IDENTIFIER) MODEL_CERTAINTIES };

/** Faults inside dlopen and others; only a call stack can tell. */
enum model_dlopen { MODEL_DLOPEN_UNKNOWN, MODEL_DLOPEN_NO, MODEL_DLOPEN_YES };

/**
 * The place of a fault in its file, relative to the one before it of the same process in the same
 * file. MODEL_STEP_NONE: it is the first there, or not in a file.
 */
enum model_step { MODEL_STEP_NONE, STEP_WORDS(WORD_IDENTIFIER) MODEL_STEPS };

enum model_symbol_kind { MODEL_NO_SYMBOL, SYMBOL_KIND_WORDS(WORD_IDENTIFIER) MODEL_SYMBOL_KINDS };

/** Addressees of an advice. */
enum model_for { FOR_WORDS(WORD_IDENTIFIER) MODEL_FORS };

/** How what an advice saves is known. */
enum model_bound { BOUND_WORDS(WORD_IDENTIFIER) MODEL_BOUNDS };

/** Return whose work it is. */
enum model_work model_initiator_work(enum model_initiator initiator);

/** The contract's words; "unknown" never stands for a value that is out of range. */
const char *model_kind_name(enum model_kind kind);
const char *model_access_name(enum model_access access);
const char *model_mode_name(enum model_mode mode);
const char *model_mechanism_name(enum model_mechanism mechanism);
const char *model_initiator_name(enum model_initiator initiator);
/** NULL for MODEL_CERTAINTY_NONE. */
const char *model_certainty_name(enum model_certainty certainty);
/** NULL for MODEL_STEP_NONE. */
const char *model_step_name(enum model_step step);
/** NULL for MODEL_NO_SYMBOL. */
const char *model_symbol_kind_name(enum model_symbol_kind kind);
const char *model_for_name(enum model_for who);
const char *model_bound_name(enum model_bound bound);
