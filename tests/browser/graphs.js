// SPDX-License-Identifier: Apache-2.0
// The graphs of the page: all faults are in them, nodes are filters, names are text.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {numberOf, until, withReport, wordOf} from './report.js';
import {test} from './tap.js';

/** @typedef {import('playwright-core').Page} Page */

/** The graph, made. @param {Page} page */
async function graphOf(page) {
	await page.locator('#graph').scrollIntoViewIfNeeded();
	const graph = page.locator('#graph svg.graph');
	await graph.waitFor();
	return graph;
}

/** First line and faults of every node, left of the middle or not. @param {Page} page */
async function nodesOf(page) {
	const graph = await graphOf(page);
	const nodes = await graph.evaluate((element) => {
		const middle = /** @type {SVGSVGElement} */ (element).viewBox.baseVal.width / 2;
		return [...element.querySelectorAll('.graph-node')].map((node) => ({
			isLeft: Number(node.querySelector('rect')?.getAttribute('x')) < middle,
			lines: [...node.querySelectorAll('text')].map((text) => text.textContent?.trim() ?? '')}));
	});
	return nodes.map(({isLeft, lines}) => {
		const counts = lines.map((line) => /^([\d,]+) faults?, /.exec(line)?.[1]).filter((text) => text !== undefined);
		assert.equal(counts.length, 1, lines.join(' / '));
		return {isLeft, name: lines[0], faults: numberOf(counts[0])};
	});
}

/** @param {string} output */
export function graphTests(output) {
	const report = `${output}/several.html`;
	const open = (/** @type {(page: Page) => Promise<void>} */ use) => () => withReport(report, {}, use);
	const analysis = () => JSON.parse(readFileSync(`${output}/several.json`, 'utf8'));

	test('the causes have all faults, as analyze counts them', open(async (page) => {
		const causes = (await nodesOf(page)).filter((node) => node.isLeft);
		assert.equal(causes.reduce((sum, node) => sum + node.faults, 0), analysis().counts.recorded);
		const relocation = analysis().objects.reduce((/** @type {number} */ sum, /** @type {any} */ object) =>
			sum + object.by_initiator.relocation, 0);
		assert.equal(causes.find((node) => node.name === 'relocation')?.faults, relocation);
	}));

	test('the files have all faults', open(async (page) => {
		await graphOf(page);
		await page.getByRole('button', {name: 'File by file'}).click();
		const nodes = await nodesOf(page);
		assert.equal(nodes.reduce((sum, node) => sum + node.faults, 0), analysis().counts.recorded);
		for (const object of analysis().objects.slice(0, 5)) {
			const node = nodes.find(({name}) => name === object.path.slice(object.path.lastIndexOf('/') + 1));
			if (node)
				assert.equal(node.faults, object.faults, object.path);
		}
	}));

	test('a node filters by click and by key, and lets go', open(async (page) => {
		const graph = await graphOf(page);
		const node = graph.getByRole('button', {name: /^relocation /});
		await node.click();
		await until(() => wordOf(page, 'initiator'), (word) => word === 'relocation', 'the address has it');
		await until(() => node.getAttribute('aria-pressed'), (pressed) => pressed === 'true', 'it is pressed');
		await node.focus();
		await page.keyboard.press('Enter');
		await until(() => wordOf(page, 'initiator'), (word) => word === null, 'it is taken away');
		await until(() => node.getAttribute('aria-pressed'), (pressed) => pressed === 'false', 'it is not pressed');

		const section = graph.getByRole('button', {name: /^\.data\.rel\.ro of /}).first();
		const file = /^\S+ of (\S+) /.exec(await section.getAttribute('aria-label') ?? '')?.[1];
		await section.click();
		await until(() => wordOf(page, 'section'), (word) => word === '.data.rel.ro', 'the section is chosen');
		await until(() => page.locator('#object option:checked').textContent(), (text) => Boolean(file && text?.startsWith(file)), `${file} is chosen`);
	}));

	test('names that are code are text in graphs, and lead nowhere', () =>
		withReport(`${output}/hostile.html`, {}, async (page) => {
			const names = (await nodesOf(page)).map((node) => node.name);
			assert.ok(names.some((name) => name.includes('"evil",\\x1b[31m')), names.join('\n'));
			assert.equal(await page.locator('#graph').locator('a, script, img, [href], foreignObject').count(), 0);
		}));
}
