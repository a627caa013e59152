// SPDX-License-Identifier: Apache-2.0
// The selected faults, one a row, of which a click shows one; and every wait for storage that is selected: of faults, and behind all faults, by
// their numbers, of calls that read. There a click shows the fault, or the time of the call.
import {nounText, sizeText, timeText} from '../shared/format.js';
import {chooseFault, selectEntries, selectedMarks, inRange} from '../selection/selected.js';
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
function faultRows(data, {choice}) {
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

function waitColumns(/** @type {Data} */ data) {
	const {columns, count, unitNs} = data;
	const {operation_time: at, operation_wait: waited, operation_bytes: bytes, operation_call: calls} = columns;
	/** @template T @param {(fault: number) => T} ofFault @param {(operation: number) => T} ofCall @returns {(row: number) => T} */
	const either = (ofFault, ofCall) => (row) => row < count ? ofFault(row) : ofCall(row - count);
	const word = (/** @type {string} */ key, /** @type {string} */ title) => wordColumn(key, title, either((fault) => textOf(data, fault, key), (call) => textOf(data, call, key, data.operations)));
	return [
		{...numberColumn('at', 'At', either((fault) => data.timeNs(fault), (call) => at[call] * unitNs), timeText, 'since the recording began'), isPlace: true},
		numberColumn('time', 'Waited', either((fault) => data.own[fault], (call) => waited[call] * unitNs), timeText, 'for storage; of a fault its own time'),
		numberColumn('late', 'Late', either((fault) => data.late[fault], () => 0), (ns) => ns > 0 ? timeText(ns) : '', 'able to run again, and waiting for a processor'),
		numberColumn('bytes', 'Read', either((fault) => columns.read_pages[fault] * data.header.page_size, (call) => bytes[call]), (n) => n > 0 ? sizeText(n) : '', 'from storage'),
		wordColumn('how', 'In', either(() => 'fault', (call) => data.header.operations?.calls[calls[call] - 1] ?? 'call'), 'a fault, or a system call'),
		word('initiator', 'Cause'), word('object', 'File'), word('section', 'Section'), word('function', 'Function'),
	];
}

export function waitTable(/** @type {Data} */ data, /** @type {Store} */ store) {
	const {columns: {operation_time: at, operation_length: lengths}, header, unitNs, count} = data;
	const callRows = () => {
		const {time, place} = store.choice;
		const marks = selectEntries(data, store.choice, data.operations);
		return [...at.keys()].filter((o) => marks[o] && !place && (!time || at[o] * unitNs >= time[0] && at[o] * unitNs < time[1])).map((o) => count + o);
	};
	return faultTable(data, store, {
		id: 'waits', title: 'Waits', about: 'Every wait for storage, one a row.', columns: waitColumns(data),
		rows: () => [...faultRows(data, store).filter((i) => data.of(i, 'kind') === header.words.kind.indexOf('major')), ...callRows()],
		statusText: ({length}) => nounText(length, 'wait'),
		press: (row) => row < count ? chooseFault(data, store, row)
			: store.set({time: [at[row - count] * unitNs, (at[row - count] + lengths[row - count]) * unitNs]}),
	});
}
