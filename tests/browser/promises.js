// SPDX-License-Identifier: Apache-2.0
// What the page promises of what it shows: what opens first, that the axis ends with the program, that nothing that is
// drawn is cut without a title, covers another or can be taken for another.
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {gzipSync} from 'node:zlib';
import {readData} from '../../render/page/assets/data/data.js';
import {timeText} from '../../render/page/assets/shared/format.js';
import {OWN_STATES} from '../../render/page/assets/selection/moments.js';
import {selectEntries} from '../../render/page/assets/selection/selected.js';
import {phasesOfProcess} from '../../render/page/assets/tracks/processes.js';
import {blockOf, follow, headerOf, pause, until, withReport} from './report.js';
import {test} from './tap.js';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{text: string, left: number, right: number, top: number, bottom: number}} Drawn text, in pixels of the picture */

/** The data of a report, as the page has it. @param {string} file @returns {Promise<import('../../render/page/assets/data/data.js').Data>} */
function dataOf(file) {
	const [, block] = /id="data">([^<]*)/.exec(readFileSync(file, 'utf8')) ?? [];
	return readData(/** @type {Element} */ (/** @type {unknown} */ ({textContent: block, remove() {}})));
}

/** Keeps what was written on each canvas in the last frame that wrote there. */
const KEEP_TEXTS = `globalThis.drawn = new Map();
	const {fillText} = CanvasRenderingContext2D.prototype;
	CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
		const frame = document.timeline.currentTime;
		const known = globalThis.drawn.get(this.canvas);
		const texts = known?.frame === frame ? known.texts : [];
		globalThis.drawn.set(this.canvas, {frame, texts});
		const {width, actualBoundingBoxAscent: above, actualBoundingBoxDescent: below} = this.measureText(text);
		const left = x - ({center: width / 2, right: width, end: width}[this.textAlign] ?? 0);
		const matrix = this.getTransform();
		const corners = [[left, y - above], [left + width, y + below]].map(([a, b]) => matrix.transformPoint(new DOMPoint(a, b)));
		const of = (word) => corners.map((corner) => corner[word] / devicePixelRatio).sort((a, b) => a - b);
		const [[leftEdge, right], [top, bottom]] = [of('x'), of('y')];
		texts.push({text, left: leftEdge, right, top, bottom});
		return fillText.call(this, text, x, y, ...rest);
	};`;

/** What is written on the picture of the tracks, and the names that stand over it. @param {Page} page @returns {Promise<{texts: Drawn[], width: number, height: number}>} */
function textsOf(page) {
	return page.evaluate(() => {
		const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('#timeline canvas.picture'));
		const box = canvas.getBoundingClientRect();
		const heads = [...document.querySelectorAll('.track-head')].map((head) => {
			const {left, right, top, bottom} = head.getBoundingClientRect();
			return {text: head.textContent ?? '', left: left - box.left, right: right - box.left, top: top - box.top + 3, bottom: bottom - box.top - 3};
		});
		return {texts: [...(/** @type {any} */ (globalThis).drawn.get(canvas)?.texts ?? []), ...heads], width: canvas.clientWidth, height: canvas.clientHeight};
	});
}

/** Which of @texts cover each other. @param {Drawn[]} texts */
function coveringOf(texts) {
	const meet = (/** @type {Drawn} */ one, /** @type {Drawn} */ other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
		&& Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
	const at = (/** @type {Drawn} */ {text, left, top}) => `${text} (${Math.round(left)}, ${Math.round(top)})`;
	return texts.flatMap((one, i) => texts.slice(i + 1).filter((other) => meet(one, other)).map((other) => `${at(one)} and ${at(other)}`));
}

/** Texts of elements that are wider than the room they have, and say nowhere what they are. @param {Page} page @returns {Promise<string[]>} */
function cutTexts(page) {
	return page.evaluate(() => [...document.querySelectorAll('body *')].filter((element) => {
		const {overflowX, visibility} = getComputedStyle(element);
		return element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && overflowX === 'hidden' && visibility === 'visible'
			&& element.textContent?.trim() && !element.closest('[title]') && !element.matches('.tabs, .scroll, body, .legend') && element.getBoundingClientRect().width > 1;
	}).map((element) => `${element.tagName}.${element.className}: ${element.textContent?.slice(0, 60)}`));
}

/** CIE L*a*b* of "#rrggbb". @param {string} color */
function labOf(color) {
	const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
	const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883]
		.map((part) => part > 216 / 24389 ? Math.cbrt(part) : (24389 / 27 * part + 16) / 116);
	return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** In degrees; null: grey. @param {string} color */
function hueOf(color) {
	const [, a, b] = labOf(color);
	return Math.hypot(a, b) < 10 ? null : (Math.atan2(b, a) * 180 / Math.PI + 360) % 360;
}

/** CIEDE2000 (Sharma, Wu, Dalal 2005), as tests/unit/render/test_palette.c has it, which holds it to their numbers. @param {string} one @param {string} other */
function difference(one, other) {
	const [[l1, a1, b1], [l2, a2, b2]] = [labOf(one), labOf(other)];
	const power = (/** @type {number} */ c) => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
	const g = 1.5 - 0.5 * power((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2);
	const [c1, c2] = [Math.hypot(g * a1, b1), Math.hypot(g * a2, b2)];
	const hue = (/** @type {number} */ a, /** @type {number} */ b) => (Math.atan2(b, g * a) * 180 / Math.PI + 360) % 360;
	const [h1, h2] = [hue(a1, b1), hue(a2, b2)];
	const sine = (/** @type {number} */ degrees) => Math.sin(degrees * Math.PI / 180);
	const cosine = (/** @type {number} */ degrees) => Math.cos(degrees * Math.PI / 180);
	const turn = c1 * c2 === 0 ? 0 : (h2 - h1 + 540) % 360 - 180;
	const mean = c1 * c2 === 0 ? h1 + h2 : Math.abs(h1 - h2) > 180 ? (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2 : (h1 + h2) / 2;
	const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
	const t = 1 - 0.17 * cosine(mean - 30) + 0.24 * cosine(2 * mean) + 0.32 * cosine(3 * mean + 6) - 0.2 * cosine(4 * mean - 63);
	const [dl, dc, dh] = [(l2 - l1) / (1 + 0.015 * (l - 50) ** 2 / Math.sqrt(20 + (l - 50) ** 2)), (c2 - c1) / (1 + 0.045 * c),
		2 * Math.sqrt(c1 * c2) * sine(turn / 2) / (1 + 0.015 * c * t)];
	return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 - 2 * power(c) * sine(60 * Math.exp(-(((mean - 275) / 25) ** 2))) * dc * dh);
}

/** Causes share so many hues, within so many degrees; those of others are told apart from APART on, members from MEMBERS_APART on. */
const HUES = 7;
const HUE_WIDTH = 15;
const APART = 12;
const MEMBERS_APART = 3;

/** @param {string} output */
export function promiseTests(output) {
	test('a program that another has executed has its own phases', async () => {
		const data = await dataOf(`${output}/executed.html`);
		const [started, executed] = data.header.programs;
		assert.equal(started.pid, executed.pid);
		const {pid, start_ns: first, end_ns: stop} = data.header.processes[data.header.account.process];
		const phases = phasesOfProcess(data, {pid, first: first / data.unitNs, end: stop / data.unitNs});
		assert.deepEqual(phases.map(({name}) => name), executed.phases.map((/** @type {number[]} */ [phase]) => data.header.words.phase[phase]));
	});

	test('the axis ends with the program, long after its last fault, and its phases add up to it', async () => {
		const file = `${output}/sleeps.html`;
		const data = await dataOf(file);
		const {axis: {start_ns: start, end_ns: end}, processes, account} = data.header;
		const last = Math.max(...data.time) * data.unitNs;
		assert.ok(end - last > 100e6 || last - data.time[data.count - 2] * data.unitNs > 250e6, 'it sleeps');
		const {pid, start_ns: first, end_ns: stop} = processes[account.process];
		const phases = phasesOfProcess(data, {pid, first: first / data.unitNs, end: stop / data.unitNs});
		assert.ok(phases.length >= 3);
		phases.forEach((phase, i) => assert.ok(i === 0 || Math.abs(phase.first - phases[i - 1].end) < 1, phase.name));
		const sum = phases.reduce((all, phase) => all + phase.end - phase.first, 0) * data.unitNs;
		assert.ok(Math.abs(sum - (end - start)) < 0.01 * (end - start), `${sum} of ${end - start}`);
		await withReport(file, {script: KEEP_TEXTS}, async (page) => {
			await page.keyboard.press('c');
			await until(() => page.locator('#timeline canvas.picture').getAttribute('aria-label'), (text) => text?.includes(`to ${timeText(end - start)},`) ?? false, 'the axis is as long');
			// The last pixel of the state lane: it waits, and still is.
			const head = page.locator('.track-head.process').first();
			const y = await head.evaluate((element) => element.offsetTop + element.offsetHeight / 2);
			const isDrawn = await page.locator('#timeline canvas.picture').evaluate((element, line) => {
				const canvas = /** @type {HTMLCanvasElement} */ (element);
				const copy = document.createElement('canvas');
				[copy.width, copy.height] = [canvas.width, canvas.height];
				const context = /** @type {CanvasRenderingContext2D} */ (copy.getContext('2d', {willReadFrequently: true}));
				context.drawImage(canvas, 0, 0);
				const right = (canvas.clientWidth - 116) * devicePixelRatio;
				const alphas = (/** @type {number} */ x) => [...context.getImageData(x, (line - 10) * devicePixelRatio, 2, 20).data].some((value, i) => i % 4 < 3 && value > 0 && value < 200);
				// Beyond the end, and before the numbers beside it.
				return [alphas(right - 4), alphas(right + 2)];
			}, y);
			assert.deepEqual(isDrawn, [true, false], 'up to the end, and not beyond');
		});
	});

	for (const name of ['link', 'node', 'gdb', 'several', 'busy'])
		if (name !== 'gdb' || existsSync(`${output}/gdb.html`))
			test(`${name} opens on the command: the process and the file with most own time come first`, () => withReport(`${output}/${name}.html`, {}, async (page) => {
				const {processes, objects, main_object: main, words} = headerOf(`${output}/${name}.html`);
				/** @type {Map<number, number>} */
				const ownOf = new Map();
				for (const {pid, cells} of processes)
					for (const [state, , ns] of cells)
						if (OWN_STATES.includes(words.state[state]))
							ownOf.set(pid, (ownOf.get(pid) ?? 0) + ns);
				const open = await page.locator('.track-head.process[aria-expanded="true"]').allTextContents();
				assert.equal(open.length, 1);
				const pid = Number(open[0].split(' ').pop());
				assert.equal(ownOf.get(pid), Math.max(...ownOf.values()), open[0]);
				// A program's input is no candidate; where no ELF file has a twentieth of the time, memory may come first.
				const total = objects.reduce((/** @type {number} */ sum, /** @type {any} */ {own_ns: own}) => sum + own, 0);
				const [best] = objects.filter((/** @type {any} */ each) => each.is_elf && !each.name.endsWith('.o')).sort((/** @type {any} */ a, /** @type {any} */ b) => b.own_ns - a.own_ns);
				assert.ok(objects[main] === best || best.own_ns < total / 20 && objects[main].own_ns > best.own_ns, `${objects[main].name}, not ${best.name}`);
				assert.deepEqual(await page.locator('.track-head.file[aria-expanded="true"]').allTextContents(), [`▾ ${objects[main].name}`]);
			}));

	test('a finding opens the file that has most of its faults, in sight', async () => {
		const data = await dataOf(`${output}/several.html`);
		await withReport(`${output}/several.html`, {}, async (page) => {
			if (data.header.findings.length > 3)
				await page.locator('#all-cures').click();
			for (const [i, finding] of data.header.findings.entries()) {
				if (finding.faults === 0)
					continue;
				await page.locator('#cures .cure-head').nth(i).click();
				await pause(page);
				const name = await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('finding') ?? '');
				const marks = selectEntries(data, {filter: {finding: name}, search: '', process: null});
				const faults = data.header.objects.map(() => 0);
				marks.forEach((mark, fault) => {
					if (mark && data.of(fault, 'object') < faults.length)
						faults[data.of(fault, 'object')]++;
				});
				const most = finding.object === null ? faults.indexOf(Math.max(...faults)) : data.header.objects.findIndex((/** @type {any} */ {path}) => path === finding.object);
				const head = page.locator('.track-head.file[aria-expanded="true"]', {hasText: data.header.objects[most].name}).first();
				const sight = await head.evaluate((element) => {
					const [track, room] = [element, element.closest('#tracks')].map((each) => each?.getBoundingClientRect());
					return track && room ? [track.top - room.top, room.bottom - track.bottom] : [];
				});
				assert.ok(sight.length === 2 && sight.every((room) => room >= 0), `${finding.title}: ${data.header.objects[most].name} is in sight: ${sight}`);
				await page.locator('#cures .cure-head').nth(i).click();
				await pause(page);
			}
		});
	});

	test('a mark that ended the recording is drawn at the end of the axis, and one that was never reached is not', () => withReport(`${output}/until.html`, {script: KEEP_TEXTS}, async (page) => {
		await pause(page);
		const {texts, width} = await textsOf(page);
		const listen = texts.find(({text}) => text === 'listen');
		assert.ok(listen && listen.right <= width - 110 && listen.right > width - 130, JSON.stringify(listen));
		assert.ok(texts.some(({text}) => text === 'config read') && !texts.some(({text}) => text === 'window'));
		const ticks = texts.filter(({text, top}) => /^[\d.]+ ms$/.test(text) && Math.abs(top - listen.top) < 8);
		assert.ok(ticks.every((tick) => tick.right < listen.left || tick.left > listen.right), JSON.stringify([listen, ...ticks]));
		const told = await page.locator('#detail').textContent() ?? '';
		assert.match(told, /config read at 5\.00 ms, listen at 10\.0 ms, window never/);
		assert.match(told, /No mapping is known/);
	}));

	for (const [width, height] of [[1280, 800], [390, 844]])
		test(`a link to a fault shows its details, focused, at ${width} px`, () => withReport(`${output}/several.html`, {hash: '#fault=300', width, height}, async (page) => {
			const heading = page.locator('#detail h2');
			await until(() => heading.textContent(), (text) => text?.startsWith('Fault 301 ') ?? false, 'the fault');
			const {top, bottom, isFocused} = await heading.evaluate((element) => ({...element.getBoundingClientRect().toJSON(), isFocused: element === document.activeElement}));
			assert.ok(top >= 0 && bottom <= height, `${top} to ${bottom}`);
			assert.ok(isFocused);
		}));

	for (const scheme of /** @type {('light' | 'dark')[]} */ (['light', 'dark']))
		test(`no two causes share a fill, ${scheme}: their groups are ${APART} apart by CIEDE2000, and each state has its texture`, async () => {
			const {colors, words} = headerOf(`${output}/busy.html`);
			/** @type {string[]} */
			const fills = colors.initiator.map((/** @type {string[]} */ both) => both[Number(scheme === 'dark')]);
			/** @type {(number | null)[]} */
			const hues = [];
			const groups = fills.map((fill) => {
				const own = hueOf(fill);
				const at = hues.findIndex((hue) => hue === own || hue !== null && own !== null && Math.abs((hue - own + 540) % 360 - 180) <= HUE_WIDTH);
				return at >= 0 ? at : hues.push(own) - 1;
			});
			assert.equal(hues.length, HUES, JSON.stringify(hues));
			for (const [i, one] of fills.entries())
				for (const [k, other] of fills.slice(0, i).entries())
					assert.ok(difference(one, other) >= (groups[i] === groups[k] ? MEMBERS_APART : APART), `${words.initiator[i]} and ${words.initiator[k]}: ${difference(one, other)}`);
			await withReport(`${output}/busy.html`, {scheme}, async (page) => {
				await page.locator('#account .part[data-state]').first().waitFor();
				const parts = await page.locator('#account .part[data-state]').evaluateAll((all) => all.map((part) => {
					const {cause, state} = /** @type {HTMLElement} */ (part).dataset;
					const {backgroundColor, backgroundImage, borderStyle} = getComputedStyle(part);
					return {cause, state, color: backgroundColor, image: backgroundImage, border: borderStyle};
				}));
				const textures = new Map(parts.map(({state, image, border}) => [state?.replace('file-io', 'fault-io'), `${image.replace(/rgba?\([^)]*\)|#[0-9a-f]+/g, '')} ${border}`]));
				assert.ok(textures.size >= 3, [...textures.keys()].join());
				assert.equal(new Set(textures.values()).size, textures.size, JSON.stringify([...textures]));
			});
		});

	for (const [width, height] of [[1280, 800], [1920, 1080], [390, 844]])
		for (const name of ['several', 'busy', 'waits', 'diff', 'link'])
			test(`in ${name} at ${width} px no label covers another or leaves the picture, and nothing is cut without a title`, () =>
				withReport(`${output}/${name}.html`, {width, height, script: KEEP_TEXTS}, async (page) => {
					for (const hash of ['', '#tab=faults', '#tab=files&open=*']) {
						if (hash)
							await follow(page, hash);
						await pause(page);
						assert.deepEqual(await cutTexts(page), [], hash);
					}
					await page.keyboard.press('w');
					await page.keyboard.press('s');
					await pause(page);
					const {texts, width: room, height: high} = await textsOf(page);
					assert.ok(texts.length > 10);
					for (const {text, left, right, top, bottom} of texts)
						assert.ok(left >= -1 && right <= room + 1 && top >= -1 && bottom <= high + 1, `${text}: ${left} to ${right} of ${room}, ${top} to ${bottom} of ${high}`);
					assert.deepEqual(coveringOf(texts), []);
				}));

	test('what the axis leaves out says so where no name of a track stands', async () => {
		const {header, columns} = blockOf(`${output}/several.html`, 'data');
		const {start_ns: start, end_ns: end} = header.axis;
		header.cuts = [[start + (end - start) / 50, start + (end - start) / 2, 'late']];
		const text = Buffer.from(JSON.stringify(header));
		const length = Buffer.alloc(4);
		length.writeUInt32LE(text.length);
		const block = gzipSync(Buffer.concat([length, text, columns])).toString('base64');
		await writeFile(`${output}/late.html`, readFileSync(`${output}/several.html`, 'utf8').replace(/(id="data">)[^<]*/, `$1${block}`));
		for (const hash of ['', '#tab=files', `#time=${Math.round(start + (end - start) / 60)}-${end}`])
			await withReport(`${output}/late.html`, {hash, script: KEEP_TEXTS}, async (page) => {
				await pause(page);
				const {texts} = await textsOf(page);
				assert.ok(texts.some((drawn) => / ms waiting for a processor$/.test(drawn.text)), hash);
				assert.deepEqual(coveringOf(texts), [], hash);
			});
	});
}
