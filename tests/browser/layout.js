// SPDX-License-Identifier: Apache-2.0
// The report is one screen, on any width; printed, it is one page of what to take away.
import assert from 'node:assert/strict';
import {chooseFault, openTable, pause, ringOf, until, withReport} from './report.js';
import {test} from './tap.js';

/** @typedef {import('playwright-core').Page} Page */

/** Where what @selector names ends, from the top of the screen. @param {Page} page @param {string} selector */
function boxOf(page, selector) {
	return page.locator(selector).first().evaluate((element) => {
		const {top, bottom, height} = element.getBoundingClientRect();
		return {top, bottom, height};
	});
}

/** @param {string} output */
export function layoutTests(output) {
	const report = `${output}/several.html`;

	test('at 1280 × 800 account, three savings, the first track and the tables’ head are in view, and the page does not scroll', () => withReport(report, {}, async (page) => {
		await page.locator('.cure:nth-child(3)').waitFor();
		let above = 0;
		for (const selector of ['h1', '#account .sum', '#account .bar', '.cure:nth-child(3)', '#crumbs', '#timeline canvas.picture', '#drawer [role="tablist"]', '#drawer thead']) {
			const {top, height} = await boxOf(page, selector);
			assert.ok(height > 0 && top >= above && top < 800, `${selector} begins at ${top}, after ${above}`);
			above = top;
		}
		assert.ok((await boxOf(page, '#drawer thead')).bottom < 800);
		assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]), [800, 1280]);
	}));

	for (const width of [390, 800, 1280, 1920])
		test(`nothing is wider than ${width} px, with a fault, a file and every table`, () => withReport(report, {width, hash: '#fault=300&tab=files'}, async (page) => {
			for (const title of await page.getByRole('tab').allTextContents()) {
				await openTable(page, title);
				assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, title);
			}
		}));

	test('the sentence of a comparison is whole at 1280 × 800, also with three reasons on busy processors', () => withReport(`${output}/diff.html`, {}, async (page) => {
		const sentence = page.locator('.amount');
		await sentence.evaluate((element) => {
			element.textContent = 'The processors were busy on both sides. clang-14: 90.0 ms slower (+407.2%), which may be noise: own time 22.1 ms, then 112.1 ms; '
				+ 'fault-io in static-init +51.2 ms +- 4.0 ms, cpu in relocation +22.2 ms +- 4.0 ms, fault in symbol-lookup +12.0 ms. '
				+ 'Wall time 398.0 ms, then 167.0 ms; in it waiting for a processor 375.9 ms, then 54.9 ms';
		});
		assert.deepEqual(await sentence.evaluate(({scrollWidth, clientWidth, scrollHeight, clientHeight}) => [scrollWidth - clientWidth, scrollHeight - clientHeight]), [0, 0]);
		assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]), [800, 1280]);
	}));

	test('at 390 px the pictures begin on the first screen, after the first saving', () => withReport(report, {width: 390, height: 844}, async (page) => {
		const [saving, picture] = [await boxOf(page, '.cure'), await boxOf(page, '#timeline canvas.picture')];
		assert.ok(saving.top > 0 && saving.bottom < picture.top && picture.top < 500, `${saving.bottom} ${picture.top}`);
	}));

	test('a click on a mark scrolls nothing, and its details are in view', () => withReport(report, {}, async (page) => {
		const spot = await chooseFault(page);
		const scrolls = () => page.evaluate(() => [document.scrollingElement?.scrollTop, document.getElementById('tracks')?.scrollTop]);
		const canvas = page.locator('#timeline canvas.picture');
		await canvas.hover({position: spot});
		const before = await scrolls();
		await canvas.click({position: spot});
		await until(() => page.locator('#detail h2').textContent(), (text) => Boolean(text?.startsWith('Fault ')), 'a fault is shown');
		await pause(page);
		assert.deepEqual(await scrolls(), before);
		const {top, bottom} = await boxOf(page, '#detail h2');
		assert.ok(top > 0 && bottom < 800);
	}));

	test('a fault that is chosen in a table is in sight', () => withReport(`${output}/cold.html`, {}, async (page) => {
		const faults = await openTable(page, 'Faults');
		for (const at of [0, 20, 50]) {
			await faults.locator('tbody button.row').nth(at).click();
			await pause(page);
			const ring = await ringOf(page.locator('#timeline canvas.overlay'));
			assert.ok(ring, `fault ${at} has a ring`);
			const [canvas, tracks] = [await boxOf(page, '#timeline canvas.overlay'), await boxOf(page, '#tracks')];
			const y = canvas.top + ring.y;
			assert.ok(y > tracks.top && y < tracks.bottom, `fault ${at}: ${y}, tracks from ${tracks.top} to ${tracks.bottom}`);
		}
	}));

	test('printed, it is one page with sentence, account and savings with what to do, without controls', () => withReport(report, {}, async (page) => {
		const cures = await page.locator('.cure').count();
		await page.emulateMedia({media: 'print'});
		assert.equal(await page.locator('.cure:visible').count(), cures);
		assert.equal(await page.locator('.cure .command :is(code, .advice):visible').count(), cures);
		for (const selector of ['h1', '#account .sum', '#account .bar'])
			assert.ok(await page.locator(selector).isVisible(), selector);
		assert.equal(await page.locator(':is(input, select, .copy, #tracks, #drawer, #detail, .metrics button):visible').count(), 0);
		const pdf = (await page.pdf({format: 'A4'})).toString('latin1');
		assert.equal(pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length, 1);
	}));
}
