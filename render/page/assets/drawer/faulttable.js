// SPDX-License-Identifier: Apache-2.0
// The selected faults, one a row; a click shows one.
import {nounText, sizeText, timeText} from '../shared/format.js';
import {chooseFault, selectedMarks, inRange} from '../selection/selected.js';
import {SortedTable} from './sortedtable.js';
import {numberColumn, wordColumn} from './tablekinds.js';
import {textOf} from '../data/words.js';

function faultColumns(/** @type {Data} */ data) {
	const {read_pages: read} = data.columns;
	const word = (/** @type {string} */ key, /** @type {string} */ title) => wordColumn(key, title, (row) => textOf(data, row, key));
	return [
		{...numberColumn('at', 'At', (row) => data.timeNs(row), timeText, 'since the recording began'), isPlace: true},
		numberColumn('time', 'Length', (row) => data.own[row], (ns) => ns > 0 ? timeText(ns) : 'unknown', 'running, or waiting for storage'),
		word('kind', 'Kind'),
		numberColumn('bytes', 'Read', (row) => read[row] * data.header.page_size, (bytes) => bytes > 0 ? sizeText(bytes) : '', 'from storage'),
		word('initiator', 'Cause'), word('object', 'File'), word('section', 'Section'), word('symbol', 'Symbol'), word('function', 'Function'),
	];
}

/** The faults that are selected, also in time and place. @param {Data} data @param {Store} store */
export function faultRows(data, {choice}) {
	const marks = selectedMarks(data, choice);
	const rows = [];
	for (let i = 0; i < data.count; i++)
		if (marks[i] && inRange(data, choice, i))
			rows.push(i);
	return rows;
}

/** @param {Data} data @param {Store} store @param {Partial<TableSpec>} [others] what is not as of faults */
export function faultTable(data, store, others) {
	/** @type {SortedTable} */
	const table = new SortedTable(store, {
		id: 'faults', title: 'Faults', about: 'The selected faults, one a row.', columns: faultColumns(data),
		rows: () => faultRows(data, store),
		// By length where the metric has no column.
		firstKey: () => table.columns.some(({key}) => key === store.choice.metric) ? store.choice.metric : 'time',
		statusText: ({length}) => nounText(length, data.merged ? 'mark' : 'fault'),
		isPressed: (row) => store.choice.fault === row,
		press: (row) => chooseFault(data, store, row),
		...others,
	});
	// Rows stay, and so does the focus.
	const markChosen = () => {
		for (const button of /** @type {NodeListOf<HTMLElement>} */ (table.body.querySelectorAll('button.row'))) {
			const isChosen = Number(button.dataset.row) === store.choice.fault;
			button.setAttribute('aria-pressed', String(isChosen));
			button.closest('tr')?.classList.toggle('pressed', isChosen);
		}
	};
	store.listen((changed) => changed.has('fault') && markChosen());
	return table;
}
