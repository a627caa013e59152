// SPDX-License-Identifier: Apache-2.0
#include "render/diff/diff.h"

const struct diff_exporter diff_exporters[] = {
	{ "text", NULL, render_diff_text },
	{ "json", "one document", render_diff_json },
	{ "markdown", "for a pull request", render_diff_markdown },
	{ 0 },
};
