// SPDX-License-Identifier: Apache-2.0
// The y axis of one file: its bands, and the rows that show them.
import {makeBands} from './bands.js';
import {makeRows} from './bandrows.js';
import {firstFrom} from '../data/search.js';
import {makePages} from '../shared/pages.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../shared/pages.js').Pages} Pages
 * @typedef {import('./bands.js').Bands} Bands
 * @typedef {import('./bandrows.js').Row} Row
 */

/** How many pages of @parts faulted, of each those from first up to end: neighbours may share one. @param {{faulted: Float64Array, first: number, end: number}[]} parts */
export function countFaulted(parts) {
	let count = 0;
	let last = -1;
	for (const {faulted, first, end} of parts) {
		const from = firstFrom(faulted, Math.floor(first));
		const to = firstFrom(faulted, end);
		if (from >= to)
			continue;
		count += to - from - Number(faulted[from] === last);
		last = faulted[to - 1];
	}
	return count;
}

/**
 * The y axis for one object of one recording: what Timeline draws on.
 * @typedef {Object} Axis
 * @property {Bands} bands
 * @property {Pages} pages of the file
 * @property {number} length of the file's part of the axis, in pages
 * @property {(place: [number, number] | null, height: number) => Row[]} rows
 */

/** The axis on which one file lies. @param {Data} data @param {number} object @param {boolean} [isAlone] without lanes for what lies elsewhere @returns {Axis} */
export function fileAxis(data, object, isAlone = false) {
	const pages = makePages(data, object);
	const bands = makeBands(data, object, pages, isAlone);
	return {bands, pages, length: pages.states.length,
		rows: (place, height) => makeRows(bands.items, ({firstBand, endBand, first, end}) => countFaulted(
			bands.items.slice(firstBand, endBand).map(({faulted}) => ({faulted, first, end}))), place, height)};
}
