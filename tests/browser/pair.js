// SPDX-License-Identifier: Apache-2.0
// The tracks of a comparison: before above after on one axis from exec on, filtered together, and what only one side touched
// against a count made here from the faults and from readelf.
import assert from 'node:assert/strict';
import {copyFile, readFile} from 'node:fs/promises';
import {elfault, outputOf} from './commands.js';
import {decodePng} from './exports.js';
import {dataHeaderOf, follow, hashOf, numberOf, openTable, saveBy, takeBoth, until, withReport, wordOf} from './report.js';
import {test} from './tap.js';

/** @typedef {import('playwright-core').Page} Page */

const PAGE = 4096;
const SIDES = ['before', 'after'];
const CANVAS = '#timeline canvas.picture';

/** Keeps the rings that are drawn over the tracks: that of the chosen fault, and a dashed one around its twin. */
const SCRIPT = `globalThis.rings = {};
	const {arc, clearRect} = CanvasRenderingContext2D.prototype;
	CanvasRenderingContext2D.prototype.arc = function (x, y, ...rest) {
		globalThis.rings[this.getLineDash().length ? 'twin' : 'chosen'] = {x, y};
		return arc.call(this, x, y, ...rest);
	};
	CanvasRenderingContext2D.prototype.clearRect = function (...rest) {
		if (this.canvas.className === 'overlay')
			globalThis.rings = {};
		return clearRect.apply(this, rest);
	};`;

/** @param {Page} page @returns {Promise<{chosen?: {x: number, y: number}, twin?: {x: number, y: number}}>} */
const ringsOf = (page) => page.evaluate(() => /** @type {any} */ (globalThis).rings);

/** @param {Page} page */
const hintOf = (page) => page.locator('#timeline .hint').textContent();

/** The pixels of the tracks, as text to compare. @param {Page} page */
const pixelsOf = (page) => page.locator(CANVAS).evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL());

/** Choose a fault by the address, and see where it is. @param {Page} page @param {number} side @param {number} index @param {string} [rest] of the address */
async function spotOf(page, side, index, rest = '') {
	await follow(page, `#fault=${SIDES[side]}:${index}${rest}`);
	const text = `Fault ${(index + 1).toLocaleString('en-US')} of`;
	await until(() => page.locator('#detail h2:visible').textContent(), (title) => Boolean(title?.startsWith(text)), text);
	// Rings follow in the next frame.
	await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
	const {chosen} = await until(() => ringsOf(page), (rings) => Boolean(rings.chosen), `a ring around ${SIDES[side]} ${index}`);
	assert.ok(chosen);
	return chosen;
}

/** Faults of a trace, and where the sections of the program begin, by readelf. @param {string} trace @param {string} program */
async function readSide(trace, program) {
	const faults = (await elfault('analyze', '--format', 'ndjson', trace)).trim().split('\n').map((line) => JSON.parse(line));
	const {objects} = JSON.parse(await elfault('analyze', '--format', 'json', trace));
	/** @type {Map<string, {vaddr: number, offset: number}>} */
	const sections = new Map();
	for (const [, name, vaddr, offset] of (await outputOf('readelf', '-SW', program))
		.matchAll(/^\s*\[ *\d+\] (\.\S+)\s+\S+\s+([0-9a-f]+) ([0-9a-f]+) /gm))
		sections.set(name, {vaddr: parseInt(vaddr, 16), offset: parseInt(offset, 16)});
	return {faults, sections, builds: new Map(objects.map((/** @type {any} */ each) => [each.path, each.build_id]))};
}

/** @typedef {Awaited<ReturnType<typeof readSide>>} Side */

/** What each fault of @side touched, by the rule of the page; @isProgram tells the file of which there are two builds. @param {Side} side @param {Side} other @param {(path: string) => boolean} isProgram */
function placesOf(side, other, isProgram) {
	/** @type {Map<string, number[]>} */
	const memory = new Map();
	for (const {at, addr} of side.faults)
		if (at.vaddr === null && at.offset === null)
			memory.set(at.object, [...memory.get(at.object) ?? [], Math.floor(Number(addr) / PAGE)]);
	for (const [object, pages] of memory)
		memory.set(object, [...new Set(pages)].sort((a, b) => a - b));
	return side.faults.map(({at, addr}) => {
		if (at.vaddr === null && at.offset === null)
			return `${at.object} ${memory.get(at.object)?.indexOf(Math.floor(Number(addr) / PAGE))}`;
		const address = at.offset ?? Number(at.vaddr);
		if (!isProgram(at.object)) {
			assert.equal(side.builds.get(at.object), other.builds.get(at.object), 'all but the program is the same');
			return `${at.object} ${at.offset === null ? 'bss' : 'file'} ${Math.floor(address / PAGE)}`;
		}
		const section = side.sections.get(at.section);
		const start = section ? at.offset === null ? section.vaddr : section.offset : 0;
		// The kernel zeroes up to .bss from before it.
		return `program ${at.section} ${Math.max(Math.floor(address / PAGE) - Math.floor(start / PAGE), 0)}`;
	});
}

/** @param {string} output */
async function readPair(output) {
	const sides = await Promise.all([0, 1].map((side) => readSide(`${output}/${SIDES[side]}-build.trace`, `${output}/${SIDES[side]}-build/builds`)));
	const isProgram = (/** @type {string} */ path) => path.endsWith('-build/builds');
	const places = [placesOf(sides[0], sides[1], isProgram), placesOf(sides[1], sides[0], isProgram)];
	const alone = places.map((list, side) => {
		const others = new Set(places[1 - side]);
		return list.filter((place) => !others.has(place)).length;
	});
	return {sides, places, alone};
}

/** Drag over a fifth of the width of the tracks, in the overview's axis. @param {Page} page */
async function drag(page) {
	const box = await page.locator(CANVAS).boundingBox();
	assert.ok(box);
	await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.5, box.y + 42, {steps: 4});
	await page.mouse.up();
}

/** @param {string} output */
export function pairTests(output) {
	const builds = `${output}/builds.html`;
	const repeats = `${output}/diff.html`;
	const slower = `${output}/slower.html`;
	const script = SCRIPT;

	test('the same place of a section stands in the two rows of it, before above after', () =>
		withReport(builds, {script, height: 1400, hash: '#object=builds'}, async (page) => {
			const {sides, places} = await readPair(output);
			/** Faults of each section of the program that both have at the same byte. @type {Map<string, number[][]>} */
			const pairs = new Map();
			const bytes = places.map((list, side) => list.map((place, i) => `${place} ${
				(sides[side].faults[i].at.offset ?? Number(sides[side].faults[i].at.vaddr)) % PAGE}`));
			bytes[0].forEach((place, i) => {
				const j = bytes[1].indexOf(place);
				const section = place.split(' ')[1];
				if (j >= 0 && place.startsWith('program .'))
					pairs.set(section, [...pairs.get(section) ?? [], [i, j]]);
			});
			assert.ok(pairs.size >= 3 && pairs.has('.data.rel.ro') && pairs.has('.bss'), `${[...pairs.keys()]}`);
			for (const [section, list] of pairs) {
				const rooms = [];
				for (const [i, j] of [list[0], list[list.length - 1]]) {
					const before = await spotOf(page, 0, i);
					rooms.push((await spotOf(page, 1, j)).y - before.y);
				}
				assert.ok(rooms[0] >= 2 && Math.abs(rooms[0] - rooms[1]) <= 1, `${section}: ${rooms}`);
			}
		}));

	test('the same time stands at the same place for both sides, from exec of the command on', () =>
		withReport(repeats, {script}, async (page) => {
			await page.keyboard.press('c');
			/** @type {{x: number, time: number}[]} */
			const spots = [];
			for (const [side, trace] of [`${output}/several.trace`, `${output}/fewer.trace`].entries()) {
				const {faults} = await readSide(trace, '/bin/sh');
				const {axis} = dataHeaderOf(repeats, `data-${SIDES[side]}`);
				assert.ok(axis.start_ns > 0, 'the recording began before the command');
				for (const part of [0.2, 0.5, 0.95]) {
					const i = Math.floor(faults.length * part);
					spots.push({x: (await spotOf(page, side, i)).x, time: faults[i].time_ns - axis.start_ns});
				}
			}
			// The ends tell the scale; all others have to lie on it.
			const [first, ...others] = spots.sort((a, b) => a.time - b.time);
			const last = others[others.length - 1];
			const scale = (last.x - first.x) / (last.time - first.time);
			for (const {x, time} of spots)
				assert.ok(Math.abs(first.x + (time - first.time) * scale - x) <= 2, `${time}: ${x}, ${JSON.stringify(spots)}`);
			assert.ok(Math.abs(first.x - first.time * scale - 150) <= 2, `0 is the left end: ${first.x - first.time * scale}`);
		}));

	test('accounts stand below each other on one scale of milliseconds', () => withReport(slower, {}, async (page) => {
		const bars = await page.locator('#account .bar').evaluateAll((all) => all.map((bar) => [...bar.children].filter((part) => part.getAttribute('data-state') !== 'runnable')
			.map((part) => ({ns: Number(part.getAttribute('data-ns')), width: part.getBoundingClientRect().width}))));
		assert.equal(bars.length, 2);
		// The least pieces take a little from the others.
		const perPixel = bars.map((parts) => parts.filter(({width}) => width > 40).map(({ns, width}) => ns / width));
		const all = perPixel.flat();
		assert.ok(all.length > 1 && perPixel[0].length > 0, JSON.stringify(bars));
		assert.ok(Math.max(...all) < 1.1 * Math.min(...all), `${all}`);
	}));

	test('the place of a fault is ringed on the other side too, and its details lead there', () =>
		withReport(builds, {script, height: 1400, hash: '#object=builds'}, async (page) => {
			const {places} = await readPair(output);
			const i = places[0].indexOf('program .data.rel.ro 3');
			const spot = await spotOf(page, 0, i);
			const {twin} = await ringsOf(page);
			assert.ok(twin && twin.y > spot.y, `${spot.y} and ${twin?.y}`);
			await page.locator('#detail').getByRole('button', {name: 'The same place after'}).click();
			await until(() => wordOf(page, 'fault'), (text) => text === `after:${places[1].indexOf('program .data.rel.ro 3')}`, 'its twin');
			await spotOf(page, 1, places[1].indexOf('program .data.rel.ro 20'));
			assert.equal((await ringsOf(page)).twin, undefined);
			await until(() => page.locator('#detail .twin').textContent(), (text) => /^No fault at this place before/.test(text ?? ''), 'it is said');
		}));

	test('only what differs is what a count of the faults leaves, and marks that differ are counted', () =>
		withReport(builds, {}, async (page) => {
			const {sides, alone} = await readPair(output);
			assert.ok(alone[0] > 0 && alone[1] >= 9, `${alone}`);
			const [, before, after, ...only] = /([\d,]+) → ([\d,]+) faults \(([\d,]+) and ([\d,]+) of pages touched on one side only\)/.exec(await hintOf(page) ?? '') ?? [];
			assert.deepEqual([before, after].map(numberOf), sides.map(({faults}) => faults.length));
			assert.deepEqual(only.map(numberOf), alone);
			const all = await pixelsOf(page);
			await page.getByRole('button', {name: 'Only differences'}).click();
			await until(() => wordOf(page, 'on'), (text) => text === 'one side', 'the address has it');
			await until(() => hintOf(page), (text) => text?.includes(`${alone.join(' → ')} faults`) ?? false, `${alone} are left`);
			assert.notEqual(await pixelsOf(page), all);
			await page.getByRole('button', {name: 'Only differences'}).click();
			await until(() => pixelsOf(page), (now) => now === all, 'and back');
		}));

	test('drag, W and 0 move both sides, and Back takes one act back', () => withReport(repeats, {}, async (page) => {
		const all = await pixelsOf(page);
		await drag(page);
		await until(() => wordOf(page, 'time'), Boolean, 'a drag zooms');
		await until(() => pixelsOf(page), (now) => now !== all, 'the tracks follow');
		const [first, end] = (await wordOf(page, 'time') ?? '').split('-').map(Number);
		for (const [side, trace] of [`${output}/several.trace`, `${output}/fewer.trace`].entries()) {
			const {axis} = dataHeaderOf(repeats, `data-${SIDES[side]}`);
			const {faults} = await readSide(trace, '/bin/sh');
			const within = faults.filter(({time_ns: time}) => time - axis.start_ns >= first && time - axis.start_ns < end).length;
			const shown = /^([\d,]+) → ([\d,]+)/.exec(await page.locator('#left').textContent() ?? '')?.[side + 1] ?? '';
			assert.ok(Math.abs(numberOf(shown) - within) <= 3, `${SIDES[side]}: ${shown} of ${within}`);
		}
		await page.keyboard.press('w');
		const zoomed = await until(() => wordOf(page, 'time'), (time) => time !== `${first}-${end}`, 'W zooms');
		await page.locator(CANVAS).focus();
		await page.keyboard.press('ArrowLeft');
		await until(() => wordOf(page, 'time'), (time) => time !== zoomed, 'an arrow moves');
		await page.keyboard.press('0');
		await until(() => pixelsOf(page), (now) => now === all, '0 shows all');
		await page.getByRole('button', {name: 'Only differences'}).click();
		await until(() => wordOf(page, 'on'), Boolean, 'an act');
		await page.goBack();
		await until(() => wordOf(page, 'on'), (on) => on === null, 'is taken back');
	}));

	test('each side may be drawn to its own length', () => withReport(slower, {script}, async (page) => {
		const {faults} = await readSide(`${output}/after-build.trace`, `${output}/after-build/builds`);
		const at = Math.floor(faults.length * 0.7);
		const xs = async (/** @type {string} */ rest) => [(await spotOf(page, 0, at, rest)).x, (await spotOf(page, 1, at, rest)).x];
		const [before, after] = await xs('');
		assert.ok(before - 150 > 3 * (after - 150), `${before} and ${after}: eight times as slow`);
		const own = await xs('&scale=own');
		assert.ok(Math.abs(own[0] - own[1]) <= 3, `${own}`);
		await follow(page, '#');
		await page.keyboard.press('t');
		await until(() => wordOf(page, 'scale'), (text) => text === 'own', 'T does the same');
	}));

	test('a name clicked filters both sides; what one lacks has no marks there', () => withReport(builds, {hash: '#object=builds'}, async (page) => {
		await follow(page, '#section=.extra');
		await until(() => page.locator('#left').textContent(), (text) => /^0 → [1-9]/.test(text ?? ''), 'only after has some');
		await follow(page, '#function=no+such+name');
		await until(() => page.locator('#left').textContent(), (text) => /^0 → 0 faults/.test(text ?? ''), 'none');
	}));

	test('N steps through the faults of a side, Esc leaves them', () => withReport(repeats, {}, async (page) => {
		await page.keyboard.press('n');
		const first = await until(() => wordOf(page, 'fault'), (text) => Boolean(text?.startsWith('after:')), 'one of after');
		await page.keyboard.press('n');
		await until(() => wordOf(page, 'fault'), (text) => Boolean(text?.startsWith('after:')) && text !== first, 'the next');
		await page.keyboard.press('Escape');
		await until(() => wordOf(page, 'fault'), (has) => !has, 'Esc closes');
	}));

	test('renamed files are paired, it is said, and how to leave them apart', async () => {
		for (const [name, side] of [['engine-1.0', 'before'], ['engine-2.0', 'after']]) {
			await copyFile(`${output}/${side}-build/builds`, `${output}/${name}`);
			await elfault('record', '-o', `${output}/${name}.trace`, '--', `${output}/${name}`);
		}
		const traces = ['engine-1.0', 'engine-2.0'].map((name) => `${output}/${name}.trace`);
		await elfault('diff', ...traces, '-o', `${output}/renamed.html`);
		await elfault('diff', '--no-guess', ...traces, '-o', `${output}/apart.html`);
		const heads = (/** @type {Page} */ page) => page.locator('.track-head.file').allTextContents();
		await withReport(`${output}/renamed.html`, {}, async (page) => {
			// It opens at the program, in which most changed.
			assert.match(await page.locator('#detail h2:visible').textContent() ?? '', /engine-2\.0/);
			assert.match(await page.locator('#detail .guess').textContent() ?? '', /programs of both sides: a guess/);
			assert.equal(await page.locator('#detail .command code').textContent(), `elfault diff --no-guess ${traces.join(' ')}`);
			assert.deepEqual((await heads(page)).filter((text) => text.includes('engine-')), ['▾ engine-2.0']);
		});
		await withReport(`${output}/apart.html`, {}, async (page) => {
			assert.equal(await page.locator('#detail .guess').count(), 0);
			assert.deepEqual((await heads(page)).filter((text) => text.includes('engine-')).map((text) => text.slice(2)).sort(), ['engine-1.0', 'engine-2.0']);
		});
	});

	test('a build beside itself has no coloured arrow', async () => {
		await elfault('record', '-o', `${output}/again.trace`, '--', `${output}/after-build/builds`);
		await elfault('diff', `${output}/after-build.trace`, `${output}/again.trace`, '-o', `${output}/itself.html`);
		for (const file of [`${output}/itself.html`, `${output}/same.html`])
			await withReport(file, {}, async (page) => {
				for (const title of await page.getByRole('tab').allTextContents())
					await openTable(page, title);
				assert.ok(await page.locator('.change').count() > 0);
				assert.equal(await page.locator('.change:is(.rise, .fall)').count(), 0);
			});
	});

	test('the tracks are saved as PNG and as SVG that other programs read', () => withReport(builds, {hash: '#object=builds'}, async (page) => {
		for (const kind of ['PNG', 'SVG']) {
			await page.locator('#controls details').evaluate((menu) => menu.setAttribute('open', ''));
			await saveBy(page, page.getByRole('button', {name: `Save as ${kind}`}), `${output}/pair.${kind.toLowerCase()}`);
		}
		const {width, height, pixels} = decodePng(await readFile(`${output}/pair.png`));
		assert.ok(width > 1500 && height > 1000, `${width} × ${height}`);
		assert.ok(new Set(pixels).size > 50);
		await outputOf('xmllint', '--noout', '--nonet', `${output}/pair.svg`);
		const text = await readFile(`${output}/pair.svg`, 'utf8');
		assert.match(text, /<title>.*builds.*<\/title>/);
		for (const name of ['.data.rel.ro', 'before', 'after', 'phases'])
			assert.ok(text.includes(`>${name}<`), name);
	}));

	for (const [width, height] of [[1280, 800], [390, 844]])
		test(`a comparison is drawn at ${width} × ${height}, light and dark, nothing wider than the screen`, async () => {
			for (const [name, hash, id, file = builds] of [['top', '', ''], ['only', '#on=one+side', '#tracks'], ['twin', '#fault=before:20', '#detail'], ['scale', '#scale=own', '#tracks', slower]])
				await withReport(file, {hash, width, height}, async (page) => {
					await takeBoth(page, id, `${output}/pair-${name}-${width}`);
					const wide = await page.evaluate(() => document.documentElement.scrollWidth);
					assert.ok(wide <= width, `${name} is ${wide} px wide`);
				});
		});

	test('a link without sense is taken for what has some', () =>
		withReport(repeats, {hash: '#object=nothing&fault=after:999999999&place=left:1-2&metric=luck&time=9-1&color=red&section=.text'}, async (page) => {
			assert.match(await page.locator('#chips').textContent() ?? '', /^section: \.text/);
			assert.equal(await page.locator('#chips .chip').count(), 1);
			assert.deepEqual([...(await hashOf(page)).keys()].filter((key) => key === 'section'), ['section']);
		}));
}
