// SPDX-License-Identifier: Apache-2.0
// Marks: the moments at which conditions held that the recording was asked to watch. Part of the
// model: plain data. Times are nanoseconds.
#pragma once

#include "model/window.h"

#include <stdbool.h>
#include <stdint.h>

/** One mark. Those that held come first, in order of time. */
struct model_mark {
	const char *name;
	const char *condition; // as record --until and --mark have it
	bool held;	       // else it never did: there is no time
	bool is_end;	       // the recording, or what is analyzed of it, ends here
	uint64_t time_ns;      // since the start of the recording, as of faults
	uint64_t since_ns;     // since the command's program began, or was attached to
	uint32_t pid, tid;     // of the thread that made it hold; 0: none did, or not known
};

/** True if @mark held within @window, its last moment included: that may be this mark. */
static inline bool model_mark_is_shown(const struct model_mark *mark,
				       const struct model_window *window)
{
	return mark->held &&
	       (model_window_has(window, mark->time_ns) || mark->time_ns == window->until_ns);
}
