// SPDX-License-Identifier: Apache-2.0
#include "libelfmap/question.h"

#include "libelfmap/guard.h"

enum elfmap_status question_ask(struct elfmap_file *file, void (*operation)(void *question),
				uint64_t at, void *answer)
{
	struct question question = { .file = file, .at = at, .answer = answer };

	if (file->is_spent)
		return ELFMAP_ERROR_MEMORY;
	if (guard_run(operation, &question))
		return question.status;
	file->is_spent = true;
	return ELFMAP_ERROR_MEMORY;
}
