// SPDX-License-Identifier: Apache-2.0
// Pieces that the JSON of other tools shares.
#pragma once

#include "base/strbuf.h"
#include "model/model.h"

#include <stdio.h>

enum { JSONTEXT_DRAIN_BYTES = 1 << 16 };

/** The command line as it was typed, or what was attached to. */
void jsontext_title(struct strbuf *buf, const struct model *model);

/** Append @time_ns in milliseconds, exactly: 1234567 is 1.234567, 2000000 is 2. */
void jsontext_ms(struct strbuf *buf, uint64_t time_ns);

/** The name of thread @comm in process @pid, as a JSON string: "clang 4711/4712". */
void jsontext_thread(struct strbuf *buf, const char *comm, uint32_t pid, uint32_t tid);
