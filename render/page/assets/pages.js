// SPDX-License-Identifier: Apache-2.0
// What became of each page of a file, in all processes.
import {LANE_FILE} from './data.js';

/** @typedef {import('./data.js').Data} Data */

export const PAGE_COLD = 0;
export const PAGE_AROUND = 1;
export const PAGE_FAULTED = 2;
export const PAGE_WRITTEN = 3;
export const PAGE_STATES = ['cold', 'mapped around', 'faulted', 'written'];

/** A file with more pages than this is drawn up to here: what is said of its size may be wrong. */
const PAGES_MAX = 2 ** 26;

/**
 * @typedef {Object} Pages
 * @property {Uint8Array} states of each page of the file: PAGE_…
 * @property {number[]} totals pages in each state
 * @property {Uint32Array} faultedBefore pages before each that faulted; one longer than states
 */

/** Combinations that are faults in the file of @object. @param {Data} data @param {number} object */
export function fileCombinations(data, object) {
	const {combination_object: objects, combination_lane: lanes} = data.columns;
	return Uint8Array.from(objects, (each, c) => Number(each === object && lanes[c] === LANE_FILE));
}

/** How many pages the file of @object has; also where its size is not known. @param {Data} data @param {number} object */
function pageCountOf(data, object) {
	const size = data.header.objects[object]?.size || 0;
	let pages = Math.ceil(size / data.header.page_size);
	if (pages === 0) {
		const isIn = fileCombinations(data, object);
		for (let i = 0; i < data.count; i++)
			if (isIn[data.combination[i]])
				pages = Math.max(pages, data.page[i] + 1);
	}
	return Math.min(pages, PAGES_MAX);
}

/** @param {Data} data @param {number} object @returns {Pages} */
export function makePages(data, object) {
	const count = pageCountOf(data, object);
	const states = new Uint8Array(count);
	const isIn = fileCombinations(data, object);
	const write = data.header.words.access.indexOf('write');
	const {combination_access: accesses, around_before: before, around_pages: around} = data.columns;
	for (let i = 0; i < data.count; i++) {
		const combination = data.combination[i];
		const page = data.page[i];
		if (!isIn[combination] || page >= count)
			continue;
		const state = accesses[combination] === write ? PAGE_WRITTEN : PAGE_FAULTED;
		if (states[page] < state)
			states[page] = state;
		if (around[i] < 2)
			continue;
		const first = Math.max(page - before[i], 0);
		const end = Math.min(first + around[i], count);
		for (let at = first; at < end; at++)
			if (states[at] === PAGE_COLD)
				states[at] = PAGE_AROUND;
	}
	const totals = [0, 0, 0, 0];
	const faultedBefore = new Uint32Array(count + 1);
	for (let at = 0; at < count; at++) {
		totals[states[at]]++;
		faultedBefore[at + 1] = faultedBefore[at] + Number(states[at] >= PAGE_FAULTED);
	}
	return {states, totals, faultedBefore};
}

/** How many pages faulted from @first up to @end, also of parts of pages. @param {Pages} pages @param {number} first @param {number} end */
export function faultedBetween(pages, first, end) {
	const last = pages.states.length;
	const from = Math.min(Math.max(Math.floor(first), 0), last);
	const to = Math.min(Math.max(Math.ceil(end), from), last);
	return pages.faultedBefore[to] - pages.faultedBefore[from];
}

/**
 * Draw pages from @first up to @end from left to right, hotter ones at the bottom: each column of
 * pixels shows what share of its pages is in which state.
 * @param {CanvasRenderingContext2D} context
 * @param {Pages} pages @param {number} first @param {number} end
 * @param {{x: number, y: number, width: number, height: number}} box
 * @param {string[]} colors of the states
 * @param {boolean} downwards from top to bottom instead, hotter ones at the left
 */
export function drawPages(context, pages, first, end, box, colors, downwards) {
	const length = downwards ? box.height : box.width;
	const depth = downwards ? box.width : box.height;
	const perPixel = (end - first) / length;
	context.fillStyle = colors[PAGE_COLD];
	context.fillRect(box.x, box.y, box.width, box.height);
	for (let at = 0; at < length; at++) {
		const from = Math.max(Math.floor(first + at * perPixel), 0);
		const to = Math.min(Math.max(Math.ceil(first + (at + 1) * perPixel), from + 1), pages.states.length);
		const counts = [0, 0, 0, 0];
		for (let page = from; page < to; page++)
			counts[pages.states[page]]++;
		let done = 0;
		for (let state = PAGE_WRITTEN; state > PAGE_COLD; state--) {
			if (counts[state] === 0)
				continue;
			const part = Math.max(depth * counts[state] / Math.max(to - from, 1), 1);
			context.fillStyle = colors[state];
			if (downwards)
				context.fillRect(box.x + done, box.y + at, part, 1);
			else
				context.fillRect(box.x + at, box.y + depth - done - part, 1, part);
			done = Math.min(done + part, depth - 1);
		}
	}
}
