// SPDX-License-Identifier: Apache-2.0
// Exports in the tools that they are for: node tools.js OUTPUT NAME...; PROFILER is the folder of Firefox Profiler's
// front end, PERFETTO that of the engine of Perfetto's UI. What they show is compared with elfault's own list of faults.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import {chromium} from 'playwright-core';
import {askPerfetto} from './perfetto.js';
import {PATIENCE_MS, runTests, test} from './tap.js';

const MODULES = fileURLToPath(new URL('node_modules', import.meta.url));
const [, , output, ...names] = process.argv;
const profiler = process.env.PROFILER ?? '';
const perfetto = process.env.PERFETTO ?? '';
const NO_PERFETTO = '# SKIP the engine of Perfetto\'s UI is not here, and could not be downloaded: see perfetto.sh';
const NO_PROFILER = '# SKIP Firefox Profiler\'s front end is not here, and could not be built: see profiler.sh';

/** @param {string} name */
const readJson = (name) => JSON.parse(fs.readFileSync(path.join(output, name), 'utf8'));

/** elfault's own list, of each call stack the innermost frame: of Firefox all are 389 MB. @param {string} file @returns {any[]} */
const listOf = (file) => fs.readFileSync(path.join(output, file), 'utf8').split('\n').filter(Boolean)
	.map((line) => {
		const one = JSON.parse(line);
		return {...one, stack: one.stack?.slice(0, 1)};
	});

/** @param {string} name */
const faultsOf = (name) => listOf(`${name}.ndjson`);

/** Operations of storage: markers, as faults are. @param {string} name */
const operationsOf = (name) => listOf(`${name}.io.ndjson`);

/**
 * Faults, their time and the bytes that they read, by what @keyOf gives. On a track of time a slice is as long as its
 * fault lasted; where time is a weight, it is the fault's own.
 * @template {string | null} Key @param {any[]} faults @param {(fault: any) => Key} keyOf
 * @param {'own_ns' | 'duration_ns'} time
 */
function sumsBy(faults, keyOf, time) {
	/** @type {Map<Key, {faults: number, time: number, bytes: number}>} */
	const sums = new Map();
	for (const fault of faults) {
		const sum = sums.get(keyOf(fault)) ?? {faults: 0, time: 0, bytes: 0};
		sum.faults++;
		sum.time += fault[time] ?? 0;
		sum.bytes += (fault.read?.pages ?? 0) * 4096;
		sums.set(keyOf(fault), sum);
	}
	return sums;
}

// ---- Pages ------------------------------------------------------------------------------------

// Root, as in CI, has no sandbox of its own; the pages are what is tested.
const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'],
	timeout: PATIENCE_MS});

/**
 * A page that is held to silence: no error, nothing asked of any other machine.
 * @param {(page: import('playwright-core').Page) => Promise<void>} use
 */
async function withPage(use) {
	const context = await browser.newContext({viewport: {width: 1280, height: 800}, locale: 'en-US',
		timezoneId: 'UTC', colorScheme: 'light', reducedMotion: 'reduce'});
	const page = await context.newPage();
	/** @type {string[]} */
	const complaints = [];
	page.on('console', (message) => {
		if (message.type() === 'error')
			complaints.push(message.text());
	});
	page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
	await context.route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => {
		complaints.push(`asked for ${route.request().url()}`);
		return route.abort();
	});
	page.setDefaultTimeout(PATIENCE_MS);
	try {
		await use(page);
		assert.deepEqual(complaints, []);
	} catch (error) {
		throw complaints.length === 0 ? error : new Error(`${error}\nthe page said: ${complaints.join('\n')}`);
	} finally {
		await context.close();
	}
}

const TYPES = /** @type {Record<string, string>} */ ({'.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript',
	'.json': 'application/json', '.svg': 'image/svg+xml', '.wasm': 'application/wasm'});

/** The front end and the profiles, at an address of this machine; paths that are no file are the front end's own. */
function serve() {
	const server = http.createServer((request, response) => {
		const wanted = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
		const folder = wanted.startsWith('/profiles/') ? output : profiler;
		let file = path.join(folder, path.normalize(wanted.replace(/^\/profiles/, '')));
		if (wanted === '/sw.js') { // its service worker, which would keep it for later
			response.writeHead(200, {'content-type': TYPES['.js']}).end();
			return;
		}
		if (!fs.existsSync(file) || fs.statSync(file).isDirectory())
			file = path.join(profiler, 'index.html');
		response.writeHead(200, {'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream'});
		fs.createReadStream(file).pipe(response);
	});
	return /** @type {Promise<{address: string, close: () => void}>} */ (new Promise((resolve) => {
		server.listen(0, '127.0.0.1', () => {
			const {port} = /** @type {import('node:net').AddressInfo} */ (server.address());
			resolve({address: `http://127.0.0.1:${port}`, close: () => server.close()});
		});
	}));
}

// ---- speedscope -------------------------------------------------------------------------------

/** "1.34s", "17.53ms", "560.00 KB", "4,021" as a number of the smallest unit. @param {string} text */
function amountOf(text) {
	const [, digits, unit] = /^([\d,.]+)\s*(ns|µs|ms|s|B|KB|MB|GB)?/.exec(text) ?? [];
	const factors = /** @type {Record<string, number>} */ ({'ns': 1, 'µs': 1e3, 'ms': 1e6, 's': 1e9,
		'B': 1, 'KB': 1024, 'MB': 1024 ** 2, 'GB': 1024 ** 3});
	assert.ok(digits, `no amount: ${text}`);
	return Number(digits.replaceAll(',', '')) * (factors[unit] ?? 1);
}

/** @param {string} name */
async function checkSpeedscope(name) {
	const profiles = readJson(`${name}.speedscope.json`).profiles;
	const [comm, sums] = [...sumsBy(faultsOf(name), (fault) => fault.comm, 'own_ns')].sort((a, b) => b[1].faults - a[1].faults)[0];
	await withPage(async (page) => {
		await page.goto(pathToFileURL(path.join(MODULES, 'speedscope/dist/release/index.html')).href);
		await page.locator('input[type=file]').setInputFiles(path.join(output, `${name}.speedscope.json`));
		await page.getByText(`(1/${profiles.length})`).waitFor();
		await page.keyboard.press('2');
		await page.screenshot({path: path.join(output, `${name}-speedscope.png`)});
		await page.keyboard.press('3');
		await page.getByText('Total', {exact: true}).click(); // most first
		for (const [index, weight] of ['faults', 'time', 'bytes'].entries()) {
			await page.getByText(`${profiles[index].name} (${index + 1}/${profiles.length})`).waitFor();
			const expected = sums[/** @type {'faults' | 'time' | 'bytes'} */ (weight)];
			if (expected > 0) {
				const row = page.locator('tr').filter({has: page.getByText(comm, {exact: true})}).first();
				const shown = amountOf((await row.locator('td').first().innerText()).trim());
				assert.ok(Math.abs(shown - expected) <= expected * (index === 0 ? 0 : 0.01),
					`${weight} of ${comm}: ${shown}, expected ${expected}`);
			}
			await page.keyboard.press('n');
		}
		await page.getByText(`in order: `).first().waitFor();
	});
}

// ---- Firefox Profiler -------------------------------------------------------------------------

/** Of a fault, or of a thread of a profile. @param {{pid: number | string, tid: number}} one */
const threadOf = (one) => `${one.pid}/${one.tid}`;

/** The sum of a thread's samples, in milliseconds. @param {any} thread */
const weightOf = (thread) => thread.samples.weight.reduce((/** @type {number} */ sum, /** @type {number} */ ms) => sum + ms, 0);

/** The marks of the first thread: all, as none was made by another process. @param {string} name @returns {any[]} */
const marksOf = (name) => (readJson(`${name}.json`).account?.marks ?? [])
	.filter((/** @type {any} */ mark) => mark.time_ns !== null);

/** What its own command line, which loads as the front end does, says of the profile. @param {string} name */
async function checkProfilerCommand(name) {
	const run = promisify(execFile);
	const session = fs.mkdtempSync(path.join(os.tmpdir(), 'pq-')); // sockets have short names
	const options = {env: {...process.env, PROFILER_CLI_SESSION_DIR: session}, maxBuffer: 1 << 28};
	/** @param {string[]} words */
	const ask = async (...words) => (await run(process.execPath,
		[path.join(MODULES, '@firefox-devtools/profiler-cli/dist/profiler-cli.js'), ...words], options)).stdout;
	/** Of a daemon that may still be loading. @param {string[]} words */
	const askWhenReady = async (...words) => {
		for (const end = Date.now() + PATIENCE_MS; ;) {
			try {
				return await ask(...words);
			} catch (error) {
				if (Date.now() > end)
					throw error;
				await new Promise((resolve) => setTimeout(resolve, 500));
			}
		}
	};
	const threads = readJson(`${name}.firefox.json`).threads;
	const sums = sumsBy([...faultsOf(name), ...operationsOf(name)], threadOf, 'duration_ns');
	const marks = marksOf(name);
	/** @param {any} thread @param {number} index */
	const markers = (thread, index) => (sums.get(threadOf(thread))?.faults ?? 0) + (index === 0 ? marks.length : 0);
	try {
		await ask('load', path.join(output, `${name}.firefox.json`)).catch(() => {}); // it may say that it takes long
		const list = await askWhenReady('thread', 'list', '--limit', '0');
		assert.match(list, new RegExp(`\\b${threads.length} `));
		const rows = list.split('\n').filter((line) => /^[\s*]+t-\d+\s/.test(line));
		assert.equal(rows.length, threads.length);
		const shown = rows.map((line) => Number(line.trim().split(/\s+/).pop()?.replaceAll(',', '')));
		assert.deepEqual(shown.sort((a, b) => a - b),
			threads.map(markers)
				.sort((/** @type {number} */ a, /** @type {number} */ b) => a - b));
		assert.match(await ask('thread', 'markers', '--thread', 't-0'), new RegExp(`\\b${markers(threads[0], 0)} markers`));
		for (const {name: called, condition} of marks)
			assert.match(await ask('thread', 'markers', '--thread', 't-0', '--search', called),
				new RegExp(`\\b1 marker[^]*\\b${called}\\b`), condition);
		assert.match(await ask('thread', 'samples-top-down', '--thread', 't-0', '--include-idle', '--max-lines', '5'), /total: \d/);
	} finally {
		await ask('stop', '--all').catch(() => {});
		fs.rmSync(session, {recursive: true});
	}
}

/** @param {string} name */
async function checkProfiler(name) {
	const {threads, counters, meta} = readJson(`${name}.firefox.json`);
	const server = await serve();
	await withPage(async (page) => {
		const profile = encodeURIComponent(`${server.address}/profiles/${name}.firefox.json`);
		await page.goto(`${server.address}/from-url/${profile}/calltree/`);
		await page.getByText('Running Time (ms)').waitFor();
		assert.match(await page.title(), new RegExp(`^${meta.product} .* Firefox Profiler$`));
		const tracks = await page.locator('.timelineSettingsHiddenTracks, button:has-text("tracks")').first().innerText();
		// Its numbers stand between marks of direction.
		assert.match(tracks.replaceAll(/[\u2068\u2069]/g, ''), new RegExp(`/ ${threads.length + counters.length} tracks`));
		// What the front end made of the first thread, by its own console.
		const made = await page.evaluate(() => {
			const of = /** @type {any} */ (window);
			const roots = of.callTree.getRoots();
			return {markers: of.filteredMarkers.length, samples: of.filteredThread.samples.length,
				total: roots.reduce((/** @type {number} */ sum, /** @type {number} */ root) => sum + of.callTree.getNodeData(root).total, 0)};
		});
		assert.equal(made.markers, marksOf(name).length +
			[...faultsOf(name), ...operationsOf(name)].filter((one) => threadOf(one) === threadOf(threads[0])).length);
		assert.equal(made.samples, threads[0].samples.length);
		assert.ok(Math.abs(made.total - weightOf(threads[0])) < 0.001, `the call tree has ${made.total} ms`);
		await page.screenshot({path: path.join(output, `${name}-profiler.png`)});
		await page.getByRole('tab', {name: 'Marker Table'}).click();
		await page.locator('.treeViewRow').first().waitFor();
		await page.getByRole('tab', {name: 'Marker Chart'}).click();
		await page.locator('.markerChart canvas, .chartCanvas').first().waitFor();
		await page.screenshot({path: path.join(output, `${name}-profiler-markers.png`)});
	}).finally(() => server.close());
}

// ---- Perfetto ---------------------------------------------------------------------------------

const FAULTS = `FROM slice AS s JOIN thread_track AS t ON t.id = s.track_id JOIN thread USING (utid) JOIN process USING (upid)
	WHERE s.category = 'page-fault'`;
// A fault without a duration is a moment: -1 would be one that has not ended.
const SUMS = `count(*), sum(s.dur), ifnull(sum(extract_arg(s.arg_set_id, 'debug.read_bytes')), 0) ${FAULTS} GROUP BY 1`;

/** @param {string} name */
async function checkPerfetto(name) {
	const list = faultsOf(name);
	const read = await askPerfetto(perfetto, path.join(output, `${name}.perfetto-trace`), {
		errors: `SELECT name, value FROM stats WHERE severity <> 'info' AND value <> 0`,
		byInitiator: `SELECT s.name, ${SUMS}`,
		bySection: `SELECT extract_arg(s.arg_set_id, 'debug.section'), ${SUMS}`,
		byThread: `SELECT pid || '/' || tid, ${SUMS}`,
		byFunction: `SELECT frame.name, count(*) FROM slice AS s
			JOIN __intrinsic_track_event_callstacks AS c ON c.slice_id = s.id
			JOIN stack_profile_callsite AS place ON place.id = c.callsite_id
			JOIN stack_profile_frame AS frame ON frame.id = place.frame_id
			WHERE s.category = 'page-fault' GROUP BY 1`,
		// Not on all call paths: trace processor shows its first one there. See perfetto_root() in export/.
		first: `SELECT frame.name FROM stack_profile_callsite AS place JOIN stack_profile_frame AS frame
			ON frame.id = place.frame_id WHERE place.id = 0`,
		// Of a thread that an event is not about.
		legacy: `SELECT DISTINCT key FROM args WHERE key LIKE 'legacy%'`,
		marks: `SELECT s.name, s.ts - (SELECT ts FROM slice WHERE category = 'recording'), s.dur, t.name,
			extract_arg(s.arg_set_id, 'debug.condition'), extract_arg(s.arg_set_id, 'debug.since_ns')
			FROM slice AS s JOIN track AS t ON t.id = s.track_id WHERE s.category = 'mark' ORDER BY s.ts`,
		counters: `SELECT name, sum(last) FROM (SELECT t.name, max(value) AS last FROM counter JOIN counter_track AS t
			ON t.id = counter.track_id GROUP BY t.id) GROUP BY 1`,
	});
	assert.deepEqual([read.errors, read.legacy, read.first], [[], [], [['[root]']]]);
	assert.deepEqual(read.marks, marksOf(name).map((mark) =>
		[mark.name, mark.time_ns, 0, 'elfault', mark.condition, mark.since_ns]));
	for (const [rows, keyOf] of /** @type {[(number | string | null)[][], (fault: any) => string | null][]} */ ([
		[read.byInitiator, (fault) => fault.initiator],
		[read.bySection, (fault) => fault.at.section],
		[read.byThread, threadOf]]))
		assert.deepEqual(new Map(rows.map(([key, faults, time, bytes]) => [key, {faults, time, bytes}])),
			sumsBy(list, keyOf, 'duration_ns'));
	/** @type {Map<string, number>} */
	const innermost = new Map();
	for (const {by, stack: [frame]} of list) {
		const called = by.inlined[0]?.function ?? frame?.function;
		if (called)
			innermost.set(called, (innermost.get(called) ?? 0) + 1);
	}
	// Code without a name is "libz3.so.4+0x1927c0" there, or an address.
	assert.deepEqual(new Map(/** @type {[string, number][]} */ (read.byFunction).filter(([called]) => !/^0x|^\[|\+0x[0-9a-f]+$/.test(called))), innermost);
	const all = sumsBy(list, () => '', 'duration_ns').get('');
	assert.deepEqual(new Map(/** @type {[string, number][]} */ (read.counters)),
		new Map([...all?.bytes ? /** @type {[string, number][]} */ ([['bytes read by faults', all.bytes]]) : [],
			['page faults', all?.faults ?? 0]]));
}

for (const name of names) {
	test(`speedscope shows the three weights of ${name}, and its faults in order`, () => checkSpeedscope(name));
	test(`Firefox Profiler's command line finds the threads and markers of ${name}`, () => checkProfilerCommand(name));
	test(`Firefox Profiler shows the tracks, markers and call tree of ${name}${profiler ? '' : ` ${NO_PROFILER}`}`,
		async () => profiler ? checkProfiler(name) : undefined);
	test(`Perfetto reads the faults, times, call stacks and counters of ${name}${perfetto ? '' : ` ${NO_PERFETTO}`}`,
		async () => perfetto ? checkPerfetto(name) : undefined);
}
// One at a time: to take the 389 MB of Firefox's faults apart blocks all.
const passed = await runTests(1);
await browser.close();
process.exitCode = passed ? 0 : 1;
