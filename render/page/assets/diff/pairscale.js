// SPDX-License-Identifier: Apache-2.0
// The scales of time in a comparison: one for both runs, or each run drawn to its own length, each recording from 0 on.
import {countText, timeText} from '../shared/format.js';
import {spanOf} from '../tracks/view.js';

/** @typedef {import('../data/data.js').Data} Data */

/** From so many times the length of the other run on, that one has less than a quarter of the width. */
const NARROW = 4;

export class PairScale {
	/** @param {Data[]} sides */
	constructor(sides) {
		/** Of each run up to its end, in ns. */
		this.lengths = sides.map((data) => spanOf(data)[1]);
		this.longest = Math.max(...this.lengths);
		/** Whether the shorter run is narrow on one scale. */
		this.isNarrow = sides.every((data) => data.count > 0) && this.longest >= NARROW * Math.min(...this.lengths);
	}

	/** All the time that @side has room for. @param {number} side @param {boolean} isOwn a scale of its own @returns {[number, number]} */
	spanOn(side, isOwn) {
		return [0, isOwn ? this.lengths[side] : this.longest];
	}
}

/** "5.9", "41". @param {number} times */
export function timesText(times) {
	return times < 9.95 ? times.toFixed(1) : countText(times);
}

/** How much time the width of a picture is, and how that stands to the other one's. @param {[number, number]} range @param {[number, number]} other in ns */
export function widthText(range, other) {
	const [width, otherWidth] = [range, other].map(([first, end]) => end - first);
	return `${timeText(width)} wide${otherWidth >= 1.05 * width ? `, stretched ${timesText(otherWidth / width)} times` : ''}`;
}
