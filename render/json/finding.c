// SPDX-License-Identifier: Apache-2.0
#include "render/json/finding.h"

#include "render/columns/columns.h"

struct json_object *findingjson_new(const struct model *model)
{
	return columns_list("finding", model->findings, model->finding_count,
			    sizeof(*model->findings), model);
}
