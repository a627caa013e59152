// SPDX-License-Identifier: Apache-2.0
// The page of a comparison: the parts made at build time around three blocks of data, the
// comparison and one run of each side. No name of a trace stands anywhere but in those blocks.
#include "render/diff/diff.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "render/diff/amounts.h"
#include "render/diff/files.h"
#include "render/diff/words.h"
#include "render/escape.h"
#include "render/page/data.h"
#include "render/page/faults.h"

#include "render/diff_assets.h"

static bool is_well(FILE *out)
{
	return fflush(out) == 0 && !ferror(out);
}

static void add_text(struct strbuf *list, const char *text)
{
	if (!text)
		return;
	if (list->length > 1)
		strbuf_putc(list, ',');
	escape_json(list, text);
}

/** Add the differences in time and in bytes read, then what changed in files, as sentences. */
static void add_amounts(struct strbuf *list, struct arena *arena,
			const struct comparison *comparison)
{
	const struct terminal terminal = { .has_utf8 = true };
	const char *time = diffamounts_time(arena, &terminal, comparison);
	const char *whose = diffamounts_whose(arena, comparison);
	size_t count;
	const char *const *files = difffiles(arena, comparison, 0, &count);

	strbuf_putc(list, '[');
	if (time && whose)
		time = arena_printf(arena, "%s: %s", whose, time);
	add_text(list, time);
	array_foreach (mark, comparison->marks, comparison->mark_count)
		add_text(list, diffamounts_mark(arena, &terminal, comparison, mark));
	add_text(list, diffamounts_bytes(arena, comparison));
	for (size_t i = 0; i < count; i++)
		add_text(list, files[i]);
	strbuf_putc(list, ']');
}

bool render_diff_page_start(const struct comparison *comparison, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf data = { 0 }, noise = { 0 }, amounts = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(freep) char *text = NULL;
	size_t length = 0;
	FILE *document = open_memstream(&text, &length);

	if (!document)
		oom();
	escape_json(&noise, diffwords_noise(&arena, comparison));
	add_amounts(&amounts, &arena, comparison);
	fprintf(document,
		"{\"format\":\"elfault.diffpage/"
		"1\",\"shown\":[%zu,%zu],\"noise\":%s,\"amounts\":%s,"
		"\"diff\":",
		compare_median_run(comparison, COMPARE_BEFORE),
		compare_median_run(comparison, COMPARE_AFTER) -
			comparison->run_count[COMPARE_BEFORE],
		noise.text, amounts.text);
	bool ok = render_diff_json(comparison, NULL, document);
	fputc('}', document);
	if (fclose(document) != 0 || !ok)
		oom();
	pagedata_add_text(&data, text, length);
	fwrite(diff_page_0, 1, sizeof(diff_page_0), out);
	fwrite(data.text, 1, data.length, out);
	return is_well(out);
}

bool render_diff_page_side(enum compare_side side, const struct model *model,
			   const struct compare_links *links, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf data = { 0 };

	pagedata_add(&data, model,
		     &(struct pagedata_options){ .links = links,
						 .merge_above = PAGEFAULTS_MERGE_ABOVE });
	if (side == COMPARE_BEFORE)
		fwrite(diff_page_1, 1, sizeof(diff_page_1), out);
	else
		fwrite(diff_page_2, 1, sizeof(diff_page_2), out);
	fwrite(data.text, 1, data.length, out);
	return is_well(out);
}

bool render_diff_page_end(FILE *out)
{
	fwrite(diff_page_3, 1, sizeof(diff_page_3), out);
	return is_well(out);
}
