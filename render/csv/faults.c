// SPDX-License-Identifier: Apache-2.0
// The faults as a table for spreadsheets and data frames.
#include "render/emit.h"
#include "base/cleanup.h"
#include "render/escape.h"
#include "render/render.h"

static const char heading[] =
	"seq,time_ns,duration_ns,pid,tid,comm,addr,kind,access,mode,mechanism,"
	"at.object,at.offset,at.vaddr,at.segment,at.section,at.symbol,at.symbol_kind,"
	"at.symbol_offset,"
	"by.ip,by.object,by.offset,by.vaddr,by.section,by.function,by.function_offset,by.source,by."
	"instruction,"
	"initiator,step,initializer.object,initializer.array,initializer.index,initializer."
	"function,"
	"blame.object,blame.function,stack,mapped.object,mapped.offset,mapped.pages,"
	"read.offset,read.pages,read.span\n";

static void add_number(struct strbuf *buf, bool known, uint64_t number)
{
	strbuf_putc(buf, ',');
	if (known)
		emit_number(buf, number);
}

static void add_addr(struct strbuf *buf, bool known, uint64_t addr)
{
	strbuf_putc(buf, ',');
	if (known)
		emit_addr(buf, addr);
}

static void add_name(struct strbuf *buf, const struct emit_names *names,
		     const struct emit_piece *pieces, uint32_t index)
{
	strbuf_putc(buf, ',');
	emit_piece(buf, emit_name(names, pieces, index));
}

static void add_word(struct strbuf *buf, const char *word)
{
	strbuf_putc(buf, ',');
	if (word)
		strbuf_puts(buf, word);
}

static void add_at(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		   const struct model_fault *fault)
{
	int32_t segment = emit_segment(model, &fault->at);
	const char *kind = emit_symbol_kind(model, &fault->at);

	add_name(buf, names, names->objects, fault->at.object);
	add_number(buf, fault->at.has_offset, fault->at.offset);
	add_addr(buf, fault->at.has_vaddr, fault->at.vaddr);
	add_number(buf, segment >= 0, (uint64_t)segment);
	add_name(buf, names, names->sections, fault->at.section);
	add_name(buf, names, names->symbols, fault->at.name);
	add_word(buf, kind);
	add_number(buf, kind, kind ? model_name_offset(model, fault) : 0);
}

static void add_by(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		   const struct model_fault *fault)
{
	add_addr(buf, fault->has_ip, fault->by->ip);
	add_name(buf, names, names->objects, fault->by->object);
	add_number(buf, fault->by->has_offset, fault->by->offset);
	add_addr(buf, fault->by->has_vaddr, fault->by->vaddr);
	add_name(buf, names, names->function_sections, fault->by->name);
	add_name(buf, names, names->functions, fault->by->name);
	add_number(buf, emit_has_name(model, fault->by->name), fault->by->name_offset);
	add_name(buf, names, names->sources, fault->by->code);
	add_name(buf, names, names->instructions, fault->by->code);
}

static void add_initializer(struct strbuf *buf, const struct model *model,
			    const struct emit_names *names, const struct model_fault *fault)
{
	uint32_t index = fault->initializer;
	const struct model_initializer *initializer =
		index == MODEL_NONE ? NULL : &model->initializers[index];

	add_name(buf, names, names->objects, fault->init_object);
	add_name(buf, names, names->initializer_arrays, index);
	add_number(buf, initializer, initializer ? initializer->index : 0);
	add_name(buf, names, names->initializers, index);
}

/** The functions, innermost first, joined by semicolons as folded stacks are. */
static void add_stack(struct strbuf *buf, const struct model *model, uint32_t index,
		      struct strbuf *scratch)
{
	strbuf_putc(buf, ',');
	if (index == MODEL_NONE)
		return;
	const struct model_stack *stack = &model->stacks[index];

	strbuf_clear(scratch);
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint32_t function = stack->frames[i]->function;

		if (i > 0)
			strbuf_putc(scratch, ';');
		strbuf_puts(scratch, emit_has_name(model, function)
					     ? model->functions[function].name
					     : "[unknown]");
	}
	escape_csv(buf, strbuf_text(scratch));
}

bool render_csv(const struct model *model, FILE *out)
{
	struct emit_names names;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf scratch = { 0 };
	bool ok = true;

	emit_names_init(&names, model, escape_csv, "");
	strbuf_puts(&buf, heading);
	for (size_t i = 0; ok && i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		const struct model_thread *thread = model_thread(model, fault);

		emit_number(&buf, i);
		add_number(&buf, !model->trace.times_are_order, fault->time_ns);
		add_number(&buf, fault->has_duration, fault->duration_ns);
		add_number(&buf, true, thread->pid);
		add_number(&buf, true, thread->tid);
		add_name(&buf, &names, names.comms, thread->comm);
		add_addr(&buf, true, fault->addr);
		add_word(&buf, model_kind_name(fault->kind));
		add_word(&buf, model_access_name(fault->access));
		add_word(&buf, model_mode_name(fault->mode));
		add_word(&buf, model_mechanism_name(fault->mechanism));
		add_at(&buf, model, &names, fault);
		add_by(&buf, model, &names, fault);
		add_word(&buf, model_initiator_name(fault->initiator));
		strbuf_putc(&buf, ',');
		if (fault->step != MODEL_STEP_NONE)
			strbuf_puts(&buf, model_step_name(fault->step));
		add_initializer(&buf, model, &names, fault);
		add_name(&buf, &names, names.objects,
			 fault->blame == MODEL_NONE ? MODEL_NONE
						    : model->functions[fault->blame].object);
		add_name(&buf, &names, names.functions, fault->blame);
		add_stack(&buf, model, fault->stack, &scratch);
		add_name(&buf, &names, names.objects,
			 fault->has_around ? fault->at.object : MODEL_NONE);
		add_number(&buf, fault->has_around, model_around_offset(fault));
		add_number(&buf, fault->has_around, model_around_pages(fault));
		add_number(&buf, fault->has_read, model_read_offset(fault));
		add_number(&buf, fault->has_read, model_read_pages(fault));
		add_number(&buf, fault->has_read, model_read_span(fault));
		strbuf_putc(&buf, '\n');
		ok = emit_drain(&buf, 1 << 18, out);
	}
	ok = ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
	emit_names_deinit(&names);
	return ok;
}
