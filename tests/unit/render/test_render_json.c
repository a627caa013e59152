// SPDX-License-Identifier: Apache-2.0
// The analysis document: its parts, and what is null in it.
#include "base/cleanup.h"
#include "render/render.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

#include <json-c/json.h>

static struct json_object *parse_model(const struct model *model, bool faults)
{
	CLEANUP(freep) char *text = text_written(render_json(model, faults, out));
	struct json_object *document = json_tokener_parse(text);
	assert_non_null(document);
	return document;
}

static struct json_object *parse(bool faults)
{
	CLEANUP(model_closep) struct model *model = models_sample();

	return parse_model(model, faults);
}

/** Return the node at @path, a JSON pointer. Fails if nothing does. */
static struct json_object *at(struct json_object *document, const char *path)
{
	struct json_object *value = NULL;

	if (json_pointer_get(document, path, &value) != 0)
		fail_msg("%s is missing", path);
	return value;
}

static void expect(struct json_object *document, const char *path, const char *json)
{
	assert_string_equal(json_object_to_json_string_ext(at(document, path),
							   JSON_C_TO_STRING_PLAIN |
								   JSON_C_TO_STRING_NOSLASHESCAPE),
			    json);
}

TEST(trace_and_counts_are_the_models)
{
	struct json_object *document = parse(false);

	expect(document, "/schema", "\"elfault.analysis/1\"");
	expect(document, "/trace",
	       "{\"path\":\"elfault.trace\",\"command\":[\"sample\",\"two "
	       "words\"],\"process\":null,"
	       "\"backend\":\"bpf\",\"kernel\":\"6.18.0\",\"machine\":\"x86_64\","
	       "\"page_size\":4096,\"duration_ns\":31200000,\"window\":null,\"complete\":true,"
	       "\"truncated\":false,"
	       "\"has_stacks\":true,\"has_reads\":true,\"plain\":null}");
	expect(document, "/counts",
	       "{\"recorded\":5,\"attributed\":4,\"unattributed\":1,\"lost\":0,\"minor\":4,"
	       "\"major\":1,\"rusage_minor\":7,\"rusage_major\":1,\"unsampled\":1,"
	       "\"exec_unsampled\":null,\"call_unsampled\":null,\"hidden\":null,"
	       "\"unseen_programs\":null,\"missing\":0,"
	       "\"before_exec\":2,"
	       "\"lost_other\":0,\"stacks_lost\":0,\"without_stack\":0,\"without_stack_unknown\":0,"
	       "\"processes\":1,\"threads\":2,\"programs\":1,"
	       "\"read_bytes\":122880,\"read_again_bytes\":null,"
	       "\"in_elf\":3,\"in_elf_section\":3,\"in_elf_symbol\":2}");
	json_object_put(document);
}

TEST(an_object_has_its_breakdowns)
{
	struct json_object *document = parse(false);

	assert_int_equal(json_object_array_length(at(document, "/objects")), 3);
	expect(document, "/objects/0/path", "\"/opt/app/sample\"");
	expect(document, "/objects/0/soname", "null");
	expect(document, "/objects/0/read_bytes", "122880");
	expect(document, "/objects/0/by_mechanism",
	       "{\"file-map\":1,\"private-write\":1,\"cow-break\":1,\"zero-fill\":0,"
	       "\"fork-cow\":0,\"refault\":0,\"other\":0}");
	expect(document, "/objects/0/by_access",
	       "{\"read\":0,\"write\":2,\"exec\":1,\"unknown\":0}");
	expect(document, "/objects/0/by_initiator/unknown", "3");
	expect(document, "/objects/0/by_section",
	       "[{\"section\":\".data.rel.ro\",\"faults\":2,\"major\":1,\"read_bytes\":122880,"
	       "\"pages\":2,\"size\":12288},{\"section\":\".text\",\"faults\":1,\"major\":0,"
	       "\"read_bytes\":0,\"pages\":1,\"size\":4097}]");
	expect(document, "/objects/0/by_symbol/0",
	       "{\"symbol\":\"&llvm::Foo::bar(int, char)\",\"symbol_kind\":\"pointee\","
	       "\"section\":\".data.rel.ro\",\"offset\":12288,\"size\":64,\"faults\":1,"
	       "\"major\":1}");
	expect(document, "/objects/0/by_symbol/1/offset", "null");
	expect(document, "/objects/0/by_function/1/object", "\"/opt/app/sample\"");
	expect(document, "/objects/0/by_blame/0/object", "\"/opt/app/sample\"");
	expect(document, "/objects/0/by_blame/0/faults", "2");
	expect(document, "/objects/1/by_blame", "[]");
	expect(document, "/by_blame/0/major", "1");
	expect(document, "/objects/0/initializers/1",
	       "{\"index\":1,\"array\":\".init_array\",\"function\":null,\"offset\":null,"
	       "\"source\":null,\"faults\":0,\"lazy_binding\":0,\"major\":0,\"duration_ns\":0,"
	       "\"own_ns\":0,\"late_ns\":0,"
	       "\"pages\":0,\"code_pages\":0,\"code_pages_only\":0,\"first_ns\":null,"
	       "\"last_ns\":null,\"read_bytes\":0,\"cpu_ns\":null,"
	       "\"wait_ns\":null,\"storage_bytes\":null,\"package\":null}");
	expect(document, "/objects/0/initializers/0/code_pages_only", "1");
	expect(document, "/objects/0/initializers/0/first_ns", "40");
	expect(document, "/objects/1/by_function/0/function", "null");
	expect(document, "/objects/2/size", "null");
	json_object_put(document);
}

TEST(what_faults_read_is_null_where_it_is_not_known)
{
	CLEANUP(model_closep) struct model *model = models_sample();

	model->trace.has_reads = model->counts.has_reads = false;
	struct json_object *document = parse_model(model, false);

	expect(document, "/trace/has_reads", "false");
	expect(document, "/counts/read_bytes", "null");
	expect(document, "/objects/0/read_bytes", "null");
	expect(document, "/objects/0/by_section/0/read_bytes", "null");
	json_object_put(document);
}

TEST(hostile_names_come_back_as_they_were)
{
	struct json_object *document = parse(false);

	// All but the byte that is not UTF-8, which became U+FFFD.
	assert_string_equal(json_object_get_string(at(document, "/objects/1/soname")),
			    "\"evil\",\x1b[31m\r\n\t\\\xef\xbf\xbd\xe2\x80\xae</script>=1+1");
	assert_string_equal(json_object_get_string(at(document, "/objects/0/by_symbol/1/symbol")),
			    models_long_name());
	json_object_put(document);
}

TEST(findings_say_what_it_costs_and_what_to_change)
{
	struct json_object *document = parse(false);

	assert_int_equal(json_object_array_length(at(document, "/findings")), 3);
	expect(document, "/findings/0/id", "\"relocated-data\"");
	expect(document, "/findings/0/object", "\"/opt/app/sample\"");
	expect(document, "/findings/0/faults", "2");
	expect(document, "/findings/0/pages", "2");
	expect(document, "/findings/0/duration_ns", "3000");
	expect(document, "/findings/0/saves_faults", "2");
	expect(document, "/findings/0/saves/faults", "2");
	expect(document, "/findings/0/saves/duration_ns", "3000");
	expect(document, "/findings/0/saves/bound", "true");
	expect(document, "/findings/0/saves/is", "\"at-most\"");
	expect(document, "/findings/0/saves/error", "null");
	expect(document, "/findings/1/saves/is", "\"at-least\"");
	expect(document, "/findings/2/saves/is", "\"prediction\"");
	expect(document, "/findings/2/saves/error/duration_ns", "300");
	expect(document, "/findings/0/for", "\"build\"");
	expect(document, "/findings/0/files/0/faults", "2");
	expect(document, "/findings/2/cures/0/for", "\"run\"");
	expect(document, "/findings/2/title", "\"Pages are waited for from disk\"");
	expect(document, "/findings/2/object", "null");
	expect(document, "/findings/2/evidence", "\"One page.\"");
	expect(document, "/findings/2/advice", "\"Ask early.\"");
	json_object_put(document);
}

TEST(the_order_of_code_is_told_of_all_faults_alone)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	struct json_object *whole = parse_model(model, false);

	expect(whole, "/objects/0/locality/functions", "1");
	expect(whole, "/objects/0/locality/area", "1");
	expect(whole, "/objects/0/locality/packing", "1.0");
	expect(whole, "/objects/0/locality/code_curve",
	       "{\"functions\":[1],\"pages\":[1],\"time_ns\":[40]}");
	expect(whole, "/objects/0/locality/file_curve/pages", "[1,2,3]");
	expect(whole, "/objects/2/locality", "null"); // not a file
	json_object_put(whole);
	model->filter = "kind=minor";
	struct json_object *part = parse_model(model, false);
	expect(part, "/objects/0/locality", "null");
	json_object_put(part);
	model->filter = NULL;
	model->is_narrowed = true;
	part = parse_model(model, false);
	expect(part, "/objects/0/locality", "null");
	json_object_put(part);
}

TEST(notes_say_how_often)
{
	struct json_object *document = parse(false);

	assert_int_equal(json_object_array_length(at(document, "/notes")), 2);
	expect(document, "/notes/1", "\"seen twice (2 times)\"");
	json_object_put(document);
}

TEST(faults_are_there_only_when_asked_for)
{
	struct json_object *without = parse(false);
	struct json_object *with = parse(true);

	assert_false(json_object_object_get_ex(without, "faults", NULL));
	assert_int_equal(json_object_array_length(at(with, "/faults")), 5);
	expect(with, "/faults/4/seq", "4");
	json_object_put(without);
	json_object_put(with);
}
