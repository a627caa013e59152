// SPDX-License-Identifier: Apache-2.0
// The contract's words for the model's values.
#include "model/account.h"
#include "model/data.h"
#include "model/relocation.h"
#include "model/words.def"

#define WORD(words, value) \
	((size_t)(value) < sizeof(words) / sizeof((words)[0]) ? (words)[value] : "unknown")

const char *model_kind_name(enum model_kind kind)
{
	static const char *const words[] = { KIND_WORDS(WORD_NAME) };

	return WORD(words, kind);
}

const char *model_access_name(enum model_access access)
{
	static const char *const words[] = { ACCESS_WORDS(WORD_NAME) };

	return WORD(words, access);
}

const char *model_mode_name(enum model_mode mode)
{
	static const char *const words[] = { MODE_WORDS(WORD_NAME) };

	return WORD(words, mode);
}

const char *model_mechanism_name(enum model_mechanism mechanism)
{
	static const char *const words[] = { MECHANISM_WORDS(WORD_NAME) };

	return WORD(words, mechanism);
}

const char *model_initiator_name(enum model_initiator initiator)
{
	static const char *const words[] = { INITIATOR_WORDS(WORD_NAME) };

	return WORD(words, initiator);
}

#define WORK(id, word, meaning, color, letter, phase, work) [MODEL_##id] = MODEL_WORK_##work,

enum model_work model_initiator_work(enum model_initiator initiator)
{
	static const enum model_work works[] = { INITIATOR_WORDS(WORK) };

	return works[initiator];
}

const char *model_certainty_name(enum model_certainty certainty)
{
	static const char *const words[] = { CERTAINTY_WORDS(WORD_NAME) };

	return WORD(words, certainty);
}

const char *model_step_name(enum model_step step)
{
	static const char *const words[] = { STEP_WORDS(WORD_NAME) };

	return WORD(words, step);
}

const char *model_state_name(enum model_state state)
{
	static const char *const words[] = { STATE_WORDS(WORD_NAME) };

	return WORD(words, state);
}

const char *model_symbol_kind_name(enum model_symbol_kind kind)
{
	static const char *const words[] = { SYMBOL_KIND_WORDS(WORD_NAME) };

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
