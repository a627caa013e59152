// SPDX-License-Identifier: Apache-2.0
// The page opens in silence, and names that try to be code are text.
import assert from 'node:assert/strict';
import {follow, openTable, pause, rowsBelowFiles, rowsOf, until, withReport} from './report.js';
import {test} from './tap.js';

const MARKUP = '</script><img src=x onerror=alert(1)><b>bold</b>';
/** tests/support/models.h: MODELS_HOSTILE as the page shows it, what is not seen written out. */
const HOSTILE = '"evil",\\x1b[31m\\x0d\\x0a\\x09\\\ufffd\\u202e</script>=1+1';

/** @param {string} output */
export function safetyTests(output) {
	for (const [name, ids] of /** @type {[string, string[]][]} */ ([
		['several', ['#cures', '#scope', '#tracks', '#drawer', '#detail']],
		['diff', ['#cures', '#scope', '#tracks', '#drawer', '#detail']]]))
		test(`${name} opens from disk without a request, an error or a violation of its policy`, () =>
			withReport(`${output}/${name}.html`, {}, async (page) => {
				// Every view is made, those below the screen too.
				for (const id of ids)
					await page.locator(id).scrollIntoViewIfNeeded();
				for (const title of await page.getByRole('tab').allTextContents())
					await openTable(page, title);
				await pause(page);
			}));

	for (const name of ['several', 'diff'])
		test(`the policy of ${name} forbids what is not the page’s own script`, () =>
			withReport(`${output}/${name}.html`, {}, async (page) => {
				const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content') ?? '';
				assert.match(policy, /default-src 'none'/);
				assert.match(policy, /script-src 'sha256-[^']+';/);
				assert.match(policy, /require-trusted-types-for 'script'/);
				assert.ok(!policy.includes('unsafe'));
			}));

	test('names that try to be markup are text in a comparison, too', () =>
		withReport(`${output}/hostile-diff.html`, {hash: '#fault=after:1'}, async (page) => {
			const functions = (await rowsOf(await openTable(page, 'Functions'))).map((row) => row.Function);
			assert.ok(functions.includes(HOSTILE), functions.join(' '));
			const symbols = (await rowsOf(await openTable(page, 'Symbols'))).map((row) => row.Symbol);
			assert.ok(symbols.includes(MARKUP), symbols.join(' ').slice(0, 300));
			assert.ok(symbols.includes('n'.repeat(12000)));
			assert.ok((await page.locator('#detail').textContent() ?? '').includes(HOSTILE));
			await page.getByRole('button', {name: /<img/}).click();
			assert.ok((await page.locator('#chips').textContent() ?? '').includes(MARKUP));
			assert.equal(await page.locator('img, b').count(), 0);
			const text = await page.evaluate(() => document.body.textContent) ?? '';
			assert.equal(text.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g), null);
		}));

	test('names that try to be markup are text, in every view', () =>
		withReport(`${output}/hostile.html`, {hash: '#fault=1'}, async (page) => {
			const symbols = (await rowsBelowFiles(page, true)).map((row) => row.Symbol);
			assert.ok(symbols.includes(MARKUP), symbols.join(' ').slice(0, 300));
			assert.ok(symbols.includes('n'.repeat(12000)));
			const functions = (await rowsOf(await openTable(page, 'Functions'))).map((row) => row.Function);
			assert.ok(functions.includes(HOSTILE), functions.join(' '));
			const detail = await page.locator('#detail').textContent() ?? '';
			assert.ok(detail.includes(MARKUP) && detail.includes(HOSTILE));
			await follow(page, '#function=_dl_relocate_object');
			await until(() => page.locator('#detail .listing').allTextContents(), (code) => code.length === 2 && code.every((text) => text.includes(HOSTILE)), 'code');
			await follow(page, '#fault=1');
			const flame = await openTable(page, 'Flame');
			// Of these faults it is not known how long they took.
			await page.locator('.metrics [data-metric="faults"]').click();
			const canvas = page.locator('canvas.flame');
			const box = await canvas.boundingBox();
			assert.ok(box);
			let told = '';
			for (let y = 10; y < box.height; y += 20)
				for (let x = 4; x < box.width; x += box.width / 12) {
					await canvas.hover({position: {x, y}});
					told += await flame.locator('.flame-status').textContent();
				}
			assert.ok(told.includes(HOSTILE), told);
			assert.equal(await page.locator('img, b').count(), 0);
		}));

	test('nothing in the page turns the direction of writing or cannot be seen', () =>
		withReport(`${output}/hostile.html`, {hash: '#fault=1'}, async (page) => {
			for (const title of await page.getByRole('tab').allTextContents())
				await openTable(page, title);
			await pause(page);
			// The whole text, what is folded or hidden, too.
			const text = await page.evaluate(() => document.body.textContent) ?? '';
			assert.ok(text.includes(HOSTILE));
			assert.equal(text.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g), null);
		}));

	test('a name of 12,000 characters does not widen the page', async () => {
		for (const width of [1280, 390])
			for (const [name, hash] of [['hostile', '#fault=2'], ['hostile-diff', '#fault=after:2']])
				await withReport(`${output}/${name}.html`, {hash, width, height: 844}, async (page) => {
					if (name === 'hostile')
						await rowsBelowFiles(page, true);
					else
						await openTable(page, 'Symbols');
					const wide = await page.evaluate(() => document.documentElement.scrollWidth);
					assert.ok(wide <= width, `${name}: ${wide} px on ${width}`);
				});
	});
}
