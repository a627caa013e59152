// SPDX-License-Identifier: Apache-2.0
// Rows of a comparison: what they are called, what stands for them in a filter, and which entries of a
// side count in them, of all or of what the reader's selection leaves: that is counted in the two runs that are shown.
import {METRICS} from './change.js';
import {shortName} from '../shared/format.js';
import {fromIndexPlusOne, sumGroups} from '../selection/sums.js';
import {NAMELESS, functionOf} from '../data/words.js';
import {LANE_BSS, LANE_FILE} from '../data/data.js';
import {numberPairs} from '../data/search.js';

/** What is counted in this comparison; not what a side does not know. @param {DiffData} diff */
export function metricsOf(diff) {
	return METRICS.filter(({key}) => diff.diff.total[key]);
}

/** What @metric of the page counts in rows; faults, where a side does not know it. @param {DiffData} diff @param {string} metric @returns {Metric} */
export function metricOf(diff, metric) {
	return metricsOf(diff).find((each) => each.metric === metric) ?? METRICS[0];
}

export function objectLabel(/** @type {DiffData} */ diff, /** @type {DiffRow} */ row) {
	return diff.nameOf(row.object_id ?? -1);
}

/** The row without its object. @param {DiffData} diff @param {string} table @param {DiffRow} row */
export function rowName(diff, table, row) {
	if (table === 'object')
		return objectLabel(diff, row);
	if (table === 'cause')
		return row.section === null && row.object_id === null ? `${row.initiator}, no mapping known` : `${row.initiator} in ${row.section ?? NAMELESS}`;
	if (table === 'initializer' && row.initializer === null)
		return row.object_id === null ? '(in no initializer)' : row.source ? `(from ${row.source})` : NAMELESS;
	return row[table] ?? NAMELESS;
}

/** The row with its object, which some are named by. @param {DiffData} diff @param {string} table @param {DiffRow} row */
export function fullName(diff, table, row) {
	const name = rowName(diff, table, row);
	const object = objectLabel(diff, row);
	return row.object_id === null || table === 'object' || row.section === object ? name : `${name} of ${shortName(object)}`;
}

/** What a choice of the row is: the file to show and the filters. @param {DiffData} diff @param {string} table @param {DiffRow} row */
export function choiceOf(diff, table, row) {
	/** @type {Object<string, string>} */
	const filter = {};
	/** @type {number | null} */
	const object = ['object', 'section', 'symbol', 'cause'].includes(table) ? row.object_id : null;
	if (object !== null || table === 'object')
		filter.file = diff.filterName('object', row);
	if (table === 'cause') {
		filter.initiator = row.initiator;
		filter.section = diff.filterName('section', row);
	} else if (table !== 'object') {
		filter[table] = diff.filterName(table, row);
	}
	return {object, filter};
}

export function isRowChosen(/** @type {Store} */ store, /** @type {{object: number | null, filter: Object<string, string>}} */ wanted) {
	const {choice} = store;
	const words = Object.keys(wanted.filter);
	return (wanted.object === null || choice.object === wanted.object)
		&& words.every((word) => choice.filter[word] === wanted.filter[word]) && (words.length > 0 || wanted.object !== null);
}

/** Choose what the row stands for, beside what else is chosen; or take it away. @param {Store} store @param {{object: number | null, filter: Object<string, string>}} wanted */
export function toggleChosen(store, wanted) {
	const filter = {...store.choice.filter};
	const isOn = isRowChosen(store, wanted);
	for (const [word, text] of Object.entries(wanted.filter))
		if (isOn)
			delete filter[word];
		else
			filter[word] = text;
	store.set({filter, ...wanted.object === null ? {} : {object: wanted.object}});
}

/** @param {(string | number | null)[]} parts */
function keyOf(...parts) {
	return JSON.stringify(parts);
}

/** Rows by what they are known by. @param {DiffData} diff @param {string} table */
function rowIndex(diff, table) {
	/** @type {Map<string, number>} */
	const index = new Map();
	diff.diff['by_' + table].forEach((/** @type {DiffRow} */ row, /** @type {number} */ i) => {
		const key = table === 'cause' ? keyOf(row.object_id, row.section, row.initiator)
			: keyOf(row.object_id ?? null, table === 'object' ? null : row[table]);
		if (!index.has(key))
			index.set(key, i);
	});
	return index;
}

/** By combination, the object of the comparison that it touched; -1: none. @param {Data} data @param {number} c */
function objectTouched(data, c) {
	const object = data.columns.combination_object[c];
	return object < data.columns.link_object.length ? data.columns.link_object[object] - 1 : -1;
}

/** By combination, the row of @table: for tables of words, objects, sections, initializers and causes. @param {DiffData} diff @param {number} side @param {string} table */
function rowsByCombination(diff, side, table) {
	const data = diff.sides[side];
	const {columns, header} = data;
	const index = rowIndex(diff, table);
	const orNull = (/** @type {number} */ object) => object < 0 ? null : object;
	return Int32Array.from(columns.combination_object, (_, c) => {
		const object = orNull(objectTouched(data, c));
		if (table === 'initiator' || table === 'mechanism')
			return index.get(keyOf(null, header.words[table][columns['combination_' + table][c]])) ?? -1;
		if (table === 'object')
			return index.get(keyOf(object, null)) ?? -1;
		if (table === 'initializer') {
			const initializer = columns.combination_initializer[c];
			return initializer ? columns.link_initializer[initializer - 1] - 1 : index.get(keyOf(null, null)) ?? -1;
		}
		const section = columns.combination_section[c];
		const name = section ? header.sections[section - 1].name : null;
		if (table === 'cause')
			return index.get(keyOf(object, name, header.words.initiator[columns.combination_initiator[c]])) ?? -1;
		return section ? columns.link_section[section - 1] - 1 : index.get(keyOf(object, null)) ?? -1;
	});
}

/**
 * The row of @table that each entry of a side counts in, as groups of numbers: see Grouping.
 * @param {DiffData} diff @param {number} side @param {string} table
 * @returns {{values: Uint32Array, groupOf: Int32Array}}
 */
export function rowsOfSide(diff, side, table) {
	const data = diff.sides[side];
	const {columns, combination, count} = data;
	if (table !== 'symbol' && table !== 'function')
		return {values: combination, groupOf: rowsByCombination(diff, side, table)};
	const index = rowIndex(diff, table);
	/** Rows of what has no name, by object. @type {Map<number, number>} */
	const nameless = new Map();
	const rowOfNone = (/** @type {number} */ object) => {
		let row = nameless.get(object);
		if (row === undefined) {
			row = index.get(keyOf(object < 0 ? null : object, null)) ?? -1;
			nameless.set(object, row);
		}
		return row;
	};
	const rowOfSymbol = (/** @type {number} */ i) => data.symbol[i] ? columns.link_symbol[data.symbol[i] - 1] - 1 : rowOfNone(objectTouched(data, combination[i]));
	const rowOfFunction = (/** @type {number} */ i) => {
		const named = functionOf(data, i);
		if (named >= 0)
			return columns.link_function[named] - 1;
		const node = data.stack[i];
		const object = node ? columns.frame_object[columns.node_frame[node - 1]] : 0;
		return rowOfNone(object ? columns.link_object[object - 1] - 1 : -1);
	};
	const rowOf = table === 'symbol' ? rowOfSymbol : rowOfFunction;
	const values = new Uint32Array(count);
	for (let i = 0; i < count; i++)
		values[i] = rowOf(i) + 1;
	return {values, groupOf: fromIndexPlusOne(diff.diff['by_' + table].length)};
}

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
