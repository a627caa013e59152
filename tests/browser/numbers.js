// SPDX-License-Identifier: Apache-2.0
// What the page shows against what `elfault analyze --format json` says of the same trace.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {amountOf, numberOf, follow, openTable, pause, rowsBelowFiles, rowsOf, until, withReport, wordOf} from './report.js';
import {test} from './tap.js';

/** So many objects are compared: those with most faults. */
const OBJECTS = 5;

/** @param {string} text name of a file or kind of memory */
function fileName(text) {
	return text.slice(text.lastIndexOf('/') + 1) || text;
}

/** Numbers by name; rows of one name count together. @param {any[]} rows @param {(row: any) => string} name @param {(row: any) => number[]} numbers */
function byName(rows, name, numbers) {
	/** @type {Object<string, number[]>} */
	const sums = {};
	for (const row of rows) {
		const add = numbers(row);
		const sum = sums[name(row)] ?? add.map(() => 0);
		sums[name(row)] = sum.map((each, i) => each + add[i]);
	}
	return sums;
}

const shown = (/** @type {string[]} */ ...columns) => (/** @type {Object<string, string>} */ row) =>
	columns.map((column) => numberOf(row[column]));

/** The page with the file of @object selected. @param {import('playwright-core').Page} page @param {any} object of the analysis */
async function compareObject(page, object) {
	const left = /^([\d,]+) faults?, .* ([\d,]+) pages?$/.exec(await page.locator('#left').textContent() ?? '');
	assert.ok(left, 'the scope has numbers');
	assert.equal(numberOf(left[1]), object.faults);
	const facts = /([\d,]+) of ([\d,]+) \(.*: ([\d,]+) minor, ([\d,]+) major/.exec(await page.locator('#detail').textContent() ?? '');
	assert.ok(facts, 'details have numbers');
	assert.equal(numberOf(facts[4]), object.major);
	assert.deepEqual(byName(await rowsOf(await openTable(page, 'Causes')), (row) => row.Cause, shown('Faults')),
		Object.fromEntries(Object.entries(object.by_initiator).filter(([, n]) => n).map(([cause, n]) => [cause, [n]])));
	assert.deepEqual(
		byName(await rowsBelowFiles(page), (row) => row.Section, shown('Faults', 'Major', 'Pages')),
		byName(object.by_section, (row) => row.section ?? '(no name)', (row) => [row.faults, row.major, row.pages]));
	assert.deepEqual(
		byName(await rowsBelowFiles(page, true), (row) => row.Symbol, shown('Faults', 'Major')),
		byName(object.by_symbol, (row) => row.symbol ?? '(no name)', (row) => [row.faults, row.major]));
	assert.deepEqual(
		byName(await rowsOf(await openTable(page, 'Functions')), (row) => `${row.Function} ${row.In}`, shown('Faults', 'Major')),
		byName(object.by_function, (row) => `${row.function ?? '(no name)'} ${fileName(row.object)}`, (row) => [row.faults, row.major]));
}

/** @param {string} output */
export function numberTests(output) {
	const open = (/** @type {(page: import('playwright-core').Page, analysis: any) => Promise<void>} */ use) => async () => {
		const analysis = JSON.parse(await readFile(`${output}/several.json`, 'utf8'));
		await withReport(`${output}/several.html`, {}, (page) => use(page, analysis));
	};
	test('files have the faults that the analysis counts', open(async (page, analysis) => {
		const rows = (await rowsOf(await openTable(page, 'Files'))).filter(({File}) => File !== '(outside faults)');
		assert.deepEqual(byName(rows, (row) => row.File, shown('Faults', 'Major')),
			byName(analysis.objects.filter((/** @type {any} */ row) => row.faults > 0 || fileName(row.path) === ''),
				(row) => fileName(row.path), (row) => [row.faults, row.major]));
		const total = rows.reduce((sum, row) => sum + numberOf(row.Faults), 0);
		assert.equal(total, analysis.counts.attributed);
	}));
	test('the bar of the account has every cause and state to the nanosecond, and adds up to own time', open(async (page, analysis) => {
		const {account} = analysis;
		await page.locator('.metrics [data-metric="time"]').click();
		if (!account) {
			assert.match(await page.locator('#account .sum').textContent() ?? '', /where the time went is not known/);
			return;
		}
		const first = account.subject ?? account;
		await page.locator('#account .part[data-state]').first().waitFor();
		const parts = await page.locator('#account .part').evaluateAll((all) => all.map((part) => /** @type {HTMLElement} */ (part).dataset)
			.map(({cause, state, ns}) => ({cause, state, ns: Number(ns)})));
		let own = 0;
		for (const {cause, state, ns} of parts.filter((part) => part.state !== 'runnable')) {
			assert.equal(ns, first.main_by_initiator[cause ?? ''][state ?? ''], `${cause} ${state}`);
			own += ns;
		}
		assert.equal(own, first.wall_ns - first.main.runnable - first.main.recording);
		assert.deepEqual(parts.filter(({state}) => state === 'runnable').map(({ns}) => ns), first.main.runnable > 0 ? [first.main.runnable] : []);
		const text = await page.locator('#account .sum').textContent() ?? '';
		assert.ok(Math.abs(amountOf(/^([\d.,]+ \S+)/.exec(text)?.[1] ?? '') - own) < Math.max(own / 200, 6e4), text);
		assert.equal(text.includes('waiting for a processor'), first.main.runnable > 0, text);
	}));
	test('a process has an account of its own', open(async (page, analysis) => {
		await page.locator('.metrics [data-metric="time"]').click();
		const processes = await openTable(page, 'Processes');
		await processes.locator('tbody button.row').first().click();
		const pid = await until(() => wordOf(page, 'process'), Boolean, 'a process is chosen');
		const text = await until(() => page.locator('#account .sum').textContent(), (sum) => Boolean(sum?.includes(` ${pid} `)), 'the sentence is of it');
		// One that executed others has several rows.
		const rows = analysis.account.processes.filter((/** @type {any} */ each) => String(each.pid) === pid);
		const own = rows.flatMap((/** @type {any} */ row) => ['cpu', 'fault', 'fault-io', 'file-io', 'wait'].map((state) => row.all[state]))
			.reduce((/** @type {number} */ all, /** @type {number} */ ns) => all + ns, 0);
		assert.ok(Math.abs(amountOf(/^([\d.,]+ \S+)/.exec(text ?? '')?.[1] ?? '') - own) <= own / 150, `${text} ${own}`);
	}));
	test('causes, sections, symbols and functions of a file are the analysis’s', open(async (page, analysis) => {
		const objects = [...analysis.objects].sort((a, b) => b.faults - a.faults).slice(0, OBJECTS);
		for (const object of objects) {
			const files = await openTable(page, 'Files');
			await files.locator('tbody tr').filter({has: page.locator(`[title="${fileName(object.path)}"]`)}).locator('button.row').click();
			await until(() => wordOf(page, 'file'), (path) => path !== null && fileName(path) === fileName(object.path), 'the file is selected');
			// Tables count when the reader pauses.
			await pause(page);
			await compareObject(page, object);
			await follow(page, '#tab=files');
			await pause(page);
		}
	}));
	test('initializers have the faults that the analysis counts, in any file', open(async (page, analysis) => {
		assert.deepEqual(
			byName(await rowsOf(await openTable(page, 'Initializers')), (row) => `${row.In} ${row.Array}[${row.Order}] ${row.Function}`,
				shown('Faults', 'Binding', 'Major', 'Pages')),
			byName(analysis.objects.flatMap((/** @type {any} */ object) => object.initializers.map((/** @type {any} */ row) => ({...row, path: object.path}))),
				(row) => `${fileName(row.path)} ${row.array}[${row.index.toLocaleString('en-US')}] ${row.function ?? '(no name)'}`,
				(row) => [row.faults, row.lazy_binding, row.major, row.pages]));
	}));
}
