#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What package-lock.json names, once, into node_modules. Without a network there is nothing to test with; what npm
# says goes to stderr.
set -euo pipefail
cd "$(dirname "$0")"
cmp -s package-lock.json node_modules/.installed.json && exit
npm ci --ignore-scripts --loglevel=error >&2
cp package-lock.json node_modules/.installed.json
