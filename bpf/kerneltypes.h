// SPDX-License-Identifier: Apache-2.0
// The kernel's own type information (BTF).
#pragma once

struct btf;

/** Load it. Release with btf__free(). NULL: errno says why its file cannot be read. */
struct btf *kerneltypes_load(void);
