// SPDX-License-Identifier: Apache-2.0
// The main path in Debian's Firefox: it opens, a wait is found by keys, a file narrows all, a link restores it, Back takes it back.
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {firefox} from 'playwright-core';
import {openTable, pause, until, wordOf} from './report.js';
import {PATIENCE_MS, test} from './tap.js';

const FIREFOX = '/usr/bin/firefox-esr';

/** @param {string} output */
export function firefoxTests(output) {
	if (!existsSync(FIREFOX))
		return;
	test('the main path works in Firefox', async () => {
		const browser = await firefox.launch({channel: 'moz-firefox', executablePath: FIREFOX, timeout: PATIENCE_MS});
		try {
			const page = await browser.newPage({viewport: {width: 1280, height: 800}});
			page.setDefaultTimeout(PATIENCE_MS);
			/** @type {string[]} */
			const errors = [];
			page.on('pageerror', ({message}) => errors.push(message));
			await page.goto(pathToFileURL(path.resolve(`${output}/cold.html`)).href);
			await page.locator('html[data-state="ready"]').waitFor({state: 'attached'});
			await pause(page);
			for (const key of ['3', 'ArrowDown', 'Enter'])
				await page.keyboard.press(key);
			await until(() => page.locator('#detail h2').textContent(), (text) => Boolean(text?.startsWith('Fault ')), 'a wait is shown');
			await page.keyboard.press('Escape');
			const files = await openTable(page, 'Files');
			await files.locator('tbody button.row').first().click();
			const file = await until(() => wordOf(page, 'file'), Boolean, 'a file is selected');
			await pause(page);
			const left = await page.locator('#left').textContent();
			await page.reload();
			await page.locator('html[data-state="ready"]').waitFor({state: 'attached'});
			assert.deepEqual([await wordOf(page, 'file'), await page.locator('#left').textContent()], [file, left]);
			await page.goBack();
			await until(() => wordOf(page, 'file'), (text) => text === null, 'Back leaves the file');
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1280);
			// The driver's own style is one that the policy forbids.
			assert.deepEqual(errors.filter((text) => !/style-src/.test(text)), []);
		} finally {
			await browser.close();
		}
	});
}
