// SPDX-License-Identifier: Apache-2.0
// Faults, major faults, time and pages of the groups that a table has as rows: one pass over the columns.
import {durationNs} from './data.js';
import {numberPairs} from './distinct.js';
import {inRange} from '../selection/selection.js';
import {selectedMarks} from '../selection/selected.js';

/**
 * @typedef {import('./data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 *
 * How entries fall into groups.
 * @typedef {Object} Grouping
 * @property {number} count how many groups there are
 * @property {Uint32Array} values one number an entry
 * @property {Int32Array} groupOf the group of each such number, -1: none
 * @property {Uint8Array} allowed by combination: 1 where entries count at all
 *
 * @typedef {Object} Tally by group
 * @property {Float64Array} faults
 * @property {Float64Array} major
 * @property {Float64Array} ns
 * @property {Float64Array} lazy faults of lazy binding
 * @property {Float64Array} pages
 * @property {number} total faults that fell into any group
 */

/** @type {Float64Array | null} */
let nsOfCode = null;

/** Nanoseconds by stored duration, 0 where unknown. */
export function durationTable() {
	if (!nsOfCode)
		nsOfCode = Float64Array.from({length: 65536}, (_, code) => durationNs(code) || 0);
	return nsOfCode;
}

/**
 * Numbers of the pairs of group and page, for counting pages; they depend on no choice.
 * @param {Data} data @param {Grouping} grouping
 */
export function pagePairs(data, grouping) {
	const {combination, page} = data;
	const object = data.columns.combination_object;
	const lane = data.columns.combination_lane;
	const pages = numberPairs(data.count,
		(i) => object[combination[i]] * 4 + lane[combination[i]], (i) => page[i]).numbers;
	return numberPairs(data.count, (i) => grouping.groupOf[grouping.values[i]], (i) => pages[i]);
}

/**
 * @param {Data} data @param {Store} store @param {Grouping} grouping
 * @param {{numbers: Uint32Array, distinct: number} | null} pairs of pagePairs(), null: pages are not asked for
 * @returns {Tally}
 */
export function tallyGroups(data, store, grouping, pairs) {
	const {count, values, groupOf, allowed} = grouping;
	const {choice} = store;
	const marks = selectedMarks(data, store);
	const ranged = choice.time !== null || choice.place !== null;
	const isMajor = flagsOf(data, 'kind', 'major');
	const isLazy = flagsOf(data, 'initiator', 'lazy-binding');
	const {own} = data.columns;
	const nsOf = durationTable();
	const seen = pairs ? new Uint8Array(pairs.distinct) : null;
	const faults = new Float64Array(count);
	const major = new Float64Array(count);
	const ns = new Float64Array(count);
	const lazy = new Float64Array(count);
	const pages = new Float64Array(count);
	let total = 0;
	for (let i = 0; i < data.count; i++) {
		if (marks[i] === 0)
			continue;
		const c = data.combination[i];
		const group = groupOf[values[i]];
		if (group < 0 || allowed[c] === 0 || ranged && !inRange(data, choice, i))
			continue;
		const weight = data.weight(i);
		faults[group] += weight;
		major[group] += isMajor[c] * weight;
		lazy[group] += isLazy[c] * weight;
		ns[group] += nsOf[own[i]] * weight;
		total += weight;
		if (pairs && seen && seen[pairs.numbers[i]] === 0) {
			seen[pairs.numbers[i]] = 1;
			pages[group]++;
		}
	}
	return {faults, major, ns, lazy, pages, total};
}

/** By combination: 1 where @word has the value @text. @param {Data} data @param {string} word @param {string} text */
function flagsOf(data, word, text) {
	const wanted = data.header.words[word].indexOf(text);
	return Uint8Array.from(data.columns['combination_' + word], (value) => Number(value === wanted));
}
