// SPDX-License-Identifier: Apache-2.0
// The version of this build.
#pragma once

#include <argp.h>
#include <stdio.h>

/** "elfault 0.1.0", in a git checkout with the commit: "elfault 0.1.0-123-gabc1234". */
extern const char version_line[];

/** Print version_line and the versions of the libraries: argp_program_version_hook. */
void version_print(FILE *out, struct argp_state *state);
