// SPDX-License-Identifier: Apache-2.0
// Profiles as pprof reads them: faults, time and bytes by call path, with labels. Source:
// proto/profile.proto of github.com/google/pprof. Fields may come in any order, so texts,
// functions and locations are written where they are first needed.
#include "export/export.h"
#include "export/frames.h"
#include "export/gzip.h"
#include "export/protobuf.h"
#include "export/source.h"
#include "export/textids.h"

#include "base/cleanup.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "machine/page.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

/** Fields of Profile. */
enum {
	SAMPLE_TYPE = 1,
	SAMPLE = 2,
	MAPPING = 3,
	LOCATION = 4,
	FUNCTION = 5,
	STRING = 6,
	DURATION_NANOS = 10,
	TIME_NANOS = 9,
	COMMENT = 13,
	DEFAULT_SAMPLE_TYPE = 14,
};

enum { DRAIN_BYTES = 1 << 16 };

/**
 * Code of a file that lies as far from its offset in the file, or memory outside files. Processes
 * have it at different addresses: all locations are as in the first that had one.
 */
struct mapping {
	uint32_t object;
	uint64_t shift; // vaddr less the offset in the file
	uint64_t bias;	// address less vaddr
	uint64_t start, end;
	bool has_file, has_lines, has_inlined;
	uint32_t next; // of the same object: number, 0: none
};

/**
 * The common values of the faults that are one sample; without padding, since bytes are compared.
 */
struct sample_key {
	uint32_t path; // into paths; MODEL_NONE: none
	uint32_t thread, object, section, initializer, init_object;
	uint32_t words; // initiator, mechanism and kind
};
_Static_assert(sizeof(struct sample_key) == 28, "a key has no padding");

struct sample {
	struct sample_key key;
	uint64_t values[EXPORT_WEIGHTS];
};

/** The locations of a call path. */
struct path {
	size_t first;
	uint32_t count;
};

struct profile {
	const struct model *model;
	struct gzip gzip;
	struct strbuf buf;
	struct strbuf name;
	struct textids strings;
	struct export_frames frames;
	struct u64map functions; // ids of name and file -> number
	struct u64map places;	 // export_frame.place -> number of the location
	struct u64map objects;	 // -> number of the first of its mappings
	struct u64map paths;	 // export_path() -> into path_rows
	struct u64map keys;	 // hash of the key -> into samples
	VEC(struct mapping) mappings;
	VEC(uint32_t) locations; // of all paths
	VEC(struct path) path_rows;
	VEC(struct sample) samples;
};

static void profile_deinit(struct profile *profile)
{
	vec_deinit(&profile->mappings);
	vec_deinit(&profile->locations);
	vec_deinit(&profile->path_rows);
	vec_deinit(&profile->samples);
	u64map_deinit(&profile->functions);
	u64map_deinit(&profile->places);
	u64map_deinit(&profile->objects);
	u64map_deinit(&profile->paths);
	u64map_deinit(&profile->keys);
	export_frames_deinit(&profile->frames);
	textids_deinit(&profile->strings);
	strbuf_deinit(&profile->name);
	strbuf_deinit(&profile->buf);
}

/** The number of the first @length bytes of @text in the table of strings. Not within a message. */
static uint32_t string_part(struct profile *profile, const char *text, size_t length)
{
	bool is_new;
	uint32_t row = textids_copy(&profile->strings, text, length, &is_new);

	if (is_new)
		protobuf_text(&profile->buf, STRING, profile->strings.texts.items[row]);
	return row;
}

/** The same for text of the model or the program. */
static uint32_t string(struct profile *profile, const char *text)
{
	bool is_new;
	uint32_t row = textids_of(&profile->strings, text, &is_new);

	if (is_new)
		protobuf_text(&profile->buf, STRING, text);
	return row;
}

static void drain(struct profile *profile, size_t limit)
{
	if (profile->buf.length >= limit)
		gzip_drain(&profile->gzip, &profile->buf);
}

static uint32_t function_number(struct profile *profile, const char *name, const char *source,
				uint32_t *ret_line)
{
	size_t length = source ? source_split(source, ret_line) : 0;
	uint32_t file = string_part(profile, source ? source : "", length);
	uint32_t title = string_part(profile, name, strlen(name));
	bool is_new;
	uint32_t *number = u64map_put(&profile->functions, (uint64_t)file << 32 | title, &is_new);

	if (is_new) {
		*number = (uint32_t)profile->functions.count;
		size_t begun = protobuf_begin(&profile->buf, FUNCTION);

		protobuf_number(&profile->buf, 1, *number);
		protobuf_number(&profile->buf, 2, title);
		protobuf_number(&profile->buf, 3, title);
		protobuf_number(&profile->buf, 4, file);
		protobuf_end(&profile->buf, begun);
	}
	return *number;
}

/** The number of the mapping that has @frame, whose object is known; *@ret_addr: where there. */
static uint32_t mapping_number(struct profile *profile, const struct export_frame *frame,
			       uint64_t *ret_addr)
{
	uint64_t vaddr = frame->has_vaddr    ? frame->vaddr
			 : frame->has_offset ? frame->offset
					     : frame->addr;
	uint64_t shift = frame->has_offset ? vaddr - frame->offset : 0;
	// The address of a call is that of its return, the vaddr that of its last byte.
	uint64_t bias = (frame->addr - vaddr) & ~(uint64_t)(MACHINE_PAGE - 1);
	uint32_t *first = u64map_put(&profile->objects, frame->object, NULL);
	uint32_t number = *first;

	while (number > 0 && profile->mappings.items[number - 1].shift != shift)
		number = profile->mappings.items[number - 1].next;
	if (number == 0) {
		vec_push(&profile->mappings, (struct mapping){ .object = frame->object,
							       .shift = shift,
							       .bias = bias,
							       .start = UINT64_MAX,
							       .has_file = frame->has_offset,
							       .next = *first });
		number = *first = (uint32_t)profile->mappings.count;
	}
	struct mapping *mapping = &profile->mappings.items[number - 1];
	uint64_t addr = mapping->bias + vaddr, page = addr & ~(uint64_t)(MACHINE_PAGE - 1);

	mapping->start = page < mapping->start ? page : mapping->start;
	mapping->end = addr > mapping->end ? addr : mapping->end;
	*ret_addr = addr;
	return number;
}

struct line {
	uint32_t function, line;
};

/**
 * Write the location of @frames, of which the last is an instruction and those before it were
 * inlined there. Code without a name has no line: pprof shows its file.
 */
static void add_location(struct profile *profile, const struct export_frame *frames, size_t count,
			 uint32_t number)
{
	const struct export_frame *frame = &frames[count - 1];
	uint64_t addr = frame->addr;
	uint32_t mapping = frame->object == MODEL_NONE ? 0 : mapping_number(profile, frame, &addr);
	CLEANUP(vec_release) VEC(struct line) lines = { 0 };

	for (size_t i = 0; i < count; i++) {
		uint32_t line = 0;

		if (!frames[i].function)
			continue;
		uint32_t function =
			function_number(profile, frames[i].function, frames[i].source, &line);

		vec_push(&lines, (struct line){ function, line });
		if (mapping > 0) {
			profile->mappings.items[mapping - 1].has_lines |= line > 0;
			profile->mappings.items[mapping - 1].has_inlined |= frames[i].is_inlined;
		}
	}
	size_t begun = protobuf_begin(&profile->buf, LOCATION);

	protobuf_number(&profile->buf, 1, number);
	if (mapping > 0)
		protobuf_number(&profile->buf, 2, mapping);
	protobuf_number(&profile->buf, 3, addr);
	vec_foreach (line, &lines) {
		size_t inner = protobuf_begin(&profile->buf, 4);

		protobuf_number(&profile->buf, 1, line->function);
		protobuf_number(&profile->buf, 2, line->line);
		protobuf_end(&profile->buf, inner);
	}
	protobuf_end(&profile->buf, begun);
}

/** A location that stands for no code: pprof leaves out samples that have none. */
static uint32_t number_without_code(struct profile *profile, enum model_initiator initiator)
{
	const char *word = model_initiator_name(initiator);
	bool is_new;
	uint32_t *number = u64map_put(&profile->places, (uintptr_t)word, &is_new);

	if (is_new) {
		*number = (uint32_t)profile->places.count;
		strbuf_clear(&profile->name);
		strbuf_printf(&profile->name, "[%s]", word);
		add_location(profile,
			     &(struct export_frame){ .function = strbuf_text(&profile->name),
						     .object = MODEL_NONE },
			     1, *number);
	}
	return *number;
}

/** The row of the call path of @fault. */
static uint32_t path_row(struct profile *profile, const struct model_fault *fault)
{
	const struct model *model = profile->model;
	uint64_t key = export_path(model, fault);
	bool is_new;

	// None: by what is written instead.
	key = key ? key : (uintptr_t)model_initiator_name(fault->initiator);
	uint32_t *row = u64map_put(&profile->paths, key, &is_new);

	if (!is_new)
		return *row;
	*row = (uint32_t)profile->path_rows.count;
	size_t first = profile->locations.count;

	export_frames_of(&profile->frames, model, fault);
	const struct export_frame *frames = profile->frames.list.items;
	size_t begin = 0;

	for (size_t i = 0; i < profile->frames.list.count; i++) {
		if (frames[i].is_inlined)
			continue;
		uint32_t *number =
			u64map_put(&profile->places, (uintptr_t)frames[i].place, &is_new);

		if (is_new) {
			*number = (uint32_t)profile->places.count;
			add_location(profile, &frames[begin], i + 1 - begin, *number);
		}
		vec_push(&profile->locations, *number);
		begin = i + 1;
	}
	if (profile->locations.count == first)
		vec_push(&profile->locations, number_without_code(profile, fault->initiator));
	vec_push(&profile->path_rows,
		 (struct path){ first, (uint32_t)(profile->locations.count - first) });
	drain(profile, DRAIN_BYTES);
	return (uint32_t)profile->path_rows.count - 1;
}

static struct sample *sample_of(struct profile *profile, const struct model_fault *fault)
{
	struct sample_key key = {
		.path = path_row(profile, fault),
		.thread = fault->thread,
		.object = fault->at.object,
		.section = fault->at.section,
		.initializer = fault->initializer,
		.init_object = fault->init_object,
		.words = (uint32_t)fault->initiator << 16 | (uint32_t)fault->mechanism << 8 |
			 fault->kind,
	};

	// Keys of one hash, should there ever be two, lie at those that follow.
	for (uint64_t hash = XXH3_64bits(&key, sizeof(key));; hash++) {
		bool is_new;
		uint32_t *row = u64map_put(&profile->keys, hash, &is_new);

		if (is_new) {
			*row = (uint32_t)profile->samples.count;
			vec_push(&profile->samples, (struct sample){ .key = key });
		}
		struct sample *sample = &profile->samples.items[*row];

		if (memcmp(&sample->key, &key, sizeof(key)) == 0)
			return sample;
	}
}

static void gather(struct profile *profile)
{
	const struct model *model = profile->model;

	array_foreach (fault, model->faults, model->fault_count) {
		struct sample *sample = sample_of(profile, fault);

		for (unsigned weight = 0; weight < EXPORT_WEIGHTS; weight++)
			sample->values[weight] +=
				export_weigh(model, fault, (enum export_weight)weight);
	}
}

struct label {
	uint32_t key, text;
};

struct labels {
	struct label items[10];
	size_t count;
};

/** Add a label unless @text is NULL. */
static void add_label(struct profile *profile, struct labels *labels, const char *key,
		      const char *text)
{
	if (text)
		labels->items[labels->count++] =
			(struct label){ string(profile, key), string(profile, text) };
}

/** The same for a number, which pprof would round and give a unit. */
static void add_number_label(struct profile *profile, struct labels *labels, const char *key,
			     uint32_t number)
{
	strbuf_clear(&profile->name);
	strbuf_printf(&profile->name, "%" PRIu32, number);
	labels->items[labels->count++] = (struct label){
		string(profile, key),
		string_part(profile, strbuf_text(&profile->name), profile->name.length),
	};
}

/** The member of row @index of a table, NULL where there is no row. */
#define ROW_TEXT(rows, index, member) ((index) == MODEL_NONE ? NULL : (rows)[index] member)

/** Labels have the names and words of the fields of --where. */
static void find_labels(struct profile *profile, const struct sample_key *key,
			struct labels *labels)
{
	const struct model *model = profile->model;
	const struct model_thread *thread = &model->threads[key->thread];

	add_label(profile, labels, "initiator", model_initiator_name(key->words >> 16));
	add_label(profile, labels, "mechanism", model_mechanism_name(key->words >> 8 & 0xff));
	add_label(profile, labels, "kind", model_kind_name(key->words & 0xff));
	add_label(profile, labels, "object", ROW_TEXT(model->objects, key->object, .path));
	add_label(profile, labels, "section", ROW_TEXT(model->sections, key->section, .name));
	if (key->initializer != MODEL_NONE)
		add_label(profile, labels, "initializer",
			  model_initializer_name(&model->initializers[key->initializer]));
	add_label(profile, labels, "init_object",
		  ROW_TEXT(model->objects, key->init_object, .path));
	add_label(profile, labels, "comm", ROW_TEXT(model->comms, thread->comm, ));
	add_number_label(profile, labels, "pid", thread->pid);
	add_number_label(profile, labels, "tid", thread->tid);
}

static void add_sample(struct profile *profile, const struct sample *sample)
{
	const struct path *path = &profile->path_rows.items[sample->key.path];
	struct labels labels = { 0 };

	find_labels(profile, &sample->key, &labels);
	size_t begun = protobuf_begin(&profile->buf, SAMPLE);
	size_t inner = protobuf_begin(&profile->buf, 1);

	array_foreach (location, &profile->locations.items[path->first], path->count)
		protobuf_varint(&profile->buf, *location);
	protobuf_end(&profile->buf, inner);
	inner = protobuf_begin(&profile->buf, 2);
	for (size_t i = 0; i < EXPORT_WEIGHTS; i++)
		protobuf_varint(&profile->buf, sample->values[i]);
	protobuf_end(&profile->buf, inner);
	array_foreach (label, labels.items, labels.count) {
		inner = protobuf_begin(&profile->buf, 3);
		protobuf_number(&profile->buf, 1, label->key);
		protobuf_number(&profile->buf, 2, label->text);
		protobuf_end(&profile->buf, inner);
	}
	protobuf_end(&profile->buf, begun);
	drain(profile, DRAIN_BYTES);
}

/** Flags that say it has functions keep pprof from looking for names itself. */
static void add_mapping(struct profile *profile, const struct mapping *mapping, uint64_t number)
{
	const struct model_object *object = &profile->model->objects[mapping->object];
	uint32_t path = string(profile, object->path);
	uint32_t build_id = string(profile, object->build_id ? object->build_id : "");
	uint64_t end = (mapping->end | (MACHINE_PAGE - 1)) + 1;
	uint64_t offset = mapping->start - mapping->bias - mapping->shift;
	size_t begun = protobuf_begin(&profile->buf, MAPPING);

	protobuf_number(&profile->buf, 1, number);
	protobuf_number(&profile->buf, 2, mapping->start);
	protobuf_number(&profile->buf, 3, end ? end : mapping->end);
	if (mapping->has_file)
		protobuf_number(&profile->buf, 4, offset);
	protobuf_number(&profile->buf, 5, path);
	protobuf_number(&profile->buf, 6, build_id);
	protobuf_number(&profile->buf, 7, true);
	protobuf_number(&profile->buf, 8, mapping->has_lines);
	protobuf_number(&profile->buf, 9, mapping->has_lines);
	protobuf_number(&profile->buf, 10, mapping->has_inlined);
	protobuf_end(&profile->buf, begun);
}

/** As pprof itself guesses the program among mappings: no library, and a file. */
static bool is_program(const struct model_object *object)
{
	const char *suffix = strstr(object->path, ".so");

	return object->is_file && !(suffix && strchr("._", suffix[3])); // also at the end
}

/** The first is the program: pprof names the profile by it. */
static void add_mappings(struct profile *profile)
{
	size_t main = 0;

	while (main < profile->mappings.count &&
	       !is_program(&profile->model->objects[profile->mappings.items[main].object]))
		main++;
	if (main < profile->mappings.count)
		add_mapping(profile, &profile->mappings.items[main], main + 1);
	for (size_t i = 0; i < profile->mappings.count; i++)
		if (i != main)
			add_mapping(profile, &profile->mappings.items[i], i + 1);
}

static void add_types(struct profile *profile)
{
	static const char *const units[] = {
		[EXPORT_FAULTS] = "count",
		[EXPORT_TIME] = "nanoseconds",
		[EXPORT_BYTES] = "bytes",
	};

	for (unsigned i = 0; i < EXPORT_WEIGHTS; i++) {
		uint32_t type = string(profile, export_weight_name((enum export_weight)i));
		uint32_t unit = string(profile, units[i]);
		size_t begun = protobuf_begin(&profile->buf, SAMPLE_TYPE);

		protobuf_number(&profile->buf, 1, type);
		protobuf_number(&profile->buf, 2, unit);
		protobuf_end(&profile->buf, begun);
	}
	protobuf_number(&profile->buf, DEFAULT_SAMPLE_TYPE,
			string(profile, export_weight_name(EXPORT_FAULTS)));
}

static void add_comment(struct profile *profile, struct strbuf *text)
{
	uint32_t row = string_part(profile, strbuf_text(text), text->length);

	protobuf_number(&profile->buf, COMMENT, row);
	strbuf_clear(text);
}

/** Add the command, losses and notes: `pprof -comments` shows them. */
static void add_comments(struct profile *profile)
{
	const struct model *model = profile->model;
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	strbuf_puts(&text, model->trace.process ? model->trace.process : "elfault record --");
	for (size_t i = 0; !model->trace.process && i < model->trace.command_count; i++) {
		strbuf_putc(&text, ' ');
		strbuf_put_word(&text, model->trace.command[i]);
	}
	add_comment(profile, &text);
	strbuf_printf(&text, "%" PRIu64 " faults recorded, %" PRIu64 " lost",
		      model->counts.recorded, model->counts.lost);
	add_comment(profile, &text);
	if (model->filter) {
		strbuf_printf(&text, "only where %s", model->filter);
		add_comment(profile, &text);
	}
	vec_foreach (note, &model->notes.list) {
		note_print(note, &text);
		add_comment(profile, &text);
	}
}

export_tool_writer export_pprof;

bool export_pprof(const struct model *model, const struct export_tool_options *options, FILE *out,
		  struct err *err)
{
	CLEANUP(profile_deinit) struct profile profile = { .model = model };

	gzip_begin(&profile.gzip, out);
	string(&profile, ""); // the first
	add_types(&profile);
	add_comments(&profile);
	if (model->trace.start_unix_ns > 0)
		protobuf_number(&profile.buf, TIME_NANOS, model->trace.start_unix_ns);
	protobuf_number(&profile.buf, DURATION_NANOS, model->trace.duration_ns);
	gather(&profile);
	vec_foreach (sample, &profile.samples)
		add_sample(&profile, sample);
	add_mappings(&profile);
	drain(&profile, 0);
	return gzip_end(&profile.gzip, err);
}
