// SPDX-License-Identifier: Apache-2.0
// The tracks of a report: processes with their lanes, and files; what is drawn is as long as it lasted.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {follow, headerOf, ringOf, until, withReport, wordOf} from './report.js';
import {test} from './tap.js';

/** @typedef {import('playwright-core').Page} Page */

/** Runs of pixels that are drawn in line @y of the picture, from @left on up to @right from its other edge. @param {Page} page @param {number} y @param {number} left @param {number} right @returns {Promise<{first: number, end: number}[]>} */
function runsOf(page, y, left, right) {
	return page.locator('#timeline canvas.picture').evaluate((element, [line, from, beside]) => {
		const canvas = /** @type {HTMLCanvasElement} */ (element);
		const copy = document.createElement('canvas');
		copy.width = canvas.width;
		copy.height = canvas.height;
		const context = /** @type {CanvasRenderingContext2D} */ (copy.getContext('2d', {willReadFrequently: true}));
		context.drawImage(canvas, 0, 0);
		const {data} = context.getImageData(from, line, canvas.width - beside - from, 1);
		/** @type {{first: number, end: number}[]} */
		const runs = [];
		// Neither nothing nor the grey of lines behind.
		const isDrawn = (/** @type {number} */ at) => data[at * 4 + 3] > 0 && Math.max(data[at * 4], data[at * 4 + 1], data[at * 4 + 2]) < 205;
		for (let at = 0; at < data.length / 4; at++) {
			const last = runs[runs.length - 1];
			if (!isDrawn(at))
				continue;
			if (last && at === last.end)
				last.end = at + 1;
			else
				runs.push({first: at, end: at + 1});
		}
		return runs;
	}, [y, left, right]);
}

/** Where time is drawn: as wide as gutters leave. */
const LEFT = 150;
const RIGHT = 112 + 4;

/** @param {string} output */
export function trackTests(output) {
	const waits = `${output}/waits.html`;

	test('a wait is as long as it lasted', () => withReport(waits, {}, async (page) => {
		// Two of one file, of 20 and 15 ms, and one of 4: the edge of their row, below those of two threads.
		const runs = (await runsOf(page, 56, LEFT + 2, RIGHT)).filter(({first, end}) => end - first > 30);
		const {axis: {start_ns: first, end_ns: end}, cuts: [[from, to]]} = headerOf(waits);
		const width = await page.locator('#timeline canvas.picture').evaluate((canvas) => canvas.clientWidth) - LEFT - RIGHT;
		const perMs = (width - 24) / (end - first - (to - from)) * 1e6;
		assert.deepEqual(runs.map((run) => run.end - run.first).map((length, i) => Math.abs(length - [20, 15, 4][i] * perMs) <= 1.5), [true, true, true],
			`${JSON.stringify(runs)}, ${perMs} px for a ms`);
	}));

	test('a bar of a lane answers with its fault', () => withReport(waits, {}, async (page) => {
		const canvas = page.locator('#timeline canvas.picture');
		await canvas.scrollIntoViewIfNeeded();
		await canvas.hover({position: {x: LEFT + 100, y: 62}});
		const tooltip = page.locator('#tooltip');
		await until(() => tooltip.textContent(), (text) => /major.*took 20(\.0)? ms/s.test(text ?? ''), 'the wait of 20 ms');
		await canvas.click({position: {x: LEFT + 100, y: 62}});
		const fault = await until(() => wordOf(page, 'fault'), Boolean, 'a click shows a fault');
		assert.equal(headerOf(waits).faults.count, 36);
		assert.equal(fault, '9');
	}));

	test('a part of the time is brushed in the overview, and a double click shows all', () => withReport(waits, {}, async (page) => {
		const range = page.locator('#timeline .overview-range');
		await range.scrollIntoViewIfNeeded();
		const box = await range.boundingBox();
		assert.ok(box);
		const width = box.width - LEFT - RIGHT;
		const {axis: {start_ns: first, end_ns: end}, cuts: [[from, to]]} = headerOf(waits);
		await page.mouse.move(box.x + LEFT + width * 0.1, box.y + 8);
		await page.mouse.down();
		await page.mouse.move(box.x + LEFT + width * 0.4, box.y + 8, {steps: 3});
		assert.equal(await wordOf(page, 'time'), null, 'nothing is chosen while it is dragged');
		await page.mouse.up();
		const time = await until(() => wordOf(page, 'time'), Boolean, 'the address has it');
		const perPixel = (end - first - (to - from)) / (width - 24);
		const [shownFirst, shownEnd] = (time ?? '').split('-').map(Number);
		assert.ok(Math.abs(shownFirst - first - width * 0.1 * perPixel) < 2 * perPixel && Math.abs(shownEnd - first - width * 0.4 * perPixel) < 2 * perPixel, `${time}`);
		await range.dblclick({position: {x: LEFT + width * 0.8, y: 8}});
		await until(() => wordOf(page, 'time'), (text) => text === null, 'all is shown');
	}));

	test('what the axis leaves out is the list of the data, whatever the width', async () => {
		for (const width of [390, 800, 1280])
			await withReport(waits, {width}, async (page) => {
				assert.match(await page.locator('#timeline canvas.picture').getAttribute('aria-label') ?? '', /30\.1 ms without faults left out/, `${width}`);
				await page.keyboard.press('c');
				await until(() => page.locator('#timeline canvas.picture').getAttribute('aria-label'), (text) => !/left out/.test(text ?? ''), 'C shows all');
				await page.keyboard.press('c');
				await until(() => page.locator('#timeline canvas.picture').getAttribute('aria-label'), (text) => /left out/.test(text ?? ''), 'and leaves out again');
			});
	});

	const several = `${output}/several.html`;

	test('processes and files open and close by their names, the busiest and the chosen are open at first', () => withReport(several, {}, async (page) => {
		const heads = page.locator('.track-head');
		const open = () => page.locator('.track-head[aria-expanded="true"]').allTextContents();
		const {objects, main_object: main} = headerOf(several);
		const [process, file, ...others] = await open();
		assert.match(process, /^▾ \S+ \d+$/);
		assert.equal(file, `▾ ${objects[main].name}`);
		assert.equal(others.length, 0);
		const closed = page.locator('.track-head.file[aria-expanded="false"]').first();
		const name = (await closed.textContent() ?? '').slice(2);
		await closed.focus();
		await page.keyboard.press('Enter');
		await until(open, (names) => names.includes(`▾ ${name}`) && names.includes(file), 'both files are open');
		await until(() => wordOf(page, 'object'), (path) => objects.find((/** @type {any} */ each) => each.path === path)?.name === name, 'the opened one is chosen');
		await page.locator('.track-head.file[aria-expanded="true"]', {hasText: name}).click();
		await until(open, (names) => !names.includes(`▾ ${name}`), 'closed again');
		const second = page.locator('.track-head.process').nth(1);
		const count = await heads.count();
		await second.click();
		await until(() => second.getAttribute('aria-expanded'), (value) => value === 'true', 'a process opens');
		assert.ok(await heads.count() >= count);
		await page.locator('.track-head.more-files').click();
		await until(() => page.locator('.track-head.file').count(), (all) => all === objects.filter((/** @type {any} */ each) => each.faults > 0).length, 'all files are listed');
	}));

	test('stacks in the order of time open below their process, and answer with their frames', () => withReport(several, {}, async (page) => {
		const head = page.locator('.track-head.stacks').first();
		const canvas = page.locator('#timeline canvas.picture');
		const before = await canvas.evaluate((element) => element.clientHeight);
		await head.click();
		await until(() => canvas.evaluate((element) => element.clientHeight), (height) => height !== before, 'the picture grows');
		const y = await head.evaluate((element) => element.offsetTop) + 15 + 6;
		const {functions} = headerOf(several);
		const names = new Set(functions.name);
		const width = await canvas.evaluate((element) => element.clientWidth);
		let text = '';
		for (let x = LEFT + 4; x < width - RIGHT && !names.has(text); x += 30) {
			await canvas.hover({position: {x, y}});
			text = await page.locator('#tooltip > *').first().textContent({timeout: 1000}).catch(() => '') ?? '';
		}
		assert.ok(names.has(text), `no frame answers: ${text}`);
	}));

	test('sums beside files go by the metric', async () => {
		const {objects} = JSON.parse(await readFile(`${output}/several.json`, 'utf8'));
		const script = `globalThis.drawn = [];
			const {fillText} = CanvasRenderingContext2D.prototype;
			CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
				globalThis.drawn.push(text);
				return fillText.call(this, text, ...rest);
			};`;
		const {objects: shown, main_object: main} = headerOf(several);
		const object = objects.find((/** @type {any} */ each) => each.path === shown[main].path);
		await withReport(several, {script, hash: '#metric=faults'}, async (page) => {
			const drawn = () => page.evaluate(() => /** @type {any} */ (globalThis).drawn.splice(0));
			const text = object.faults.toLocaleString('en-US');
			assert.ok((await drawn()).includes(text), text);
			await page.getByRole('radio', {name: 'bytes'}).or(page.getByRole('button', {name: 'bytes'})).first().click();
			await until(drawn, (texts) => texts.some((/** @type {string} */ each) => / (KiB|MiB|B)$/.test(each)) && !texts.includes(text), 'bytes instead');
		});
	});

	test('a ring is drawn around a fault of a file that is closed', () => withReport(several, {}, async (page) => {
		const {objects, main_object: main, faults} = headerOf(several);
		assert.ok(objects[main].faults < faults.count);
		const overlay = page.locator('#timeline canvas.overlay');
		for (const fault of [0, 100, 200, 300, 400, 500]) {
			await follow(page, `#fault=${fault}`);
			await until(() => ringOf(overlay), Boolean, `a ring around ${fault}`);
		}
	}));
}
