// SPDX-License-Identifier: Apache-2.0
// From a command line to the answer: the first steps of every command that reads a trace.
#pragma once

#include "base/privilege.h"
#include "cli/option/option.h"
#include "export/exporters.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

/** Limit the memory that is taken from here on to --memory or half of what is free. */
void answer_limit_memory(const struct option_values *shared);

/**
 * Open the places where files are looked for; says why if that fails. Root's rights were given up.
 */
bool answer_start_depot(struct depot *depot, const struct caller *caller);

/**
 * Limit the memory that is taken from here on to --memory or half of what is free. Returns false if
 * reading the trace at @path takes more, which was said.
 */
bool answer_allow_memory(const char *path, const struct option_values *shared);

/**
 * Read the trace and attribute its faults.
 *
 * @command: the command's name, for messages
 * @names:   the objects to narrow to, then the trace; or a directory of traces, of which the one
 *           nearest to their median is read and gets a model.set
 * @shared:  the options that say how it is read
 * @needs:   what the model must have, enum model_need
 * Returns: true and *@ret_model, to be released with model_close(); otherwise why not was said.
 * Root's rights are given up first, for good, where someone else called sudo.
 */
bool answer_find(const char *command, const char *const *names, size_t count,
		 const struct option_values *shared, unsigned needs, struct model **ret_model);

/** The formats of an enum export_what, for a row of options. */
struct option_choice answer_format(unsigned what, size_t index);
#define FORMATS_OF(what) .choices = answer_format, .choices_of = (what)

/** Print how to get the names that many faults of @model lack, in files of this machine. */
void answer_hint_names(const struct model *model, const struct option_values *shared);

/** Print which run of a set is shown, where the output itself does not say so. */
void answer_hint_set(const struct model *model);

/** Write @of to standard output as @exporter does; false if that failed, which was said. */
bool answer_print(const struct exporter *exporter, const struct export_subject *of,
		  const struct export_options *options);

/** May a trace be used, as it @is_complete or @allow_truncated? Prints a message if it is
 * incomplete. */
bool answer_accepts(const char *trace, bool is_complete, bool allow_truncated);

/** The same of @model's trace. */
bool answer_is_complete(const struct model *model, bool allow_truncated);

/**
 * Choose what a picture is of: *@ret_object is MODEL_NONE where there is no fault at all. @name:
 * NULL for what faults most. If no object of that name has faults, says so and returns false.
 */
bool answer_choose_object(const struct model *model, const char *name, uint32_t *ret_object);
