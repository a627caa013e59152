// SPDX-License-Identifier: Apache-2.0
// The account's subject, in words.
#include "render/text/text.h"

#include "model/account.h"

/** "" where it was not recorded. */
static const char *comm_of(const struct text *text, uint32_t process)
{
	return text->model->comms[text->model->account->processes[process].comm];
}

static const char *name_of(struct text *text, uint32_t process)
{
	const char *comm = comm_of(text, process);

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

	const bool is_deep = subject->command != MODEL_NONE &&
			     subject->starter != subject->command &&
			     comm_of(text, subject->command)[0];

	return arena_printf(&text->arena, " of %s, %s by %s%s%s", text_subject(text),
			    subject->is_forked ? "forked" : "started",
			    name_of(text, subject->starter), is_deep ? ", under " : "",
			    is_deep ? name_of(text, subject->command) : "");
}
