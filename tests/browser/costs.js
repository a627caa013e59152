// SPDX-License-Identifier: Apache-2.0
// What a page costs, counted rather than timed: bytes of a fault, elements of a table, sums while a picture is moved.
import assert from 'node:assert/strict';
import {gzipSync} from 'node:zlib';
import {blockOf, headerOf, openTable, pause, until, withReport} from './report.js';
import {test} from './tap.js';

const BYTES = {u8: 1, u16: 2, u32: 4};
/** Of one fault, packed. */
const BYTES_MOST = 8;
/** In a table, however many rows there are. */
const ROWS_MOST = 100;
/** While `held` is a map, timers go there: however slow the machine is, nothing rests. */
const HOLD_TIMERS = `const {setTimeout, clearTimeout} = globalThis;
	let last = -1;
	globalThis.setTimeout = (call, ...rest) => globalThis.held ? (globalThis.held.set(--last, call), last) : setTimeout(call, ...rest);
	globalThis.clearTimeout = (timer) => globalThis.held?.delete(timer) || clearTimeout(timer);`;

/** @param {string} output */
export function costTests(output) {
	const several = `${output}/several.html`;

	test('a fault takes at most eight bytes of the file', async () => {
		const {header, columns} = blockOf(`${output}/many.html`, 'data');
		assert.ok(header.faults.count > 20000);
		let at = 0;
		/** @type {Buffer[]} */
		const ofFaults = [];
		for (const {count, type} of /** @type {{count: number, type: 'u8' | 'u16' | 'u32'}[]} */ (header.columns)) {
			const size = count * BYTES[type];
			if (count === header.faults.count)
				ofFaults.push(columns.subarray(at, at + size));
			at += size;
		}
		assert.equal(at, columns.length);
		assert.ok(ofFaults.length >= 10);
		// As base64 has it.
		const bytes = gzipSync(Buffer.concat(ofFaults), {level: 9}).length * 4 / 3 / header.faults.count;
		assert.ok(bytes <= BYTES_MOST, `${bytes.toFixed(1)} bytes`);
	});

	test('every table has at most a hundred rows in the page', () => withReport(several, {hash: '#tab=files&open=*&open=*+*'}, async (page) => {
		assert.ok(headerOf(several).faults.count > 10 * ROWS_MOST);
		for (const title of (await page.getByRole('tab').allTextContents()).filter((each) => each !== 'Flame')) {
			const rows = await (await openTable(page, title)).locator('tbody tr').count();
			assert.ok((rows > 0 || title === 'Waits') && rows <= ROWS_MOST, `${title}: ${rows}`);
		}
	}));

	test('sums follow a picture that is moved once it rests', () => withReport(several, {script: HOLD_TIMERS}, async (page) => {
		await pause(page);
		const texts = () => page.evaluate(() => ['#left', '#account .legend', '[role="tabpanel"]:not([hidden]) [role="status"]']
			.map((selector) => document.querySelector(selector)?.textContent));
		const before = await texts();
		const moving = await page.evaluate(async () => {
			/** @type {(string | null | undefined)[]} */
			const seen = [];
			const own = /** @type {any} */ (globalThis);
			own.held = new Map();
			for (let i = 0; i < 4; i++) {
				document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'w', bubbles: true, cancelable: true}));
				// What waits for a frame is drawn, what waits for a rest is not.
				await new Promise((resolve) => {
					requestAnimationFrame(() => resolve(null));
				});
				seen.push(document.querySelector('#left')?.textContent, document.querySelector('#timeline canvas.picture')?.getAttribute('aria-label'));
			}
			const {held} = own;
			own.held = null;
			held.forEach((/** @type {() => void} */ call) => call());
			return seen;
		});
		assert.deepEqual(new Set(moving.filter((_, i) => i % 2 === 0)), new Set([before[0]]));
		await until(texts, (after) => after.every((text, i) => text !== before[i]), 'all follow');
	}));
}
