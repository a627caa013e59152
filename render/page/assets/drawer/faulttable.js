// SPDX-License-Identifier: Apache-2.0
// The selected faults, one a row; a click shows one.
import {nounText, sizeText, timeText} from '../shared/format.js';
import {inRange} from '../selection/selection.js';
import {chooseFault, selectedMarks} from '../selection/selected.js';
import {SortedTable} from './sortedtable.js';
import {numberColumn, wordColumn} from './tablekinds.js';
import {textOf} from '../data/words.js';

/** @param {Data} data */
function faultColumns(data) {
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

export class FaultTable extends SortedTable {
	/** @param {Data} data @param {Store} store */
	constructor(data, store, id = 'faults', title = 'Faults', columns = faultColumns(data)) {
		super(store, id, title, columns);
		this.data = data;
		this.tab.title = 'The selected faults, one a row.';
		store.listen((changed) => {
			if (changed.has('fault'))
				this.markChosen();
		});
	}

	rows() {
		const {data, store} = this;
		const marks = selectedMarks(data, store.choice);
		const rows = [];
		for (let i = 0; i < data.count; i++)
			if (marks[i] && inRange(data, store.choice, i))
				rows.push(i);
		return rows;
	}

	/** Press the row of the fault that is shown; rows stay, and so does the focus. */
	markChosen() {
		for (const button of this.body.querySelectorAll('button.row')) {
			const isChosen = Number(/** @type {HTMLElement} */ (button).dataset.row) === this.store.choice.fault;
			button.setAttribute('aria-pressed', String(isChosen));
			button.closest('tr')?.classList.toggle('pressed', isChosen);
		}
	}

	/** By length where the metric has no column. */
	firstKey() {
		const {metric} = this.store.choice;
		return this.columns.some(({key}) => key === metric) ? metric : 'time';
	}

	/** @param {number} count */
	statusText(count) {
		return nounText(count, this.data.merged ? 'mark' : 'fault');
	}

	/** @param {number} row */
	isPressed(row) {
		return this.store.choice.fault === row;
	}

	/** @param {number} row */
	press(row) {
		chooseFault(this.data, this.store, row);
	}
}
