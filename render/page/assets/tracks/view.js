// SPDX-License-Identifier: Apache-2.0
// The part of time and place that pictures show, and moving it. Pictures that share a view move together.
import {pageAtY, yOfPage} from './bands.js';
import {TimeScale, busyOf, gapsWithin, timeOfBusy} from './timescale.js';

/** Neither time nor place can be zoomed in further. */
const LEAST_NS = 2000;
const LEAST_PAGES = 2;

/** All the time of the command, in ns: from exec to its end, whatever faulted. @param {Data} data @returns {[number, number]} */
export function spanOf(data) {
	const {start_ns: exec, end_ns: end} = data.header.axis;
	// Times of faults are rounded down to units.
	const first = Math.floor(exec / data.unitNs) * data.unitNs;
	return [first, Math.max(end, first + data.unitNs)];
}

/** @range moved into @all, and at least @least long; null: that is all. @param {[number, number]} range @param {[number, number]} all @param {number} least @returns {[number, number] | null} */
function rangeWithin([first, end], [start, stop], least) {
	const width = Math.min(Math.max(end - first, least), stop - start);
	const from = Math.min(Math.max(first, start), stop - width);
	return width >= stop - start ? null : [from, from + width];
}

export class View {
	/** @param {Store} store @param {() => [number, number]} span all the time there is, in ns @param {() => Gap[]} gaps what pictures may leave out of it */
	constructor(store, span, gaps) {
		this.store = store;
		this.span = span;
		this.gaps = gaps;
		/** Pages that there are from one end of the place to the other. */
		this.length = 0;
	}

	/** The time that is shown, in ns: nothing before or after the command. @returns {[number, number]} */
	timeShown() {
		const [first, end] = this.span();
		const [from, to] = this.store.choice.time || [first, end];
		return Math.max(from, first) < Math.min(to, end) ? [Math.max(from, first), Math.min(to, end)] : [first, end];
	}

	/** The scale of the time shown. @param {number} width in pixels @param {(time: number) => number} [ownOf] the times of a recording instead @param {Gap[]} [gaps] in these */
	scaleOf(width, ownOf = (time) => time, gaps = this.gaps()) {
		const [first, end] = this.timeShown().map(ownOf);
		const scale = new TimeScale(first, end, width, gapsWithin(gaps, first, end));
		scale.zero = ownOf(this.span()[0]);
		return scale;
	}

	/** @param {number} first @param {number} end in ns */
	setTime(first, end) {
		const range = rangeWithin([first, end], this.span(), LEAST_NS);
		this.store.set({time: range && [Math.round(range[0]), Math.round(range[1])]});
	}

	/** The same range of time, shown or @time, without what lies in gaps: what moves evenly. @param {[number, number]} [time] @returns {[number, number]} */
	busyShown([first, end] = this.timeShown()) {
		const gaps = this.gaps();
		return [busyOf(gaps, first), busyOf(gaps, end)];
	}

	/** Show what lies from @first to @end of time without gaps. @param {number} first @param {number} end */
	setBusy(first, end) {
		const gaps = this.gaps();
		const range = rangeWithin([first, end], this.busyShown(this.span()), LEAST_NS);
		this.store.set({time: range && [Math.round(timeOfBusy(gaps, range[0], false)), Math.round(timeOfBusy(gaps, range[1], true))]});
	}

	/** Scale the time shown by @factor, around @at of its width. @param {number} factor @param {number} at */
	zoomTime(factor, at) {
		const [first, end] = this.busyShown();
		const fixed = first + (end - first) * at;
		this.setBusy(fixed - (fixed - first) * factor, fixed + (end - fixed) * factor);
	}

	/** @param {number} part of the width @param {[number, number]} [time] from where, the time shown if not given */
	panTime(part, time = this.timeShown()) {
		const [first, end] = this.busyShown(time);
		this.setBusy(first + (end - first) * part, end + (end - first) * part);
	}

	/** @returns {[number, number]} */
	placeShown() {
		return this.store.choice.place || [0, this.length];
	}

	/** @param {number} first @param {number} end pages */
	setPlace(first, end) {
		if (this.length > 0)
			this.store.set({place: rangeWithin([first, end], [0, this.length], LEAST_PAGES)});
	}

	/** The same for the place; in, to what is seen around @y of @rows. @param {number} factor @param {number} y @param {Row[]} rows */
	zoomPlace(factor, y, rows) {
		const [first, end] = this.placeShown();
		const at = pageAtY(rows, y) ?? (first + end) / 2;
		const low = factor < 1 ? pageAtY(rows, y - y * factor) ?? first : at - (at - first) * factor;
		const fileEnd = yOfPage(rows, end);
		const high = factor < 1 ? pageAtY(rows, y + (fileEnd - y) * factor) ?? end : at + (end - at) * factor;
		this.setPlace(Math.min(low, high), Math.max(low, high));
	}

	/** @param {number} part of what is shown */
	panPlace(part) {
		const [first, end] = this.placeShown();
		this.setPlace(first + (end - first) * part, end + (end - first) * part);
	}

	showAll() {
		this.store.set({time: null, place: null});
	}
}
