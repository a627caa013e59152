// SPDX-License-Identifier: Apache-2.0
// Rows of a comparison: what they are called, what stands for them in a filter, and which entries of a
// side count in them, of all or of what the reader's selection leaves: that is counted in the two runs that are shown.
import {METRICS} from './change.js';
import {shortName} from '../shared/format.js';
import {pagePairs, sumGroups, valuesOfFaults} from '../selection/sums.js';
import {LANE_BSS, LANE_FILE} from '../data/data.js';
import {onceOf} from '../data/once.js';
import {numberPairs} from '../data/distinct.js';
import {NAMELESS, functionOf} from '../data/words.js';

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

/** How entries of a side fall into the rows of @table: its column has these by slot, as compare/compare.h says. @param {Data} data @param {string} table @param {number} count of the rows @returns {Grouping} */
function rowsOfSide(data, table, count) {
	const {combination, symbol, stack, columns, header} = data;
	const {combination_object: objects, combination_section: sections, combination_initiator: causes, combination_mechanism: mechanisms, combination_initializer: initializers,
		frame_object: frameObjects, node_frame: frames} = columns;
	/** Behind all that have a name those that have none, by their object. @param {number} index @param {{length: number}} all @param {number} object */
	const orObject = (index, {length}, object) => index >= 0 ? index : length + Math.min(object, header.objects.length);
	const sectionSlot = (/** @type {number} */ i) => orObject(sections[combination[i]] - 1, header.sections, objects[combination[i]]);
	/** @type {Object<string, (i: number) => number>} */
	const slots = {
		initiator: (i) => causes[combination[i]],
		mechanism: (i) => mechanisms[combination[i]],
		object: (i) => orObject(-1, [], objects[combination[i]]),
		section: sectionSlot,
		cause: (i) => sectionSlot(i) * header.words.initiator.length + causes[combination[i]],
		initializer: (i) => orObject(initializers[combination[i]] - 1, header.initializers, 0),
		symbol: (i) => orObject(symbol[i] - 1, header.symbols.name, objects[combination[i]]),
		function: (i) => orObject(functionOf(data, i), header.functions.name, (stack[i] && frameObjects[frames[stack[i] - 1]] || Infinity) - 1),
	};
	return {count, groupOf: Int32Array.from(columns['row_' + table], (row) => row - 1), valuesOf: valuesOfFaults(data, symbol.map((_, i) => slots[table](i)))};
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
		const layout = header.objects[object].layout.find((each) => each.name === name && each.vaddr !== null);
		return layout ? Math.floor(((layout.vaddr ?? 0) - (layout.offset ?? 0)) / header.page_size) : 0;
	});
}

/** Pages by number, as the comparison counts them: those of a file by their address in it, others belong to a process. */
const comparedPages = onceOf((/** @type {Data} */ data) => {
	const {combination, page} = data;
	const {combination_object: object, combination_lane: lane, combination_thread: thread} = data.columns;
	const shifts = pageShifts(data);
	const owners = Uint32Array.from(object, (each, c) => lane[c] === LANE_FILE || lane[c] === LANE_BSS
		? each * 2 : data.header.threads[thread[c]].pid * 2 + 1);
	return numberPairs(data.count, (i) => owners[combination[i]], (i) => page[i] + shifts[combination[i]]).numbers;
});

/** What the store leaves on each side, by row of @table; what does not depend on the choice is made once. @param {DiffData} diff @param {DiffStore} store @param {string} table @returns {() => SideTally[]} */
export function tallyOf(diff, store, table) {
	const countingOf = onceOf((/** @type {Data} */ data) => {
		const grouping = rowsOfSide(data, table, diff.diff['by_' + table].length);
		return {grouping, pairs: pagePairs(data, grouping, comparedPages(data))};
	});
	return () => diff.sides.map((data, side) => {
		const {grouping, pairs} = countingOf(data);
		const {faults, major, pages, time, bytes} = sumGroups(data, store.sides[side], grouping, pairs);
		return {faults, major, pages, own_ns: time, read_bytes: bytes};
	});
}
