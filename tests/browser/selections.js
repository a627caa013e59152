// SPDX-License-Identifier: Apache-2.0
// One selection, and every number follows it: what the page shows of each is what `elfault analyze` counts with --where.
import assert from 'node:assert/strict';
import {countText, nounText, sizeText, timeText} from '../../render/page/assets/shared/format.js';
import {elfault} from './commands.js';
import {amountOf, follow, headerOf, openTable, pause, rowsBelowFiles, rowsOf, withReport} from './report.js';
import {test} from './tap.js';

/**
 * @typedef {Object<string, number>} Times in ns, by cause
 *
 * @typedef {Object} Selection
 * @property {string} name
 * @property {Object<string, string>} words of the address
 * @property {string[]} asked of analyze
 * @property {Times | null} outside own time outside faults; null: analyze has no number of it
 */

const OWN = ['cpu', 'fault', 'fault-io', 'file-io'];

/** @param {any} states */
const ownOf = (states) => OWN.reduce((sum, state) => sum + (states[state] ?? 0), 0);

/** What of @whole is not in faults, by cause. @param {Times} whole @param {any[]} rows of --by initiator @returns {Times} */
function outsideOf(whole, rows) {
	return Object.fromEntries(Object.entries(whole).map(([cause, ns]) => [cause, ns - (rows.find((row) => row.initiator === cause)?.own_ns ?? 0)]));
}

/** The last part of a path, as the page names files. @param {string | null} path */
function nameOf(path) {
	return path === null ? '' : path.slice(path.lastIndexOf('/') + 1) || path;
}

/** @param {string} trace @param {string} word @param {string[]} asked */
async function pivotOf(trace, word, asked) {
	return JSON.parse(await elfault('analyze', '--by', word, '--format', 'json', ...asked, trace));
}

/** @param {string} trace @param {any} header of the page @returns {Promise<Selection[]>} */
async function selectionsOf(trace, header) {
	const {account, objects, findings} = JSON.parse(await elfault('analyze', '--format', 'json', '--full-paths', trace));
	const causes = (await pivotOf(trace, 'initiator', [])).rows;
	/** @type {Times} */
	const whole = Object.fromEntries(Object.entries(account?.by_initiator ?? {}).map(([cause, states]) => [cause, ownOf(states)]));
	const where = (/** @type {string} */ word, /** @type {string} */ value) => ['--where', `${word}="${value}"`];
	/** @type {Selection[]} */
	const selections = [{name: 'none', words: {}, asked: [], outside: account ? outsideOf(whole, causes) : {}}];
	const [cause] = causes.map((/** @type {any} */ row) => row.initiator);
	selections.push({name: 'cause', words: {initiator: cause}, asked: where('initiator', cause), outside: account ? outsideOf({[cause]: whole[cause] ?? 0}, causes) : {}});
	const [object] = [...objects].sort((a, b) => b.faults - a.faults);
	selections.push({name: 'file', words: {file: header.objects.find((/** @type {any} */ row) => nameOf(row.path) === nameOf(object.path)).path},
		asked: where('object', object.path), outside: {}});
	const section = object.by_section[0].section;
	selections.push({name: 'section', words: {section}, asked: where('section', section), outside: {}});
	selections.push({name: 'major', words: {kind: 'major'}, asked: where('kind', 'major'), outside: {}});
	const called = (await pivotOf(trace, 'function', [])).rows.find((/** @type {any} */ row) => row.function !== null)?.function;
	/** @type {Times} */
	const computed = {};
	for (const row of account?.by_function ?? [])
		if (row.function === called)
			for (const [by, ns] of Object.entries(row.by_initiator))
				computed[by] = (computed[by] ?? 0) + Number(ns);
	for (const row of account?.waits_by_function ?? [])
		if (row.at.function === called)
			computed[row.initiator] = (computed[row.initiator] ?? 0) + row.file_io_ns;
	if (called)
		selections.push({name: 'function', words: {function: called}, asked: where('function', called), outside: computed});
	if (account) {
		const [{pid}] = account.processes;
		selections.push({name: 'process', words: {process: String(pid)}, asked: where('pid', pid), outside: null});
		const {start_ns: start, end_ns: end} = header.axis;
		const range = [start + (end - start) / 4, start + (end - start) / 2].map(Math.round);
		selections.push({name: 'time', words: {time: range.join('-')}, asked: ['--from', `${range[0]}ns`, '--until', `${range[1]}ns`], outside: null});
	}
	if (findings.length > 0) {
		const [{id, object: of, where: condition}] = findings;
		selections.push({name: 'finding', words: {finding: of ? `${id} of ${nameOf(of)}` : id}, asked: ['--where', condition], outside: {}});
	}
	return selections;
}

/** The columns of a table that are compared. @param {Object<string, string>} row @param {boolean} hasTime */
function numbersOf(row, hasTime) {
	return [row.Faults, row.Major, row.Read, row.Pages, ...hasTime ? [row.Time] : []];
}

/** @param {string} trace @param {Selection} selection @param {string} word @param {(row: any) => string} name @param {(outside: Times) => Times} timesOf what is outside faults, by row */
async function expectedOf(trace, {asked, outside}, word, name, timesOf) {
	const {rows} = await pivotOf(trace, word, asked);
	const times = outside ? timesOf(outside) : {};
	/** @type {Object<string, number[]>} */
	const sums = {};
	for (const row of rows) {
		const add = [row.faults, row.major, row.read_bytes, row.pages, row.own_ns];
		sums[name(row)] = (sums[name(row)] ?? [0, 0, 0, 0, 0]).map((sum, i) => sum + add[i]);
	}
	for (const [row, ns] of Object.entries(times))
		if (ns !== 0)
			(sums[row] ??= [0, 0, 0, 0, 0])[4] += ns;
	return Object.fromEntries(Object.entries(sums).map(([row, [faults, major, bytes, pages, ns]]) =>
		[row, [countText(faults), countText(major), sizeText(bytes), countText(pages), ...outside ? [timeText(ns)] : []]]));
}

/** @param {import('playwright-core').Page} page @param {string} title @param {string} column */
async function shownOf(page, title, column, hasTime = true) {
	const rows = await rowsOf(await openTable(page, title));
	return Object.fromEntries(rows.filter(({Faults}) => hasTime || Faults !== '0').map((row) => [row[column], numbersOf(row, hasTime)]));
}

/** @param {string} output */
export function selectionTests(output) {
	for (const [name, file] of [['several', 'several.trace'], ['busy', 'busy.trace'], ['cold', 'cold.txt'], ['waits', '../../../fixtures/traces/waits.txt']])
		test(`every number of ${name} is the analysis’s to the last digit, whatever is selected`, async () => {
			const trace = file.startsWith('..') ? new URL(file.slice(3), import.meta.url).pathname : `${output}/${file}`;
			const header = headerOf(`${output}/${name}.html`);
			await withReport(`${output}/${name}.html`, {}, async (page) => {
				for (const selection of await selectionsOf(trace, header)) {
					const {words, asked, outside} = selection;
					if (Object.keys(words).length > 0)
						await follow(page, `#${new URLSearchParams(words)}`);
					await pause(page);
					const {total} = await pivotOf(trace, 'initiator', asked);
					const own = total.own_ns + Object.values(outside ?? {}).reduce((sum, ns) => sum + ns, 0);
					const left = await page.locator('#left').textContent() ?? '';
					const read = total.read_bytes > 0 ? `${sizeText(total.read_bytes)} read, ` : '';
					if (outside)
						assert.equal(left, `${nounText(total.faults, 'fault')}, ${own > 0 ? `${timeText(own)}, ` : ''}${read}${nounText(total.pages, 'page')}`, selection.name);
					const hasTime = outside !== null;
					assert.deepEqual(await shownOf(page, 'Causes', 'Cause', hasTime),
						await expectedOf(trace, selection, 'initiator', (row) => row.initiator, (times) => times), `causes, ${selection.name}`);
					assert.deepEqual(await shownOf(page, 'Files', 'File', hasTime),
						await expectedOf(trace, selection, 'object', (row) => nameOf(row.object), (times) =>
							({'(outside faults)': Object.values(times).reduce((sum, ns) => sum + ns, 0)})), `files, ${selection.name}`);
				}
			});
		});

	test('functions have the error that the analysis gives, sections what was read and used, waits what each waited', async () => {
		const trace = `${output}/busy.trace`;
		const {account, storage} = JSON.parse(await elfault('analyze', '--format', 'json', trace));
		await withReport(`${output}/busy.html`, {}, async (page) => {
			/** @type {any[]} */
			const sampled = account.by_function.filter((/** @type {any} */ row) => row.function);
			const functions = await rowsOf(await openTable(page, 'Functions'));
			assert.ok(sampled.length > 3);
			// The page has what each sample stands for in whole units of its time, and rounds the error to three digits.
			for (const {function: called, object, error_ns: error} of sampled) {
				const shown = functions.find((row) => row.Function === called && row.In === nameOf(object))?.['±'] ?? '';
				assert.ok([1 - 1e-4, 1, 1 + 1e-4].some((share) => shown === timeText(error * share)), `${called} in ${object}: ${shown} of ${error}`);
			}
			const sections = await rowsBelowFiles(page);
			const shown = (/** @type {number} */ bytes) => bytes > 0 ? sizeText(bytes) : '';
			let compared = 0;
			for (const {object, section, read, mapped, touched} of storage?.by_section ?? []) {
				const row = sections.find((each) => each.Section === section && each.In === nameOf(object));
				if (!row)
					continue;
				assert.deepEqual([row.Delivered ?? '', row.Mapped, row.Touched], [shown(read), shown(mapped), shown(touched)], `${object} ${section}`);
				compared++;
			}
			assert.ok(!storage || compared > 20);
			const majors = (await elfault('analyze', '--format', 'ndjson', '--where', 'kind=major', trace)).trim().split('\n').filter(Boolean).map((line) => JSON.parse(line));
			const waits = (await rowsOf(await openTable(page, 'Waits'))).filter((row) => row.In === 'fault');
			assert.deepEqual(waits.map(({Waited, File, Section}) => `${Waited} ${File} ${Section}`).sort(),
				majors.map(({own_ns: ns, at}) => `${timeText(ns)} ${nameOf(at.object)} ${at.section ?? ''}`).sort());
		});
	});

	test('causes and files add up to the account, also beside four busy loops', async () => {
		const {account} = JSON.parse(await elfault('analyze', '--format', 'json', `${output}/busy.trace`));
		const own = ownOf(account.all);
		assert.ok(account.all.runnable > own / 10, 'it was busy');
		await withReport(`${output}/busy.html`, {}, async (page) => {
			const left = await page.locator('#left').textContent() ?? '';
			assert.ok(left.includes(` ${timeText(own)},`), left);
			for (const title of ['Causes', 'Files']) {
				// Each is rounded to three digits.
				const times = (await rowsOf(await openTable(page, title))).map((row) => amountOf(row.Time));
				const sum = times.reduce((all, ns) => all + ns, 0);
				assert.ok(Math.abs(sum - own) <= times.reduce((all, ns) => all + ns / 150, 0), `${title}: ${sum} of ${own}`);
			}
		});
	});
}
