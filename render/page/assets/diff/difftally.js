// SPDX-License-Identifier: Apache-2.0
// What the reader's selection leaves in each row of a comparison: counted in the two runs that are shown.
import {LANE_BSS, LANE_FILE} from '../data/data.js';
import {rowsOfSide} from './diffrows.js';
import {numberPairs} from '../data/distinct.js';
import {sumGroups} from '../selection/sums.js';

/** Does anything narrow what is counted? @param {Store} store */
export function isNarrowed(store) {
	const {filter, search, place, time} = store.choice;
	return Object.keys(filter).length > 0 || search !== '' || time !== null || place !== null;
}

/** By combination, how many pages its section lies further in memory than in the file; 0 where that is not known. @param {Data} data */
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

/** Pages by number, as the comparison counts them: those of a file by their address in it, others belong to a process. @param {Data} data */
function numberPages(data) {
	const {combination, page} = data;
	const {combination_object: object, combination_lane: lane, combination_thread: thread} = data.columns;
	const shifts = pageShifts(data);
	const owners = Uint32Array.from(object, (each, c) => lane[c] === LANE_FILE || lane[c] === LANE_BSS
		? each * 2 : data.header.threads[thread[c]].pid * 2 + 1);
	return numberPairs(data.count, (i) => owners[combination[i]], (i) => page[i] + shifts[combination[i]]);
}

/** What the store leaves on a side, by row of @table; what does not depend on the choice is made once. */
export class DiffTally {
	constructor(/** @type {DiffData} */ diff, /** @type {DiffStore} */ store, /** @type {string} */ table) {
		this.diff = diff;
		this.store = store;
		this.table = table;
		/** @type {{grouping: Grouping, pairs: ReturnType<typeof numberPairs>}[]} */
		this.counting = [];
	}

	countingOf(/** @type {number} */ side) {
		const {diff, table} = this;
		const {values, groupOf} = rowsOfSide(diff, side, table);
		const {count} = diff.sides[side];
		const pages = diff.pageNumbers[side] = diff.pageNumbers[side] ?? numberPages(diff.sides[side]).numbers;
		return {grouping: {count: diff.diff['by_' + table].length, values, groupOf},
			pairs: numberPairs(count, (i) => groupOf[values[i]] + 1, (i) => pages[i])};
	}

	/** @returns {SideTally[]} by side */
	tally() {
		return this.diff.sides.map((data, side) => {
			const {grouping, pairs} = this.counting[side] = this.counting[side] ?? this.countingOf(side);
			const {faults, major, pages, time, bytes} = sumGroups(data, this.store.sides[side], grouping, pairs);
			return {faults, major, pages, own_ns: time, read_bytes: bytes};
		});
	}
}
