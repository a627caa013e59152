// SPDX-License-Identifier: Apache-2.0
// The text on the nodes of a graph: what a newcomer reads first is what it is, then how much.
#include "render/graph/parts.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/path.h"
#include "base/text.h"
#include "model/relocation.h"
#include "model/shown.h"
#include "model/words.def"
#include "render/escape.h"

#include <string.h>

enum { LINE_LETTERS = 48, NAME_LETTERS = 400, COMMAND_LETTERS = 80 };

static const char *const causes[] = { INITIATOR_WORDS(WORD_MEANING) };

#define FITS(id, word, meaning, ...) \
	_Static_assert(sizeof(meaning) <= LINE_LETTERS + 1, word ": a node has no room for it");
INITIATOR_WORDS(FITS)

static const struct {
	const char *section, *meaning;
} meanings[] = {
	{ ".text", "code" },
	{ ".plt", "calls to other files" },
	{ ".rodata", "constants" },
	{ ".data.rel.ro", "constants with pointers" },
	{ ".data", "variables" },
	{ ".bss", "zeroed variables" },
	{ ".got", "addresses of symbols" },
	{ ".got.plt", "addresses of functions" },
	{ ".rela.dyn", "relocations" },
	{ ".relr.dyn", "relocations" },
	{ ".rel.dyn", "relocations" },
	{ ".rela.plt", "relocations" },
	{ ".dynsym", "symbols" },
	{ ".dynstr", "names" },
	{ ".gnu.hash", "hashes of names" },
	{ ".hash", "hashes of names" },
	{ ".gnu.version", "versions of symbols" },
	{ ".init_array", "initializers" },
	{ ".dynamic", "what ld.so has to know" },
	{ ".eh_frame", "how to unwind" },
	{ ".eh_frame_hdr", "how to unwind" },
	{ ".gcc_except_table", "how to unwind" },
	{ "[stack]", "memory" },
	{ "[heap]", "memory" },
	{ "[anon]", "memory" },
};

/** How many of the first @letters characters, or bytes of the last ones, @text has. */
static size_t bytes_of(const char *text, size_t letters)
{
	size_t at = 0;

	while (letters-- && text[at])
		do
			at++;
		while (((unsigned char)text[at] & 0xc0) == 0x80);
	return at;
}

/** @text for people: without control characters, the middle left out beyond @letters. */
static const char *tidy(struct graph_making *making, const char *text, size_t letters)
{
	CLEANUP(strbuf_deinit) struct strbuf safe = { 0 };
	struct arena *arena = &making->graph->arena;

	escape_terminal(&safe, text);
	text = strbuf_text(&safe);

	size_t count = text_letters(text);
	if (count <= letters)
		return arena_strdup(arena, text);
	size_t tail = (letters - 1) / 3, head = letters - 1 - tail;

	return arena_printf(arena, "%.*s\xe2\x80\xa6%s", (int)bytes_of(text, head), text,
			    text + bytes_of(text, count - tail));
}

static void add_line(struct graph_making *making, struct graph_node *node, const char *text)
{
	if (!node->line_count)
		node->name = tidy(making, text, NAME_LETTERS);
	node->lines[node->line_count++] = tidy(making, text, LINE_LETTERS);
}

/** A line of two parts, of which the second is a name. */
#define ADD_LINE(making, node, ...) \
	add_line(making, node, arena_printf(&(making)->graph->arena, __VA_ARGS__))

static const char *object_name(const struct graph_making *making, uint32_t object)
{
	return object == MODEL_NONE ? "code outside files"
				    : path_file_name(making->model->objects[object].path);
}

static void add_counts(struct graph_making *making, struct graph_node *node)
{
	struct arena *arena = &making->graph->arena;

	ADD_LINE(making, node, "%s fault%s, %s", figure_number(arena, node->faults),
		 figure_plural(node->faults),
		 figure_percent(arena, node->faults, making->graph->faults));
}

/** Why: the word that the colour stands for, and how much of the node it is. */
static const char *mostly(struct graph_making *making, const struct graph_node *node)
{
	const char *word = model_initiator_name((enum model_initiator)node->initiator);

	if (node->initiator_faults == node->faults)
		return arena_printf(&making->graph->arena, "all %s", word);
	return arena_printf(
		&making->graph->arena, "%s %s",
		figure_percent(&making->graph->arena, node->initiator_faults, node->faults), word);
}

static void label_initializer(struct graph_making *making, struct graph_node *node)
{
	const struct model_initializer *row = &making->model->initializers[node->index];

	if (row->function)
		add_line(making, node, row->function);
	else
		ADD_LINE(making, node, "%s[%u]", row->array, row->index);
	ADD_LINE(making, node, "initializer of %s", object_name(making, row->object));
	if (row->source)
		add_line(making, node, path_file_name(row->source));
	add_counts(making, node);
}

static void label_blame(struct graph_making *making, struct graph_node *node)
{
	const struct model_function *row = &making->model->functions[node->index];

	add_line(making, node, row->name ? row->name : "(code without a name)");
	ADD_LINE(making, node, "%s, %s", mostly(making, node), object_name(making, row->object));
	add_counts(making, node);
}

static void label_section(struct graph_making *making, struct graph_node *node)
{
	const struct model_section *row = &making->model->sections[node->index];
	const char *name = row->name ? row->name : "(unknown section)", *meaning = NULL;

	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (strcmp(name, meanings[i].section) == 0)
			meaning = meanings[i].meaning;
	if (row->object == MODEL_NONE ||
	    strcmp(name, making->model->objects[row->object].path) == 0)
		add_line(making, node, name);
	else
		ADD_LINE(making, node, "%s of %s", name, object_name(making, row->object));
	if (meaning)
		ADD_LINE(making, node, "%s; %s", meaning, mostly(making, node));
	else
		add_line(making, node, mostly(making, node));
	add_counts(making, node);
}

static void label_symbol(struct graph_making *making, struct graph_node *node)
{
	const struct model_symbol *row = &making->model->symbols[node->index];
	const char *section = making->model->sections[row->section].name;

	add_line(making, node, row->name ? row->name : "(no name)");
	ADD_LINE(making, node, "in %s of %s", section ? section : "(unknown section)",
		 object_name(making, row->object));
	add_line(making, node, mostly(making, node));
	add_counts(making, node);
}

/** Many that are small: how many, and how small. */
static void add_members(struct graph_making *making, struct graph_node *node, const char *noun)
{
	struct arena *arena = &making->graph->arena;

	if (node->stands_for > 1)
		ADD_LINE(making, node, "%s %s of fewer than %s faults each",
			 figure_number(arena, node->stands_for), noun,
			 figure_number(arena, making->graph->least));
}

static void label_object(struct graph_making *making, struct graph_node *node)
{
	const struct model_object *row = &making->model->objects[node->index];
	const struct model_relocation *cost = row->relocation;
	struct arena *arena = &making->graph->arena;

	if (making->graph->kind == GRAPH_CAUSES) {
		ADD_LINE(making, node, "rest of %s", path_file_name(row->path));
		add_members(making, node, "places");
		add_line(making, node, mostly(making, node));
		add_counts(making, node);
		return;
	}
	add_line(making, node, path_file_name(row->path));
	add_counts(making, node);
	add_line(making, node, mostly(making, node));
	if (!cost)
		return;
	ADD_LINE(making, node, "%s page%s relocated, %s lookup%s",
		 figure_number(arena, cost->pages_written), figure_plural(cost->pages_written),
		 figure_number(arena, cost->lookups_at_load), figure_plural(cost->lookups_at_load));
	ADD_LINE(making, node, "%s of relocation tables", figure_size(arena, cost->table_bytes));
}

/** Label the pruned rest: how many, and how much. */
static void label_others(struct graph_making *making, struct graph_node *node, const char *one,
			 const char *many)
{
	struct arena *arena = &making->graph->arena;

	if (node->stands_for)
		ADD_LINE(making, node, "%s other %s", figure_number(arena, node->stands_for),
			 node->stands_for == 1 ? one : many);
	else
		add_line(making, node, "thin edges");
	if (node->role == GRAPH_OTHER_PLACES && making->graph->thin)
		ADD_LINE(making, node, "and %s faults of edges too thin to draw",
			 figure_number(arena, making->graph->thin));
	else
		ADD_LINE(making, node, "of fewer than %s faults each",
			 figure_number(arena, making->graph->least));
	add_counts(making, node);
}

static void label_node(struct graph_making *making, struct graph_node *node)
{
	switch (node->role) {
	case GRAPH_INITIATOR:
		add_line(making, node, model_initiator_name((enum model_initiator)node->index));
		add_line(making, node, causes[node->index]);
		add_members(making, node, "functions");
		add_counts(making, node);
		break;
	case GRAPH_INITIALIZER:
		label_initializer(making, node);
		break;
	case GRAPH_BLAME:
		label_blame(making, node);
		break;
	case GRAPH_OTHER_CAUSES:
		label_others(making, node, "cause", "causes");
		break;
	case GRAPH_SECTION:
		label_section(making, node);
		break;
	case GRAPH_SYMBOL:
		label_symbol(making, node);
		break;
	case GRAPH_NOWHERE:
		add_line(making, node, "(no mapping known)");
		add_counts(making, node);
		break;
	case GRAPH_OTHER_PLACES:
		label_others(making, node, "place", "places");
		break;
	case GRAPH_OBJECT:
		label_object(making, node);
		break;
	case GRAPH_MEMORY:
		add_line(making, node, "memory outside files");
		add_counts(making, node);
		add_line(making, node, mostly(making, node));
		break;
	case GRAPH_OTHER_OBJECTS:
		label_others(making, node, "file", "files");
		break;
	}
}

void graph_add_labels(struct graph_making *making)
{
	struct graph *graph = making->graph;
	struct arena *arena = &graph->arena;
	const char *command = model_command_text(&making->model->trace, arena);

	graph->title =
		arena_printf(arena, "%s: %s page fault%s, %s",
			     command[0] ? tidy(making, command, COMMAND_LETTERS) : "page faults",
			     figure_number(arena, graph->faults), figure_plural(graph->faults),
			     graph->kind == GRAPH_CAUSES ? "who causes what" : "file by file");
	graph->explained =
		graph->kind == GRAPH_CAUSES
			? "Left: what ran. Right: what it touched. The wider a line, the "
			  "more faults; its colour says why, as the words do."
			: "An arrow leads from a file to one that it needs (DT_NEEDED); "
			  "the colour stands for the word under the count.";
	for (size_t i = 0; i < graph->node_count; i++)
		label_node(making, &graph->nodes[i]);
}
