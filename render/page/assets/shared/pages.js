// SPDX-License-Identifier: Apache-2.0
// What became of each page of a file, in all processes, as derive/pages.c finds it: tests/twins holds both to the same.
import {LANE_FILE} from '../data/data.js';

const PAGE_COLD = 0;
const PAGE_AROUND = 1;
const PAGE_FAULTED = 2;
const PAGE_WRITTEN = 3;
export const PAGE_STATES = ['cold', 'mapped around', 'faulted', 'written'];

/** A file with more pages than this is drawn up to here: what is said of its size may be wrong. */
const PAGES_MAX = 2 ** 26;

/** @param {Data} data @param {number} object @returns {Pages} */
export function makePages(data, object) {
	const {page_size: pageSize, objects, words: {access, mechanism}} = data.header;
	const {is_file: isFile, end: fileEnd} = objects[object] ?? {};
	const size = isFile ? Math.min(fileEnd, PAGES_MAX * pageSize) : 0;
	const count = Math.ceil(size / pageSize);
	const states = new Uint8Array(count);
	const {combination_object: objectOf, combination_lane: lanes, combination_access: accesses, combination_mechanism: mechanisms, around_before: before, around_pages: around} = data.columns;
	const stateOf = accesses.map((each, c) => access[each] === 'write'
		|| ['private-write', 'cow-break'].includes(mechanism[mechanisms[c]]) ? PAGE_WRITTEN : PAGE_FAULTED);
	for (let i = 0; i < data.count; i++) {
		const combination = data.combination[i];
		const page = data.page[i];
		if (objectOf[combination] !== object || lanes[combination] !== LANE_FILE)
			continue;
		// Past the end there is no state.
		if (states[page] < stateOf[combination])
			states[page] = stateOf[combination];
		const first = Math.max(page - before[i], 0);
		const end = Math.min(first + around[i], count);
		for (let at = first; at < end; at++)
			if (states[at] === PAGE_COLD)
				states[at] = PAGE_AROUND;
	}
	const totals = [0, 0, 0, 0];
	for (const state of states)
		totals[state]++;
	return {states, totals, size};
}

/** Which parts of the pages from @first up to @end are in which state, also of parts of pages. @param {Pages} pages @param {number} first @param {number} end */
export function pageShares({states}, first, end) {
	const shares = [0, 0, 0, 0];
	for (let page = Math.max(Math.floor(first), 0); page < Math.min(end, states.length); page++)
		shares[states[page]] += (Math.min(page + 1, end) - Math.max(page, first)) / (end - first);
	return shares;
}

/**
 * Draw pages from @first up to @end from top to bottom, hotter ones at the left: each line of
 * pixels shows what share of its pages is in which state.
 * @param {CanvasRenderingContext2D} context
 * @param {Pages} pages @param {number} first @param {number} end
 * @param {{x: number, y: number, width: number, height: number}} box
 * @param {string[]} colors of the states
 */
export function drawPages(context, pages, first, end, box, colors) {
	const perPixel = (end - first) / box.height;
	context.fillStyle = colors[PAGE_COLD];
	context.fillRect(box.x, box.y, box.width, box.height);
	for (let at = 0; at < box.height; at++) {
		const shares = pageShares(pages, first + at * perPixel, first + (at + 1) * perPixel);
		let done = 0;
		for (let state = PAGE_WRITTEN; state > PAGE_COLD; state--) {
			if (shares[state] === 0)
				continue;
			const part = Math.max(box.width * shares[state], 1);
			context.fillStyle = colors[state];
			context.fillRect(box.x + done, box.y + at, part, 1);
			done = Math.min(done + part, box.width - 1);
		}
	}
}
