// SPDX-License-Identifier: Apache-2.0
// A thin layer over libsmartcols, which knows widths, truncation and colour.
#include "render/table/table.h"

#include "base/strbuf.h"
#include "base/vec.h"
#include "render/escape.h"

#include <inttypes.h>
#include <langinfo.h>
#include <libsmartcols/libsmartcols.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { INDENT = 2, SHORT_COLUMNS = 24 };

struct table {
	const struct terminal *terminal;
	struct libscols_table *grid;
	struct libscols_line *line; // being filled
	size_t next;		    // cell of it
	size_t row_count;
	struct strbuf scratch, cut;
	struct arena arena;	      // of figures
	VEC(enum table_align) aligns; // by column
	size_t least_name;	      // see table_keep_names()
};

/** libsmartcols fails only for want of memory. */
static void *needed(void *thing)
{
	if (!thing)
		oom();
	return thing;
}

static void succeeded(int status)
{
	if (status != 0)
		oom();
}

/**
 * A locale in which libsmartcols can read cells: for bytes that the locale does not know it looks
 * for ever. LC_GLOBAL_LOCALE: the user's is one; 0: this machine has none.
 */
static locale_t cell_locale(void)
{
	static locale_t utf8;

	if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
		return LC_GLOBAL_LOCALE;
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return utf8;
}

struct table *table_create(const struct terminal *terminal)
{
	struct table *table = xcalloc(1, sizeof(*table));

	table->terminal = terminal;
	table->grid = needed(scols_new_table());
	succeeded(scols_table_enable_colors(table->grid, terminal->has_color));
	// Cells are made safe here, by the rules that hold for all text; twice would double
	// backslashes.
	succeeded(scols_table_enable_noencoding(table->grid, 1));
	succeeded(scols_table_set_column_separator(table->grid, "  "));
	if (terminal->width > 0) {
		// The width is ours to say: the library would look at its own standard output.
		succeeded(scols_table_set_termforce(table->grid, SCOLS_TERMFORCE_ALWAYS));
		succeeded(scols_table_set_termwidth(
			table->grid, terminal->width > INDENT ? terminal->width - INDENT : 1));
	} else {
		succeeded(scols_table_set_termforce(table->grid, SCOLS_TERMFORCE_NEVER));
	}
	return table;
}

void table_destroy(struct table *table)
{
	if (!table)
		return;
	scols_unref_table(table->grid);
	strbuf_deinit(&table->scratch);
	strbuf_deinit(&table->cut);
	arena_deinit(&table->arena);
	vec_deinit(&table->aligns);
	free(table);
}

static void add_column(struct table *table, const char *heading, enum table_align align)
{
	int flags = align == TABLE_RIGHT				? SCOLS_FL_RIGHT
		    : align == TABLE_NAME && table->terminal->width > 0 ? SCOLS_FL_TRUNC
									: 0;
	struct libscols_column *column =
		needed(scols_table_new_column(table->grid, heading, 0, flags));

	vec_push(&table->aligns, align);
	if (table->terminal->has_color)
		succeeded(scols_cell_set_color(scols_column_get_header(column), "\033[1m"));
}

/** Columns that @text takes; *@ret_length is set to the bytes of its first @limit columns. */
static size_t columns_of(const char *text, size_t limit, size_t *ret_length)
{
	size_t columns = 0, length = 0;

	*ret_length = 0;
	while (text[length]) {
		uint32_t code;
		size_t bytes = escape_decode(text + length, &code);
		int width = bytes > 0 ? wcwidth((wchar_t)code) : 1;

		columns += width < 0 ? 1 : (size_t)width;
		length += bytes > 0 ? bytes : 1;
		if (columns <= limit)
			*ret_length = length;
	}
	return columns;
}

/** Cut @text in its middle to @limit columns: what a C++ name is about stands at both ends. */
static void cut_middle(const struct terminal *terminal, const char *text, size_t columns,
		       size_t limit, struct strbuf *ret_cut)
{
	const char *mark = terminal_ellipsis(terminal);
	size_t mark_columns = terminal->has_utf8 ? 1 : 3;
	size_t head, tail;

	strbuf_clear(ret_cut);
	if (limit <= mark_columns) {
		columns_of(text, limit, &head);
		strbuf_add(ret_cut, text, head);
		return;
	}
	size_t room = limit - mark_columns;

	columns_of(text, room - room / 2, &head);
	columns_of(text, columns - room / 2, &tail);
	strbuf_add(ret_cut, text, head);
	strbuf_puts(ret_cut, mark);
	strbuf_puts(ret_cut, text + tail);
}

/** @text, or what is left of it in @limit columns; valid until the next call. */
static const char *fitted(struct table *table, const char *text, size_t limit)
{
	size_t length;
	size_t columns = columns_of(text, limit, &length);

	if (columns <= limit)
		return text;
	cut_middle(table->terminal, text, columns, limit, &table->cut);
	return strbuf_text(&table->cut);
}

void table_begin_row(struct table *table)
{
	table->line = needed(scols_table_new_line(table->grid, NULL));
	table->next = 0;
	table->row_count++;
}

void table_cell(struct table *table, const char *heading, enum table_align align, const char *text)
{
	if (table->row_count == 1)
		add_column(table, heading, align);
	strbuf_clear(&table->scratch);
	escape_terminal(&table->scratch, text);
	if (!cell_locale())
		for (size_t i = 0; i < table->scratch.length; i++)
			if ((unsigned char)table->scratch.text[i] >= 0x80)
				table->scratch.text[i] = '?';
	text = strbuf_text(&table->scratch);
	if (table->terminal->width > 0 && align == TABLE_SHORT)
		text = fitted(table, text, SHORT_COLUMNS);
	else if (table->terminal->width == 0 && table->terminal->name_columns > 0 &&
		 align != TABLE_RIGHT)
		text = fitted(table, text, table->terminal->name_columns);
	succeeded(scols_line_set_data(table->line, table->next++, text));
}

void table_cellf(struct table *table, const char *heading, enum table_align align,
		 const char *format, ...)
{
	CLEANUP(freep) char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		oom();
	va_end(args);
	table_cell(table, heading, align, text);
}

static const char *figure(struct table *table, enum table_unit unit, uint64_t value)
{
	switch (unit) {
	case TABLE_NUMBER:
		return figure_number(&table->arena, value);
	case TABLE_BYTES:
		return figure_size(&table->arena, value);
	case TABLE_TIME:
		return table_time(&table->arena, table->terminal, value);
	case TABLE_MILLISECONDS:
		return table_milliseconds(&table->arena, value);
	case TABLE_HEX:
		break;
	}
	return arena_printf(&table->arena, "0x%" PRIx64, value);
}

void table_figure(struct table *table, const char *heading, enum table_unit unit, uint64_t value)
{
	table_cell(table, heading, TABLE_RIGHT, figure(table, unit, value));
}

void table_figure_or_dash(struct table *table, const char *heading, enum table_unit unit,
			  uint64_t value)
{
	table_cell(table, heading, TABLE_RIGHT, value > 0 ? figure(table, unit, value) : "-");
}

void table_share(struct table *table, const char *heading, uint64_t part, uint64_t whole)
{
	table_cell(table, heading, TABLE_RIGHT, figure_percent(&table->arena, part, whole));
}

void table_alert(struct table *table)
{
	if (table->terminal->has_color)
		succeeded(scols_cell_set_color(scols_line_get_cell(table->line, table->next - 1),
					       "\033[1;33m"));
}

void table_dim(struct table *table)
{
	if (table->terminal->has_color)
		succeeded(scols_line_set_color(table->line, "\033[2m"));
}

/** Cut what does not fit where it says least; the library would cut at the end without a sign. */
static void fit_names_of(struct table *table, struct libscols_line *line)
{
	size_t column_count = scols_table_get_ncols(table->grid);

	for (size_t n = 0; n < column_count; n++) {
		struct libscols_column *column = scols_table_get_column(table->grid, n);
		const char *text = scols_column_is_trunc(column)
					   ? scols_cell_get_data(scols_line_get_cell(line, n))
					   : NULL;

		if (text)
			succeeded(scols_line_set_data(
				line, n, fitted(table, text, scols_column_get_width(column))));
	}
}

static void fit_names(struct table *table)
{
	struct libscols_iter *lines = scols_new_iter(SCOLS_ITER_FORWARD);
	struct libscols_line *line;

	// A line by its number is looked for from the first one.
	while (scols_table_next_line(table->grid, lines, &line) == 0)
		fit_names_of(table, line);
	scols_free_iter(lines);
}

/** The widest line of @text; what only colours takes no room. */
static size_t widest_line(const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf plain = { 0 };
	size_t widest = 0;

	for (size_t i = 0;; i++) {
		if (text[i] == '\033' && text[i + 1] == '[') {
			i += 1 + strcspn(text + i + 1, "m");
			continue;
		}
		if (text[i] && text[i] != '\n') {
			strbuf_add(&plain, text + i, 1);
			continue;
		}
		// Shorter lines are filled up with spaces.
		while (plain.length > 0 && plain.text[plain.length - 1] == ' ')
			plain.length--;
		if (plain.text)
			plain.text[plain.length] = '\0';
		size_t columns = table_columns(strbuf_text(&plain));

		widest = columns > widest ? columns : widest;
		strbuf_clear(&plain);
		if (!text[i])
			break;
	}
	return widest;
}

/** Leave out the last column of numbers but the first; false: there is none. */
static bool hide_column(struct table *table)
{
	for (size_t n = table->aligns.count; n-- > 1;) {
		struct libscols_column *column = scols_table_get_column(table->grid, n);

		if (table->aligns.items[n] != TABLE_RIGHT || scols_column_is_hidden(column))
			continue;
		succeeded(scols_column_set_flags(column,
						 scols_column_get_flags(column) | SCOLS_FL_HIDDEN));
		return true;
	}
	return false;
}

void table_keep_names(struct table *table, size_t columns)
{
	table->least_name = columns;
}

/** True if a name of @line is cut to less than it should be. */
static bool is_name_lost_of(struct table *table, struct libscols_line *line)
{
	for (size_t n = 0; n < table->aligns.count; n++) {
		size_t width = scols_column_get_width(scols_table_get_column(table->grid, n));
		const char *text = table->aligns.items[n] == TABLE_NAME && width < table->least_name
					   ? scols_cell_get_data(scols_line_get_cell(line, n))
					   : NULL;

		if (text && table_columns(text) > width)
			return true;
	}
	return false;
}

/** Is a name cut to less than it should be? What was printed last settled the widths. */
static bool is_name_lost(struct table *table)
{
	struct libscols_iter *lines = scols_new_iter(SCOLS_ITER_FORWARD);
	struct libscols_line *line;
	bool is_lost = false;

	while (!is_lost && table->least_name > 0 &&
	       scols_table_next_line(table->grid, lines, &line) == 0)
		is_lost = is_name_lost_of(table, line);
	scols_free_iter(lines);
	return is_lost;
}

/** Print into *@ret_text; on a terminal too narrow for all columns, with fewer of them. */
static void print_fitting(struct table *table, char **ret_text)
{
	size_t width = table->terminal->width;

	succeeded(scols_print_table_to_string(table->grid, ret_text));
	while (width > 0 &&
	       (widest_line(needed(*ret_text)) + INDENT > width || is_name_lost(table)) &&
	       hide_column(table)) {
		free(*ret_text);
		succeeded(scols_print_table_to_string(table->grid, ret_text));
	}
}

void table_print(struct table *table, FILE *out)
{
	char *text = NULL;

	if (scols_table_is_empty(table->grid))
		return;
	const locale_t users = uselocale(cell_locale());

	print_fitting(table, &text);
	if (table->terminal->width > 0) {
		// Only printing settles the widths; the second time everything fits.
		free(text);
		fit_names(table);
		succeeded(scols_print_table_to_string(table->grid, &text));
	}
	uselocale(users);
	for (const char *line = needed(text); *line;) {
		size_t length = strcspn(line, "\n");
		size_t shown = length;

		while (shown > 0 && line[shown - 1] == ' ')
			shown--;
		fprintf(out, "%*s", INDENT, "");
		fwrite(line, 1, shown, out);
		fputc('\n', out);
		line += length + (line[length] == '\n');
	}
	free(text);
}

void table_notes(FILE *out, const struct terminal *terminal, const struct notes *notes,
		 const char *before)
{
	if (notes->list.count > 0)
		terminal_line(out, terminal, TERMINAL_BOLD, "\nNotes");
	vec_foreach (note, &notes->list) {
		CLEANUP(strbuf_deinit) struct strbuf said = { 0 }, safe = { 0 };

		note_print(note, &said);
		escape_terminal(&safe, strbuf_text(&said));
		fprintf(out, "%s%s\n", before, strbuf_text(&safe));
	}
}

const char *table_milliseconds(struct arena *arena, uint64_t time_ns)
{
	return arena_printf(arena, "%.2f ms", (double)time_ns / 1e6);
}

const char *table_time(struct arena *arena, const struct terminal *terminal, uint64_t time_ns)
{
	double time = (double)time_ns;

	if (time_ns < 1000)
		return arena_printf(arena, "%llu ns", (unsigned long long)time_ns);
	if (time < 999.95e3)
		return arena_printf(arena, "%.1f %ss", time / 1e3, terminal_micro(terminal));
	if (time < 999.95e6)
		return arena_printf(arena, "%.1f ms", time / 1e6);
	if (time < 119.995e9)
		return arena_printf(arena, "%.2f s", time / 1e9);
	unsigned long long seconds = time_ns / 1000000000;

	return arena_printf(arena, "%llu min %llu s", seconds / 60, seconds % 60);
}

const char *table_fit(struct arena *arena, const struct terminal *terminal, const char *text,
		      size_t limit)
{
	CLEANUP(strbuf_deinit) struct strbuf safe = { 0 }, cut = { 0 };
	size_t length;

	escape_terminal(&safe, text);
	size_t columns = columns_of(strbuf_text(&safe), limit, &length);

	if (columns > limit)
		cut_middle(terminal, safe.text, columns, limit, &cut);
	return arena_strdup(arena, strbuf_text(columns > limit ? &cut : &safe));
}

size_t table_columns(const char *text)
{
	size_t length;

	return columns_of(text, 0, &length);
}
