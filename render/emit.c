// SPDX-License-Identifier: Apache-2.0
#include "render/emit.h"

#include "model/io.h"
#include "model/missing.h"
#include "render/escape.h"

/** Collects escaped names; one buffer serves all. */
struct escaper {
	struct emit_names *names;
	void (*escape)(struct strbuf *buf, const char *text);
	struct strbuf buf;
};

static struct emit_piece escaped(struct escaper *escaper, const char *name)
{
	if (!name)
		return escaper->names->none;
	strbuf_clear(&escaper->buf);
	escaper->escape(&escaper->buf, name);
	return (struct emit_piece){
		.text = arena_strndup(&escaper->names->arena, strbuf_text(&escaper->buf),
				      escaper->buf.length),
		.length = escaper->buf.length,
	};
}

/** Escape the string member @member of each of @count rows. */
#define ESCAPE_ALL(escaper, rows, count, member)                                          \
	({                                                                                \
		struct emit_piece *pieces_ =                                              \
			arena_array(&(escaper)->names->arena, (count), sizeof(*pieces_)); \
		for (size_t i_ = 0; i_ < (count); i_++)                                   \
			pieces_[i_] = escaped((escaper), (rows)[i_] member);              \
		pieces_;                                                                  \
	})

void emit_names_init(struct emit_names *names, const struct model *model,
		     void (*escape)(struct strbuf *buf, const char *text), const char *none)
{
	struct escaper escaper = { .names = names, .escape = escape };

	*names = (struct emit_names){ .none = { none, strlen(none) } };
	names->objects = ESCAPE_ALL(&escaper, model->objects, model->object_count, .path);
	names->build_ids = ESCAPE_ALL(&escaper, model->objects, model->object_count, .build_id);
	names->sections = ESCAPE_ALL(&escaper, model->sections, model->section_count, .name);
	names->symbols = ESCAPE_ALL(&escaper, model->symbols, model->symbol_count, .name);
	names->functions = ESCAPE_ALL(&escaper, model->functions, model->function_count, .name);
	names->function_sections =
		ESCAPE_ALL(&escaper, model->functions, model->function_count, .section);
	names->sources = ESCAPE_ALL(&escaper, model->codes, model->code_count, .source);
	names->instructions = ESCAPE_ALL(&escaper, model->codes, model->code_count, .instruction);
	names->inlined_functions =
		ESCAPE_ALL(&escaper, model->inlined, model->inlined_count, .function);
	names->inlined_sources =
		ESCAPE_ALL(&escaper, model->inlined, model->inlined_count, .source);
	names->comms = ESCAPE_ALL(&escaper, model->comms, model->comm_count, );
	names->initializers =
		ESCAPE_ALL(&escaper, model->initializers, model->initializer_count, .function);
	names->initializer_arrays =
		ESCAPE_ALL(&escaper, model->initializers, model->initializer_count, .array);
	if (model->ios)
		names->calls = ESCAPE_ALL(&escaper, model->ios->calls, model->ios->call_count, );
	strbuf_deinit(&escaper.buf);
}

void emit_names_deinit(struct emit_names *names)
{
	arena_deinit(&names->arena);
	*names = (struct emit_names){ 0 };
}

void emit_number(struct strbuf *buf, uint64_t number)
{
	char digits[20];
	char *start = digits + sizeof(digits);

	do {
		*--start = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	strbuf_add(buf, start, (size_t)(digits + sizeof(digits) - start));
}

void emit_addr(struct strbuf *buf, uint64_t addr)
{
	char digits[18];
	char *start = digits + sizeof(digits);

	do {
		*--start = "0123456789abcdef"[addr & 15];
		addr >>= 4;
	} while (addr > 0);
	*--start = 'x';
	*--start = '0';
	strbuf_add(buf, start, (size_t)(digits + sizeof(digits) - start));
}

void emit_answer_head(struct strbuf *buf, const struct model *model, const char *schema)
{
	strbuf_printf(buf, "{\"schema\":\"%s\",\n\"trace\":{\"path\":", schema);
	escape_json(buf, model->trace.path ? model->trace.path : "");
	strbuf_printf(buf, ",\"complete\":%s},\n\"filter\":",
		      model_is_complete(model) ? "true" : "false");
	if (model->filter)
		escape_json(buf, model->filter);
	else
		emit_literal(buf, "null");
}

bool emit_drain(struct strbuf *buf, size_t limit, FILE *out)
{
	if (buf->length < limit)
		return true;
	bool ok = fwrite(strbuf_text(buf), 1, buf->length, out) == buf->length;

	strbuf_clear(buf);
	return ok;
}
