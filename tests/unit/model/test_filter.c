// SPDX-License-Identifier: Apache-2.0
// Conditions over the words of a fault: what they choose, and what they say when misspelled.
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/filter.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static void filter_destroyp(struct filter **filter)
{
	filter_destroy(*filter);
}

/** The places of the sample's faults that @text chooses: "1 2"; notes go to @notes. */
static const char *chosen_noting(const char *text, struct notes *notes)
{
	static char places[64];
	CLEANUP(model_closep) struct model *model = models_sample();
	CLEANUP(filter_destroyp) struct filter *filter = filter_create();
	struct model_fault faults[8];
	struct err err = { 0 };

	if (!filter_add(filter, text, &err))
		fail_msg("%s", err.message);
	assert_string_equal(filter_text(filter), text);
	memcpy(faults, model->faults, model->fault_count * sizeof(*faults));
	size_t count = filter_apply(filter, model, faults, model->fault_count, notes);

	places[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		size_t place = 0;

		while (model->faults[place].addr != faults[i].addr)
			place++;
		sprintf(places + strlen(places), "%s%zu", i > 0 ? " " : "", place);
	}
	return places;
}

static const char *chosen(const char *text)
{
	struct notes notes = { 0 };
	const char *places = chosen_noting(text, &notes);

	assert_int_equal(notes.list.count, 0);
	return places;
}

/** The message that @text is refused with. */
static const char *refused(const char *text)
{
	static struct err err;
	CLEANUP(filter_destroyp) struct filter *filter = filter_create();

	if (filter_add(filter, text, &err))
		fail_msg("accepted: %s", text);
	assert_int_equal(err.code, ERR_INPUT);
	return err.message;
}

TEST(one_condition_chooses)
{
	assert_string_equal(chosen("access=write"), "0 1 2");
	assert_string_equal(chosen("kind=major"), "1");
	assert_string_equal(chosen("mode=kernel"), "0");
	assert_string_equal(chosen("mechanism=other"), "4");
	assert_string_equal(chosen("initiator=unknown"), "0 1 2 3 4");
	assert_string_equal(chosen("initiator=exec"), "");
	assert_string_equal(chosen("section=.text"), "3");
	assert_string_equal(chosen("segment=3"), "1 2");
	assert_string_equal(chosen("symbol_kind=pointee"), "1");
	assert_string_equal(chosen("function=_dl_relocate_object"), "1 2");
	assert_string_equal(chosen("by_object=/opt/app/sample"), "3");
	assert_string_equal(chosen("by_section=.text"), "1 2 3");
	assert_string_equal(chosen("comm=sample"), "0 1 3");
	assert_string_equal(chosen("tid=8"), "2");
}

TEST(all_conditions_hold)
{
	assert_string_equal(chosen("access=write,section=.data.rel.ro"), "1 2");
	assert_string_equal(chosen(" access = write, mechanism=cow-break"), "2");
	assert_string_equal(chosen("access=write,access=exec"), "");
}

TEST(a_bar_separates_values)
{
	assert_string_equal(chosen("access=exec|unknown"), "3 4");
	assert_string_equal(chosen("section=[heap]|.text"), "0 3");
	assert_string_equal(chosen("tid=1|8"), "2 4");
}

TEST(not_equal_is_none_of_these)
{
	assert_string_equal(chosen("access!=write"), "3 4");
	assert_string_equal(chosen("access!=write|exec"), "4");
	assert_string_equal(chosen("tid!=7"), "2 4");
	// Also faults that have no value at all.
	assert_string_equal(chosen("function!=_dl_relocate_object"), "0 3 4");
}

TEST(wildcards_stand_for_parts_of_names)
{
	assert_string_equal(chosen("section=.*"), "1 2 3");
	assert_string_equal(chosen("section=.tex?"), "3");
	assert_string_equal(chosen("mechanism=*-*"), "0 1 2 3");
	assert_string_equal(chosen("symbol=*Foo*"), "1");
	assert_string_equal(chosen("tid=?"), "0 1 2 3 4");
	assert_string_equal(chosen("tid=7*"), "0 1 3");
}

TEST(values_with_commas_are_quoted_or_escaped)
{
	assert_string_equal(chosen("symbol=\"&llvm::Foo::bar(int, char)\""), "1");
	assert_string_equal(chosen("symbol=&llvm::Foo::bar(int\\, char)"), "1");
	assert_string_equal(chosen("symbol=*\"(int, char)\",access=write"), "1");
	assert_string_equal(chosen("symbol=\"&llvm::Foo::bar(int, char)\"|nn*"), "1 2");

	CLEANUP(notes_deinit) struct notes notes = { 0 };
	// A star in quotation marks is no wildcard.
	assert_string_equal(chosen_noting("symbol=\"&llvm::*\"", &notes), "");
	assert_int_equal(notes.list.count, 1);
}

TEST(names_may_hold_anything)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	strbuf_puts(&text, "comm=\"");
	for (const char *c = MODELS_HOSTILE; *c; c++) {
		if (strchr("\"\\", *c))
			strbuf_putc(&text, '\\');
		strbuf_putc(&text, *c);
	}
	strbuf_putc(&text, '"');
	assert_string_equal(chosen(text.text), "2");
}

TEST(an_object_is_a_path_a_file_name_or_a_soname)
{
	assert_string_equal(chosen("object=/opt/app/sample"), "1 2 3");
	assert_string_equal(chosen("object=sample"), "1 2 3");
	assert_string_equal(chosen("object=/opt/*"), "1 2 3");
	assert_string_equal(chosen("object=*evil*"), "4");
	assert_string_equal(chosen("object=[heap]"), "0");
	assert_string_equal(chosen("at.object=sample"), "1 2 3");
}

TEST(null_is_no_value)
{
	assert_string_equal(chosen("symbol=null"), "0 3 4");
	assert_string_equal(chosen("symbol!=null"), "1 2");
	assert_string_equal(chosen("symbol_kind=null"), "0 3 4");
	assert_string_equal(chosen("by_object=null"), "0");
	assert_string_equal(chosen("certainty=null"), "0 1 2 3 4");
	assert_string_equal(chosen("segment=null"), "0 4");
	assert_string_equal(chosen("comm=null|sample"), "0 1 3 4");
	// A function without a name has null, as in JSON.
	assert_string_equal(chosen("function=null"), "0 4");
}

TEST(a_name_that_nothing_has_is_noted)
{
	CLEANUP(notes_deinit) struct notes notes = { 0 };

	assert_string_equal(chosen_noting("section=.txet|.text,symbol!=nonesuch", &notes), "3");
	assert_int_equal(notes.list.count, 2);
	assert_non_null(strstr(notes.list.items[0].text, ".txet"));
	assert_non_null(strstr(notes.list.items[1].text, "nonesuch"));
}

TEST(several_texts_hold_together)
{
	CLEANUP(filter_destroyp) struct filter *filter = filter_create();
	struct err err;

	assert_true(filter_add(filter, "kind=minor", &err));
	assert_true(filter_add(filter, "access=write,mode=user", &err));
	assert_string_equal(filter_text(filter), "kind=minor,access=write,mode=user");
}

TEST(a_misspelled_word_is_refused_with_the_words)
{
	const char *message = refused("initator=exec");
	size_t count;
	const struct field *fields = field_all(&count);

	assert_non_null(strstr(message, "'initator'"));
	assert_non_null(strstr(message, "did you mean initiator?"));
	for (size_t i = 0; i < count; i++)
		assert_non_null(strstr(message, fields[i].name));
	assert_null(strstr(refused("qqqqqqqqqqqq=1"), "did you mean"));
}

TEST(a_misspelled_value_is_refused_naming_the_nearest)
{
	assert_non_null(strstr(refused("initiator=static-ini"), "did you mean static-init?"));
	assert_non_null(
		strstr(refused("access=write|rite"), "'rite' for access (did you mean write?)"));
	assert_non_null(strstr(refused("dlopen=yes"), "values are false, true"));
	assert_non_null(strstr(refused("kind=m?"), "values are minor, major"));
	assert_non_null(strstr(refused("pid=seven"), "is a number"));
	assert_non_null(strstr(refused("pid=-1"), "is a number"));
}

TEST(broken_conditions_are_refused)
{
	assert_non_null(strstr(refused(""), "not FIELD=VALUE"));
	assert_non_null(strstr(refused("access"), "not FIELD=VALUE"));
	assert_non_null(strstr(refused("access=write,"), "not FIELD=VALUE"));
	assert_non_null(strstr(refused("symbol=foo(int, char)"), "contains a comma"));
	assert_non_null(strstr(refused("symbol!foo"), "not FIELD=VALUE"));
	assert_non_null(strstr(refused("access="), "a value is missing"));
	assert_non_null(strstr(refused("access=|write"), "a value is missing"));
	assert_non_null(strstr(refused("symbol=\"foo"), "not closed"));
	assert_non_null(strstr(refused("=write"), "unknown field ''"));
}
