// SPDX-License-Identifier: Apache-2.0
// Bundle Firefox Profiler's front end in the working directory into dist/: without its service worker, and without the
// readers of formats that are not ours.
import fs from 'node:fs';
import path from 'node:path';
import {createRequire} from 'node:module';

// What is installed beside the sources, which this file is copied to.
const require = createRequire(path.resolve('package.json'));
const esbuild = require('esbuild');
const {wasmLoader} = require('esbuild-plugin-wasm');

const absent = {
	name: 'absent',
	/** @param {import('esbuild').PluginBuild} build */
	setup(build) {
		build.onResolve({filter: /^(json-slabs|iongraph-web)/}, (wanted) => ({path: wanted.path, namespace: 'absent'}));
		build.onLoad({filter: /css$/, namespace: 'absent'}, () => ({contents: '', loader: 'css'}));
		build.onLoad({filter: /.*/, namespace: 'absent'}, () => ({contents: 'exports.isJsonSlabsFile = () => false', loader: 'js'}));
		build.onResolve({filter: /^chrome:/}, (wanted) => ({path: wanted.path, external: true}));
	},
};
await esbuild.build({
	bundle: true, minify: true, splitting: true, format: 'esm', platform: 'browser', target: 'chrome120', logLevel: 'error',
	entryPoints: ['src/index.tsx'], entryNames: '[name]', outdir: 'dist', publicPath: '/', external: ['zlib'],
	alias: {'firefox-profiler': './src', 'firefox-profiler-res': './res'},
	loader: {'.png': 'file', '.jpg': 'file', '.svg': 'dataurl', '.worker.js': 'file'},
	define: {'process.env.L10N': 'undefined', AVAILABLE_STAGING_LOCALES: 'undefined', SOURCE_MAP_WORKER_PATH: '"/none.js"'},
	plugins: [absent, wasmLoader()],
});
fs.cpSync('locales/en-US', 'dist/locales/en-US', {recursive: true});
fs.writeFileSync('dist/index.html', fs.readFileSync('res/index.html', 'utf8').replace('</head>',
	'<script src="/index.js" type="module"></script><link rel="stylesheet" href="/index.css"></head>'));
