// SPDX-License-Identifier: Apache-2.0
#include "render/tune/words.h"

enum { MS = 1000000 };

const char *tunewords_times(struct arena *arena, const struct tunedstart_measure *measure)
{
	return arena_printf(arena, "%.1f -> %.1f ms (%+.0f%%)", measure->own_ns[0] / MS,
			    measure->own_ns[1] / MS, 100 * measure->own.change);
}

static const char *verdict_text(enum bench_verdict verdict)
{
	if (verdict == BENCH_NO_DIFFERENCE)
		return "no difference beyond noise";
	return verdict == BENCH_TOO_FEW ? "too few starts to tell" : bench_verdict_name(verdict);
}

const char *tunewords_own(const struct tunedstart_measure *measure)
{
	return verdict_text(measure->own.verdict);
}

const char *tunewords_verdict(struct arena *arena, const struct tunedstart_measure *measure)
{
	const enum bench_verdict verdict = tunedstart_verdict(measure);

	if (measure->own.verdict == verdict)
		return verdict_text(verdict);
	return arena_printf(arena, "%s processor time (%+.0f%%)",
			    verdict == BENCH_FASTER ? "less" : "more",
			    100 * measure->processor.change);
}

const char *tunewords_harm(struct arena *arena, const struct tunedstart_measure *measure)
{
	const struct bench_difference *own = &measure->own, *processor = &measure->processor;
	const char *verdict = tunewords_verdict(arena, measure);

	if (tunedstart_verdict(measure) == BENCH_SLOWER || !own->has_limits ||
	    !processor->has_limits || tunedstart_is_harmless(measure))
		return verdict;
	return arena_printf(arena, "%s, but up to %+.0f%% is not excluded", verdict,
			    100 * (own->high < processor->high ? own->high : processor->high));
}
