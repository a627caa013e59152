// SPDX-License-Identifier: Apache-2.0
// Shared parts of the text.
#pragma once

#include "base/strbuf.h"
#include "derive/hot.h"
#include "derive/locality.h"
#include "render/render.h"
#include "render/table/table.h"

/** One answer being written. */
struct text {
	const struct model *model;
	const struct terminal *terminal;
	FILE *out;
	size_t top;	  // rows of a table; SIZE_MAX: all
	bool is_screen;	  // one screen, not everything
	bool hide_specks; // see render_text_options
	struct arena arena;
	const char *const *labels; // by object: its file name, or its path where two share one
	const uint64_t (*section_access)[MODEL_ACCESSES]; // by section
	const struct model_count *initiators;		  // by initiator, of all that is shown
	const struct model_count (*section_initiators)[MODEL_INITIATORS]; // by section
	const struct localities *localities; // NULL: faults were left out, functions would miss
};

/** Begin the text of @model on @out, to be ended by text_close(). @top: rows of a table; 0: all. */
struct text text_open(const struct model *model, const struct terminal *terminal, size_t top,
		      FILE *out);

/** Release @text; false if @out failed. */
bool text_close(struct text *text, FILE *out);

/** The command that was recorded, safe for a terminal and a shell; raw: for a shell only. */
const char *text_command_line(struct text *text);
const char *text_raw_command_line(struct text *text);

/** "Saves up to", "Saves at least", "Saves", "Saves about": how @saves is known. */
const char *text_saves(const struct model_saving *saves);

/** " ± 1.2 ms": the error of a prediction of @saves, in time or, without time, in faults; or "". */
const char *text_saving_error(struct text *text, const struct model_saving *saves, bool is_time);

/** " (1.2 ms beside those above)": what is left where findings save the same time, in time; or "".
 */
const char *text_saving_beside(struct text *text, const struct model_saving *saves);

/** " (libfoo.so)": the files of a finding, as they follow its title. */
const char *text_finding_files(struct text *text, const struct model_finding *finding);

/** Print the head: the program that ran, sums that must add up, and the recorder. */
void text_summary(struct text *text);

/** Print the conditions, and the share of the faults that meets them. */
void text_share_shown(struct text *text);

/** The runs of which this is one: medians and how far they spread; nothing of one trace alone. */
void text_set(struct text *text);

/** Print the part of the recording that is counted, if that is not all. */
void text_window(struct text *text);

/** "recorded for 1.2 s", or that nobody recorded times. */
const char *text_lasted(struct text *text);

/** Print the program that ran and its number of faults, in two lines; an empty line follows. */
void text_headline(struct text *text);

/** The share of faults with an unknown initiator, its reason and the remedy, where it is large. */
void text_unknown(struct text *text);

/** The first @limit programs and what each cost; nothing where there is only one. */
void text_programs(struct text *text, size_t limit);

/** How the recorded faults compare with those that the kernel counted. */
enum text_rusage {
	TEXT_RUSAGE_UNKNOWN,
	TEXT_RUSAGE_COMPLETE,
	TEXT_RUSAGE_UNWAITED,  // it counted only processes that were waited for; complete
	TEXT_RUSAGE_EVENTLESS, // it counted more, some perhaps without an event
	TEXT_RUSAGE_BY_EXEC,   // it counted more, no more than exec and fork take without an event
	TEXT_RUSAGE_MISSING,
	TEXT_RUSAGE_TOO_MANY,
};

enum text_rusage text_rusage(const struct model_counts *counts, uint64_t *ret_difference);

/** Faults without a known mapping, so that the rows add up to the faults shown. */
struct model_count text_unattributed(const struct model *model);

/** Faults that system calls took without an event; nothing where there are none. */
void text_prefaults(struct text *text);

/** The places where the dynamic linker looked for libraries; nothing where that was not recorded.
 */
void text_searches(struct text *text);

/** "5,568 by mmap, 141 by brk": the same in few words, or "". */
const char *text_prefault_calls(struct text *text);

/** Alert lines: the trace ends early, or faults are missing and why; nothing where it is whole. */
void text_incomplete(struct text *text);

/** In one line, what is missing or in doubt, or that nothing is. */
void text_complete(struct text *text);

/** A line that must not be overlooked. */
void text_alert(struct text *text, const char *line);

/** The notes of the model, if it has any. */
void text_notes(struct text *text);
/** The same, a line for each kind. */
void text_note_kinds(struct text *text);
/** The line of a kind; where to find its notes, if it has several. */
const char *text_note_kind(struct text *text, const struct note_kind *kind);

/** @line without its line ends: where a line is folded, that makes them. */
const char *text_joined(struct text *text, const char *line);

/** Text made safe for a terminal. */
const char *text_safe(struct text *text, const char *name);

/** "private-write 1,989 (67.8%), file-map 945 (32.2%)", most first; NULL if all are 0. */
const char *text_shares(struct text *text, const uint64_t *counts, size_t count,
			const char *(*name)(unsigned value));

const char *text_mechanism_name(unsigned mechanism);
const char *text_access_name(unsigned access);

/** "12.34 ms" */
const char *text_milliseconds(struct text *text, uint64_t ns);

/** A count with its noun: "1 thread", "3,000 threads". */
const char *text_plural(struct text *text, uint64_t count, const char *one, const char *many);

/** Begin a row with the columns that every table starts with; the time only where it is known.
 * @whole is 100%. */
void text_count_cells(struct text *text, struct table *table, const struct model_count *count,
		      const struct model_count *whole);
/** The same of places in a file: bytes read are from anywhere in the file, and called so. */
void text_place_cells(struct text *text, struct table *table, const struct model_count *count,
		      const struct model_count *whole);

/** Say how many rows (@noun, in the singular) and faults of @whole were left out; nothing when none
 * were. */
void text_cut(struct text *text, const char *noun, size_t rows, uint64_t faults, uint64_t whole);

/** Say how many of @count rows were left out after text.top of them. */
void text_more(struct text *text, size_t count);

/** The table of functions to blame, where there are stacks to tell. */
void text_blame(struct text *text, const struct model_toucher *rows, size_t count,
		const struct model_count *whole);

/** Count what the tables of initiators show; before either of them. */
void text_count_initiators(struct text *text);

/** Initiators of all faults shown: how many, how long, what was mostly touched. */
void text_initiators(struct text *text);

/** The same for those that touched @object. */
void text_object_initiators(struct text *text, const struct model_object *object);

/** Print the cost of relocating the object; nothing if no fault was relocation's. May be NULL. */
void text_relocation(struct text *text, const struct model_relocation *relocation);

/** Pages of data that were copied or made; nothing where none was. May be NULL. @whole: the
 * object's faults. */
void text_data(struct text *text, const struct model_data *data, const struct model_count *whole);

/** The name of the account's subject, which is not the command. */
const char *text_subject(struct text *text);

/** " of postgres, started by sh": the subject, where it is not the command; else "". */
const char *text_of_subject(struct text *text);

/** The name of the mark that ends the recording; NULL: none does. */
const char *text_end_name(const struct text *text);

/** Print the account of time; nothing if none was recorded. */
void text_account(struct text *text);

/** Print the moments of the conditions that were watched; nothing if there were none. */
void text_marks(struct text *text);

/** Print the functions that computed, their callers, and where the first thread waited. */
void text_hot(struct text *text);

/** "name", or what stands for one where @row has none; @function: of that row. */
const char *text_hot_name(struct text *text, const struct hot_row *row, uint32_t function);
/** Print the waits, and what the end of the command waited for; nothing if it is not known. */
void text_waits(struct text *text);

/** How often system calls were made and how long they took; nothing where it is not known. */
void text_calls(struct text *text);

/** In a line: which programs the end of the command waited for, or one program for what. */
void text_held_up(struct text *text);

/** Print the bytes that storage delivered, by cause, in a line; nothing if it was not recorded. */
void text_storage_line(struct text *text);

/** "; 16 flushes waited 67.4 ms until files were written", or "". */
const char *text_flushes(struct text *text, const struct model_storage *storage);

/** The files that storage delivered, and how much of their sections was read, mapped and touched;
 * nothing where nothing was. */
void text_storage(struct text *text);

/** The findings, if there are any. */
void text_findings(struct text *text);

/** One object: facts, sections, symbols and functions. */
void text_object(struct text *text, const struct model_object *object);
