// SPDX-License-Identifier: Apache-2.0
// Pictures of the main views, for people to look at.
import {openTable, takeBoth, withReport} from './report.js';
import {test} from './tap.js';

const SIZES = [[1280, 800], [1920, 1080], [2560, 1440], [390, 844]];
/** Report, name, address, what is scrolled to, table. */
const VIEWS = [
	['several', 'top', '', '', ''],
	['cold', 'cold', '', '', ''],
	['several', 'timeline', '', '#tracks', ''],
	['several', 'detail', '#fault=300', '#detail', ''],
	['several', 'faults', '', '#drawer', 'Faults'],
	['several', 'sections', '#open=*', '#drawer', 'Files'],
	['several', 'initializers', '', '#drawer', 'Initializers'],
	['several', 'flame', '', '#drawer', 'Flame'],
	['diff', 'diff-top', '', '', ''],
	['diff', 'diff-timelines', '', '#tracks', ''],
	['diff', 'diff-selection', '#initiator=relocation', '#drawer', 'Sections'],
	['repeats', 'diff-repeats', '', '#drawer', 'Causes'],
];

/** @param {string} output */
export function screenshotTests(output) {
	for (const [width, height] of SIZES)
		test(`the main views are drawn at ${width} × ${height}, light and dark, nothing wider than the screen`, async () => {
			for (const [report, name, hash, id, table] of VIEWS)
				await withReport(`${output}/${report}.html`, {hash, width, height}, async (page) => {
					if (table)
						await openTable(page, table);
					await takeBoth(page, id, `${output}/${name}-${width}`);
					const wide = await page.evaluate(() => document.documentElement.scrollWidth);
					if (wide > width)
						throw new Error(`${name} is ${wide} px wide on ${width}`);
				});
		});
}
