// SPDX-License-Identifier: Apache-2.0
// Why an operation failed, as a message to print.
#pragma once

#include <stdbool.h>

/** Broad reasons that callers act on differently. */
enum err_code {
	ERR_NONE,
	ERR_OS,		 // a system call failed; err.os_errno is set
	ERR_INPUT,	 // the input is malformed or of the wrong kind
	ERR_UNSUPPORTED, // well-formed, but not something this build handles
	ERR_MISMATCH,	 // two inputs that must belong together do not
	ERR_DENIED,	 // the machine does not allow it
};

/**
 * A failure: lives on the caller's stack, owns nothing. The message names the file, the place in it
 * and, where there is one, the way out. It is cut at the array's size, never overrun.
 */
struct err {
	enum err_code code;
	int os_errno;
	char message[2048];
};

/** Set @err and return false, so that callers can `return err_set(...)`. @err may be NULL. */
bool err_set(struct err *err, enum err_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** The words for @code, an errno, and the way out where it is a limit that can be raised. */
const char *err_text(int code);

/** As err_set() with ERR_OS: err_text() of the current errno follows the formatted words. */
bool err_os(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Leave of the message its first sentence, without the ways out that follow it. */
void err_drop_ways(struct err *err);

/** Put the formatted words and ": " before the existing message. Returns false. */
bool err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
