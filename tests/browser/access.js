// SPDX-License-Identifier: Apache-2.0
// What checkers say: axe on the drawn page, html-validate on the file and on what became of it.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {HtmlValidate} from 'html-validate';
import {openTable, withReport} from './report.js';
import {test} from './tap.js';

const require = createRequire(import.meta.url);

/** @param {any} report of html-validate */
function messagesOf(report) {
	return report.results.flatMap((/** @type {any} */ result) => result.messages
		.map((/** @type {any} */ each) => `${each.line}:${each.column} ${each.ruleId}: ${each.message} ${each.selector ?? ''}`));
}

/** @param {string} output */
export function accessTests(output) {
	for (const scheme of /** @type {('light' | 'dark')[]} */ (['light', 'dark']))
		for (const [where, hash] of [['several', '#fault=300'], ['several', ''], ['hostile', '#fault=1'], ['hostile', '#function=_dl_relocate_object'],
			['diff', ''], ['diff', '#fault=after:300&section=.text'], ['repeats', ''], ['slower', '#scale=own&time=0-90000'], ['hostile-diff', '#fault=after:1']])
			test(`axe finds nothing in ${where}${hash}, ${scheme}`, async () => {
				const script = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
				await withReport(`${output}/${where}.html`, {hash, scheme, script}, async (page) => {
					// A scheme changes colours alone, and a table what it stands in.
					const options = {resultTypes: ['violations'],
						...scheme === 'dark' ? {runOnly: ['color-contrast', 'link-in-text-block']} : {}};
					const tables = [['Files', 'html'], ['Initializers', '[role="tabpanel"]:not([hidden])']];
					for (const [table, within] of tables) {
						const panel = await openTable(page, table);
						if (table === 'Files' && where === 'several')
							await panel.locator('.twist').first().click();
						const violations = await page.evaluate(async ([context, asked]) => {
							const {violations: found} = await /** @type {any} */ (globalThis).axe.run(context, asked);
							return found.map((/** @type {any} */ each) => `${each.id}: ${each.help}: ${
								each.nodes.slice(0, 3).map((/** @type {any} */ node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`);
						}, /** @type {const} */ ([within, options]));
						assert.deepEqual(violations, []);
					}
				});
			});

	for (const [name, hash] of [['several', '#fault=300'], ['diff', '#fault=after:300&section=.text'], ['repeats', '']]) {
		test(`html-validate finds nothing in the file ${name}`, async () => {
			const checker = new HtmlValidate({extends: ['html-validate:recommended']});
			assert.deepEqual(messagesOf(await checker.validateString(await readFile(`${output}/${name}.html`, 'utf8'))), []);
		});

		test(`html-validate finds nothing in ${name} as it was drawn`, () =>
			withReport(`${output}/${name}.html`, {hash}, async (page) => {
				await openTable(page, 'Initializers');
				const drawn = await page.evaluate(() => {
					for (const element of document.querySelectorAll('script, style'))
						element.remove();
					return '<!DOCTYPE html>\n' + document.documentElement.outerHTML;
				});
				// Colours and sizes are set by script, which serializes as style attributes; and so do quotes and case.
				const checker = new HtmlValidate({extends: ['html-validate:recommended'], rules: {'no-inline-style': 'off',
					'attribute-boolean-style': 'off', 'no-trailing-whitespace': 'off', 'attribute-empty-style': 'off',
					'void-style': 'off', 'long-title': 'off', 'doctype-style': 'off'}});
				assert.deepEqual(messagesOf(await checker.validateString(drawn)), []);
			}));
	}
}
