// SPDX-License-Identifier: Apache-2.0
// Files that a program loads and its start does not use, by every function that it enters.
#pragma once

#include "base/err.h"
#include "record/record.h"
#include "standin/loaded.h"

/**
 * Run @start with a breakpoint at each function of the files of @loaded, its output to nowhere,
 * and mark in @ret_is_used, one for each, those of which a function was entered that neither
 * initializers nor finalizers reach and that chooses no other function. A command with a condition
 * ends by itself, or by SIGTERM some seconds later.
 */
bool unused_find(const struct record_options *start, const struct standin_loaded *loaded,
		 bool *ret_is_used, struct err *err);
