// SPDX-License-Identifier: Apache-2.0
// The timeline and the file's strip by mouse, fingers and keys; and findings, each of which must
// leave the faults that its condition leaves in `elfault analyze --where`.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {elfault} from './commands.js';
import {chooseFault, headerOf, numberOf, pause, ringOf, until, withReport, wordOf} from './report.js';
import {test} from './tap.js';

/** @typedef {import('playwright-core').Page} Page */

/** What the page says it leaves of all faults. @param {Page} page */
async function leftOf(page) {
	const text = await page.locator('#left').textContent() ?? '';
	return numberOf(/^([\d,]+) fault/.exec(text)?.[1] ?? '-1');
}

/** The picture's pixels, as text to compare. @param {Page} page @param {string} section */
function pixelsOf(page, section) {
	return page.locator(`#${section} canvas.picture`).evaluate((canvas) =>
		/** @type {HTMLCanvasElement} */ (canvas).toDataURL());
}

/** @param {Page} page @param {string} section */
async function boxOf(page, section) {
	const canvas = page.locator(`#${section} canvas.picture`);
	await canvas.scrollIntoViewIfNeeded();
	const box = await canvas.boundingBox();
	assert.ok(box);
	return box;
}

/** Touches as the browser would have them from a screen. @param {Page} page */
async function fingersOf(page) {
	const session = await page.context().newCDPSession(page);
	return (/** @type {'touchStart' | 'touchMove' | 'touchEnd'} */ type, /** @type {number[][]} */ points) =>
		session.send('Input.dispatchTouchEvent', {type, touchPoints: points.map(([x, y], id) => ({x, y, id}))});
}

/** @param {Page} page @returns {Promise<number[]>} */
async function timeOf(page) {
	return (await wordOf(page, 'time') ?? '').split('-').filter(Boolean).map(Number);
}

/** @param {string} output */
export function pictureTests(output) {
	test('what a fault read is told, and drawn behind the marks', () =>
		withReport(`${output}/hostile.html`, {hash: '#fault=1'}, async (page) => {
			assert.match(await page.locator('#detail').textContent() ?? '', /Read from storage30 pages \(120(\.0)? KiB\) among 32 from 0x2000/);
			assert.match(await page.locator('#left').textContent() ?? '', /, 120(\.0)? KiB read,/);
			await page.locator('#timeline').scrollIntoViewIfNeeded();
			const drawn = await page.locator('#timeline canvas.picture').evaluate((element) => {
				const canvas = /** @type {HTMLCanvasElement} */ (element);
				const color = getComputedStyle(document.documentElement).getPropertyValue('--ahead').trim();
				const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
				const {data} = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(0, 0, canvas.width, canvas.height);
				let count = 0;
				for (let i = 0; i < data.length; i += 4)
					count += Number(data[i] === red && data[i + 1] === green && data[i + 2] === blue);
				return count;
			});
			assert.ok(drawn > 20, `${drawn} pixels of what was read`);
		}));

	const waits = `${output}/waits.html`;
	/** What the main timeline says of the picture. @param {Page} page */
	const hintOf = (page) => page.locator('#timeline .hint').textContent();
	/** How many pixels of the picture have the colour @name in @box. @param {Page} page @param {string} name @param {string} box left, top, right and bottom; below 0: from the other edge */
	const countPixels = (page, name, box) => page.locator('#timeline canvas.picture').evaluate((element, [token, where]) => {
		const canvas = /** @type {HTMLCanvasElement} */ (element);
		const color = getComputedStyle(document.documentElement).getPropertyValue(`--${token}`).trim();
		const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
		const {width, height} = canvas;
		const [left, top, right, bottom] = where.split(' ').map(Number).map((at, i) => at >= 0 ? at : (i % 2 ? height : width) + at);
		const copy = document.createElement('canvas');
		copy.width = width;
		copy.height = height;
		const context = /** @type {CanvasRenderingContext2D} */ (copy.getContext('2d', {willReadFrequently: true}));
		context.drawImage(canvas, 0, 0);
		const {data} = context.getImageData(left, top, right - left, bottom - top);
		let count = 0;
		for (let i = 0; i < data.length; i += 4)
			count += Number(data[i] === red && data[i + 1] === green && data[i + 2] === blue);
		return count;
	}, [name, box]);

	test('waits for storage are drawn, time without faults is not', () => withReport(waits, {}, async (page) => {
		// Of 69.6 ms 30.1 are between the end of one wait and the start of the next fault.
		assert.match(await hintOf(page) ?? '', /^36 faults in 69\.6 ms\. 30\.1 ms without faults left out\./);
		assert.match(await page.locator('#timeline canvas.picture').getAttribute('aria-label') ?? '', /30\.1 ms without faults left out/);
	}));

	test('the axis runs from exec to the end, not to the last fault', () => withReport(`${output}/time.html`, {}, async (page) => {
		// The program runs from 1 to 21 ms; its last fault is over at 6 ms.
		assert.match(await hintOf(page) ?? '', /^2 faults in 20(\.0)? ms\./);
		assert.match(await page.locator('#timeline canvas.picture').getAttribute('aria-label') ?? '', /From 0 ns to 20(\.0)? ms/);
	}));

	test('zoom and pan go over what is left out', () => withReport(waits, {}, async (page) => {
		await boxOf(page, 'timeline');
		await page.keyboard.press('w');
		const [first, end] = await until(() => timeOf(page), (range) => range.length === 2, 'zoomed in');
		// A quarter of the 39.5 ms that are left, from each end.
		assert.ok(Math.abs(first - (1000 + 9.875e6)) < 2e4 && Math.abs(end - (69600000 - 9.875e6)) < 2e4, `${first} to ${end}`);
		for (let times = 0; times < 2; times++)
			await page.keyboard.press('d');
		const [later, last] = await until(() => timeOf(page), (range) => range[1] > 69.5e6, 'moved to the end');
		assert.ok(Math.abs(later - (1000 + 19.75e6)) < 2e4 && last < 69.7e6, `${later} to ${last}`);
		await page.keyboard.press('s');
		await until(() => timeOf(page), (range) => range.length === 0, 'all again');
	}));

	test('marks at the end of the picture are whole and within it', async () => {
		// Heights of which few are whole cells.
		for (const height of [901, 904, 907, 910])
			await withReport(waits, {height}, async (page) => {
				await boxOf(page, 'timeline');
				// Below the open file is the row of a closed one; within it the mark of the major fault and the box around it.
				assert.equal(await countPixels(page, 'ink', '200 -18 -130 -2'), 0, `${height}: drawn below the plot`);
				assert.ok(await countPixels(page, 'ink', '200 -37 -130 -18') >= 18, `${height}: no box around the last mark`);
			});
	});

	test('a mark that is outlined answers with its major fault', () => withReport(`${output}/outlined.html`, {hash: '#fault=35'}, async (page) => {
		// A minor fault of the same page, 1 µs before, is drawn at the same place.
		const canvas = page.locator('#timeline canvas.picture');
		await canvas.scrollIntoViewIfNeeded();
		const spot = await until(() => ringOf(page.locator('#timeline canvas.overlay')), (ring) => ring !== null, 'a ring') ?? undefined;
		await page.keyboard.press('Escape');
		await until(() => wordOf(page, 'fault'), (fault) => fault === null, 'Esc closes');
		await canvas.hover({position: spot});
		const tooltip = page.locator('#tooltip');
		await until(() => tooltip.textContent(), Boolean, 'a mark answers');
		assert.match(await tooltip.textContent() ?? '', /major, write.*dearest of 2 faults here$/s);
		await canvas.click({position: spot});
		assert.equal(await until(() => wordOf(page, 'fault'), Boolean, 'a click shows a fault'), '35');
	}));

	test('initializers of several processes are drawn when each ran, not from the first to the last', () => withReport(`${output}/several.html`, {}, async (page) => {
		await boxOf(page, 'timeline');
		const head = page.locator('.track-head.process', {hasText: 'clang'});
		if (await head.getAttribute('aria-expanded') !== 'true')
			await head.click();
		await pause(page);
		// One line of pixels through the lane below its phases, right of what it is called.
		const y = await head.evaluate((element) => element.offsetTop) + 20 + 15 + 7;
		const [even, odd] = [await countPixels(page, 'phase-even', `170 ${y} -120 ${y + 1}`), await countPixels(page, 'phase-odd', `170 ${y} -120 ${y + 1}`)];
		const width = (await boxOf(page, 'timeline')).width - 170 - 120;
		assert.ok(even + odd > 2 && even + odd < width * 0.6, `${even + odd} of ${width} pixels`);
	}));

	const report = `${output}/several.html`;
	const open = (/** @type {(page: Page) => Promise<void>} */ use) => () => withReport(report, {}, use);

	test('a finding leaves the faults that its condition leaves in analyze', open(async (page) => {
		const {findings} = JSON.parse(await readFile(`${output}/several.json`, 'utf8'));
		assert.ok(findings.length > 0);
		if (findings.length > 3)
			await page.locator('#all-cures').click();
		for (const [index, finding] of findings.entries()) {
			const {objects} = JSON.parse(await elfault('analyze', '--format', 'json', '--where', finding.where, `${output}/several.trace`));
			const expected = objects.reduce((/** @type {number} */ sum, /** @type {{faults: number}} */ object) => sum + object.faults, 0);
			const cure = page.locator('#cures button.cure-head').nth(index);
			await cure.click();
			await until(() => wordOf(page, 'finding'), (text) => Boolean(text?.startsWith(finding.id)), 'the address has it');
			await until(() => cure.getAttribute('aria-pressed'), (pressed) => pressed === 'true', 'it is pressed');
			assert.ok((await page.locator('#detail').textContent() ?? '').includes(finding.evidence), 'details have the evidence');
			await until(() => leftOf(page), (left) => left === expected, `${finding.title}, ${finding.where}: ${expected} faults`);
		}
	}));

	test('a filter and the theme each change the picture', open(async (page) => {
		const before = await pixelsOf(page, 'timeline');
		await page.locator('#account .legend button').first().click();
		const filtered = await until(() => pixelsOf(page, 'timeline'), (pixels) => pixels !== before, 'a filter');
		await page.getByLabel('Theme').selectOption('dark');
		await until(() => pixelsOf(page, 'timeline'), (pixels) => pixels !== filtered, 'the theme');
		await page.getByLabel('Theme').selectOption('light');
		await page.locator('#account .legend button').first().click();
		await until(() => pixelsOf(page, 'timeline'), (pixels) => pixels === before, 'and back');
	}));

	test('a section’s name filters', open(async (page) => {
		const box = await boxOf(page, 'timeline');
		let section = null;
		for (let y = 250; y < box.height - 60 && section === null; y += 14) {
			await page.mouse.click(box.x + 100, box.y + y);
			section = await wordOf(page, 'section');
		}
		assert.ok(section, 'no name took the click');
		await until(() => leftOf(page), (left) => left > 0, 'its faults');
	}));

	test('Esc leaves one thing after the other', () => withReport(report,
		{hash: '#initiator=relocation&search=a&time=1-900000000&fault=3'}, async (page) => {
			for (const word of ['fault', 'search', 'time', 'initiator']) {
				assert.ok(await wordOf(page, word), word);
				await page.keyboard.press('Escape');
				await until(() => wordOf(page, word), (has) => !has, word);
			}
		}));

	test('two fingers zoom, one moves through time, a tap shows a fault', () => withReport(report, {width: 390}, async (page) => {
		const touch = await fingersOf(page);
		let box = await boxOf(page, 'timeline');
		const x = box.x + box.width * 0.6;
		const y = box.y + box.height / 2;
		await touch('touchStart', [[x - 20, y], [x + 20, y]]);
		for (let step = 1; step <= 8; step++)
			await touch('touchMove', [[x - 20 - step * 5, y], [x + 20 + step * 5, y]]);
		await touch('touchEnd', []);
		await pause(page);
		const zoomed = await until(() => timeOf(page), (time) => time.length === 2, 'two fingers zoom');
		await touch('touchStart', [[x + 40, y]]);
		for (let step = 1; step <= 8; step++)
			await touch('touchMove', [[x + 40 - step * 8, y]]);
		await touch('touchEnd', []);
		await pause(page);
		const moved = await until(() => timeOf(page), (time) => time[0] > zoomed[0], 'one finger moves');
		const gaps = headerOf(report).cuts;
		const drawnOf = (/** @type {number[]} */ [first, end]) => end - first
			- gaps.reduce((/** @type {number} */ sum, /** @type {number[]} */ [from, to]) => sum + Math.max(Math.min(to, end) - Math.max(from, first), 0), 0);
		assert.ok(Math.abs(drawnOf(moved) - drawnOf(zoomed)) <= 2, 'and does not zoom');
		await page.keyboard.press('0');
		await until(() => timeOf(page), (time) => time.length === 0, 'all is shown');
		const spot = await chooseFault(page);
		box = await boxOf(page, 'timeline');
		await touch('touchStart', [[box.x + spot.x, box.y + spot.y]]);
		await touch('touchEnd', []);
		await until(() => wordOf(page, 'fault'), Boolean, 'a tap shows a fault');
	}));
}
