// SPDX-License-Identifier: Apache-2.0
#include "model/columns.h"

#include "model/account.h"
#include "model/io.h"
#include "model/model.h"
#include "model/search.h"
#include "model/storage.h"
#include "model/waits.h"
#include "model/words.def"

#include <string.h>

// The type of each column, as render/columns/columns.h writes types.
#define TYPE_NUMBER(number)		"number"
#define TYPE_NUMBER_IF(known, number)	"number?"
#define TYPE_ADDRESS(address)		"address"
#define TYPE_ADDRESS_IF(known, address) "address?"
#define TYPE_WORD(list, value)		#list
#define TYPE_WORD_IF(list, value)	#list "?"
#define TYPE_TRUTH(value)		"bool?"
#define TYPE_NAME(list, index)		"text?"
#define TYPE_BUILD_ID(object)		"build-id?"
#define TYPE_INLINED(code)		"[inlined]"
#define TYPE_STACK(stack)		"[frame]"
#define TYPE_STACK_ID(stack)		"number>0?"
#define TYPE_STACK_END(stack)		"outermost|cut|lost?"

#define VIEW_OWN	NULL
#define VIEW_VIEW(text) text

const struct fault_column fault_columns[] = {
#include "model/columnrows.def"

#include "model/columns.def"
};
const size_t fault_column_count = sizeof(fault_columns) / sizeof(fault_columns[0]);

const struct fault_column io_columns[] = {
#include "model/columnrows.def"

#include "model/iocolumns.def"
};
const size_t io_column_count = sizeof(io_columns) / sizeof(io_columns[0]);

const struct fault_column *fault_column_find(const char *flat, bool is_of_io)
{
	const struct fault_column *columns = is_of_io ? io_columns : fault_columns;
	const size_t count = is_of_io ? io_column_count : fault_column_count;

	for (size_t i = 0; i < count; i++)
		if (columns[i].role == FAULT_VALUE && strcmp(columns[i].flat, flat) == 0)
			return &columns[i];
	return NULL;
}

#define WORD_LIST(name, rows) { #name, { rows(WORD_NAME) }, { rows(WORD_MEANING) } },

// clang-format off
const struct word_list word_lists[] = {
	WORD_LISTS(WORD_LIST)
	{ 0 },
};
// clang-format on

const struct word_list *word_list_find(const char *type)
{
	size_t length = strcspn(type, "?");

	for (const struct word_list *list = word_lists; list->name; list++)
		if (strncmp(list->name, type, length) == 0 && list->name[length] == '\0')
			return list;
	return NULL;
}
