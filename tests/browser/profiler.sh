#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Print the folder of Firefox Profiler's front end, built; build it first where it is not there, which needs GitHub and
# npm once. It is no npm package. What goes wrong is said on stderr, and nothing printed.
#   profiler.sh
# ELFAULT_PROFILER is such a folder, or one with the sources.
set -euo pipefail
commit=df31314e16bf32fd3a6dd0d61806a80dbb8a99f5
here=$(realpath "$(dirname "$0")")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/elfault/profiler-$commit
given=${ELFAULT_PROFILER:-}

for folder in "$given" "$cache"; do
	if [ -n "$folder" ] && [ -e "$folder/index.html" ] && [ -e "$folder/index.js" ]; then
		echo "$folder"
		exit
	fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if [ -n "$given" ]; then
	cp -r "$given"/{src,res,locales,package.json,tsconfig.json,yarn.lock} .
else
	curl -fsSL --connect-timeout 10 --max-time 300 "https://github.com/firefox-devtools/profiler/archive/$commit.tar.gz" |
		tar xz --strip-components=1
fi
# Not what it tests itself with, nor what only other formats need: profilerbuild.js leaves these out, too.
node - >package.small.json <<'END'
const all = JSON.parse(require('node:fs').readFileSync('package.json', 'utf8'));
const {'json-slabs': _slabs, 'iongraph-web': _graphs, ...dependencies} = all.dependencies;
for (const name of ['esbuild', 'esbuild-plugin-wasm'])
	dependencies[name] = all.devDependencies[name];
console.log(JSON.stringify({private: true, browser: all.browser, dependencies}));
END
mv package.small.json package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error >&2
cp "$here/profilerbuild.js" profilerbuild.mjs
node profilerbuild.mjs >&2
mkdir -p "$(dirname "$cache")"
rm -rf "$cache"
mv dist "$cache"
echo "$cache"
