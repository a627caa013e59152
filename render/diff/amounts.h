// SPDX-License-Identifier: Apache-2.0
// How differences in time and in bytes from storage are written for people. As words.h: the texts
// are not yet made safe for where they are shown.
#pragma once

#include "compare/compare.h"
#include "render/diff/locality.h"
#include "render/terminal.h"

/**
 * "50.2 ms slower (+19.4%): wall time 259.3 ms -> 309.5 ms; cpu in program +50.0 ms": what the
 * command's first thread took, and what in it differs most. NULL: time is not compared.
 */
const char *diffamounts_time(struct arena *arena, const struct terminal *terminal,
			     const struct comparison *comparison);

/** "sh", "sh -> bash": the programs whose time that is; NULL: the commands', for which nothing else
 * ran. */
const char *diffamounts_whose(struct arena *arena, const struct comparison *comparison);

/** The same as diffamounts_time() of bytes. NULL: they are not compared, or none were delivered on
 * either side. */
const char *diffamounts_bytes(struct arena *arena, const struct comparison *comparison);

/**
 * "listen 50.2 ms later (+19.4%): 259.3 ms -> 309.5 ms"; of a mark that did not hold in every run,
 * where it did.
 */
const char *diffamounts_mark(struct arena *arena, const struct terminal *terminal,
			     const struct comparison *comparison, const struct compare_mark *mark);

/**
 * A row for the whole time of the first thread, or of all threads, and each state, and initiator in
 * a state, that is real; with @full each state that differs, and each initiator where that is not
 * noise. No rows where nothing differs; for all threads also where the first is the only one.
 */
struct difflocality diffamounts_times(struct arena *arena, const struct terminal *terminal,
				      const struct comparison *comparison, bool is_main, bool full);

/** A row for all bytes, and those by cause, initiator, file and section: @limit of each. */
struct difflocality diffamounts_places(struct arena *arena, const struct comparison *comparison,
				       size_t limit, bool full);
