// SPDX-License-Identifier: Apache-2.0
// Faults as JSON lines and as CSV: whole lines, and hostile names.
#include "base/cleanup.h"
#include "render/render.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#define EVIL_JSON "\\\"evil\\\",\\u001b[31m\\r\\n\\t\\\\\xef\xbf\xbd\\u202e</script>=1+1"
#define EVIL_CSV  "\"\"evil\"\",\\x1b[31m\\x0d\\x0a\\x09\\\xef\xbf\xbd\\u202e</script>=1+1"

enum format { NDJSON, CSV };

/** The sample in @format; free the result. */
static char *print(enum format format)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	return text_written(format == NDJSON ? render_ndjson(model, false, out)
					     : render_csv(model, out));
}

/** The line at @index, cut off from @text. */
static const char *line_at(char *text, size_t index)
{
	char *line = strtok(text, "\n");

	while (index-- > 0)
		line = strtok(NULL, "\n");
	assert_non_null(line);
	return line;
}

TEST(a_fault_without_an_ip_has_null_for_who_touched_it)
{
	CLEANUP(freep) char *text = print(NDJSON);

	assert_string_equal(
		line_at(text, 0),
		"{\"seq\":0,\"time_ns\":10,\"duration_ns\":100,\"own_ns\":100,\"late_ns\":0,"
		"\"pid\":7,\"tid\":7,"
		"\"comm\":\"sample\",\"addr\":\"0x7ffffffff000\",\"kind\":\"minor\","
		"\"access\":\"write\",\"mode\":\"kernel\",\"mechanism\":\"zero-fill\","
		"\"at\":{\"object\":\"[heap]\",\"build_id\":null,\"offset\":null,\"vaddr\":null,"
		"\"segment\":null,"
		"\"section\":\"[heap]\",\"symbol\":null,\"symbol_kind\":null,"
		"\"symbol_offset\":null},"
		"\"by\":{\"ip\":null,\"object\":null,\"build_id\":null,\"offset\":null,\"vaddr\":"
		"null,"
		"\"section\":null,\"function\":null,\"function_offset\":null,\"source\":null,"
		"\"inlined\":[],\"instruction\":null},"
		"\"initiator\":\"unknown\",\"certainty\":null,\"dlopen\":null,\"step\":null,"
		"\"initializer\":null,\"blame\":null,\"stack\":[],\"stack_end\":null,"
		"\"mapped\":null,\"read\":null,\"io\":[]}");
}

TEST(a_fault_with_everything_has_everything_on_its_line)
{
	CLEANUP(freep) char *text = print(NDJSON);

	assert_string_equal(
		line_at(text, 1),
		"{\"seq\":1,\"time_ns\":20,\"duration_ns\":2500,\"own_ns\":2500,\"late_ns\":0,"
		"\"pid\":7,\"tid\":7,"
		"\"comm\":\"sample\",\"addr\":\"0x555555558010\",\"kind\":\"major\","
		"\"access\":\"write\",\"mode\":\"user\",\"mechanism\":\"private-write\","
		"\"at\":{\"object\":\"/opt/app/"
		"sample\",\"build_id\":\"00ff\",\"offset\":12304,\"vaddr\":\"0x4010\","
		"\"segment\":3,\"section\":\".data.rel.ro\","
		"\"symbol\":\"&llvm::Foo::bar(int, char)\",\"symbol_kind\":\"pointee\","
		"\"symbol_offset\":16},"
		"\"by\":{\"ip\":\"0x7f0000001234\",\"object\":\"/lib/" EVIL_JSON "\","
		"\"build_id\":null,\"offset\":4660,\"vaddr\":\"0x1234\",\"section\":\".text\","
		"\"function\":\"_dl_relocate_object\",\"function_offset\":52,"
		"\"source\":\"/src/do-rel.h:7\","
		"\"inlined\":[{\"function\":\"elf_machine_rela(char*)\","
		"\"source\":\"/src/" EVIL_JSON ":12\"},{\"function\":null,\"source\":null}],"
		"\"instruction\":\"mov qword ptr [rdi + 8], rax\"},"
		"\"initiator\":\"unknown\",\"certainty\":null,\"dlopen\":null,\"step\":null,"
		"\"initializer\":null,"
		"\"blame\":{\"object\":\"/opt/app/"
		"sample\",\"build_id\":\"00ff\",\"function\":\"" EVIL_JSON "\"},"
		"\"stack\":[{\"object\":\"/lib/" EVIL_JSON "\",\"build_id\":null,\"offset\":4660,"
		"\"function\":\"_dl_relocate_object\",\"function_offset\":52,"
		"\"source\":\"/src/do-rel.h:7\"},"
		"{\"object\":\"/lib/" EVIL_JSON
		"\",\"build_id\":null,\"offset\":22136,\"function\":null,"
		"\"function_offset\":null,\"source\":\"" EVIL_JSON "\"},"
		"{\"object\":null,\"build_id\":null,\"offset\":null,\"function\":null,\"function_"
		"offset\":null,"
		"\"source\":null}],\"stack_end\":\"outermost\","
		"\"mapped\":{\"object\":\"/opt/app/sample\",\"offset\":12288,\"pages\":16},"
		"\"read\":{\"offset\":8192,\"pages\":30,\"span\":32},\"io\":[]}");
}

TEST(a_fault_names_the_initializer_that_ran)
{
	CLEANUP(freep) char *text = print(NDJSON);

	assert_non_null(strstr(line_at(text, 3),
			       "\"initializer\":{\"object\":\"/opt/app/sample\","
			       "\"build_id\":\"00ff\","
			       "\"array\":\".init_array\",\"index\":0,\"function\":\"setup()\"},"));
}

TEST(the_largest_numbers_survive)
{
	CLEANUP(freep) char *text = print(NDJSON);
	const char *line = line_at(text, 4);

	assert_non_null(strstr(line, "\"time_ns\":18446744073709551615,"));
	assert_non_null(strstr(line, "\"pid\":4294967295,"));
	assert_non_null(strstr(line, "\"addr\":\"0xffffffffffffffff\","));
}

TEST(every_line_is_json_with_the_same_keys)
{
	CLEANUP(freep) char *text = print(NDJSON);
	size_t lines = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
		struct json_object *fault = json_tokener_parse(line);

		assert_non_null(fault);
		assert_int_equal(json_object_object_length(fault), 26);
		json_object_put(fault);
	}
	assert_int_equal(lines, 5);
}

TEST(csv_has_a_heading_and_empty_fields_for_null)
{
	CLEANUP(freep) char *text = print(CSV);
	const char *first =
		"seq,time_ns,duration_ns,own_ns,late_ns,pid,tid,comm,addr,kind,access,mode,"
		"mechanism,at.object,"
		"at.build_id,at.offset,at.vaddr,at.segment,at.section,at.symbol,at.symbol_kind,"
		"at.symbol_offset,by.ip,by.object,by.build_id,by.offset,by.vaddr,by.section,"
		"by.function,by.function_offset,by.source,by.inlined,by.instruction,initiator,"
		"certainty,dlopen,step,initializer.object,initializer.build_id,initializer.array,"
		"initializer.index,initializer.function,blame.object,blame.build_id,"
		"blame.function,stack,stack_end,mapped.object,mapped.offset,mapped.pages,"
		"read.offset,read.pages,read.span\n"
		"0,10,100,100,0,7,7,sample,0x7ffffffff000,minor,write,kernel,zero-fill,[heap],,,,,["
		"heap],"
		",,,,,,,,,,,,,,unknown,,,,,,,,,,,,,,,,,,,\n"
		"1,20,2500,2500,0,7,7,sample,0x555555558010,major,write,user,private-write,"
		"/opt/app/sample,00ff,12304,0x4010,3,.data.rel.ro,\"&llvm::Foo::bar(int, char)\","
		"pointee,16,0x7f0000001234,\"/lib/" EVIL_CSV "\",,4660,0x1234,.text,"
		"_dl_relocate_object,52,/src/do-rel.h:7,elf_machine_rela(char*);[unknown],"
		"\"mov qword ptr [rdi + 8], rax\",unknown,,,,,,,,,/opt/app/sample,00ff,"
		"\"" EVIL_CSV "\",_dl_relocate_object;[unknown];[unknown],outermost,"
		"/opt/app/sample,12288,16,8192,30,32\n";

	text[strlen(first)] = '\0';
	assert_string_equal(text, first);
}

TEST(csv_shows_escapes_whatever_it_is_written_to)
{
	CLEANUP(freep) char *text = print(CSV);

	for (const char *byte = text; *byte; byte++)
		assert_true((unsigned char)*byte >= 0x20 || *byte == '\n');
	assert_null(strstr(text, "\xe2\x80\xae"));
}

TEST(a_full_disk_is_an_error)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	CLEANUP(file_closep) FILE *full = fopen("/dev/full", "w");

	if (!full)
		skip();
	assert_false(render_ndjson(model, false, full));
	assert_false(render_csv(model, full));
	assert_false(render_json(model, true, full));
	assert_false(render_text(model, &(struct render_text_options){ .top = 10 }, full));
}
