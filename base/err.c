// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool err_set(struct err *err, enum err_code code, const char *format, ...)
{
	if (!err)
		return false;
	err->code = code;
	err->os_errno = 0;

	va_list args;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return false;
}

const char *err_text(int code)
{
	switch (code) {
	case EMFILE:
		return "Too many open files: raise the limit with ulimit -n";
	case ENFILE:
		return "Too many open files in the system: raise it with sysctl fs.file-max";
	default:
		return strerror(code);
	}
}

bool err_os(struct err *err, const char *format, ...)
{
	int saved = errno;

	if (!err)
		return false;
	err->code = ERR_OS;
	err->os_errno = saved;

	va_list args;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);

	size_t used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s", err_text(saved));
	return false;
}

bool err_prefix(struct err *err, const char *format, ...)
{
	if (!err)
		return false;

	char prefix[512];
	va_list args;
	va_start(args, format);
	vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);

	char old[sizeof(err->message)];
	memcpy(old, err->message, sizeof(old));
	size_t used = (size_t)snprintf(err->message, sizeof(err->message), "%s: ", prefix);
	strncat(err->message, old, sizeof(err->message) - used - 1);
	return false;
}

void err_drop_ways(struct err *err)
{
	char *ways = strstr(err->message, "; any of these helps:");

	err->message[strcspn(err->message, "\n")] = '\0';
	if (ways)
		*ways = '\0';
}
