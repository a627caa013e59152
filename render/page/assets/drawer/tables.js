// SPDX-License-Identifier: Apache-2.0
// The tables: one shown at a time, under tabs; its rows count the current selection and are filters.
import {make} from '../shared/dom.js';
import {nounText} from '../shared/format.js';
import {elidedName} from '../shared/name.js';
import {SortedTable, showTables} from './sortedtable.js';
import {rowsOf, tableKinds} from './tablekinds.js';
import {pagePairs, tallyGroups} from '../data/tally.js';
import {objectName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('./tablekinds.js').TableKind} TableKind
 * @typedef {import('../data/tally.js').Tally} Tally
 */

/** One table: rows are indexes of what its kind counts. */
class Table extends SortedTable {
	/** @param {Data} data @param {Store} store @param {TableKind} kind */
	constructor(data, store, kind) {
		/** @type {Tally | null} */
		let tally = null;
		super(kind.id, kind.title, kind.columns(() => /** @type {Tally} */ (tally)),
			data.header.weigh === 'time' ? 'time' : 'faults');
		this.data = data;
		this.store = store;
		this.kind = kind;
		this.tally = () => tally;
		/** @type {{object: number, pairs: ReturnType<typeof pagePairs>} | null} */
		this.pairs = null;
		/** @param {Tally} counted */
		this.take = (counted) => {
			tally = counted;
		};
	}

	/** Count the selection anew, then draw. */
	count() {
		const {data, store, kind} = this;
		const {object} = store.choice;
		const grouping = kind.grouping(object);
		if (kind.countsPages && this.pairs?.object !== object)
			this.pairs = {object, pairs: pagePairs(data, grouping)};
		this.take(tallyGroups(data, store, grouping, this.pairs?.pairs ?? null));
		this.draw();
	}

	rows() {
		const tally = this.tally();
		return tally ? rowsOf(this.data, this.kind, this.store.choice.object, tally) : [];
	}

	/** Initializers that are equal stay in the order in which they run, others by name. @param {number} a @param {number} b */
	order(a, b) {
		const {kind} = this;
		const [left, right] = kind.showsEmpty ? [a, b] : [kind.name(a), kind.name(b)];
		return left < right ? -1 : left > right ? 1 : a - b;
	}

	aboutText() {
		return this.kind.id === 'objects' ? this.kind.about
			: `${objectName(this.data, this.store.choice.object)}: ${this.kind.about}`;
	}

	/** @param {number} shown @param {number} count */
	statusText(shown, count) {
		return `${super.statusText(shown, count)}, ${nounText(this.tally()?.total ?? 0, 'fault')} in all`
			+ (this.data.merged ? '; times are estimates, since faults were merged' : '');
	}

	draw() {
		if (this.tally())
			super.draw();
	}

	/** @param {number} row @param {number} most the largest number of the sorted column */
	row(row, most) {
		const [first, ...others] = this.columns;
		const isPressed = this.kind.isPressed(row);
		return make('tr', {class: isPressed ? 'pressed' : null},
			make('th', {scope: 'row', class: 'text'},
				make('button', {type: 'button', class: 'row', 'data-row': row, 'aria-pressed': String(isPressed),
					click: () => this.kind.press(row)}, elidedName(first.show(row)))),
			...others.map((column) => make('td', {class: column.isText ? 'text' : 'number'},
				this.barOf(column, row, most),
				column.isText ? elidedName(column.show(row)) : column.show(row))));
	}
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeTables(data, store, element) {
	showTables(store, ['filter', 'search', 'process', 'time', 'place', 'object'],
		tableKinds(data, store).map((kind) => new Table(data, store, kind)), element);
}
