// SPDX-License-Identifier: Apache-2.0
// The pictures of a comparison: both sides on one scale, moved and filtered together, and what only one side touched
// against a count made here from the faults and from readelf.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {elfault, outputOf} from './commands.js';
import {decodePng} from './exports.js';
import {follow, hashOf, headerOf, numberOf, openTable, ringOf, saveBy, takeBoth, until, withReport, wordOf} from './report.js';
import {test} from './tap.js';

/** @typedef {import('playwright-core').Page} Page */

const PAGE = 4096;
const SIDES = ['before', 'after'];

/** @param {Page} page @param {number} side */
const canvasOf = (page, side) => page.locator('#timelines canvas.picture').nth(side);

/** @param {Page} page @param {number} side */
const overlayOf = (page, side) => page.locator('#timelines canvas.overlay').nth(side);

/** The pixels of both timelines, as text to compare. @param {Page} page @returns {Promise<string[]>} */
function pixelsOfBoth(page) {
	return page.locator('#timelines canvas.picture').evaluateAll((all) => all.map((canvas) =>
		/** @type {HTMLCanvasElement} */ (canvas).toDataURL()));
}

/** Wait until both timelines changed from @before. @param {Page} page @param {string[]} before @param {string} what */
function bothChanged(page, before, what) {
	return until(() => pixelsOfBoth(page), (now) => now[0] !== before[0] && now[1] !== before[1], what);
}

/** Choose a fault by the address, and see where it is. @param {Page} page @param {number} side @param {number} index @param {string} [rest] of the address */
async function spotOf(page, side, index, rest = '') {
	await follow(page, `#fault=${SIDES[side]}:${index}${rest}`);
	const text = `Fault ${(index + 1).toLocaleString('en-US')} of`;
	await until(() => page.locator('#detail h2:visible').textContent(), (title) => Boolean(title?.startsWith(text)), text);
	// Pictures follow in the next frame.
	await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
	const spot = await ringOf(overlayOf(page, side));
	assert.ok(spot, `a ring around ${SIDES[side]} ${index}`);
	return spot;
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

/** Drag over a fifth of the width of a side's picture, and @down pixels down. @param {import('playwright-core').Page} page @param {number} side @param {number} down */
async function drag(page, side, down) {
	const box = await canvasOf(page, side).boundingBox();
	assert.ok(box);
	await page.mouse.move(box.x + box.width * 0.3, box.y + 100);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.5, box.y + 100 + down, {steps: 4});
	await page.mouse.up();
}

/** @param {string} output */
export function pairTests(output) {
	const builds = `${output}/builds.html`;
	const repeats = `${output}/diff.html`;
	const slower = `${output}/slower.html`;

	test('the same place of a section stands at the same height on both sides', () =>
		withReport(builds, {}, async (page) => {
			const {sides, places} = await readPair(output);
			/** One fault of each section of the program that both have at the same byte. @type {Map<string, number[]>} */
			const pairs = new Map();
			const bytes = places.map((list, side) => list.map((place, i) => `${place} ${
				(sides[side].faults[i].at.offset ?? Number(sides[side].faults[i].at.vaddr)) % PAGE}`));
			bytes[0].forEach((place, i) => {
				const j = bytes[1].indexOf(place);
				if (j >= 0 && place.startsWith('program .'))
					pairs.set(place.split(' ')[1], [i, j]);
			});
			assert.ok(pairs.size >= 3 && pairs.has('.data.rel.ro') && pairs.has('.bss'), `${[...pairs.keys()]}`);
			for (const [section, pair] of pairs) {
				const spots = [await spotOf(page, 0, pair[0]), await spotOf(page, 1, pair[1])];
				assert.ok(Math.abs(spots[0].y - spots[1].y) <= 1, `${section}: ${spots[0].y} and ${spots[1].y}`);
			}
		}));

	test('both pictures stand at the same height, however long their headings are', () => withReport(builds, {}, async (page) => {
		await page.locator('#timelines h3').nth(1).evaluate((element) => element.append(' and so on'.repeat(40)));
		const tops = [(await canvasOf(page, 0).boundingBox())?.y, (await canvasOf(page, 1).boundingBox())?.y];
		assert.equal(tops[0], tops[1]);
	}));

	test('a narrow picture has more than one time on its axis', async () => {
		const script = `globalThis.drawn = [];
			const {fillText} = CanvasRenderingContext2D.prototype;
			CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
				globalThis.drawn.push(text);
				return fillText.call(this, text, ...rest);
			};`;
		// A comparison's axis begins with its recordings, a report's with exec.
		const startOf = (/** @type {string} */ file) => file === builds ? 0 : headerOf(file).faults.first_ns;
		for (const file of [builds, `${output}/several.html`])
			// The least round time that is more than half of this is not within it.
			await withReport(file, {script, width: 390, height: 844, hash: `#time=${startOf(file)}-${startOf(file) + 490000}`}, async (page) => {
				const drawn = await page.evaluate(() => /** @type {any} */ (globalThis).drawn);
				assert.ok(drawn.includes('0') && drawn.some((/** @type {string} */ text) => /^[1-9]\d* µs$/.test(text)), `${drawn}`);
			});
	});

	test('the same time stands at the same width on both sides, from the start of each recording', () =>
		withReport(repeats, {}, async (page) => {
			/** @type {{x: number, time: number}[]} */
			const spots = [];
			for (const [side, trace] of [`${output}/several.trace`, `${output}/fewer.trace`].entries()) {
				const {faults} = await readSide(trace, '/bin/sh');
				for (const i of [0, Math.floor(faults.length / 2), faults.length - 1])
					spots.push({x: (await spotOf(page, side, i)).x, time: faults[i].time_ns});
			}
			// The ends of the longer side tell the scale; all others have to lie on it.
			const [, , last] = spots[2].time > spots[5].time ? spots : spots.slice(3);
			const [first] = spots[2].time > spots[5].time ? spots : spots.slice(3);
			const scale = (last.x - first.x) / (last.time - first.time);
			for (const {x, time} of spots)
				assert.ok(Math.abs(first.x + (time - first.time) * scale - x) <= 2, `${time}: ${x}, ${JSON.stringify(spots)}`);
		}));

	test('the place of a fault is ringed on the other side too, and its details lead there', () =>
		withReport(builds, {}, async (page) => {
			const {places} = await readPair(output);
			const i = places[0].indexOf('program .data.rel.ro 3');
			const spot = await spotOf(page, 0, i);
			const twin = await ringOf(overlayOf(page, 1));
			assert.ok(twin && Math.abs(spot.y - twin.y) <= 1, `${spot.y} and ${twin?.y}`);
			await page.locator('#detail').getByRole('button', {name: 'The same place after'}).click();
			await until(() => wordOf(page, 'fault'), (text) => text === `after:${places[1].indexOf('program .data.rel.ro 3')}`, 'its twin');
			const lone = places[1].indexOf('program .data.rel.ro 20');
			await spotOf(page, 1, lone);
			assert.equal(await ringOf(overlayOf(page, 0)), null);
			await until(() => page.locator('#detail .twin').textContent(), (text) => /^No fault at this place before/.test(text ?? ''), 'it is said');
		}));

	test('only what differs is what a count of the faults leaves, and marks that differ are counted', () =>
		withReport(builds, {}, async (page) => {
			const {sides, alone} = await readPair(output);
			assert.ok(alone[0] > 0 && alone[1] >= 9, `${alone}`);
			for (const side of [0, 1]) {
				const text = await page.locator('#timelines h3').nth(side).textContent() ?? '';
				const [, shown, only] = /([\d,]+) faults? shown, ([\d,]+) only here/.exec(text) ?? [];
				assert.equal(numberOf(shown), sides[side].faults.length);
				assert.equal(numberOf(only), alone[side], text);
			}
			const before = await pixelsOfBoth(page);
			await page.getByRole('button', {name: 'Only differences'}).click();
			await until(() => wordOf(page, 'on'), (text) => text === 'one side', 'the address has it');
			await bothChanged(page, before, 'the pictures');
			for (const side of [0, 1])
				await until(() => page.locator('#timelines h3').nth(side).textContent(),
					(text) => numberOf(/([\d,]+) faults? shown/.exec(text ?? '')?.[1] ?? '0') === alone[side], `${alone[side]} are left`);
			await page.getByRole('button', {name: 'Only differences'}).click();
			await until(() => pixelsOfBoth(page), (now) => now[0] === before[0] && now[1] === before[1], 'and back');
		}));

	test('drag, wheel and keys on one side zoom both; 0 shows all', () => withReport(repeats, {}, async (page) => {
		const before = await pixelsOfBoth(page);
		await canvasOf(page, 0).scrollIntoViewIfNeeded();
		for (const side of [0, 1]) {
			await drag(page, side, 200);
			await until(async () => await wordOf(page, 'time') && await wordOf(page, 'place'), Boolean, `a drag ${SIDES[side]} zooms time and place`);
			await bothChanged(page, before, 'both follow');
			await page.keyboard.press('0');
			await until(() => pixelsOfBoth(page), (now) => now[0] === before[0] && now[1] === before[1], '0 shows all');
			await canvasOf(page, side).focus();
			await page.keyboard.press('w');
			const zoomed = await until(() => wordOf(page, 'time'), Boolean, 'W zooms');
			await bothChanged(page, before, 'both follow W');
			await page.keyboard.press('ArrowLeft');
			await until(() => wordOf(page, 'time'), (time) => time !== zoomed, 'an arrow moves');
			await page.keyboard.press('0');
			await until(() => pixelsOfBoth(page), (now) => now[0] === before[0] && now[1] === before[1], 'and back');
		}
	}));

	test('a name clicked on one side filters both; what the other side lacks is said', () => withReport(builds, {}, async (page) => {
		const before = await pixelsOfBoth(page);
		await canvasOf(page, 1).scrollIntoViewIfNeeded();
		const box = await canvasOf(page, 1).boundingBox();
		assert.ok(box);
		const sectionNow = async () => await wordOf(page, 'section');
		for (let y = 40; y < box.height - 40 && await sectionNow() !== '.data.rel.ro'; y += 9) {
			if (await sectionNow())
				await page.keyboard.press('Escape');
			await page.mouse.click(box.x + 60, box.y + y);
		}
		assert.equal(await sectionNow(), '.data.rel.ro');
		await bothChanged(page, before, 'both follow');
		await follow(page, '#section=.extra');
		await until(() => page.locator('#timelines h3').nth(0).textContent(), (text) => /no selected faults before/.test(text ?? ''), 'before has none');
		await until(() => page.locator('#timelines h3').nth(1).textContent(), (text) => /^after\s+[1-9]\d* faults? shown/.test(text ?? ''), 'after has some');
		assert.match(await canvasOf(page, 0).getAttribute('aria-label') ?? '', /not in before: .*\.extra/);
	}));

	test('the pointer’s time and place are shown on both sides', () => withReport(builds, {}, async (page) => {
		await canvasOf(page, 0).scrollIntoViewIfNeeded();
		const box = await canvasOf(page, 0).boundingBox();
		assert.ok(box);
		const inkOf = (/** @type {number} */ side) => overlayOf(page, side).evaluate((canvas) =>
			/** @type {HTMLCanvasElement} */ (canvas).toDataURL());
		const empty = [await inkOf(0), await inkOf(1)];
		await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.4);
		for (const side of [0, 1])
			await until(() => inkOf(side), (ink) => ink !== empty[side], `a cross ${SIDES[side]}`);
		await page.mouse.move(2, 2);
		for (const side of [0, 1])
			await until(() => inkOf(side), (ink) => ink === empty[side], `none ${SIDES[side]}`);
	}));

	for (const range of ['time=1000-900000', 'scale=own&time.before=1000-900000&time.after=2000-300000'])
		test(`a link restores ${range}, filter, stress and fault of both sides`, () => withReport(builds,
			{hash: `#color=access&section=.data.rel.ro&${range}&place=20.00-60.00&stress=no&fault=after:20`}, async (page) => {
				const hash = `#${await hashOf(page)}`;
				const before = await pixelsOfBoth(page);
				await page.reload();
				await page.locator('html[data-state="ready"]').waitFor({state: 'attached'});
				assert.equal(`#${await hashOf(page)}`, hash);
				assert.deepEqual(await pixelsOfBoth(page), before);
				assert.equal(await page.getByRole('button', {name: 'Highlight differences'}).getAttribute('aria-pressed'), 'false');
				assert.ok(await page.locator('#detail').isVisible());
			}));

	test('where one side is narrow each is offered its own scale, on which the same share of both runs is at the same width', () =>
		withReport(slower, {}, async (page) => {
			const {faults} = await readSide(`${output}/after-build.trace`, `${output}/after-build/builds`);
			const some = [0, Math.floor(faults.length / 3), faults.length - 1];
			const ends = [await spotOf(page, 0, 0), await spotOf(page, 0, some[2]), await spotOf(page, 1, some[2])].map(({x}) => x);
			const first = (await spotOf(page, 1, 0)).x;
			assert.ok(Math.abs((ends[1] - ends[0]) / 8 - (ends[2] - first)) <= 2, `${first}, ${ends}`);
			const offer = page.locator('#timelines .offer');
			assert.match(await offer.textContent() ?? '', /^before lasts [\d.]+ [nµm]?s, 8\.0 times as long as after \([\d.]+ [nµm]?s\), which is therefore narrow here\./);
			await offer.getByRole('button').press('Enter');
			await until(() => wordOf(page, 'scale'), (text) => text === 'own', 'the address has it');
			await until(() => offer.isHidden(), Boolean, 'the offer goes');
			const toggle = page.getByRole('button', {name: 'Each to its own length', exact: true});
			assert.equal(await toggle.getAttribute('aria-pressed'), 'true');
			assert.ok(await toggle.evaluate((element) => element === document.activeElement), 'what takes it back has the focus');
			for (const i of some) {
				const spots = [await spotOf(page, 0, i, '&scale=own'), await spotOf(page, 1, i, '&scale=own')];
				assert.ok(Math.abs(spots[0].x - spots[1].x) <= 1, `${i}: ${spots[0].x} and ${spots[1].x}`);
			}
			const badges = page.locator('#timelines h3 .own-scale');
			assert.match(await badges.nth(0).textContent() ?? '', /^[\d.]+ [nµm]?s wide$/);
			assert.match(await badges.nth(1).textContent() ?? '', /^[\d.]+ [nµm]?s wide, stretched 8\.0 times$/);
			for (const side of [0, 1])
				assert.match(await canvasOf(page, side).getAttribute('aria-label') ?? '', /, on its own scale of time\./);
			await page.keyboard.press('Escape');
			await page.keyboard.press('t');
			await until(() => wordOf(page, 'scale'), (has) => !has, 'T takes it back');
			await until(() => offer.isVisible(), Boolean, 'the offer is there again');
			for (const side of [0, 1])
				await until(() => badges.nth(side).isHidden(), Boolean, 'one scale needs no words');
		}));

	test('sides of the same length are offered no other scale', () => withReport(`${output}/same.html`, {}, async (page) => {
		assert.equal(await page.locator('#timelines .offer').isVisible(), false);
		await page.getByRole('button', {name: 'Each to its own length'}).click();
		await until(() => wordOf(page, 'scale'), (text) => text === 'own', 'it can be chosen');
	}));

	test('on its own scale a side is zoomed alone; buttons and 0 move both, the file as one', () => withReport(slower, {hash: '#scale=own'}, async (page) => {
		const times = () => Promise.all(SIDES.map((name) => wordOf(page, `time.${name}`)));
		const endOf = (/** @type {number} */ side) => canvasOf(page, side).getAttribute('aria-label').then((text) => / from .* to (.*), on its own/.exec(text ?? '')?.[1]);
		const ends = [await endOf(0), await endOf(1)];
		await canvasOf(page, 0).scrollIntoViewIfNeeded();
		for (const side of [0, 1]) {
			await drag(page, side, 4);
			await until(async () => (await times())[side], Boolean, `a drag ${SIDES[side]} zooms it`);
			assert.equal((await times())[1 - side], null);
			await until(() => endOf(side), (end) => end !== ends[side], 'what is shown follows');
			assert.equal(await endOf(1 - side), ends[1 - side]);
			await until(() => page.locator('#chips').textContent(), (text) => Boolean(text?.startsWith(`time ${SIDES[side]}: `)), 'a chip says it');
			await page.keyboard.press('0');
			await until(times, (all) => all.every((each) => each === null), '0 shows all');
			await canvasOf(page, 1 - side).focus();
			await page.keyboard.press('w');
			const zoomed = await until(async () => (await times())[1 - side], Boolean, 'W zooms the side that has the focus');
			await page.keyboard.press('ArrowLeft');
			await until(async () => (await times())[1 - side], (time) => time !== zoomed, 'an arrow moves it');
			assert.equal((await times())[side], null);
			await page.keyboard.press('0');
			await until(times, (all) => all.every((each) => each === null), '0 shows all');
		}
		await page.getByRole('button', {name: 'Zoom in'}).click();
		const both = await until(times, (all) => all.every(Boolean), 'a button zooms both');
		const [before, after] = both.map((text) => (text ?? '').split('-').map(Number));
		before.forEach((ns, i) => assert.ok(Math.abs(ns - 8 * after[i]) <= 16, `${both}`));
		await canvasOf(page, 1).focus();
		await page.keyboard.press('Alt+=');
		await until(() => wordOf(page, 'place'), Boolean, 'the file');
		await page.keyboard.press('t');
		await until(async () => [...await times(), await wordOf(page, 'time')], (all) => all.every((each) => each === null), 'a range of one scale means nothing on the other');
		assert.ok(await wordOf(page, 'place'), 'but a place does');
	}));

	test('tables and N keep to the time that each side shows', async () => {
		const {faults} = await readSide(`${output}/after-build.trace`, `${output}/after-build/builds`);
		// What is before it is the same share of both runs.
		const at = faults.findIndex((fault, i) => i > faults.length / 2 && fault.time_ns > faults[i - 1].time_ns && fault.at.object.endsWith('-build/builds'));
		const {time_ns: time} = faults[at];
		const counted = async (/** @type {Page} */ page) => (await (await openTable(page, 'Initiators')).locator('[role="status"]').textContent() ?? '')
			.replace(/^.*; /, '');
		const earlier = faults.filter(({time_ns: each}) => 8 * each < time).length;
		return withReport(slower, {hash: `#scale=own&time.before=0-${8 * time}&time.after=0-${time}`}, async (page) => {
			assert.equal(await counted(page), `${at} → ${at} faults in all`);
			await withReport(slower, {hash: `#time=0-${time}`}, async (one) => assert.equal(await counted(one), `${earlier} → ${at} faults in all`));
			await canvasOf(page, 1).focus();
			await follow(page, `#scale=own&time.after=${time}-${2 * time}`, 'n');
			await until(() => wordOf(page, 'fault'), (text) => text === `after:${at}`, 'the first in sight');
		});
	});

	test('saved pictures say that each side has its own scale', () => withReport(slower, {}, async (page) => {
		const svg = async () => {
			await saveBy(page, page.getByRole('button', {name: 'Save as SVG'}), `${output}/scale.svg`);
			return readFile(`${output}/scale.svg`, 'utf8');
		};
		assert.ok(!/stretched|own scale/.test(await svg()));
		await page.keyboard.press('t');
		const text = await svg();
		await outputOf('xmllint', '--noout', '--nonet', `${output}/scale.svg`);
		assert.match(text, /separate time scales/);
		assert.equal([...text.matchAll(/>[\d.]+ [nµm]?s wide</g)].length, 1);
		assert.equal([...text.matchAll(/>[\d.]+ [nµm]?s wide, stretched 8\.0 times</g)].length, 1);
	}));

	test('N steps through the faults of a side, Esc leaves them', () => withReport(repeats, {}, async (page) => {
		await canvasOf(page, 1).focus();
		await page.keyboard.press('n');
		const first = await until(() => wordOf(page, 'fault'), (text) => Boolean(text?.startsWith('after:')), 'one of after');
		await page.keyboard.press('n');
		await until(() => wordOf(page, 'fault'), (text) => Boolean(text?.startsWith('after:')) && text !== first, 'the next');
		await page.keyboard.press('Escape');
		await until(() => wordOf(page, 'fault'), (has) => !has, 'Esc closes');
	}));

	test('both pictures are saved as PNG and as SVG that other programs read', () => withReport(builds, {}, async (page) => {
		for (const kind of ['PNG', 'SVG'])
			await saveBy(page, page.getByRole('button', {name: `Save as ${kind}`}), `${output}/pair.${kind.toLowerCase()}`);
		const {width, height, pixels} = decodePng(await readFile(`${output}/pair.png`));
		assert.deepEqual([width, height], [3200, 1600]);
		assert.ok(new Set(pixels).size > 50);
		await outputOf('xmllint', '--noout', '--nonet', `${output}/pair.svg`);
		const text = await readFile(`${output}/pair.svg`, 'utf8');
		assert.match(text, /<title>Page faults of builds: \d+ before, \d+ after<\/title>/);
		assert.ok(!/<script|href|url\(|onload/i.test(text));
		// The names of a section stand at one height, once a side.
		const heights = [...text.matchAll(/y="([\d.]+)"[^>]*>\.data\.rel\.ro</g)].map(([, y]) => y);
		assert.equal(heights.length, 2);
		assert.equal(heights[0], heights[1]);
	}));

	for (const [width, height] of [[1280, 800], [390, 844]])
		test(`the pictures of a comparison are drawn at ${width} × ${height}, light and dark, nothing wider than the screen`, async () => {
			for (const [name, hash, id, file = builds] of [['timelines', '', '#timelines'], ['only', '#on=one+side', '#timelines'], ['twin', '#fault=before:20', '#detail'],
				['offer', '', '#timelines', slower], ['scale', '#scale=own', '#timelines', slower]])
				await withReport(file, {hash, width, height}, async (page) => {
					await takeBoth(page, id, `${output}/pair-${name}-${width}`);
					const wide = await page.evaluate(() => document.documentElement.scrollWidth);
					assert.ok(wide <= width, `${name} is ${wide} px wide`);
				});
		});
}
