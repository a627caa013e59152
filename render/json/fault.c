// SPDX-License-Identifier: Apache-2.0
#include "render/json/fault.h"

/** Append @key (with its quotes and colon) and the number, or null. */
#define ADD_NUMBER(buf, key, known, number)        \
	do {                                       \
		emit_literal(buf, key);            \
		if (known)                         \
			emit_number(buf, number);  \
		else                               \
			emit_literal(buf, "null"); \
	} while (0)

/** As ADD_NUMBER() for an address, which is a string. */
#define ADD_ADDR(buf, key, known, addr)            \
	do {                                       \
		emit_literal(buf, key);            \
		if (known) {                       \
			strbuf_putc(buf, '"');     \
			emit_addr(buf, addr);      \
			strbuf_putc(buf, '"');     \
		} else {                           \
			emit_literal(buf, "null"); \
		}                                  \
	} while (0)

#define ADD_NAME(buf, key, names, pieces, index)                           \
	do {                                                               \
		emit_literal(buf, key);                                    \
		emit_piece(buf, emit_name(names, (names)->pieces, index)); \
	} while (0)

/** A word of the contract: plain letters, nothing to escape. */
#define ADD_WORD(buf, key, word)             \
	do {                                 \
		emit_literal(buf, key "\""); \
		strbuf_puts(buf, word);      \
		strbuf_putc(buf, '"');       \
	} while (0)

static void add_at(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		   const struct model_fault *fault)
{
	int32_t segment = emit_segment(model, &fault->at);
	const char *kind = emit_symbol_kind(model, &fault->at);

	ADD_NAME(buf, ",\"at\":{\"object\":", names, objects, fault->at.object);
	ADD_NAME(buf, ",\"build_id\":", names, build_ids, fault->at.object);
	ADD_NUMBER(buf, ",\"offset\":", fault->at.has_offset, fault->at.offset);
	ADD_ADDR(buf, ",\"vaddr\":", fault->at.has_vaddr, fault->at.vaddr);
	ADD_NUMBER(buf, ",\"segment\":", segment >= 0, (uint64_t)segment);
	ADD_NAME(buf, ",\"section\":", names, sections, fault->at.section);
	ADD_NAME(buf, ",\"symbol\":", names, symbols, fault->at.name);
	if (kind)
		ADD_WORD(buf, ",\"symbol_kind\":", kind);
	else
		emit_literal(buf, ",\"symbol_kind\":null");
	ADD_NUMBER(buf, ",\"symbol_offset\":", kind, kind ? model_name_offset(model, fault) : 0);
	strbuf_putc(buf, '}');
}

static void add_inlined(struct strbuf *buf, const struct model *model,
			const struct emit_names *names, uint32_t code)
{
	const struct model_code *row = code == MODEL_NONE ? NULL : &model->codes[code];

	emit_literal(buf, ",\"inlined\":[");
	for (uint32_t i = 0; row && i < row->inlined_count; i++) {
		if (i > 0)
			strbuf_putc(buf, ',');
		ADD_NAME(buf, "{\"function\":", names, inlined_functions, row->first_inlined + i);
		ADD_NAME(buf, ",\"source\":", names, inlined_sources, row->first_inlined + i);
		strbuf_putc(buf, '}');
	}
	strbuf_putc(buf, ']');
}

static void add_by(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		   const struct model_fault *fault)
{
	ADD_ADDR(buf, ",\"by\":{\"ip\":", fault->has_ip, fault->by->ip);
	ADD_NAME(buf, ",\"object\":", names, objects, fault->by->object);
	ADD_NAME(buf, ",\"build_id\":", names, build_ids, fault->by->object);
	ADD_NUMBER(buf, ",\"offset\":", fault->by->has_offset, fault->by->offset);
	ADD_ADDR(buf, ",\"vaddr\":", fault->by->has_vaddr, fault->by->vaddr);
	ADD_NAME(buf, ",\"section\":", names, function_sections, fault->by->name);
	ADD_NAME(buf, ",\"function\":", names, functions, fault->by->name);
	ADD_NUMBER(buf, ",\"function_offset\":", emit_has_name(model, fault->by->name),
		   fault->by->name_offset);
	ADD_NAME(buf, ",\"source\":", names, sources, fault->by->code);
	add_inlined(buf, model, names, fault->by->code);
	ADD_NAME(buf, ",\"instruction\":", names, instructions, fault->by->code);
	strbuf_putc(buf, '}');
}

static void add_blame(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		      uint32_t blame)
{
	if (blame == MODEL_NONE) {
		emit_literal(buf, ",\"blame\":null");
		return;
	}
	ADD_NAME(buf, ",\"blame\":{\"object\":", names, objects, model->functions[blame].object);
	ADD_NAME(buf, ",\"build_id\":", names, build_ids, model->functions[blame].object);
	ADD_NAME(buf, ",\"function\":", names, functions, blame);
	strbuf_putc(buf, '}');
}

static void add_initializer(struct strbuf *buf, const struct model *model,
			    const struct emit_names *names, const struct model_fault *fault)
{
	uint32_t row = fault->initializer;
	bool is_known = row != MODEL_NONE;

	if (!is_known && fault->init_object == MODEL_NONE) {
		emit_literal(buf, ",\"initializer\":null");
		return;
	}
	ADD_NAME(buf, ",\"initializer\":{\"object\":", names, objects, fault->init_object);
	ADD_NAME(buf, ",\"build_id\":", names, build_ids, fault->init_object);
	ADD_NAME(buf, ",\"array\":", names, initializer_arrays, row);
	ADD_NUMBER(buf, ",\"index\":", is_known, is_known ? model->initializers[row].index : 0);
	ADD_NAME(buf, ",\"function\":", names, initializers, row);
	strbuf_putc(buf, '}');
}

void faultjson_add_frame(struct strbuf *buf, const struct model *model,
			 const struct emit_names *names, const struct model_frame *frame)
{
	ADD_NAME(buf, "\"object\":", names, objects, frame->object);
	ADD_NAME(buf, ",\"build_id\":", names, build_ids, frame->object);
	ADD_NUMBER(buf, ",\"offset\":", frame->has_offset, frame->offset);
	ADD_NAME(buf, ",\"function\":", names, functions, frame->function);
	ADD_NUMBER(buf, ",\"function_offset\":", emit_has_name(model, frame->function),
		   frame->function_offset);
	ADD_NAME(buf, ",\"source\":", names, sources, frame->code);
}

void faultjson_add_end(struct strbuf *buf, const struct model_stack *stack)
{
	if (stack->is_complete)
		emit_literal(buf, "\"stack_end\":\"outermost\"");
	else if (stack->is_truncated)
		emit_literal(buf, "\"stack_end\":\"cut\"");
	else
		emit_literal(buf, "\"stack_end\":\"lost\"");
}

static void add_stack(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		      uint32_t index)
{
	if (index == MODEL_NONE) {
		emit_literal(buf, ",\"stack\":[],\"stack_end\":null");
		return;
	}
	const struct model_stack *stack = &model->stacks[index];

	emit_literal(buf, ",\"stack\":[");
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		strbuf_puts(buf, i > 0 ? ",{" : "{");
		faultjson_add_frame(buf, model, names, stack->frames[i]);
		strbuf_putc(buf, '}');
	}
	emit_literal(buf, "],");
	faultjson_add_end(buf, stack);
}

static void add_stack_id(struct strbuf *buf, const struct stackids *ids, uint32_t index)
{
	bool is_known = index != MODEL_NONE;

	ADD_NUMBER(buf, ",\"stack_id\":", is_known,
		   is_known ? *u64map_get(&ids->stacks, index) : 0);
}

void faultjson_add(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		   size_t index, const struct stackids *ids)
{
	const struct model_fault *fault = &model->faults[index];
	const struct model_thread *thread = model_thread(model, fault);

	ADD_NUMBER(buf, "{\"seq\":", true, index);
	ADD_NUMBER(buf, ",\"time_ns\":", !model->trace.times_are_order, fault->time_ns);
	ADD_NUMBER(buf, ",\"duration_ns\":", fault->has_duration, fault->duration_ns);
	ADD_NUMBER(buf, ",\"pid\":", true, thread->pid);
	ADD_NUMBER(buf, ",\"tid\":", true, thread->tid);
	ADD_NAME(buf, ",\"comm\":", names, comms, thread->comm);
	ADD_ADDR(buf, ",\"addr\":", true, fault->addr);
	ADD_WORD(buf, ",\"kind\":", model_kind_name(fault->kind));
	ADD_WORD(buf, ",\"access\":", model_access_name(fault->access));
	ADD_WORD(buf, ",\"mode\":", model_mode_name(fault->mode));
	ADD_WORD(buf, ",\"mechanism\":", model_mechanism_name(fault->mechanism));
	add_at(buf, model, names, fault);
	add_by(buf, model, names, fault);
	ADD_WORD(buf, ",\"initiator\":", model_initiator_name(fault->initiator));
	if (fault->certainty == MODEL_CERTAINTY_NONE)
		emit_literal(buf, ",\"certainty\":null");
	else
		ADD_WORD(buf, ",\"certainty\":", model_certainty_name(fault->certainty));
	// What no stack shows is null, not false: the contract's "never a guess".
	if (fault->dlopen == MODEL_DLOPEN_UNKNOWN)
		emit_literal(buf, ",\"dlopen\":null");
	else if (fault->dlopen == MODEL_DLOPEN_YES)
		emit_literal(buf, ",\"dlopen\":true");
	else
		emit_literal(buf, ",\"dlopen\":false");
	if (fault->step == MODEL_STEP_NONE)
		emit_literal(buf, ",\"step\":null");
	else
		ADD_WORD(buf, ",\"step\":", model_step_name(fault->step));
	add_initializer(buf, model, names, fault);
	add_blame(buf, model, names, fault->blame);
	if (ids)
		add_stack_id(buf, ids, fault->stack);
	else
		add_stack(buf, model, names, fault->stack);
	if (fault->has_around) {
		ADD_NAME(buf, ",\"mapped\":{\"object\":", names, objects, fault->at.object);
		ADD_NUMBER(buf, ",\"offset\":", true, model_around_offset(fault));
		ADD_NUMBER(buf, ",\"pages\":", true, model_around_pages(fault));
		strbuf_putc(buf, '}');
	} else {
		emit_literal(buf, ",\"mapped\":null");
	}
	if (fault->has_read) {
		ADD_NUMBER(buf, ",\"read\":{\"offset\":", true, model_read_offset(fault));
		ADD_NUMBER(buf, ",\"pages\":", true, model_read_pages(fault));
		ADD_NUMBER(buf, ",\"span\":", true, model_read_span(fault));
		strbuf_putc(buf, '}');
	} else {
		emit_literal(buf, ",\"read\":null");
	}
	emit_literal(buf, ",\"io\":[]}");
}
