// SPDX-License-Identifier: Apache-2.0
// The account's subject, in words.
#include "render/text/text.h"

#include "model/account.h"

static const char *name_of(struct text *text, uint32_t process)
{
	const struct model *model = text->model;
	const char *comm = model->comms[model->account->processes[process].comm];

	return comm[0] ? text_safe(text, comm) : "(no name)";
}

const char *text_subject(struct text *text)
{
	return name_of(text, text->model->account->subject.process);
}

const char *text_of_subject(struct text *text)
{
	const struct model_subject *subject = &text->model->account->subject;

	if (!subject->is_other)
		return "";
	if (subject->starter == MODEL_NONE)
		return arena_printf(&text->arena, " of %s", text_subject(text));

	const bool is_deep = subject->command != MODEL_NONE && subject->starter != subject->command;

	return arena_printf(&text->arena, " of %s, %s by %s%s%s", text_subject(text),
			    subject->is_forked ? "forked" : "started",
			    name_of(text, subject->starter), is_deep ? ", under " : "",
			    is_deep ? name_of(text, subject->command) : "");
}
