// SPDX-License-Identifier: Apache-2.0
// Bytes as base64 (RFC 4648), without line breaks.
#pragma once

#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

void base64_add(struct strbuf *out, const uint8_t *bytes, size_t size);
