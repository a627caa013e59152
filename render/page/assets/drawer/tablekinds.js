// SPDX-License-Identifier: Apache-2.0
// What each table of the page shows: its rows, its columns, and what a click on a row means.
import {countText, hexText, sizeText, timeText} from '../shared/format.js';
import {functionName, initializerName, NAMELESS, objectName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('../data/tally.js').Grouping} Grouping
 * @typedef {import('../data/tally.js').Tally} Tally
 *
 * @typedef {import('./sortedtable.js').SortedColumn} TableColumn
 *
 * @typedef {Object} TableKind
 * @property {string} id
 * @property {string} title
 * @property {string} about one sentence
 * @property {boolean} countsPages
 * @property {boolean} showsEmpty rows without faults too
 * @property {(object: number) => Grouping} grouping
 * @property {(row: number) => string} name
 * @property {(tally: () => Tally) => TableColumn[]} columns the first names the row
 * @property {(row: number) => boolean} isPressed
 * @property {(row: number) => void} press
 */

/** 0 … count - 1, from number + 1 as columns store it. @param {number} count */
function fromIndexPlusOne(count) {
	return Int32Array.from({length: count + 1}, (_, i) => i - 1);
}

/** @param {Data} data @param {Store} store @returns {TableKind[]} */
export function tableKinds(data, store) {
	const {header, columns} = data;
	const combinations = columns.combination_object.length;
	const everything = new Uint8Array(combinations).fill(1);
	const ofObject = (/** @type {number} */ object) =>
		Uint8Array.from(columns.combination_object, (value) => Number(value === object));
	/** @param {string} word @param {number} count @param {number} first what stands for group 0 */
	const byCombination = (word, count, first) => ({
		count, values: data.combination,
		groupOf: Int32Array.from(columns['combination_' + word], (value) => value >= first && value - first < count
			? value - first : -1),
	});
	const functionCount = header.functions.name.length;
	/** @type {Uint32Array | null} */
	let frameOf = null;
	const innermost = () => {
		if (!frameOf)
			frameOf = data.stack.map((node) => node ? columns.frame_function[columns.node_frame[node - 1]] : 0);
		return frameOf;
	};
	/** @param {() => Tally} tally @param {'faults' | 'major' | 'lazy' | 'pages'} key @param {string} title @param {string} [help] */
	const number = (tally, key, title, help) => ({
		key, title, help,
		value: (/** @type {number} */ row) => tally()[key][row],
		show: (/** @type {number} */ row) => countText(tally()[key][row]),
	});
	/** @param {() => Tally} tally */
	const time = (tally) => ({
		key: 'time', title: 'Time', help: 'fault time',
		value: (/** @type {number} */ row) => tally().ns[row],
		show: (/** @type {number} */ row) => timeText(tally().ns[row]),
	});
	/** @param {string} key @param {string} title @param {(row: number) => string} value @param {string} [help] */
	const words = (key, title, value, help) => ({key, title, help, isText: true, value, show: value});
	/** @param {string} key @param {string} title @param {(row: number) => number} value @param {(n: number) => string} show @param {string} [help] */
	const plain = (key, title, value, show, help) =>
		({key, title, help, value, show: (/** @type {number} */ row) => show(value(row))});
	/** @param {string} word @param {(row: number) => string} name */
	const filters = (word, name) => ({
		name,
		isPressed: (/** @type {number} */ row) => store.choice.filter[word] === name(row),
		press: (/** @type {number} */ row) => store.toggle(word, name(row)),
	});
	const functionPlace = (/** @type {number} */ row) => objectName(data, header.functions.object[row]);
	const symbolSection = (/** @type {number} */ row) => header.sections[header.symbols.section[row]]?.name || '';
	/** @param {(object: number) => any} rows @param {string} id @param {string} title @param {string} about @param {string} word */
	const functionTable = (rows, id, title, about, word) => ({
		id, title, about, countsPages: false, showsEmpty: false, grouping: rows,
		...filters(word, (row) => functionName(data, row)),
		columns: (/** @type {() => Tally} */ tally) => [
			words('name', 'Function', (row) => functionName(data, row)),
			number(tally, 'faults', 'Faults'), number(tally, 'major', 'Major'), time(tally),
			words('object', 'In', functionPlace)],
	});
	return [
		{
			id: 'sections', title: 'Sections', about: 'Touched sections of this file.',
			countsPages: true, showsEmpty: false,
			grouping: (object) => ({...byCombination('section', header.sections.length, 1), allowed: ofObject(object)}),
			...filters('section', (row) => header.sections[row].name || NAMELESS),
			columns: (tally) => [
				words('name', 'Section', (row) => header.sections[row].name || NAMELESS),
				number(tally, 'faults', 'Faults'), number(tally, 'major', 'Major'), time(tally),
				number(tally, 'pages', 'Pages', 'distinct pages touched'),
				plain('size', 'Size', (row) => header.sections[row].size, sizeText)],
		},
		{
			id: 'symbols', title: 'Symbols', about: 'What was touched in this file.',
			countsPages: false, showsEmpty: false,
			grouping: (object) => ({count: header.symbols.name.length, values: data.symbol,
				groupOf: fromIndexPlusOne(header.symbols.name.length), allowed: ofObject(object)}),
			...filters('symbol', (row) => header.symbols.name[row] || NAMELESS),
			columns: (tally) => [
				words('name', 'Symbol', (row) => header.symbols.name[row] || NAMELESS),
				number(tally, 'faults', 'Faults'), number(tally, 'major', 'Major'), time(tally),
				plain('size', 'Size', (row) => header.symbols.size[row], sizeText),
				{...plain('vaddr', 'Address', (row) => header.symbols.vaddr[row], hexText, 'as the file writes it'), isPlace: true},
				words('section', 'Section', symbolSection)],
		},
		functionTable((object) => ({count: functionCount, values: innermost(),
			groupOf: fromIndexPlusOne(functionCount), allowed: ofObject(object)}),
		'functions', 'Functions', 'Whose instruction touched this file.', 'function'),
		functionTable((object) => ({...byCombination('blame', functionCount, 1), allowed: ofObject(object)}),
			'blamed', 'On whose behalf',
			'The innermost caller outside libc, libstdc++ and the dynamic linker.', 'blame'),
		{
			id: 'initializers', title: 'Initializers',
			about: 'Functions of this file that run before main, and the faults inside them, in any file.',
			countsPages: true, showsEmpty: true,
			grouping: (object) => {
				const groups = byCombination('initializer', header.initializers.length, 1);
				const [first, count] = header.objects[object]?.initializers ?? [0, 0];
				return {...groups, allowed: Uint8Array.from(columns.combination_initializer,
					(value) => Number(value > first && value <= first + count))};
			},
			...filters('initializer', (row) => initializerName(data, row)),
			columns: (tally) => [
				words('name', 'Function', (row) => header.initializers[row].function || NAMELESS),
				number(tally, 'faults', 'Faults'),
				number(tally, 'lazy', 'Binding', 'of these, faults that bind functions at their first call'),
				number(tally, 'major', 'Major'), time(tally),
				number(tally, 'pages', 'Pages', 'distinct pages touched'),
				{...plain('order', 'Order', (row) => header.initializers[row].index, countText, 'position in its array'), isPlace: true},
				words('array', 'Array', (row) => header.initializers[row].array),
				words('source', 'Source', (row) => header.initializers[row].source || '')],
		},
		{
			id: 'objects', title: 'Files', about: 'Every file and kind of memory; click one to show it.',
			countsPages: true, showsEmpty: false,
			grouping: () => ({...byCombination('object', header.objects.length, 0), allowed: everything}),
			name: (row) => objectName(data, row),
			isPressed: (row) => store.choice.object === row,
			press: (row) => store.set({object: row, place: null}),
			columns: (tally) => [
				words('name', 'File', (row) => objectName(data, row)),
				number(tally, 'faults', 'Faults'), number(tally, 'major', 'Major'), time(tally),
				number(tally, 'pages', 'Pages', 'distinct pages touched'),
				plain('size', 'Size', (row) => header.objects[row].size, sizeText)],
		},
	];
}

/** Rows of initializers of @object only: those of the kind's list that belong there. @param {Data} data @param {TableKind} kind @param {number} object @param {Tally} tally */
export function rowsOf(data, kind, object, tally) {
	const rows = [];
	const [first, count] = kind.showsEmpty ? data.header.objects[object]?.initializers ?? [0, 0]
		: [0, tally.faults.length];
	for (let row = first; row < first + count; row++)
		if (kind.showsEmpty || tally.faults[row] > 0 || kind.isPressed(row))
			rows.push(row);
	return rows;
}
