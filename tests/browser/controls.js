// SPDX-License-Identifier: Apache-2.0
// Every control does what it says, by mouse and by keyboard, and a link restores the view.
import assert from 'node:assert/strict';
import {amountOf, chooseFault, hashOf, numberOf, openTable, pause, ringOf, rowsBelowFiles, rowsOf, until, withReport, wordOf} from './report.js';
import {test} from './tap.js';

/** @typedef {import('playwright-core').Page} Page */

/** The range of time in the address. @param {Page} page */
async function timeOf(page) {
	const text = await wordOf(page, 'time');
	return text ? text.split('-').map(Number) : null;
}

/** @param {Page} page */
const timeline = (page) => page.locator('#timeline canvas.picture');

/** Faults that the tables count in all. @param {Page} page */
async function totalOf(page) {
	const text = await page.locator('[role="tabpanel"]:not([hidden]) [role="status"]').textContent() ?? '';
	return numberOf(/([\d,]+) faults? in all/.exec(text)?.[1] ?? '0');
}

/** @param {Page} page @param {number[] | null} before @param {string} what */
async function zoomedIn(page, before, what) {
	return await until(() => timeOf(page), (time) => time !== null && (before === null || time[1] - time[0] < before[1] - before[0]), what);
}

/** The canvas's box and the part of it where faults are drawn. @param {Page} page */
async function plotOf(page) {
	const box = await timeline(page).boundingBox();
	assert.ok(box);
	return {left: box.x + box.width * 0.3, right: box.x + box.width * 0.8, middle: box.y + box.height / 2};
}

/** Where the column @title stands. @param {import('playwright-core').Locator} table @param {string} title */
async function columnOf(table, title) {
	return (await table.locator('thead th').allTextContents()).indexOf(title);
}

/** @param {string} output */
export function controlTests(output) {
	const report = `${output}/several.html`;
	const open = (/** @type {(page: Page) => Promise<void>} */ use) => () => withReport(report, {}, use);

	test('buttons, wheel, drag and keys zoom and move; 0 shows all again', open(async (page) => {
		await page.getByRole('button', {name: 'Zoom in', exact: true}).click();
		const first = await zoomedIn(page, null, 'a button zooms');
		await page.getByRole('button', {name: 'Later', exact: true}).click();
		const later = await until(() => timeOf(page), (time) => time !== null && time[0] > (first?.[0] ?? 0), 'a button moves on');
		await page.getByRole('button', {name: 'Earlier', exact: true}).click();
		await until(() => timeOf(page), (time) => time !== null && time[0] < (later?.[0] ?? 0), 'a button moves back');
		await page.getByRole('button', {name: 'Zoom out', exact: true}).click();
		await until(() => timeOf(page), (time) => time === null || time[1] - time[0] > (first ? first[1] - first[0] : 0), 'a button zooms out');
		await page.keyboard.press('0');
		await until(() => timeOf(page), (time) => time === null, '0 shows all');

		await page.keyboard.press('w');
		const byKey = await zoomedIn(page, null, 'W zooms');
		await page.keyboard.press('d');
		await until(() => timeOf(page), (time) => time !== null && byKey !== null && time[0] > byKey[0], 'D moves on');
		await page.keyboard.press('a');
		await page.keyboard.press('s');
		await page.getByRole('button', {name: /^Show all of time/}).click();
		await until(() => timeOf(page), (time) => time === null, 'a button shows all');

		await timeline(page).scrollIntoViewIfNeeded();
		const plot = await plotOf(page);
		await page.mouse.move((plot.left + plot.right) / 2, plot.middle);
		await page.mouse.wheel(0, -300);
		await zoomedIn(page, null, 'the wheel zooms');
		await page.keyboard.press('0');
		await until(() => timeOf(page), (time) => time === null, '0 shows all');
		await page.mouse.move(plot.left, plot.middle);
		await page.mouse.down();
		await page.mouse.move(plot.left + 60, plot.middle + 2, {steps: 4});
		await page.mouse.move(plot.left + 150, plot.middle + 4, {steps: 4});
		await page.mouse.up();
		const dragged = await zoomedIn(page, null, 'dragging zooms');
		await page.keyboard.down('Shift');
		await page.mouse.move(plot.left + 200, plot.middle);
		await page.mouse.down();
		await page.mouse.move(plot.left + 100, plot.middle, {steps: 4});
		await page.mouse.up();
		await page.keyboard.up('Shift');
		await until(() => timeOf(page), (time) => time !== null && dragged !== null && time[0] > dragged[0], 'dragging with Shift moves');
	}));

	test('a range of time counts in the tables', open(async (page) => {
		await openTable(page, 'Files');
		const all = await totalOf(page);
		await page.keyboard.press('w');
		await page.keyboard.press('w');
		await until(() => totalOf(page), (total) => total < all, 'fewer faults are counted');
	}));

	test('search narrows, says so, and is taken away again', open(async (page) => {
		await openTable(page, 'Files');
		const all = await totalOf(page);
		await page.keyboard.press('/');
		await page.keyboard.type('.text');
		await until(() => wordOf(page, 'search'), (text) => text === '.text', 'the address has it');
		await until(() => totalOf(page), (total) => total > 0 && total < all, 'the table narrows');
		await page.getByRole('button', {name: 'Remove search'}).click();
		await until(() => totalOf(page), (total) => total === all, 'all is back');
	}));

	test('a row filters, is pressed, narrows the other tables, and lets go', open(async (page) => {
		const [first] = await rowsBelowFiles(page);
		const files = await openTable(page, 'Files');
		const all = await totalOf(page);
		const section = files.locator('tr[aria-level="2"] button.row').first();
		await section.click();
		await until(() => wordOf(page, 'section'), (text) => text === first.Section, 'the address has it');
		await until(() => totalOf(page), (total) => total === numberOf(first.Faults), 'only its faults are counted');
		assert.equal(await section.getAttribute('aria-pressed'), 'true');
		await openTable(page, 'Functions');
		await until(() => totalOf(page), (total) => total > 0 && total <= numberOf(first.Faults), 'functions follow');
		await page.getByRole('button', {name: 'Remove filter by section'}).click();
		assert.notEqual(await wordOf(page, 'file'), null, 'the section’s file is selected');
		await page.getByRole('button', {name: 'All files'}).click();
		await openTable(page, 'Files');
		await until(() => totalOf(page), (total) => total === all, 'all is back');
	}));

	test('the legend filters by initiator', open(async (page) => {
		const rows = await rowsOf(await openTable(page, 'Causes'));
		const button = page.locator('#account .legend button').first();
		const text = await button.textContent() ?? '';
		await button.click();
		await until(() => wordOf(page, 'initiator'), (word) => text.startsWith(`${word} `), 'the address has it');
		await until(() => totalOf(page), (total) => rows.some((row) => text.startsWith(`${row.Cause} `) && numberOf(row.Faults) === total), 'only its faults are counted');
	}));

	test('bars stand on one line in the column that is sorted, as long as its numbers', open(async (page) => {
		await openTable(page, 'Files');
		for (const key of ['faults', 'time', 'size']) {
			if (await page.locator(`#panel-files th[data-key="${key}"]`).getAttribute('aria-sort') === null)
				await page.locator(`#panel-files th[data-key="${key}"] button`).click();
			const bars = await page.locator('#panel-files').evaluate((panel, wanted) => {
				const at = [...panel.querySelectorAll('thead th')].findIndex((cell) => /** @type {HTMLElement} */ (cell).dataset.key === wanted);
				return [...panel.querySelectorAll('tbody tr')].map((row) => {
					const inRow = row.querySelectorAll('.share-of');
					const bar = /** @type {HTMLElement | null} */ (row.children[at].querySelector('.share-of'));
					const box = bar?.getBoundingClientRect();
					const room = (bar?.parentElement?.clientWidth ?? 0) - 12;
					return {count: inRow.length, isRow: row.querySelector('button') !== null, left: box?.left ?? NaN, width: Math.round((box?.width ?? NaN) / room * 1000) / 10};
				});
			}, key);
			assert.ok(bars.length > 5 && bars.every(({count, left}) => count === 1 && Math.abs(left - bars[0].left) < 0.5), `${key}: ${JSON.stringify(bars)}`);
			assert.equal(Math.round(Math.max(...bars.map(({width}) => width))), 100, key);
			// What is in no file comes last, however much it is.
			const widths = bars.filter(({isRow}) => isRow).map(({width}) => width);
			assert.deepEqual(widths, [...widths].sort((a, b) => b - a), key);
		}
	}));

	test('headers sort, both ways, and say so', () => withReport(report, {hash: '#metric=faults'}, async (page) => {
		const functions = await openTable(page, 'Functions');
		const column = async (/** @type {string} */ name) => (await rowsOf(functions)).map((row) => row[name]);
		const header = (/** @type {string} */ name) => functions.locator('thead th').filter({hasText: name});
		assert.equal(await header('Faults').getAttribute('aria-sort'), 'descending');
		const falling = (await column('Faults')).map(numberOf);
		assert.deepEqual(falling, [...falling].sort((a, b) => b - a));
		await header('Faults').getByRole('button').click();
		assert.equal(await header('Faults').getAttribute('aria-sort'), 'ascending');
		assert.deepEqual((await column('Faults')).map(numberOf), [...falling].reverse());
		await header('Function').getByRole('button').click();
		assert.equal(await header('Function').getAttribute('aria-sort'), 'ascending');
		assert.equal(await header('Faults').getAttribute('aria-sort'), null);
		const names = await column('Function');
		assert.deepEqual(names, [...names].sort((a, b) => a < b ? -1 : 1));
	}));

	for (const [name, metric, first] of [['several', 'faults', 'Faults'], ['several', 'time', 'Time'], ['cold', 'time', 'Time']])
		test(`in every table of ${name}.html, rows come by the column that is marked, ${first}, and turn round on a click`,
			() => withReport(`${output}/${name}.html`, {hash: `#metric=${metric}`}, async (page) => {
				// Rows of one fault or wait have no number of faults.
				const titles = (await page.getByRole('tab').allTextContents()).filter((title) => !['Faults', 'Waits', 'Flame'].includes(title));
				assert.ok(titles.length >= 6, `${titles}`);
				for (const title of titles) {
					const table = await openTable(page, title);
					const marks = () => table.locator('thead th[aria-sort]').evaluateAll((cells) =>
						cells.map((cell) => `${cell.textContent} ${cell.getAttribute('aria-sort')}`));
					// Those shown at first: of symbols there are thousands.
					const amounts = async () => (await table.locator('tbody tr').evaluateAll((rows, at) =>
						rows.filter((row) => row.querySelector('button')).map((row) => row.children[at].textContent ?? ''), await columnOf(table, first))).map(amountOf);
					const falling = await amounts();
					assert.deepEqual(await marks(), [`${first} descending`], title);
					assert.deepEqual(falling, [...falling].sort((a, b) => b - a), title);
					await table.locator('thead th[aria-sort] button').click();
					assert.deepEqual(await marks(), [`${first} ascending`], title);
					const rising = await amounts();
					assert.deepEqual(rising, [...rising].sort((a, b) => a - b), title);
					assert.ok(falling.length < 2 || rising[0] < falling[0] || rising[0] === falling[falling.length - 1], title);
				}
			}));

	test('a table is searched; of a long one only rows near what is in sight are in the page', () => withReport(report, {hash: '#metric=faults'}, async (page) => {
		const functions = await openTable(page, 'Functions');
		const count = Number(await functions.locator('table').getAttribute('aria-rowcount')) - 1;
		const rows = functions.locator('tbody tr');
		assert.ok(count > 150 && await rows.count() < 100, `${await rows.count()} of ${count}`);
		const all = await rowsOf(functions);
		assert.equal(all.filter(Boolean).length, count);
		assert.equal(all.reduce((sum, row) => sum + numberOf(row.Faults), 0), await totalOf(page), 'every row is shown once');
		await functions.locator('.scroll').evaluate((element) => element.scrollTo(0, element.scrollHeight));
		await until(() => rows.last().getAttribute('aria-rowindex'), (index) => index === String(count + 1), 'the last row');
		assert.ok(await rows.last().evaluate((row) => row.getBoundingClientRect().bottom <= (row.closest('.scroll')?.getBoundingClientRect().bottom ?? 0) + 1), 'nothing is below it');
		await rows.last().locator('button').focus();
		await page.keyboard.press('ArrowUp');
		assert.equal(await page.evaluate(() => document.activeElement?.closest('tr')?.getAttribute('aria-rowindex')), String(count));
		const heads = await functions.locator('thead').boundingBox();
		const table = await functions.locator('.scroll').boundingBox();
		assert.ok(heads && table && Math.abs(heads.y - table.y) < 1, 'its head stays in sight');
		await functions.getByRole('searchbox').fill('_start');
		const found = await rowsOf(functions);
		assert.ok(found.length > 0 && found.length < 100);
		assert.ok(found.every((row) => `${row.Function} ${row.In}`.toLowerCase().includes('_start')));
	}));

	test('tabs work by arrow keys', open(async (page) => {
		await page.getByRole('tab', {name: 'Files'}).click();
		await page.keyboard.press('ArrowRight');
		assert.equal(await page.getByRole('tab', {name: 'Functions'}).getAttribute('aria-selected'), 'true');
		assert.ok(await page.getByRole('tabpanel', {name: 'Functions'}).isVisible());
		await page.keyboard.press('End');
		assert.equal(await page.getByRole('tab', {name: 'Flame'}).getAttribute('aria-selected'), 'true');
		assert.equal(await timeOf(page), null);
	}));

	test('processes are rows whose faults add up to all, and filters', open(async (page) => {
		const processes = await openTable(page, 'Processes');
		const all = await totalOf(page);
		const rows = await rowsOf(processes);
		assert.ok(rows.length >= 3, `${rows.length} processes`);
		assert.equal(rows.reduce((sum, row) => sum + numberOf(row.Faults), 0), all);
		await processes.locator('tbody button.row').first().click();
		await until(() => wordOf(page, 'process'), (text) => rows[0].Process.endsWith(` ${text}`), 'the address has it');
		await until(() => totalOf(page), (total) => total === numberOf(rows[0].Faults), 'only its faults are counted');
	}));

	test('a file is a crumb and narrows every table; a crumb leads back', open(async (page) => {
		const files = await openTable(page, 'Files');
		const all = await totalOf(page);
		const [first] = await rowsOf(files);
		await files.locator('tbody button.row').first().click();
		await until(() => wordOf(page, 'file'), (text) => Boolean(text?.endsWith(first.File)), 'the address has its path');
		assert.match(await page.locator('#crumbs').textContent() ?? '', new RegExp(`^All files.*${first.File.replace(/[^\w]/g, '.')}$`));
		for (const title of ['Functions', 'Causes']) {
			await openTable(page, title);
			await until(() => totalOf(page), (total) => total > 0 && total <= numberOf(first.Faults), `${title} narrow`);
		}
		await page.getByRole('button', {name: 'All files'}).click();
		await until(() => totalOf(page), (total) => total === all, 'all is back');
	}));

	test('the metric orders rows, and M takes the next one', open(async (page) => {
		const causes = await openTable(page, 'Causes');
		for (const [metric, title] of [['time', 'Time'], ['faults', 'Faults'], ['bytes', 'Read'], ['pages', 'Pages']]) {
			await page.locator(`.metrics [data-metric="${metric}"]`).click();
			await until(() => causes.locator('thead th[aria-sort]').textContent(), (text) => text === title, `${title} orders`);
		}
		await page.keyboard.press('m');
		await until(() => causes.locator('thead th[aria-sort]').textContent(), (text) => text === 'Time', 'M is the next');
	}));

	test('Back and Forward go over ten acts; tab, order and metric are in the link', open(async (page) => {
		const hashes = [await page.evaluate(() => location.hash)];
		const act = async (/** @type {() => Promise<any>} */ does) => {
			await does();
			const before = hashes[hashes.length - 1];
			hashes.push(await until(() => page.evaluate(() => location.hash), (hash) => hash !== before, `act ${hashes.length}`));
		};
		const panel = () => page.locator('[role="tabpanel"]:not([hidden])');
		await act(() => openTable(page, 'Files'));
		await act(() => panel().locator('tbody button.row').first().click());
		await act(() => panel().locator('.twist').first().click());
		await act(() => panel().locator('thead th[data-key="size"] button').click());
		await act(() => panel().locator('thead th[data-key="size"] button').click());
		await act(() => panel().locator('tr[aria-level="2"] button.row').first().click());
		await act(() => page.locator('.metrics [data-metric="pages"]').click());
		await act(() => page.keyboard.press(']'));
		await act(() => page.keyboard.press('w'));
		await act(() => page.locator('.metrics [data-metric="faults"]').click());
		const stateOf = async () => [await page.locator('#left').textContent(), await page.locator('[role="tab"][aria-selected="true"]').textContent(),
			await page.locator('#crumbs').textContent(), await page.locator('#chips').textContent(), await page.locator('tr[aria-expanded="true"]:visible').count()].join('; ');
		await pause(page);
		const last = await stateOf();
		for (let at = hashes.length - 2; at >= 0; at--) {
			await page.goBack();
			await until(() => page.evaluate(() => location.hash), (hash) => hash === hashes[at], `back to ${at}`);
		}
		await pause(page);
		assert.match(await stateOf(), /; Causes; All files; ; 0$/);
		for (let at = 1; at < hashes.length; at++) {
			await page.goForward();
			await until(() => page.evaluate(() => location.hash), (hash) => hash === hashes[at], `forward to ${at}`);
		}
		await pause(page);
		assert.equal(await stateOf(), last);
	}));

	test('Z zooms to what is selected, Esc goes one step back up at a time', open(async (page) => {
		const files = await openTable(page, 'Files');
		await files.locator('tbody button.row').nth(1).click();
		await pause(page);
		await rowsBelowFiles(page);
		await files.locator('tr[aria-level="2"] button.row').first().click();
		await pause(page);
		const left = page.locator('#left');
		const selected = await left.textContent();
		await page.keyboard.press('z');
		await zoomedIn(page, null, 'Z zooms');
		await pause(page);
		assert.equal(await left.textContent(), selected, 'all that is selected is shown');
		for (const [word, others] of [['time', ['section', 'file']], ['section', ['file']], ['file', []]]) {
			await page.keyboard.press('Escape');
			await until(() => wordOf(page, word), (text) => text === null, `Esc leaves ${word}`);
			for (const other of others)
				assert.notEqual(await wordOf(page, other), null, `${other} stays`);
		}
	}));

	test('a double click on a name selects it whole', () => withReport(report, {hash: '#fault=300'}, async (page) => {
		const name = page.locator('#detail .stack .name').first();
		await name.dblclick({position: {x: 6, y: 6}});
		assert.equal(await page.evaluate(() => getSelection()?.toString().trim()), await name.textContent());
	}));

	test('a command is copied', open(async (page) => {
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		const command = page.locator('#cures .command').first();
		await command.getByRole('button').click();
		await until(() => command.getByRole('button').textContent(), (text) => text === 'Copied', 'it says so');
		assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await command.locator('code, .advice').textContent());
	}));

	test('themes change the colours', open(async (page) => {
		const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
		const light = await paper();
		await page.locator('#theme').selectOption('dark');
		const dark = await paper();
		assert.notEqual(dark, light);
		await page.locator('#theme').selectOption('light');
		assert.equal(await paper(), light);
	}));

	test('? shows the keys, Esc closes them', open(async (page) => {
		await page.keyboard.press('?');
		assert.ok(await page.getByRole('dialog').isVisible());
		await page.keyboard.press('Escape');
		assert.ok(!await page.getByRole('dialog').isVisible());
	}));

	test('a link restores filter, tab, what is open, range and fault', () =>
		withReport(report, {}, async (page) => {
			const files = await openTable(page, 'Files');
			await files.locator('.twist').first().click();
			await files.locator('tr[aria-level="2"] button.row').first().click();
			await page.keyboard.press('n');
			await until(() => wordOf(page, 'fault'), Boolean, 'N chooses a fault');
			// At that fault: none of the section may be in the middle of the time.
			const ring = await until(() => ringOf(page.locator('#timeline canvas.overlay')), (spot) => spot !== null, 'a ring');
			await timeline(page).hover({position: ring ?? undefined});
			await page.mouse.wheel(0, -100);
			await until(() => wordOf(page, 'time'), Boolean, 'the wheel zooms');
			await pause(page);
			assert.ok(await totalOf(page) > 0, 'tables follow');
			await pause(page);
			const before = {hash: String(await hashOf(page)), rows: await rowsOf(files), fault: await page.locator('#detail').textContent(),
				title: await page.locator('h1').textContent(), chips: await page.locator('#chips').textContent()};
			await withReport(report, {hash: `#${before.hash}`}, async (other) => {
				const again = other.locator('#panel-files');
				await pause(other);
				assert.equal(String(await hashOf(other)), before.hash);
				assert.equal(await other.locator('h1').textContent(), before.title);
				assert.equal(await other.locator('#chips').textContent(), before.chips);
				assert.equal(await other.locator('#detail').textContent(), before.fault);
				assert.deepEqual(await rowsOf(again), before.rows);
			});
		}));

	test('the flame graph zooms by click and key, and goes back', open(async (page) => {
		const flame = page.locator('canvas.flame');
		await openTable(page, 'Flame');
		const status = page.locator('.flame-status');
		await until(() => status.textContent(), (text) => (text ?? '').startsWith('all stacks: '), 'all is shown');
		const box = await flame.boundingBox();
		assert.ok(box);
		const reset = page.getByRole('button', {name: 'Reset zoom'});
		assert.ok(await reset.isDisabled());
		await flame.click({position: {x: 20, y: 30}});
		await until(() => reset.isEnabled(), Boolean, 'a click zooms');
		await page.keyboard.press('Escape');
		assert.ok(await reset.isDisabled(), 'Esc goes back');
		await flame.focus();
		await page.keyboard.press('ArrowDown');
		const first = await status.textContent();
		assert.ok(!first?.startsWith('all stacks'), first ?? '');
		await page.keyboard.press('Enter');
		assert.ok(await reset.isEnabled(), 'Enter zooms');
		await page.keyboard.press('ArrowUp');
		assert.match(await status.textContent() ?? '', /^all stacks/);
		await page.keyboard.press('Escape');
		assert.ok(await reset.isDisabled());
	}));

	test('a click on a mark shows a fault', open(async (page) => {
		const detail = page.locator('#detail');
		const heading = detail.locator('h2');
		assert.doesNotMatch(await heading.textContent() ?? '', /^Fault/);
		const spot = await chooseFault(page);
		assert.doesNotMatch(await heading.textContent() ?? '', /^Fault/, 'Esc closes');
		await timeline(page).click({position: spot});
		await until(() => heading.textContent(), (text) => Boolean(text?.startsWith('Fault ')), 'a click shows a fault');
		assert.match(await detail.textContent() ?? '', /Initiator.*Mechanism.*Call stack/s);
	}));

	test('the keyboard alone reaches a fault’s details, steps through faults and closes them', open(async (page) => {
		const detail = page.locator('#detail');
		const heading = detail.locator('h2');
		const isShown = async () => (await heading.textContent() ?? '').startsWith('Fault ');
		await openTable(page, 'Faults');
		// From the top of the page by Tab only, to a row of the table.
		await page.locator('h1').click();
		const isThere = () => page.evaluate(() => document.activeElement?.matches('#panel-faults button.row') ?? false);
		for (let i = 0; i < 300 && !await isThere(); i++)
			await page.keyboard.press('Tab');
		assert.ok(await isThere(), 'Tab leads to the faults');
		await page.keyboard.press('Enter');
		assert.ok(await isShown());
		assert.ok(await heading.evaluate((element) => element === document.activeElement), 'the focus is there');
		const first = await heading.textContent();
		await page.keyboard.press('n');
		await until(() => heading.textContent(), (text) => text !== first, 'N goes on');
		await page.keyboard.press('p');
		await until(() => heading.textContent(), (text) => text === first, 'P goes back');
		await detail.getByRole('button', {name: 'Next'}).focus();
		await page.keyboard.press('Enter');
		await until(() => heading.textContent(), (text) => text !== first, 'a button goes on');
		await page.keyboard.press('Escape');
		assert.ok(!await isShown());
		assert.ok(await isThere(), 'the focus is where it came from');
		await page.keyboard.press('n');
		assert.ok(await isShown(), 'N chooses a fault');
	}));

	test('a name stands on the line of the text beside it', () => withReport(report, {hash: '#fault=0'}, async (page) => {
		const tops = await page.locator('#detail dt', {hasText: /^Thread$/}).locator('xpath=following-sibling::dd[1]').evaluate((element) => {
			const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
			const range = document.createRange();
			/** @type {number[]} */
			const found = [];
			while (walker.nextNode())
				if (walker.currentNode.textContent?.trim()) {
					range.selectNodeContents(walker.currentNode);
					found.push(Math.round(range.getBoundingClientRect().top));
				}
			return found;
		});
		assert.ok(tops.length >= 2, `${tops}`);
		assert.ok(tops.every((top) => Math.abs(top - tops[0]) <= 1), `${tops}`);
	}));

	test('few notes are all in sight, however long they are', () => withReport(report, {width: 390, height: 844}, async (page) => {
		await page.locator('#notes > summary').click();
		const [inside, all] = await page.locator('.notes').evaluate((element) => {
			element.removeAttribute('tabindex');
			element.append(' and so on'.repeat(60));
			return [element.clientHeight, element.scrollHeight];
		});
		assert.equal(inside, all);
	}));
}
