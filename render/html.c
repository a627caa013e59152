// SPDX-License-Identifier: Apache-2.0
// The report page: the parts made at build time around one block of data. No name of a trace stands
// anywhere but in that block.
#include "render/pagedata.h"
#include "render/pagefaults.h"
#include "render/render.h"

#include "base/cleanup.h"

#include "page_assets.h"

bool render_html(const struct model *model, const struct render_html_options *options, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf data = { 0 };

	pagedata_add(&data, model, options->full_paths, PAGEFAULTS_MERGE_ABOVE);
	fwrite(page_before_data, 1, sizeof(page_before_data), out);
	fwrite(data.text, 1, data.length, out);
	fwrite(page_after_data, 1, sizeof(page_after_data), out);
	return fflush(out) == 0 && !ferror(out);
}
