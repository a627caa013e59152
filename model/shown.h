// SPDX-License-Identifier: Apache-2.0
// Limits on what is shown of a recording. It is decided here, in the model, so that no renderer can
// show more.
#pragma once

#include "model/model.h"

struct map_model;   // model/map.h
struct smaps_model; // model/smaps.h

#include <stdbool.h>

/** Secrets that are shown; none of them where this is zeroed. */
struct model_shown {
	bool arguments;	 // the command's words as they are, not as shownwords_of() makes them
	bool full_paths; // home directories as they are, not as "~"
	bool host;	 // the name of the machine
};

/**
 * Leave out of every string of @model what is not to be shown. Strings that were one stay one; what
 * tells two commands of equal shown words apart is model_trace.arguments_hash.
 */
void model_show(struct model *model, const struct model_shown *shown);

/** The same of names that were added since model_show(). */
void model_show_names(struct model *model, const struct model_shown *shown);

/** The words of @command, which ends with NULL, that may be shown. */
const char *const *model_shown_words(char *const *command, struct arena *arena,
				     const struct model_shown *shown, size_t *ret_count);

/**
 * The command line as a shell takes it, to be typed again; "COMMAND" where there is none, or where
 * words of it are not shown.
 */
const char *model_command_line(const struct model_trace *trace, struct arena *arena);

/** The words of the command, or else the name of the process, to be read; "" where neither is
 * known. */
const char *model_command_text(const struct model_trace *trace, struct arena *arena);

/** The same of the other models, which have nothing but paths. */
void model_show_map(struct map_model *model, const struct model_shown *shown);
void model_show_smaps(struct smaps_model *model, const struct model_shown *shown);

/** Write home directories in @notes as "~", which the answers of a model do by themselves. */
void model_shorten_notes(struct notes *notes);
