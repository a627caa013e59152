// SPDX-License-Identifier: Apache-2.0
// What the page shows against what `elfault analyze --format json` says of the same trace.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {numberOf, openTable, pause, rowsOf, until, withReport} from './report.js';
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

/** @param {import('playwright-core').Page} page @param {any} object of the analysis */
async function compareObject(page, object) {
	const head = await page.locator('#head .facts').textContent() ?? '';
	const facts = /: ([\d,]+) of ([\d,]+) faults? .*: ([\d,]+) minor, ([\d,]+) major;/.exec(head);
	assert.ok(facts, head);
	assert.equal(numberOf(facts[1]), object.faults);
	assert.equal(numberOf(facts[4]), object.major);
	const shares = await page.locator('#head .legend button').allTextContents();
	const expected = Object.fromEntries(Object.entries(object.by_initiator).filter(([, n]) => n));
	// Where storage was waited for the bar shares out time.
	if (shares.some((text) => / (ns|µs|ms|s) \(/.test(text))) {
		assert.ok(shares.every((text) => text.split(' ')[0] in expected), shares.join());
		assert.match(await page.locator('.headline').textContent() ?? '', / took [\d.]+% of their time/);
	} else {
		const initiators = Object.fromEntries(shares.map((text) => {
			const found = /^(\S+) ([\d,]+) \(/.exec(text);
			assert.ok(found, text);
			return [found[1], numberOf(found[2])];
		}));
		assert.deepEqual(initiators, expected);
	}

	assert.deepEqual(
		byName(await rowsOf(await openTable(page, 'Sections')), (row) => row.Section, shown('Faults', 'Major', 'Pages')),
		byName(object.by_section, (row) => row.section ?? '(no name)', (row) => [row.faults, row.major, row.pages]));
	assert.deepEqual(
		byName(await rowsOf(await openTable(page, 'Symbols')), (row) => row.Symbol, shown('Faults', 'Major')),
		byName(object.by_symbol, (row) => row.symbol ?? '(no name)', (row) => [row.faults, row.major]));
	assert.deepEqual(
		byName(await rowsOf(await openTable(page, 'Functions')), (row) => `${row.Function} ${row.In}`, shown('Faults', 'Major')),
		byName(object.by_function, (row) => `${row.function ?? '(no name)'} ${fileName(row.object)}`, (row) => [row.faults, row.major]));
	assert.deepEqual(
		byName(await rowsOf(await openTable(page, 'Initializers')), (row) => `${row.Array}[${row.Order}] ${row.Function}`,
			shown('Faults', 'Binding', 'Major', 'Pages')),
		byName(object.initializers, (row) => `${row.array}[${row.index.toLocaleString('en-US')}] ${row.function ?? '(no name)'}`,
			(row) => [row.faults, row.lazy_binding, row.major, row.pages]));
}

/** @param {string} output */
export function numberTests(output) {
	const open = (/** @type {(page: import('playwright-core').Page, analysis: any) => Promise<void>} */ use) => async () => {
		const analysis = JSON.parse(await readFile(`${output}/several.json`, 'utf8'));
		await withReport(`${output}/several.html`, {}, (page) => use(page, analysis));
	};
	test('files have the faults that the analysis counts', open(async (page, analysis) => {
		const rows = await rowsOf(await openTable(page, 'Files'));
		assert.deepEqual(byName(rows, (row) => row.File, shown('Faults', 'Major')),
			byName(analysis.objects.filter((/** @type {any} */ row) => row.faults > 0 || fileName(row.path) === ''),
				(row) => fileName(row.path), (row) => [row.faults, row.major]));
		const total = rows.reduce((sum, row) => sum + numberOf(row.Faults), 0);
		assert.equal(total, analysis.counts.attributed);
	}));
	test('the account of time adds up to own time, and is the analysis’s', open(async (page, analysis) => {
		const {account} = analysis;
		if (!account) {
			assert.equal(await page.locator('#head .account').textContent(), '');
			return;
		}
		const first = account.subject ?? account;
		const text = await page.locator('#head .account .sum').textContent() ?? '';
		const [, own, unit, states] = /^([\d,.]+) (\S+)(?: of [^=]*)? = ([^;]*)/.exec(text) ?? [];
		assert.ok(states, text);
		const scale = {µs: 1e3, ms: 1e6, s: 1e9}[unit] ?? NaN;
		const number = (/** @type {string} */ figure) => Number(figure.replaceAll(',', ''));
		let sum = 0;
		for (const part of states.split(' + ')) {
			const [state, figure] = part.split(' ');
			sum += number(figure);
			assert.ok(Math.abs(number(figure) - first.main[state] / scale) < 0.11, `${part} of ${first.main[state]} ns`);
		}
		assert.ok(Math.abs(sum - number(own)) < 1e-6, `${sum} of ${own}`);
		const used = first.wall_ns - first.main.runnable - first.main.recording;
		assert.ok(Math.abs(sum - used / scale) < 0.06, `${sum} of ${used} ns`);
		assert.equal(text.includes('more waited for a processor'), first.main.runnable > 0, text);
		assert.equal(await page.locator('#head .account .part').count(), states.split(' + ').length);
	}));
	test('initiators, sections, symbols, functions and initializers of an object are the analysis’s', open(async (page, analysis) => {
		const objects = [...analysis.objects].sort((a, b) => b.faults - a.faults).slice(0, OBJECTS);
		for (const object of objects) {
			const title = await page.locator('h1').textContent();
			const options = await page.locator('#object option').allTextContents();
			const at = options.findIndex((text) => text.startsWith(`${fileName(object.path)} (`));
			assert.ok(at >= 0, `${object.path} can be chosen`);
			await page.locator('#object').selectOption({index: at});
			await until(() => page.locator('#head .facts').first().textContent(),
				(text) => (text ?? '').startsWith(`${fileName(object.path)}: `), 'the head follows');
			assert.equal(await page.locator('h1').textContent(), title);
			// Tables count when the reader pauses.
			await until(() => page.locator('[role="tabpanel"]:not([hidden]) .about').textContent(),
				(text) => (text ?? '').startsWith(`${fileName(object.path)}:`), 'the table follows');
			await pause(page);
			await compareObject(page, object);
		}
	}));
}
