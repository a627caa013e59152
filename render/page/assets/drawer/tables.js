// SPDX-License-Identifier: Apache-2.0
// Tables of groups: their rows count the current selection and are filters.
import {onceOf} from '../data/once.js';
import {nounText} from '../shared/format.js';
import {SortedTable} from './sortedtable.js';
import {pagePairs, sumGroups} from '../selection/sums.js';

/** One table: rows are indexes of what its kind counts. */
export class GroupTable extends SortedTable {
	constructor(/** @type {Data} */ data, /** @type {Store} */ store, /** @type {TableKind} */ kind) {
		/** @type {Sums | null} */
		let sums = null;
		super(store, {...kind, columns: kind.columns(() => /** @type {Sums} */ (sums)),
			rows: () => !sums ? [] : [...sums.faults.keys()].filter((row) => kind.isListed ? kind.isListed(row)
				: sums && (sums.faults[row] > 0 || sums.time[row] > 0 || kind.isPressed(row))),
			isRest: kind.isRest ?? (() => false),
			// Initializers that are equal stay in the order in which they run, others by name.
			order: (a, b) => {
				const [left, right] = kind.isListed ? [a, b] : [kind.name(a), kind.name(b)];
				return left < right ? -1 : left > right ? 1 : a - b;
			},
			statusText: ({length}) => `${nounText(length, 'row')}, ${nounText(sums?.total ?? 0, 'fault')} in all`});
		this.data = data;
		this.kind = kind;
		this.sums = () => sums;
		const countingOf = onceOf((/** @type {TableKind} */ {grouping: make}) => {
			const grouping = make();
			return {grouping, pairs: pagePairs(data, grouping)};
		});
		/** Count the selection anew. */
		this.recount = () => {
			const {grouping, pairs} = countingOf(kind);
			sums = sumGroups(data, store, grouping, pairs);
		};
	}

	sum() {
		this.recount();
	}

	/** The same, then draw. */
	count() {
		this.sum();
		super.count();
	}

	draw() {
		if (this.sums())
			super.draw();
	}
}
