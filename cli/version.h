// SPDX-License-Identifier: Apache-2.0
// The version of this build.
#pragma once

/** "elfault 0.1.0", in a git checkout with the commit: "elfault 0.1.0-123-gabc1234". */
extern const char version_line[];
