// SPDX-License-Identifier: Apache-2.0
// The values that a placeholder of a command's help stands for: OBJECT, CONDITIONS, PID. See
// complete.h.
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

/** The word that is being typed. */
struct typed {
	const char *word;
	size_t kept;		     // bytes of it that stay in every candidate: "--where="
	const char *const *operands; // those before it: one may be a trace
	size_t operand_count;
};

/** Print @word after what is kept, if it goes on as what is typed does. @meaning may be NULL. */
void candidate_print(const struct typed *typed, const char *word, const char *meaning);

/** Can a shell and --where take @name as it is? What a file says must not become a command. */
bool candidate_is_plain(const char *name);

/** Names that are candidates: to be released with candidate_names_deinit(). */
struct candidate_names {
	VEC(const char *) rows;
};

void candidate_names_deinit(struct candidate_names *names);

/** Print each of @names once, in order, but those that are not plain. */
void candidate_names_print(const struct typed *typed, struct candidate_names *names);

/** Print what @name of a placeholder stands for if a trace or its fields tell: OBJECT, CONDITIONS.
 */
void candidates_print_analysis(const struct typed *typed, const char *name);

/** Print what @placeholder stands for, alternatives separated by |; lower case stands for itself.
 */
void candidates_print(const struct typed *typed, const char *placeholder);
