// SPDX-License-Identifier: Apache-2.0
// The needs of a page, from the kind of mapping, the error code and the page's history.
#include "correlate/replay/attribute.h"

/** A write to a page that was mapped, but not for writing. */
static enum model_mechanism decide_protection(const struct mechanism_page *page,
					      enum page_history state, bool has_forked)
{
	switch (state) {
	case HISTORY_WRITTEN_SHARED:
		return MODEL_FORK_COW;
	case HISTORY_WRITTEN:
		return MODEL_MECHANISM_OTHER; // write access came back: mprotect, soft-dirty, swap
	case HISTORY_READ:
		return MODEL_COW_BREAK;
	case HISTORY_UNSEEN:
		break;
	}
	// A file's page was mapped around another fault. Anonymous memory is not: the kernel itself
	// wrote it (the argument pages) or made it huge, and a fork shared it.
	return !page->is_file && has_forked ? MODEL_FORK_COW : MODEL_COW_BREAK;
}

/** True if the page was mapped before the fault, where no error code says so. */
static bool infer_present(const struct mechanism_page *page, bool is_write, enum page_history state)
{
	if (!is_write)
		return false;
	return state == HISTORY_WRITTEN_SHARED || state == HISTORY_READ ||
	       (state == HISTORY_WRITTEN && !page->is_file);
}

/** True if the page was read again: where only its kind says so, a private copy may have come back
 * from swap instead. */
static bool is_read_again(enum page_eviction eviction, enum page_history state)
{
	return eviction == EVICTION_SEEN ||
	       (eviction == EVICTION_SUPPOSED && state != HISTORY_WRITTEN &&
		state != HISTORY_WRITTEN_SHARED);
}

enum model_mechanism mechanism_decide(const struct trace_fault *fault, enum model_access access,
				      const struct mechanism_page *page,
				      struct pagehistory *history, bool *ret_is_inferred)
{
	bool is_write = access == MODEL_ACCESS_WRITE;
	enum page_history state = pagehistory_state(history, page->number);
	bool has_code = fault->flags & TRACE_FAULT_HAS_ERROR_CODE;
	bool is_refault = is_read_again(page->eviction, state);
	bool was_present = has_code ? fault->error_code & TRACE_ERROR_PRESENT
				    : !is_refault && infer_present(page, is_write, state);

	*ret_is_inferred = !has_code;
	pagehistory_note(history, page->number, is_write, !was_present);

	if (page->is_shared_memory)
		return MODEL_MECHANISM_OTHER;
	if (was_present) {
		if (!is_write || page->is_shared)
			return MODEL_MECHANISM_OTHER;
		return decide_protection(page, state, pagehistory_has_forked(history));
	}
	if (!page->is_file)
		return MODEL_ZERO_FILL;
	if (is_refault)
		return MODEL_REFAULT;
	if (access == MODEL_ACCESS_UNKNOWN)
		return MODEL_MECHANISM_OTHER;
	return is_write && !page->is_shared ? MODEL_PRIVATE_WRITE : MODEL_FILE_MAP;
}
