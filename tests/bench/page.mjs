// SPDX-License-Identifier: Apache-2.0
// How a page of a report or a comparison behaves in chromium: node page.mjs PAGE... prints one JSON object a page.
import {readFileSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const {chromium} = createRequire(new URL('../browser/', import.meta.url))('playwright-core');
const ZOOMS = 41;

/** When the page had drawn itself, from the start of its loading. */
function watchStart() {
	const look = () => {
		if (document.documentElement?.dataset.state !== 'ready')
			return;
		observer.disconnect();
		// The next task runs after the frame that shows it.
		requestAnimationFrame(() => setTimeout(() => {
			globalThis.firstPicture = performance.now();
		}));
	};
	const observer = new MutationObserver(look);
	observer.observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ['data-state']});
}

/** Times of zooming and moving by keys, each until its frame is on the screen; @pause between them. */
async function zoomTimes({count, pause}) {
	const keys = ['w', 'd', 'w', 'a', 's', 'w', 'd', 's'];
	const times = [];
	for (let i = 0; i < count; i++) {
		await new Promise((resolve) => setTimeout(resolve, pause));
		const start = performance.now();
		document.body.dispatchEvent(new KeyboardEvent('keydown', {key: keys[i % keys.length], bubbles: true, cancelable: true}));
		times.push(await new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)))));
	}
	return times;
}

/** Sum of @fields of /proc/PID/status of the renderer that has the page: the largest, in MiB. */
function memoryOf(processes, fields) {
	const of = (id) => {
		const status = readFileSync(`/proc/${id}/status`, 'utf8');
		return fields.reduce((sum, field) =>
			sum + Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024, 0);
	};
	return Math.max(...processes.filter(({type}) => type === 'renderer').map(({id}) => of(id)));
}

/** Faults that the page says it has: of a comparison, those of both sides. */
function faultsOf() {
	const number = (text) => Number(text.replaceAll(',', ''));
	const totals = document.querySelector('.totals tbody tr');
	return totals ? number(totals.cells[1].textContent) + number(totals.cells[2].textContent)
		: number(/([\d,]+) faults?/.exec(document.querySelector('#left').textContent)[1]);
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

for (const report of process.argv.slice(2)) {
	const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage']});
	const context = await browser.newContext({viewport: {width: 1280, height: 800}, offline: true});
	await context.addInitScript(watchStart);
	const page = await context.newPage();
	const session = await context.newCDPSession(page);
	await session.send('Performance.enable', {timeDomain: 'threadTicks'});
	await page.goto(pathToFileURL(path.resolve(report)).href, {waitUntil: 'commit'});
	await page.locator('html[data-state="ready"]').waitFor({state: 'attached', timeout: 120000});
	let first;
	while (!(first = await page.evaluate(() => globalThis.firstPicture)))
		await page.waitForTimeout(50);
	// Processor time, which other programs leave as it is.
	const {metrics} = await session.send('Performance.getMetrics');
	const computed = metrics.find(({name}) => name === 'TaskDuration').value * 1000;
	const total = await page.evaluate(faultsOf);
	// Tables and stacks are made while nothing else is to do.
	await page.waitForTimeout(6000);
	const system = await browser.newBrowserCDPSession();
	const {processInfo} = await system.send('SystemInfo.getProcessInfo');
	const zoom = await page.evaluate(zoomTimes, {count: ZOOMS, pause: 0});
	const calm = await page.evaluate(zoomTimes, {count: 9, pause: 700});
	console.log(JSON.stringify({faults: total, bytes: statSync(report).size, first_ms: first, computed_ms: computed, zoom_ms: median(zoom),
		zoom_worst_ms: Math.max(...zoom), zoom_calm_ms: median(calm), peak_mib: memoryOf(processInfo, ['VmHWM']),
		resident_mib: memoryOf(processInfo, ['VmRSS']), own_mib: memoryOf(processInfo, ['RssAnon', 'RssShmem'])}));
	await browser.close();
}
