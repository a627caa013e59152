// SPDX-License-Identifier: Apache-2.0
// Source lines and instructions of a function in the details, beside what each cost of what is selected.
import assert from 'node:assert/strict';
import {countText, timeText} from '../../render/page/assets/shared/format.js';
import {elfault} from './commands.js';
import {follow, openTable, until, withReport} from './report.js';
import {test} from './tap.js';

/** @param {string} output */
export function codeTests(output) {
	const report = `${output}/code.html`;

	test('code of a function: each line and instruction costs what analyze --function says', () => withReport(report, {}, async (page) => {
		const {listings: [expected]} = JSON.parse(await elfault('analyze', '--function', 'main', '--format', 'json', `${output}/code.trace`));
		await follow(page, '#function=main');
		const rowsOfTable = (/** @type {string} */ caption) => page.locator('#detail').getByRole('region', {name: caption}).first().locator('tr')
			.evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
		const [heads, ...code] = await until(() => rowsOfTable('Instructions'), (rows) => rows.length > 1, 'instructions');
		const cost = (/** @type {any} */ {own_ns: ns, samples, faults}) => Object.entries({Time: ns ? timeText(ns) : '', Samples: samples ? countText(samples) : '', Faults: faults ? countText(faults) : ''})
			.filter(([title]) => heads.includes(title)).map(([, text]) => text);
		const costly = expected.instructions.filter((/** @type {any} */ {spent}) => spent.own_ns > 0 || spent.faults > 0);
		assert.deepEqual(code.filter((row) => row.length > 1 && row.slice(0, -2).some(Boolean)), costly.map((/** @type {any} */ {vaddr, instruction, spent}) =>
			[...cost(spent), `+0x${(Number(vaddr) - Number(expected.vaddr)).toString(16)}`, instruction]));
		const [, ...lines] = await rowsOfTable('Source');
		const own = expected.lines.filter((/** @type {any} */ line) => line.inlined === null && (line.with_inlined.own_ns > 0 || line.with_inlined.faults > 0));
		assert.deepEqual(lines.filter((row) => row.length > 1 && row[row.length - 2] !== '' && row.slice(0, -2).some(Boolean)).map((row) => row.slice(0, -1)),
			own.map((/** @type {any} */ {line, with_inlined: spent}) => [...cost(spent), line === null ? '?' : String(line)]));
		assert.ok(expected.lines.some((/** @type {any} */ {inlined, spent}) => inlined && spent.own_ns > 0), 'something that was inlined cost time');
		assert.match(await page.locator('#detail').textContent() ?? '', /fixtures\/programs\/inlined\.cc/);
		// Every number follows the selection.
		await follow(page, '#function=main&process=1');
		await until(() => rowsOfTable('Instructions'), (rows) => rows[0].length === 2, 'nothing is selected');
	}));

	test('code of a fault: its instruction and line, and a few beside them', () => withReport(report, {}, async (page) => {
		await follow(page, '#function=main');
		await openTable(page, 'Faults');
		await page.locator('#panel-faults button.row').first().click();
		const region = page.locator('#detail').getByRole('region', {name: 'Instructions'});
		const count = await until(() => region.locator('tbody tr').count(), (rows) => rows > 0, 'instructions of the fault');
		assert.ok(count <= 9, `${count} rows`);
	}));
}
