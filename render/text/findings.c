// SPDX-License-Identifier: Apache-2.0
// The findings, for a person: what it costs, what shows it, what to change.
#include "render/text/text.h"

#include "base/figure.h"
#include "base/strbuf.h"
#include "model/account.h"
#include "render/table/wrap.h"

#include <string.h>

/** Findings were looked for in the faults shown alone. */
static bool is_of_shown(const struct text *text)
{
	const struct model *model = text->model;

	return (model->is_narrowed || model->filter) && !model->findings_are_whole;
}

/** " (libfoo.so)", " (libfoo.so, bar and 2 more)"; "" of the run. */
const char *text_finding_files(struct text *text, const struct model_finding *finding)
{
	const size_t count = finding->file_count, named = text->is_screen ? 1 : 2;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	if (finding->object != MODEL_NONE)
		return arena_printf(&text->arena, " (%s)", text->labels[finding->object]);
	for (size_t i = 0; i < count && i < named; i++)
		strbuf_printf(&buf, "%s%s", i == 0 ? " (" : ", ",
			      text->labels[finding->files[i].object]);
	if (count > named)
		strbuf_printf(&buf, " and %s more", figure_number(&text->arena, count - named));
	if (count > 0)
		strbuf_putc(&buf, ')');
	return arena_strdup(&text->arena, strbuf_text(&buf));
}

static const char *title_line(struct text *text, const struct model_finding *finding)
{
	const struct model_account *account = text->model->account;
	struct arena *arena = &text->arena;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	strbuf_printf(&buf, "%s%s: %s, %s of %s", finding->title, text_finding_files(text, finding),
		      text_plural(text, finding->faults, "fault", "faults"),
		      figure_percent(arena, finding->faults,
				     is_of_shown(text) ? text->model->total.faults
						       : text->model->counts.recorded),
		      is_of_shown(text) ? "those shown" : "all");
	if (finding->own_ns > 0)
		strbuf_printf(&buf, ", %s", table_time(arena, text->terminal, finding->own_ns));
	if (finding->cpu_ns > 0)
		strbuf_printf(&buf, "%s %.1f %s %.1f ms computing%s",
			      finding->own_ns > 0 ? " in them and" : ",",
			      (double)finding->cpu_ns / 1e6, terminal_plus_minus(text->terminal),
			      (double)finding->cpu_error_ns / 1e6,
			      account && account->faults_in_cpu ? ", faults included" : "");
	return text_safe(text, buf.text);
}

/** The same change for another file needs no second explanation. */
static bool is_repeated(const struct model *model, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(model->findings[i].id, model->findings[index].id) == 0 &&
		    strcmp(model->findings[i].advice, model->findings[index].advice) == 0)
			return true;
	return false;
}

const char *text_saves(const struct model_saving *saves)
{
	static const char *const words[MODEL_BOUNDS] = {
		[MODEL_PREDICTION] = "Saves",
		[MODEL_AT_MOST] = "Saves up to",
		[MODEL_AT_LEAST] = "Saves at least",
	};
	bool is_measured = saves->error_faults > 0 || saves->error_ns > 0;

	return saves->is == MODEL_PREDICTION && !is_measured ? "Saves about" : words[saves->is];
}

const char *text_saving_error(struct text *text, const struct model_saving *saves, bool is_time)
{
	struct arena *arena = &text->arena;
	const uint64_t error = is_time ? saves->error_ns : saves->error_faults;

	if (saves->is != MODEL_PREDICTION || error == 0)
		return "";
	return arena_printf(arena, " %s %s", terminal_plus_minus(text->terminal),
			    is_time ? table_time(arena, text->terminal, error)
				    : figure_number(arena, error));
}

const char *text_saving_beside(struct text *text, const struct model_saving *saves)
{
	// Less than a tenth is not worth the words.
	if (saves->beside_ns == 0 ||
	    saves->beside_ns >= saves->duration_ns - saves->duration_ns / 10)
		return "";
	return arena_printf(&text->arena, " (%s beside those above)",
			    table_time(&text->arena, text->terminal, saves->beside_ns));
}

/** "Saves up to 12.3 ms, 199 faults and 4.0 MiB of reading." */
static const char *saving_line(struct text *text, const struct model_saving *saves)
{
	struct arena *arena = &text->arena;
	const char *parts[3], *word = saves->are_waits ? "wait" : "fault";
	const char *line = arena_printf(arena, "%s ", text_saves(saves));
	size_t count = 0;

	if (saves->duration_ns > 0) {
		parts[count] = arena_printf(arena, "%s%s",
					    table_time(arena, text->terminal, saves->duration_ns),
					    text_saving_error(text, saves, true));
		if (saves->storage_ns > 0 && saves->storage_ns < saves->duration_ns)
			parts[count] = arena_printf(
				arena, "%s (%s of them waiting for storage)", parts[count],
				table_time(arena, text->terminal, saves->storage_ns));
		count++;
	}
	if (saves->faults > 0)
		parts[count++] = arena_printf(
			arena, "%s%s %s%s", figure_number(arena, saves->faults),
			text_saving_error(text, saves, false), word, figure_plural(saves->faults));
	if (saves->read_bytes > 0)
		parts[count++] =
			arena_printf(arena, "%s of reading", figure_size(arena, saves->read_bytes));
	if (count == 0)
		return "What that saves is unknown.";
	for (size_t i = 0; i < count; i++)
		line = arena_printf(arena, "%s%s%s", line,
				    i == 0	     ? ""
				    : i + 1 == count ? " and "
						     : ", ",
				    parts[i]);
	return arena_printf(arena, "%s%s.", line, text_saving_beside(text, saves));
}

/** A line for each who can act; one cure alone goes on with what it saves. */
static void print_cures(struct text *text, const struct model_finding *finding)
{
	enum { INDENT = 4, CURE_INDENT = 6 };
	const char *saves = saving_line(text, &finding->saves);

	if (finding->cure_count <= 1) {
		const char *who =
			finding->cure_count == 1
				? arena_printf(&text->arena,
					       "%s: ", model_for_name(finding->cures[0].who))
				: "";

		wrap_print(text->out, text->terminal, INDENT,
			   text_safe(text, arena_printf(&text->arena, "%s%s %s", who,
							finding->advice, saves)));
		fputc('\n', text->out);
		return;
	}
	for (size_t i = 0; i < finding->cure_count; i++) {
		wrap_print(text->out, text->terminal, CURE_INDENT,
			   text_safe(text, arena_printf(&text->arena, "%s: %s",
							model_for_name(finding->cures[i].who),
							finding->cures[i].text)));
		fputc('\n', text->out);
	}
	wrap_print(text->out, text->terminal, INDENT, saves);
	fputc('\n', text->out);
}

static void print_finding(struct text *text, size_t index)
{
	enum { TITLE_INDENT = 2, INDENT = 4 };
	const struct model_finding *finding = &text->model->findings[index];

	fputs(terminal_start(text->terminal, TERMINAL_BOLD), text->out);
	wrap_print(text->out, text->terminal, TITLE_INDENT, title_line(text, finding));
	fprintf(text->out, "%s\n", terminal_end(text->terminal));
	wrap_print(text->out, text->terminal, INDENT, text_safe(text, finding->evidence));
	fputc('\n', text->out);
	if (is_repeated(text->model, index)) {
		wrap_print(text->out, text->terminal, INDENT,
			   arena_printf(&text->arena, "Same advice as above. %s",
					saving_line(text, &finding->saves)));
		fputc('\n', text->out);
		return;
	}
	print_cures(text, finding);
}

void text_findings(struct text *text)
{
	const struct model *model = text->model;
	size_t count = model->finding_count < text->top ? model->finding_count : text->top;

	if (model->finding_count == 0)
		return;
	fprintf(text->out, "\n%sFindings%s%s\n", terminal_start(text->terminal, TERMINAL_BOLD),
		terminal_end(text->terminal), is_of_shown(text) ? ", of the faults shown" : "");
	for (size_t i = 0; i < count; i++)
		print_finding(text, i);
	if (count < model->finding_count)
		terminal_line(text->out, text->terminal, TERMINAL_DIM, "  %s %s; --top 0 shows all",
			      terminal_ellipsis(text->terminal),
			      text_plural(text, model->finding_count - count, "more finding",
					  "more findings"));
}
