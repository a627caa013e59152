// SPDX-License-Identifier: Apache-2.0
#include "base/homepath.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool ends_component(char byte)
{
	return byte == '\0' || !(isalnum((unsigned char)byte) || strchr("._-", byte));
}

/** How many bytes of @text are a home directory; 0 if it does not begin with one. */
static size_t home_length(const char *text)
{
	static const char homes[] = "/home/", root[] = "/root";
	const char *own = getenv("HOME");
	size_t length = own ? strlen(own) : 0;

	while (length > 1 && own[length - 1] == '/')
		length--;
	if (length > 1 && own[0] == '/' && strncmp(text, own, length) == 0 &&
	    ends_component(text[length]))
		return length;
	length = sizeof(root) - 1;
	if (strncmp(text, root, length) == 0 && ends_component(text[length]))
		return length;
	length = sizeof(homes) - 1;
	if (strncmp(text, homes, length) != 0)
		return 0;
	size_t name = strcspn(text + length, "/ \t\n\"':,;)");
	return name ? length + name : 0;
}

void homepath_shorten(struct strbuf *buf, const char *text)
{
	char before = '\0';
	bool is_option = false; // within a word like -I/home/ada, before its first slash

	while (*text) {
		bool starts_word = before == '\0' || isspace((unsigned char)before);
		bool may_begin = is_option || starts_word ||
				 !(isalnum((unsigned char)before) || strchr("/._-~", before));
		size_t home = *text == '/' && may_begin ? home_length(text) : 0;

		is_option = *text != '/' && !isspace((unsigned char)*text) &&
			    (is_option || (starts_word && *text == '-'));
		if (home) {
			strbuf_putc(buf, '~');
			text += home;
			before = '~';
			continue;
		}
		before = *text;
		strbuf_putc(buf, *text++);
	}
}
