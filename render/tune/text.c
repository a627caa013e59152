// SPDX-License-Identifier: Apache-2.0
// The screen of a tuned start, for a person.
#include "render/tune/tune.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "compare/tunedstart.h"
#include "render/escape.h"
#include "render/table/fold.h"

#include <stdarg.h>
#include <string.h>

enum { REFUSALS_SHOWN = 5, NAMES_SHOWN = 6, LINKS_SHOWN = 2, MS = 1000000 };

struct tunetext {
	const struct tunedstart *start;
	FILE *out;
	struct arena arena;
};

static void tunetext_deinit(struct tunetext *text)
{
	arena_deinit(&text->arena);
}

// ---- Measures in words ------------------------------------------------------------------------

/** "11.2 -> 3.7 ms (-67%)", of own times. */
static const char *times_text(struct arena *arena, const struct tunedstart_measure *measure)
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

/** "faster", "no difference beyond noise": of the own time, which alone tells of waits. */
static const char *own_text(const struct tunedstart_measure *measure)
{
	return verdict_text(measure->own.verdict);
}

/** The same, or "less processor time (-12%)" where the own time is within noise. */
static const char *measure_text(struct arena *arena, const struct tunedstart_measure *measure)
{
	const enum bench_verdict verdict = tunedstart_verdict(measure);

	if (measure->own.verdict == verdict)
		return verdict_text(verdict);
	return arena_printf(arena, "%s processor time (%+.0f%%)",
			    verdict == BENCH_FASTER ? "less" : "more",
			    100 * measure->processor.change);
}

/** The same of a measure that is to show that a start is not slower. */
static const char *harm_text(struct arena *arena, const struct tunedstart_measure *measure)
{
	const struct bench_difference *own = &measure->own, *processor = &measure->processor;
	const char *verdict = measure_text(arena, measure);

	if (tunedstart_verdict(measure) == BENCH_SLOWER || !own->has_limits ||
	    !processor->has_limits || tunedstart_is_harmless(measure))
		return verdict;
	return arena_printf(arena, "%s, but up to %+.0f%% is not excluded", verdict,
			    100 * (own->high < processor->high ? own->high : processor->high));
}

// ---- The screen -------------------------------------------------------------------------------

/** Print a line below @label, which is "" for one that goes on; made safe for a terminal. */
static void __attribute__((format(printf, 3, 4)))
print_line(struct tunetext *text, const char *label, const char *format, ...)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 }, safe = { 0 };
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&line, format, args);
	va_end(args);
	escape_terminal(&safe, strbuf_text(&line));
	fprintf(text->out, "  %-14s %s\n", label, strbuf_text(&safe));
}

static void print_command(struct tunetext *text)
{
	const struct tunedstart *start = text->start;
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 }, safe = { 0 };

	for (size_t i = 0; i < start->word_count; i++)
		strbuf_printf(&line, "%s%s", i ? " " : "", start->words[i]);
	escape_terminal(&safe, strbuf_text(&line));
	fprintf(text->out, "%s\n\n", strbuf_text(&safe));
	if (start->until)
		print_line(text, "until", "%s", start->until);
}

static const char *faults_of(struct tunetext *text, double faults)
{
	return figure_number(&text->arena, figure_whole(faults));
}

static void print_standins(struct tunetext *text)
{
	const struct tunedstart *start = text->start;
	const struct tunedstart_measure *measure = &start->with_standins;
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };

	if (start->is_script) {
		print_line(text, "stand-ins", "none: a script");
		if (start->subject)
			print_line(text, "",
				   "most of its time is of %s, which may have some: tune that",
				   start->subject);
		return;
	}
	if (start->standin_count == 0) {
		print_line(text, "stand-ins", "none: no library can be left out with a gain");
		return;
	}
	for (size_t i = 0; i < start->standin_count; i++)
		strbuf_printf(&names, "%s%s", i ? ", " : "", start->standins[i]);
	print_line(text, "stand-ins", "for %s", strbuf_text(&names));
	print_line(text, "", "%s of %s files are not loaded",
		   figure_number(&text->arena, start->away_count),
		   figure_number(&text->arena, start->file_count));
	if (!measure->is_known) {
		print_line(text, "", "not kept: with them %s", start->differs);
		return;
	}
	print_line(text, "", "predicted -%s faults; measured %s -> %s",
		   figure_number(&text->arena, start->predicted_faults),
		   faults_of(text, measure->faults[0]), faults_of(text, measure->faults[1]));
	print_line(text, "", "warm %s", times_text(&text->arena, measure));
	print_line(text, "", "%s: %s", start->keeps_standins ? "kept" : "not kept",
		   measure_text(&text->arena, measure));
}

static void print_list(struct tunetext *text)
{
	const struct tunedstart *start = text->start;

	if (start->list_bytes == 0) {
		print_line(text, "prefetch list",
			   "none: the start reads nothing that could be asked for");
		return;
	}
	print_line(text, "prefetch list", "%s%s", figure_size(&text->arena, start->list_bytes),
		   start->keeps_standins ? ", together with the stand-ins" : "");
	print_line(text, "", "cold %s, warm %s", times_text(&text->arena, &start->cold),
		   times_text(&text->arena, &start->warm));
	print_line(text, "", "%s: cold %s, warm %s", start->keeps_list ? "kept" : "not kept",
		   own_text(&start->cold), harm_text(&text->arena, &start->warm));
	if (!start->keeps_list && start->cold.own.verdict == BENCH_FASTER)
		print_line(text, "", "where cold starts matter more: elfault prefetch");
}

/** True if one of @refusals before @end has this reason. */
static bool has_reason(const struct tunedstart_refusal *refusals,
		       const struct tunedstart_refusal *end, const char *why)
{
	array_foreach (refusal, refusals, (size_t)(end - refusals))
		if (strcmp(refusal->why, why) == 0)
			return true;
	return false;
}

/** The libraries from @refusal on that stay for its reason. */
static const char *names_of(struct tunetext *text, const struct tunedstart_refusal *refusal,
			    const struct tunedstart_refusal *end)
{
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };
	size_t count = 0;

	array_foreach (same, refusal, (size_t)(end - refusal))
		if (strcmp(same->why, refusal->why) == 0 && count++ < NAMES_SHOWN)
			strbuf_printf(&names, "%s%s", names.length ? ", " : "", same->library);
	if (count > NAMES_SHOWN)
		strbuf_printf(&names, " and %zu others", count - NAMES_SHOWN);
	return arena_strdup(&text->arena, strbuf_text(&names));
}

/** Libraries that stay, by the reason. */
static void print_refusals(struct tunetext *text)
{
	const struct tunedstart *start = text->start;
	const struct tunedstart_refusal *end = start->refusals + start->refusal_count;
	const struct tunedstart_refusal *unshown = NULL;
	size_t shown = 0, left = 0;

	array_foreach (refusal, start->refusals, start->refusal_count) {
		if (has_reason(start->refusals, unshown ?: refusal, refusal->why))
			continue;
		if (shown == REFUSALS_SHOWN) {
			unshown = unshown ?: refusal;
			left++;
			continue;
		}
		print_line(text, shown++ ? "" : "no stand-in", "%s: %s",
			   names_of(text, refusal, end), refusal->why);
	}
	if (left > 0)
		print_line(text, "", "and for %zu more", left);
}

/** Print how a unit and a menu start it: neither knows "~". */
static void print_services(struct tunetext *text)
{
	const char *folder = text->start->folder;
	const bool is_below_home = strncmp(folder, "~/", 2) == 0;

	print_line(text, "unit", "ExecStart=%s%s/run", is_below_home ? "%h" : "",
		   is_below_home ? folder + 1 : folder);
	if (is_below_home)
		print_line(text, "menu", "Exec= with that path, the home directory in full");
	else
		print_line(text, "menu", "Exec=%s/run", folder);
}

static void print_use(struct tunetext *text)
{
	const struct tunedstart *start = text->start;
	CLEANUP(strbuf_deinit) struct strbuf run = { 0 }, undo = { 0 };

	strbuf_put_word(&run, arena_printf(&text->arena, "%s/run", start->folder));
	strbuf_put_word(&undo, start->name);
	fputc('\n', text->out);
	print_line(text, "start it by", "%s", strbuf_text(&run));
	print_line(text, "undo", "elfault tune --undo %s", strbuf_text(&undo));
	print_services(text);
	if (start->refreshes)
		print_line(text, "upgrades", "the launcher tunes it again by itself");
}

/** "", "at least ", "at most ". */
static const char *bound_of(const struct tunedstart_link *link)
{
	if (strcmp(link->is, "prediction") == 0)
		return "";
	return strcmp(link->is, "at-least") == 0 ? "at least " : "at most ";
}

/** Print what who packages or builds the program can do for all that use it. */
static void print_builders(struct tunetext *text)
{
	const struct tunedstart *start = text->start;

	if (start->keeps_standins || start->link_count > 0)
		fputc('\n', text->out);
	if (start->keeps_standins)
		print_line(text, "packagers",
			   "elfault standin %s -o DIR/%s --for %s%s; then patchelf --force-rpath "
			   "--set-rpath DIR, or link with -Wl,--disable-new-dtags,-rpath,DIR",
			   start->standins[0], start->standins[0], start->program,
			   start->standin_count > 1 ? ", likewise the others" : "");
	for (size_t i = 0; i < start->link_count && i < LINKS_SHOWN; i++)
		print_line(text, i ? "" : "builders", "%s: %s%s faults fewer, predicted",
			   start->links[i].how, bound_of(&start->links[i]),
			   figure_number(&text->arena, start->links[i].faults));
}

static void print_start(const struct tunedstart *start, FILE *out)
{
	CLEANUP(tunetext_deinit) struct tunetext text = { .start = start, .out = out };

	print_command(&text);
	print_standins(&text);
	print_list(&text);
	print_refusals(&text);
	if (start->unidentified && tunedstart_pays(start))
		print_line(&text, "by its time",
			   "%s has no build-id: after it is installed again, "
			   "tune again",
			   start->unidentified);
	if (start->plainly)
		print_line(&text, "plain by now", "%s", start->plainly);
	if (tunedstart_pays(start))
		print_use(&text);
	else
		fputs("\n  nothing pays here\n", out);
	print_builders(&text);
}

bool render_tune_text(const struct tunedstarts *starts, const struct terminal *terminal, FILE *out)
{
	FILE *folded = fold_open(out, terminal);

	for (size_t i = 0; i < starts->count; i++) {
		fputs(i ? "\n" : "", folded);
		print_start(&starts->items[i], folded);
	}
	return fold_close(folded, out);
}
