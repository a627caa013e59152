// SPDX-License-Identifier: Apache-2.0
// The twelve tasks that a report is for, by keys alone, in at most four acts each; the answers are the analysis's. An act is a
// key, however often it is pressed in a row, or a word that is typed.
import assert from 'node:assert/strict';
import {sizeText, timeText} from '../../render/page/assets/shared/format.js';
import {elfault} from './commands.js';
import {amountOf, pause, rowsOf, until, withReport} from './report.js';
import {test} from './tap.js';

/** @typedef {import('playwright-core').Page} Page */

const MOST_ACTS = 4;

/** The cells of the first row of the open table, by the title of their column. @param {Page} page @returns {Promise<Object<string, string>>} */
function firstRow(page) {
	return page.locator('[role="tabpanel"]:not([hidden])').evaluate((panel) => Object.fromEntries(
		[...panel.querySelectorAll('thead th')].map((cell, i) => [cell.textContent ?? '', panel.querySelector('tbody tr')?.children[i].textContent ?? ''])));
}

/** @param {Page} page */
function shownRows(page) {
	return rowsOf(page.locator('[role="tabpanel"]:not([hidden])'));
}

/** @param {Page} page @param {string} selector */
async function textOf(page, selector) {
	return await page.locator(selector).textContent() ?? '';
}

/** @param {string | null | undefined} path */
const nameOf = (path) => path ? path.slice(path.lastIndexOf('/') + 1) : '';

/** @param {string} output */
export function taskTests(output) {
	/** @param {string} trace @param {string[]} words */
	const asked = async (trace, ...words) => JSON.parse(await elfault('analyze', '--format', 'json', ...words, `${output}/${trace}.trace`));
	/**
	 * @param {string} task @param {string} name of the page @param {string[]} acts keys, "key*times", or a word after "type "
	 * @param {(page: Page) => Promise<void>} check
	 */
	const byKeys = (task, name, acts, check) => test(`by keys in ${acts.length} acts: ${task}`, () => withReport(`${output}/${name}.html`, {}, async (page) => {
		assert.ok(acts.length <= MOST_ACTS);
		await pause(page);
		for (const act of acts) {
			if (act.startsWith('type ')) {
				await page.keyboard.type(act.slice(5));
			} else {
				const [key, times] = act.split('*');
				for (let i = 0; i < Number(times ?? 1); i++)
					await page.keyboard.press(key);
			}
			await pause(page);
		}
		await check(page);
	}));

	byKeys('the dearest wait and its source line', 'busy', ['3', 'ArrowDown', 'Enter'], async (page) => {
		const {faults} = await asked('busy', '--faults');
		const [dearest] = faults.filter((/** @type {any} */ fault) => fault.kind === 'major')
			.sort((/** @type {any} */ a, /** @type {any} */ b) => b.own_ns - a.own_ns);
		const text = await textOf(page, '#detail');
		if (!dearest)
			return;
		assert.ok(text.includes(timeText(dearest.own_ns)) && text.includes(nameOf(dearest.at.object)), text);
		assert.ok(!dearest.by.source || text.includes(dearest.by.source), `${dearest.by.source} in ${text}`);
	});
	byKeys('the initializer that reads most', 'busy', ['7', 'm*2'], async (page) => {
		const {rows} = JSON.parse(await elfault('analyze', '--by', 'initializer', '--format', 'json', `${output}/busy.trace`));
		const most = Math.max(...rows.filter((/** @type {any} */ row) => row.initializer !== null).map((/** @type {any} */ row) => row.read_bytes));
		assert.equal((await firstRow(page)).Read, sizeText(most));
	});
	byKeys('what one process did', 'several', ['[*2', 'ArrowDown', 'Enter'], async (page) => {
		const {account} = await asked('several');
		const row = (await shownRows(page)).find((each) => each.Process);
		const pid = Number(row?.Process.split(' ')[1]);
		const own = account.processes.filter((/** @type {any} */ each) => each.pid === pid)
			.reduce((/** @type {number} */ sum, /** @type {any} */ {all}) => sum + all.cpu + all.fault + all['fault-io'] + all['file-io'] + all.wait, 0);
		const sum = await textOf(page, '#account .sum');
		assert.ok(sum.includes(` ${pid} `), sum);
		assert.ok(Math.abs(amountOf(/^([\d.,]+ \S+)/.exec(sum)?.[1] ?? '') - own) <= own / 150, `${sum} ${own}`);
	});
	byKeys('which function to order first', 'busy', ['/', 'type .text', 'Escape', '5'], async (page) => {
		const {rows} = JSON.parse(await elfault('analyze', '--by', 'function', '--where', 'section=.text', '--format', 'json', `${output}/busy.trace`));
		const named = rows.filter((/** @type {any} */ row) => row.function !== null).sort((/** @type {any} */ a, /** @type {any} */ b) => b.own_ns - a.own_ns);
		const row = (await shownRows(page)).find((each) => named.some((/** @type {any} */ {function: called}) => called === each.Function));
		assert.deepEqual([row?.Function, row?.Time], [named[0].function, timeText(named[0].own_ns)]);
	});
	byKeys('what changed between two builds', 'builds', [], async (page) => {
		const {by_symbol: symbols} = JSON.parse(await elfault('diff', '--format', 'json', `${output}/before-build.trace`, `${output}/after-build.trace`));
		const [most] = symbols.sort((/** @type {any} */ a, /** @type {any} */ b) => Math.abs(b.faults.difference) - Math.abs(a.faults.difference));
		const text = await textOf(page, '#cures');
		assert.ok(text.includes(most.symbol), `${most.symbol} in ${text}`);
	});
	byKeys('the time of the command by cause', 'busy', [], async (page) => {
		const {account} = await asked('busy');
		const [[cause, states]] = Object.entries(account.by_initiator).sort(([, a], [, b]) => ownOf(b) - ownOf(a));
		const row = await firstRow(page);
		assert.deepEqual([row.Cause, row.Time], [cause, timeText(ownOf(states))]);
	});
	byKeys('which file to drop', 'unused', [], async (page) => {
		const {findings} = await asked('unused');
		const {object} = findings.find((/** @type {any} */ finding) => finding.id === 'hardly-used-library');
		assert.equal(nameOf(object), 'libidle.so');
		assert.ok((await textOf(page, '#cures')).includes(nameOf(object)));
	});
	byKeys('all waits with their time', 'busy', ['3'], async (page) => {
		const {rows} = JSON.parse(await elfault('analyze', '--by', 'kind', '--format', 'json', `${output}/busy.trace`));
		const majors = rows.find((/** @type {any} */ row) => row.kind === 'major')?.faults ?? 0;
		assert.equal((await shownRows(page)).filter((row) => row.In === 'fault').length, majors);
	});
	byKeys('the stack of one fault', 'busy', ['n'], async (page) => {
		const index = Number((await textOf(page, '#detail h2')).replace(/^Fault ([\d,]+) .*/, '$1').replaceAll(',', '')) - 1;
		const {faults} = await asked('busy', '--faults');
		const frames = await page.locator('#detail .stack li').allTextContents();
		assert.equal(frames.length, faults[index].stack.length);
		faults[index].stack.forEach((/** @type {any} */ frame, /** @type {number} */ i) => assert.ok(!frame.function || frames[i].startsWith(frame.function), frames[i]));
	});
	byKeys('how much of .text was read and used', 'busy', ['4', 'ArrowDown', 'ArrowRight'], async (page) => {
		const {storage} = await asked('busy');
		const [file, ...sections] = await shownRows(page);
		const row = sections.find((each) => each.File === '.text');
		const known = storage?.by_section.find((/** @type {any} */ each) => each.section === '.text' && nameOf(each.object) === file.File);
		assert.ok(known, file.File);
		assert.deepEqual([row?.Mapped, row?.Touched], [known.mapped, known.touched].map(sizeText));
	});
	byKeys('what happened in [anon]', 'busy', ['/', 'type [anon]'], async (page) => {
		const {total} = JSON.parse(await elfault('analyze', '--by', 'initiator', '--where', 'object="[anon]"', '--format', 'json', `${output}/busy.trace`));
		await until(() => textOf(page, '#left'), (text) => text.startsWith(`${total.faults.toLocaleString('en-US')} fault`), 'its faults');
	});
	byKeys('when main began', 'busy', [], async (page) => {
		assert.match(await textOf(page, '#detail'), /main at [\d.]+ m?s/);
	});
	byKeys('when main began, of a program that another executed', 'executed', [], async (page) => {
		assert.match(await textOf(page, '#detail'), /main at [\d.]+ m?s/);
	});
}

/** @param {any} states */
function ownOf(states) {
	return ['cpu', 'fault', 'fault-io', 'file-io'].reduce((sum, state) => sum + states[state], 0);
}
