// SPDX-License-Identifier: Apache-2.0
// The page of a comparison: its numbers against `elfault diff --format json`, its filters, its link, what it saves.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {elfault} from './commands.js';
import {hashOf, openTable, parseCsv, rowsOf, saveBy, until, withReport, wordOf} from './report.js';
import {test} from './tap.js';

/** Tables by title: the list of the document and its word. */
const TABLES = [['Causes', 'cause'], ['Initiators', 'initiator'], ['Mechanisms', 'mechanism'], ['Files', 'object'],
	['Sections', 'section'], ['Functions', 'function'], ['Symbols', 'symbol'], ['Initializers', 'initializer']];

/** The first column as it should be. @param {any} diff @param {string} word @param {any} row */
function nameOf(diff, word, row) {
	const label = row.object_id === null || row.object_id === undefined ? '(not mapped)' : diff.objects[row.object_id].label;
	if (word === 'object')
		return label;
	if (word === 'cause')
		return row.object === null && row.section === null ? `${row.initiator}, no mapping known in (not mapped)`
			: `${row.initiator} in ${row.section ?? '(no name)'} in ${label}`;
	if (word === 'initiator' || word === 'mechanism')
		return row[word];
	if (word === 'initializer' && row.initializer === null)
		return (row.object === null ? '(in no initializer)' : row.source ? `(of ${row.source})` : '(no name)') + ` in ${label}`;
	return `${row[word] ?? '(no name)'} in ${label}`;
}

/** "−1,234.5" as a number. @param {string} text */
function signedNumber(text) {
	const found = /^(?:[▲▼≈=] )?([+−]?)([\d,.]+)$/.exec(text);
	assert.ok(found, text);
	return (found[1] === '−' ? -1 : 1) * Number(found[2].replaceAll(',', ''));
}

/** How much changed: "▲ +5", "▼ 5 → 3" or "7". @param {string} text */
function magnitudeOf(text) {
	const [from, to] = text.split(' → ').map(signedNumber);
	return Math.abs(to === undefined ? text.includes('→') || /^[▲▼≈=]/.test(text) ? from : 0 : to - from);
}

/** Every row as the page shows it. @param {import('playwright-core').Page} page @param {string} title */
async function shownRows(page, title) {
	const rows = await rowsOf(await openTable(page, title));
	return rows.map((row) => `${row[title.replace(/s$/, '')]}${row.In ? ` in ${row.In}` : ''}: `
		+ [row.Before, row.After, row.Difference].map(signedNumber).join(' ')).sort();
}

/** And as the document has it. @param {any} diff @param {string} word */
function expectedRows(diff, word) {
	return diff[`by_${word}`].map((/** @type {any} */ row) => `${nameOf(diff, word, row)}: `
		+ `${row.faults.before} ${row.faults.after} ${row.faults.difference}`).sort();
}

/** What identifies a row in either. @param {string} word @param {any} row */
function keyOf(word, row) {
	const words = word === 'cause' ? ['object', 'section', 'initiator'] : word === 'object' ? ['object']
		: word === 'initializer' ? ['object', word, 'source'] : word === 'initiator' || word === 'mechanism' ? [word] : ['object', word];
	return words.map((each) => row[each] ?? '').join(' ');
}

/** Every number of the table, as it is saved: long tables take long to draw. @param {import('playwright-core').Page} page @param {string} title @param {string} word @param {string} path */
async function savedRows(page, title, word, path) {
	const panel = await openTable(page, title);
	await saveBy(page, panel.getByRole('button', {name: `Save ${title.toLowerCase()} as CSV`}), path);
	const rows = parseCsv(await readFile(path, 'utf8'));
	return rows.map((row) => `${keyOf(word, row)}: ` + ['faults', 'major', 'pages'].map((metric) =>
		['before', 'after', 'difference'].map((part) => Number(row[`${metric}.${part}`])).join(' ')).join(', ')).sort();
}

/** And as the document has it. @param {any} diff @param {string} word */
function documentRows(diff, word) {
	return diff[`by_${word}`].map((/** @type {any} */ row) => `${keyOf(word, row)}: ` + ['faults', 'major', 'pages'].map((metric) =>
		['before', 'after', 'difference'].map((part) => row[metric][part]).join(' ')).join(', ')).sort();
}

/** @param {string} output */
export function diffTests(output) {
	const report = `${output}/diff.html`;
	/** Numbers of faults are those of the document, whatever the times. */
	const byFaults = {hash: '#metric=faults'};
	const readDiff = async (/** @type {string} */ name) => JSON.parse(await readFile(`${output}/${name}.json`, 'utf8'));

	test('of a pipeline the sentence names whose time is compared, and the accounts are of that', () => withReport(`${output}/diff.html`, {}, async (page) => {
		const accounts = await Promise.all(['several', 'fewer'].map(async (trace) => JSON.parse(await elfault('analyze', '--format', 'json', `${output}/${trace}.trace`)).account));
		assert.equal(accounts[0].subject.is_command, false, 'its end waited for another program');
		assert.match(await page.locator('.amount').textContent() ?? '', /^clang-14: |^The processors were busy on [a-z ]*\. /);
		const bars = await page.locator('#account .bar').evaluateAll((all) => all.map((bar) => [...bar.querySelectorAll('.part[data-state]')]
			.map((part) => /** @type {HTMLElement} */ (part).dataset).map(({cause, state, ns}) => ({cause, state, ns: Number(ns)}))));
		assert.equal(bars.length, 2);
		for (const [side, parts] of bars.entries())
			for (const {cause, state, ns} of parts.filter((part) => part.state !== 'runnable'))
				assert.equal(ns, accounts[side].subject.main_by_initiator[cause ?? ''][state ?? ''], `${side} ${cause} ${state}`);
		const sums = await page.locator('#account .sum').allTextContents();
		assert.match(sums[0], /^before [\d.]+ \S+ of clang-14 /);
	}));

	test('in every table of a comparison, rows come by the column that is marked, and turn round on a click', () =>
		withReport(`${output}/builds.html`, byFaults, async (page) => {
			for (const title of await page.getByRole('tab').allTextContents()) {
				const table = await openTable(page, title);
				const marks = () => table.locator('thead th[aria-sort]').evaluateAll((cells) =>
					cells.map((cell) => `${cell.textContent} ${cell.getAttribute('aria-sort')}`));
				// The figures of an order have one of their own.
				const column = title === 'Order' ? 'Figure' : title === 'Moved' ? 'Faults' : 'Difference';
				const before = await rowsOf(table);
				assert.deepEqual(await marks(), title === 'Order' ? [] : [`${column} descending`], title);
				if (title === 'Order')
					assert.deepEqual(before.map((row) => row.Figure).slice(0, 3), ['Functions', 'Code pages', 'Code bytes']);
				else
					assert.deepEqual(before.map((row) => magnitudeOf(row[column])), before.map((row) => magnitudeOf(row[column])).sort((a, b) => b - a), title);
				await table.locator('thead th').filter({hasText: column}).getByRole('button').click();
				assert.deepEqual(await marks(), [`${column} ascending`], title);
				const rows = (await rowsOf(table)).map((row) => row[column]);
				assert.deepEqual(rows, title === 'Order' ? [...rows].sort() : [...rows].sort((a, b) => magnitudeOf(a) - magnitudeOf(b)), title);
			}
		}));

	test('a comparison’s tables have the numbers of diff --format json', () =>
		withReport(report, byFaults, async (page) => {
			const diff = await readDiff('diff');
			for (const [title, word] of TABLES.slice(0, 5))
				assert.deepEqual(await shownRows(page, title), expectedRows(diff, word), title);
			for (const [title, word] of TABLES)
				assert.deepEqual(await savedRows(page, title, word, `${output}/${word}.csv`), documentRows(diff, word), title);
		}));

	test('a selection of everything counts, in the runs shown, what diff counted', () =>
		withReport(report, {hash: '#metric=faults&time=0-9000000000000'}, async (page) => {
			const diff = await readDiff('diff');
			for (const [title, word] of TABLES)
				assert.deepEqual(await savedRows(page, title, word, `${output}/selected-${word}.csv`), documentRows(diff, word), title);
			assert.deepEqual(await shownRows(page, 'Initiators'), expectedRows(diff, 'initiator'));
		}));

	test('the bars of a table begin at one line, however long its numbers are', () =>
		withReport(report, byFaults, async (page) => {
			const lengths = new Set();
			for (const metric of ['faults', 'time']) {
				await page.locator(`[data-metric="${metric}"]`).click();
				const panel = await openTable(page, 'Causes');
				const bars = await until(() => panel.locator('tbody td.number').evaluateAll((cells) => cells.filter((cell) => cell.querySelector('.change-bar'))
					.map((cell) => ({x: Math.round(cell.querySelector('.change-bar')?.getBoundingClientRect().x ?? 0), length: cell.textContent?.length ?? 0}))),
				(all) => all.length > 1, 'rows');
				assert.equal(new Set(bars.map(({x}) => x)).size, 1, `${metric}: ${JSON.stringify(bars)}`);
				for (const {length} of bars)
					lengths.add(`${metric} ${length}`);
			}
			// Times of one run may be as long as each other, but not numbers of faults as well.
			assert.ok(lengths.size > 2, [...lengths].join(', '));
		}));

	test('what is compared can be chosen', () =>
		withReport(report, byFaults, async (page) => {
			const diff = await readDiff('diff');
			await page.locator('[data-metric="pages"]').click();
			await until(() => wordOf(page, 'metric'), (value) => value === 'pages', 'the link follows');
			const panel = await openTable(page, 'Mechanisms');
			const rows = await until(() => rowsOf(panel), (all) => all.length > 0, 'rows');
			assert.deepEqual(rows.map((row) => `${row.Mechanism} ${signedNumber(row.After)}`).sort(),
				diff.by_mechanism.map((/** @type {any} */ row) => `${row.mechanism} ${row.pages.after}`).sort());
		}));

	test('the details of a comparison have the totals', () =>
		withReport(report, byFaults, async (page) => {
			const diff = await readDiff('diff');
			const rows = await page.locator('.totals tbody tr').evaluateAll((all) =>
				all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
			const {faults, major, pages} = diff.total;
			assert.deepEqual(rows.slice(0, 3).map(([title, before, after, change]) => [title, ...[before, after, change].map(signedNumber)]),
				[['faults', faults], ['major faults', major], ['pages', pages]].map(([title, {before, after, difference}]) => [title, before, after, difference]));
			const text = await page.locator('#detail').textContent() ?? '';
			const commands = [diff.before[0].command, diff.after[0].command];
			assert.ok(commands.every((command) => text.includes(command)));
			assert.equal(await page.title(), `${commands[0] === commands[1] ? `${commands[1]}, before and after` : commands.join(', then ')} - elfault`);
			assert.ok(text.includes('Only one run per side: noise cannot be estimated.'));
		}));

	test('a finding of a comparison leaves the faults of both sides that its condition does', () =>
		withReport(`${output}/builds.html`, byFaults, async (page) => {
			const {findings} = await readDiff('builds');
			const {title, where} = findings.find((/** @type {any} */ finding) => finding.where);
			const counts = await Promise.all(['before', 'after'].map(async (side) =>
				(await elfault('analyze', '--format', 'ndjson', '--where', where, `${output}/${side}-build.trace`)).trim().split('\n').length));
			const all = await page.locator('#left').textContent();
			await page.locator('.cure-head', {hasText: title}).click();
			const left = await until(() => page.locator('#left').textContent(), (text) => /^\d+ → \d+ faults/.test(text ?? '') && text !== all, 'others are left');
			assert.ok(left?.startsWith(`${counts.join(' → ')} faults, `), `${left}, not ${counts}`);
		}));

	test('a difference leads to its faults on both sides, and the link restores them', () =>
		withReport(report, byFaults, async (page) => {
			const diff = await readDiff('diff');
			const [cause] = diff.by_cause;
			await page.locator('#all-cures').click();
			const box = page.locator('.cure-head', {hasText: `${cause.initiator} in ${cause.section ?? '(no name)'}`}).first();
			await box.press('Enter');
			const hash = await until(() => hashOf(page), (words) => words.has('section'), 'the link follows');
			assert.deepEqual([hash.get('initiator'), hash.get('section')], [cause.initiator, cause.section ?? '(no name)']);
			await until(() => page.locator('.cure-head[aria-pressed="true"]').count(), (count) => count === 1, 'it is pressed');
			const [file] = (await shownRows(page, 'Causes')).filter((text) => text.startsWith(nameOf(diff, 'cause', cause)));
			assert.equal(file, `${nameOf(diff, 'cause', cause)}: ${cause.faults.before} ${cause.faults.after} ${cause.faults.difference}`);
			await withReport(report, {hash: `#${hash}`}, async (again) => {
				assert.equal(await again.locator('#chips').textContent(), await page.locator('#chips').textContent());
				assert.equal(await again.locator('#detail h2:visible').textContent(), await page.locator('#detail h2:visible').textContent());
			});
		}));

	test('a row of each table filters both sides, by keys alone', () =>
		withReport(report, byFaults, async (page) => {
			for (const [title] of TABLES.filter(([, word]) => word !== 'object')) {
				const panel = await openTable(page, title);
				// The row with most faults before: there is something to see.
				await panel.getByRole('button', {name: 'Before'}).click();
				const first = panel.locator('button.row').first();
				const cells = await first.locator('xpath=ancestor::tr').locator('td').allTextContents();
				await first.focus();
				await page.keyboard.press('Enter');
				await until(() => panel.locator('tr.pressed').count(), (count) => count > 0, `${title} is pressed`);
				await until(() => panel.locator('.status').textContent(), (text) => (text ?? '').includes(' in all'), `${title} counts the selection`);
				const now = await panel.locator('tr.pressed').first().locator('td').allTextContents();
				assert.deepEqual(now.slice(0, 2), cells.slice(0, 2), title);
				assert.match(await page.locator('#left').textContent() ?? '', /^[\d,]+ → [\d,]+ fault/);
				await page.getByRole('button', {name: 'Clear all'}).click();
				await until(() => page.locator('#chips .chip').count(), (count) => count === 0, 'chips go');
			}
		}));

	test('with repeats the verdicts stand in the tables, noise is grey and has a sign of its own', () =>
		withReport(`${output}/repeats.html`, byFaults, async (page) => {
			const diff = await readDiff('repeats');
			assert.match(await page.locator('#detail').textContent() ?? '', /Medians of 7 and 7 runs\..*run \d of 7 is shown, nearest to the median/s);
			const rows = await rowsOf(await openTable(page, 'Initiators'));
			assert.deepEqual(rows.map((row) => `${row.Initiator} ${row.Verdict.replace(/, p = .*/, '').replace('within noise', 'noise')}`).sort(),
				diff.by_initiator.map((/** @type {any} */ row) => `${row.initiator} ${row.faults.verdict}`).sort());
			const looks = await page.locator('#panel-initiators tbody tr').evaluateAll((all) => all.map((row) => ({
				verdict: row.children[5].textContent, sign: row.querySelector('.sign')?.textContent, isQuiet: row.classList.contains('quiet')})));
			for (const {verdict, sign, isQuiet} of looks)
				assert.equal(isQuiet, !/^real/.test(verdict ?? ''), `${verdict} ${sign}`);
			// Python runs some thousand functions, git none of that kind: whatever the page cache holds.
			assert.match(rows.find((row) => row.Initiator === 'program')?.Verdict ?? '', /^real/);
			for (const {verdict, sign} of looks.filter((each) => /^within noise/.test(each.verdict ?? '')))
				assert.match(sign ?? '', /^[≈=]$/, verdict ?? '');
		}));

	test('what the runs of a side note stands once, with its range', () =>
		withReport(`${output}/notes.html`, {}, async (page) => {
			const lines = await page.locator('[role="note"] li').allTextContents();
			assert.deepEqual(lines.filter((line) => /a stack is lost/.test(line)), ['Note: before: a stack is lost (10 to 14 times in each of 3 runs)']);
			assert.equal(lines.filter((line) => /files that the trace names are not on this machine: .*evil/.test(line)).length, 1, lines.join('; '));
		}));

	test('what is searched for is left on both sides', () =>
		withReport(report, byFaults, async (page) => {
			await page.locator('#search').fill('malloc');
			const all = await page.locator('#left').textContent();
			await until(() => wordOf(page, 'search'), (search) => search === 'malloc', 'the link follows');
			const text = await until(() => page.locator('#left').textContent(), (now) => now !== all, 'the search counts');
			assert.match(text ?? '', /^[\d,]+ → [\d,]+ fault/);
		}));
}
