// SPDX-License-Identifier: Apache-2.0
// The head of the text: the program that ran, sums that must add up, and the recorder.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/strbuf.h"
#include "derive/unknown.h"
#include "derive/windows.h"
#include "model/account.h"
#include "model/layout.h"
#include "model/missing.h"

#include <ctype.h>
#include <string.h>

/** "2 of their initiators are unknown", of the faults without a call stack. */
static const char *unknown_initiators(struct text *text)
{
	uint64_t all = text->model->counts.without_stack;
	uint64_t unknown = text->model->counts.without_stack_unknown;

	if (unknown == 0)
		return all == 1 ? "its initiator is known" : "their initiators are known";
	if (unknown == all)
		return all == 1 ? "its initiator is unknown" : "their initiators are unknown";
	return arena_printf(&text->arena, "%s of their initiators %s unknown",
			    figure_number(&text->arena, unknown), unknown == 1 ? "is" : "are");
}

static void print_conservation(struct text *text)
{
	const struct model_counts *counts = &text->model->counts;
	struct arena *arena = &text->arena;
	const char *line = arena_printf(
		arena, "  recorded   %s = %s attributed + %s unattributed; %s lost",
		figure_number(arena, counts->recorded), figure_number(arena, counts->attributed),
		figure_number(arena, counts->unattributed), figure_number(arena, counts->lost));

	if (counts->lost > 0 || counts->recorded != counts->attributed + counts->unattributed)
		text_alert(text, line);
	else
		fprintf(text->out, "%s\n", line);
	if (counts->lost_other > 0)
		text_alert(text,
			   arena_printf(arena,
					"  lost       %s mapping or task records: some faults may "
					"be attributed to the wrong file",
					figure_number(arena, counts->lost_other)));
	if (counts->without_stack > 0)
		fprintf(text->out, "  stacks     %s (%s) without a call stack; %s\n",
			text_plural(text, counts->without_stack, "fault", "faults"),
			figure_percent(arena, counts->without_stack, counts->recorded),
			unknown_initiators(text));
}

/** " (1 in exec, 5,709 in other system calls)": what took the faults without an event. */
static const char *explained(struct text *text)
{
	const struct model_counts *counts = &text->model->counts;
	struct arena *arena = &text->arena;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	const struct {
		uint64_t count;
		const char *where;
	} parts[] = {
		{ counts->exec_unsampled, "in exec" },
		{ counts->call_unsampled, "in other system calls" },
		{ counts->hidden, "not to be traced" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].count > 0)
			strbuf_printf(&buf, "%s%s %s", buf.length > 0 ? ", " : " (",
				      figure_number(arena, parts[i].count), parts[i].where);
	strbuf_puts(&buf, buf.length > 0 ? ")" : "");
	return arena_strdup(arena, strbuf_text(&buf));
}

/** Whether the recorded faults agree with what the kernel counted for the command. */
static void print_rusage(struct text *text)
{
	const struct model_counts *counts = &text->model->counts;
	struct arena *arena = &text->arena;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	uint64_t rusage = counts->rusage_minor + counts->rusage_major, difference;
	uint64_t counted = model_expected_rusage(counts);
	const enum text_rusage verdict = text_rusage(counts, &difference);
	const char *sum = model_missing(counts).total == 0 ? " (complete)" : "";

	if (text->model->window.is_set)
		return;
	if (verdict == TEXT_RUSAGE_UNKNOWN) {
		fputs("  rusage     unknown: the count cannot be checked\n", text->out);
		return;
	}
	strbuf_printf(&buf, "  rusage     %s %s %s recorded", figure_number(arena, rusage),
		      rusage == counted ? "=" : "is not", figure_number(arena, counts->recorded));
	if (counts->lost > 0)
		strbuf_printf(&buf, " + %s lost", figure_number(arena, counts->lost));
	if (counts->before_exec > 0)
		strbuf_printf(&buf, " + %s before exec", figure_number(arena, counts->before_exec));
	if (counts->has_unsampled && counts->unsampled > 0)
		strbuf_printf(&buf, " + %s without an event%s",
			      figure_number(arena, counts->unsampled), explained(text));
	if (counts->living > 0)
		strbuf_printf(&buf, " - %s of processes still running",
			      figure_number(arena, counts->living));
	if (verdict == TEXT_RUSAGE_UNWAITED) {
		// rusage lacks processes that were never waited for; the kernel's counts of each
		// task have them.
		strbuf_clear(&buf);
		strbuf_printf(
			&buf,
			"  rusage     %s covers only processes that were waited for; over all %s "
			"the kernel\n             counted %s = %s recorded + %s before exec + %s "
			"without an event%s%s",
			figure_number(arena, rusage),
			text_plural(text, counts->processes, "process", "processes"),
			figure_number(arena, counted), figure_number(arena, counts->recorded),
			figure_number(arena, counts->before_exec),
			figure_number(arena, counts->unsampled),
			counts->living == 0
				? ""
				: arena_printf(arena, " - %s of processes still running",
					       figure_number(arena, counts->living)),
			sum);
		fprintf(text->out, "%s\n", buf.text);
	} else if (verdict == TEXT_RUSAGE_COMPLETE) {
		fprintf(text->out, "%s%s\n", buf.text, sum);
	} else if (verdict == TEXT_RUSAGE_BY_EXEC) {
		fprintf(text->out,
			"%s: %s more, no more than exec and fork take without an event%s\n",
			buf.text, figure_number(arena, difference), sum);
	} else if (verdict == TEXT_RUSAGE_EVENTLESS) {
		fprintf(text->out,
			"%s: %s more, some perhaps without an event (unknown with this "
			"backend)\n",
			buf.text, figure_number(arena, difference));
	} else {
		strbuf_printf(&buf, ": %s %s", figure_number(arena, difference),
			      verdict == TEXT_RUSAGE_MISSING ? "missing"
							     : "more than the kernel counted");
		text_alert(text, buf.text);
	}
}

/** A percentage within a sentence. */
static const char *share(struct text *text, uint64_t part, uint64_t whole)
{
	return part > 0 ? figure_percent(&text->arena, part, whole) : "none";
}

/** An edge of the window: a mark by its name, whose time elsewhere is since the command's exec. */
static const char *edge(struct text *text, const char *typed, uint64_t time_ns)
{
	return typed && !isdigit((unsigned char)typed[0]) ? typed
							  : duration_text(&text->arena, time_ns);
}

void text_window(struct text *text)
{
	const struct model_window *window = &text->model->window;

	if (window->is_set)
		terminal_line(text->out, text->terminal, TERMINAL_BOLD,
			      "  window     from %s to %s, %s of %s; nothing else is counted",
			      edge(text, window->from, window->from_ns),
			      window->until ? edge(text, window->until, window->until_ns)
					    : "the end",
			      duration_text(&text->arena, window->until_ns - window->from_ns),
			      duration_text(&text->arena, text->model->trace.duration_ns));
}

const char *text_lasted(struct text *text)
{
	const struct model_trace *trace = &text->model->trace;

	return trace->times_are_order
		       ? "no times were recorded"
		       : arena_printf(&text->arena, "recorded for %s",
				      table_time(&text->arena, text->terminal, trace->duration_ns));
}

void text_incomplete(struct text *text)
{
	const struct model *model = text->model;
	const struct missing missing = model_missing(&model->counts);

	if (!model->trace.complete)
		text_alert(text, "  INCOMPLETE: the trace ends early; only what was kept is shown");
	if (missing.total > 0)
		text_alert(text, arena_printf(&text->arena, "  INCOMPLETE: %s",
					      model_missing_text(&missing, &text->arena)));
}

void text_headline(struct text *text)
{
	const struct model *model = text->model;
	const struct model_counts *counts = &model->counts;
	const struct terminal *terminal = text->terminal;
	struct arena *arena = &text->arena;
	uint64_t waited = 0;

	for (size_t i = 0; i < model->object_count; i++)
		waited += model->objects[i].count.own_ns;
	terminal_line(text->out, terminal, TERMINAL_BOLD, "%s", text_command_line(text));
	fprintf(text->out, "%s%s%s: %s; ", terminal_start(terminal, TERMINAL_BOLD),
		text_plural(text, counts->recorded, "fault", "faults"), terminal_end(terminal),
		counts->kinds_unknown ? "minor or major is unknown"
				      : arena_printf(arena, "%s minor, %s major",
						     figure_number(arena, counts->minor),
						     figure_number(arena, counts->major)));
	// The time of faults that are not shown is unknown here.
	if (waited > 0 && !model->filter)
		fprintf(text->out, "fault time %s; ", table_time(arena, terminal, waited));
	if (counts->has_reads && counts->read_bytes > 0)
		fprintf(text->out, "%s read by faults; ", figure_size(arena, counts->read_bytes));
	fprintf(text->out, "%s\n\n", text_lasted(text));

	text_window(text);
	text_incomplete(text);
}

static bool has_section(const struct model_layout *layout, const char *name)
{
	array_foreach (section, layout->sections, layout->section_count)
		if (strcmp(section->name, name) == 0)
			return true;
	return false;
}

/** How the toolchain that made a file with @layout would have made unwinding data. */
static const char *unwinding_option(const struct model_layout *layout)
{
	if (layout && layout->toolchain && strstr(layout->toolchain, "GHC "))
		return "ghc makes it with -g, for the\n             modules that it compiles";
	if (layout && has_section(layout, ".fpcdata"))
		return "fpc makes it with -gw";
	if (layout && has_section(layout, ".go.buildinfo"))
		return "Go's linker drops that of C;\n             go build "
		       "-ldflags=-linkmode=external keeps it";
	return "C and C++ have it with\n             -fasynchronous-unwind-tables";
}

/** Why no stack goes on past the code of @row, and what would change that. */
static const char *end_of_stacks(struct text *text, const struct model_object *row)
{
	if (!row->is_elf)
		return "which is no ELF file: code that is generated needs frame pointers";
	if (!row->was_read)
		return "which could not be read (see the notes)";
	return arena_printf(&text->arena, "which has no unwinding data there (%s)",
			    unwinding_option(row->layout));
}

/** Return a remedy that would make most of the unknown initiators known. */
static const char *unknown_remedy(struct text *text, const struct unknown *unknown)
{
	if (model_imported_from(&text->model->trace))
		return "the log that was imported\n             does not tell (see the notes)";
	switch (unknown->reason) {
	case UNKNOWN_UNREAD:
		return "libcapstone, which reads their instructions,\n"
		       "             could not be loaded; install it and analyze again";
	case UNKNOWN_NO_STACKS:
		return "no call stacks were recorded;\n             record without --no-stacks";
	case UNKNOWN_STACK_LOST:
		if (text->model->counts.stacks_lost == 0)
			return "they have no call stack";
		return "their call stacks were lost\n             (see the notes)";
	case UNKNOWN_CUT:
		return "their call stacks are deeper than the copy;\n"
		       "             the notes say whether a larger --stack-size helps";
	case UNKNOWN_TOO_DEEP:
		return "their call stacks have more than the 256 frames that are kept";
	case UNKNOWN_ELSEWHERE:
		return "their call stacks go on on other stacks of their\n"
		       "             threads, of which nothing was copied";
	case UNKNOWN_NO_CALLER:
		if (unknown->object == MODEL_NONE)
			return "their call stacks end in code of no file;\n"
			       "             generate that with frame pointers";
		return arena_printf(&text->arena, "most call stacks end in %s,\n             %s",
				    text->labels[unknown->object],
				    end_of_stacks(text, &text->model->objects[unknown->object]));
	case UNKNOWN_NOTHING_TELLS:
	case UNKNOWN_REASONS:
		break;
	}
	return "nothing on their call stacks tells";
}

/** Is what faults without an initiator took a part of the work that one would look for? */
static bool unknown_matters(const struct text *text, const struct unknown *unknown)
{
	enum { MIN_PERCENT = 5 };
	const struct model *model = text->model;
	const struct model_account *account = model->account;
	uint64_t own_ns = text->initiators[MODEL_INITIATOR_UNKNOWN].own_ns, all_ns = 0, work_ns;

	if (unknown->faults * 100 <= (uint64_t)model->fault_count * MIN_PERCENT)
		return false;
	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		all_ns += text->initiators[i].own_ns;
	// Where no fault has a time, as of perf events, only their number tells.
	if (!account || account->faults_in_cpu || all_ns == 0)
		return true;
	work_ns = account->all.ns[MODEL_STATE_CPU] + account->all.ns[MODEL_STATE_FAULT] +
		  account->all.ns[MODEL_STATE_FAULT_IO];
	return own_ns * 100 > work_ns * MIN_PERCENT;
}

/** A large part without an answer comes before all answers. */
void text_unknown(struct text *text)
{
	const struct model *model = text->model;
	struct unknown unknown;

	unknown_find(model, &unknown);
	if (model->filter || !unknown_matters(text, &unknown))
		return;
	const char *line =
		arena_printf(&text->arena, "  unknown    %s (%s) have an unknown initiator: %s",
			     text_plural(text, unknown.faults, "fault", "faults"),
			     figure_percent(&text->arena, unknown.faults, model->fault_count),
			     unknown_remedy(text, &unknown));
	text_alert(text, text->terminal->width > 0 ? text_joined(text, line) : line);
}

/** Large folios, as far as a fault that maps more than fault-around does shows them. */
static void print_folios(struct text *text)
{
	const struct windows windows = windows_count(text->model);

	if (windows.large > 0)
		fprintf(text->out,
			"  folios     %s of %s faults that map parts of files map more than %s at "
			"once, up to %s\n",
			figure_number(&text->arena, windows.large),
			figure_number(&text->arena, windows.known),
			figure_size(&text->arena, WINDOWS_AROUND),
			figure_size(&text->arena, windows.largest));
}

static void print_facts(struct text *text)
{
	const struct model_trace *trace = &text->model->trace;
	const struct model_counts *counts = &text->model->counts;
	struct arena *arena = &text->arena;

	text_headline(text);
	text_set(text);
	text_unknown(text);
	print_conservation(text);
	print_rusage(text);
	if (counts->in_elf > 0)
		fprintf(text->out, "  in ELF     %s (%s): %s with a section, %s with a name\n",
			figure_number(arena, counts->in_elf),
			figure_percent(arena, counts->in_elf, counts->recorded),
			share(text, counts->in_elf_section, counts->in_elf),
			share(text, counts->in_elf_symbol, counts->in_elf));
	text_storage_line(text);
	print_folios(text);
	fprintf(text->out, "  recorder   %s%s%s %s, %s pages, %s call stacks%s\n",
		trace->backend ? text_safe(text, trace->backend) : "unknown",
		trace->kernel && trace->kernel[0] ? " on Linux " : "",
		trace->kernel ? text_safe(text, trace->kernel) : "",
		trace->machine ? text_safe(text, trace->machine) : "",
		figure_size(arena, trace->page_size), trace->has_stacks ? "with" : "without",
		trace->has_reads ? "" : ", bytes read unknown");
	fprintf(text->out, "  ran        %s, %s, %s\n",
		text_plural(text, counts->processes, "process", "processes"),
		text_plural(text, counts->threads, "thread", "threads"),
		text_plural(text, counts->programs, "program", "programs"));
}

void text_share_shown(struct text *text)
{
	const struct model *model = text->model;

	if (model->filter)
		fprintf(text->out, "  filter     %s\n", text_safe(text, model->filter));
	fprintf(text->out, "  shown      %s of %s faults (%s)",
		figure_number(&text->arena, model->total.faults),
		figure_number(&text->arena, model->counts.recorded),
		figure_percent(&text->arena, model->total.faults, model->counts.recorded));
	if (model->total.own_ns > 0)
		fprintf(text->out, "; fault time %s",
			table_time(&text->arena, text->terminal, model->total.own_ns));
	if (model->total.read_pages > 0)
		fprintf(text->out, "; %s read by faults",
			figure_size(&text->arena, model_read_bytes(model, &model->total)));
	fputc('\n', text->out);
}

/** The mechanisms of all faults shown, below the summary. */
static void print_total_shares(struct text *text)
{
	const struct model *model = text->model;
	uint64_t mechanisms[MODEL_MECHANISMS] = { 0 };

	for (size_t i = 0; i < model->fault_count; i++)
		mechanisms[model->faults[i].mechanism]++;
	const char *shares = text_shares(text, mechanisms, MODEL_MECHANISMS, text_mechanism_name);

	if (shares)
		fprintf(text->out, "  mechanism  %s\n", shares);
}

void text_summary(struct text *text)
{
	const struct model *model = text->model;

	print_facts(text);
	if (model->filter)
		text_share_shown(text);
	// One object alone says the same below.
	if (model->shown_count > 1)
		print_total_shares(text);
}
