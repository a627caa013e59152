// SPDX-License-Identifier: Apache-2.0
// The kernel's sums for a mapping are what counts; the page table only divides them. A sum that the
// pages do not add up to, since the process went on or the page table does not show it, is not
// divided: of the sections it is unknown then.
#include "inspect/smaps/attribute.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/path.h"
#include "base/range.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MISSING_NAMED = 20 };

static const size_t pieces_max = 1 << 26; // that are looked at
static const size_t parts_max = 1 << 21;  // a real process has some thousand

/** Amounts of a section in one mapping. */
struct part {
	uint32_t object;
	const char *name; // of the image, which stays open
	enum smaps_grain grain;
	struct smaps_amounts amounts;
};

/** A file or another kind of memory. */
struct object {
	const char *path;
	uint64_t inode;
	uint32_t index;
	uint32_t process;	   // that had it last, from 1
	struct smaps_image *image; // NULL: no ELF file, or it could not be opened
	const char *missing;	   // why there is none, where it may be one; NULL once it was said
	size_t mapping_count;
	struct smaps_amounts amounts;
};

struct smaps_attribution {
	struct smaps_model *model;
	bool is_forced;
	uint64_t page_size;
	VEC(struct object *) objects; // in the arena
	void *tree;		      // of objects by path and inode: see tsearch(3)
	size_t piece_count;	      // looked at
	size_t missing_count;	      // files without sections
	VEC(struct part) parts;
	VEC(struct smaps_process) processes;
};

struct smaps_attribution *smaps_attribution_create(const char *source, bool is_forced)
{
	struct smaps_attribution *attribution = xcalloc(1, sizeof(*attribution));

	attribution->model = xcalloc(1, sizeof(*attribution->model));
	attribution->model->source = arena_strdup(&attribution->model->arena, source);
	attribution->is_forced = is_forced;
	attribution->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	return attribution;
}

struct notes *smaps_attribution_notes(struct smaps_attribution *attribution)
{
	return &attribution->model->notes;
}

static const char *keep(struct smaps_attribution *attribution, const char *text)
{
	return arena_strdup(&attribution->model->arena, text);
}

// ---- Objects ----------------------------------------------------------------------------------

/** Return the path of the mapping, or its name in brackets. */
static const char *path_of(const struct smaps_mapping *mapping)
{
	return mapping->path[0] ? mapping->path : "[anon]";
}

/** Open the ELF file of @object, if it is one. */
static void open_image(struct smaps_attribution *attribution, struct object *object,
		       const struct smaps_mapping *mapping, uint32_t pid)
{
	struct err err = { 0 };

	if (mapping->inode == 0 || mapping->path[0] != '/')
		return;
	if (path_is_deleted(mapping->path)) {
		object->missing = arena_printf(&attribution->model->arena,
					       "%s: sections unavailable", object->path);
		return;
	}
	object->image = smaps_image_open(mapping, pid, attribution->is_forced,
					 attribution->page_size, &err);
	if (!object->image && err.code == ERR_MISMATCH)
		object->missing = keep(attribution, err.message);
	else if (!object->image && err.code == ERR_OS)
		object->missing = arena_printf(&attribution->model->arena,
					       "%s; sections unavailable", err.message);
}

ORDER_OF(compare_objects, object, strcmp(x->path, y->path) ?: ORDER(x->inode, y->inode))

/** The object of @mapping, found or added. O(log n), whatever its name. */
static struct object *find_object(struct smaps_attribution *attribution,
				  const struct smaps_mapping *mapping, uint32_t pid)
{
	struct object wanted = { .path = path_of(mapping), .inode = mapping->inode };
	struct object *const *found = tfind(&wanted, &attribution->tree, compare_objects);

	if (found)
		return *found;

	struct object *object = arena_alloc(&attribution->model->arena, sizeof(*object));

	*object = wanted;
	object->path = keep(attribution, wanted.path);
	object->index = (uint32_t)attribution->objects.count; // fewer than mappings
	open_image(attribution, object, mapping, pid);
	vec_push(&attribution->objects, object);
	if (!tsearch(object, &attribution->tree, compare_objects))
		oom();
	return object;
}

// ---- Dividing a mapping -----------------------------------------------------------------------

/** Sums of the pages of one piece, with each shared by its bytes. */
struct sums {
	struct smaps_amounts amounts;
	bool has_pss;
};

/** @bytes of a page that the page table says @page of. */
static void add_page(struct sums *sums, const struct smaps_page *page, uint64_t bytes)
{
	bool is_exclusive = page->bits & SMAPS_PAGE_EXCLUSIVE;
	// A private copy is dirty but for what was read back from swap; the sums show if so.
	bool is_dirty = page->bits & SMAPS_PAGE_DIRTY || !(page->bits & SMAPS_PAGE_FILE);
	uint64_t *amounts = sums->amounts.bytes;

	if (page->bits & SMAPS_PAGE_SWAPPED)
		amounts[SMAPS_SWAP] += bytes;
	if (!(page->bits & SMAPS_PAGE_PRESENT))
		return;
	amounts[SMAPS_RSS] += bytes;
	if (!(page->bits & SMAPS_PAGE_FILE))
		amounts[SMAPS_ANONYMOUS] += bytes;
	if (is_exclusive)
		amounts[is_dirty ? SMAPS_PRIVATE_DIRTY : SMAPS_PRIVATE_CLEAN] += bytes;
	else
		amounts[is_dirty ? SMAPS_SHARED_DIRTY : SMAPS_SHARED_CLEAN] += bytes;
	if (is_exclusive)
		amounts[SMAPS_PSS] += bytes;
	else if (page->mapped > 0)
		amounts[SMAPS_PSS] += bytes / page->mapped;
	else
		sums->has_pss = false;
}

static void sum_piece(struct sums *sums, const struct smaps_piece *piece, uint64_t start,
		      const struct smaps_page *pages, uint64_t page_size)
{
	*sums = (struct sums){ .has_pss = true };
	for (uint64_t at = piece->start; at < piece->end;) {
		uint64_t end = align_down(at, page_size) + page_size;

		if (end > piece->end)
			end = piece->end;
		add_page(sums, &pages[(at - start) / page_size], end - at);
		at = end;
	}
	sums->amounts.bytes[SMAPS_SIZE] = piece->end - piece->start;
	smaps_amounts_derive(&sums->amounts);
}

/** Return the keys whose pages add up to the kernel's sum for the mapping: bit 1 << key. */
static uint32_t keys_that_agree(const struct smaps_amounts *of_mapping, const struct sums *sums,
				size_t count)
{
	uint32_t agree = 0;

	for (enum smaps_key key = 0; key < SMAPS_KEYS; key++) {
		uint64_t total = 0, expected = of_mapping->bytes[key];
		// The kernel rounds a mapping's share down to whole KiB; so do we each page's.
		uint64_t slack = key == SMAPS_PSS ? 1024 + expected / 1024 : 0;
		bool is_known = true;

		for (size_t i = 0; i < count; i++) {
			total += sums[i].amounts.bytes[key];
			is_known = is_known && (key != SMAPS_PSS || sums[i].has_pss);
		}
		if (expected == 0 ||
		    (is_known && total <= expected + slack && expected <= total + slack))
			agree |= 1U << key;
	}
	return agree;
}

/** Add to a section, and to the totals of its object unless @is_counted. */
static void push_part(struct smaps_attribution *attribution, struct object *object,
		      const char *name, enum smaps_grain grain, const struct smaps_amounts *amounts,
		      bool is_counted)
{
	if (!is_counted)
		smaps_amounts_add(&object->amounts, amounts);
	if (attribution->parts.count < parts_max)
		vec_push(&attribution->parts,
			 (struct part){ object->index, name, grain, *amounts });
}

/** Divide by pages; false where the page table is unknown or is not that of this moment. */
static bool divide(struct smaps_attribution *attribution, struct object *object,
		   struct object *rest_object, const char *rest,
		   const struct smaps_mapping *mapping, const struct smaps_pieces *pieces)
{
	enum { ESSENTIAL = 1 << SMAPS_RSS | 1 << SMAPS_SIZE };
	size_t count = pieces->list.count;

	if (!mapping->pages)
		return false;

	CLEANUP(freep) struct sums *sums = xcalloc(count, sizeof(*sums));

	for (size_t i = 0; i < count; i++)
		sum_piece(&sums[i], &pieces->list.items[i], mapping->start, mapping->pages,
			  attribution->page_size);

	uint32_t agree = keys_that_agree(&mapping->amounts, sums, count);

	if ((agree & ESSENTIAL) != ESSENTIAL)
		return false;

	bool is_one = rest_object == object || pieces->list.items[count - 1].name != rest;

	// The kernel's sum, if nothing of it is another object's.
	if (is_one)
		smaps_amounts_add(&object->amounts, &mapping->amounts);
	for (size_t i = 0; i < count; i++) {
		const char *name = pieces->list.items[i].name;

		for (enum smaps_key key = 0; key < SMAPS_KEYS; key++) {
			if (!(agree & 1U << key))
				sums[i].amounts.unknown |= 1U << key;
			if (!(agree & 1U << key) || mapping->amounts.bytes[key] == 0)
				sums[i].amounts.bytes[key] = 0;
		}
		push_part(attribution, name == rest ? rest_object : object, name, SMAPS_GRAIN_PAGE,
			  &sums[i].amounts, is_one);
	}
	return true;
}

/** ".init to .fini": what a mapping holds together. */
static const char *name_together(struct smaps_attribution *attribution,
				 const struct smaps_pieces *pieces)
{
	const char *first = NULL, *last = NULL;

	vec_foreach (piece, &pieces->list) {
		if (strcmp(piece->name, "[padding]") == 0)
			continue;
		first = first ? first : piece->name;
		last = piece->name;
	}
	if (!first)
		return "[padding]";
	return first == last ? first
			     : arena_printf(&attribution->model->arena, "%s to %s", first, last);
}

/** How many names but padding the pieces have. */
static size_t count_names(const struct smaps_pieces *pieces)
{
	size_t count = 0;

	vec_foreach (piece, &pieces->list)
		count += strcmp(piece->name, "[padding]") != 0;
	return count;
}

/** A process while its mappings are gone through. */
struct walk {
	uint32_t number;	  // from 1
	struct object *last_file; // of the mapping before that showed a segment, or NULL
};

/**
 * Give the amounts of @mapping to the names of its pieces.
 * @rest: name of the piece that is not of @object, but of @rest_object
 */
static void attribute_pieces(struct smaps_attribution *attribution, struct object *object,
			     struct object *rest_object, const char *rest,
			     const struct smaps_mapping *mapping, const struct smaps_pieces *pieces)
{
	size_t names = count_names(pieces);

	if (pieces->list.count > 1 &&
	    divide(attribution, object, rest_object, rest, mapping, pieces)) {
		attribution->model->has_pages = true;
		return;
	}
	if (pieces->list.items[pieces->list.count - 1].name == rest)
		object = rest_object;
	push_part(attribution, object, name_together(attribution, pieces),
		  names > 1 ? SMAPS_GRAIN_SEGMENT : SMAPS_GRAIN_MAPPING, &mapping->amounts, false);
}

static void attribute_mapping(struct smaps_attribution *attribution, struct walk *walk,
			      const struct smaps_mapping *mapping, struct object *object)
{
	const char *name = mapping->inode != 0 ? "[file]" : object->path;
	struct smaps_pieces pieces = { 0 };

	if (object->image && object->process != walk->number)
		smaps_image_restart(object->image);
	object->process = walk->number;
	if (object->missing && mapping->protection[2] == 'x') { // data has no sections
		if (attribution->missing_count++ < MISSING_NAMED)
			notes_add_text(&attribution->model->notes, object->missing, 1);
		object->missing = NULL;
	}
	if (attribution->piece_count > pieces_max)
		push_part(attribution, object, name, SMAPS_GRAIN_MAPPING, &mapping->amounts, false);
	else if (object->image && smaps_image_file(object->image, mapping, &pieces)) {
		walk->last_file = object;
		attribute_pieces(attribution, object, object, "", mapping, &pieces);
	} else if (mapping->inode == 0 && walk->last_file &&
		   smaps_image_zeros(walk->last_file->image, mapping, name, &pieces)) {
		attribute_pieces(attribution, walk->last_file, object, name, mapping, &pieces);
	} else {
		push_part(attribution, object, name, SMAPS_GRAIN_MAPPING, &mapping->amounts, false);
	}
	attribution->piece_count += pieces.list.count;
	vec_deinit(&pieces.list);
}

/** Return the name of a process's program: its first mapping of a file is of it. */
static const char *program_of(const struct smaps_text *text, const struct smaps_space *space)
{
	for (size_t i = space->first; i < space->first + space->count; i++)
		if (text->mappings.items[i].path[0] == '/')
			return path_file_name(text->mappings.items[i].path);
	return "?";
}

static bool add_space(struct smaps_attribution *attribution, const struct smaps_text *text,
		      const struct smaps_space *space, struct err *err)
{
	struct smaps_model *model = attribution->model;
	struct walk walk = { .number = (uint32_t)attribution->processes.count + 1 };
	struct smaps_process process = {
		.pid = space->pid,
		.name = keep(attribution, program_of(text, space)),
		.mapping_count = space->count,
	};

	for (size_t i = space->first; i < space->first + space->count; i++) {
		const struct smaps_mapping *mapping = &text->mappings.items[i];

		if (!smaps_amounts_add(&process.amounts, &mapping->amounts) ||
		    !smaps_amounts_add(&model->amounts, &mapping->amounts))
			return err_set(
				err, ERR_INPUT,
				"%s: the mappings have more memory together than any machine",
				model->source);

		struct object *object = find_object(attribution, mapping, space->pid);

		object->mapping_count++;
		attribute_mapping(attribution, &walk, mapping, object);
	}
	model->mapping_count += space->count;
	vec_push(&attribution->processes, process);
	return true;
}

bool smaps_attribution_add(struct smaps_attribution *attribution, const struct smaps_text *text,
			   struct err *err)
{
	vec_foreach (space, &text->spaces)
		if (!add_space(attribution, text, space, err))
			return false;
	return true;
}

// ---- The answer -------------------------------------------------------------------------------

ORDER_OF(compare_parts, part, ORDER(x->object, y->object) ?: strcmp(x->name, y->name))

/** The sections of each object: equal parts are one. */
static void list_sections(struct smaps_attribution *attribution)
{
	struct smaps_model *model = attribution->model;
	size_t count = attribution->parts.count;
	struct smaps_section *sections = arena_array(&model->arena, count + 1, sizeof(*sections));
	const struct part *last = NULL;

	if (count > 0)
		qsort(attribution->parts.items, count, sizeof(struct part), compare_parts);
	vec_foreach (part, &attribution->parts) {
		struct smaps_object *object = &model->objects[part->object];

		if (!last || compare_parts(last, part) != 0) {
			if (object->section_count++ == 0)
				object->sections = sections;
			*sections++ = (struct smaps_section){ .name = keep(attribution, part->name),
							      .grain = part->grain };
		}
		if (sections[-1].grain < part->grain)
			sections[-1].grain = part->grain;
		smaps_amounts_add(&sections[-1].amounts, &part->amounts);
		last = part;
	}
}

struct smaps_model *smaps_attribution_finish(struct smaps_attribution *attribution)
{
	struct smaps_model *model = TAKE(attribution->model);

	model->object_count = attribution->objects.count;
	model->objects =
		arena_array(&model->arena, model->object_count + 1, sizeof(*model->objects));
	for (size_t i = 0; i < model->object_count; i++) {
		const struct object *object = attribution->objects.items[i];

		model->objects[i] = (struct smaps_object){
			.path = object->path,
			.mapping_count = object->mapping_count,
			.amounts = object->amounts,
		};
	}
	attribution->model = model;
	list_sections(attribution);
	attribution->model = NULL;
	if (attribution->missing_count > MISSING_NAMED)
		notes_add(&model->notes, "%zu more files have no sections for such reasons",
			  attribution->missing_count - MISSING_NAMED);
	if (attribution->parts.count == parts_max || attribution->piece_count > pieces_max)
		notes_add(&model->notes,
			  "too many sections: those of the last mappings are left out");
	model->processes =
		vec_keep_counted(&attribution->processes, &model->arena, &model->process_count);
	return model;
}

/** Objects are the arena's. */
static void leave(void *object)
{
}

void smaps_attribution_destroy(struct smaps_attribution *attribution)
{
	vec_foreach (object, &attribution->objects)
		smaps_image_close((*object)->image);
	tdestroy(attribution->tree, leave);
	vec_deinit(&attribution->objects);
	vec_deinit(&attribution->parts);
	vec_deinit(&attribution->processes);
	smaps_model_destroy(attribution->model);
	free(attribution);
}
