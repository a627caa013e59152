// SPDX-License-Identifier: Apache-2.0
// Time on an axis that leaves out stretches in which nothing is done. They come with the data (derive/cuts.h), and
// zooming adds none; places and ticks are those of render/picture/scale.c: tests/twins holds both to the same.

/** What a break takes of the axis, in pixels; and at most what part of it all breaks together. */
const GAP_LENGTH = 24;
const GAPS_PART = 4;
/** How much finer steps may become where ticks fall into gaps. */
const FINER = 8;

/** What labels are written in, from the smallest on. @type {[number, string][]} */
const TIME_UNITS = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];

/** @param {number} value @param {number} step @param {[number, string]} unit */
function tickOf(value, step, [unit, name]) {
	let decimals = 0;
	while (decimals < 9 && Math.round(step / unit * 10 ** decimals) / 10 ** decimals !== step / unit)
		decimals++;
	return {value, label: value === 0 ? '0' : `${(value / unit).toFixed(decimals)} ${name}`};
}

/** The smallest round step that makes at most @limit ticks of @span. @param {number} span @param {number} limit */
function decimalStep(span, limit) {
	let step = 10 ** Math.max(Math.floor(Math.log10(span / limit)), 0);
	for (let i = 0; span / step >= limit; i++)
		step *= i % 3 === 1 ? 2.5 : 2;
	return step;
}

/** What of @gaps, in order, lies within @first to @end; none where nothing else does. @param {Gap[]} gaps @param {number} first @param {number} end @returns {Gap[]} */
export function gapsWithin(gaps, first, end) {
	const within = gaps.map(([from, to]) => /** @type {Gap} */ ([Math.max(from, first), Math.min(to, end)])).filter(([from, to]) => from < to);
	return busyOf(within, end) > first ? within : [];
}

/** What both of @some and @others leave out, each in order: of what one does not know a word the other does. @param {Cut[]} some @param {Cut[]} others @returns {Cut[]} */
export function cutsOfBoth(some, others) {
	return some.flatMap(([first, end, why]) => others.filter(([from, to]) => from < end && to > first)
		.map(([from, to, other]) => /** @type {Cut} */ ([Math.max(first, from), Math.min(end, to), why || other])));
}

/** How wide a break is where there are @count on @length pixels. @param {number} count @param {number} length */
function gapLengthOn(count, length) {
	return Math.min(GAP_LENGTH, length / GAPS_PART / Math.max(count, 1));
}

export class TimeScale {
	/** @param {number} first @param {number} end in ns @param {number} length of the axis @param {Gap[]} gaps to leave out @param {number} [gapLength] */
	constructor(first, end, length, gaps, gapLength = gapLengthOn(gaps.length, length)) {
		this.first = first;
		this.end = end;
		this.length = length;
		this.gaps = gaps;
		/** The time that is called 0. */
		this.zero = 0;
		/** What is left. */
		this.span = end - first - gaps.reduce((sum, [from, to]) => sum + to - from, 0);
		const perNs = this.span > 0 ? (length - gapLength * gaps.length) / this.span : 0;
		/** @type {Piece[]} */
		this.pieces = [];
		let at = first;
		let place = 0;
		const add = (/** @type {number} */ to, /** @type {boolean} */ isGap) => {
			const size = isGap ? gapLength : (to - at) * perNs;
			if (to > at)
				this.pieces.push({first: at, end: to, place, length: size, isGap});
			at = to;
			place += size;
		};
		for (const [from, to] of gaps) {
			add(from, false);
			add(to, true);
		}
		add(end, false);
	}

	/** The pieces with times in units of @unitNs, down to which faults are rounded: one behind a gap is not to fall into it. @param {number} unitNs @returns {Piece[]} */
	piecesIn(unitNs) {
		const unitOfEdge = (/** @type {number} */ time) => time === this.first || time === this.end ? time / unitNs : Math.floor(time / unitNs);
		return this.pieces.map((piece) => ({...piece, first: unitOfEdge(piece.first), end: unitOfEdge(piece.end)}));
	}

	/** The place of @time; what lies outside goes on as the nearest piece does. @param {number} time in ns */
	place(time) {
		return this.placer()(time);
	}

	/** place() for many times that are mostly near each other. @returns {(time: number) => number} */
	placer() {
		const {pieces} = this;
		let at = 0;
		let {first, end, place, length} = pieces[0] ?? {first: 0, end: 1, place: 0, length: 0};
		return (time) => {
			if (time >= end || time < first) {
				while (at < pieces.length - 1 && time >= pieces[at].end)
					at++;
				while (at > 0 && time < pieces[at].first)
					at--;
				({first, end, place, length} = pieces[at] ?? {first, end, place, length});
			}
			return place + (time - first) / (end - first) * length;
		};
	}

	/** The time at @place, in ns. @param {number} place */
	timeAt(place) {
		const piece = this.pieces.find((each) => place < each.place + each.length) ?? this.pieces[this.pieces.length - 1];
		return piece && piece.length > 0 ? piece.first + (place - piece.place) / piece.length * (piece.end - piece.first) : this.first;
	}

	ticksBy(/** @type {number} */ step, /** @type {number} */ limit) {
		const {zero} = this;
		// The largest that the end has at least one of.
		const unit = TIME_UNITS.reduce((found, each) => this.end - zero >= each[0] ? each : found);
		const apart = this.length / limit / 2;
		const ticks = [];
		let n = Math.ceil((this.first - zero) / step);
		while (zero + n * step <= this.end && ticks.length < limit) {
			const value = zero + n * step;
			const place = this.place(value);
			const gap = this.gaps.find(([from, to]) => value > from && value < to);
			if (gap) {
				n = Math.ceil((gap[1] - zero) / step);
				continue;
			}
			// Beside breaks there is not always room for a label.
			if (ticks.length === 0 || place - ticks[ticks.length - 1].place >= apart)
				ticks.push({...tickOf(n * step, step, unit), place});
			n++;
		}
		return ticks;
	}

	/** Up to @limit round times with their places, none in a gap. @param {number} limit */
	ticks(limit) {
		/** @type {{value: number, place: number, label: string}[]} */
		let ticks = [];
		// What is in gaps falls out: then a finer step has more to show.
		for (let finer = 1; finer <= FINER; finer *= 2) {
			ticks = this.ticksBy(decimalStep(this.span, limit * finer), limit);
			if (2 * ticks.length >= limit || this.gaps.length === 0)
				break;
		}
		return ticks;
	}
}

/** @time without the parts of @gaps before it. @param {Gap[]} gaps @param {number} time */
export function busyOf(gaps, time) {
	return gaps.reduce((busy, [from, to]) => busy - Math.max(Math.min(time, to) - from, 0), time);
}

/** The time after @busy of time that is not in @gaps; at a gap its start if @isEnd, else its end. @param {Gap[]} gaps in order @param {number} busy @param {boolean} isEnd */
export function timeOfBusy(gaps, busy, isEnd) {
	return gaps.reduce((time, [from, to]) => time > from || time === from && !isEnd ? time + to - from : time, busy);
}
