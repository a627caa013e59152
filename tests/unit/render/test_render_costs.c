// SPDX-License-Identifier: Apache-2.0
// Relocation and data pages, for a person and in JSON.
#include "base/cleanup.h"
#include "render/columns/columns.h"
#include "render/columns/node.h"
#include "render/render.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/** @model as text from the first "Relocation" up to what follows; free the result. */
static char *print(const struct model *model, size_t top)
{
	const struct render_text_options options = { .top = top };
	CLEANUP(freep) char *text = text_written(render_text(model, &options, out));
	const char *start = strstr(text, "\n  Relocation");
	const char *end = start ? strstr(start, "\n\nNext object") : NULL;
	return start && end ? strndup(start, (size_t)(end - start)) : NULL;
}

TEST(the_blocks_follow_the_tables_of_an_object)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	CLEANUP(freep) char *text = print(model, 10);
	const char *expected =
		"\n"
		"  Relocation wrote 2 of the 4 pages that hold its 1,001 slots; 7 faults, 3.0 us\n"
		"    RELRO    2 of 3 pages written\n"
		"    tables   23.5 KiB on 6 pages, 5 mapped by 1 fault (.rela.dyn)\n"
		"    symbols  48 B on 1 page, 1 mapped by 1 fault (.dynsym)\n"
		"    names    1 looked up at load\n"
		"    with -z pack-relative-relocs: tables of 224 B instead of 23.5 KiB, 5 fewer "
		"pages of tables\n"
		"    with -no-pie: tables of 0 B instead of 23.5 KiB, 6 fewer pages of tables, 2 "
		"fewer pages written, 1 fewer lookup\n"
		"\n"
		"  written  of pages  relocations  relocated section\n"
		"        2         3        1,000  .data.rel.ro\n"
		"        0         1            1  \"evil\",\\x1b[31m\\x0d\\x0a\\x09\\\\xff\\u202e"
		"</script>=1+1\n"
		"\n"
		"  faults  name looked up\n"
		"       2  malloc\n"
		"       1  \"evil\",\\x1b[31m\\x0d\\x0a\\x09\\\\xff\\u202e</script>=1+1\n"
		"       1  a\n"
		"       1  b\n"
		"\n"
		"  Data: 1 page copied on write; 1 of 2 pages of .bss touched; the page "
		"shared by .data and .bss copied to zero 3.8 KiB\n"
		"\n"
		"  faults  page    section  cause        what was touched\n"
		"       3  0x6000  .data    written      counter (written), \"evil\",\\x1b[31m"
		"\\x0d\\x0a\\x09\\\\xff\\u202e</script>=1+1 (read); next to 7 symbols\n"
		"       1  0x7000  .bss     zeroed-tail  one of 1 symbol\n"
		"       1  0x8000  -        first-touch  -";

	assert_non_null(text);
	assert_string_equal(text, expected);
}

TEST(top_limits_the_rows_and_counts_the_rest)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	CLEANUP(freep) char *text = print(model, 1);

	assert_non_null(text);
	assert_null(strstr(text, "0x7000"));
	assert_non_null(strstr(text, "0x6000"));
	assert_non_null(strstr(text, "... 2 more pages with 2 faults"));
	assert_null(strstr(text, "        0         1            1  "));
}

TEST(where_nothing_happened_nothing_is_said)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	struct model_relocation relocation = *model->objects[0].relocation;
	struct model_data data = *model->objects[0].data;
	struct model_object *object = (struct model_object *)&model->objects[0];
	const struct render_text_options options = { .top = 10 };

	relocation.relocation.faults = relocation.lookup.faults = 0;
	memset(data.pages_of, 0, sizeof(data.pages_of));
	data.pages_of[MODEL_DATA_RELOCATED] = 3; // told of by the other block
	data.bss_pages_touched = 0;
	object->relocation = &relocation;
	object->data = &data;
	CLEANUP(freep) char *text = text_written(render_text(model, &options, out));
	assert_null(strstr(text, "Relocation"));
	assert_null(strstr(text, "Data:"));
}

static void expect(struct json_object *document, const char *path, const char *json)
{
	struct json_object *value = NULL;

	if (json_pointer_get(document, path, &value) != 0)
		fail_msg("%s is missing", path);
	assert_string_equal(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), json);
}

TEST(json_has_every_number)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	CLEANUP(node_putp)
	struct json_object *relocation =
		columns_new("relocation", model->objects[0].relocation, NULL);
	CLEANUP(node_putp)
	struct json_object *data = columns_new("data", model->objects[0].data, NULL);

	expect(relocation, "/counts",
	       "{\"relative\":1000,\"symbolic\":1,\"irelative\":0,\"tls\":0,\"copy\":0,"
	       "\"jump_slot\":0}");
	expect(relocation, "/encodings", "[\"rela\"]");
	expect(relocation, "/relro", "{\"bytes\":12288,\"pages\":3,\"pages_written\":2}");
	expect(relocation, "/pages_written", "2");
	expect(relocation, "/relocation",
	       "{\"faults\":7,\"major\":1,\"duration_ns\":3000,\"own_ns\":3000}");
	expect(relocation, "/by_section/0",
	       "{\"section\":\".data.rel.ro\",\"relocations\":1000,\"pages_holding\":3,"
	       "\"pages_written\":2,\"size\":12288}");
	expect(relocation, "/tables/0",
	       "{\"table\":\".dynsym\",\"holds\":\"names\",\"size\":48,\"pages\":1,"
	       "\"pages_mapped\":1,\"faults\":1}");
	expect(relocation, "/names/0", "{\"name\":\"malloc\",\"faults\":2}");
	expect(relocation, "/relinks/1",
	       "{\"option\":\"-no-pie\",\"applies\":true,\"relocations\":1001,"
	       "\"table_bytes\":-24024,\"table_pages\":-6,\"written_pages\":-2,\"lookups\":-1,"
	       "\"reason\":\"no slots\"}");
	expect(data, "/causes/written", "{\"pages\":1,\"faults\":3}");
	expect(data, "/bss", "{\"size\":9000,\"pages\":2,\"pages_touched\":1}");
	expect(data, "/tail", "{\"vaddr\":\"0x7100\",\"bytes\":3840}");
	expect(data, "/pages/0/symbols/0",
	       "{\"symbol\":\"counter\",\"vaddr\":\"0x6010\",\"size\":4,\"faults\":2,"
	       "\"writes\":1}");
	expect(data, "/pages/0/symbols_on_page", "9");
	expect(data, "/pages/2/section", "null");
}

TEST(what_is_not_there_is_null)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	struct model_relocation relocation = *model->objects[0].relocation;
	struct model_data data = *model->objects[0].data;

	assert_null(columns_new("relocation", NULL, NULL));
	assert_null(columns_new("data", NULL, NULL));
	relocation.relro_bytes = 0;
	data.bss_size = 0;
	data.tail_is_shared = false;
	CLEANUP(node_putp) struct json_object *first = columns_new("relocation", &relocation, NULL);
	CLEANUP(node_putp) struct json_object *second = columns_new("data", &data, NULL);
	expect(first, "/relro", "null");
	expect(second, "/bss", "null");
	expect(second, "/tail", "null");
}
