#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Install the packages of package-lock.json in FOLDER, once, into its node_modules. Without a network there is nothing to test with;
# what npm says goes to stderr.
#   modules.sh FOLDER
set -euo pipefail
cd "$1"
# Several tests ask for the same.
exec 9<.
flock 9
cmp -s package-lock.json node_modules/.installed.json && exit
npm ci --ignore-scripts --loglevel=error >&2
cp package-lock.json node_modules/.installed.json
