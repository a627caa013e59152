// SPDX-License-Identifier: Apache-2.0
// Outputs for a fuzz target: written to memory and held against what they claim to be.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum output_form {
	OUTPUT_TEXT,   // UTF-8 without control characters, so that a terminal shows it as it is
	OUTPUT_JSON,   // one value
	OUTPUT_NDJSON, // one value per line
	OUTPUT_BINARY,
};

struct output {
	char *text;
	size_t size;
	FILE *file;
};

/** Its address must not change until output_end(). */
void output_begin(struct output *output);

/** Abort if it is not of @form; release it. */
void output_end(struct output *output, enum output_form form);

/** Abort unless @call, which writes to `out`, succeeds with an output of @form. */
#define OUTPUT(form, call)                    \
	do {                                  \
		struct output output_;        \
                                              \
		output_begin(&output_);       \
		FILE *out = output_.file;     \
		if (!(call))                  \
			abort();              \
		output_end(&output_, (form)); \
	} while (0)
