// SPDX-License-Identifier: Apache-2.0
// The contract's words for the model's values.
#include "model/account.h"
#include "model/data.h"
#include "model/io.h"
#include "model/relocation.h"
#include "model/search.h"
#include "model/storage.h"
#include "model/waits.h"
#include "model/words.def"

/** Define model_WHAT_name(), whose words follow. */
#define NAMES(what, ...)                                                               \
	const char *model_##what##_name(enum model_##what value)                       \
	{                                                                              \
		static const char *const words[] = { __VA_ARGS__ };                    \
                                                                                       \
		return (size_t)value < sizeof(words) / sizeof(words[0]) ? words[value] \
									: "unknown";   \
	}

NAMES(kind, KIND_WORDS(WORD_NAME))
NAMES(access, ACCESS_WORDS(WORD_NAME))
NAMES(mode, MODE_WORDS(WORD_NAME))
NAMES(mechanism, MECHANISM_WORDS(WORD_NAME))
NAMES(initiator, INITIATOR_WORDS(WORD_NAME))
NAMES(certainty, CERTAINTY_WORDS(WORD_NAME))
NAMES(step, STEP_WORDS(WORD_NAME))
NAMES(direction, DIRECTION_WORDS(WORD_NAME))
NAMES(state, STATE_WORDS(WORD_NAME))
NAMES(wait, WAIT_WORDS(WORD_NAME))
NAMES(origin, ORIGIN_WORDS(WORD_NAME))
NAMES(waker, WAKER_WORDS(WORD_NAME))
NAMES(symbol_kind, SYMBOL_KIND_WORDS(WORD_NAME))
NAMES(for, FOR_WORDS(WORD_NAME))
NAMES(bound, BOUND_WORDS(WORD_NAME))
NAMES(relocation_class, "relative", "symbolic", "irelative", "tls", "copy", "jump_slot")
NAMES(data_cause, "zeroed-tail", "relocated", "first-touch", "written", "read")

#define TEXT(id, word, meaning, text) [MODEL_##id] = (text),

NAMES(storage_cause, STORAGE_WORDS(WORD_NAME))

const char *model_storage_cause_text(enum model_storage_cause cause)
{
	static const char *const texts[] = { STORAGE_WORDS(TEXT) };

	return texts[cause];
}

#define WORK(id, word, meaning, color, letter, phase, work) [MODEL_##id] = MODEL_WORK_##work,

enum model_work model_initiator_work(enum model_initiator initiator)
{
	static const enum model_work works[] = { INITIATOR_WORDS(WORK) };

	return works[initiator];
}

const char *model_state_title(const struct model_account *account, enum model_state state)
{
	return account->faults_in_cpu && state == MODEL_STATE_CPU ? "cpu, faults included"
								  : model_state_name(state);
}
