// SPDX-License-Identifier: Apache-2.0
// The table of files, whose rows open to sections and these to what was touched there.
import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {countText, nounText} from '../../render/page/assets/shared/format.js';
import {elfault} from './commands.js';
import {headerOf, hashOf, openTable, rowsOf, until, withReport} from './report.js';
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
		assert.ok(below > 0 && shown.length === Math.min(below, shown.length));
		assert.equal((await rowsOf(panel)).filter((row) => row.level === '3').length, below);
		await panel.locator(`[data-row="${deep[1].row}"]`).focus();
		await page.keyboard.press('ArrowRight');
		await page.keyboard.press('ArrowLeft');
		assert.equal(await focusedName(page), sections[0].name, 'from below it leads to the section');
		await page.keyboard.press('ArrowLeft');
		await page.keyboard.press('ArrowLeft');
		await page.keyboard.press('ArrowLeft');
		await until(() => rowsOfTree(page), (rows) => rows.every((row) => row.level <= 1 && row.open !== 'true'), 'all is closed');
		assert.equal(await focusedName(page), file.name);
	}));

	test('files open by the mouse; what is open is in the link and in the history', () => withReport(several, {}, async (page) => {
		const panel = await openTable(page, 'Files');
		await panel.locator('.twist').first().click();
		const rows = await until(() => rowsOfTree(page), (each) => each[0].open === 'true', 'the file is open');
		assert.equal((await hashOf(page)).get('file'), null, 'nothing is selected');
		const most = rows.filter((row) => row.level === 2 && row.open !== null).sort((a, b) => b.faults - a.faults)[0];
		await panel.locator(`[data-row="${most.row}"] .twist`).click();
		const deep = await until(() => rowsOfTree(page), (each) => each.some((row) => row.level === 3), 'the section is open');
		const hash = await page.evaluate(() => location.hash);
		await withReport(several, {hash}, async (other) => {
			const again = await until(() => rowsOfTree(other), (each) => each.length > 0, 'the link opens the table');
			assert.deepEqual(again, deep);
		});
		await page.goBack();
		await until(() => rowsOfTree(page), (each) => each.every((row) => row.level < 3) && each[0].open === 'true', 'Back closes the section alone');
		await panel.locator(`[data-row="${most.row}"]`).click();
		await until(() => page.evaluate(() => location.hash), (text) => text.includes('section='), 'a click selects the section');
		assert.ok((await page.locator('#left').textContent() ?? '').startsWith(countText(most.faults)));
	}));

	test('* opens all rows of a level; one of them closes alone', () => withReport(several, {}, async (page) => {
		const panel = await openTable(page, 'Files');
		const first = panel.locator('button.row').first();
		await first.press('*');
		const opened = await until(() => rowsOfTree(page), (rows) => rows.some((row) => row.level === 2), 'files are open');
		assert.ok(opened.every((row) => row.level > 1 || row.open !== 'false'));
		await first.press('ArrowLeft');
		const closed = await until(() => rowsOfTree(page), (rows) => rows[0].open === 'false', 'one is closed');
		assert.ok(closed.slice(1).every((row) => row.level > 1 || row.open !== 'false'), 'the others are open');
		await first.press('*');
		await first.press('*');
		await until(() => rowsOfTree(page), (rows) => rows.filter((row) => row.level > 1).length < closed.length, 'and shut again');
	}));

	test('a name is found in files that are closed, with what it is in', () => withReport(several, {}, async (page) => {
		const panel = await openTable(page, 'Files');
		await panel.getByRole('searchbox').fill('_start');
		const rows = await rowsOf(panel);
		const {symbols} = headerOf(several);
		assert.ok(symbols.name.some((/** @type {string | null} */ name) => name?.includes('_start')));
		assert.ok(rows.some((row) => row.level === '3' && row.File.includes('_start')));
		rows.forEach((row, i) => assert.ok(row.File.toLowerCase().includes('_start') || Number(rows[i + 1]?.level) === Number(row.level) + 1, row.File));
		await panel.getByRole('searchbox').fill('');
		assert.ok((await rowsOf(panel)).every((row) => row.level === '1'));
	}));

	test('two files of one path, in different roots, open apart and are filtered apart', async () => {
		const dump = await elfault('dump', `${output}/several.trace`);
		const [, file] = /^map .* path="[^"]*\/libc\.so\.6" .* file=(\d+)$/m.exec(dump) ?? [];
		const pids = new Set([...dump.matchAll(new RegExp(`^map .* pid=(\\d+) .* file=${file}$`, 'gm'))].map(([, pid]) => pid));
		const [, pid] = pids;
		const rooted = dump.replace(new RegExp(`^file id=${file} .*\n`, 'm'), (line) => line + line.replace(`id=${file} `, 'id=9999 ').replace(/inode=\d+/, 'inode=7')
			+ 'root file=9999 name="/srv/chroot"\n').replace(new RegExp(`^(map .* pid=${pid} .* file=)${file}$`, 'gm'), '$19999');
		await writeFile(`${output}/rooted.txt`, rooted);
		await elfault('report', `${output}/rooted.txt`, '-o', `${output}/rooted.html`);
		await withReport(`${output}/rooted.html`, {hash: '#tab=files'}, async (page) => {
			const both = async () => (await rowsOfTree(page)).filter((row) => row.level === 1 && row.name.startsWith('libc.so.6'));
			const names = (await until(both, (rows) => rows.length > 0, 'files are listed')).map(({name}) => name).sort();
			assert.deepEqual(names, ['libc.so.6', 'libc.so.6 of /srv/chroot']);
			const [{row}] = (await both()).filter(({name}) => name === 'libc.so.6');
			await page.locator(`#panel-files tr:has([data-row="${row}"]) .twist`).click();
			const opened = await until(both, (rows) => rows.some(({open}) => open === 'true'), 'one is open');
			assert.deepEqual(opened.filter(({open}) => open === 'true').map(({name}) => name), ['libc.so.6']);
			for (const {row: each, faults} of await both()) {
				await page.locator(`#panel-files [data-row="${each}"]`).click();
				await until(() => page.locator('#left').textContent(), (text) => text?.startsWith(nounText(faults, 'fault')) ?? false, 'only its faults are left');
				const hash = await page.evaluate(() => location.hash);
				await withReport(`${output}/rooted.html`, {hash}, async (again) =>
					assert.ok((await again.locator('#left').textContent())?.startsWith(nounText(faults, 'fault')), 'the link leads to it'));
				await page.locator(`#panel-files [data-row="${each}"]`).click();
			}
		});
	});
}
