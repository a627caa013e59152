// SPDX-License-Identifier: Apache-2.0
// What the page saves: pictures that other programs read, and a table that equals the program's own.
import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {inflateSync} from 'node:zlib';
import {elfault, outputOf} from './commands.js';
import {openTable, parseCsv, saveBy, until, withReport, wordOf} from './report.js';
import {test} from './tap.js';

/** Save as @kind. @param {import('playwright-core').Page} page @param {string} kind @param {string} path */
async function save(page, kind, path) {
	await page.locator('#controls details').evaluate((menu) => menu.setAttribute('open', ''));
	return saveBy(page, page.getByRole('button', {name: `Save as ${kind}`}), path);
}

/** Width, height and every byte of the pixels of a PNG. @param {Buffer} bytes */
export function decodePng(bytes) {
	assert.equal(bytes.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
	/** @type {Buffer[]} */
	const parts = [];
	for (let at = 8; at < bytes.length; at += bytes.readUInt32BE(at) + 12)
		if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
			parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
	return {width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), pixels: inflateSync(Buffer.concat(parts))};
}

/** @param {string} output */
export function exportTests(output) {
	const report = `${output}/several.html`;

	test('PNG decodes, and is not one colour', () => withReport(report, {}, async (page) => {
		assert.match(await save(page, 'PNG', `${output}/view.png`), /^elfault-[\w.-]+\.png$/);
		const {width, height, pixels} = decodePng(await readFile(`${output}/view.png`));
		assert.ok(width > 1500 && height > 1000, `${width} × ${height}`);
		assert.ok(new Set(pixels).size > 50);
	}));

	test('SVG is well-formed, small, and stands alone', () => withReport(report, {}, async (page) => {
		await save(page, 'SVG', `${output}/view.svg`);
		await outputOf('xmllint', '--noout', '--nonet', `${output}/view.svg`);
		const text = await readFile(`${output}/view.svg`, 'utf8');
		assert.ok(text.length < 2 * 1024 * 1024);
		assert.ok(!/<script|onload/i.test(text));
		for (const [, link] of text.matchAll(/(?:href="|url\()(.{5})/g))
			assert.match(link, /^(data:|#p\d)/);
		assert.match(text, /<title>sh -c /);
		for (const name of ['phases', '.text', 'initializers'])
			assert.ok(text.includes(`>${name}<`), name);
	}));

	test('SVG of hostile names is well-formed', () => withReport(`${output}/hostile.html`, {}, async (page) => {
		await openTable(page, 'Files');
		await page.locator('#panel-files tbody button.row').nth(1).click();
		await until(() => wordOf(page, 'file'), Boolean, 'a file is shown');
		await save(page, 'SVG', `${output}/hostile.svg`);
		await outputOf('xmllint', '--noout', '--nonet', `${output}/hostile.svg`);
	}));

	/** What the page saves, everything selected, against @path of analyze --format csv. @param {import('playwright-core').Page} page @param {string} path */
	async function hasTheValuesOf(page, path) {
		// Of its own: two tests run at once.
		const view = path.replace(/\.csv$/, '-view.csv');
		await save(page, 'CSV', view);
		const mine = parseCsv(await readFile(view, 'utf8'));
		const all = parseCsv(await readFile(path, 'utf8'));
		const bySeq = new Map(all.map((row) => [row.seq, row]));
		assert.equal(mine.length, all.length);
		for (const row of mine) {
			const other = bySeq.get(row.seq);
			assert.ok(other);
			for (const [name, value] of Object.entries(row)) {
				// The page keeps 10 bits of each duration, and addresses of what lies in sections.
				if (['duration_ns', 'own_ns', 'late_ns'].includes(name) && value !== '')
					assert.ok(Math.abs(Number(value) - Number(other[name])) <= Number(other[name]) / 500, `${row.seq} ${name}`);
				else if (name !== 'at.vaddr' || value !== '')
					assert.equal(value, other[name], `fault ${row.seq}, ${name}`);
			}
		}
		return mine;
	}

	test('CSV has the values of analyze --format csv', () => withReport(report, {}, async (page) => {
		await hasTheValuesOf(page, `${output}/several.csv`);
	}));

	test('what a fault on .bss read of the file is saved, as of any other', async () => {
		const trace = `${output}/read.txt`;
		const recorded = `${output}/before-build.trace`;
		const lines = (await elfault('dump', recorded)).split('\n');
		const rows = parseCsv(await elfault('analyze', '--format', 'csv', recorded));
		const isOf = (/** @type {any} */ row, /** @type {string} */ section) => /\/builds$/.test(row['at.object']) && row['at.section'] === section;
		// The last fault on each: the first may have read in truth.
		const faults = lines.flatMap((line, i) => line.startsWith('fault ') ? [i] : []);
		const seqs = ['.bss', '.data.rel.ro'].map((section) => Number(rows.findLast((row) => isOf(row, section))?.seq));
		for (const [n, seq] of seqs.entries())
			lines[faults[seq]] = lines[faults[seq]].replace(/ read_\w+=\S+/g, '') + ` read_offset=0x${n + 1}000 read_pages=2 read_span=${n + 2}`;
		await writeFile(trace, lines.join('\n'));
		await writeFile(`${output}/read.csv`, await elfault('analyze', '--format', 'csv', trace));
		await elfault('report', trace, '-o', `${output}/read.html`);
		await withReport(`${output}/read.html`, {}, async (page) => {
			const mine = await hasTheValuesOf(page, `${output}/read.csv`);
			assert.deepEqual(seqs.map((seq) => mine.find((row) => Number(row.seq) === seq)?.['read.offset']), ['4096', '8192']);
		});
	});

	test('CSV of a narrowed view has its faults only', () => withReport(report, {hash: '#section=.text'}, async (page) => {
		await save(page, 'CSV', `${output}/narrow.csv`);
		const rows = parseCsv(await readFile(`${output}/narrow.csv`, 'utf8'));
		assert.ok(rows.length > 0);
		assert.ok(rows.every((row) => row['at.section'] === '.text'));
	}));
}
