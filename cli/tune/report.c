// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/report.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/homepath.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "render/escape.h"
#include "standin/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MS = 1000000, REFUSED_SHOWN = 5 };

/** "11.2 -> 3.7 ms (-67 %)", with the interval where the verdict is not clear. */
static const char *wall_of(struct arena *arena, const struct tunemeasure *measure)
{
	const struct bench_difference *difference = &measure->difference;

	return arena_printf(arena, "%.1f -> %.1f ms (%+.0f %%)", measure->wall_ns[0] / MS,
			    measure->wall_ns[1] / MS, 100 * difference->change);
}

static const char *verdict_of(const struct bench_difference *difference)
{
	switch (difference->verdict) {
	case BENCH_FASTER:
		return "faster";
	case BENCH_SLOWER:
		return "slower";
	case BENCH_NO_DIFFERENCE:
		return "no difference beyond noise";
	case BENCH_TOO_FEW:
		break;
	}
	return "too few starts to tell";
}

static void print_names(const struct tunefolder *folder)
{
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };
	size_t away = 0;

	for (size_t i = 0; i < folder->loaded->count; i++) {
		away += folder->choices[i].is_away;
		if (folder->choices[i].stands) {
			strbuf_puts(&names, names.length ? ", " : "");
			escape_terminal(&names, folder->loaded->items[i]->soname);
		}
	}
	printf("  stand-ins      for %s: %zu of %zu files are not loaded\n", strbuf_text(&names),
	       away, folder->loaded->count);
}

static void print_standins(const struct tunereport *report, const struct tunefolder *folder,
			   struct arena *arena)
{
	bool is_any = false;

	for (size_t i = 0; i < folder->loaded->count; i++)
		is_any |= folder->choices[i].stands;
	if (!is_any) {
		printf("  stand-ins      none: every library that could have one is used\n");
		return;
	}
	print_names(folder);
	if (report->differs) {
		printf("                 not kept: with them %s\n", report->differs);
		return;
	}
	printf("                 predicted -%s faults; measured %s -> %s faults, %s\n",
	       figure_number(arena, report->predicted_faults),
	       figure_number(arena, figure_whole(report->standins.faults[0])),
	       figure_number(arena, figure_whole(report->standins.faults[1])),
	       wall_of(arena, &report->standins));
	printf("                 %s: %s\n", report->keeps_standins ? "kept" : "not kept",
	       verdict_of(&report->standins.difference));
}

static void print_list(const struct tunereport *report, struct arena *arena)
{
	if (!report->has_list) {
		printf("  prefetch list  none: the start reads nothing that could be asked for\n");
		return;
	}
	printf("  prefetch list  %s; cold %s, warm %s\n", figure_size(arena, report->list_bytes),
	       wall_of(arena, &report->cold), wall_of(arena, &report->warm));
	printf("                 %s: cold %s, warm %s\n", report->keeps_list ? "kept" : "not kept",
	       verdict_of(&report->cold.difference), verdict_of(&report->warm.difference));
}

/** Libraries that are not used and stay all the same, with the reason. */
static void print_refused(const struct tunefolder *folder)
{
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < folder->loaded->count; i++) {
		CLEANUP(strbuf_deinit) struct strbuf line = { 0 };

		if (!folder->choices[i].why || folder->choices[i].is_away ||
		    standin_is_basic(folder->loaded->items[i]))
			continue;
		if (shown == REFUSED_SHOWN) {
			more++;
			continue;
		}
		shown++;
		strbuf_printf(&line, "%s: %s", folder->loaded->items[i]->soname,
			      folder->choices[i].why);
		printf("  no stand-in    ");
		CLEANUP(strbuf_deinit) struct strbuf safe = { 0 };

		escape_terminal(&safe, strbuf_text(&line));
		printf("%s\n", strbuf_text(&safe));
	}
	if (more > 0)
		printf("                 and for %zu more\n", more);
}

static void print_use(const struct tunefolder *folder, bool full_paths, struct arena *arena)
{
	CLEANUP(strbuf_deinit) struct strbuf start = { 0 }, undo = { 0 };
	const char *name = path_file_name(folder->path), *usual = tunefolder_path(arena, name);
	const char *path = full_paths ? folder->path : homepath_shortened(arena, folder->path);

	strbuf_put_word(&start, arena_printf(arena, "%s/run", path));
	strbuf_put_word(&undo, usual && strcmp(usual, folder->path) == 0 ? name : path);
	printf("\n  start it by    %s\n", strbuf_text(&start));
	printf("  undo           elfault tune --undo %s\n", strbuf_text(&undo));
	printf("  units, menus   Exec=%s/run\n", path);
}

void tunereport_print(const struct tunereport *report, const struct tunefolder *folder,
		      char *const *command, const struct model_shown *shown)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 }, safe = { 0 };
	size_t count;
	const char *const *words = model_shown_words(command, &arena, shown, &count);

	for (size_t i = 0; i < count; i++)
		strbuf_printf(&line, "%s%s", i ? " " : "", words[i]);
	escape_terminal(&safe, strbuf_text(&line));
	printf("%s\n\n", strbuf_text(&safe));
	print_standins(report, folder, &arena);
	print_list(report, &arena);
	print_refused(folder);
	if (report->keeps_standins || report->keeps_list)
		print_use(folder, shown->full_paths, &arena);
	else
		printf("\n  nothing pays here, and nothing is left behind\n");
}
