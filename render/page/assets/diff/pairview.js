// SPDX-License-Identifier: Apache-2.0
// The parts of time and place that the pictures of a comparison show. Places are those of both; so is time on one
// scale. On scales of their own each side moves alone, and both do for what is said to both.
import {View} from '../tracks/view.js';
import {BEFORE} from './sides.js';

/**
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 * @typedef {import('../tracks/bandrows.js').Row} Row
 */

export class SideView extends View {
	/** @param {DiffStore} whole @param {number} side */
	constructor(whole, side) {
		// Nothing is left out: a part of the width is the same time, or the same share of it, on both sides.
		super({
			get choice() {
				return {time: whole.choice.time[side], place: whole.choice.place};
			},
			set: ({time, place}) => whole.set({...time === undefined ? {} : {time: whole.timesWith(side, time)}, ...place === undefined ? {} : {place}}),
		}, () => whole.scale.spanOn(side, whole.choice.ownScales), () => []);
		this.whole = whole;
	}

	isRanged() {
		return this.whole.isTimed() || this.whole.choice.place !== null;
	}

	showAll() {
		this.whole.set({time: [null, null], place: null});
	}
}

/** Moves both sides. */
export class BothView extends SideView {
	/** @param {DiffStore} whole @param {SideView[]} views */
	constructor(whole, views) {
		super(whole, BEFORE);
		this.views = views;
	}

	/** Those that have to be moved for both to move. */
	movers() {
		return this.whole.choice.ownScales ? this.views : [this.views[BEFORE]];
	}

	/** @param {number} factor @param {number} at */
	zoomTime(factor, at) {
		this.movers().forEach((view) => view.zoomTime(factor, at));
	}

	/** @param {number} part */
	panTime(part) {
		this.movers().forEach((view) => view.panTime(part));
	}

	/** @param {number} factor @param {number} y @param {Row[]} rows */
	zoomPlace(factor, y, rows) {
		this.views[BEFORE].zoomPlace(factor, y, rows);
	}

	/** @param {number} part */
	panPlace(part) {
		this.views[BEFORE].panPlace(part);
	}
}
