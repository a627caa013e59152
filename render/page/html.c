// SPDX-License-Identifier: Apache-2.0
// The report page: the parts made at build time around one block of data. No name of a trace stands
// anywhere but in that block.
#include "render/page/data.h"
#include "render/page/faults.h"
#include "render/render.h"

#include "base/cleanup.h"

#include "render/page_assets.h"

bool render_html(const struct model *model, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf data = { 0 };

	pagedata_add(&data, model,
		     &(struct pagedata_options){ .merge_above = PAGEFAULTS_MERGE_ABOVE });
	fwrite(page_0, 1, sizeof(page_0), out);
	fwrite(data.text, 1, data.length, out);
	fwrite(page_1, 1, sizeof(page_1), out);
	return fflush(out) == 0 && !ferror(out);
}
