// SPDX-License-Identifier: Apache-2.0
// Tables of groups: their rows count the current selection and are filters.
import {make} from '../shared/dom.js';
import {nounText} from '../shared/format.js';
import {elidedName} from '../shared/name.js';
import {SortedTable} from './sortedtable.js';
import {pagePairs, sumGroups} from '../selection/sums.js';

/** A table whose order is chosen in the store: a link restores it. */
export class ChosenTable extends SortedTable {
	/** @param {Store} store @param {string} id @param {string} title @param {SortedColumn[]} columns */
	constructor(store, id, title, columns) {
		super(id, title, columns, store.choice.metric);
		this.store = store;
	}

	/** What rows are sorted by unless the link says otherwise. */
	firstKey() {
		return this.store.choice.metric;
	}

	/** Take over what the store says. */
	count() {
		const {sort} = this.store.choice;
		const key = sort.replace(/^-/, '');
		const isKnown = this.columns.some((column) => column.key === key);
		this.sortKey = isKnown ? key : this.firstKey();
		this.isAscending = isKnown && !sort.startsWith('-');
		this.markSorted();
		this.draw();
	}

	/** @param {SortedColumn} column */
	sortBy(column) {
		const isAscending = this.sortKey === column.key ? !this.isAscending : Boolean(column.isText);
		this.store.set({sort: (isAscending ? '' : '-') + column.key});
		this.count();
	}

	/** @param {number} row @param {number} most the largest number of the sorted column @param {string} name @param {boolean} isPressed @param {() => void} press */
	pressedRow(row, most, name, isPressed, press) {
		const [, ...others] = this.columns;
		return make('tr', {class: isPressed ? 'pressed' : null},
			make('th', {scope: 'row', class: 'text'}, this.isRest(row) ? name
				: make('button', {type: 'button', class: 'row', 'data-row': row, 'aria-pressed': String(isPressed), click: press}, elidedName(name))),
			...others.map((column) => make('td', {class: column.isText ? 'text' : 'number', title: column.isProse ? column.show(row) : null},
				...column.mark ? column.mark(row, most) : [this.barOf(column, row, most), column.isText && !column.isProse ? elidedName(column.show(row)) : column.show(row)])));
	}
}

/** One table: rows are indexes of what its kind counts. */
export class GroupTable extends ChosenTable {
	/** @param {Data} data @param {Store} store @param {TableKind} kind */
	constructor(data, store, kind) {
		/** @type {Sums | null} */
		let sums = null;
		super(store, kind.id, kind.title, kind.columns(() => /** @type {Sums} */ (sums)));
		this.data = data;
		this.kind = kind;
		this.sums = () => sums;
		this.tab.title = kind.about;
		/** @type {{grouping: Grouping, pairs: ReturnType<typeof pagePairs>} | null} */
		this.counting = null;
		/** @param {Sums} counted */
		this.take = (counted) => {
			sums = counted;
		};
	}

	/** Count the selection anew. */
	sum() {
		const {data, store, kind} = this;
		if (!this.counting) {
			const grouping = kind.grouping();
			this.counting = {grouping, pairs: pagePairs(data, grouping)};
		}
		this.take(sumGroups(data, store, this.counting.grouping, this.counting.pairs));
	}

	/** The same, then draw. */
	count() {
		this.sum();
		super.count();
	}

	rows() {
		const {kind} = this;
		const sums = this.sums();
		if (!sums)
			return [];
		const rows = [];
		for (let row = 0; row < sums.faults.length; row++)
			if (kind.isListed ? kind.isListed(row) : sums.faults[row] > 0 || sums.time[row] > 0 || kind.isPressed(row))
				rows.push(row);
		return rows;
	}

	/** Initializers that are equal stay in the order in which they run, others by name. @param {number} a @param {number} b */
	order(a, b) {
		const {kind} = this;
		const [left, right] = kind.isListed ? [a, b] : [kind.name(a), kind.name(b)];
		return left < right ? -1 : left > right ? 1 : a - b;
	}

	/** @param {number} row */
	isRest(row) {
		return this.kind.isRest?.(row) ?? false;
	}

	/** @param {number} count */
	statusText(count) {
		return `${super.statusText(count)}, ${nounText(this.sums()?.total ?? 0, 'fault')} in all`;
	}

	draw() {
		if (this.sums())
			super.draw();
	}

	/** @param {number} row @param {number} most */
	row(row, most) {
		return this.pressedRow(row, most, this.columns[0].show(row), this.kind.isPressed(row), () => this.kind.press(row));
	}
}
