// SPDX-License-Identifier: Apache-2.0
// The table of files, whose rows open to sections and these to what was touched there.
import assert from 'node:assert/strict';
import {countText} from '../../render/page/assets/shared/format.js';
import {amountOf, headerOf, openTable, until, withReport} from './report.js';
import {test} from './tap.js';

/** @typedef {import('playwright-core').Page} Page @typedef {{level: number, open: string | null, name: string, faults: number, row: string}} Row */

/** @param {Page} page @returns {Promise<Row[]>} */
function rowsOfTree(page) {
	return page.locator('#panel-files').evaluate((panel) => {
		const faults = [...panel.querySelectorAll('thead th')].findIndex((cell) => cell.textContent === 'Faults');
		return [...panel.querySelectorAll('tbody tr')].map((row) => ({level: Number(row.getAttribute('aria-level')), open: row.getAttribute('aria-expanded'),
			name: (row.querySelector('.name') ?? row.querySelector('button'))?.textContent ?? '', faults: Number(row.children[faults]?.textContent?.replace(/,/g, '') ?? NaN),
			row: row.querySelector('button')?.dataset.row ?? ''}));
	});
}

/** @param {Page} page */
function focusedName(page) {
	return page.evaluate(() => document.activeElement?.querySelector('.name')?.textContent);
}

/** @param {string} output */
export function treeTests(output) {
	const several = `${output}/several.html`;

	test('files open by keys: sections, then what was touched there, whose faults add up', () => withReport(several, {}, async (page) => {
		const panel = await openTable(page, 'Files');
		assert.equal(await panel.getByRole('treegrid').count(), 1);
		await panel.locator('button.row').first().focus();
		const [file] = await rowsOfTree(page);
		assert.deepEqual([file.level, file.open], [1, 'false']);
		await page.keyboard.press('ArrowRight');
		const opened = await until(() => rowsOfTree(page), (rows) => rows[0].open === 'true', 'the file is open');
		assert.equal(await focusedName(page), file.name, 'the focus stays');
		const sections = opened.slice(1, opened.findIndex((row, i) => i > 0 && row.level === 1));
		assert.ok(sections.every((row) => row.level === 2));
		assert.equal(sections.reduce((sum, row) => sum + row.faults, 0), file.faults);
		await page.keyboard.press('ArrowRight');
		assert.equal(await focusedName(page), sections[0].name, 'the second time it leads to the first section');
		await page.keyboard.press('ArrowRight');
		const deep = await until(() => rowsOfTree(page), (rows) => rows[1].open === 'true', 'the section is open');
		const {symbols, sections: all} = headerOf(several);
		const section = all.findIndex((/** @type {any} */ each) => each.name === sections[0].name && headerOf(several).objects[each.object].name === file.name);
		const below = symbols.section.filter((/** @type {number} */ each) => each === section).length;
		const shown = deep.filter((row) => row.level === 3);
		assert.equal(shown.length, Math.min(below, 20) + (below > 20 ? 1 : 0));
		await page.keyboard.press('ArrowRight');
		await page.keyboard.press('ArrowLeft');
		assert.equal(await focusedName(page), sections[0].name, 'from below it leads to the section');
		await page.keyboard.press('ArrowLeft');
		await page.keyboard.press('ArrowLeft');
		await page.keyboard.press('ArrowLeft');
		await until(() => rowsOfTree(page), (rows) => rows.every((row) => row.level <= 1 && row.open !== 'true'), 'all is closed');
		assert.equal(await focusedName(page), file.name);
	}));

	test('files open by the mouse, and what is left out below is asked for', () => withReport(several, {}, async (page) => {
		const panel = await openTable(page, 'Files');
		await panel.locator('.twist').first().click();
		const rows = await until(() => rowsOfTree(page), (each) => each[0].open === 'true', 'the file is open');
		assert.ok(!(await page.evaluate(() => location.hash)).includes('file='), 'nothing is selected');
		const most = rows.filter((row) => row.level === 2 && row.open !== null).sort((a, b) => b.faults - a.faults)[0];
		await panel.locator(`[data-row="${most.row}"] .twist`).click();
		const more = panel.getByRole('button', {name: / more$/}).first();
		const [, left] = /^([\d,]+) more$/.exec((await more.textContent() ?? '').trim()) ?? [];
		const before = (await rowsOfTree(page)).filter((row) => row.level === 3).length;
		await more.click();
		const after = await until(() => rowsOfTree(page), (each) => each.filter((row) => row.level === 3).length > before, 'more rows');
		assert.ok(amountOf(left) > 0 && after.filter((row) => row.level === 3).length - before <= amountOf(left));
		await panel.locator(`[data-row="${most.row}"]`).click();
		await until(() => page.evaluate(() => location.hash), (hash) => hash.includes('section='), 'a click selects the section');
		assert.ok((await page.locator('#left').textContent() ?? '').startsWith(countText(most.faults)));
	}));
}
