// SPDX-License-Identifier: Apache-2.0
// The contract's words for the model's values.
#include "model/data.h"
#include "model/relocation.h"

#define WORD(words, value) \
	((size_t)(value) < sizeof(words) / sizeof((words)[0]) ? (words)[value] : "unknown")

const char *model_kind_name(enum model_kind kind)
{
	static const char *const words[] = { "minor", "major" };

	return WORD(words, kind);
}

const char *model_access_name(enum model_access access)
{
	static const char *const words[] = { "read", "write", "exec", "unknown" };

	return WORD(words, access);
}

const char *model_mode_name(enum model_mode mode)
{
	static const char *const words[] = { "user", "kernel" };

	return WORD(words, mode);
}

const char *model_mechanism_name(enum model_mechanism mechanism)
{
	static const char *const words[] = { "file-map",  "private-write", "cow-break",
					     "zero-fill", "fork-cow",	   "other" };

	return WORD(words, mechanism);
}

const char *model_initiator_name(enum model_initiator initiator)
{
	static const char *const words[] = {
		"exec",	     "loader",	     "symbol-lookup", "relocation",  "ifunc",
		"tls-setup", "lazy-binding", "static-init",   "static-fini", "unwind",
		"startup",   "program",	     "unknown",
	};

	return WORD(words, initiator);
}

const char *model_certainty_name(enum model_certainty certainty)
{
	static const char *const words[] = { NULL, "stack", "rule" };

	return WORD(words, certainty);
}

const char *model_step_name(enum model_step step)
{
	static const char *const words[] = { NULL, "same", "next", "forward", "backward" };

	return WORD(words, step);
}

const char *model_symbol_kind_name(enum model_symbol_kind kind)
{
	static const char *const words[] = { NULL, "symbol", "entry", "pointee" };

	return WORD(words, kind);
}

const char *model_relocation_class_name(enum model_relocation_class class)
{
	static const char *const words[] = {
		"relative", "symbolic", "irelative", "tls", "copy", "jump_slot",
	};

	return WORD(words, class);
}

const char *model_data_cause_name(enum model_data_cause cause)
{
	static const char *const words[] = {
		"zeroed-tail", "relocated", "first-touch", "written", "read",
	};

	return WORD(words, cause);
}
