// SPDX-License-Identifier: Apache-2.0
// The answer on one screen: where the time went, what to change first, which files, whether it is
// complete, and what to type next.
#include "render/screen/screen.h"

#include "model/storage.h"

#include <ctype.h>
#include <string.h>

enum { PROGRAMS = 3, NEXT_LABEL = 14 };

/** Rows of the tables: where several programs ran, theirs need room too. */
struct screen_rows {
	size_t findings, files;
};

static struct screen_rows rows_for(const struct model *model)
{
	return model->counts.programs > 1 ? (struct screen_rows){ .findings = 2, .files = 3 }
					  : (struct screen_rows){ .findings = 3, .files = 5 };
}

// ---- Findings -------------------------------------------------------------------------------

/**
 * Find the last place where @text may end: behind a word, and not within parentheses. Returns a
 * length, 0: nowhere.
 */
static size_t last_break(const char *text, size_t limit)
{
	size_t depth = 0, found = 0;

	for (size_t i = 0; text[i] && i < limit; i++) {
		depth += text[i] == '(';
		depth -= text[i] == ')' && depth > 0;
		if (depth == 0 && (text[i + 1] == ' ' || text[i + 1] == '\0') &&
		    strchr(",;:)", text[i]))
			found = text[i] == ')' ? i + 1 : i;
	}
	return found;
}

/** The first sentence of @line, or as much of it as fits @limit columns and makes sense alone. */
static const char *shortened(struct text *text, const char *line, size_t limit)
{
	const char *end = strstr(line, ". ");
	size_t length = end ? (size_t)(end - line) : strlen(line);
	const char *mark = text->terminal->has_utf8 ? " \xe2\x80\xa6" : " ...";

	if (!end && length > 0 && line[length - 1] == '.')
		length--;
	if (limit == 0 || length <= limit)
		return arena_printf(&text->arena, "%.*s", (int)length, line);
	size_t room = limit > 4 ? limit - 4 : 0, cut = last_break(line, room);

	// What would leave out most of what fits had better end anywhere.
	if (cut < room / 2)
		for (cut = room; cut > 0 && line[cut] != ' ';)
			cut--;
	return arena_printf(&text->arena, "%.*s%s", (int)cut, line, mark);
}

/** @line up to the command in it, which has a line of its own; or, if it begins so, the rest. */
static const char *without_command(struct text *text, const char *line, const char *command)
{
	const char *after = command ? strstr(command, " && ") : NULL;
	const char *first =
		!command ? NULL
		: after	 ? arena_strndup(&text->arena, command, (size_t)(after - command))
			 : command;
	const char *at = first ? strstr(line, first) : NULL;

	if (!at)
		return line;
	if (at == line) {
		char *rest = arena_strdup(&text->arena, line + strlen(first));

		rest += strspn(rest, " :`");
		*rest = (char)toupper((unsigned char)*rest);
		return rest;
	}
	size_t length = (size_t)(at - line);

	while (length > 0 && strchr(" :", line[length - 1]))
		length--;
	return arena_strndup(&text->arena, line, length);
}

/** Was the same advice given for a file above? */
static bool is_repeated(const struct model_finding *const *findings, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(findings[i]->id, findings[index]->id) == 0)
			return true;
	return false;
}

static void print_saving(struct text *text, FILE *out, const struct model_finding *const *findings,
			 size_t index)
{
	enum { INDENT = 4, FILES_LEAST = 12 };
	const struct model_finding *finding = findings[index];
	const struct model_saving *saves = &finding->saves;
	const size_t width = text->terminal->width;
	const char *advice = finding->cure_count > 0 ? finding->cures[0].text : finding->advice;
	const char *second = is_repeated(findings, index) || !advice ? finding->evidence : advice;
	const char *saved = saves->duration_ns > 0
				    ? table_time(&text->arena, text->terminal, saves->duration_ns)
				    : text_plural(text, saves->faults, "fault", "faults");
	const char *start = arena_printf(&text->arena, "%s %s%s%s: %s", text_saves(saves), saved,
					 text_saving_error(text, saves, saves->duration_ns > 0),
					 text_saving_beside(text, saves), finding->title);
	const char *files = text_finding_files(text, finding);

	// The title says more than the name of one of them.
	if (finding->file_count > 1 && width > 0 && strlen(start) + strlen(files) + 2 > width)
		files = arena_printf(&text->arena, " (%s files)",
				     figure_number(&text->arena, finding->file_count));
	const size_t taken = strlen(start);

	// Of what does not fit it is the name that is cut.
	if (width > taken + FILES_LEAST + 2)
		files = table_fit(&text->arena, text->terminal, files, width - 2 - taken);
	const char *title = arena_printf(&text->arena, "%s%s", start, files);

	terminal_line(
		text->out, text->terminal, TERMINAL_BOLD, "  %s",
		table_fit(&text->arena, text->terminal, title, width > 2 ? width - 2 : SIZE_MAX));
	const size_t room = width > INDENT ? width - INDENT : 0;

	if (finding->names)
		fprintf(text->out, "%*s%s\n", INDENT, "",
			shortened(text, text_safe(text, finding->names), room));
	fprintf(text->out, "%*s%s\n", INDENT, "",
		shortened(text,
			  text_safe(text,
				    without_command(text, second ? second : "", finding->command)),
			  room));
	// Past the folding: a command that goes on in the next line cannot be copied.
	if (finding->command && second == advice) {
		fflush(text->out);
		fprintf(out, "%*s%s\n", INDENT, "", text_safe(text, finding->command));
	}
}

static void print_findings(struct text *text, FILE *out, size_t limit)
{
	const struct model *model = text->model;
	const struct model_finding **findings =
		arena_array(&text->arena, model->finding_count + 1, sizeof(*findings));
	size_t count = 0;

	for (size_t i = 0; i < model->finding_count; i++)
		if (model->findings[i].saves.faults > 0 || model->findings[i].saves.duration_ns > 0)
			findings[count++] = &model->findings[i];
	fputc('\n', text->out);
	if (count == 0)
		fputs("  No finding would save faults or time.\n", text->out);
	for (size_t i = 0; i < count && i < limit; i++)
		print_saving(text, out, findings, i);
}

// ---- What to type next ----------------------------------------------------------------------

static void put_edge(struct strbuf *buf, const char *option, const char *edge)
{
	if (!edge)
		return;
	strbuf_printf(buf, "%s ", option);
	strbuf_put_word(buf, edge);
	strbuf_putc(buf, ' ');
}

/** Past the folding: a command that goes on in the next line cannot be copied. */
static void print_command(struct text *text, FILE *out, const char *label, const char *command,
			  const char *object, const char *rest)
{
	const struct model_trace *trace = &text->model->trace;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	strbuf_printf(&buf, "elfault %s ", command);
	put_edge(&buf, "--from", text->model->window.from);
	put_edge(&buf, "--until", text->model->window.until);
	if (object) {
		strbuf_put_word(&buf, object);
		strbuf_putc(&buf, ' ');
	}
	const char *file = model_trace_file(trace);
	strbuf_put_word(&buf, file ? file : "TRACE");
	fprintf(out, "  %s%-*s%s%s%s\n", terminal_start(text->terminal, TERMINAL_DIM), NEXT_LABEL,
		label, terminal_end(text->terminal), text_safe(text, buf.text), rest);
}

/** The ELF file whose faults take most; MODEL_NONE: there is none. */
static uint32_t costliest(const struct model *model)
{
	uint32_t best = MODEL_NONE;

	for (size_t i = 0; i < model->shown_count; i++) {
		const struct model_object *row = &model->objects[model->shown[i]];

		if (row->is_elf && row->count.faults > 0 &&
		    (best == MODEL_NONE || row->count.own_ns > model->objects[best].count.own_ns))
			best = model->shown[i];
	}
	return best;
}

/** Are initializers the cause of a tenth of the faults' time, or of the faults? */
static bool initializers_matter(const struct text *text)
{
	const struct model_count *count = &text->initiators[MODEL_STATIC_INIT];
	const struct model_count *total = &text->model->total;

	return total->own_ns > 0 ? count->own_ns > total->own_ns / 10
				 : count->faults > total->faults / 10;
}

static void print_next(struct text *text, FILE *out)
{
	const struct model *model = text->model;
	uint32_t object = costliest(model);

	fflush(text->out);
	print_command(text, out, "everything", "analyze --full", NULL, "");
	print_command(text, out, "causes", "analyze --by initiator,section", NULL, "");
	if (model->counts.programs > 1)
		print_command(text, out, "programs", "analyze --by comm,initiator", NULL, "");
	if (object != MODEL_NONE)
		print_command(text, out, "one file", "analyze", text->labels[object], "");
	if (initializers_matter(text))
		print_command(text, out, "initializers", "analyze --initializers", NULL, "");
	if (model->storage && model->storage->device_bytes > 0)
		print_command(text, out, "each read", "analyze --io", NULL, "");
	print_command(text, out, "in a browser", "report", NULL, " -o report.html");
}

// ---- The screen -----------------------------------------------------------------------------

static void print_counts(struct text *text)
{
	const struct model *model = text->model;
	const struct model_counts *counts = &model->counts;
	struct arena *arena = &text->arena;

	fprintf(text->out, "  faults     %s", figure_number(arena, counts->recorded));
	if (counts->major > 0)
		fprintf(text->out, "; %s waited for storage (major)",
			figure_number(arena, counts->major));
	if (!model->storage && counts->has_reads && counts->read_bytes > 0)
		fprintf(text->out, "; they read %s", figure_size(arena, counts->read_bytes));
	if (counts->call_unsampled > 0)
		fprintf(text->out, "; %s more in system calls, without an event: %s",
			figure_number(arena, counts->call_unsampled), text_prefault_calls(text));
	fputc('\n', text->out);
}

/** Say that the machine was busy, and by how much. */
static void print_busy(struct text *text, const struct model_account *account)
{
	const struct model_subject *subject = &account->subject;

	if (!model_account_was_busy(account))
		return;
	text_alert(text, arena_printf(&text->arena,
				      "  BUSY: for %s of %s %s waited for a processor, which no "
				      "time below includes",
				      table_time(&text->arena, text->terminal,
						 subject->times.ns[MODEL_STATE_RUNNABLE]),
				      table_time(&text->arena, text->terminal, subject->wall_ns),
				      subject->is_other ? text_subject(text) : "the command"));
}

/** Print the notes that change how all that follows is read. */
static void print_alerts(struct text *text)
{
	size_t count;
	const struct note_kind *kinds = notes_kinds(&text->model->notes, &text->arena, &count);

	for (size_t i = 0; i < count && kinds[i].effect == NOTE_ALERT; i++)
		text_alert(text,
			   arena_printf(&text->arena, "  %s", text_note_kind(text, &kinds[i])));
}

bool render_screen(const struct model *model, const struct render_text_options *options, FILE *out)
{
	struct text text = text_open(model, &options->terminal, 0, out);
	const size_t width = options->terminal.width;

	text.is_screen = true;
	text_count_initiators(&text);
	terminal_line(text.out, text.terminal, TERMINAL_BOLD, "%s",
		      table_fit(&text.arena, text.terminal, text_raw_command_line(&text),
				width > 0 ? width : SIZE_MAX));
	text_window(&text);
	text_set(&text);
	if (model->account)
		print_busy(&text, model->account);
	if (!model->trace.complete)
		text_alert(&text,
			   "  INCOMPLETE: the trace ends early; only what was kept is shown");
	print_alerts(&text);
	text_unknown(&text);
	screen_time(&text);
	text_marks(&text);
	print_counts(&text);
	text_programs(&text, PROGRAMS);
	print_findings(&text, out, rows_for(model).findings);
	screen_files(&text, rows_for(model).files);
	fputc('\n', text.out);
	text_complete(&text);
	print_next(&text, out);
	return text_close(&text, out);
}
