// SPDX-License-Identifier: Apache-2.0
#include "correlate/model.h"

#include <stdlib.h>

void model_close(struct model *model)
{
	if (!model)
		return;
	free((void *)model->faults);
	notes_deinit(&model->notes);
	arena_deinit(&model->arena);
	free(model);
}
