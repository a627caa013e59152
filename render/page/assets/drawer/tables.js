// SPDX-License-Identifier: Apache-2.0
// Tables of groups: their rows count the current selection and are filters.
import {nounText} from '../shared/format.js';
import {SortedTable} from './sortedtable.js';
import {pagePairs, sumGroups} from '../selection/sums.js';

/** One table: rows are indexes of what its kind counts. */
export class GroupTable extends SortedTable {
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

	/** @param {number} row */
	isPressed(row) {
		return this.kind.isPressed(row);
	}

	/** @param {number} row */
	press(row) {
		this.kind.press(row);
	}
}
