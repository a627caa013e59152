// SPDX-License-Identifier: Apache-2.0
// Pictures of the main views, for people to look at.
import {openTable, withReport} from './report.js';
import {test} from './tap.js';

const SIZES = [[1280, 800], [390, 844]];
/** Report, name, address, what is scrolled to, table. */
const VIEWS = [
	['several', 'top', '', '', ''],
	['several', 'timeline', '', '#timeline', ''],
	['several', 'detail', '#fault=300', '#detail', ''],
	['several', 'sections', '', '#tables', 'Sections'],
	['several', 'initializers', '', '#tables', 'Initializers'],
	['several', 'stacks', '', '#stacks', ''],
	['diff', 'diff-top', '', '', ''],
	['diff', 'diff-timelines', '', '#timelines', ''],
	['diff', 'diff-selection', '#initiator=relocation', '#tables', 'Sections'],
	['repeats', 'diff-repeats', '', '#tables', 'Causes'],
];

/** @param {string} output */
export function screenshotTests(output) {
	for (const [width, height] of SIZES)
		for (const scheme of /** @type {('light' | 'dark')[]} */ (['light', 'dark']))
			test(`the main views are drawn at ${width} × ${height}, ${scheme}, nothing wider than the screen`, async () => {
				for (const [report, name, hash, id, table] of VIEWS)
					await withReport(`${output}/${report}.html`, {hash, width, height, scheme}, async (page) => {
						if (table)
							await openTable(page, table);
						if (id)
							await page.locator(id).evaluate((element) => element.scrollIntoView());
						await page.waitForTimeout(300);
						await page.screenshot({path: `${output}/${name}-${width}-${scheme}.png`});
						const wide = await page.evaluate(() => document.documentElement.scrollWidth);
						if (wide > width)
							throw new Error(`${name} is ${wide} px wide on ${width}`);
					});
			});
}
