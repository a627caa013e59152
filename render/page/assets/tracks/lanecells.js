// SPDX-License-Identifier: Apache-2.0
// What a lane of intervals shows: of each column of pixels the group that took most of its time, and the longest
// interval of that group, which answers for it. What is shorter than a column is still seen.

/** Of a column, what an interval of no length takes. */
const LEAST = 1e-4;

export class LaneCells {
	constructor(/** @type {number} */ columns, /** @type {number} */ groups) {
		this.columns = columns;
		this.groups = groups;
		/** Columns that each group takes of each. */
		this.parts = new Float32Array(columns * groups);
		/** Of each group in each column the longest interval's index + 1, 0: none. */
		this.longest = new Int32Array(columns * groups);
		/** How long that is. */
		this.lengths = new Float32Array(columns * groups);
	}

	/** @param {number} from @param {number} to in columns @param {number} group @param {number} index */
	add(from, to, group, index) {
		if (!(to >= 0 && from < this.columns))
			return;
		const length = to - from + LEAST;
		const first = Math.max(Math.floor(from), 0);
		const last = Math.min(Math.max(Math.ceil(to) - 1, first), this.columns - 1);
		for (let column = first; column <= last; column++)
			this.take(column * this.groups + group, Math.min(to, column + 1) - Math.max(from, column) + LEAST, length, index);
	}

	/** The same of one that is @length columns long and lies within @column. @param {number} column @param {number} length @param {number} group @param {number} index */
	addWithin(column, length, group, index) {
		this.take(column * this.groups + group, length + LEAST, length + LEAST, index);
	}

	/** Count @part of an interval as long as @length. @param {number} at @param {number} part @param {number} length @param {number} index */
	take(at, part, length, index) {
		this.parts[at] += part;
		if (length <= this.lengths[at])
			return;
		this.lengths[at] = length;
		this.longest[at] = index + 1;
	}

	/** The group that takes most of @column; -1: none. @param {number} column */
	groupAt(column) {
		let best = -1;
		let most = 0;
		for (let group = 0; group < this.groups; group++)
			if (this.parts[column * this.groups + group] > most) {
				most = this.parts[column * this.groups + group];
				best = group;
			}
		return best;
	}

	/** The interval that answers for @column; -1: none. @param {number} column */
	answerAt(column) {
		const group = column >= 0 && column < this.columns ? this.groupAt(column) : -1;
		return group < 0 ? -1 : this.longest[column * this.groups + group] - 1;
	}

	/** Call @draw for each run of columns that show the same group. @param {(group: number, first: number, count: number) => void} draw */
	forRuns(draw) {
		let start = 0;
		let group = -1;
		for (let column = 0; column <= this.columns; column++) {
			const next = column < this.columns ? this.groupAt(column) : -1;
			if (next === group)
				continue;
			if (group >= 0)
				draw(group, start, column - start);
			start = column;
			group = next;
		}
	}
}
