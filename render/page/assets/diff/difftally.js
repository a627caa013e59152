// SPDX-License-Identifier: Apache-2.0
// What the reader's selection leaves in each row of a comparison: counted in the two runs that are shown.
import {LANE_BSS, LANE_FILE} from '../data/data.js';
import {rowsOfSide} from './diffrows.js';
import {numberPairs} from '../data/distinct.js';
import {inRange} from '../selection/selection.js';
import {selectedMarks} from '../selection/selected.js';
import {AFTER, BEFORE} from './sides.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 * @typedef {Object<string, Float64Array>} SideTally by metric, numbers by row
 */

/** Does anything narrow what is counted? @param {import('../selection/store.js').Store} store */
export function isNarrowed(store) {
	const {filter, search, place, time} = store.choice;
	return Object.keys(filter).length > 0 || search !== '' || time !== null || place !== null;
}

/** By combination, how many pages its section lies further in memory than in the file; 0 where that is not known. @param {import('../data/data.js').Data} data */
function pageShifts(data) {
	const {header, columns} = data;
	return Int32Array.from(columns.combination_section, (section, c) => {
		if (section === 0 || columns.combination_lane[c] !== LANE_FILE)
			return 0;
		const {object, name} = header.sections[section - 1];
		const layout = header.objects[object].layout.find((/** @type {any} */ each) => each.name === name && each.vaddr !== null);
		return layout ? Math.floor((layout.vaddr - layout.offset) / header.page_size) : 0;
	});
}

/** Pages by number, as the comparison counts them: those of a file by their address in it, others belong to a process. @param {import('../data/data.js').Data} data */
function numberPages(data) {
	const {combination, page} = data;
	const {combination_object: object, combination_lane: lane, combination_thread: thread} = data.columns;
	const shifts = pageShifts(data);
	const owners = Uint32Array.from(object, (each, c) => lane[c] === LANE_FILE || lane[c] === LANE_BSS
		? each * 2 : data.header.threads[thread[c]].pid * 2 + 1);
	return numberPairs(data.count, (i) => owners[combination[i]], (i) => page[i] + shifts[combination[i]]);
}

/** Counts the rows of one table, on demand; remembers what does not depend on the choice. */
export class DiffTally {
	/** @param {DiffData} diff @param {DiffStore} store @param {string} table */
	constructor(diff, store, table) {
		this.diff = diff;
		this.store = store;
		this.table = table;
		this.count = diff.diff['by_' + table].length;
		/** @type {((i: number) => number)[]} */
		this.rowOf = [];
		/** Of each side, numbers of the pairs of row and page. @type {{numbers: Uint32Array, distinct: number}[]} */
		this.pairs = [];
	}

	/** @returns {SideTally[]} by side */
	tally() {
		return [BEFORE, AFTER].map((side) => this.tallySide(side));
	}

	/** @param {number} side */
	prepare(side) {
		const {diff, table} = this;
		const data = diff.sides[side];
		if (this.rowOf[side])
			return;
		const rowOf = rowsOfSide(diff, side, table);
		diff.pageNumbers[side] = diff.pageNumbers[side] ?? numberPages(data).numbers;
		const pages = diff.pageNumbers[side];
		this.rowOf[side] = rowOf;
		this.pairs[side] = numberPairs(data.count, (i) => rowOf(i) + 1, (i) => pages[i]);
	}

	/** @param {number} side @returns {SideTally} */
	tallySide(side) {
		this.prepare(side);
		const data = this.diff.sides[side];
		const store = this.store.sides[side];
		const {choice} = store;
		const marks = selectedMarks(data, store);
		const hasPlace = this.store.choice.place !== null;
		const isRanged = choice.time !== null || hasPlace;
		const {combination, count} = data;
		const {combination_object: objects, combination_kind: kinds, read_pages: reads} = data.columns;
		const major = data.header.words.kind.indexOf('major');
		const pageSize = data.header.page_size;
		const rowOf = this.rowOf[side];
		const {numbers, distinct} = this.pairs[side];
		const seen = new Uint8Array(distinct);
		const faults = new Float64Array(this.count);
		const majors = new Float64Array(this.count);
		const pages = new Float64Array(this.count);
		const ns = new Float64Array(this.count);
		const bytes = new Float64Array(this.count);
		for (let i = 0; i < count; i++) {
			if (marks[i] === 0)
				continue;
			const c = combination[i];
			if (isRanged && (!inRange(data, choice, i) || hasPlace && objects[c] !== choice.object))
				continue;
			const row = rowOf(i);
			if (row < 0)
				continue;
			const weight = data.weight(i);
			faults[row] += weight;
			if (kinds[c] === major)
				majors[row] += weight;
			ns[row] += data.own[i];
			bytes[row] += reads[i] * pageSize;
			if (seen[numbers[i]] === 0) {
				seen[numbers[i]] = 1;
				pages[row]++;
			}
		}
		return {faults, major: majors, pages, own_ns: ns, read_bytes: bytes};
	}
}
