// SPDX-License-Identifier: Apache-2.0
#include "export/jsontext.h"

#include "base/cleanup.h"
#include "render/emit.h"
#include "render/escape.h"

void jsontext_title(struct strbuf *buf, const struct model *model)
{
	const struct model_trace *trace = &model->trace;

	for (size_t i = 0; i < trace->command_count; i++) {
		strbuf_puts(buf, i > 0 ? " " : "");
		strbuf_put_word(buf, trace->command[i]);
	}
	if (trace->command_count == 0)
		strbuf_puts(buf, trace->process ? trace->process : trace->path);
}

void jsontext_ms(struct strbuf *buf, uint64_t time_ns)
{
	char digits[] = ".000000";
	uint64_t rest = time_ns % 1000000;
	size_t length = sizeof(digits) - 1;

	emit_number(buf, time_ns / 1000000);
	if (rest == 0)
		return;
	for (size_t i = length; i-- > 1; rest /= 10)
		digits[i] = (char)('0' + rest % 10);
	while (digits[length - 1] == '0')
		length--;
	strbuf_add(buf, digits, length);
}

void jsontext_thread(struct strbuf *buf, const char *comm, uint32_t pid, uint32_t tid)
{
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 };

	strbuf_printf(&name, "%s %u", comm, pid);
	if (tid != pid)
		strbuf_printf(&name, "/%u", tid);
	escape_json(buf, strbuf_text(&name));
}
