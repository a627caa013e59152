// SPDX-License-Identifier: Apache-2.0
#include "derive/copies.h"

#include "base/range.h"
#include "base/search.h"
#include "model/relocation.h"

bool copies_has(const struct model *model, const struct model_fault *fault)
{
	if (fault->initiator != MODEL_RELOCATION || fault->at.object == MODEL_NONE ||
	    !fault->at.has_vaddr)
		return false;

	const struct model_relocation *relocation = model->objects[fault->at.object].relocation;

	if (!relocation || relocation->counts[MODEL_RELOCATION_COPY] == 0)
		return false;
	uint64_t page = align_down(fault->at.vaddr, model_page_size(model));
	size_t at =
		search_first(relocation->written_count, i, relocation->written[i].vaddr >= page);

	return at < relocation->written_count && relocation->written[at].vaddr == page &&
	       relocation->written[at].targets == 0;
}
