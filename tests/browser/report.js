// SPDX-License-Identifier: Apache-2.0
// A report opened in a browser that has no network, and watched: what it asks for and complains of.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {gunzipSync} from 'node:zlib';
import {chromium} from 'playwright-core';
import {PATIENCE_MS} from './tap.js';

/** @type {import('playwright-core').Browser} */
let browser;
/** Empty: to make one takes half a second of the processor. @type {import('playwright-core').BrowserContext[]} */
const contexts = [];

export async function startBrowser() {
	// Root, as in CI, has no sandbox of its own; the pages are ours.
	browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
		timeout: PATIENCE_MS});
}

export async function stopBrowser() {
	await browser.close();
}

/**
 * @typedef {Object} Opened
 * @property {import('playwright-core').Page} page
 * @property {string[]} complaints errors, violations of the policy, dialogs
 * @property {string[]} requests beside the page itself
 * @property {() => Promise<void>} recycle close the page; another one may have its context
 * @property {() => Promise<void>} close whatever state it is in
 */

/**
 * Open @file and wait until it is drawn.
 * @param {string} file
 * @param {{hash?: string, width?: number, height?: number, scheme?: 'light' | 'dark', script?: string}} [options]
 * @returns {Promise<Opened>}
 */
export async function openReport(file, options = {}) {
	const context = contexts.pop() ?? await browser.newContext({offline: true, acceptDownloads: true});
	const page = await context.newPage();
	await page.setViewportSize({width: options.width ?? 1280, height: options.height ?? 800});
	await page.emulateMedia({colorScheme: options.scheme ?? 'light', reducedMotion: 'reduce'});
	if (options.script)
		await page.addInitScript({content: options.script});
	const address = pathToFileURL(path.resolve(file)).href;
	/** @type {string[]} */
	const complaints = [];
	/** @type {string[]} */
	const requests = [];
	page.on('console', (message) => {
		if (message.type() === 'error' || message.type() === 'warning')
			complaints.push(message.text());
	});
	page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
	page.on('dialog', (dialog) => {
		complaints.push(`dialog: ${dialog.message()}`);
		void dialog.dismiss();
	});
	page.on('request', (request) => {
		if (request.url().split('#')[0] !== address && !request.url().startsWith('blob:'))
			requests.push(request.url());
	});
	page.setDefaultTimeout(PATIENCE_MS);
	await page.goto(address + (options.hash ?? ''));
	await page.locator('html[data-state="ready"]').waitFor({state: 'attached'});
	const recycle = async () => {
		await page.evaluate(() => localStorage.clear()); // the theme
		await page.close();
		contexts.push(context);
	};
	return {page, complaints, requests, recycle, close: () => context.close()};
}

/** Open, use, and hold the page to silence: no complaint, no request. @param {string} file @param {Parameters<typeof openReport>[1]} options @param {(page: import('playwright-core').Page) => Promise<void>} use */
export async function withReport(file, options, use) {
	const opened = await openReport(file, options);
	try {
		await use(opened.page);
		assert.deepEqual(opened.complaints, []);
		assert.deepEqual(opened.requests, []);
	} catch (error) {
		await opened.close();
		throw error;
	}
	await opened.recycle();
}

/** The header of the data of the report @file. @param {string} file @returns {any} */
export function headerOf(file) {
	return dataHeaderOf(file, 'data');
}

/** The same of the block that is called @id: a comparison has several. @param {string} file @param {string} id @returns {any} */
export function dataHeaderOf(file, id) {
	return blockOf(file, id).header;
}

/** The block that is called @id: its header, and the bytes of its columns. @param {string} file @param {string} id */
export function blockOf(file, id) {
	const [, block] = new RegExp(`id="${id}">([^<]*)`).exec(readFileSync(file, 'utf8')) ?? [];
	const bytes = gunzipSync(Buffer.from(block, 'base64'));
	const end = 4 + bytes.readUInt32LE(0);
	return {header: JSON.parse(bytes.subarray(4, end).toString()), columns: bytes.subarray(end)};
}

/** The page's own address: what the driver knows of it comes later. @param {import('playwright-core').Page} page @returns {Promise<URLSearchParams>} */
export async function hashOf(page) {
	return new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));
}

/** What the page's address says of @word. @param {import('playwright-core').Page} page @param {string} word */
export async function wordOf(page, word) {
	return (await hashOf(page)).get(word);
}

/** Follow a link within the page: back when the page has read the address, which a key pressed right after it would not await. @key is pressed before what it leads to is drawn. @param {import('playwright-core').Page} page @param {string} hash @param {string} [key] */
export function follow(page, hash, key) {
	return page.evaluate(([to, pressed]) => new Promise((resolve) => {
		if (location.hash === to)
			resolve(null);
		addEventListener('hashchange', () => {
			if (pressed)
				document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', {key: pressed, bubbles: true}));
			resolve(null);
		}, {once: true});
		location.hash = to ?? '';
	}), [hash, key]);
}

/**
 * Wait until the page has done what it does when its reader pauses: what has come into sight is made in the second frame,
 * and timers of a page go off in their order, however late.
 * @param {import('playwright-core').Page} page
 */
export function pause(page) {
	return page.evaluate(() => new Promise((resolve) => {
		requestAnimationFrame(() => requestAnimationFrame(() =>
			setTimeout(() => requestAnimationFrame(() => resolve(null)), 100)));
	}));
}

/**
 * Pictures of what @id names, or of the page's top, as PREFIX-light.png and PREFIX-dark.png: the page follows the system.
 * @param {import('playwright-core').Page} page @param {string} id @param {string} prefix
 */
export async function takeBoth(page, id, prefix) {
	for (const scheme of /** @type {('light' | 'dark')[]} */ (['light', 'dark'])) {
		await page.emulateMedia({colorScheme: scheme, reducedMotion: 'reduce'});
		if (id)
			await page.locator(id).evaluate((element) => element.scrollIntoView());
		await pause(page);
		await page.screenshot({path: `${prefix}-${scheme}.png`});
	}
}

/** Wait until @read gives what @isGood accepts; fails with the last value. @template T @param {() => Promise<T> | T} read @param {(value: T) => boolean} isGood @param {string} what @returns {Promise<T>} */
export async function until(read, isGood, what) {
	const end = Date.now() + PATIENCE_MS;
	for (;;) {
		const value = await read();
		if (isGood(value))
			return value;
		assert.ok(Date.now() < end, `${what}: still ${JSON.stringify(value)}`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

/** The middle of what is drawn over a timeline: the ring around a fault. @param {import('playwright-core').Locator} overlay @returns {Promise<{x: number, y: number} | null>} */
export function ringOf(overlay) {
	return overlay.evaluate((element) => {
		const drawn = /** @type {HTMLCanvasElement} */ (element);
		const {width, height} = drawn;
		const canvas = document.createElement('canvas');
		canvas.width = width;
		canvas.height = height;
		const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', {willReadFrequently: true}));
		context.drawImage(drawn, 0, 0);
		const {data} = context.getImageData(0, 0, width, height);
		const box = {left: width, right: -1, top: height, bottom: -1};
		for (let at = 0; at < width * height; at++)
			if (data[at * 4 + 3] > 128) {
				const x = at % width;
				const y = Math.floor(at / width);
				box.left = Math.min(box.left, x);
				box.right = Math.max(box.right, x);
				box.top = Math.min(box.top, y);
				box.bottom = Math.max(box.bottom, y);
			}
		return box.right < 0 ? null : {x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2};
	});
}

/** Choose a fault that is drawn and no neighbour of the plot's edge, where a tap would meet a label. Returns where it is drawn. @param {import('playwright-core').Page} page */
export async function chooseFault(page) {
	await follow(page, '#fault=300');
	await page.keyboard.press('n');
	await until(() => wordOf(page, 'fault'), (text) => text !== '300', 'N chooses the next');
	const spot = await until(() => ringOf(page.locator('#timeline canvas.overlay')), (ring) => ring !== null, 'a ring');
	await page.keyboard.press('Escape');
	await until(() => wordOf(page, 'fault'), (text) => text === null, 'Esc closes');
	return spot ?? {x: 0, y: 0};
}

/** Show the table of @title. @param {import('playwright-core').Page} page @param {string} title */
export async function openTable(page, title) {
	const tab = page.getByRole('tab', {name: title, exact: true});
	await tab.click();
	const panel = page.locator(`#${await tab.getAttribute('aria-controls')}`);
	await until(() => panel.locator('[role="status"]').textContent(), (text) => Boolean(text), `${title} is counted`);
	return panel;
}

/** Every row of @panel, as title of column -> text; of a tree with its level. Those out of sight are not in the page until it is scrolled to them. @param {import('playwright-core').Locator} panel @returns {Promise<Object<string, string>[]>} */
export async function rowsOf(panel) {
	return panel.evaluate(async (element) => {
		const titles = [...element.querySelectorAll('thead th')].map((cell) => cell.textContent ?? '');
		const scroller = /** @type {HTMLElement} */ (element.querySelector('.scroll'));
		const count = Number(element.querySelector('table')?.getAttribute('aria-rowcount')) - 1;
		const frame = () => new Promise((resolve) => {
			requestAnimationFrame(() => setTimeout(resolve));
		});
		/** @type {Object<string, string>[]} */
		const all = [];
		for (scroller.scrollTop = 0; ;) {
			await frame();
			const rows = [...element.querySelectorAll('tbody tr')];
			for (const row of rows)
				all[Number(row.getAttribute('aria-rowindex')) - 2] = {level: row.getAttribute('aria-level') ?? '',
					...Object.fromEntries([...row.children].map((cell, i) => [titles[i], cell.textContent ?? '']))};
			const last = rows[rows.length - 1];
			if (all.length >= count || !last)
				break;
			scroller.scrollTop += last.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
		}
		scroller.scrollTop = 0;
		await frame();
		return all;
	});
}

/**
 * Rows of the table of files with every file open, with @isDeep every section: of sections, with @isDeep what is in them. Section,
 * Symbol and In are what each is called and in.
 * @param {import('playwright-core').Page} page @param {boolean} [isDeep]
 */
export async function rowsBelowFiles(page, isDeep = false) {
	const files = await openTable(page, 'Files');
	const names = ['', '', ''];
	/** @type {Object<string, string>[]} */
	const below = [];
	for (const level of isDeep ? [1, 2] : [1])
		if (await files.locator(`tr[aria-level="${level}"][aria-expanded="false"]`).count() > 0)
			await files.locator(`tr[aria-level="${level}"][aria-expanded="false"] button.row`).first().press('*');
	for (const row of await rowsOf(files)) {
		const level = Number(row.level);
		names[level - 1] = row.File;
		if (level === (isDeep ? 3 : 2))
			below.push({...row, In: names[0], Section: names[1], Symbol: row.File});
	}
	return below;
}

/** "1,234" as a number. @param {string} text */
export function numberOf(text) {
	assert.match(text, /^[\d,]+$/);
	return Number(text.replaceAll(',', ''));
}

/** A number or a time as it stands in a table; a time in ns. @param {string} text */
export function amountOf(text) {
	const [, number, unit] = /^([\d.,]+)(?: (ns|µs|ms|s))?$/.exec(text) ?? [];
	assert.ok(number, text);
	return Number(number.replaceAll(',', '')) * ({ns: 1, µs: 1e3, ms: 1e6, s: 1e9}[unit] ?? 1);
}

/** Press @button and keep what it offers to save. @param {import('playwright-core').Page} page @param {import('playwright-core').Locator} button @param {string} to @returns {Promise<string>} the name it suggests */
export async function saveBy(page, button, to) {
	const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
	await download.saveAs(to);
	return download.suggestedFilename();
}

/** Rows of RFC 4180. @param {string} text */
export function parseCsv(text) {
	/** @type {string[][]} */
	const rows = [[]];
	for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n)/g)) {
		rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
		if (end !== ',')
			rows.push([]);
	}
	rows.pop();
	const [names, ...others] = rows;
	return others.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));
}
