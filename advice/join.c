// SPDX-License-Identifier: Apache-2.0
// One finding for what several files have, and the order of all.
#include "advice/findings.h"

#include "advice/trace/rule.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/** Of so many files the evidence is told. */
enum { FILES_TOLD = 3 };

struct joining {
	struct model *model;
	struct arena *arena;
};

static int compare_savings(const struct model_saving *a, const struct model_saving *b)
{
	return ORDER(b->duration_ns, a->duration_ns) ?: ORDER(b->faults, a->faults);
}

ORDER_OF(compare_files, model_finding_file,
	 compare_savings(&x->saves, &y->saves) ?: ORDER(y->own_ns, x->own_ns)
		 ?: ORDER(y->faults, x->faults) ?: ORDER(x->object, y->object))

ORDER_OF(compare_findings, model_finding,
	 compare_savings(&x->saves, &y->saves) ?: ORDER(y->own_ns, x->own_ns)
		 ?: ORDER(y->faults, x->faults) ?: strcmp(x->id, y->id)
		 ?: ORDER(x->object, y->object))

static bool say_the_same(const struct model_finding *a, const struct model_finding *b)
{
	return a->file_count > 0 && b->file_count > 0 && strcmp(a->id, b->id) == 0 &&
	       strcmp(a->title, b->title) == 0 && strcmp(a->advice, b->advice) == 0 &&
	       a->saves.is == b->saves.is;
}

static void add_saving(struct model_saving *to, const struct model_saving *from)
{
	to->faults += from->faults;
	to->read_bytes += from->read_bytes;
	to->duration_ns += from->duration_ns;
	to->storage_ns += from->storage_ns;
	// Errors of the same kind: they are not larger together.
	to->error_faults += from->error_faults;
	to->error_ns += from->error_ns;
}

/** "libfoo.so: … libbar.so: … 2 more files: 123 faults." */
static const char *evidence_of(struct joining *joining, const struct model_finding *finding)
{
	const struct model *model = joining->model;
	struct arena *arena = joining->arena;
	const char *text = NULL;
	uint64_t faults = 0;

	for (size_t i = 0; i < finding->file_count; i++) {
		const struct model_finding_file *file = &finding->files[i];
		const char *name = model_object_name(&model->objects[file->object]);

		if (i >= FILES_TOLD)
			faults += file->faults;
		else
			text = kit_append(arena, text, " ",
					  arena_printf(arena, "%s: %s", name, file->evidence));
	}
	if (finding->file_count <= FILES_TOLD)
		return text;
	return arena_printf(arena, "%s %s: %s.", text,
			    kit_plural(arena, finding->file_count - FILES_TOLD, "more file"),
			    kit_plural(arena, faults, "fault"));
}

/**
 * Return the text in place of {object} of @template in @where, which was made from it; NULL: it was
 * not.
 */
static const char *objects_of(struct joining *joining, const char *template, const char *where)
{
	const char *name = strstr(template, "{object}");
	size_t start = name ? (size_t)(name - template) : 0;
	size_t around = strlen(template) - strlen("{object}");

	if (!name || strncmp(where, template, start) != 0 || strlen(where) < around)
		return NULL;
	return arena_printf(joining->arena, "%.*s", (int)(strlen(where) - around), where + start);
}

static const struct rule *rule_of(const struct model_finding *finding)
{
	for (const struct rule *const *rule = trace_rules; *rule; rule++)
		if (strcmp((*rule)->prose.id, finding->id) == 0)
			return *rule;
	return NULL;
}

/** The rule's condition for all that the conditions of both have: object=a|b. */
static const char *join_where(struct joining *joining, const struct model_finding *joined,
			      const struct model_finding *other)
{
	const struct rule *rule = rule_of(joined);

	if (!rule || !rule->where || !joined->where || !other->where)
		return joined->where;
	const char *first = objects_of(joining, rule->where, joined->where);
	const char *second = objects_of(joining, rule->where, other->where);

	if (!first || !second)
		return joined->where;
	return kit_fill(joining->arena, rule->where,
			KIT_VALUES({ "object", kit_append(joining->arena, first, "|", second) }));
}

static void describe(struct joining *joining, struct model_finding *finding)
{
	qsort((void *)finding->files, finding->file_count, sizeof(*finding->files), compare_files);
	finding->object = MODEL_NONE;
	finding->evidence = evidence_of(joining, finding);
}

/** Put the findings from the first of @list on that say what it says together, in its place. */
static struct model_finding join(struct joining *joining, const struct model_finding *list,
				 size_t count, bool *is_done)
{
	struct model_finding joined = list[0];
	struct model_finding_file *files;
	size_t same = 0;

	for (size_t i = 0; i < count; i++)
		same += !is_done[i] && say_the_same(&list[0], &list[i]);
	if (same <= 1)
		return joined;
	files = arena_array(joining->arena, same, sizeof(*files));
	joined.file_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (is_done[i] || !say_the_same(&list[0], &list[i]))
			continue;
		is_done[i] = true;
		files[joined.file_count++] = list[i].files[0];
		if (i == 0)
			continue;
		joined.where = join_where(joining, &joined, &list[i]);
		if (list[i].names)
			joined.names =
				kit_append(joining->arena, joined.names, "; ", list[i].names);
		joined.faults += list[i].faults;
		joined.pages += list[i].pages;
		joined.duration_ns += list[i].duration_ns;
		joined.own_ns += list[i].own_ns;
		joined.major_ns += list[i].major_ns;
		joined.cpu_ns += list[i].cpu_ns;
		// Errors of shares of one sample: they are not larger together.
		joined.cpu_error_ns += list[i].cpu_error_ns;
		add_saving(&joined.saves, &list[i].saves);
	}
	joined.files = files;
	describe(joining, &joined);
	return joined;
}

void findings_join(struct model *model)
{
	struct joining joining = { .model = model, .arena = &model->arena };
	struct model_finding *list =
		arena_array(&model->arena, model->finding_count + 1, sizeof(*list));
	bool *is_done = xcalloc(model->finding_count + 1, sizeof(*is_done));
	size_t count = 0;

	for (size_t i = 0; i < model->finding_count; i++)
		if (!is_done[i])
			list[count++] = join(&joining, &model->findings[i],
					     model->finding_count - i, &is_done[i]);
	free(is_done);
	if (count > 0)
		qsort(list, count, sizeof(*list), compare_findings);
	findings_share(model, list, count);
	model->findings = list;
	model->finding_count = count;
}
